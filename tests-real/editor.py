"""The agent in an editor that speaks ACP, over `synapse acp`, while its own terminal runs on."""

import json
import os
import pathlib
import queue
import subprocess
import threading

from agent import PATIENCE, Unmet, demand, demand_truth, wait_until
from checks import Outcome
from dialogs import TOOLLESS

# Markdown that no screen shows as it is written.
EXACT = "**bold** and `code`\n\n```python\nprint(1)\n```"


class Editor:
    """A client of ACP with one session."""

    def __init__(self, agent):
        self.agent, self.number = agent, 0
        self.process = subprocess.Popen([agent.binary, "acp", agent.name], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines, self.updates = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        self.call("initialize", protocolVersion=1, clientCapabilities={})
        self.session = self.call("session/new", cwd=os.getcwd(), mcpServers=[])["sessionId"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def say(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, **params):
        self.number += 1
        self.say(id=self.number, method=method, params=params)
        return self.number

    def prompt(self, text):
        return self.request("session/prompt", sessionId=self.session, prompt=[{"type": "text", "text": text}])

    def next(self):
        """The next request of the agent, or its next answer; updates are kept."""
        while True:
            try:
                message = self.lines.get(timeout=2 * PATIENCE)
            except queue.Empty:
                raise Unmet(f"the editor heard nothing; the screen:\n{self.agent.screen()}") from None
            if message.get("method") != "session/update":
                return message
            self.updates.append(message["params"]["update"])

    def answer(self, number):
        message = self.next()
        demand(message.get("id") == number and "result" in message, f"in place of an answer: {message}")
        return message["result"]

    def call(self, method, **params):
        return self.answer(self.request(method, **params))

    def told(self, kind):
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def words(self):
        return "".join(update["content"]["text"] for update in self.told("agent_message_chunk"))


def editor(agent):
    """A reply word for word, a tool with the permission it wants, and a Stop; all in the editor."""
    with Editor(agent) as link:
        done = link.answer(link.prompt(f"say:{EXACT}"))
        demand(done == {"stopReason": "end_turn"}, f"the turn ended with {done}")
        if agent.setup.exact_sources:
            demand_truth(link.words() == EXACT, f"the editor was told {link.words()!r}")
        if agent.cli not in TOOLLESS:
            tool(agent, link)
        since = agent.model.mark()
        turn = link.prompt("slow:20")
        wait_until("the model speaks", lambda: agent.model.is_speaking(since))
        link.say(method="session/cancel", params={"sessionId": link.session})
        done = link.answer(turn)
        demand_truth(done == {"stopReason": "cancelled"}, f"a turn that was stopped ended with {done}")
        demand_truth(agent.status()["status"] == "IDLE", f"it is {agent.status()['status']} after Stop")
    return Outcome()


def tool(agent, link):
    """A tool call is told as it goes, and what it wants leave for is asked with its real options."""
    marker = pathlib.Path("made-for-the-editor")
    turn = link.prompt(f"tool:touch {marker}")
    message = link.next()
    if not agent.setup.is_auto and message.get("method") == "session/request_permission":
        options = message["params"]["options"]
        once = [one for one in options if one["kind"] == "allow_once"]
        demand_truth(len(once) == 1, f"allow once is not one option of {options}")
        demand_truth(str(marker) in json.dumps(message["params"]["toolCall"]), f"it asks about {message['params']}")
        demand_truth(not marker.exists(), "it was done before it was allowed")
        link.say(id=message["id"], result={"outcome": {"outcome": "selected", "optionId": once[0]["optionId"]}})
        message = link.next()
    demand(message.get("id") == turn and message.get("result") == {"stopReason": "end_turn"}, f"the turn ended with {message}")
    demand(marker.exists(), "what was allowed was not done")
    calls = link.told("tool_call")
    if agent.setup.exact_sources:
        demand(any(str(marker) in call["title"] for call in calls), f"the calls told are {calls}")
