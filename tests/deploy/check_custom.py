"""Kinds of KEDA and of the Prometheus operator, and what scales: schemas of our own, names and metrics that exist."""

import json
import re
from pathlib import Path

import jsonschema
import yaml

import chart
import declared
import promql

SCHEMAS = {path.stem: json.loads(path.read_text()) for path in sorted((Path(__file__).parent / "schemas").glob("*.json"))}
PROMETHEUS = declared.ROOT / "deploy/prometheus"


def custom_kinds_are_valid():
    """ScaledObject, TriggerAuthentication, ServiceMonitor and PrometheusRule meet the schemas of tests/deploy/schemas"""
    faults, seen = [], set()
    for name, manifest in chart.every(*SCHEMAS):
        seen.add(manifest["kind"])
        for error in jsonschema.Draft202012Validator(SCHEMAS[manifest["kind"]]).iter_errors(manifest):
            faults.append(f"{name}: {manifest['kind']} {manifest['metadata']['name']}: {error.json_path}: {error.message[:200]}")
    return faults + [f"no {kind} is rendered" for kind in sorted(set(SCHEMAS) - seen)]


def one_thing_scales_each_service():
    """KEDA or HPA scales each service that is to be scaled, which then names no copies; else it names them"""
    faults, seen = [], set()
    for name, documents in chart.renderings().items():
        scalers = {}
        for manifest in documents:
            if manifest["kind"] in ("ScaledObject", "HorizontalPodAutoscaler"):
                spec = manifest["spec"]
                seen.add(manifest["kind"])
                low, high = (spec.get(f"{side}ReplicaCount", spec.get(f"{side}Replicas")) for side in ("min", "max"))
                faults += [] if 1 <= low <= high else [f"{name}: {manifest['metadata']['name']}: {low} to {high}"]
                scalers.setdefault(spec["scaleTargetRef"]["name"], []).append(manifest["kind"])
        for manifest in documents:
            if manifest["kind"] == "Deployment":
                service, copies = manifest["metadata"]["name"], manifest["spec"].get("replicas")
                given = scalers.pop(service, [])
                right = copies is None if len(given) == 1 else not given and copies >= 1
                faults += [] if right else [f"{name}: {service}: scaled by {given}, {copies} copies"]
        faults += [f"{name}: `{target}` is not there" for target in scalers]
    return faults + ([] if len(seen) == 2 else [f"only {seen} is rendered"])


def triggers_ask_for_what_exists():
    """KEDA's queues are those that the code declares, read by the service that is scaled; its query asks for declared metrics"""
    prefixes = {"production": "newslode", "everything": "news.lode"}
    known = {metric: labels | {"namespace": None} for metric, labels in declared.metrics().items()}
    reads = {"partitioner": "pages", "miner": "partitions"}
    # That these are the queues: each service's source consumes its own.
    for service, queue in {"partitioner-worker": "Pages", "miner": "Partitions"}.items():
        sources = (declared.ROOT / service / "src").rglob("*.rs")
        assert any(f"Queue::{queue}" in path.read_text(encoding="utf-8") for path in sources), f"{service} does not name {queue}"
    assert set(reads.values()) < set(re.findall(r'Queue::\w+ => "(\w+)"', (declared.ROOT / "common/src/broker/mod.rs").read_text()))
    faults, kinds = [], set()
    for name, manifest in chart.every("ScaledObject"):
        documents = {d["metadata"]["name"] for d in chart.renderings()[name] if d["kind"] == "TriggerAuthentication"}
        service = chart.component(manifest)
        for trigger in manifest["spec"]["triggers"]:
            asked = trigger["metadata"]
            kinds.add((service, trigger["type"]))
            if trigger["type"] == "rabbitmq":
                wanted = f"{prefixes[name]}.{reads.get(service)}"
                faults += [] if asked["queueName"] == wanted else [f"{name}: {service} waits for `{asked['queueName']}`, not `{wanted}`"]
                faults += [] if trigger["authenticationRef"]["name"] in documents else [f"{name}: {service}: nobody knows the broker"]
            else:
                faults += [f"{name}: {service}: {fault}" for fault in promql.wrong(asked["query"], known)]
                faults += [] if f'namespace="{chart.NAMESPACE}"' in asked["query"] else [f"{name}: {service}: all namespaces are asked"]
    wanted = {("crawler", "prometheus"), ("partitioner", "rabbitmq"), ("miner", "rabbitmq")}
    return faults + ([] if kinds == wanted else [f"scaled: {sorted(kinds)}"])


