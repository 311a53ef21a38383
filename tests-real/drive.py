"""Drives one version of a CLI through the cases. Runs inside `tools/fake-model/run-cli`; tells a JSON line per case.

usage: drive.py JSON   (the arguments of main; the folder holds the model's log, and evidence of
failures goes there)
"""

import contextlib
import dataclasses
import json
import pathlib
import sys
import traceback

import cases
import profiles
from agent import Agent, Model, NotHere, Setup, Unmet, Untrue, wait_until


def main(binary, cli, folder, args, without, wanted, profile):
    folder = pathlib.Path(folder)
    before = cases.processes()
    setup = Setup(binary, cli, cli, tuple(args), frozenset(without))
    setup = dataclasses.replace(setup, profile=profile or profiles.switch_off(setup, pathlib.Path.home()))
    agent = Agent(setup, Model(folder / "model.jsonl", folder / "requests"))
    if not attempt(agent, "start", lambda: start(agent), folder):
        return
    # Newer versions of Claude Code decide by themselves what they may do, unless they are told otherwise; pi always does.
    agent.setup = dataclasses.replace(setup, is_auto=cli == "pi" or "auto mode on" in agent.screen())
    tell(mode="auto" if agent.setup.is_auto and cli != "pi" else "")
    for name, case in cases.CASES.items():
        if wanted and name not in wanted:
            continue
        if not attempt(agent, name, lambda: case(agent), folder):
            # The next case shall not suffer from what this one left behind.
            agent.run("stop", agent.name)
            with contextlib.suppress(Unmet):
                start(agent)
    attempt(agent, "stop", lambda: cases.stop(agent, before), folder)


def start(agent):
    agent.start()
    wait_until("it is ready", lambda: agent.status()["status"] == "IDLE")
    return cases.Outcome()


def attempt(agent, name, case, folder):
    """Runs one case and tells what came of it. Whether the agent is as it was before."""
    since = agent.model.mark() if agent.model.log.exists() else 0
    outcome, why = cases.Outcome(), None
    try:
        outcome, verdict = case(), "ok"
    except NotHere as absent:
        verdict, why = "absent", str(absent)
    except Untrue as untrue:
        verdict, why = "fail", str(untrue)
    except Unmet as unmet:
        # Who sees less may know less.
        verdict, why = "lacks" if agent.setup.without else "fail", str(unmet)
    except Exception:
        verdict, why = "fail", traceback.format_exc()
    if verdict in ("fail", "lacks"):
        evidence(agent, name, why, since, folder)
    tell(case=name, verdict=verdict, why=why, **dataclasses.asdict(outcome))
    return verdict in ("ok", "absent")


def tell(**facts):
    print(json.dumps(facts), flush=True)


def evidence(agent, name, why, since, folder):
    """Keeps what a person needs to find the cause."""
    parts = [why]
    for verb in ("status", "screen", "tasks"):
        parts.append(f"$ synapse {verb}\n{agent.run(verb, agent.name).stdout}")
    parts += [json.dumps(event, ensure_ascii=False)[:1000] for event in agent.model.events(since)]
    file = folder / f"{''.join(c if c.isalnum() else '-' for c in name)}.txt"
    file.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
