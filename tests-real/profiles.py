"""Profiles of our own, which take a built-in one and change a little."""

import json
import pathlib


def write(name, setup, **changes):
    """Writes a profile that extends the CLI's built-in one; its path."""
    if "record" in setup.without:
        changes["record"] = "none"
    folder = pathlib.Path.home() / ".synapse" / "variants"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.yaml"
    # JSON is YAML.
    path.write_text(json.dumps({"name": f"{setup.cli}-{name}", "extends": setup.cli, **changes}, indent=1) + "\n")
    return str(path)


def switch_off(setup, folder):
    """Leaves a home in which the witnesses of this run that must be silent are."""
    if "hooks" in setup.without:
        config = folder / ".synapse" / "config.yaml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text("hooks: false\n")
    return write("blind", setup) if "record" in setup.without else setup.cli
