"""A person at a terminal of their own, in which `synapse` runs, and keys as a person presses them."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import termios
import threading
import time

# What a program asks of its terminal, and what a terminal of today says. With the last it says that it reads OSC 7501.
QUERIES = [
    (re.compile(rb"\x1b\[>0?q"), b"\x1bP>|XTerm(370)\x1b\\"),
    (re.compile(rb"\x1b\[0?c"), b"\x1b[?62;22;52c"),
    (re.compile(rb"\x1b\[\?2026\$p"), b"\x1b[?2026;2$y"),
    (re.compile(rb"\x1b\[\?u"), b"\x1b[?0u"),
    (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R"),
    (re.compile(rb"\x1b\]11;\?(?:\x07|\x1b\\)"), b"\x1b]11;rgb:1010/1010/1010\x1b\\"),
    (re.compile(rb"\x1b\]7501;\?(?:\x07|\x1b\\)"), b"\x1b]7501;?\x1b\\"),
]


class Typist:
    """Types into what runs in the terminal. What is painted is kept but not looked at; look with `synapse screen`."""

    def __init__(self, command, cols=100, rows=30, answers=False):
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execv(command[0], command)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.answers = answers
        self.seen = bytearray()
        threading.Thread(target=self.read, daemon=True).start()

    @classmethod
    def attached(cls, agent):
        return cls([str(agent.binary), "attach", agent.name])

    def read(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 65536):
                self.seen += data
                asked = [(m.start(), said) for form, said in QUERIES for m in form.finditer(data)] if self.answers else []
                for _, said in sorted(asked):
                    os.write(self.master, said)

    def press(self, keys, pause=0.0):
        """Presses keys, one character at a time if there is a pause."""
        for piece in keys if pause else [keys]:
            os.write(self.master, piece.encode())
            time.sleep(pause)

    def paste(self, text):
        self.press(f"\x1b[200~{text}\x1b[201~")

    def leave(self):
        """Detaches, and leaves the agent running."""
        self.press("\x1d")
        self.press("d")
        self.close()

    def close(self):
        """Waits for the command's end."""
        os.waitpid(self.child, 0)
        os.close(self.master)
