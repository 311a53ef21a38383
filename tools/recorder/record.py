"""Records one case of one CLI against the scripted model, with its ground truth. Runs inside `tools/fake-model/run-cli`;
see README.md.

usage: record.py OUTPUT-STEM CLI CASE MODEL-LOG -- COMMAND [ARGS...]
"""

import json
import os
import pathlib
import re
import sys

from terminal import Terminal, Timeout

SIZE = (100, 30)

# A message that every CLI folds up in its box, answered over eight seconds.
PASTE = "\n".join(f"{n:02} a line of a long paste" for n in range(1, 25)) + "\nslow:8"

COLOURS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
QUESTION = {
    "claude": "call:AskUserQuestion " + json.dumps({"questions": [
        {"question": "Which color?", "header": "Color", "multiSelect": False, "options": COLOURS}]}),
    "gemini": "call:ask_user " + json.dumps({"questions": [
        {"question": "Which color?", "header": "Color", "type": "choice", "options": COLOURS}]}),
}
PANEL = {"claude": "/status", "codex": "/model", "gemini": "/settings"}

# The keys for yes and no in the permission dialog of each CLI; the digit of a "no" is read from the dialog.
YES = {"claude": "1", "codex": "y", "gemini": "1"}

OPTION = re.compile(r"^[\s│]*(?P<mark>[❯›●])?\s*(?P<digit>\d)\.\s+(?P<label>.*?)\s*(?:\((?P<key>[a-z]|esc)\))?[\s│]*$")


