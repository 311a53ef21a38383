"""A program in a terminal of its own: what it paints is kept byte for byte with its time, and shown on a screen.

The screen is pyte's (PyPI), on purpose none of ours: the ground truth must not come from what it is to judge.
"""

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import pyte

# What a terminal is asked, and what xterm would say.
QUERIES = [
    ("xtv", re.compile(r"\x1b\[>0?q"), "\x1bP>|XTerm(370)\x1b\\"),
    ("da1", re.compile(r"\x1b\[0?c"), "\x1b[?62;22;52c"),
    ("decrqm", re.compile(r"\x1b\[\?2026\$p"), "\x1b[?2026;2$y"),
    ("kitty", re.compile(r"\x1b\[\?u"), "\x1b[?0u"),
    ("dsr", re.compile(r"\x1b\[6n"), None),
    ("osc", re.compile(r"\x1b\]10;\?(?:\x07|\x1b\\)"), "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
    ("osc", re.compile(r"\x1b\]11;\?(?:\x07|\x1b\\)"), "\x1b]11;rgb:1010/1010/1010\x1b\\"),
]

# A terminal that shows what programs say of their state (OSC 7501) says so when it is asked; the others say nothing.
STATUS_QUERY = ("status", re.compile(r"\x1b\]7501;\?(?:\x07|\x1b\\)"), "\x1b]7501;?\x1b\\")

# Sequences that pyte would paint or stumble over: DCS and APC strings, and private forms of CSI m and u.
UNKNOWN = re.compile(r"\x1b[P_^][^\x1b]*\x1b\\|\x1b\[[>=<][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*(?:\$p|u)|\x1b\[>[0-9;?]*[a-z]")


class Timeout(Exception):
    """What was waited for did not come."""


class Terminal:
    """Runs a command and writes down what goes in and out."""

    def __init__(self, command, size):
        self.screen = pyte.Screen(*size)
        self.stream = pyte.Stream(self.screen)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.events, self.queries = [], []
        self.last_output = 0.0
        self.start = time.time()
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execvp(command[0], command)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def now(self):
        return round(time.time() - self.start, 6)

    def rows(self):
        return [row.rstrip() for row in self.screen.display]

    def write(self, text):
        self.events.append([self.now(), "i", text])
        os.write(self.master, text.encode())
        return self.events[-1][0]

    def pump(self, seconds, until=None):
        """Reads until something is so, or for a while; the time of the output that made it so."""
        deadline = time.time() + seconds
        while True:
            if until and until():
                return self.last_output
            left = deadline - time.time()
            if left <= 0:
                return None
            ready, _, _ = select.select([self.master], [], [], min(left, 0.01))
            if ready:
                self.read()

    def wait(self, what, until, seconds=30):
        at = self.pump(seconds, until)
        if at is None:
            raise Timeout(f"after {seconds} s still not: {what}\n" + "\n".join(self.rows()))
        return round(at, 3)

    def settle(self, quiet=0.5, longest=5):
        """Reads until nothing has been painted for a while; when the last was."""
        deadline = time.time() + longest
        while time.time() < deadline and self.now() - self.last_output < quiet:
            self.pump(0.02)
        return round(self.last_output, 3)

    def read(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        if not data:
            raise Timeout("the program ended\n" + "\n".join(self.rows()))
        text = self.decoder.decode(data)
        if not text:
            return
        self.last_output = self.now()
        self.events.append([self.last_output, "o", text])
        self.stream.feed(UNKNOWN.sub("", text))
        self.answer(text)

    def answer(self, text):
        """Answers what the program asks of its terminal, in the order it asks."""
        known = QUERIES + ([STATUS_QUERY] if "PROGRAM_STATUS" in os.environ else [])
        found = [(m.start(), kind, m.group(), said) for kind, form, said in known for m in form.finditer(text)]
        for _, kind, seq, said in sorted(found):
            said = said or f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R"
            self.queries.append({"t": round(self.now(), 3), "seq": seq, "kind": kind, "answer": said})
            self.write(said)

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child, signal.SIGKILL)
        os.close(self.master)
        os.waitpid(self.child, 0)
