"""The labelled sets in a folder of data, and what Newslode measures of their pages."""
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
    """The folders of sets: each as it stands in the data, or unpacked from NAME.tar.xz for the while."""
    with tempfile.TemporaryDirectory() as unpacked:
        yield [folder(data, name, pathlib.Path(unpacked)) for name in names]


def folder(data: pathlib.Path, name: str, unpacked: pathlib.Path) -> pathlib.Path:
    if (data / name).is_dir():
        return data / name
    archive = data / f"{name}.tar.xz"
    if not archive.is_file():
        sys.exit(f"{data} holds neither {name}/ nor {name}.tar.xz; train/README.md says what is needed")
    target = unpacked / name
    with tarfile.open(archive) as packed:
        packed.extractall(target.parent, filter="data")
    return target


def evidence(example: str, lines: list[str]) -> tuple[dict, list[dict]]:
    """What an example of the library prints when it is given these lines: the names of the measures, then the rest."""
    command = [os.environ.get("CARGO", "cargo"), "run", "-q", "-p", "newslode-page", "--example", example]
    asked = "".join(f"{line}\n" for line in lines)
    printed = subprocess.run(command, cwd=ROOT, check=True, input=asked, stdout=subprocess.PIPE, encoding="utf-8").stdout
    # Not splitlines: JSON may hold U+2028.
    names, *records = map(json.loads, printed.split("\n")[:-1])
    return names, records


def arguments(doc: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, metavar="DATA", help="folder of the sets that train/README.md lists")
    parser.add_argument("--check", action="store_true", help="fail if the committed file is not what the data gives")
    parser.add_argument("--write", action="store_true", help="rewrite the committed file")
    return parser


def settle(args: argparse.Namespace, committed: pathlib.Path, text: str) -> None:
    """Writes a trained file or compares it with the committed one, as the arguments ask."""
    if args.write:
        committed.write_text(text, "utf-8", newline="\n")
    if args.check and committed.read_text("utf-8") != text:
        sys.exit(f"{committed} is not what {args.data} gives; --write rewrites it")
    if args.check or args.write:
        print(f"{committed.relative_to(ROOT)} is what {args.data} gives")
