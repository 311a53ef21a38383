"""The flows that ship, with one real CLI in every part. The scripted model obeys what the inputs say."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from agent import NotHere, GREETING, demand
from checks import Outcome

VERDICT = '{"winner": "for", "why": "it is shorter"}'
REVIEW = '{"ok": true, "issues": []}'
FINDING = '{"cause": "a typo", "fix": "spell it"}'

# A failing test, named as cargo names it.
TESTS = ["sh", "-c", "echo 'test a ... FAILED'; exit 1"]


def flows(agent):
    """review, debate, race and triage: each to its end, with a merge that a person has allowed."""
    if agent.cli in GREETING or agent.setup.args or agent.setup.profile != agent.cli:
        raise NotHere("a flow starts agents by the name of their profile")
    place = pathlib.Path(tempfile.mkdtemp(prefix="flows.", dir=pathlib.Path.cwd()))
    repository = place / "repo"
    try:
        begin(repository)
        cli = agent.cli
        debate = run(agent, repository, "debate", question=f"say:{VERDICT}", one=cli, two=cli, judge=cli)
        demand(debate["output"] == json.loads(VERDICT), f"the verdict is {debate['output']}")
        # What is said behind the JSON comes along; the last JSON counts.
        review = run(agent, repository, "review", goal="say:planned", branch=f"HEAD say:{REVIEW}",
                     planner=cli, builder=cli, reviewers=cli, answer="yes")
        demand(review["state"] == "done", f"the review is {review}")
        race = run(agent, repository, "race", goal="say:ran", agents=cli, test="test -e README", answer="yes")
        demand(race["output"]["agent"] == cli, f"the winner is {race['output']}")
        triage = run(agent, repository, "triage", agents=cli, test=json.dumps(TESTS),
                     pattern=r"^test (\S+) \.\.\. FAILED", steps={"look": f"say:{FINDING}"})
        demand(triage["output"], f"nothing was found: {triage}")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return Outcome()


def begin(repository):
    repository.mkdir()
    (repository / "README").write_text("a shop\n")
    for args in (["init", "-q", "-b", "main"], ["add", "-A"],
                 ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "begin"]):
        subprocess.run(["git", *args], cwd=repository, check=True)


def allow(agent, question):
    """A worktree is a folder that the CLI may not know: whoever it asks trusts it."""
    demand("trust" in question.lower(), f"an agent of the flow asks {question!r}")
    asking = [one["handle"] for one in agent.json("list")["agents"] if one["state"] == "waiting"]
    for name in asking:
        done = agent.run("answer", name, "yes")
        demand(done.returncode == 0, f"answer {name}: {done.stderr.strip()}")


def run(agent, repository, name, answer=None, steps=None, **inputs):
    """Runs a flow to its end and gives its result; a gate is answered when it asks."""
    text = agent.run("flow", "print", name).stdout
    for step, reply in (steps or {}).items():
        text = text.replace("The test ${item} fails. Find out why; change nothing. End with JSON "
                            '{"cause": string, "fix": string}', reply.replace("'", "''"))
        demand(reply in text, f"the prompt of {step} is another one")
    file = repository.parent / f"{name}.yaml"
    file.write_text(text)
    given = [f"--input={key}={value}" for key, value in inputs.items()]
    flow = subprocess.Popen([agent.binary, "flow", "run", str(file), "--json", *given], cwd=repository, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
    last = {}
    for line in flow.stdout:
        last = json.loads(line)
        if last["event"] == "asking" and last["question"]:
            allow(agent, last["question"])
        if answer and last["event"] in ("ended", "began", "resumed", "started"):
            run_id = agent.json("flow", "list")["runs"][0]["id"]
            if agent.json("flow", "show", run_id)["asks"]:
                agent.run("flow", "answer", run_id, answer)
                answer = None
    said = flow.stderr.read()
    flow.wait(30)
    demand(last.get("event") == "result", f"{name} said nothing in the end: {said}")
    demand(last["state"] == "done", f"{name} is {last['state']}: {last['why']}")
    return last
