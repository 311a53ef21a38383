"""The CLI without a terminal: `synapse start CLI --acp`, by its own ACP or by an adapter."""

import os
import pathlib
import shutil

from agent import ASKING, NotHere, demand, demand_truth, wait_until
from checks import Outcome
from editor import EXACT

# Those that speak ACP, and the program that does it for them.
SPEAKERS = {"gemini": "gemini", "claude": "claude-agent-acp"}


def backend(agent):
    """A reply word for word, a permission with its real options, a Stop; and no terminal."""
    if not shutil.which(SPEAKERS.get(agent.cli, "")):
        raise NotHere("it has no ACP here")
    # The adapter would bring a Claude Code of its own.
    os.environ["CLAUDE_CODE_EXECUTABLE"] = shutil.which("claude") or ""
    other = agent.sibling("by-acp")
    done = other.run("start", agent.cli, "--acp", "--name", other.name, "--port", "0")
    demand(done.returncode == 0, f"it did not start: {done.stderr.strip()}")
    try:
        wait_until("it is ready", lambda: other.status()["status"] == "IDLE")
        sent = other.send(f"say:{EXACT}")
        demand_truth(sent.body["reply"] == EXACT, f"the reply is {sent.body['reply']!r}: {sent.error}")
        demand(sent.body["source"] == "acp", f"the source is {sent.body['source']}")
        marker = pathlib.Path("made-by-acp")
        sent = other.send(f"tool:touch {marker}")
        demand(sent.code == ASKING, f"it asked for no leave: {sent.body}")
        demand_truth(not marker.exists(), "it was done before it was allowed")
        answered = other.run("answer", other.name, "yes")
        demand(answered.returncode == 0, f"it takes no yes: {answered.stderr}, {sent.body}")
        task = other.finished(sent.body["task_id"])
        demand(task["status"]["state"] == "completed", f"the task is {task['status']}")
        demand(marker.exists(), "what was allowed was not done")
        demand(task.get("steps"), "no step was told")
        # It was allowed once, and not for good.
        sent = other.send(f"tool:touch {marker}-2")
        demand_truth(sent.code == ASKING, f"it did not ask again: {sent.body}")
        other.run("answer", other.name, "no")
        other.finished(sent.body["task_id"])
        demand_truth(not pathlib.Path(f"{marker}-2").exists(), "it was done though it was refused")
        since = other.model.mark()
        other.post("slow:20")
        wait_until("the model speaks", lambda: other.model.is_speaking(since))
        receipt = other.json("interrupt", other.name)
        demand_truth(receipt["now"] == "IDLE", f"the receipt is {receipt}")
        screen = other.run("screen", other.name)
        demand_truth("no terminal" in screen.stderr, f"its screen is {screen.stdout!r}")
    finally:
        other.run("stop", other.name)
    return Outcome()
