"""The labelled sets in the data folder, and what Newslode measures of their pages."""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]


@contextlib.contextmanager
def opened(data: pathlib.Path, names: list[str]) -> Iterator[list[pathlib.Path]]:
    """The folders of sets: as they are in the data folder, or temporarily unpacked from NAME.tar.xz."""
    with tempfile.TemporaryDirectory() as unpacked:
        yield [folder(data, name, pathlib.Path(unpacked)) for name in names]


def folder(data: pathlib.Path, name: str, unpacked: pathlib.Path) -> pathlib.Path:
    if (data / name).is_dir():
        return data / name
    archive = data / f"{name}.tar.xz"
    if not archive.is_file():
        sys.exit(f"{data} contains neither {name}/ nor {name}.tar.xz; train/README.md lists what is needed")
    target = unpacked / name
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    # Most archives hold the folder itself, some what is in it.
    inner = target / target.name
    return inner if inner.is_dir() else target


def evidence(of: str, lines: list[str]) -> tuple[dict, list[dict]]:
    """Asks `newslode-lab evidence` about these lines; returns the names of the measures, and the records it printed."""
    command = [os.environ.get("CARGO", "cargo"), "run", "-q", "-p", "newslode-lab", "--", "evidence", of]
    asked = "".join(f"{line}\n" for line in lines)
    printed = subprocess.run(command, cwd=ROOT, check=True, input=asked, stdout=subprocess.PIPE, encoding="utf-8").stdout
    # Not splitlines: JSON may contain U+2028.
    names, *records = map(json.loads, printed.split("\n")[:-1])
    return names, records


def arguments(doc: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, metavar="DATA", help="folder with the sets that train/README.md lists")
    parser.add_argument("--check", action="store_true", help="fail if training gives another file than the committed one")
    parser.add_argument("--write", action="store_true", help="rewrite the committed file")
    return parser


def settle(args: argparse.Namespace, committed: pathlib.Path, text: str) -> None:
    """Writes the trained file, or compares it with the committed one, as the arguments say."""
    if args.write:
        committed.write_text(text, "utf-8", newline="\n")
    if args.check and committed.read_text("utf-8") != text:
        sys.exit(f"training on {args.data} gives another {committed}; --write rewrites it")
    if args.check or args.write:
        print(f"{committed.relative_to(ROOT.parent)} matches {args.data}")
