"""Records of sessions that are not ours, as each CLI would have written them, which hold the very words we send."""

import json
import os
import pathlib
import time
import uuid

from agent import NotHere
from checks import turn

REPLY = "REPLY OF ANOTHER SESSION"


def record(agent):
    """The reply is the model's, whatever newer record of another folder holds the same message. Sent raw: a task's
    name in the prefix would tell the two apart."""
    if agent.cli not in WRITERS:
        raise NotHere("its record is no file of its own")
    message = "say:words that a stranger used too"
    path, lines = WRITERS[agent.cli](message)
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    # The newest of all, whatever is written meanwhile.
    later = time.time() + 3600
    os.utime(path, (later, later))
    try:
        return turn(agent, message, raw=True)
    finally:
        path.unlink()
        path.parent.rmdir()


def claude(message):
    session, first = str(uuid.uuid4()), str(uuid.uuid4())
    common = {"isSidechain": False, "sessionId": session, "cwd": "/home/other/project", "version": "2.1.197",
              "timestamp": now()}
    return pathlib.Path.home() / f".claude/projects/-home-other-project/{session}.jsonl", [
        {**common, "type": "user", "uuid": first, "parentUuid": None, "message": {"role": "user", "content": message}},
        {**common, "type": "assistant", "uuid": str(uuid.uuid4()), "parentUuid": first, "message": {
            "role": "assistant", "content": [{"type": "text", "text": REPLY}], "stop_reason": "end_turn"}},
    ]


def codex(message):
    session = str(uuid.uuid4())
    parts = [{"type": "text", "text": message}]
    payloads = [
        {"type": "task_started", "turn_id": "1"},
        {"type": "user_message", "message": message},
        {"type": "item_completed", "item": {"type": "UserMessage", "id": "1", "content": parts}},
        {"type": "task_complete", "turn_id": "1", "last_agent_message": REPLY},
    ]
    meta = {"timestamp": now(), "type": "session_meta", "payload": {"id": session, "cwd": "/home/other/project"}}
    return pathlib.Path.home() / f".codex/sessions/2030/01/01/rollout-2030-01-01T00-00-00-{session}.jsonl", [
        meta, *({"timestamp": now(), "type": "event_msg", "payload": payload} for payload in payloads)]


def gemini(message):
    session = str(uuid.uuid4())
    common = {"timestamp": now()}
    return pathlib.Path.home() / f".gemini/tmp/other/chats/session-2030-01-01T00-00-{session[:8]}.jsonl", [
        {"sessionId": session, "projectHash": "0" * 64, "startTime": now(), "lastUpdated": now(), "kind": "main"},
        {**common, "id": str(uuid.uuid4()), "type": "user", "content": [{"text": message}]},
        {**common, "id": str(uuid.uuid4()), "type": "gemini", "content": REPLY, "model": "fake"},
    ]


def qwen(message):
    session = str(uuid.uuid4())
    common = {"sessionId": session, "timestamp": now(), "cwd": "/home/other/project", "version": "0.24.4"}
    return pathlib.Path.home() / f".qwen/projects/-home-other-project/chats/{session}.jsonl", [
        {**common, "type": "user", "provenance": "real_user", "message": {"role": "user", "parts": [{"text": message}]}},
        {**common, "type": "assistant", "message": {"role": "model", "parts": [{"text": REPLY}]}},
    ]


def pi(message):
    session = str(uuid.uuid4())
    said = {"role": "assistant", "content": [{"type": "text", "text": REPLY}], "stopReason": "stop"}
    return pathlib.Path.home() / f".pi/agent/sessions/--home-other-project--/2030_{session}.jsonl", [
        {"type": "session", "id": session, "timestamp": now(), "cwd": "/home/other/project"},
        {"type": "message", "timestamp": now(), "message": {"role": "user", "content": [{"type": "text", "text": message}]}},
        {"type": "message", "timestamp": now(), "message": said},
    ]


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


WRITERS = {"claude": claude, "codex": codex, "gemini": gemini, "qwen": qwen, "pi": pi}
