"""Drives one CLI through the cases. Runs inside `tools/fake-model/run-cli`; tells a JSON line per case.

usage: drive.py BINARY CLI FOLDER [CASE...]   (FOLDER holds the model's log; evidence of failures goes there)
"""

import dataclasses
import json
import pathlib
import sys
import traceback

import cases
from agent import Agent, Model, Unmet


def main(binary, cli, folder, *wanted):
    folder = pathlib.Path(folder)
    agent = Agent(binary, cli, Model(folder / "model.jsonl", folder / "requests"))
    before = cases.processes()
    agent.start()
    for name, case in cases.CASES.items():
        if wanted and name not in wanted:
            continue
        if not attempt(agent, name, lambda: case(agent), folder):
            # The next case shall not suffer from what this one left behind.
            agent.run("stop", agent.name)
            agent.start()
    attempt(agent, "stop", lambda: cases.stop(agent, before), folder)


def attempt(agent, name, case, folder):
    """Runs one case and tells what came of it. Whether all went well."""
    since = agent.model.mark()
    try:
        outcome, why = case(), None
    except Unmet as unmet:
        outcome, why = cases.Outcome(), str(unmet)
    except Exception:
        outcome, why = cases.Outcome(), traceback.format_exc()
    if why:
        evidence(agent, name, why, since, folder)
    print(json.dumps({"cli": agent.cli, "case": name, "why": why, **dataclasses.asdict(outcome)}), flush=True)
    return why is None


def evidence(agent, name, why, since, folder):
    """Keeps what a person needs to find the cause."""
    parts = [why]
    for verb in ("status", "screen", "tasks"):
        parts.append(f"$ synapse {verb}\n{agent.run(verb, agent.name).stdout}")
    parts += [json.dumps(event, ensure_ascii=False)[:1000] for event in agent.model.events(since)]
    file = folder / f"{''.join(c if c.isalnum() else '-' for c in name)}.txt"
    file.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
