"""What the scripts of a release share: the version, the time, and archives whose bytes depend on their contents alone."""

import gzip
import io
import os
import subprocess
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def workspace():
    """`[workspace.package]` of Cargo.toml."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]


def git(*arguments):
    """What git prints. In a container the checkout may belong to another user, which git refuses unless told."""
    command = ["git", "-c", f"safe.directory={ROOT.as_posix()}", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8").stdout.strip()


def epoch():
    """Seconds: of SOURCE_DATE_EPOCH, else of the commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))


def archive(path, entries):
    """Writes a .tar.gz or .zip of (name in it, file, whether it is a program)."""
    write = _zip if path.suffix == ".zip" else _tar
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(write(sorted(entries, key=lambda entry: entry[0])))


def _tar(entries):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as stream, tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, file, program in entries:
            text = file.read_bytes()
            about = tarfile.TarInfo(name)
            about.size, about.mtime, about.mode = len(text), epoch(), 0o755 if program else 0o644
            tar.addfile(about, io.BytesIO(text))
    return packed.getvalue()


def _zip(entries):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, file, program in entries:
            about = zipfile.ZipInfo(name, time.gmtime(epoch())[:6])
            about.external_attr = (0o755 if program else 0o644) << 16
            made.writestr(about, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()
