"""The tables of results, for the terminal and for docs/real-clis.md."""

import re
import textwrap
import unicodedata

HEAD = """\
# Real CLIs

What the real programs do when they are driven through the `synapse` command alone, against the scripted model in
`tools/fake-model` (no network, no keys, a throw-away home). Made by:

    make test-real VERSIONS=matrix UPDATE_DOCS=1

`VERSIONS` is `pinned` (one version of each, the default), `newest` (what npm has today) or `matrix`. Any other version:
`make test-real ARGS='--cli claude@2.1.260'`.

A reply is ok only if it equals the model's text character by character and comes from the program itself: from its
`hook` or from its `record`, as the table says. `chars` is the length of the replies; the time, in milliseconds, is from
the model's last byte to the return of `send --return` (of several, the longest; for answers to questions to the task's
end). In the permission cases a message is queued behind the dialog, which must stay untouched. After `stop` no process
of the agent may be alive. The `page` cases are worked in real Chromium at the page of `synapse web`: ⏹ while the model
speaks (the time is from the press to the receipt "Stopped"; the badge is idle, the model was cut off, the next message
gets its reply), and a permission dialog as a card (from the press of its Yes to the reply; the tool ran, and not
before). In `in front` the program runs in a person's own terminal, one that reads OSC 7501, is sent a message, stopped,
typed to, and sent another. In `forged hooks` a tool says through the hooks that its turn is over, in every way there
is; in `own hooks` hooks of the user's block a message and a tool, and make the model go on.

A version of Claude Code that allows tools by itself has two columns: `auto`, as it starts, and `default`, started with
`--permission-mode default`. `–` stands where a case is about something that the version or mode does not have.

A run without names tries Claude Code, Codex and Gemini CLI; `ARGS='--cli opencode --cli aider'` tries others by name,
`ARGS=--all` all of them. Their dialogs are answered by keys, and their replies come from their own records. Not every
case is about them: our MCP server is given to the three alone, aider's model calls no tools and aider may leave the
connection to the model open when it is interrupted, pi asks for no leave, and the case "trust dialog" is about the
three alone.

Some of them differ in ways that the tables do not show. `cn` asks for no bracketed pastes: line breaks are typed as
Ctrl-J. Cline is started with `--auto-approve false`, since it allows everything otherwise. Cline, Kimi Code, Vibe and
gptme tell the model that a tool was refused, and it goes on: there a refused task completes. Kimi Code below 2 is
kimi-cli from PyPI, whose last version, 1.52.0, does nothing but install its successor from the network. Vibe 3.0.3 pins
a version of certifi that PyPI does not have; 3.0.2 was tried.

goose could not be had here: npm has no such package, PyPI's `goose-ai` 0.1.0 and the crate `goose-cli` 0.2.0 are other
programs, and Debian has none. It is wrapped by `generic`.

The tables "without" switch witnesses off (`ARGS='--without hooks --without record --without hooks,record'`). There a
reply from the screen is measured, not judged: `screen 97 %` is how much of the words agree. `lacks` means that
something was not known; `FAIL` that something false was said or done.

A table "versions held out" is of versions that no rule was made with. Each table says with which commit, when and under
which load it was measured; on a machine with a load above its CPUs the times say little.
"""


def cell(result):
    if result is None or result["verdict"] == "absent":
        return "–"
    if result["verdict"] == "fail":
        return "FAIL"
    if result["verdict"] == "lacks":
        return "lacks"
    parts = ["ok", result["source"] + (f" {result['alike']} %" if result["alike"] is not None else "")]
    if result["ms"] is not None:
        parts.append(f"{result['ms']} ms")
    return ", ".join(part.strip() for part in parts if part)


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def render(results):
    """A table for each heading."""
    return "\n\n".join(f"## {heading}\n\n{grid(some)}" for heading, some in by_heading(results).items())


def by_heading(results):
    found = {}
    for result in results:
        found.setdefault(result["heading"], []).append(result)
    return found


def grid(results):
    """A row for each case, a column for each version and mode."""
    names = list(dict.fromkeys(result["case"] for result in results))
    columns = list(dict.fromkeys(result["column"] for result in results))
    found = {(result["column"], result["case"]): result for result in results}
    chars = {name: max(r["chars"] for r in results if r["case"] == name) for name in names}
    rows = [["case", "chars", *columns]]
    rows += [[name, str(chars[name] or ""), *(cell(found.get((column, name))) for column in columns)] for name in names]
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(text + " " * (w - width(text)) for text, w in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def document(page, results):
    """The page for docs: these tables in the place of those with the same heading, the others as they were."""
    tables = {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in re.split(r"^## ", page, flags=re.M)[1:]}
    for heading, some in by_heading(results).items():
        tables[heading] = f"{provenance(some)}\n\n{grid(some)}\n{reasons(some)}".strip()
    return HEAD + "".join(f"\n## {heading}\n\n{table}\n" for heading, table in sorted(tables.items()))


def provenance(results):
    """When, where and with what the columns were measured, as far as they differ."""
    columns = {}
    for result in results:
        columns.setdefault(result["where"], {})[result["column"]] = None
    loads = [result["load"] for result in results if result["load"] is not None]
    parts = [where if len(columns) == 1 else f"{where}: {', '.join(some)}" for where, some in columns.items()]
    load = f" Load {min(loads)} to {max(loads)}." if loads else ""
    return textwrap.fill(f"Measured on {'; '.join(parts)}.{load}", 120)


def reasons(results):
    """What stands behind every cell that is not ok."""
    lines = [f"- {cell(r)} {r['column']}, {r['case']}: {headline(r['why'])}" for r in results
             if r["verdict"] in ("fail", "lacks")]
    wrapped = [textwrap.fill(line, 120, subsequent_indent="  ", break_on_hyphens=False) + "\n" for line in lines]
    return "\n" + "".join(wrapped) if wrapped else ""


def headline(why):
    """The line of a failure that says most: the first, or the last of a traceback."""
    lines = why.strip().splitlines()
    return lines[-1 if lines[0].startswith("Traceback") else 0][:300]
