"""A place that push notifications are posted to, on this machine."""

import http.server
import json
import queue
import threading


class Receiver:
    """Keeps what is posted to it, in order."""

    def __init__(self):
        self.posted = queue.Queue()
        posted = self.posted

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                posted.put((headers, json.loads(body)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def next(self, seconds=20):
        """The next notification: its headers and its body."""
        return self.posted.get(timeout=seconds)

    def until(self, is_last):
        """All notifications up to the one that is the last."""
        seen = []
        while True:
            seen.append(self.next())
            if is_last(seen[-1][1]):
                return seen