class Session:
    """A recording as it is made."""

    def __init__(self, cli, log, command):
        self.cli, self.log = cli, pathlib.Path(log)
        self.terminal = Terminal(command, SIZE)
        self.truth = {"typed": [], "reply_text": None, "states": []}
        self.seen = 0

    # What the model saw and said.

    def model(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines]

    def since(self, mark, kind):
        return [e for e in self.model()[mark:] if e["ev"] == kind and not e.get("side")]

    def at(self, event):
        return round(event["t"] - self.terminal.start, 3)

    # What is on the screen.

    def has_box(self):
        rows = self.terminal.rows()
        for above, row, below in zip(["", *rows], rows, [*rows[1:], ""]):
            if self.cli == "claude" and row.startswith("❯") and above[:3] == below[:3] == "───":
                return True
            if self.cli == "gemini" and re.match(r"^[ │]*>   Type your message", row):
                return True
        is_ready = any("fake-model" in row and "·" in row for row in rows)
        return self.cli == "codex" and is_ready and any(row.startswith("›") for row in rows)

    def options(self):
        found = []
        for row in self.terminal.rows():
            option = OPTION.match(row)
            if option and (option["digit"] == "1" or found):
                found = [] if option["digit"] == "1" else found
                found.append(option)
        return found

    def has_dialog(self):
        return len(self.options()) >= 2 and any(option["mark"] for option in self.options()) and not self.has_box()

    # What is noted, and what is done.

    def state(self, t, state, note, **more):
        self.truth["states"].append({"t": round(t, 3), "state": state, "note": note, **more})

    def begin(self):
        self.state(0.001, "starting", "process spawned")
        at = self.terminal.wait("the input prompt", self.has_box)
        self.state(at, "idle", "input prompt on screen", settled_t=self.terminal.settle())
        self.terminal.pump(1)

    def submit(self, message):
        """Pastes a message and presses Enter, and once more where the first one was swallowed."""
        mark = len(self.model())
        self.terminal.write(f"\x1b[200~{message}\x1b[201~")
        self.terminal.pump(0.4)
        at = self.terminal.write("\r")
        self.truth["typed"].append(message)
        self.state(at, "busy", f"submitted: {message.splitlines()[0][:60]}")
        if not self.terminal.pump(10, lambda: self.since(mark, "request")):
            raise Timeout("the model was not asked\n" + "\n".join(self.terminal.rows()))
        return mark

    def finish(self, mark, count=1, note="model finished sending"):
        """Waits for the model's last byte and for the screen after it."""
        def ends():
            return [e for e in self.since(mark, "reply_end") if not e.get("call")]

        self.terminal.wait("the model ends its reply", lambda: len(ends()) >= count, 60)
        end = ends()[-1]
        self.truth["reply_text"] = end["text"]
        # A busy machine paints late.
        self.terminal.pump(3, lambda: self.terminal.last_output > self.at(end))
        self.state(self.at(end), "idle", note, settled_t=self.terminal.settle(0.8))

    def turn(self, message):
        self.finish(self.submit(message))

    def dialog(self, message, kind):
        mark = self.submit(message)
        at = self.terminal.wait("the dialog", self.has_dialog)
        # Some are drawn in pieces.
        self.terminal.settle(0.3)
        calls = [e for e in self.since(mark, "reply_end") if e.get("call")]
        self.state(at, "input_required", f"{kind} dialog on screen", model_t=self.at(calls[-1]))
        self.truth["prompt"] = {"kind": kind, **self.prompt(), "screen": self.terminal.rows()}
        self.terminal.pump(2)
        return mark

    def prompt(self):
        """The question and the options with their keys, as they stand on the screen."""
        rows = self.terminal.rows()
        options = self.options()
        first = next(i for i, row in enumerate(rows) if OPTION.match(row) and OPTION.match(row)["digit"] == "1")
        above = [row.strip(" │") for row in rows[:first]]
        questions = [row for row in reversed(above) if row.endswith("?")]
        # Codex puts the reason and the command between question and options.
        question = next((row for row in questions if row.startswith("Would you like")), questions[0] if questions else "")
        named = {"esc": "Escape"}
        listed = []
        for option in options:
            key = option["digit"]
            label = option["label"]
            if self.cli == "codex":
                key = named.get(option["key"], option["key"] or key)
            elif option["key"]:
                label = f"{label} ({option['key']})"
            listed.append({"label": label, "key": key})
        return {"question": question, "options": listed}

    def press(self, key, note):
        self.truth["typed"].append({"answer": note})
        self.truth["prompt"]["answered"] = note
        self.state(self.terminal.write(key), "busy", f"answered with {note}")

    def refused(self, mark):
        """The box comes back, or the model is told and speaks again."""
        requests = len(self.since(mark, "request"))
        at = self.terminal.wait("the box is back", lambda: self.has_box() or len(self.since(mark, "request")) > requests)
        self.terminal.pump(1)
        if len(self.since(mark, "request")) > requests:
            self.finish(mark)
        else:
            self.state(at, "idle", "dialog dismissed, no further model request", settled_t=self.terminal.settle())

    def cut(self, mark):
        at = self.terminal.write("\x1b")
        self.state(at, "busy", "Escape sent")
        self.terminal.wait("the model notices", lambda: self.since(mark, "disconnect"))
        settled = self.terminal.settle()
        self.state(settled, "idle", "interrupted; screen settled (model_t: the model saw the connection close)",
                   settled_t=settled, model_t=self.at(self.since(mark, "disconnect")[0]))
        self.terminal.pump(1)

    def save(self, stem, version):
        self.terminal.pump(3)
        duration = self.terminal.now()
        self.terminal.end()
        case = stem.name
        head = {"version": 2, "width": SIZE[0], "height": SIZE[1], "timestamp": int(self.terminal.start),
                "title": f"{self.cli} {case}", "env": {"TERM": os.environ["TERM"], "LANG": "C.UTF-8"},
                "command": self.cli, "duration": round(duration, 3)}
        lines = [head, *self.terminal.events]
        stem.with_name(f"{case}.cast").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        keep = ("ev", "side", "directive", "user", "text", "status", "call")
        events = [{"t": self.at(e), **{k: e[k] for k in keep if e.get(k) is not None}} for e in self.model()
                  if e["ev"] in ("request", "reply_start", "reply_end", "disconnect") and e["t"] >= self.terminal.start]
        truth = {"cli": self.cli, "version": version, "case": case, "size": list(SIZE), "duration": round(duration, 3),
                 **self.truth, "model_events": events, "terminal_queries": self.terminal.queries}
        stem.with_name(f"{case}.expect.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False) + "\n")


def permission(session, key, note):
    command = "tool:touch made.txt && echo made-it"
    mark = session.dialog(command, "permission")
    if key == "no":
        last = session.options()[-1]
        key = note = last["digit"]
    session.press(key, note)
    if note in ("1", "y", "Enter"):
        session.finish(mark)
    else:
        session.refused(mark)


def question(session):
    mark = session.dialog(QUESTION[session.cli], "question")
    session.press("\r", "Enter")
    session.finish(mark)


def interrupt(session):
    mark = session.submit("slow:20")
    session.terminal.pump(4)
    session.cut(mark)
    session.turn("say:after interrupt")


def three_turns(session):
    session.truth["replies"] = []
    for message in ("say:The first answer.", "code:rust", "say:The third answer has two lines.\nThis is the second one."):
        session.turn(message)
        session.truth["replies"].append(session.truth["reply_text"])
        session.terminal.pump(1)


def panel(session):
    """A panel over the box: nobody asked, but it waits for a key and a message cannot be typed."""
    session.truth["reply_text"] = ""
    session.terminal.write(PANEL[session.cli])
    session.terminal.wait("the command is in the box", lambda: any(PANEL[session.cli] in r for r in session.terminal.rows()))
    session.terminal.pump(1)
    session.terminal.write("\r")
    box = re.compile(rf"^[ │]*[❯›>] ?{PANEL[session.cli]}")
    at = session.terminal.wait("the panel", lambda: not session.has_box() and not any(map(box.match, session.terminal.rows())))
    session.terminal.settle()
    session.state(at, "input_required", "a panel covers the box")
    session.terminal.pump(3)
    session.terminal.write("\x1b")
    at = session.terminal.wait("the box is back", session.has_box)
    session.state(at, "idle", "panel closed", settled_t=session.terminal.settle())


def auto_check(session):
    """Claude Code in auto mode, cut off from the server that checks its tools: it asks, without a list of options."""
    mark = session.submit("tool:curl -s http://127.0.0.1:9/ || echo checked")
    hint = "to stay in auto mode"
    at = session.terminal.wait("the question", lambda: any(hint in row for row in session.terminal.rows()))
    session.terminal.settle(0.3)
    session.state(at, "input_required", "question without options on screen")
    session.terminal.pump(4)
    session.state(session.terminal.write("\x1b"), "busy", "answered with Escape")
    session.refused(mark)


CASES = {
    "short": lambda s: s.turn("say:Hello from the fake model."),
    "code": lambda s: s.turn("code:python"),
    "multi": lambda s: s.turn("multi"),
    "long200": lambda s: s.turn("long:200"),
    "slow": lambda s: s.turn("slow:8"),
    "wait": lambda s: s.turn("wait:6"),
    "paste_slow": lambda s: s.turn(PASTE),
    "three_turns": three_turns,
    "tool_yes": lambda s: permission(s, YES[s.cli], YES[s.cli]),
    "tool_yes_enter": lambda s: permission(s, "\r", "Enter"),
    "tool_no": lambda s: permission(s, "no", "no"),
    "tool_no_esc": lambda s: permission(s, "\x1b", "Escape"),
    "tool_auto": lambda s: s.turn("tool:touch made.txt && echo made-it"),
    "auto_check": auto_check,
    "question": question,
    "error_400": lambda s: s.finish(s.submit("error:400"), note="model answered HTTP 400"),
    "interrupt_esc": interrupt,
    "panel": panel,
}


def main(stem, cli, case, log, _, *command):
    session = Session(cli, log, list(command))
    try:
        session.begin()
        CASES[case](session)
    except Timeout as timeout:
        session.terminal.end()
        sys.exit(f"{stem}: {timeout}")
    session.save(pathlib.Path(stem), os.environ.get("CLI_VERSION", ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
