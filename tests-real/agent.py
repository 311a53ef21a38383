"""An agent as its user has it, through the `synapse` command alone, and what the model saw of it."""

import concurrent.futures
import dataclasses
import datetime
import json
import pathlib
import subprocess
import time

# What a turn may take beyond what its script says; a real failure is a verdict, not a wait.
PATIENCE = 30

# A side request that the scripted model does not know for one: Gemini sums up the session before this one.
SIDE = "Summarize the user's primary intent or goal in this conversation"

# What a CLI asks each time it is started, and the answer.
GREETING = {"gptme": "New conversation"}

# The exit code of `send --return` when the agent asks something.
ASKING = 4


class Unmet(Exception):
    """Something that a case demands did not hold."""


class Untrue(Unmet):
    """Synapse said or did something false: a failure however little it could see."""


class NotHere(Exception):
    """What a case is about does not exist in this version or mode."""


def demand(fact, why):
    if not fact:
        raise Unmet(why)


def demand_truth(fact, why):
    """Demands what must hold however few witnesses there are."""
    if not fact:
        raise Untrue(why)


def wait_until(reason, look, seconds=PATIENCE):
    """Looks until there is something to see, and returns it."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        demand(time.monotonic() < deadline, f"after {seconds} s still not: {reason}")
        time.sleep(0.02)


def holds(reason, seconds, is_so):
    """Demands that something stays so for a while; what it stands for is that nothing wrong is done meanwhile."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        demand_truth(is_so(), f"no longer: {reason() if callable(reason) else reason}")
        time.sleep(0.05)


@dataclasses.dataclass
class Sent:
    """What `send --return --json` gave, and when."""

    code: int
    body: dict
    at: float

    @property
    def state(self):
        return self.body.get("state")

    @property
    def error(self):
        return self.body.get("error") or {}


@dataclasses.dataclass(frozen=True)
class Setup:
    """How the agents of a run are started."""

    # The binary of `synapse`, and the CLI's name.
    binary: str
    cli: str
    # Its profile: a built-in one, or a file.
    profile: str
    # Arguments for the CLI itself.
    args: tuple = ()
    # Which witnesses are switched off: hooks, record.
    without: frozenset = frozenset()
    # Whether the CLI decides by itself what it may do, and asks nobody.
    is_auto: bool = False

    @property
    def exact_sources(self):
        """Where an exact reply can come from. Most CLIs let nobody inject hooks."""
        found = {"hook", "record"} - {{"hooks": "hook"}.get(off, off) for off in self.without}
        return found if self.cli in ("claude", "codex") else found - {"hook"}


class Agent:
    """One agent in the background."""

    def __init__(self, setup, model, name=None):
        self.setup, self.model = setup, model
        self.binary, self.cli = setup.binary, setup.cli
        self.name = name or setup.cli
        self.threads = concurrent.futures.ThreadPoolExecutor(max_workers=4)

    def sibling(self, name, profile=None):
        """Another agent of the same kind, not started yet."""
        setup = dataclasses.replace(self.setup, profile=profile or self.setup.profile)
        return Agent(setup, self.model, name)

    def run(self, *args, stdin=None, seconds=2 * PATIENCE):
        """Runs `synapse` with these arguments."""
        try:
            return subprocess.run([self.binary, *args], input=stdin, text=True, capture_output=True,
                                  timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise Unmet(f"synapse {' '.join(args)[:60]} did not return within {seconds} s") from late

    def json(self, *args):
        done = self.run(*args, "--json")
        demand(done.returncode == 0, f"synapse {' '.join(args)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def try_to_start(self, *flags):
        args = ["--", *self.setup.args] if self.setup.args else []
        return self.run("start", self.setup.profile, "--name", self.name, *flags, *args)

    def start(self, *flags):
        done = self.try_to_start(*flags)
        demand(done.returncode == 0, f"it did not start: {done.stderr.strip()}")
        if self.cli in GREETING:
            wait_until("it asks its first question", self.open_question)
            self.run("answer", self.name, GREETING[self.cli])

    def stop(self):
        done = self.run("stop", self.name)
        demand(done.returncode == 0, f"it did not stop: {done.stderr.strip()}")

    def send(self, message, seconds=PATIENCE, raw=False):
        """Sends a message and waits for what comes of it."""
        done = self.run("send", self.name, "-", "--return", "--json", "--timeout", str(seconds),
                        *(["--raw"] if raw else []), stdin=message, seconds=seconds + PATIENCE)
        at = time.time()
        demand(done.stdout.strip(), f"send said nothing: {done.stderr.strip()}")
        return Sent(done.returncode, json.loads(done.stdout), at)

    def send_meanwhile(self, message, seconds=PATIENCE):
        """The same beside what goes on; the result when it is asked for."""
        return self.threads.submit(self.send, message, seconds)

    def post(self, message):
        """Sends a message without waiting; the name of its task."""
        done = self.run("send", self.name, message)
        demand(done.returncode == 0, f"send: {done.stderr.strip()}")
        return done.stdout.strip()

    def task(self, name):
        tasks = self.json("tasks", self.name)["tasks"]
        return next((task for task in tasks if task["id"] == name), None)

    def finished(self, name):
        """Waits for the end of a task."""
        def over():
            task = self.task(name)
            return task if task and task["status"]["state"] in ("completed", "failed", "canceled") else None

        return wait_until(f"the task {name} is over", over)

    def status(self):
        return self.json("status", self.name)

    def open_question(self):
        """The fingerprint of the question it asks; None if it asks nothing."""
        return (self.status().get("prompt") or {}).get("fingerprint")

    def screen(self):
        return self.run("screen", self.name).stdout


class Model:
    """What the scripted model was asked and what it said."""

    def __init__(self, log, dump):
        self.log, self.dump = pathlib.Path(log), pathlib.Path(dump)

    def events(self, since=0):
        """What happened since that mark, without the CLIs' own side requests."""
        events = [json.loads(line) for line in self.log.read_text().splitlines()]
        # One that was asked before the mark may end after it.
        aside = {event["id"] for event in events if event.get("user", "").startswith(SIDE)}
        return [event for event in events[since:] if not event.get("side") and event.get("id") not in aside]

    def mark(self):
        return len(self.log.read_text().splitlines())

    def asked(self, since):
        """The messages that reached the model."""
        return [e["user"] for e in self.events(since) if e["ev"] == "request" and e["tool_result"] is None]

    def replies(self, since):
        """Its replies; a call of a tool is none."""
        return [e for e in self.events(since) if e["ev"] == "reply_end" and not e.get("call")]

    def is_speaking(self, since):
        return any(e["ev"] == "reply_start" for e in self.events(since))

    def received(self, text):
        """Whether a request carried this text, word for word."""
        return any(text in words for path in self.dump.glob("*.json") for words in strings(json.loads(path.read_text())))


def strings(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def unix_time(text):
    """A time as `synapse` writes it, in seconds."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
