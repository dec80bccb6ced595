#!/bin/sh
# Installs a wheel into a clean environment, without any registry, and reads an article with it.
#   release/try-wheel.sh WHEEL [PYTHON]
set -eu

wheel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${2:-python3}" -m venv "$folder/venv"
bin=$folder/venv/bin
[ -d "$bin" ] || bin=$folder/venv/Scripts
"$bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel"
cd "$folder"
"$bin/python" - <<'PYTHON'
import importlib.metadata as metadata
import json

import newslode

page = b"""<html lang=en><title>Rain ends the drought - The Herald</title><meta property=og:type content=article>
<meta name=author content="Ada Lane"><nav><a href=/>Home</a> <a href=/sport>Sport</a></nav><h1>Rain ends the drought</h1>
<p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.
<p>The reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban ends today."""
article = newslode.extract(page, "https://news.example.org/2024/05/02/rain-ends-the-drought")
assert (article.title, article.authors) == ("Rain ends the drought", ["Ada Lane"]), article

about = metadata.metadata("newslode")
assert about["License-Expression"] == "MIT OR Apache-2.0", about
assert any(url.startswith("Repository, ") for url in about.get_all("Project-URL")), about
(bill,) = [file for file in metadata.files("newslode") if ".dist-info/sboms/" in file.as_posix()]
components = {one["name"] for one in json.loads(bill.read_text())["components"]}
assert {"newslode-page", "html5ever", "pyo3"} <= components, components
print(f"newslode {about['Version']} works, its bill has {len(components)} components")
PYTHON
