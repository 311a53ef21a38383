"""Plots as SVG, with the standard library alone. Their colours follow the reader's light or dark scheme."""
import math
from html import escape

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 46
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600; font-size: 15px }
  .note { fill: #57606a } .grid { stroke: #d0d7de } .axis { stroke: #8c959f }
  .c0 { fill: #0969da; stroke: #0969da } .c1 { fill: #bc4c00; stroke: #bc4c00 }
  .c2 { fill: #1a7f37; stroke: #1a7f37 } .c3 { fill: #8250df; stroke: #8250df }
  .other { fill: #8c959f } .line { fill: none; stroke-width: 2 } .goal { stroke: #cf222e; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note { fill: #9198a1 } .grid { stroke: #3d444d } .axis { stroke: #656c76 }
    .c0 { fill: #4493f8; stroke: #4493f8 } .c1 { fill: #f0883e; stroke: #f0883e }
    .c2 { fill: #3fb950; stroke: #3fb950 } .c3 { fill: #ab7df8; stroke: #ab7df8 }
    .other { fill: #656c76 } .line { fill: none } .goal { stroke: #f85149 }
  }
"""


def picture(title, height, body):
    label = escape(title, quote=True)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{label}">\n<style>{STYLE}</style>\n'
            f'<text class="title" x="12" y="24">{escape(title)}</text>\n' + "\n".join(body) + "\n</svg>\n")


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 20 or value == int(value) else f"{value:.2g}"


def bars(title, unit, values, ours="synapse"):
    """One bar for each name; ours stands out."""
    height, longest = 26, max(values.values())
    names = 150
    scale = (WIDTH - names - 110) / longest
    body = []
    for index, (name, value) in enumerate(values.items()):
        y = TOP + index * (height + 8)
        kind = "c0" if name == ours else "other"
        body.append(f'<text x="{names - 8}" y="{y + 18}" text-anchor="end">{escape(name)}</text>')
        body.append(f'<rect class="{kind}" x="{names}" y="{y}" width="{max(value * scale, 1):.1f}" height="{height}" rx="3"/>')
        body.append(f'<text x="{names + value * scale + 8:.1f}" y="{y + 18}">{number(value)} {escape(unit)}</text>')
    return picture(title, TOP + len(values) * (height + 8) + 8, body)


def lines(title, across, unit, series, goal=None):
    """Lines over logarithmic axes; `series` has the points of each name, `goal` a height to stay below."""
    points = [point for line in series.values() for point in line]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    ys = [y for _, y in points if y > 0] + ([goal] if goal else [])
    low_y, high_y = 10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys)))
    high_y = max(high_y, low_y * 10)

    def place(x, y):
        over = math.log(x / low_x) / math.log(high_x / low_x) if high_x > low_x else 0.5
        up = math.log(max(y, low_y) / low_y) / math.log(high_y / low_y)
        return LEFT + over * (WIDTH - LEFT - RIGHT - 150), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    body = []
    right = place(high_x, low_y)[0]
    step = low_y
    while step <= high_y * 1.001:
        y = place(low_x, step)[1]
        body.append(f'<line class="grid" x1="{LEFT}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(f'<text class="note" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{number(step)}</text>')
        step *= 10
    body.append(f'<text class="note" x="12" y="{TOP - 4}">{escape(unit)}</text>')
    for x in sorted({x for x, _ in points}):
        left = place(x, low_y)[0]
        body.append(f'<text class="note" x="{left:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number(x)}</text>')
    body.append(f'<text class="note" x="{(LEFT + right) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>')
    if goal:
        y = place(low_x, goal)[1]
        body.append(f'<line class="goal" x1="{LEFT}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(f'<text class="note" x="{LEFT + 6}" y="{y - 5:.1f}">goal {number(goal)}</text>')
    taken = []
    for index, (name, line) in enumerate(series.items()):
        kind = f"c{index % 4}"
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line))
        body.append(f'<polyline class="{kind} line" style="fill:none" points="{path}"/>')
        for x, y in (place(*point) for point in line):
            body.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
        label = place(*line[-1])[1] + 4
        while any(abs(label - other) < 15 for other in taken):
            label += 15
        taken.append(label)
        body.append(f'<text x="{right + 12:.1f}" y="{label:.1f}">{escape(name)}</text>')
    return picture(title, HEIGHT, body)
