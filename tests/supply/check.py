"""Checks what Newslode is made of and how it is released. Run it by run.sh.

One function a promise; each returns what is wrong, one line each. Exit 1 when anything is. Some promises are that a fault is
found: those checks make one.
"""

import contextlib
import functools
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

import advisories
import bom
import notes
import packing
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = packing.ROOT

PROGRAMS = ["newslode", "newslode-crawler", "newslode-partitioner", "newslode-miner"]
LINUX, WINDOWS = "x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"
# The name under which cargo-deny looks for the RustSec database in its folder.
RUSTSEC = "advisory-db-3157b0e258782691"


def _toml(path):
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def _deny(*checks, config="deny.toml", folder=None):
    """What cargo-deny objects to, one line each."""
    command = ["cargo-deny", "--locked", "--format", "json", "--config", str(config), "check", *checks]
    if folder:
        command.insert(1, "--offline")
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NEWSLODE_ADVISORY_FOLDER": str(folder)})
    said = [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]
    faults = [one["fields"] for one in said if one["type"] == "diagnostic" and one["fields"]["severity"] in ("error", "warning")]
    lines = [f"{one['code']}: {_crates(one)}{one['message']} ({'; '.join(label['span'] for label in one['labels'])})" for one in faults]
    return lines or ([] if run.returncode == 0 else run.stderr.splitlines()[-5:])


def _crates(fault):
    return "".join(f"{graph['Krate']['name']} {graph['Krate']['version']}: " for graph in fault.get("graphs", []))


def dependencies_are_allowed():
    """licences, crates and registries are those of deny.toml"""
    return _deny("licenses", "bans", "sources")


def what_is_not_allowed_is_found():
    """a licence, a crate or a registry that deny.toml does not allow is named"""
    allowed = (ROOT / "deny.toml").read_text(encoding="utf-8")
    breakages = [
        ("licenses", '    "BSD-3-Clause",\n', "", "subtle"),
        ("bans", "deny = [\n", 'deny = [\n    { crate = "redb" },\n', "redb"),
        ("sources", "rust-lang/crates.io-index", "example/index", "source-not-allowed"),
    ]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for check, old, new, named in breakages:
            assert old in allowed, f"deny.toml lacks {old!r}"
            broken = Path(folder) / "deny.toml"
            broken.write_text(allowed.replace(old, new, 1), encoding="utf-8")
            if not any(named in line for line in _deny(check, config=broken)):
                faults.append(f"{check}: nothing is said of {named}")
    return faults


