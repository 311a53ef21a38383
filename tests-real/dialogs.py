"""The cases in which a CLI asks something, or shows something that covers its input box."""

import contextlib
import json
import pathlib
import subprocess

from agent import ASKING, NotHere, Unmet, demand, demand_truth, holds, unix_time, wait_until
from checks import Outcome, exact
from routing import still

# Longer than Synapse waits between paste, submit and retry: what it would do wrong, it would do by then.
LONG_ENOUGH = 4


def ask(agent, message):
    """Makes the agent ask something, and queues a message behind the question."""
    since = agent.model.mark()
    sent = agent.send(message)
    demand_truth(sent.state != "completed", f"the task is completed, while the agent asks: {sent.body['reply']!r:.200}")
    demand(sent.code == ASKING and sent.state == "input_required", f"the task is {sent.state}: {sent.error}")
    asked = sent.body["task"]["status"]["message"]["fingerprint"]
    requests = len(agent.model.asked(since))
    behind = agent.post("say:behind the question")

    def is_untouched():
        return (agent.open_question() == asked and agent.task(behind)["status"]["state"] == "submitted"
                and len(agent.model.asked(since)) == requests)

    holds("the question is open and the message waits behind it", LONG_ENOUGH, is_untouched)
    return since, sent.body["task_id"], asked, behind


# CLIs whose models propose commands in what they say.
TOOLLESS = ("aider",)


def ask_for_leave(agent, command):
    """The same with a permission dialog."""
    if agent.setup.is_auto:
        raise NotHere("it allows tools by itself")
    if agent.cli in TOOLLESS:
        raise NotHere("its model calls no tools")
    return ask(agent, f"tool:{command}")


def answer(agent, value, fingerprint):
    done = agent.run("answer", agent.name, value, "--fingerprint", fingerprint)
    demand(done.returncode == 0, f"answer {value}: {done.stderr.strip()}")


def behind_the_question(agent, name, since):
    task = agent.finished(name)
    demand(task["status"]["state"] == "completed", f"the message behind the question: {task['status']}")
    replies = [r for r in agent.model.replies(since) if r["text"] == "behind the question"]
    demand(len(replies) == 1, f"the model answered the message behind the question {len(replies)} times")
    return exact(agent, task["reply"], task["source"], unix_time(task["updated_at"]), replies[0])


def allowed(agent, asking, since, marker):
    """The end of a task whose tool was allowed."""
    task = agent.finished(asking)
    demand(task["status"]["state"] == "completed", f"the task is {task['status']}")
    demand(marker.exists(), "the tool was allowed and did not run")
    marker.unlink()
    return after_its_tool(agent, task, since)


def after_its_tool(agent, task, since):
    replies = [r for r in agent.model.replies(since) if r["text"].startswith("tool done")]
    demand(len(replies) == 1, f"the model spoke {len(replies)} times after its tool")
    return exact(agent, task["reply"], task["source"], unix_time(task["updated_at"]), replies[0])


def refused(agent, asking, since, marker):
    """The end of a task whose tool was refused. Some CLIs tell the model, which goes on; others stop there."""
    task = agent.finished(asking)
    demand_truth(not marker.exists(), "the tool was refused and ran")
    if any(reply["text"].startswith("tool done") for reply in agent.model.replies(since)):
        demand(task["status"]["state"] == "completed", f"the model went on, and the task is {task['status']}")
        return after_its_tool(agent, task, since)
    error = task["status"]["error"] or {}
    demand(error.get("code") == "INTERRUPTED", f"the refused task is {task['status']}")
    return Outcome()


def permission_yes(agent):
    marker = pathlib.Path("allowed")
    since, asking, fingerprint, behind = ask_for_leave(agent, f"touch {marker} && echo granted")
    demand_truth(not marker.exists(), "the tool ran before it was allowed")
    answer(agent, "yes", fingerprint)
    return allowed(agent, asking, since, marker) + behind_the_question(agent, behind, since)


def permission_no(agent):
    marker = pathlib.Path("refused")
    since, asking, fingerprint, behind = ask_for_leave(agent, f"touch {marker} && echo granted")
    answer(agent, "no", fingerprint)
    return refused(agent, asking, since, marker) + behind_the_question(agent, behind, since)


def option_trap(agent):
    """A dialog whose third option is neither yes nor no: the plain answers pick the plain options, and it asks again."""
    marker = pathlib.Path("trapped")
    outcome = Outcome()
    for value in ("yes", "no", "yes"):
        since, asking, fingerprint, behind = ask_for_leave(agent, f"touch {marker} && echo granted")
        options = [option["label"] for option in agent.status()["prompt"]["options"]]
        if not any("auto mode" in option for option in options):
            answer(agent, "no", fingerprint)
            agent.finished(behind)
            raise NotHere(f"its options are {options}")
        demand_truth(not marker.exists(), "the tool ran before it was allowed: the answer before this changed the mode")
        answer(agent, value, fingerprint)
        if value == "yes":
            outcome += allowed(agent, asking, since, marker)
        else:
            outcome += refused(agent, asking, since, marker)
        outcome += behind_the_question(agent, behind, since)
    demand_truth("auto mode on" not in agent.screen(), "it was switched to auto mode")
    return outcome


def auto_mode(agent):
    """A CLI that decides by itself: the tool runs, nobody is asked, the reply is what came of it."""
    if not agent.setup.is_auto:
        raise NotHere("it asks")
    marker = pathlib.Path("decided-by-itself")
    outcome = turn_with_tool(agent, f"tool:touch {marker} && echo granted")
    demand(marker.exists(), "the tool did not run")
    return outcome


