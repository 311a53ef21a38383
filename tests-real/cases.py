"""The cases. Each gets an idle agent, leaves an idle agent, and demands what must hold."""

import contextlib
import dataclasses
import os
import pathlib
import subprocess

import conversation
import page
import routing
from agent import ASKING, Agent, Unmet, demand, holds, unix_time, wait_until

# Longer than Synapse waits between paste, submit and retry: what it would do wrong, it would do by then.
LONG_ENOUGH = 4

# Fresh sessions: enough to see a race of one in three.
FRESH = 6

# 600 lines, 59 kB; no line holds a word that the scripted model obeys.
BIG = "\n".join(f"{n:03} the quick brown fox jumps over the lazy dog; naïve café 日本語 {'=' * 21} {n:03}"
                for n in range(1, 601)) + "\nsay:received it all"


@dataclasses.dataclass
class Outcome:
    """What came of a case. `ms` is from the model's last byte to the return of `send`."""

    source: str = ""
    chars: int = 0
    ms: int | None = None

    def __add__(self, other):
        times = [ms for ms in (self.ms, other.ms) if ms is not None]
        sources = sorted({self.source, other.source} - {""})
        return Outcome("+".join(sources), self.chars + other.chars, max(times, default=None))


def exact(said, source, ended_at, reply):
    """Demands that what Synapse gave is what the model said."""
    if said != reply["text"]:
        raise Unmet(f"the reply ({source}) differs: {differs(said or '', reply['text'])}")
    demand(source == "record", f"the reply is right but comes from the {source}")
    return Outcome(source, len(said), round((ended_at - reply["t"]) * 1000))


def differs(said, truth):
    at = next((i for i, pair in enumerate(zip(said, truth)) if pair[0] != pair[1]), min(len(said), len(truth)))
    return f"{len(said)} for {len(truth)} characters, at {at} {said[at:at + 30]!r} for {truth[at:at + 30]!r}"


def turn(agent, message, seconds=30):
    """One turn, its message and its reply checked."""
    since = agent.model.mark()
    sent = agent.send(message, seconds)
    demand(sent.state == "completed", f"the task is {sent.state}: {sent.error}")
    return exact_of(agent, since, message, sent)


def exact_of(agent, since, message, sent):
    # The profiles' prefix: the end of the task's name, and who sent it.
    arrived = f"[A2A:{sent.body['task_id'][-8:]}:user] {message}"
    # The log keeps the first 2000 characters of a message, without blanks around it.
    demand(arrived.strip()[:2000] in agent.model.asked(since), f"the model was asked {agent.model.asked(since)!r:.300}")
    replies = [r for r in agent.model.replies(since) if r["id"] in requests_of(agent, since, arrived)]
    demand(len(replies) == 1, f"the model replied {len(replies)} times")
    return exact(sent.body["reply"], sent.body["source"], sent.at, replies[0])


def requests_of(agent, since, arrived):
    return {e["id"] for e in agent.model.events(since) if e["ev"] == "request" and e["user"] == arrived.strip()[:2000]}


def short(agent):
    return turn(agent, "say:Hello from the fake model.")


def code(agent):
    return turn(agent, "code:python")


def json(agent):
    return turn(agent, "json")


def table_and_japanese(agent):
    return turn(agent, "multi")


def two_hundred_lines(agent):
    return turn(agent, "long:200")


def big_message(agent):
    outcome = turn(agent, BIG, 60)
    demand(agent.model.received(BIG), "the model did not receive the message word for word")
    return outcome


def slow(agent):
    return turn(agent, "slow:5")


def three_turns(agent):
    return turn(agent, "say:one") + turn(agent, "say:**two**\n\n- a\n- b") + turn(agent, "say:three")


def first_turns(agent):
    """First turns of fresh sessions, where a record is only being created."""
    outcome = Outcome()
    for _ in range(FRESH):
        fresh = Agent(agent.binary, agent.cli, agent.model, name="fresh")
        fresh.start()
        try:
            outcome += turn(fresh, "say:first words")
        finally:
            fresh.stop()
    return outcome


def starts_with_bang(agent):
    marker = pathlib.Path("executed-by-bang")
    outcome = turn(agent, f"!touch {marker}")
    demand(not marker.exists(), "the message was executed as a shell command")
    return outcome


def ask(agent, command):
    """Makes the agent ask for permission, and queues a message behind the question."""
    since = agent.model.mark()
    sent = agent.send(f"tool:{command}")
    demand(sent.code == ASKING and sent.state == "input_required", f"the task is {sent.state}: {sent.error}")
    asked = sent.body["task"]["status"]["message"]["fingerprint"]
    requests = len(agent.model.asked(since))
    behind = agent.post("say:behind the question")

    def is_untouched():
        return (agent.open_question() == asked and agent.task(behind)["status"]["state"] == "submitted"
                and len(agent.model.asked(since)) == requests)

    holds("the question is open and the message waits behind it", LONG_ENOUGH, is_untouched)
    return since, sent.body["task_id"], asked, behind


def answer(agent, value, fingerprint):
    done = agent.run("answer", agent.name, value, "--fingerprint", fingerprint)
    demand(done.returncode == 0, f"answer {value}: {done.stderr.strip()}")


def behind_the_question(agent, name, since):
    task = agent.finished(name)
    demand(task["status"]["state"] == "completed", f"the message behind the question: {task['status']}")
    replies = [r for r in agent.model.replies(since) if r["text"] == "behind the question"]
    demand(len(replies) == 1, f"the model answered the message behind the question {len(replies)} times")
    return exact(task["reply"], task["source"], unix_time(task["updated_at"]), replies[0])


