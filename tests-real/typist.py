"""A person at an agent's terminal: `synapse attach` in a terminal of its own, and keys as a person presses them."""

import contextlib
import fcntl
import os
import pty
import struct
import termios
import threading
import time


class Typist:
    """Types into an agent. What is painted is read and thrown away; look with `synapse screen`."""

    def __init__(self, agent, cols=100, rows=30):
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execv(agent.binary, [str(agent.binary), "attach", agent.name])
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.seen = bytearray()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 65536):
                self.seen += data

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
        os.waitpid(self.child, 0)
        os.close(self.master)
