"""The CLIs under test: pinned, installed from npm into the cache folder when missing."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

PINNED = {
    "claude": ("@anthropic-ai/claude-code", "2.1.197"),
    "codex": ("@openai/codex", "0.166.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
}


def folder(cli):
    """Where a CLI is installed."""
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "synapse" / "clis" / cli


def bin_folder(cli):
    """What must be in PATH to run it."""
    return folder(cli) / "node_modules" / ".bin"


def installed_version(cli):
    """The version in the cache; None if there is none that can run."""
    package, _ = PINNED[cli]
    manifest = folder(cli) / "node_modules" / package / "package.json"
    if not manifest.exists() or not (bin_folder(cli) / cli).exists():
        return None
    return json.loads(manifest.read_text())["version"]


def install(cli):
    """Makes sure that the pinned version is in the cache."""
    package, version = PINNED[cli]
    if installed_version(cli) == version:
        return
    if not shutil.which("npm"):
        sys.exit("test-real: npm is missing; install Node.js 20 or newer")
    print(f"test-real: installing {package} {version}", file=sys.stderr)
    folder(cli).mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder(cli))]
    subprocess.run([*npm, f"{package}@{version}"], check=True, stdout=subprocess.DEVNULL)
    # Where install scripts are off, Claude Code's native binary is not yet in place.
    script = folder(cli) / "node_modules" / package / "install.cjs"
    if script.exists():
        subprocess.run(["node", script.name], cwd=script.parent, check=True, stdout=subprocess.DEVNULL)
    if installed_version(cli) != version:
        sys.exit(f"test-real: npm installed {installed_version(cli)} of {package}, not {version}")
