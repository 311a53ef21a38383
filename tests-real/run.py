#!/usr/bin/env -S python3 -B
"""Drives the real CLIs through `synapse`, against a scripted model, and compares what comes back.

Needs Linux, node with npm, Chromium with the packages of `web/` (scripts/setup-web), and root or unprivileged user
namespaces. Ends non-zero if any case failed.
"""

import argparse
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


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--binary", help="the synapse to test (default: build this workspace's debug binary)")
    ap.add_argument("--cli", action="append", choices=list(clis.PINNED), help="only this one (may be repeated)")
    ap.add_argument("--case", action="append", default=[], help="only this case, by its name in the table")
    ap.add_argument("--update-docs", action="store_true", help="write the table to docs/real-clis.md")
    ap.add_argument("--keep", action="store_true", help="keep the throw-away homes")
    opts = ap.parse_args()
    if opts.update_docs and (opts.cli or opts.case):
        ap.error("--update-docs is for a whole run")
    wanted = opts.cli or list(clis.PINNED)
    for cli in wanted:
        clis.install(cli)
    binary = pathlib.Path(opts.binary).resolve() if opts.binary else build()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="synapse-test-real."))
    results = [result for cli in wanted for result in drive(cli, binary, folder / cli, opts)]
    versions = {cli: clis.installed_version(cli) for cli in wanted}
    print(f"\n{table.render(results, versions)}\n")
    if opts.update_docs:
        machine = f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs"
        (ROOT / "docs" / "real-clis.md").write_text(table.document(results, versions, machine))
    failures = [result for result in results if result["why"]]
    for result in failures:
        print(f"FAIL {result['cli']}, {result['case']}: {result['why']}")
    if failures:
        sys.exit(f"test-real: {len(failures)} of {len(results)} failed; evidence is in {folder}")
    shutil.rmtree(folder)


def build():
    subprocess.run(["cargo", "build", "--locked", "--bins"], cwd=ROOT, check=True)
    target = os.environ.get("CARGO_TARGET_DIR") or ROOT / "target"
    return (ROOT / target / "debug" / "synapse").resolve()


def drive(cli, binary, folder, opts):
    """All cases of one CLI, as they come."""
    folder.mkdir(parents=True)
    # Gemini takes settings only from folders into which nobody else can write: /var/tmp is none.
    home = clis.folder(cli).parent.parent / f"home-{cli}-{os.getpid()}"
    command = [ROOT / "tools/fake-model/run-cli", "--cli", cli, "--home", home]
    command += ["--log", folder / "model.jsonl", "--dump", folder / "requests"]
    if "CHROMIUM" in os.environ:
        command += ["--env", f"CHROMIUM={os.environ['CHROMIUM']}"]
    command += ["--", sys.executable, "-B", ROOT / "tests-real/drive.py", binary, cli, folder, *opts.case]
    env = {**os.environ, "CLI_PATH": str(clis.bin_folder(cli)), "TERM": "xterm-256color"}
    results = []
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as driver:
        for line in driver.stdout:
            result = json.loads(line)
            results.append(result)
            print(f"{cli:7} {result['case']:16} {table.cell(result)}", file=sys.stderr)
    if not opts.keep:
        shutil.rmtree(home)
    if driver.returncode:
        why = f"the driver ended with {driver.returncode}"
        results.append({"cli": cli, "case": "all", "why": why, "source": "", "chars": 0, "ms": None})
    return results


if __name__ == "__main__":
    main()
