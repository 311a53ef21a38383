"""The cases. Each gets an idle agent, leaves an idle agent, and demands what must hold."""

import os
import pathlib
import time

import adopted
import backend
import conversation
import dialogs
import editor
import flows
import hooks
import page
import profiles
import routing
import strangers
from agent import GREETING, NotHere, demand, demand_truth, holds, wait_until
from checks import Outcome, alike, exact_of, turn
from typist import Typist

# Fresh sessions: enough to see a race of one in three.
FRESH = 6

# 600 lines, 59 kB; no line holds a word that the scripted model obeys.
BIG = "\n".join(f"{n:03} the quick brown fox jumps over the lazy dog; naïve café 日本語 {'=' * 21} {n:03}"
                for n in range(1, 601)) + "\nsay:received it all"

# Long enough that every CLI folds it up in its box.
PASTE = "\n".join(f"{n:02} a line of a long paste" for n in range(1, 25)) + "\nslow:8"

# What a program may take to show that it works, and to say what it keeps of a turn.
GRACE = 1


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
        fresh = agent.sibling("fresh")
        fresh.start()
        try:
            outcome += turn(fresh, "say:first words")
        finally:
            fresh.stop()
    return outcome


def starts_with_bang(agent):
    marker = pathlib.Path("executed-by-bang")
    outcome = turn(agent, f"!touch {marker}")
    demand_truth(not marker.exists(), "the message was executed as a shell command")
    return outcome


def ends_with_mention(agent):
    """A message whose end opens a menu of files: it arrives as it is, and no file takes its place."""
    file = pathlib.Path("mentioned-notes.md")
    file.write_text("a file for the menu\n")
    try:
        outcome = turn(agent, "say:is it @")
        if agent.cli == "gemini":
            # It looks for a file behind every other `@` itself, and gives the model what is in it.
            return outcome
        return outcome + turn(agent, "say:it is @mention") + turn(agent, "say:it is @mentioned-no")
    finally:
        file.unlink()


def one_entry(agent):
    """A message stands once in the conversation, keyboard turns included."""
    message = "say:to be counted"
    outcome = turn(agent, message)
    with page.hub(agent) as link:
        entries = page.entries(link, agent)
        wait_until("the message is in the conversation", lambda: [e for e in entries() if message in e])
        found = []

        def stands_once():
            found[:] = [entry for entry in entries() if message in entry]
            return len(found) == 1

        holds(lambda: f"it stands there once, but as {found}", dialogs.LONG_ENOUGH, stands_once)
    return outcome


def long_paste(agent):
    """While the reply to a long paste streams, the agent is BUSY and the next message waits."""
    since = agent.model.mark()
    first = agent.send_meanwhile(PASTE)
    wait_until("the model speaks", lambda: agent.model.is_speaking(since))
    second = agent.send_meanwhile("say:behind the paste")
    began = time.monotonic()
    seen = set()
    while not agent.model.replies(since):
        status = agent.status()
        if not agent.model.replies(since) and time.monotonic() - began > GRACE:
            seen.add(status["status"])
            demand_truth(status["status"] == "BUSY", f"while the model speaks it is {status['status']}: {status['evidence']}")
        asked = agent.model.asked(since)
        demand_truth(len(asked) <= 1 or agent.model.replies(since), f"typed into a working agent: {asked[1:]!r:.200}")
    demand(seen == {"BUSY"}, f"the states seen are {seen}")
    return (exact_of(agent, since, PASTE, first.result())
            + exact_of(agent, since, "say:behind the paste", second.result()))


def error_400(agent):
    since = agent.model.mark()
    sent = agent.send("error:400")
    demand_truth(sent.state != "completed", f"the task is completed: {sent.body['reply']!r:.200}")
    demand(sent.state == "failed", f"the task is {sent.state}")
    demand(sent.error.get("code") == "AGENT_ERROR", f"the error is {sent.error}")
    demand("400" in sent.error.get("message", ""), f"the error does not say what the model said: {sent.error}")
    last = agent.model.replies(since)[-1]
    return Outcome(chars=len(sent.error["message"]), ms=round((sent.at - last["t"]) * 1000))


