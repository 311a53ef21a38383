#!/usr/bin/env -S python3 -B
"""Drives the real CLIs through `synapse`, against a scripted model, and compares what comes back.

Needs Linux, node with npm, Chromium with the packages of `web/` (scripts/setup-web), and root or unprivileged user
namespaces. Ends non-zero if any case failed.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import clis
import table

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What brings back the dialogs of a CLI that decides by itself.
ASKING_MODE = {"claude": ["--permission-mode", "default"]}

# What a CLI that would allow everything is always started with.
ARGS = {"cline": ("--auto-approve", "false")}

# Who the CLIs run as, where they shall not be root.
ORDINARY_USER = 1000


@dataclasses.dataclass(frozen=True)
class Run:
    """One pass over the cases: a column of a table."""

    cli: clis.Cli
    without: tuple = ()
    as_user: bool = False
    is_held_out: bool = False
    args: tuple = ()

    @property
    def heading(self):
        """Under which the table stands."""
        parts = [self.cli.name]
        if self.is_held_out:
            parts.append("versions held out")
        if self.without:
            parts.append(f"without {' and '.join(self.without)}")
        if self.as_user:
            parts.append("as an ordinary user")
        return ", ".join(parts)


def main():
    opts = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="synapse-test-real."))
    folder.chmod(0o755)
    binary = pathlib.Path(opts.binary).resolve() if opts.binary else build()
    results = []
    for run in planned(opts):
        results += drive(run, binary, folder, opts)
        keep(results, opts)
        if results[-1]["mode"] == "auto" and run.cli.name in ASKING_MODE:
            run = dataclasses.replace(run, args=tuple(ASKING_MODE[run.cli.name]))
            results += drive(run, binary, folder, opts)
            keep(results, opts)
    print(f"\n{table.render(results)}\n")
    if opts.update_docs:
        page = ROOT / "docs" / "real-clis.md"
        page.write_text(table.document(page.read_text(), results))
    failures = [result for result in results if result["verdict"] == "fail"]
    for result in failures:
        print(f"FAIL {result['heading']} {result['column']}, {result['case']}: {result['why']}")
    if failures:
        sys.exit(f"test-real: {len(failures)} of {len(results)} failed; evidence is in {folder}")
    shutil.rmtree(folder)


def keep(results, opts):
    """Writes the results down after each run: many take an hour, and one of them may break off."""
    if opts.results:
        pathlib.Path(opts.results).write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def planned(opts):
    """The runs that were asked for. Gemini CLI takes settings of root that it refuses from others: in the matrix it
    runs as both."""
    for cli in clis.select(opts.versions, list(clis.PACKAGES) if opts.all else opts.cli):
        for without in opts.without or [()]:
            yield Run(cli, tuple(without), opts.as_user, opts.held_out, ARGS.get(cli.name, ()))
        if opts.versions == "matrix" and cli.name == "gemini" and os.getuid() == 0 and not (opts.without or opts.as_user):
            yield Run(cli, as_user=True)


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--binary", help="the synapse to test (default: build this workspace's debug binary)")
    ap.add_argument("--versions", choices=list(clis.VERSIONS), default="pinned", help="which versions (default: pinned)")
    ap.add_argument("--cli", action="append", metavar="NAME[@VERSION]",
                    help="only this CLI, or just this version of it, as in claude@2.1.260 or codex@newest (repeatable)")
    ap.add_argument("--all", action="store_true", help=f"all CLIs, not just {', '.join(clis.USUAL)}")
    ap.add_argument("--case", action="append", default=[], help="only this case, by its name in the table (repeatable)")
    ap.add_argument("--without", action="append", type=witnesses, metavar="WITNESSES",
                    help="switch witnesses off: hooks, record or hooks,record (repeatable: one run each)")
    ap.add_argument("--profile", help="try this profile in place of the built-in one, with one CLI")
    ap.add_argument("--as-user", action="store_true", help="run the CLIs as an ordinary user, not as root")
    ap.add_argument("--held-out", action="store_true",
                    help="nothing was made with these versions: they get a table of their own")
    ap.add_argument("--results", help="also write all results to this file, as JSON")
    ap.add_argument("--update-docs", action="store_true", help="put the tables into docs/real-clis.md")
    ap.add_argument("--keep", action="store_true", help="keep the throw-away homes")
    opts = ap.parse_args()
    if opts.update_docs and (opts.case or opts.profile):
        ap.error("--update-docs is for all cases and the built-in profiles")
    if opts.profile and opts.without:
        ap.error("--without writes profiles of its own")
    return opts


def witnesses(text):
    found = [word for word in text.split(",") if word]
    if not set(found) <= {"hooks", "record"}:
        raise argparse.ArgumentTypeError("hooks, record or hooks,record")
    return sorted(found)


def build():
    subprocess.run(["cargo", "build", "--locked", "--bins"], cwd=ROOT, check=True)
    target = os.environ.get("CARGO_TARGET_DIR") or ROOT / "target"
    return (ROOT / target / "debug" / "synapse").resolve()


def drive(run, binary, folder, opts):
    """All cases of one run, as they come."""
    cli = run.cli
    frame = {"cli": cli.name, "version": cli.version, "heading": run.heading, "mode": "", "column": cli.version,
             "where": where(binary)}
    try:
        cli.install()
    except clis.Unavailable as why:
        return [result(frame, case="install", why=str(why))]
    parts = [str(cli), *run.without, *(["as-user"] if run.as_user else []), *run.args]
    folder = folder / "-".join(parts).replace("--", "")
    folder.mkdir(parents=True)
    # Gemini takes settings only from folders into which nobody else can write: /var/tmp is none.
    clis.cache().mkdir(parents=True, exist_ok=True)
    home = pathlib.Path(tempfile.mkdtemp(prefix=f"home-{cli}-", dir=clis.cache()))
    home.chmod(0o755)
    command = [ROOT / "tools/fake-model/run-cli", "--cli", cli.name, "--home", home]
    command += ["--log", folder / "model.jsonl", "--dump", folder / "requests"]
    if run.as_user:
        os.chown(folder, ORDINARY_USER, ORDINARY_USER)
        command += ["--user", str(ORDINARY_USER)]
    if "CHROMIUM" in os.environ:
        command += ["--env", f"CHROMIUM={os.environ['CHROMIUM']}"]
    facts = {"binary": str(binary), "cli": cli.name, "folder": str(folder), "args": run.args, "without": run.without,
             "wanted": opts.case, "profile": opts.profile and str(pathlib.Path(opts.profile).resolve())}
    command += ["--", sys.executable, "-B", ROOT / "tests-real/drive.py", json.dumps(facts)]
    env = {**os.environ, "CLI_PATH": cli.path, "TERM": "xterm-256color"}
    results = []
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as driver:
        for line in driver.stdout:
            told = json.loads(line)
            if "case" not in told:
                frame["mode"] = told["mode"] or ("default" if run.args and cli.name in ASKING_MODE else "")
                frame["column"] = f"{cli.version} {frame['mode']}".strip()
                continue
            results.append(result(frame, **told))
            print(f"{run.heading} {frame['column']}  {told['case']:18} {table.cell(results[-1])}"
                  f"{'  ' + table.headline(told['why']) if told['why'] else ''}", file=sys.stderr)
    if not opts.keep:
        shutil.rmtree(home)
    if driver.returncode:
        results.append(result(frame, case="all", why=f"the driver ended with {driver.returncode}"))
    # What was told before the mode was known belongs to the same column.
    return [{**one, "mode": frame["mode"], "column": frame["column"]} for one in results]


def where(binary):
    """What was measured, on which machine and when."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    profile = "release" if "release" in binary.parts else "debug"
    return (f"{datetime.date.today()}, {commit.stdout.strip() or 'no repository'} ({profile} build), "
            f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs")


def result(frame, **facts):
    return {"verdict": "fail", "why": None, "source": "", "chars": 0, "ms": None, "alike": None,
            "load": round(os.getloadavg()[0], 1), **frame, **facts}


if __name__ == "__main__":
    main()
