"""Hooks that are not ours: made up by a tool, and the user's own."""

import contextlib
import dataclasses
import json
import pathlib
import sys

from agent import NotHere, demand, demand_truth, wait_until
from checks import Outcome, exact

FORGE = pathlib.Path(__file__).resolve().parent / "forge.py"

# Tools run without a question, whatever mode the version begins in.
ALLOWED = ("--permission-mode", "default", "--allowedTools", "Bash")

# Once for each conversation: what it says next is the reply.
GO_ON = """grep -q '"stop_hook_active":true' || echo '{"decision":"block","reason":"say:second words"}'"""


@contextlib.contextmanager
def started(agent, name, hooks=None):
    """Another agent whose tools are allowed, with these hooks in the user's settings."""
    if agent.cli != "claude":
        raise NotHere("the case knows no other settings")
    settings = pathlib.Path.home() / ".claude" / "settings.json"
    before = settings.read_text() if settings.exists() else "{}"
    settings.write_text(json.dumps({**json.loads(before), "hooks": hooks or {}}))
    other = agent.sibling(name)
    other.setup = dataclasses.replace(agent.setup, args=ALLOWED)
    try:
        other.start()
        wait_until("it is ready", lambda: other.status()["status"] == "IDLE")
        yield other
    finally:
        other.run("stop", name)
        settings.write_text(before)


def last_said(agent, message):
    """One turn, whose reply is the last that the model said."""
    since = agent.model.mark()
    sent = agent.send(message)
    demand(sent.state == "completed", f"the task is {sent.state}: {sent.error}")
    return exact(agent, sent.body["reply"], sent.body["source"], sent.at, agent.model.replies(since)[-1])


def forged(agent):
    """A tool that says through the hooks that the turn is over ends nothing."""
    with started(agent, "forged") as other:
        return last_said(other, f"tool:{sys.executable} {FORGE} 3") + last_said(other, "say:after it")


def own(agent):
    """Hooks of the user's that block a message, block a tool, and make the model go on."""
    def hook(command, **more):
        return [{**more, "hooks": [{"type": "command", "command": command}]}]

    refuses = {"UserPromptSubmit": hook("if grep -q forbidden; then echo not these words >&2; exit 2; fi"),
               "PreToolUse": hook("echo not this tool >&2; exit 2", matcher="Bash")}
    with started(agent, "refused", refuses) as other:
        since = other.model.mark()
        sent = other.send("say:forbidden")
        demand(not other.model.asked(since), f"the model was asked {other.model.asked(since)}")
        demand_truth(sent.state == "failed", f"the blocked message is {sent.state}: {sent.body['reply']!r:.200}")
        outcome = last_said(other, "tool:echo ran") + last_said(other, "say:after it")
    with started(agent, "going", {"Stop": hook(GO_ON)}) as other:
        outcome += last_said(other, "say:first words")
    return outcome + Outcome()