def permission_yes(agent):
    marker = pathlib.Path("allowed")
    since, asking, fingerprint, behind = ask(agent, f"touch {marker} && echo granted")
    demand(not marker.exists(), "the tool ran before it was allowed")
    answer(agent, "yes", fingerprint)
    task = agent.finished(asking)
    demand(task["status"]["state"] == "completed", f"the task is {task['status']}")
    demand(marker.exists(), "the tool was allowed and did not run")
    replies = [r for r in agent.model.replies(since) if r["text"].startswith("tool done")]
    demand(len(replies) == 1, f"the model spoke {len(replies)} times after its tool")
    outcome = exact(task["reply"], task["source"], unix_time(task["updated_at"]), replies[0])
    return outcome + behind_the_question(agent, behind, since)


def permission_no(agent):
    marker = pathlib.Path("refused")
    since, asking, fingerprint, behind = ask(agent, f"touch {marker} && echo granted")
    answer(agent, "no", fingerprint)
    task = agent.finished(asking)
    error = task["status"]["error"] or {}
    demand(error.get("code") == "INTERRUPTED", f"the refused task is {task['status']}")
    demand(not marker.exists(), "the tool was refused and ran")
    return behind_the_question(agent, behind, since)


def trust_dialog(agent):
    """A folder the CLI does not know: it asks before anything else, and the first message waits."""
    since = agent.model.mark()
    folder = pathlib.Path.home() / "strange"
    # Codex asks only about repositories.
    subprocess.run(["git", "init", "-q", folder], check=True)
    with asking_for_trust(agent.cli):
        stranger = Agent(agent.binary, agent.cli, agent.model, name="stranger")
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
            raise Unmet(f"{unmet}\n{stranger.screen()}") from unmet
        finally:
            stranger.stop()


# What in the seeded settings of a CLI keeps it from asking, and what lets it ask.
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
    seeded = settings.read_text()
    demand(unasked in seeded, f"{path} is not seeded as it should be")
    settings.write_text(seeded.replace(unasked, asking))
    try:
        yield
    finally:
        settings.write_text(seeded)


def error_400(agent):
    since = agent.model.mark()
    sent = agent.send("error:400")
    demand(sent.state == "failed", f"the task is {sent.state}")
    demand(sent.error.get("code") == "AGENT_ERROR", f"the error is {sent.error}")
    demand("400" in sent.error.get("message", ""), f"the error does not say what the model said: {sent.error}")
    last = agent.model.replies(since)[-1]
    return Outcome(chars=len(sent.error["message"]), ms=round((sent.at - last["t"]) * 1000))


def interrupt(agent):
    since = agent.model.mark()
    running = agent.send_meanwhile("slow:20")
    wait_until("the model speaks", lambda: agent.model.is_speaking(since))
    wait_until("the agent is seen working", lambda: agent.status()["status"] == "BUSY")
    receipt = agent.json("interrupt", agent.name)
    demand(receipt.get("sent") and receipt.get("was") == "BUSY" and receipt.get("now") == "IDLE",
           f"the receipt is {receipt}")
    sent = running.result()
    demand(sent.error.get("code") == "INTERRUPTED", f"the interrupted task is {sent.state}: {sent.error}")
    cut = wait_until("the model notices", lambda: [e for e in agent.model.events(since) if e["ev"] == "disconnect"])
    again = agent.json("interrupt", agent.name)
    demand(again.get("sent") is None, f"at an idle prompt the receipt is {again}")
    # What the interrupt left in the input box would arrive in front of this.
    after = turn(agent, "say:after the interrupt")
    return after + Outcome(ms=round((sent.at - cut[0]["t"]) * 1000))


def while_busy(agent):
    since = agent.model.mark()
    first = agent.send_meanwhile("slow:4")
    wait_until("the model speaks", lambda: agent.model.is_speaking(since))
    second = agent.send_meanwhile("say:the second one")
    wait_until("the second message is queued", lambda: agent.status()["queue"] == 1)
    outcome = exact_of(agent, since, "slow:4", first.result())
    return outcome + exact_of(agent, since, "say:the second one", second.result())


def route_at(agent):
    """`@target …` typed by a person at the agent's terminal."""
    routing.route(agent)
    return Outcome()


def two_agents_talk(agent):
    """Two of these CLIs, each with our tools."""
    conversation.converse(agent)
    return Outcome()


def page_stop(agent):
    """Stop on the page. The time is from the press to the receipt."""
    return Outcome(ms=page.stop(agent))


def page_permission(agent):
    """A permission card on the page. The time is from the press to the reply."""
    return Outcome(ms=page.permission(agent))


def processes():
    """The processes of this PID namespace that live, with their commands."""
    alive = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = pathlib.Path("/proc", pid, "stat").read_text()
            command = pathlib.Path("/proc", pid, "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        if stat.rpartition(")")[2].split()[0] != "Z":
            alive[int(pid)] = command.strip()
    return alive


def stop(agent, before):
    """Stops the agent: nothing may live that did not before it was started."""
    agent.stop()
    left = {pid: command for pid, command in processes().items() if pid not in before}
    demand(not left, f"left behind: {left}")
    demand(agent.json("list") in ([], {"agents": []}), "the registry still lists it")
    return Outcome()


CASES = {
    "short": short,
    "code": code,
    "json": json,
    "table, Japanese": table_and_japanese,
    "200 lines": two_hundred_lines,
    "59 kB in": big_message,
    "slow": slow,
    "three turns": three_turns,
    "first turns": first_turns,
    "starts with !": starts_with_bang,
    "permission: yes": permission_yes,
    "permission: no": permission_no,
    "trust dialog": trust_dialog,
    "error 400": error_400,
    "interrupt": interrupt,
    "while busy": while_busy,
    "route @": route_at,
    "two talk (MCP)": two_agents_talk,
    "page: stop": page_stop,
    "page: permission": page_permission,
}