@contextlib.contextmanager
def _databases(crates):
    """A folder as cargo-deny wants it, with one database."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / RUSTSEC).symlink_to(Path(crates).resolve())
        yield folder


def crates_have_no_advisory():
    """no crate has an advisory in the database of NEWSLODE_CRATE_ADVISORIES"""
    with _databases(os.environ["NEWSLODE_CRATE_ADVISORIES"]) as folder:
        return _deny("advisories", folder=folder)


def python_packages_have_no_advisory():
    """no Python package has an advisory in the database of NEWSLODE_PYTHON_ADVISORIES"""
    packages = set()
    for path in advisories.requirements(ROOT):
        packages |= advisories.resolved(path)
    return advisories.known(packages, os.environ["NEWSLODE_PYTHON_ADVISORIES"])


def an_advisory_is_found():
    """a crate and a Python package with an advisory are found in a database made for it, other versions are not"""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        crates = Path(folder) / "crates-db"
        (crates / "crates/anyhow").mkdir(parents=True)
        advisory = '[advisory]\nid = "RUSTSEC-2099-0001"\npackage = "anyhow"\ndate = "2099-01-01"\n[versions]\npatched = [">= 99"]\n'
        (crates / "crates/anyhow/RUSTSEC-2099-0001.md").write_text(f"```toml\n{advisory}```\n\n# Made for a test\n\nText.\n")
        git = ["git", "-C", str(crates), "-c", "user.name=test", "-c", "user.email=test@example.org"]
        for step in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
            subprocess.run([*git, *step], check=True, capture_output=True)
        with _databases(crates) as databases:
            if not any("Made for a test" in line for line in _deny("advisories", folder=databases)):
                faults.append("cargo-deny does not report RUSTSEC-2099-0001 of anyhow")
        packages = Path(folder) / "packages-db"
        packages.mkdir()
        events = [{"introduced": "0"}, {"fixed": "2.0"}, {"introduced": "3.0rc1"}, {"last_affected": "3.1"}]
        affected = [{"package": {"ecosystem": "PyPI", "name": "Some_Package"}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}]
        (packages / "PYSEC-1.json").write_text(json.dumps({"id": "PYSEC-1", "affected": affected}))
        affected = [{"package": {"ecosystem": "PyPI", "name": "other"}, "versions": ["1.4"]}]
        (packages / "PYSEC-2.yaml").write_text(json.dumps({"id": "PYSEC-2", "affected": affected}))
        (packages / "PYSEC-3.json").write_text(json.dumps({"id": "PYSEC-3", "affected": affected, "withdrawn": "2020-01-01T00:00:00Z"}))
        expected = {"1.9": True, "2.0": False, "2.5": False, "3.0": True, "3.1": True, "3.2": False}
        for version, is_known in expected.items():
            if bool(advisories.known({("some-package", version)}, packages)) != is_known:
                faults.append(f"some-package {version}: known is not {is_known}")
        if advisories.known({("other", "1.4")}, packages) != ["other 1.4: PYSEC-2"] or advisories.known({("other", "1.5")}, packages):
            faults.append("versions that are listed are not compared")
    if len(advisories.requirements(ROOT)) < 7:
        faults.append("lists of requirements are overlooked")
    return faults


@functools.cache
def _bill(target):
    return bom.crates(target, PROGRAMS)


def bills_are_valid():
    """bills of materials hold to the schema of CycloneDX 1.6, and every reference leads to a component"""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "crates.json").write_text(json.dumps(_bill(LINUX)), encoding="utf-8")
        (Path(folder) / "packages").write_text("libc6\t2.36-9+deb12u9\tamd64\ntzdata\t2024a-0+deb12u1\tall\n", encoding="utf-8")
        of_image = subprocess.run(
            [sys.executable, ROOT / "release/bom.py", "image", f"{folder}/crates.json", f"{folder}/packages"], check=True, capture_output=True, text=True
        ).stdout
    bills = {"of Linux": _bill(LINUX), "of Windows": _bill(WINDOWS), "of the image": json.loads(of_image)}
    for name, bill in bills.items():
        there = [bill["metadata"]["component"]["bom-ref"], *(one["bom-ref"] for one in bill["components"])]
        faults += [f"{name}: {one} is there twice" for one in set(there) if there.count(one) > 1]
        named = {one for edge in bill["dependencies"] for one in (edge["ref"], *edge["dependsOn"])}
        faults += [f"{name}: {one} is no component" for one in named - set(there)]
        faults += [f"{name}: nothing depends on {one}" for one in set(there) - _reached(bill)]
    # The other bills are made of the same parts, and the schema takes eight seconds.
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(of_image)
    faults += [f"of the image: {wrong}"] if wrong else []
    if '"name": "libc6"' not in of_image:
        faults.append("the bill of the image lacks its Debian packages")
    return faults


def _reached(bill):
    edges = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    waiting, found = [bill["metadata"]["component"]["bom-ref"]], set()
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += edges[one]
    return found


def bills_are_complete():
    """a bill has each dependency that a manifest names, with the checksum of Cargo.lock, and none of tests or other targets"""
    faults = []
    bill = _bill(LINUX)
    components = {one["name"]: one for one in bill["components"]}
    edges = {one["ref"].split("@")[0]: {on.split("@")[0] for on in one["dependsOn"]} for one in bill["dependencies"]}
    for folder in ("cli", "cli/demo-world", "common", "crawler", "miner", "page", "partitioner-worker"):
        manifest = _toml(f"{folder}/Cargo.toml")
        missing = {f"pkg:cargo/{name}" for name in manifest["dependencies"]} - edges[f"pkg:cargo/{manifest['package']['name']}"]
        faults += [f"{folder}: the bill lacks {name}" for name in sorted(missing)]
    locked = {(one["name"], one["version"]): one.get("checksum") for one in _toml("Cargo.lock")["package"]}
    for one in bill["components"]:
        checksum = locked.get((one["name"], one["version"]), "not locked")
        if checksum != (one["hashes"][0]["content"] if "hashes" in one else None):
            faults.append(f"{one['name']} {one['version']}: the checksum is not that of Cargo.lock")
    strangers = {"proptest", "newslode-e2e", "newslode-lab", "newslode-python", "windows-sys", "pyo3"} & set(components)
    faults += [f"{name} is no part of the programs" for name in sorted(strangers)]
    if "windows-sys" not in {one["name"] for one in _bill(WINDOWS)["components"]}:
        faults.append("the bill of Windows lacks windows-sys")
    scopes = {name: components[name]["scope"] for name in ("rustls", "ring", "serde_derive", "cc")}
    if scopes != {"rustls": "required", "ring": "required", "serde_derive": "excluded", "cc": "excluded"}:
        faults.append(f"scopes are {scopes}")
    return faults


def bills_are_reproducible():
    """equal sources give the same bill"""
    return [] if _bill(LINUX) == bom.crates(LINUX, PROGRAMS) else ["two bills differ"]


def metadata_is_complete():
    """the crate that is published, the wheel and the chart say what they are, under which licence, and where they come from"""
    faults = []
    listed = subprocess.run(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True, text=True)
    crates = json.loads(listed.stdout)["packages"]
    published = [one for one in crates if one["publish"] is None]
    if [one["name"] for one in published] != ["newslode-page"]:
        faults.append(f"published would be {[one['name'] for one in published]}; all but newslode-page say `publish = false`")
    about = _toml("Cargo.toml")["workspace"]["package"]
    faults += [f"{one['name']}: no {key}" for one in crates for key in ("description", "license", "repository", "rust_version") if not one[key]]
    faults += [f"{one['name']}: no {key}" for one in published for key in ("readme", "keywords", "categories") if not one[key]]
    wheel = _toml("python/pyproject.toml")["project"]
    for key in ("description", "readme", "license", "requires-python", "keywords", "classifiers", "authors"):
        faults += [] if wheel.get(key) else [f"pyproject.toml: no {key}"]
    for key in ("Repository", "Documentation", "Changelog", "Issues"):
        if not wheel.get("urls", {}).get(key, "").startswith(about["repository"]):
            faults.append(f"pyproject.toml: no URL {key} in {about['repository']}")
    chart = yaml.safe_load((ROOT / "k8s/chart/Chart.yaml").read_text(encoding="utf-8"))
    faults += [f"Chart.yaml: no {key}" for key in ("description", "home", "sources", "icon", "maintainers", "keywords") if not chart.get(key)]
    icon = chart.get("icon", "").partition("/main/")[2]
    return faults + ([] if (ROOT / icon).is_file() else [f"Chart.yaml: the icon `{icon}` is not in the repository"])


def addresses_are_one_place():
    """every address of the repository is that of Cargo.toml"""
    repository = _toml("Cargo.toml")["workspace"]["package"]["repository"]
    files = packing.git("ls-files").split()
    faults = []
    for name in files:
        with contextlib.suppress(UnicodeDecodeError, FileNotFoundError):
            for found in re.findall(r"https://(?:github|raw\.githubusercontent)\.com/[\w-]*newslode[\w-]*/[\w-]+", (ROOT / name).read_text(encoding="utf-8")):
                if found.replace("raw.githubusercontent.com", "github.com") != repository:
                    faults.append(f"{name}: {found}")
    return faults


def notes_are_made():
    """the notes of a release are its section of the changelog, and a version without one is refused"""
    text = "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.1.0 (2030-01-02)\n\n### A part\n- [one](docs/a.md#b), [two](https://a.test)\n\n## 1.1\n\n- old\n"
    made = notes.notes(text, "1.1.0", "https://a.test/r", "v1.1.0")
    faults = [] if made == "### A part\n- [one](https://a.test/r/blob/v1.1.0/docs/a.md#b), [two](https://a.test)\n" else [f"made: {made!r}"]
    if notes.section(text, "1.1") != "- old\n" or notes.section(text, "2") is not None:
        faults.append("a section is taken for another")
    with contextlib.suppress(SystemExit):
        notes.notes(text, "9.9.9", "https://a.test/r", "v9.9.9")
        faults.append("a version without a section is not refused")
    if not notes.section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "Unreleased"):
        faults.append("CHANGELOG.md has no section `## Unreleased`")
    return faults


def releases_are_collected():
    """a release is summed up only if its files are of one version, none is empty, and each archive has its bill"""
    version = packing.workspace()["version"]
    whole = {f"newslode-{version}-{LINUX}.tar.gz": "a", f"newslode-{version}-{LINUX}.cdx.json": "b", f"newslode-{version}.tar.gz": "c", f"newslode-chart-{version}.tgz": "d"}
    bill = f"newslode-{version}-{LINUX}.cdx.json"
    tries = {
        "a whole release": (whole, None),
        "another tag": (whole, "v99.0.0"),
        "a file of another version": (whole | {"newslode-99.0.0-any.whl": "e"}, None),
        "an empty file": (whole | {bill: ""}, None),
        "an archive without its bill": ({name: text for name, text in whole.items() if name != bill}, None),
    }
    faults = []
    for name, (files, tag) in tries.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, text in files.items():
                (Path(folder) / file).write_text(text)
            command = [ROOT / "release/collect.sh", folder]
            run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"TAG": tag or f"v{version}"})
            taken = run.returncode == 0 and subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder).returncode == 0
            if taken != (name == "a whole release"):
                faults.append(f"{name}: {'taken' if taken else run.stderr.strip()}")
    return faults


def archives_depend_on_contents():
    """an archive has the same bytes whenever it is made, and its programs can be run"""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program").write_text("#!/bin/sh\n")
        entries = [("a/text", ROOT / "LICENSE-MIT", False), ("a/program", Path(folder) / "program", True)]
        for ending in ("tar.gz", "zip"):
            one, two = (Path(folder) / f"{name}.{ending}" for name in ("one", "two"))
            packing.archive(one, entries)
            os.utime(Path(folder) / "program", (1, 1))
            packing.archive(two, entries[::-1])
            faults += [] if one.read_bytes() == two.read_bytes() else [f"two archives differ: {ending}"]
        with tarfile.open(Path(folder) / "one.tar.gz") as tar:
            modes = {member.name: member.mode for member in tar}
    return faults + ([] if modes == {"a/text": 0o644, "a/program": 0o755} else [f"modes are {modes}"])


CHECKS = [
    dependencies_are_allowed,
    what_is_not_allowed_is_found,
    an_advisory_is_found,
    bills_are_valid,
    bills_are_complete,
    bills_are_reproducible,
    metadata_is_complete,
    addresses_are_one_place,
    notes_are_made,
    releases_are_collected,
    archives_depend_on_contents,
]
WITH_DATABASE = {"NEWSLODE_CRATE_ADVISORIES": crates_have_no_advisory, "NEWSLODE_PYTHON_ADVISORIES": python_packages_have_no_advisory}


def main():
    failed = 0
    checks = CHECKS + [check for name, check in WITH_DATABASE.items() if os.environ.get(name)]
    for check in checks:
        try:
            faults = check()
        except Exception as error:  # a file that cannot be read is a fault of that file
            faults = [f"{type(error).__name__}: {error}"]
        failed += bool(faults)
        print(("FAIL " if faults else "ok   ") + check.__doc__.splitlines()[0])
        for fault in faults:
            print(f"       {fault}")
    for name in WITH_DATABASE:
        if not os.environ.get(name):
            print(f"note: {name} is not set; advisories were not looked up there")
    print(f"{len(checks) - failed} of {len(checks)} checks hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
