"""What the cases have in common: one turn, and whether what Synapse gave is what the model said."""

import dataclasses
import difflib
import re

from agent import Unmet, Untrue, demand, demand_truth, wait_until

# The sources whose word is the model's, character by character.
EXACT = ("hook", "record")


@dataclasses.dataclass
class Outcome:
    """What came of a case. `ms` is from the model's last byte to the return of `send`; `alike`, in percent, is there
    where a reply could only come from the screen."""

    source: str = ""
    chars: int = 0
    ms: int | None = None
    alike: int | None = None

    def __add__(self, other):
        times = [ms for ms in (self.ms, other.ms) if ms is not None]
        likeness = [alike for alike in (self.alike, other.alike) if alike is not None]
        sources = sorted({*self.source.split("+"), *other.source.split("+")} - {""})
        return Outcome("+".join(sources), self.chars + other.chars, max(times, default=None), min(likeness, default=None))


def exact(agent, said, source, ended_at, reply):
    """Demands that what Synapse gave is what the model said. Where it could see nothing but the screen, it is measured
    how much of it is."""
    ms = round((ended_at - reply["t"]) * 1000)
    possible = agent.setup.exact_sources
    if source in EXACT:
        demand_truth(source in possible, f"the reply claims to come from the {source}, which cannot be")
        demand_truth(said == reply["text"], f"the reply ({source}) differs: {differs(said or '', reply['text'])}")
        return Outcome(source, len(said), ms)
    demand(not possible, f"the reply comes from the {source}: {differs(said or '', reply['text'])}")
    return Outcome(source, len(said or ""), ms, alike(said or "", reply["text"]))


def differs(said, truth):
    at = next((i for i, pair in enumerate(zip(said, truth)) if pair[0] != pair[1]), min(len(said), len(truth)))
    return f"{len(said)} for {len(truth)} characters, at {at} {said[at:at + 30]!r} for {truth[at:at + 30]!r}"


def alike(said, truth):
    """How much of a text is in another, in percent of their words; the marks of Markdown are none."""
    first, second = ([word for word in re.split(r"[\s|*`#]+", text) if word] for text in (said, truth))
    return round(100 * difflib.SequenceMatcher(None, first, second, autojunk=False).ratio())


def turn(agent, message, seconds=30, raw=False):
    """One turn, its message and its reply checked."""
    since = agent.model.mark()
    sent = agent.send(message, seconds, raw)
    return exact_of(agent, since, message, sent, raw)


def exact_of(agent, since, message, sent, raw=False):
    # A person's message arrives as it is, unless it would be a command: then behind the end of the task's name.
    is_command = message.lstrip()[:1] in ("!", "/", "#") and not raw
    arrived = f"[A2A:{sent.body['task_id'][-8:]}:user] {message}" if is_command else message
    # The log keeps the first 2000 characters of a message, without blanks around it.
    ids = {e["id"] for e in agent.model.events(since) if e["ev"] == "request" and e["user"] == arrived.strip()[:2000]}

    def replies():
        return [reply for reply in agent.model.replies(since) if reply["id"] in ids]

    if sent.state != "completed":
        kind = Untrue if ids and sent.error.get("code") in ("INTERRUPTED", "SUBMIT_FAILED") else Unmet
        raise kind(f"the model was {'' if ids else 'not '}asked, and the task is {sent.state}: {sent.error}")
    demand(ids, f"the model was asked {agent.model.asked(since)!r:.300}")
    try:
        # The model writes its log after the last byte, and Synapse may be as quick.
        wait_until("the model has ended its reply", replies, 0.5)
    except Unmet as unmet:
        raise Untrue(f"completed while the model still speaks: {sent.body['reply']!r:.200}") from unmet
    demand(len(replies()) == 1, f"the model replied {len(replies())} times")
    return exact(agent, sent.body["reply"], sent.body["source"], sent.at, replies()[0])
