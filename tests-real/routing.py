"""`@handle message` typed at the terminal of a real CLI: it reaches the other agent, and the CLI never knows."""

import json
import pathlib
import re

from agent import Agent, Setup, Unmet, demand, holds, wait_until
from typist import Typist

# Longer than three rows of a box, and what terminals and editors count in different ways.
LONG = "say:" + "long words " * 20 + "to the end"
JAPANESE = "日本語のメッセージ👍é say:届いた"

# What stands where a person types: the row of the box, as each CLI paints it.
EMPTY = {
    "claude": re.compile(r"^❯\s*$", re.M),
    # Older versions offer an example in its place.
    "codex": re.compile(r"^› (Ask Codex to do|Summarize recent|Find and fix|Explain this|Write tests for|Improve docu|"
                        r"Implement \{|Use /skills|Run /review)", re.M),
    "gemini": re.compile(r"^ >   Type your message", re.M),
}

# Files that the menus behind `@` offer.
FILES = ("target.txt", "target-notes.md", "targets.rs")


def messages(target):
    """What the target was asked, the oldest first."""
    return [task["message"]["parts"][0]["text"] for task in reversed(target.json("tasks", target.name)["tasks"])]


def arrives(target, expected):
    """Waits until the target has been asked just this."""
    try:
        wait_until(f"{expected[-1]!r:.40} arrives", lambda: messages(target) == expected, 5)
    except Unmet as unmet:
        log = pathlib.Path.home() / ".synapse/logs/input_router.log"
        raise Unmet(f"{unmet}; the target got {messages(target)}\n{log.read_text()}") from unmet


def route(agent):
    """Lines as people type them, each followed by an empty box and rows that are as they were."""
    for name in FILES:
        pathlib.Path(name).write_text("a file for the menu\n")
    target = Agent(Setup(agent.binary, "dummy", "dummy"), agent.model, name="target")
    target.start("--port", "0")
    typist = Typist.attached(agent)
    try:
        for one in (target, agent):
            wait_until(f"{one.name} is ready", lambda: one.status()["status"] == "IDLE")
        drive(agent, target, typist)
    finally:
        typist.leave()
        target.stop()
        for name in FILES:
            pathlib.Path(name).unlink()


def drive(agent, target, typist):
    wait_until("the box is empty", lambda: EMPTY[agent.cli].search(agent.screen()))
    since = agent.model.mark()
    before = still(agent)
    expected = []
    for keys, message in lines():
        for piece, pause in keys:
            typist.press(piece, pause)
            # A person's Enter comes after they have seen the line.
            wait_until("the keys are drawn", lambda: drawn(agent, piece))
        typist.press("\r")
        expected.append(message)
        arrives(target, expected)
        wait_until("the box is empty", lambda: EMPTY[agent.cli].search(agent.screen()), 5)
    holds("nothing of it reached the model", 1, lambda: not agent.model.asked(since))
    wait_until(f"the rows are as they were:\n{before}\n{rest(agent)}", lambda: is_intact(before, rest(agent)), 5)
    # Two in a breath: keys that clear a box must not end a program when they come twice.
    typist.press("@target say:one\r@target say:two\r")
    expected += ["say:one", "say:two"]
    arrives(target, expected)
    wait_until("the box is empty", lambda: EMPTY[agent.cli].search(agent.screen()), 5)
    demand(not agent.model.asked(since), f"the model was asked {agent.model.asked(since)!r:.300}")
    while_it_works(agent, target, typist, expected)
    unknown(agent, target, typist, expected)


def is_intact(before, now):
    """Whether the rows are as they were. On a full screen a program scrolls its own rows up to make room for a box
    of several, and does not scroll back: what is left is the end of what was."""
    return before[0].endswith(now[0]) and len(now[0]) > 0 and before[1:] == now[1:]


def lines():
    """Keys with their pauses, and the message they make."""
    return [
        ([("@target say:hello", 0.03)], "say:hello"),
        ([(f"@target {LONG}", 0.002)], LONG),
        ([(f"@target {JAPANESE}", 0.02)], JAPANESE),
        ([("@targe", 0.1), ("t say:through the menu", 0.02)], "say:through the menu"),
        ([("@target say:mendd", 0.02), ("\x1b[D", 0), ("e", 0)], "say:mended"),
        ([("\x1b[200~@target say:pasted\x1b[201~", 0)], "say:pasted"),
    ]


def drawn(agent, piece):
    """Whether the end of what was typed is on the screen, however it wraps."""
    plain = re.sub(r"\x1b\[(200~|201~|D)", "", piece)
    shown = "".join(agent.screen().split())
    return "".join(plain[-8:].split()) in shown


def rest(agent):
    """The rows of the screen, and its title as the evidence has it. Below its box Claude Code has hints and notices that
    come and go by themselves."""
    rows = agent.screen().splitlines()
    if agent.cli == "claude":
        rows = rows[:max((n for n, row in enumerate(rows) if row.startswith("───")), default=len(rows)) + 1]
    return "\n".join(row.rstrip() for row in rows), agent.status()["evidence"]


def still(agent):
    """The rows, once they have stayed the same for a second: some CLIs clear their screen and paint anew when they are
    attached to."""
    while True:
        before = wait_until("there are rows", lambda: rest(agent) if agent.screen().strip() else None)
        try:
            holds("the rows stay", 1, lambda: rest(agent) == before)
            return before
        except Unmet:
            continue


def while_it_works(agent, target, typist, expected):
    """A turn goes on as if nothing had been typed beside it."""
    since = agent.model.mark()
    working = agent.send_meanwhile("slow:4")
    wait_until("the agent is seen working", lambda: agent.status()["status"] == "BUSY")
    typist.press("@target say:meanwhile", 0.01)
    wait_until("the line is drawn", lambda: drawn(agent, "say:meanwhile"))
    typist.press("\r")
    expected.append("say:meanwhile")
    arrives(target, expected)
    sent = working.result()
    demand(sent.state == "completed", f"the running task is {sent.state}: {sent.error}")
    demand(len(agent.model.asked(since)) == 1, f"the model was asked {agent.model.asked(since)!r:.300}")


def unknown(agent, target, typist, expected):
    """A line for nobody is the CLI's own."""
    since = agent.model.mark()
    typist.press("@nobody say:for the model", 0.02)
    wait_until("the line is drawn", lambda: drawn(agent, "for the model"))
    # A person sees a menu that is still open, and does not press Enter into it.
    wait_until("no menu is open", lambda: not any(name in agent.screen() for name in FILES))
    typist.press("\r")
    wait_until("the model is asked", lambda: "@nobody say:for the model" in agent.model.asked(since))
    wait_until("the turn is over", lambda: agent.status()["status"] == "IDLE")
    demand(messages(target) == expected, f"the target got {json.dumps(messages(target), ensure_ascii=False)}")
