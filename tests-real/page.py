"""The page in real Chromium, beside a wrapped CLI: pressed and read as a person does it."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import urllib.request

from agent import PATIENCE, demand, wait_until

WEB = pathlib.Path(__file__).resolve().parent.parent / "web"

# Starting a browser on a busy machine, and several waits of the page.
LONGEST = 180


@contextlib.contextmanager
def hub(agent):
    """A hub for this machine's agents; the one-time link it prints."""
    process = subprocess.Popen([agent.binary, "web", "--port", "0"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)


def entries(link, agent):
    """Logs in; a look at the messages of an agent's conversation, whoever typed them."""
    address, _, code = link.partition("/#code=")

    def call(path, body=None, cookie=None):
        headers = {"Content-Type": "application/json", "Origin": address, **({"Cookie": cookie} if cookie else {})}
        data = json.dumps(body).encode() if body else None
        return urllib.request.urlopen(urllib.request.Request(f"{address}{path}", data, headers), timeout=PATIENCE)

    cookie = call("/api/auth/exchange", {"code": code}).headers["Set-Cookie"].partition(";")[0]

    def look():
        with call(f"/api/agents/{agent.name}/messages?limit=50", cookie=cookie) as answer:
            return [task["message"]["parts"][0].get("text", "") for task in json.load(answer)["tasks"]]

    return look


def work(agent, test, marker=None):
    """Works the page as one test of `web/tests/browser/clis.real.ts` says; the milliseconds it measured."""
    with hub(agent) as link, tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder, "result.json")
        env = {**os.environ, "PAGE_LINK": link, "PAGE_AGENT": agent.name, "PAGE_RESULT": str(result)}
        # Only hooks and transcripts tell what was done on the way.
        env["PAGE_STEPS"] = "told" if agent.setup.exact_sources else "untold"
        if marker:
            env["PAGE_MARKER"] = str(marker)
        command = ["node", "node_modules/@playwright/test/cli.js", "test", "--project=real", "--reporter=line"]
        command += ["--grep", f" {test}$", "--output", f"{folder}/output"]
        done = subprocess.run(command, cwd=WEB, env=env, capture_output=True, text=True, timeout=LONGEST)
        demand(done.returncode == 0, f"the page: {done.stdout[-3000:]}{done.stderr[-1000:]}")
        return json.loads(result.read_text())["ms"]


def stop(agent):
    """⏹ while the model speaks: the page says that it stopped, and the model was cut off."""
    since = agent.model.mark()
    ms = work(agent, "stop")
    # The model notices at its next word that nobody listens: what was stopped before may come late.
    asked = {e["id"] for e in agent.model.events(since) if e["ev"] == "request"}

    def cuts():
        return [e for e in agent.model.events(since) if e["ev"] == "disconnect" and e["id"] in asked]

    cut = wait_until("the model notices", cuts)
    demand(len(cut) == 1, f"the model was cut off {len(cut)} times")
    said = [reply["text"] for reply in agent.model.replies(since)]
    demand(said == ["after the stop"], f"the model's replies came to their end: {said!r:.300}")
    return ms


def permission(agent, test="permission"):
    """The dialog as a card, its options as buttons: Yes runs the tool, once."""
    marker = pathlib.Path("allowed-by-a-button").absolute()
    since = agent.model.mark()
    ms = work(agent, test, marker)
    demand(marker.exists(), "the tool was allowed and did not run")
    said = [reply["text"] for reply in agent.model.replies(since)]
    demand(len(said) == 1 and said[0].startswith("tool done"), f"the model spoke after its tool: {said!r:.300}")
    marker.unlink()
    return ms
