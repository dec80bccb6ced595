"""The chart, rendered by the real Helm with each file of values, and the plain manifest beside it.

`renderings` is what the checks of manifests walk through: name -> manifests.
"""

import functools
import sys

import helm_python
import yaml

from declared import ROOT

K8S = ROOT / "k8s"
CHART = K8S / "chart"
sys.path.insert(0, str(K8S))

# What a user is told to add to the example.
ADDED = {"trial": {"contact": "crawler@example.org"}}
FILES = {
    path.stem: path
    for folder in (CHART / "examples", ROOT / "tests/deploy/values")
    for path in sorted(folder.glob("*.yaml"))
}
NAMESPACE = "news"
# Enough for a chart without faults; tests of single values build on it.
LEAST = {"contact": "crawler@example.org", "rabbitmq": {"secret": "servers"}, "redis": {"secret": "servers"}}


def values(name):
    return yaml.safe_load(FILES[name].read_text(encoding="utf-8")) | ADDED.get(name, {})


def merged(*layers):
    """Later layers win; tables are merged."""
    result = {}
    for layer in layers:
        for key, value in layer.items():
            both = isinstance(value, dict) and isinstance(result.get(key), dict)
            result[key] = merged(result[key], value) if both else value
    return result


class _Once(yaml.SafeLoader):
    """Refuses a key that is there twice, of which PyYAML would take the last one."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.YAMLError(f"{sorted(twice)} twice{node.start_mark}")
        return super().construct_mapping(node, deep)


def texts(given, release="try"):
    """Path -> text of every template; raises with Helm's words if it refuses the values."""
    with helm_python.Chart.load(CHART) as chart:
        return chart.render(given, name=release, namespace=NAMESPACE)


def manifests(given, release="try"):
    return [
        document
        for path, text in sorted(texts(given, release).items())
        if path.endswith(".yaml")
        for document in yaml.load_all(text, _Once)
        if document
    ]


def refusal(given):
    """What Helm says, or None if it takes the values."""
    try:
        texts(given)
    except helm_python.HelmError as error:
        return str(error)
    return None


@functools.cache
def renderings():
    found = {name: manifests(values(name)) for name in FILES}
    found["plain"] = [
        document
        for file in ("namespace.yaml", "newslode.yaml")
        for document in yaml.safe_load_all((K8S / "plain" / file).read_text(encoding="utf-8"))
        if document
    ]
    return found


def every(*kinds):
    """(name of the rendering, manifest) of these kinds, or all."""
    for name, documents in renderings().items():
        for manifest in documents:
            if not kinds or manifest["kind"] in kinds:
                yield name, manifest


def component(manifest):
    return manifest["metadata"]["labels"].get("app.kubernetes.io/component")


def pods(*kinds):
    """(where, manifest, its pod's metadata, its pod's spec): of services, servers and tests, or of these kinds."""
    for name, manifest in every(*(kinds or ("Deployment", "StatefulSet", "Pod"))):
        where = f"{name}: {manifest['metadata']['name']}"
        template = manifest if manifest["kind"] == "Pod" else manifest["spec"]["template"]
        yield where, manifest, template["metadata"], template["spec"]


def selects(selector, labels):
    """Whether a label selector of Kubernetes chooses these labels."""
    chosen = selector.get("matchLabels", {}).items() <= labels.items()
    for rule in selector.get("matchExpressions", []):
        assert rule["operator"] == "In", rule
        chosen &= labels.get(rule["key"]) in rule["values"]
    return chosen
