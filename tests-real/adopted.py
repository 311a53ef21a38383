"""The CLI in a pane of tmux, started there by its user and adopted while it runs: no hooks, a person's keys past us."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile

from agent import NotHere, demand, demand_truth, wait_until
from checks import Outcome, turn

# Two lines and marks that no screen shows as they are written.
MESSAGE = "say:**exact** words\n\n- of `two` lines"


def processes():
    """The processes of this PID namespace, which is the case's own."""
    return {int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()}


class Tmux:
    """A server of its own with one pane."""

    def __init__(self, words):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = f"{self.folder.name}/tmux"
        self.run("new-session", "-d", "-x", "120", "-y", "40", "--", "env", "-u", "CLAUDECODE", *words)

    def run(self, *words):
        command = ["tmux", "-S", self.socket, "-f", "/dev/null", *words]
        env = {name: value for name, value in os.environ.items() if name not in ("TMUX", "TMUX_PANE")}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        demand(done.returncode == 0, f"tmux {words}: {done.stderr.strip()}")
        return done.stdout.strip()

    def tell(self, form):
        return self.run("display-message", "-p", "-t", "%0", form)

    def end(self, before):
        """Ends the server and what was started in it; a CLI may leave a daemon behind."""
        with contextlib.suppress(Exception):
            self.run("kill-server")
        for pid in set(processes()) - before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.folder.cleanup()


def adopted(agent):
    """A turn with an exact reply, one past copy mode, a held message, a Stop; then it is left as it was."""
    if agent.cli not in ("claude", "codex", "gemini"):
        raise NotHere("the case does not know its box")
    setup = dataclasses.replace(agent.setup, without=agent.setup.without | {"hooks"})
    guest = agent.sibling("guest")
    guest.setup = setup
    alive = set(processes())
    tmux = Tmux([agent.cli, *agent.setup.args])
    try:
        before = wait_until("the program runs", lambda: tmux.tell("#{pane_pid} #{pane_width}x#{pane_height}"))
        done = guest.run("adopt", "%0", "--socket", tmux.socket, "--name", "guest", "--port", "0",
                         "--profile", guest.setup.profile)
        demand(done.returncode == 0, f"it was not adopted: {done.stderr.strip()}")
        wait_until("it is ready", lambda: guest.status()["status"] == "IDLE")
        outcome = turn(guest, MESSAGE)
        tmux.run("copy-mode", "-t", "%0")
        outcome += turn(guest, "say:past copy mode")
        demand_truth(tmux.tell("#{pane_in_mode}") == "1", "somebody who scrolled was taken out of it")
        tmux.run("send-keys", "-t", "%0", "-X", "cancel")
        outcome += held(guest, tmux)
        stopped(guest)
        guest.stop()
        after = tmux.tell("#{pane_pid} #{pane_width}x#{pane_height}")
        demand_truth(before == after, f"the pane was {before} and is {after}")
        demand_truth(tmux.tell("#{pane_dead}") == "0", "the program ended with its guest")
        return outcome
    finally:
        guest.run("stop", "guest")
        tmux.end(alive)


def held(guest, tmux):
    """What a person has begun to type in the pane is left alone, and the message comes behind it."""
    tmux.run("send-keys", "-t", "%0", "-l", "a draft")
    wait_until("the draft is seen", lambda: "a draft" in guest.screen())
    since = guest.model.mark()
    task = guest.post("say:behind the draft")
    wait_until("it is held", lambda: "draft" in (guest.status().get("held") or ""))
    demand_truth(not guest.model.asked(since), f"typed over a draft: {guest.model.asked(since)}")
    for _ in "a draft":
        tmux.run("send-keys", "-t", "%0", "BSpace")
    reply = guest.finished(task)["reply"]
    demand_truth(reply == "behind the draft", f"the reply is {reply!r}")
    return Outcome()


def stopped(guest):
    since = guest.model.mark()
    guest.post("slow:20")
    wait_until("the model speaks", lambda: guest.model.is_speaking(since))
    receipt = guest.json("interrupt", "guest")
    demand_truth(receipt["now"] == "IDLE", f"the receipt is {receipt}")