def turn_with_tool(agent, message):
    since = agent.model.mark()
    sent = agent.send(message)
    demand(sent.state == "completed", f"the task is {sent.state}: {sent.error}")
    return after_its_tool(agent, sent.body["task"], since)


def colours(kind):
    options = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    return json.dumps({"questions": [{"question": "Which colour?", "header": "Colour", **kind, "options": options}]})


# How each model asks a question, where it has a tool for that.
QUESTIONS = {
    "claude": f"call:AskUserQuestion {colours({'multiSelect': False})}",
    "gemini": f"call:ask_user {colours({'type': 'choice'})}",
    "opencode": f"call:question {colours({})}",
}


def question(agent):
    """A question of the model, answered with a label, then with words of one's own."""
    if agent.cli not in QUESTIONS:
        raise NotHere("its model has no tool for questions")
    outcome = Outcome()
    for value in ("Blue", "a green one, please"):
        since, asking, fingerprint, behind = ask(agent, QUESTIONS[agent.cli])
        answer(agent, value, fingerprint)
        task = agent.finished(asking)
        demand(task["status"]["state"] == "completed", f"the task is {task['status']}")
        outcome += after_its_tool(agent, task, since)
        told = [r["text"] for r in agent.model.replies(since) if r["text"].startswith("tool done")]
        demand_truth(value in told[0], f"answered {value!r}, and the model was told {told[0]!r}")
        outcome += behind_the_question(agent, behind, since)
    return outcome


# What opens panels over the input box; some versions write the same into the conversation instead.
PANELS = {"claude": ["/status", "/cost"], "codex": ["/model"], "gemini": ["/settings", "/theme"]}


def panel(agent):
    """A panel without an input box: nothing is typed into it, and what came meanwhile is sent when it is closed."""
    if agent.cli not in PANELS:
        raise NotHere("none is known that covers its box")
    outcome, opened = Outcome(), []
    for command in PANELS[agent.cli]:
        agent.run("keys", agent.name, *command)
        wait_until("the command is in the box", lambda: command in agent.screen(), 5)
        agent.run("keys", agent.name, "Enter")
        wait_until("the command was taken", lambda: is_taken(agent, command), 5)
        still(agent)
        if not has_box(agent):
            outcome += behind_the_panel(agent, command)
            opened.append(command)
    if not opened:
        raise NotHere(f"{PANELS[agent.cli]} leave the box in sight")
    return outcome


def is_taken(agent, command):
    """Whether the box no longer holds the command: it is empty, or covered."""
    return has_box(agent) or not any(row.strip(" │").endswith(command) for row in agent.screen().splitlines()[-12:])


def behind_the_panel(agent, command):
    since = agent.model.mark()
    try:
        wait_until(f"with {command} open it no longer says IDLE", lambda: agent.status()["status"] != "IDLE", 5)
        behind = agent.post("say:behind the question")
        holds(f"{command} is open, it is not IDLE and the message waits", LONG_ENOUGH, lambda: (
            agent.status()["status"] != "IDLE" and agent.task(behind)["status"]["state"] == "submitted"
            and not has_box(agent) and not agent.model.asked(since)))
    finally:
        agent.run("keys", agent.name, "Escape")
    return behind_the_question(agent, behind, since)


def has_box(agent):
    """Whether there is a box to type into, as the CLIs paint it: with a hint or nothing behind its mark."""
    marks = {"claude": "❯", "codex": "›", "gemini": ">"}
    empty = {"", "Ask Codex to do anything", "Type your message or @path/to/file"}
    rows = [row.strip(" │").strip() for row in agent.screen().splitlines()]
    return any(row[:1] == marks[agent.cli] and row[1:].strip() in empty for row in rows)


# CLIs that ask about folders they do not know.
TRUSTING = ("claude", "codex", "gemini")


def trust_dialog(agent):
    """A folder the CLI does not know: it asks before anything else, and the first message waits."""
    if agent.cli not in TRUSTING:
        raise NotHere("it asks nothing about folders here")
    since = agent.model.mark()
    folder = pathlib.Path.home() / "strange"
    # Codex asks only about repositories.
    subprocess.run(["git", "init", "-q", folder], check=True)
    with asking_for_trust(agent.cli):
        stranger = agent.sibling("stranger")
        stranger.start("--cwd", str(folder))
        try:
            asked = wait_until("it asks whether to trust the folder", stranger.open_question)
            behind = stranger.post("say:behind the question")
            holds("the question is open and the message waits behind it", LONG_ENOUGH, lambda: (
                stranger.open_question() == asked and stranger.task(behind)["status"]["state"] == "submitted"
                and not agent.model.asked(since)))
            answer(stranger, "yes", asked)
            return behind_the_question(stranger, behind, since)
        except Unmet as unmet:
            raise type(unmet)(f"{unmet}\n{stranger.screen()}") from unmet
        finally:
            stranger.stop()


# What in the settings of a CLI keeps it from asking, and what lets it ask.
UNASKED = {
    "codex": (".codex/config.toml", 'approval_policy = "on-request"\nsandbox_mode = "read-only"\n', ""),
    "gemini": (".gemini/settings.json", '"folderTrust": {"enabled": false}', '"folderTrust": {"enabled": true}'),
}


@contextlib.contextmanager
def asking_for_trust(cli):
    """Lets a CLI ask about folders it does not know, for a while."""
    if cli not in UNASKED:
        yield
        return
    path, unasked, asking = UNASKED[cli]
    settings = pathlib.Path.home() / path
    before = settings.read_text()
    demand(unasked in before, f"{path} is not laid out as it should be")
    settings.write_text(before.replace(unasked, asking))
    try:
        yield
    finally:
        settings.write_text(before)