# CLIs that stop listening and leave the connection open: the model speaks to the end.
UNHEARD = ("aider",)


def stop_speaking(agent, since):
    """Interrupts an agent that is at work."""
    wait_until("the agent is seen working", lambda: agent.status()["status"] == "BUSY")
    receipt = agent.json("interrupt", agent.name)
    demand(receipt.get("sent") and receipt.get("was") == "BUSY" and receipt.get("now") == "IDLE",
           f"the receipt is {receipt}")
    if agent.cli in UNHEARD:
        return {"t": time.time()}
    [cut] = wait_until("the model notices", lambda: [e for e in agent.model.events(since) if e["ev"] == "disconnect"])
    return cut


def interrupt(agent):
    since = agent.model.mark()
    running = agent.send_meanwhile("slow:20")
    wait_until("the model speaks", lambda: agent.model.is_speaking(since))
    cut = stop_speaking(agent, since)
    sent = running.result()
    demand_truth(sent.state != "completed", f"the task is completed: {sent.body['reply']!r:.200}")
    demand(sent.error.get("code") == "INTERRUPTED", f"the interrupted task is {sent.state}: {sent.error}")
    again = agent.json("interrupt", agent.name)
    demand(again.get("sent") is None, f"at an idle prompt the receipt is {again}")
    # What the interrupt left in the input box would arrive in front of this.
    after = turn(agent, "say:after the interrupt")
    return after + Outcome(ms=round((sent.at - cut["t"]) * 1000))


