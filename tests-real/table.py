"""The table of results, for the terminal and for docs/real-clis.md."""

import unicodedata

HEAD = """\
# Real CLIs

What the real programs do when they are driven through the `synapse` command alone, against the scripted model in
`tools/fake-model` (no network, no keys, a throw-away home). Made by:

    make test-real UPDATE_DOCS=1

A reply is ok only if it equals the model's text character by character and comes from the program's own record. The
number of characters is that of the replies; the time, in milliseconds, is from the model's last byte to the return of
`send --return` (of several, the longest; for answers to questions to the task's end). In the permission cases a message
is queued behind the dialog, which must stay untouched. After `stop` no process of the agent may be alive.
The `page` cases are worked in real Chromium at the page of `synapse web`: ⏹ while the model speaks (the time is from
the press to the receipt "Stopped"; the badge is idle, the model was cut off, the next message gets its reply), and a
permission dialog as a card (from the press of its Yes to the reply; the tool ran, and not before).
"""


def cell(result):
    if result is None:
        return "–"
    if result["why"]:
        return "FAIL"
    parts = ["ok", result["source"]]
    if result["chars"]:
        parts.append(f"{result['chars']} chars")
    if result["ms"] is not None:
        parts.append(f"{result['ms']} ms")
    return ", ".join(part for part in parts if part)


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def render(results, versions):
    """The table: a row for each case, a column for each CLI."""
    names = list(dict.fromkeys(result["case"] for result in results))
    found = {(result["cli"], result["case"]): result for result in results}
    rows = [["case", *(f"{cli} {version}" for cli, version in versions.items())]]
    rows += [[name, *(cell(found.get((cli, name))) for cli in versions)] for name in names]
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(text + " " * (w - width(text)) for text, w in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def document(results, versions, machine):
    """The page for docs."""
    page = f"{HEAD}\nMeasured on {machine}.\n\n{render(results, versions)}\n"
    failures = [result for result in results if result["why"]]
    if failures:
        page += "\n## What fails\n\n"
        page += "".join(f"- {r['cli']}, {r['case']}: {headline(r['why'])}\n" for r in failures)
    return page


def headline(why):
    """The line of a failure that says most: the first, or the last of a traceback."""
    lines = why.strip().splitlines()
    return lines[-1 if lines[0].startswith("Traceback") else 0][:300]
