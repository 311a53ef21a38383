"""The CLI as a client's agent: `synapse start CLI --acp`, without a screen."""

import pathlib

from agent import ASKING, NotHere, demand, demand_truth, wait_until
from checks import Outcome
from editor import EXACT

# Those that speak ACP without an adapter.
SPEAKERS = ("gemini",)


def backend(agent):
    """A reply word for word, a permission with its real options, a Stop; and no terminal."""
    if agent.cli not in SPEAKERS:
        raise NotHere("it has no ACP of its own")
    other = agent.sibling("by-acp")
    done = other.run("start", agent.cli, "--acp", "--name", other.name, "--port", "0")
    demand(done.returncode == 0, f"it did not start: {done.stderr.strip()}")
    try:
        wait_until("it is ready", lambda: other.status()["status"] == "IDLE")
        sent = other.send(f"say:{EXACT}")
        demand_truth(sent.body["reply"] == EXACT, f"the reply is {sent.body['reply']!r}: {sent.error}")
        marker = pathlib.Path("made-by-acp")
        sent = other.send(f"tool:touch {marker}")
        demand(sent.code == ASKING, f"it asked for no leave: {sent.body}")
        demand_truth(not marker.exists(), "it was done before it was allowed")
        options = sent.body["question"]["options"]
        once = [label for label in options if "once" in label.lower()]
        demand(once, f"the options are {options}")
        other.run("answer", sent.body["task_id"], once[0])
        task = other.finished(sent.body["task_id"])
        demand(task["status"]["state"] == "completed", f"the task is {task['status']}")
        demand(marker.exists(), "what was allowed was not done")
        demand(task.get("steps"), "no step was told")
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