def keeps_partial_text(agent):
    """What was said before an interrupt stays in the task, and nothing is made up."""
    if agent.cli in UNHEARD:
        raise NotHere("what it heard before the interrupt is not known")
    since = agent.model.mark()
    running = agent.send_meanwhile("slow:20")
    begin = wait_until("the model speaks", lambda: [e for e in agent.model.events(since) if e["ev"] == "reply_start"])
    # Twelve of its forty words.
    wait_until("the model has said some words", lambda: time.time() > begin[0]["t"] + 6)
    shown = agent.screen()
    cut = stop_speaking(agent, since)
    sent = running.result()
    demand(sent.error.get("code") == "INTERRUPTED", f"the interrupted task is {sent.state}: {sent.error}")
    kept = agent.task(sent.body["task_id"])["reply"] or ""
    said = cut["text"].split()
    demand_truth(kept.split() == said[:len(kept.split())], f"the model said {cut['text']!r}, the task keeps {kept!r}")
    if not kept and " ".join(said[:3]) not in shown:
        # Codex up to 0.147 paints a line when it is complete, and forgets what an interrupt cut off.
        raise NotHere("it shows nothing of an unfinished line")
    demand(len(kept.split()) >= len(said) // 2, f"of {len(said)} words the task keeps {kept!r}")
    return Outcome(chars=len(kept), alike=alike(kept, cut["text"])) + turn(agent, "say:after the interrupt")


def while_busy(agent):
    since = agent.model.mark()
    first = agent.send_meanwhile("slow:4")
    wait_until("the model speaks", lambda: agent.model.is_speaking(since))
    second = agent.send_meanwhile("say:the second one")
    wait_until("the second message is queued", lambda: agent.status()["queue"] == 1)
    outcome = exact_of(agent, since, "slow:4", first.result())
    return outcome + exact_of(agent, since, "say:the second one", second.result())


def unknown_flag(agent):
    """A flag that the CLI does not know is left out, and it starts."""
    profile = profiles.write("flagged", agent.setup, args=["--no-such-flag"])
    flagged = agent.sibling("flagged", profile)
    try:
        flagged.start()
        return turn(flagged, "say:started nevertheless")
    finally:
        flagged.run("stop", flagged.name)


def route_at(agent):
    """`@target …` typed by a person at the agent's terminal."""
    if agent.cli not in routing.EMPTY:
        raise NotHere("the case does not know its box")
    routing.route(agent)
    return Outcome()


def two_agents_talk(agent):
    """Two of these CLIs, each with our tools."""
    if agent.setup.is_auto:
        raise NotHere("auto mode asks a server about foreign tools, and there is none here")
    conversation.converse(agent)
    return Outcome()


def in_front(agent):
    """The program in a person's own terminal, one that reads OSC 7501: some programs then no longer spin their title."""
    if agent.cli in GREETING:
        raise NotHere("it asks a question each time it is started")
    front = agent.sibling("front")
    args = ["--", *agent.setup.args] if agent.setup.args else []
    window = Typist([str(agent.binary), agent.setup.profile, "--name", front.name, *args], answers=True)
    try:
        wait_until("it runs", lambda: front.run("status", front.name).returncode == 0)
        wait_until("it is ready", lambda: front.status()["status"] == "IDLE")
        outcome = turn(front, "say:in front")
        since = agent.model.mark()
        running = front.send_meanwhile("slow:20")
        wait_until("the model speaks", lambda: agent.model.is_speaking(since))
        stop_speaking(front, since)
        demand(running.result().error.get("code") == "INTERRUPTED", "the interrupted task has another end")
        since = agent.model.mark()
        window.press("say:typed by a person", 0.02)
        wait_until("the line is drawn", lambda: "typed by a person" in front.screen())
        window.press("\r")
        wait_until("the model has answered", lambda: agent.model.replies(since))
        wait_until("it is ready again", lambda: front.status()["status"] == "IDLE")
        return outcome + turn(front, "say:after a person")
    finally:
        front.run("stop", front.name)
        window.close()


def restart(agent):
    """`synapse restart`: the program is another one, and its model still knows what was said before."""
    if not agent.run("profile", "show", agent.cli).stdout.count("\nresume:"):
        raise NotHere("the profile does not say how a conversation is continued")
    agent.send("say:the number is 4711")
    told = agent.json("restart", agent.name)
    demand(told.get("conversation"), f"a new conversation was begun: {told}")
    wait_until("it is ready", lambda: agent.status()["status"] == "IDLE")
    known = set(agent.model.dump.glob("*.json"))
    sent = agent.send("say:and now")
    if "/entrypoints/cli.js:" in agent.screen():
        raise NotHere("this version crashes by itself when a conversation is continued")
    demand(sent.body["reply"] == "and now", f"the reply is {sent.body['reply']!r}: {sent.error}")
    requests = [path.read_text() for path in set(agent.model.dump.glob("*.json")) - known]
    demand(any("4711" in text and "and now" in text for text in requests), "the model was not told what was said before")
    return Outcome()


def page_stop(agent):
    """Stop on the page. The time is from the press to the receipt."""
    return Outcome(ms=page.stop(agent))


def page_permission(agent):
    """A permission card on the page. The time is from the press to the reply."""
    if agent.setup.is_auto or agent.cli in dialogs.TOOLLESS:
        raise NotHere("it asks for no leave")
    return Outcome(ms=page.permission(agent))


def page_phone(agent):
    """The same on a page of a phone's size, from the tab with the terminal; then one entry, with its step."""
    if agent.setup.is_auto or agent.cli in dialogs.TOOLLESS:
        raise NotHere("it asks for no leave")
    return Outcome(ms=page.permission(agent, "phone"))


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
    "ends with @": ends_with_mention,
    "one entry": one_entry,
    "long paste": long_paste,
    "permission: yes": dialogs.permission_yes,
    "permission: no": dialogs.permission_no,
    "option trap": dialogs.option_trap,
    "auto mode": dialogs.auto_mode,
    "question": dialogs.question,
    "trust dialog": dialogs.trust_dialog,
    "panel": dialogs.panel,
    "error 400": error_400,
    "interrupt": interrupt,
    "interrupted text": keeps_partial_text,
    "while busy": while_busy,
    "stranger's record": strangers.record,
    "forged hooks": hooks.forged,
    "own hooks": hooks.own,
    "unknown flag": unknown_flag,
    "route @": route_at,
    "two talk (MCP)": two_agents_talk,
    "in front": in_front,
    "restart": restart,
    "in an editor (ACP)": editor.editor,
    "by ACP": backend.backend,
    "adopted (tmux)": adopted.adopted,
    "flows": flows.flows,
    "page: stop": page_stop,
    "page: permission": page_permission,
    "page: phone": page_phone,
}
