#!/usr/bin/env python3
"""Prints the notes of a release: its section of CHANGELOG.md.

    release/notes.py VERSION            the section `## VERSION`, which a release needs
    release/notes.py --unreleased       the section `## Unreleased`, for trying out

Links to files of the repository lead to the version's tag, since a page of releases knows no relative links.
"""

import re
import sys

import packing

# `[words](path)`: a link whose target is neither a URL nor a place in the same page.
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")


def section(changelog, title):
    """The text under `## title`, or under `## title (date)`; None without one."""
    found = re.search(rf"^## {re.escape(title)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found and found.group(1).strip() + "\n"


def notes(changelog, title, repository, reference):
    text = section(changelog, title)
    if text is None or not text.strip():
        raise SystemExit(f"CHANGELOG.md has no section `## {title}`: rename `## Unreleased` before you tag")
    return _LINK.sub(lambda link: f"]({repository}/blob/{reference}/{link.group(1)})", text)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    changelog = (packing.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    repository = packing.workspace()["repository"]
    title, reference = ("Unreleased", "main") if sys.argv[1] == "--unreleased" else (sys.argv[1], f"v{sys.argv[1]}")
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(notes(changelog, title, repository, reference))


if __name__ == "__main__":
    main()
