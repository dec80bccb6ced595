#!/usr/bin/env python3
"""Writes regions.ttl.zst: continents and territories, what contains them, and their names in all languages of Unicode's CLDR.

usage: regions.py FOLDER [--check] [--write] [--print]

FOLDER holds the packages below, unpacked; in an empty folder:

    npm pack cldr-core@48.2.0 cldr-localenames-full@48.2.0
    for package in *.tgz; do mkdir ${package%-*} && tar xzf $package -C ${package%-*} --strip-components=1; done

Names that a locale has from its parent are left out. regions-added.ttl is put behind them as it is. Standard library, and the
program `zstd`.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMMITTED = HERE / "regions.ttl.zst"
ADDED = HERE / "regions-added.ttl"
SCHEME = "<urn:newslode:regions>"
HEAD = f"""\
# Regions, from Unicode CLDR 48.2 (Unicode License V3, in LICENSE-UNICODE), and what Newslode added, at the end. Written by
# miner/schemes/regions.py; not by hand.
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix : <urn:newslode:regions:> .

{SCHEME} a skos:ConceptScheme .
"""
# No region: unknown ones, made-up ones for tests.
NONE = {"ZZ", "XA", "XB"}
# Groups whose members CLDR lists and whose names sites use. The euro zone and the United Nations are no places.
GROUPS = {"EU", "419", "202", "003"}


def names(folder: pathlib.Path) -> dict[str, dict[str, str]]:
    """Of each locale the names that its parent does not have."""
    main = folder / "cldr-localenames-full/main"
    parents = json.loads((folder / "cldr-core/supplemental/parentLocales.json").read_text("utf-8"))
    parents = parents["supplemental"]["parentLocales"]["parentLocale"]
    all_names = {}
    for file in sorted(main.glob("*/territories.json")):
        locale = file.parent.name
        all_names[locale] = json.loads(file.read_text("utf-8"))["main"][locale]["localeDisplayNames"]["territories"]

    own = {}
    for locale, territories in all_names.items():
        parent = parents.get(locale) or (locale.rsplit("-", 1)[0] if "-" in locale else None)
        known = all_names.get(parent, {})
        own[locale] = {
            key: name for key, name in territories.items()
            if name != known.get(key) and name != key.split("-")[0] and key.split("-")[0] not in NONE
        }
    return {locale: names for locale, names in own.items() if names}


def containment(folder: pathlib.Path) -> dict[str, set[str]]:
    """Of each region those that contain it."""
    table = json.loads((folder / "cldr-core/supplemental/territoryContainment.json").read_text("utf-8"))
    above: dict[str, set[str]] = {}
    for key, entry in table["supplemental"]["territoryContainment"].items():
        broad, _, status = key.partition("-")
        if status == "status-deprecated" or broad in {"EZ", "UN"} or (entry.get("_grouping") and broad not in GROUPS):
            continue
        for narrow in entry["_contains"]:
            if narrow not in {"EZ", "UN"}:
                above.setdefault(narrow, set()).add(broad)
    above["EU"] = {"150"}
    return above


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def turtle(folder: pathlib.Path) -> str:
    own, above = names(folder), containment(folder)
    codes = sorted({key.split("-")[0] for names in own.values() for key in names})
    lines = [HEAD]
    for code in codes:
        top = f"skos:topConceptOf {SCHEME}" if code not in above else "skos:broader " + ", ".join(f":{broad}" for broad in sorted(above[code]))
        lines.append(f":{code} a skos:Concept ; skos:inScheme {SCHEME} ; skos:notation {quoted(code)} ; {top} .")
    # By language, because names of one language pack best beside each other.
    for locale, territories in own.items():
        lines.append("")
        for key, name in sorted(territories.items()):
            code, _, other = key.partition("-")
            kind = "altLabel" if other else "prefLabel"
            lines.append(f":{code} skos:{kind} {quoted(name)}@{locale} .")
    return "\n".join(lines) + "\n\n" + ADDED.read_text("utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="fail if the committed file differs")
    parser.add_argument("--write", action="store_true", help="write the committed file")
    parser.add_argument("--print", action="store_true", help="print the Turtle")
    given = parser.parse_args()
    text = turtle(given.folder)
    if given.print:
        sys.stdout.write(text)
    if given.write:
        packed = subprocess.run(["zstd", "-19", "--check", "-c"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        COMMITTED.write_bytes(packed)
    if given.check:
        committed = subprocess.run(["zstd", "-dc", str(COMMITTED)], stdout=subprocess.PIPE, check=True).stdout.decode()
        if committed != text:
            sys.exit("regions.ttl.zst is not what regions.py writes: run it with --write")


if __name__ == "__main__":
    main()
