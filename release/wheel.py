#!/usr/bin/env python3
"""Builds the wheel for a target, or the source distribution. maturin puts a bill of materials into the wheel.

    release/wheel.py TARGET FOLDER
    release/wheel.py sdist FOLDER

Run it with an interpreter that has release/requirements.txt. Wheels of Linux are linked by Zig for manylinux2014.
"""

import os
import subprocess
import sys
from pathlib import Path

import packing

# Most bytes of a wheel: everyone who installs the package loads it.
LARGEST = 12 << 20


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    target, folder = sys.argv[1], Path(sys.argv[2]).absolute()
    maturin = [sys.executable, "-m", "maturin"]
    if target == "sdist":
        command = [*maturin, "sdist", "--out", str(folder)]
    else:
        command = [*maturin, "build", "--locked", "--profile", "release", "--target", target, "--out", str(folder)]
        if target.endswith("linux-gnu"):
            command += ["--zig", "--compatibility", "manylinux2014"]
    # An interpreter of the machine that builds: the stable ABI needs no other.
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    before = set(folder.glob("*.whl"))
    subprocess.run(command, cwd=packing.ROOT / "python", check=True, env=os.environ | {"PYO3_PYTHON": sys.executable, "PATH": paths})
    for wheel in set(folder.glob("*.whl")) - before:
        if wheel.stat().st_size > LARGEST:
            raise SystemExit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than the {LARGEST:,} that it may have")


if __name__ == "__main__":
    main()
