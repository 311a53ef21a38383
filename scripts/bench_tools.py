"""What the bench scripts share: where they leave their numbers, and how a program is timed in a terminal."""
import json
import os
import pty
import socket
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYNAPSE = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "release", "synapse")

# Gives back each key, as a program does that reads keys.
ECHO = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"ready")
while (key := os.read(0, 1)) not in (b"", b"\\x04"):
    os.write(1, key)
"""


def record(row, way, value, unit, **more):
    """Leaves a number for `scripts/bench-report`: what was measured (`row`) and of whom (`way`: synapse, or a floor
    beside it). It goes as a line of JSON into the file that BENCH_RESULTS names; without it nothing is left."""
    path = os.environ.get("BENCH_RESULTS")
    if path:
        with open(path, "a") as out:
            out.write(json.dumps({"row": row, "way": way, "value": value, "unit": unit, **more}) + "\n")


def new_home():
    """A home for nobody else's agents, and the environment that goes with it."""
    home = tempfile.mkdtemp(prefix="synapse-bench-")
    return home, dict(os.environ, SYNAPSE_HOME=home + "/synapse", A2A_HOME=home + "/a2a", TERM="xterm-256color")


def median_ms(times, work):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def status_field(pid, name):
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def switches(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as lines:
            total += sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
    return total


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until_it_answers(argv, port, path, env, cwd=None):
    """Starts a server; the process, and the milliseconds until its HTTP has answered."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    host = subprocess.Popen(argv, env=env, cwd=cwd, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port)) as door:
                door.sendall(request)
                assert door.recv(64).startswith(b"HTTP/1.1 200")
                return host, (time.perf_counter() - began) * 1000
        except ConnectionError:
            time.sleep(0.0005)  # between two knocks


def key_latency(argv, env, keys, answers=None, cwd=None):
    """Types into a program that echoes, and waits for each echo; the median in microseconds. `answers` has what to type
    when a wrapper asks something first."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(cwd or ".")
        os.execvpe(argv[0], argv, env)
    seen = b""
    answers = dict(answers or {})
    while b"ready" not in seen:
        seen += os.read(master, 65536)
        for question in [question for question in answers if question in seen]:
            os.write(master, answers.pop(question))
    time.sleep(0.2)  # what a wrapper still paints
    took = []
    for _ in range(keys):
        began = time.perf_counter()
        os.write(master, b"k")
        while b"k" not in os.read(master, 65536):
            pass
        took.append((time.perf_counter() - began) * 1e6)
        time.sleep(0.002)  # as a person does, let it come to rest
    os.write(master, b"\x04")
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(master)
    return statistics.median(took)


def drain(argv, env):
    """Runs a program in a PTY whose other side discards; seconds until it ends, the lines it showed, and its CPU time."""
    began = time.perf_counter()
    pid, master = pty.fork()
    if pid == 0:
        os.execvpe(argv[0], argv, env)
    lines = 0
    try:
        while part := os.read(master, 65536):
            lines += part.count(b"\n")
    except OSError:
        pass
    _, _, used = os.wait4(pid, 0)
    os.close(master)
    return time.perf_counter() - began, lines, used.ru_utime + used.ru_stime
