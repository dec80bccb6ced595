"""Draws the dashboards from a live Prometheus as pictures, roughly as Grafana places them: to look at, not to measure by.

    python3 tests/deploy/draw.py http://127.0.0.1:9090 FOLDER [--minutes 60]

Writes FOLDER/<file>.svg for each file of deploy/grafana/dashboards; `rsvg-convert -o X.png X.svg` makes a bitmap.
"""

import argparse
import html
import json
import math
import time
import urllib.parse
import urllib.request
from pathlib import Path

import panels

COLUMN, LINE = 64, 32
PALETTE = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#1f78c1", "#ba43a9", "#705da0", "#508642", "#cca300"]
COLOURS = {"green": "#56a64b", "yellow": "#f2cc0c", "orange": "#ff780a", "red": "#e02f44", "purple": "#a352cc", "blue": "#3274d9",
           "text": "#888888", "transparent": "none", "semi-dark-green": "#37872d", "light-green": "#96d98d",
           "light-orange": "#ffb357", "dark-orange": "#fa6400", "light-purple": "#ca95e5"}


def ask(prometheus, expr, begin, end, step):
    """[(labels, [(time, value)])] of a range query; what is no number is left out."""
    query = urllib.parse.urlencode({"query": expr, "start": begin, "end": end, "step": step})
    with urllib.request.urlopen(f"{prometheus.rstrip('/')}/api/v1/query_range?{query}", timeout=30) as answer:
        result = json.load(answer)["data"]["result"]
    return [(one["metric"], [(t, float(v)) for t, v in one["values"] if math.isfinite(float(v))]) for one in result]


def shown(value, unit):
    """A value with its unit, short."""
    if unit == "percentunit":
        return f"{100 * value:.3g} %"
    if unit in ("bytes", "Bps"):
        for size, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
            if value >= size:
                return f"{value / size:.3g} {name}" + ("/s" if unit == "Bps" else "")
    if unit == "s":
        if value >= 3600:
            return f"{value / 3600:.3g} h"
        return f"{value / 60:.3g} min" if value >= 60 else f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
    number = f"{value / 1000:.3g} K" if value >= 1000 else f"{value:.3g}"
    return number + (" /s" if unit == "ops" else "")


def legend(pattern, labels):
    for name, value in labels.items():
        pattern = pattern.replace("{{%s}}" % name, value)
    return pattern


def drawn(panel, lines, begin, end):
    """The inside of one panel."""
    place, defaults = panel["gridPos"], panel["fieldConfig"]["defaults"]
    width, height, unit = place["w"] * COLUMN - 8, place["h"] * LINE - 8, defaults["unit"]
    fixed = {one["matcher"]["options"]: one["properties"][0]["value"]["fixedColor"] for one in panel["fieldConfig"]["overrides"]}
    out = [f'<rect width="{width}" height="{height}" fill="#fff" stroke="#ccc"/>',
           f'<text x="8" y="18" font-weight="bold">{html.escape(panel["title"])}</text>']
    if not any(points for _, points in lines):
        return out + [f'<text x="{width / 2}" y="{height / 2}" text-anchor="middle" fill="#888">No data</text>']
    if panel["type"] == "stat":
        steps = defaults.get("thresholds", {}).get("steps", [{"color": "text", "value": None}])
        for i, (name, points) in enumerate(lines):
            value = points[-1][1]
            colour = [step["color"] for step in steps if step["value"] is None or value >= step["value"]][-1]
            said = shown(value, unit) + (f"  {name}" if len(lines) > 1 else "")
            out.append(f'<text x="12" y="{46 + 24 * i}" font-size="20" fill="{COLOURS.get(colour, colour)}">{html.escape(said)}</text>')
        return out
    stacked = "stacking" in defaults["custom"]
    below, bands = {}, []
    for name, points in lines:
        base = [(t, below.get(t, 0) if stacked else 0) for t, _ in points]
        top = [(t, v + b) for (t, v), (_, b) in zip(points, base)]
        below |= dict(top)
        bands.append((name, base, top))
    high = defaults.get("max") or max((v for _, _, top in bands for _, v in top), default=1) * 1.1 or 1
    left, bottom = 64, height - 40

    def at(point):
        t, v = point
        return f"{left + (t - begin) / (end - begin) * (width - left - 8):.1f},{bottom - min(v / high, 1) * (bottom - 30):.1f}"

    for share in (0, 0.5, 1):
        y = bottom - share * (bottom - 30)
        out.append(f'<path d="M{left},{y}H{width - 8}" stroke="#eee"/><text x="{left - 4}" y="{y + 4}" text-anchor="end" fill="#666">{shown(high * share, unit)}</text>')
    x = 8
    for i, (name, base, top) in enumerate(bands):
        colour = COLOURS.get(fixed.get(name), fixed.get(name)) or PALETTE[i % len(PALETTE)]
        if stacked and top:
            out.append(f'<polygon points="{" ".join(map(at, top + base[::-1]))}" fill="{colour}" fill-opacity="0.7"/>')
        out.append(f'<polyline points="{" ".join(map(at, top))}" fill="none" stroke="{colour}" stroke-width="{0 if stacked else 1.5}"/>')
        out.append(f'<rect x="{x}" y="{height - 18}" width="10" height="4" fill="{colour}"/><text x="{x + 14}" y="{height - 12}">{html.escape(name)}</text>')
        x += 26 + 6.3 * len(name)
    for step in defaults.get("thresholds", {}).get("steps", []):
        if step["value"] is not None and step["value"] <= high:
            y = at((begin, step["value"])).split(",")[1]
            out.append(f'<path d="M{left},{y}H{width - 8}" stroke="{COLOURS[step["color"]]}" stroke-dasharray="6 4"/>')
    return out


def picture(dashboard, prometheus, minutes):
    end = time.time()
    begin, step = end - 60 * minutes, max(1, minutes * 60 / 300)
    every = list(panels.flat(dashboard["panels"]))
    height = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in every) * LINE + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{24 * COLUMN}" height="{height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="#f4f5f5"/>']
    for panel in every:
        place = panel["gridPos"]
        out.append(f'<g transform="translate({place["x"] * COLUMN + 4},{place["y"] * LINE + 4})">')
        if panel["type"] == "row":
            out.append(f'<text x="4" y="20" font-size="16">{html.escape(panel["title"])}</text>')
        else:
            lines = []
            for target in panel["targets"]:
                found = ask(prometheus, panels.replaced(target["expr"], dashboard), begin, end, step)
                lines += [(legend(target["legendFormat"], labels), points) for labels, points in found]
            out += drawn(panel, sorted(lines, key=lambda line: line[0]), begin, end)
        out.append("</g>")
    return "\n".join([*out, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prometheus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    args = parser.parse_args()
    for path in sorted(panels.DASHBOARDS.glob("*.json")):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        to = args.folder / f"{path.stem}.svg"
        to.write_text(picture(dashboard, args.prometheus, args.minutes), encoding="utf-8")
        print(to)


if __name__ == "__main__":
    main()
