#!/usr/bin/env python3
"""A line program that answers the A2A compatibility kits through the channel of docs/channel.md.

The kits say what they want in the id of their message; the profile's template types that id in front of the text, so
this program sees it and the server knows nothing of it. It waits at a prompt for one line at a time.
"""

import base64
import json
import sys
import time

# How long a task stays at work that a kit wants to subscribe to again.
LONG_WORK = 6.0


def say(word):
    """Says one word on the channel."""
    text = base64.b64encode(json.dumps(word).encode()).decode()
    sys.stdout.write(f"\033]7710;{text}\033\\")
    sys.stdout.flush()


def artifact(*parts, **more):
    say({"artifact": {"parts": list(parts), **more}})


def text(words):
    artifact({"text": words})


def a_file(**content):
    artifact({**content, "filename": "output.txt", "mediaType": "text/plain"})


def chunks():
    artifact({"text": "chunk-1 "}, id="chunks", last=False)
    artifact({"text": "chunk-2"}, id="chunks", append=True)


def work_long():
    say({"progress": "working for a while"})
    time.sleep(LONG_WORK)
    text("done")


def ask(prompt):
    """Asks and goes back to the prompt: the task is parked until its answer comes."""
    say({"ask": {"prompt": prompt}})


ASCII = base64.b64encode(b"Generated file content").decode()

# The first prefix that fits decides.
BEHAVIOURS = [
    ("tck-artifact-text", lambda: text("Generated text content")),
    ("tck-artifact-file-url", lambda: a_file(url="https://example.com/output.txt")),
    ("tck-artifact-file", lambda: a_file(raw=ASCII)),
    ("tck-artifact-data", lambda: artifact({"data": {"key": "value", "count": 42}})),
    ("tck-message-response", lambda: say({"message": {"parts": [{"text": "Direct message response"}]}})),
    ("tck-input-required", lambda: ask("What else?")),
    ("tck-reject-task", lambda: say({"reject": "rejected"})),
    ("tck-stream-001", lambda: text("Stream hello from TCK")),
    ("tck-stream-003", lambda: text("Stream task lifecycle")),
    ("tck-stream-ordering-001", lambda: text("Ordered output")),
    ("tck-stream-artifact-text", lambda: text("Streamed text content")),
    ("tck-stream-artifact-file", lambda: a_file(raw=ASCII)),
    ("tck-stream-artifact-chunked", chunks),
    ("tck-", lambda: text("Hello from TCK")),
    ("test-resubscribe-message-id", work_long),
    # The kit for 0.3 wants tasks that stay open.
    ("", lambda: ask("What else?")),
]


def answer(line):
    message_id = line.split(" ", 1)[0]
    next(behave for prefix, behave in BEHAVIOURS if message_id.startswith(prefix))()


def main():
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        try:
            line = sys.stdin.readline()
            if not line:
                return
            answer(line)
        except KeyboardInterrupt:
            # As a shell does: whatever it was, it is over, and here is the prompt again.
            sys.stdout.write("\n")


if __name__ == "__main__":
    main()
