#!/usr/bin/env python3
"""Writes a bill of materials: CycloneDX 1.6 as JSON, to standard output.

    release/bom.py crates TARGET PACKAGE...     what cargo builds into these packages for a target
    release/bom.py image CRATES PACKAGES        the same in an image, with the Debian packages that are in it

The crates are those that `cargo tree` resolves for exactly these packages and this target, so a bill of Linux has no crate
of Windows. `scope` says how a crate is used: `required` ones are in the program, `excluded` ones (procedural macros, build
scripts) only take part in building it. CRATES is a bill of the first kind. PACKAGES is the output of

    dpkg-query -W -f '${Package}\\t${Version}\\t${Architecture}\\n'

Equal sources give equal bytes: the time is that of the commit (or SOURCE_DATE_EPOCH), and the serial number is computed from
the rest.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path
from urllib.parse import quote

import packing


def _cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=packing.ROOT, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def _tree(target, packages, edges):
    """What `cargo tree` prints: the crates in its order, and the dependencies of each, both as (name, version)."""
    chosen = [argument for package in packages for argument in ("--package", package)]
    lines = _cargo("tree", "--locked", "--target", target, "--edges", edges, "--prefix", "depth", "--format", "\t{p}", *chosen)
    crates, above = {}, []
    for line in lines.splitlines():
        if not line:
            continue
        depth, name, version, *_ = line.replace("\t", " ").split()
        crate = (name, version.removeprefix("v"))
        del above[int(depth):]
        crates.setdefault(crate, set())
        if above:
            crates[above[-1]].add(crate)
        above.append(crate)
    return crates


def _reference(name, version, source, commit):
    purl = f"pkg:cargo/{quote(name)}@{quote(version)}"
    # The workspace's own crates are on no registry.
    return purl if source else f"{purl}?vcs_url={quote(f'git+{commit}', safe='')}"


def _component(package, checksum, reference, scope):
    made = {"type": "library", "bom-ref": reference, "name": package["name"], "version": package["version"], "scope": scope}
    if package["description"]:
        made["description"] = " ".join(package["description"].split())
    if checksum:
        made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["license"]:
        # Old manifests separate by a slash, which is no SPDX.
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    made["purl"] = reference
    if package["repository"]:
        made["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return made


def _bill(component, components, dependencies):
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(packing.epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lifecycles": [{"phase": "build"}],
            "tools": {"components": [{"type": "application", "name": "release/bom.py", "version": component["version"]}]},
            "component": component,
        },
        "components": sorted(components, key=lambda one: one["bom-ref"]),
        "dependencies": [{"ref": ref, "dependsOn": sorted(on)} for ref, on in sorted(dependencies.items())],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    return {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "serialNumber": serial.urn, **bill}


def crates(target, packages):
    """The bill of what cargo builds into packages of the workspace for a target."""
    built = _tree(target, packages, "normal,build")
    inside = set(_tree(target, packages, "normal,no-proc-macro"))
    known = {(one["name"], one["version"]): one for one in json.loads(_cargo("metadata", "--locked", "--format-version", "1"))["packages"]}
    locked = tomllib.loads((packing.ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    about = packing.workspace()
    commit = f"{about['repository']}@{packing.git('rev-parse', 'HEAD')}"
    references = {crate: _reference(*crate, known[crate]["source"], commit) for crate in built}
    components = [
        _component(known[crate], checksums[crate], references[crate], "required" if crate in inside else "excluded") for crate in built
    ]
    root = {
        "type": "application",
        "bom-ref": f"newslode-{target}",
        "name": "newslode",
        "version": about["version"],
        "licenses": [{"expression": about["license"]}],
        "externalReferences": [{"type": "vcs", "url": about["repository"]}],
        "properties": [{"name": "newslode:target", "value": target}],
    }
    dependencies = {references[crate]: {references[one] for one in on} for crate, on in built.items()}
    dependencies[root["bom-ref"]] = {references[crate] for crate in built if crate[0] in packages}
    return _bill(root, components, dependencies)


def image(bill, packages):
    """The bill of an image: that of its programs, and the Debian packages that it holds."""
    programs = bill["metadata"]["component"]
    components, dependencies = [programs, *bill["components"]], {one["ref"]: set(one["dependsOn"]) for one in bill["dependencies"]}
    root = programs | {"type": "container", "bom-ref": programs["bom-ref"].replace("newslode-", "image-", 1)}
    dependencies[root["bom-ref"]] = {programs["bom-ref"]}
    for line in packages.splitlines():
        name, version, architecture = line.split("\t")
        purl = f"pkg:deb/debian/{quote(name)}@{quote(version, safe='')}?arch={architecture}"
        components.append({"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl})
        dependencies[purl] = set()
        dependencies[root["bom-ref"]].add(purl)
    return _bill(root, components, dependencies)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    of_crates = kinds.add_parser("crates")
    of_crates.add_argument("target")
    of_crates.add_argument("packages", nargs="+")
    of_image = kinds.add_parser("image")
    of_image.add_argument("crates", type=Path)
    of_image.add_argument("packages", type=Path)
    asked = parser.parse_args()
    if asked.kind == "crates":
        bill = crates(asked.target, asked.packages)
    else:
        bill = image(json.loads(asked.crates.read_text(encoding="utf-8")), asked.packages.read_text(encoding="utf-8"))
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    json.dump(bill, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
