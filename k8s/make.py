#!/usr/bin/env python3
"""Makes what of k8s/ is made from something else, so that each fact is written once.

    tests/deploy/run.sh make      in the environment of the checks
    python3 k8s/make.py           where PyYAML and helm-python-sdk are installed

- chart/files: copies of the alerts, dashboards and server settings of deploy/, since a chart reads only its own files.
- values.schema.json, `config`: from `newslode config schema`, if NEWSLODE_BIN names the program.
- values.yaml, and the table in chart/README.md: from values.schema.json.
- plain/newslode.yaml: the chart, rendered with plain/values.yaml.
"""

import json
import os
import subprocess
from pathlib import Path

import yaml

K8S = Path(__file__).resolve().parent
CHART = K8S / "chart"
DEPLOY = K8S.parent / "deploy"
COMMAND = "tests/deploy/run.sh make"
COPIED = ["prometheus/rules.yml", "rabbitmq/rabbitmq.conf", "rabbitmq/enabled_plugins", "redis/redis.conf"]
# Sections and keys that the chart sets itself, from other values or from secrets.
OWNED = {"broker": {"url"}, "store": {"url"}, "archive": {"url"}, "telemetry": {"admin"}, "crawler": {"contact", "proxy", "sites_file"}}
TABLE = ("<!-- values: made by k8s/make.py -->\n", "<!-- end of values -->\n")


def schema():
    return json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))


def settings(node):
    """(path, schema) of each value that has a default of its own, in the schema's order."""
    for name, inner in node["properties"].items():
        if "default" in inner:
            yield (name,), inner
        else:
            for path, leaf in settings(inner):
                yield (name, *path), leaf


def copies():
    dashboards = [f"grafana/dashboards/{path.name}" for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json"))]
    return {CHART / "files" / name: (DEPLOY / name).read_text(encoding="utf-8") for name in COPIED + dashboards}


def configuration(described):
    """The schema of `config`: that of the program, without what the chart sets itself."""
    sections = {}
    for section, given in described["properties"].items():
        inner = described["$defs"][given["$ref"].rsplit("/", 1)[1]]
        keys = {
            key: _checked(value, described["$defs"])
            for key, value in inner["properties"].items()
            if key not in OWNED.get(section, ())
        }
        sections[section] = {"type": "object", "additionalProperties": False, "properties": keys}
    return sections


def _checked(value, definitions):
    """Only what is checked of a key; the program itself explains it."""
    if "$ref" in value:
        value = definitions[value["$ref"].rsplit("/", 1)[1]]
    if "oneOf" in value:
        return {"enum": [one["const"] for one in value["oneOf"]]}
    made = {key: value[key] for key in ("type", "items", "minimum", "maximum", "enum") if key in value}
    return made | ({"items": _checked(made["items"], definitions)} if "items" in made else {})


def with_configuration(described):
    made = schema()
    made["properties"]["config"] |= {"additionalProperties": False, "properties": configuration(described)}
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _flow(value):
    return yaml.safe_dump(value, default_flow_style=True, width=1000, sort_keys=False).removesuffix("...\n").strip()


def values_file():
    lines = ["# Made from values.schema.json by k8s/make.py: change that file, not this one.", ""]

    def write(node, depth):
        for name, inner in node["properties"].items():
            indent = "  " * depth
            lines.append(f"{indent}# {inner['description']}")
            if "default" in inner:
                lines.append(f"{indent}{name}: {_flow(inner['default'])}")
            else:
                lines.append(f"{indent}{name}:")
                write(inner, depth + 1)

    write(schema(), 0)
    return "\n".join(lines) + "\n"


def table():
    lines = ["| value | default | meaning |", "|---|---|---|"]
    for path, leaf in settings(schema()):
        shown = leaf["default"]
        if isinstance(shown, (dict, list)) and len(json.dumps(shown)) > 60:
            shown = "see `values.yaml`"
        else:
            shown = f"`{json.dumps(shown, ensure_ascii=False)}`"
        choices = f" One of {', '.join(f'`{one}`' for one in leaf['enum'])}." if "enum" in leaf else ""
        lines.append(f"| `{'.'.join(path)}` | {shown} | {(leaf['description'] + choices).replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def _between(path, marks, inside):
    """The text of a file, with what stands between two marks made anew."""
    before, rest = path.read_text(encoding="utf-8").split(marks[0])
    _, after = rest.split(marks[1])
    return before + marks[0] + inside + marks[1] + after


def readme():
    return _between(CHART / "README.md", TABLE, table())


def plain():
    """The chart as plain manifests: what Helm installs, without its tests."""
    import helm_python

    values = yaml.safe_load((K8S / "plain/values.yaml").read_text(encoding="utf-8"))
    with helm_python.Chart.load(CHART) as chart:
        rendered = chart.render(values, name="newslode", namespace="newslode")
    found = []
    for path, text in sorted(rendered.items()):
        if path.endswith(".yaml"):
            for document in text.split("\n---"):
                body = document.removeprefix("---").strip()
                manifest = yaml.safe_load(body)
                if manifest and "helm.sh/hook" not in manifest["metadata"].get("annotations", {}):
                    found.append(body + "\n")
    head = f"# The chart, rendered with values.yaml by `{COMMAND}`: change the chart, or patch this from an overlay.\n"
    return head + "---\n" + "---\n".join(found)


def made():
    """Path -> text of every file that is made without the program; later ones may read earlier ones from disk."""
    return [
        copies,
        lambda: {CHART / "values.yaml": values_file()},
        lambda: {CHART / "README.md": readme()},
        lambda: {K8S / "plain/newslode.yaml": plain()},
    ]


def stale():
    """The files that are not what they would be made to be."""
    wrong = [path for make in made() for path, text in make().items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    there = {path for path in (CHART / "files").rglob("*") if path.is_file()}
    return wrong + sorted(there - set(copies()))


def described_by(binary):
    run = subprocess.run([binary, "config", "schema"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    binary = os.environ.get("NEWSLODE_BIN")
    if binary:
        described = described_by(binary)
        (CHART / "values.schema.json").write_text(with_configuration(described), encoding="utf-8")
    for make in made():
        for path, text in make().items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in sorted({path for path in (CHART / "files").rglob("*") if path.is_file()} - set(copies())):
        path.unlink()


if __name__ == "__main__":
    main()
