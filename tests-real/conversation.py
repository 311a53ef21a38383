"""Two wrapped CLIs that talk to each other by themselves: the model calls the tools of `synapse mcp`."""

import json
import shlex
import subprocess

from agent import ASKING, NotHere, demand, wait_until

# What the tools of our server are called by each CLI.
TOOL = {
    "claude": "mcp__synapse__send_message",
    "codex": "mcp__synapse__send_message",
    "gemini": "mcp_synapse_send_message",
}


def converse(agent):
    """Each asks the other something, is allowed to, and tells what it heard."""
    if agent.cli not in TOOL:
        raise NotHere("it is not given our tools")
    pair = [agent.sibling(name) for name in ("left", "right")]
    try:
        start(pair)
        for one in pair:
            wait_until(f"{one.name} is ready", lambda: one.status()["status"] == "IDLE")
        left, right = pair
        exchange(left, right, "the first word")
        exchange(right, left, "and the answer to it")
    finally:
        for one in pair:
            one.run("stop", one.name)


def start(pair):
    """Both with our tools. A CLI that takes no settings of ours says what the user can do: then that is done."""
    flags = ["--port", "0", "--mcp"]
    done = pair[0].try_to_start(*flags)
    if done.returncode == 0:
        return pair[1].start(*flags)
    _, is_advised, advice = done.stderr.partition("add the server to yours once: ")
    demand(is_advised, f"it did not start: {done.stderr.strip()}")
    subprocess.run(shlex.split(advice), check=True, capture_output=True)
    for one in pair:
        one.start("--port", "0")


def exchange(caller, other, words):
    """The caller's model asks the other agent for some words."""
    call = json.dumps({"agent": other.name, "message": f"say:{words}"})
    sent = caller.send(f"call:{TOOL[caller.cli]} {call}")
    if caller.setup.is_auto:
        demand(sent.state == "completed", f"the task is {sent.state}: {sent.error}\n{caller.screen()}")
    else:
        demand(sent.code == ASKING, f"the tool was called without leave: {sent.state} {sent.body.get('reply')!r:.300}")
        done = caller.run("answer", caller.name, "yes")
        demand(done.returncode == 0, f"answer: {done.stderr.strip()}")
    task = caller.finished(sent.body["task_id"])
    demand(task["status"]["state"] == "completed", f"the caller's task is {task['status']}")
    demand(f'"reply":"{words}"' in task["reply"], f"the caller heard {task['reply']!r}")
    [asked] = [one for one in other.json("tasks", other.name)["tasks"] if text(one) == f"say:{words}"]
    demand(asked["sender"] == caller.name, f"it came from {asked['sender']!r}")
    demand(asked["hops"] == 1, f"it has {asked['hops']} hops")
    demand(asked["reply"] == words, f"the reply is {asked['reply']!r}")


def text(task):
    return task["message"]["parts"][0].get("text")
