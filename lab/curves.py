#!/usr/bin/env python3
"""Draws what a process takes: memory, processor time and the size of its folder.

    lab/curves.py sample PID FOLDER > samples.txt     # a line every ten seconds, until the process ends
    lab/curves.py draw samples.txt > curves.svg

A line of samples: seconds, resident KiB, seconds of processor time, bytes of the folder.
"""

import os
import sys
import time

WIDTH, HEIGHT, LEFT, TOP = 640, 110, 70, 30
SECONDS_APART = 10


def sample(process, folder):
    """Prints samples of a process, by its number, and of the folder that it writes."""
    begin, ticks = time.time(), os.sysconf("SC_CLK_TCK")
    while True:
        try:
            with open(f"/proc/{process}/stat") as stat, open(f"/proc/{process}/status") as status:
                fields = stat.read().rsplit(")", 1)[1].split()
                resident = [line.split()[1] for line in status if line.startswith("VmRSS")]
        except OSError:
            return
        if not resident:
            return
        busy = (int(fields[11]) + int(fields[12])) / ticks
        print(f"{time.time() - begin:.0f} {resident[0]} {busy:.2f} {size(folder)}", flush=True)
        time.sleep(SECONDS_APART)


def size(folder):
    """The bytes that a folder takes on disk."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                pass  # It was replaced meanwhile.
    return total


def draw(file):
    """Prints the curves of a file of samples as SVG."""
    with open(file) as lines:
        samples = [tuple(map(float, line.split())) for line in lines if len(line.split()) == 4]
    minutes = [seconds / 60 for seconds, _, _, _ in samples]
    memory = [resident / 1024 for _, resident, _, _ in samples]
    disk = [folder / 2**20 for _, _, _, folder in samples]
    # Processor time by share of a core, over a minute each.
    span = max(1, 60 // SECONDS_APART)
    busy = []
    for place, (seconds, _, spent, _) in enumerate(samples):
        before = samples[max(0, place - span)]
        busy.append(100 * (spent - before[2]) / max(1, seconds - before[0]) if place else 0)
    panels = [("memory, MiB", memory), ("processor, % of a core", busy), ("folder, MiB", disk)]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + LEFT + 20} {len(panels) * (HEIGHT + 50) + 20}"'
          ' font-family="sans-serif" font-size="12">')
    print('<style>text{fill:#333}line{stroke:#ccc}polyline{fill:none;stroke:#1f6feb;stroke-width:1.5}'
          '@media (prefers-color-scheme:dark){text{fill:#ddd}line{stroke:#444}}</style>')
    last = max(minutes) or 1
    for place, (name, values) in enumerate(panels):
        most = max(values) or 1
        top = TOP + place * (HEIGHT + 50)
        print(f'<text x="{LEFT}" y="{top - 8}">{name}</text>')
        for share in (0, 0.5, 1):
            y = top + HEIGHT * (1 - share)
            print(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
                  f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{most * share:.3g}</text>')
        points = " ".join(f"{LEFT + WIDTH * minute / last:.1f},{top + HEIGHT * (1 - value / most):.1f}"
                          for minute, value in zip(minutes, values))
        print(f'<polyline points="{points}"/>')
        print(f'<text x="{LEFT}" y="{top + HEIGHT + 16}">0</text>'
              f'<text x="{LEFT + WIDTH}" y="{top + HEIGHT + 16}" text-anchor="end">{last:.0f} minutes</text>')
    print("</svg>")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "sample":
        sample(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 3 and sys.argv[1] == "draw":
        draw(sys.argv[2])
    else:
        sys.exit(__doc__)
