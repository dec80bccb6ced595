#!/usr/bin/env python3
"""Builds the four programs for a target and packs them, with their bill of materials beside the archive.

    release/programs.py TARGET FOLDER

Programs of Linux are linked by Zig (`cargo zigbuild`), so that those of glibc start on systems from 2014 on; run this with
an interpreter that has release/requirements.txt. Others are linked by the system's own linker. The target's standard library
must be there: `rustup target add TARGET`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import bom
import packing

PROGRAMS = ["newslode", "newslode-crawler", "newslode-partitioner", "newslode-miner"]
# The oldest C library that Rust supports: Red Hat Enterprise Linux 7, Debian 8, Ubuntu 14.04. Also that of our wheels.
GLIBC = "2.17"
BESIDE = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-UNICODE"]


def build(target):
    """Builds the programs of the profile `dist`, and returns their folder."""
    command, built = ["cargo", "build"], target
    if "linux" in target:
        command, built = ["cargo", "zigbuild"], f"{target}.{GLIBC}" if target.endswith("gnu") else target
    packages = [argument for program in PROGRAMS for argument in ("--package", program)]
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    options = ["--profile", "dist", "--locked", "--bins", "--target", built]
    subprocess.run([*command, *options, *packages], cwd=packing.ROOT, check=True, env=os.environ | {"PATH": paths})
    return Path(os.environ.get("CARGO_TARGET_DIR", packing.ROOT / "target")) / target / "dist"


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    target, folder = sys.argv[1], Path(sys.argv[2]).absolute()
    name = f"newslode-{packing.workspace()['version']}-{target}"
    windows = "windows" in target
    built = build(target)
    entries = [(f"{name}/{file}", packing.ROOT / file, False) for file in BESIDE]
    for program in PROGRAMS:
        file = f"{program}.exe" if windows else program
        entries.append((f"{name}/{file}", built / file, True))
    bill = folder / f"{name}.cdx.json"
    folder.mkdir(parents=True, exist_ok=True)
    bill.write_text(json.dumps(bom.crates(target, PROGRAMS), indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    entries.append((f"{name}/{bill.name}", bill, False))
    packing.archive(folder / f"{name}{'.zip' if windows else '.tar.gz'}", entries)


if __name__ == "__main__":
    main()
