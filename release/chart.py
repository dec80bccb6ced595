#!/usr/bin/env python3
"""Packs the Helm chart, as `helm package` does, with bytes that depend on the chart alone.

    release/chart.py FOLDER
"""

import sys
from pathlib import Path

import packing

CHART = packing.ROOT / "k8s/chart"


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    # .helmignore keeps itself and editors' files out; a checkout has only the former.
    files = [path for path in CHART.rglob("*") if path.is_file() and path.name != ".helmignore"]
    entries = [(f"newslode/{path.relative_to(CHART).as_posix()}", path, False) for path in files]
    packing.archive(Path(sys.argv[1]).absolute() / f"newslode-chart-{packing.workspace()['version']}.tgz", entries)


if __name__ == "__main__":
    main()
