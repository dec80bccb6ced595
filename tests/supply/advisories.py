"""Which known vulnerabilities the Python packages have that we install, from a database in the OSV format.

The packages are those that pip resolves for each of our lists of requirements, so also what comes along with them.
"""

import json
import subprocess
import sys
from pathlib import Path

import packing
import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version


def requirements(root):
    """Every list of requirements in the repository."""
    listed = packing.git("ls-files", "*.txt").split()
    return [root / name for name in listed if _is_list(root / name)]


def _is_list(path):
    """Whether a file holds nothing but pins and comments."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    pins = [line for line in lines if line and not line.startswith("#")]
    return bool(pins) and all("==" in line and " " not in line for line in pins)


def resolved(path):
    """(name, version) of each package that pip would install for a list; nothing is installed."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", "-r", path]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {(canonicalize_name(one["metadata"]["name"]), one["metadata"]["version"]) for one in report["install"]}


def _read(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _in_range(version, events):
    """Whether a version lies between an `introduced` and the next `fixed` or `last_affected`; OSV lists them in any order."""
    bounds = []
    for event in events:
        ((kind, text),) = event.items()
        bounds.append((Version(text) if text != "0" else Version("0.dev0"), kind))
    affected = False
    # What begins at a version begins before what ends there.
    for bound, kind in sorted(bounds, key=lambda one: (one[0], one[1] != "introduced")):
        if kind == "introduced" and version >= bound:
            affected = True
        elif (kind == "fixed" and version >= bound) or (kind == "last_affected" and version > bound):
            affected = False
    return affected


def _affects(affected, version):
    if version in affected.get("versions", []):
        return True
    try:
        parsed = Version(version)
        return any(_in_range(parsed, one["events"]) for one in affected.get("ranges", []) if one["type"] == "ECOSYSTEM")
    except InvalidVersion:
        # A bound that is no version can exclude nothing.
        return True


def known(packages, database):
    """One line for each advisory that affects one of the packages."""
    versions = {}
    for name, version in packages:
        versions.setdefault(name, set()).add(version)
    found = []
    for path in sorted(path for path in Path(database).rglob("*") if path.suffix in (".yaml", ".yml", ".json") and ".git" not in path.parts):
        text = path.read_text(encoding="utf-8")
        # Parsing thousands of files takes minutes; most name none of our packages.
        if not any(name in text.lower().replace("_", "-") for name in versions):
            continue
        advisory = _read(path)
        if not isinstance(advisory, dict) or advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", []):
            package = affected.get("package", {})
            if package.get("ecosystem") != "PyPI":
                continue
            name = canonicalize_name(package["name"])
            for version in sorted(versions.get(name, ())):
                if _affects(affected, version):
                    found.append(f"{name} {version}: {advisory['id']} {advisory.get('summary', '')}".rstrip())
    return found