def monitors_name_the_jobs():
    """ServiceMonitors choose services and ports that are there, and give the jobs the names that alerts look for"""
    jobs = {job["job_name"] for job in yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())["scrape_configs"]}
    faults = []
    for name, documents in chart.renderings().items():
        services = [d for d in documents if d["kind"] == "Service"]
        found = set()
        for monitor in [d for d in documents if d["kind"] == "ServiceMonitor"]:
            chosen = [s for s in services if chart.selects(monitor["spec"]["selector"], s["metadata"]["labels"])]
            faults += [] if chosen else [f"{name}: {monitor['metadata']['name']} chooses nothing"]
            for endpoint in monitor["spec"]["endpoints"]:
                (rule,) = [r for r in endpoint["relabelings"] if r["targetLabel"] == "job"]
                for service in chosen:
                    ports = {port["name"] for port in service["spec"]["ports"]}
                    faults += [] if endpoint["port"] in ports else [f"{name}: no port {endpoint['port']}"]
                    part = service["metadata"]["labels"]["app.kubernetes.io/component"]
                    label = "__meta_kubernetes_service_label_app_kubernetes_io_component"
                    asked = rule.get("sourceLabels", [label]) == [label]
                    found.add(rule["replacement"].replace("$1", part) if asked else "")
        faults += [f"{name}: no job is called {job}" for job in sorted(found - jobs)]
        annotated = {where for where, _, meta, _ in chart.pods("Deployment") if where.startswith(f"{name}:") and "prometheus.io/scrape" in meta.get("annotations", {})}
        faults += [] if bool(found) != bool(annotated) else [f"{name}: scraped by monitors {sorted(found)} and annotations {sorted(annotated)}"]
        scraped = {job for job in found if job.startswith("newslode-")}
        parts = {service["metadata"]["labels"]["app.kubernetes.io/component"] for service in services}
        wanted = {f"newslode-{part}" for part in parts & {"crawler", "partitioner", "miner", "console"}}
        faults += [] if not found or scraped == wanted else [f"{name}: scraped are {sorted(scraped)} of {sorted(wanted)}"]
    return faults


def alerts_and_dashboards_are_one_source():
    """the PrometheusRule holds the alerts of deploy/, the ConfigMaps its dashboards, byte for byte"""
    groups = yaml.safe_load((PROMETHEUS / "rules.yml").read_text())["groups"]
    boards = {path.name: path.read_text().strip() for path in (declared.ROOT / "deploy/grafana/dashboards").glob("*.json")}
    faults, seen = [], 0
    for name, manifest in chart.every("PrometheusRule"):
        seen += 1
        faults += [] if manifest["spec"]["groups"] == groups else [f"{name}: other alerts"]
    shown = {}
    for name, manifest in chart.every("ConfigMap"):
        if manifest["metadata"]["labels"].get("grafana_dashboard") == "1":
            shown.setdefault(name, {}).update(manifest["data"])
    for name, found in shown.items():
        faults += [] if {file: text.strip() for file, text in found.items()} == boards else [f"{name}: other dashboards"]
    wanted = {"production", "everything"}
    return faults + ([] if seen == len(wanted) and set(shown) == wanted else [f"{seen} rules, dashboards of {sorted(shown)}"])


def schemas_bite():
    """the schemas of custom kinds find a wrong version, a misspelt field, an alert without a runbook"""
    objects = {}
    for _, manifest in chart.every(*SCHEMAS):
        objects.setdefault(manifest["kind"], manifest)

    def broken(kind, change):
        copy = json.loads(json.dumps(objects[kind]))
        change(copy)
        return not list(jsonschema.Draft202012Validator(SCHEMAS[kind]).iter_errors(copy))

    planted = [
        *((kind, lambda m: m.update(apiVersion="v1")) for kind in SCHEMAS),
        ("ScaledObject", lambda m: m["spec"].update(minReplicas=1)),
        ("ScaledObject", lambda m: m["spec"]["triggers"][0]["metadata"].update(queueLength="5")),
        ("ScaledObject", lambda m: m["spec"]["triggers"][0].update(type="kafka")),
        ("TriggerAuthentication", lambda m: m["spec"]["secretTargetRef"][0].update(parameter="url")),
        ("ServiceMonitor", lambda m: m["spec"]["endpoints"][0].update(targetport=9464)),
        ("PrometheusRule", lambda m: m["spec"]["groups"][0]["rules"][0]["annotations"].pop("runbook_url")),
        ("PrometheusRule", lambda m: m["spec"]["groups"][0]["rules"][0]["labels"].pop("severity")),
    ]
    return [f"nothing is found in change {i} of {kind}" for i, (kind, change) in enumerate(planted) if broken(kind, change)]


CHECKS = [
    custom_kinds_are_valid,
    one_thing_scales_each_service,
    triggers_ask_for_what_exists,
    monitors_name_the_jobs,
    alerts_and_dashboards_are_one_source,
    schemas_bite,
]
