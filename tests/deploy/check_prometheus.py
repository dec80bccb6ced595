"""Prometheus' configuration, the alerts, the dashboards: by promtool, and against what the code declares."""

import itertools
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import yaml

import declared
import panels
import promql

RUNBOOK = declared.ROOT / "docs/runbook.md"
RUNBOOK_URL = "https://github.com/newslode/newslode/blob/main/docs/runbook.md"
PARTS = ["Means.", "See.", "Do.", "If nothing is done."]
MOST_PANELS = 25
PROMETHEUS = declared.ROOT / "deploy/prometheus"
GRAFANA = declared.ROOT / "deploy/grafana"


def _promtool(*arguments):
    run = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)
    return (run.stdout + run.stderr).strip().splitlines() if run.returncode else []


def _rules():
    groups = yaml.safe_load((PROMETHEUS / "rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def prometheus_takes_its_files():
    """promtool takes prometheus.yml and rules.yml"""
    return _promtool("check", "config", PROMETHEUS / "prometheus.yml") + _promtool("check", "rules", PROMETHEUS / "rules.yml")


def alerts_fire_when_they_should():
    """each alert fires on its trouble and is silent on a healthy run (promtool test rules)"""
    texts = [path.read_text() for path in sorted(Path(__file__).parent.glob("rules*_test.yml"))]
    fired = set(re.findall(r'exp_samples:\n((?: +- .*\n)+)', "\n".join(texts)))
    tested = set(re.findall(r'alertname="(\w+)"', "".join(fired)))
    faults = [f"no test lets {rule['alert']} fire" for rule in _rules() if rule["alert"] not in tested]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.yml" for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text.replace("RULES", json.dumps(str(PROMETHEUS / "rules.yml")), 1))
        return faults + _promtool("test", "rules", *paths)


def alerts_say_what_to_do():
    """each alert has a severity, a summary and its section of the runbook, and asks for declared metrics only"""
    known, faults = declared.metrics(), []
    for rule in _rules():
        name, notes = rule["alert"], rule.get("annotations", {})
        faults += [] if notes.get("summary") else [f"{name} has no summary"]
        faults += [] if notes.get("runbook_url") == f"{RUNBOOK_URL}#{name.lower()}" else [f"{name}: runbook_url"]
        faults += [] if rule.get("labels", {}).get("severity") in {"critical", "warning", "info"} else [f"{name}: severity"]
        faults += [f"{name}: {fault}" for fault in promql.wrong(rule["expr"], known)]
    return faults


def _sections():
    """(name, text) of each alert's section of the runbook."""
    _, *parts = re.split(r"^## (Newslode\w+)$", RUNBOOK.read_text(encoding="utf-8"), flags=re.M)
    return list(zip(parts[::2], (re.split(r"^## ", part, flags=re.M)[0] for part in parts[1::2])))


def runbook_has_each_alert():
    """the runbook has a section for each alert and for nothing else, in their order, each with its four parts"""
    alerts, sections = [rule["alert"] for rule in _rules()], _sections()
    names = [name for name, _ in sections]
    faults = [f"no section {name}" for name in alerts if name not in names] + [f"no alert {name}" for name in names if name not in alerts]
    faults += [] if faults or names == alerts else ["the sections are in another order than the alerts"]
    for name, text in sections:
        parts = re.findall(r"^\*\*([^*]+)\*\*", text, re.M)
        faults += [] if parts == PARTS else [f"{name} has the parts {parts}"]
    known = declared.metrics()
    for word in sorted(set(re.findall(r"`((?:newslode|rabbitmq|process)_\w+)", RUNBOOK.read_text(encoding="utf-8")))):
        faults += [] if word in known or f"{word}_sum" in known else [f"`{word}` is declared nowhere"]
    return faults


def documented_commands_exist():
    """`newslode` knows the commands and options that the runbook and the manual tell"""
    faults, told = [], set()
    for path in (RUNBOOK, declared.ROOT / "docs/operations.md"):
        text = path.read_text(encoding="utf-8")
        told |= set(re.findall(r"`newslode ([^`]+)`", text)) | set(re.findall(r"^ {4}newslode ([^#\n]+)", text, re.M))
    for line in sorted(told):
        words = line.split()
        command = list(itertools.takewhile(lambda word: re.fullmatch(r"[a-z]+", word), words))[:2]
        # What follows a command without commands of its own is an argument, such as a queue's name.
        run = _help(command)
        if run.returncode and len(command) == 2:
            run = _help(command[:1])
        options = [word.split("=")[0] for word in words if word.startswith("--")]
        faults += [f"`newslode {line}`: {run.stderr.splitlines()[0]}"] if run.returncode else []
        faults += [f"`newslode {line}` has no {option}" for option in options if not re.search(rf"{option}\b", run.stdout)]
    return faults if len(told) > 10 else [*faults, f"only {len(told)} commands are told"]


def _help(command):
    return subprocess.run([os.environ["NEWSLODE_BIN"], *command, "--help"], capture_output=True, text=True, timeout=60)


def targets_are_the_services():
    """what is scraped stands in compose.yaml, at the ports that are served"""
    compose = yaml.safe_load((declared.ROOT / "deploy/compose.yaml").read_text())["services"]
    jobs = {job["job_name"]: job for job in yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())["scrape_configs"]}
    faults = [f"no job newslode-{name}" for name in ("crawler", "partitioner", "miner", "console") if f"newslode-{name}" not in jobs]
    for name, job in jobs.items():
        found = [(host, found["port"]) for found in job.get("dns_sd_configs", []) for host in found["names"]]
        fixed = [target.split(":") for config in job.get("static_configs", []) for target in config["targets"]]
        for host, port in found + [(host, int(port)) for host, port in fixed]:
            if (host, port) == ("localhost", 9090):
                continue
            wanted = 15692 if host == "rabbitmq" else 9464
            faults += [] if host in compose and port == wanted else [f"{name}: {host}:{port}"]
    queues = jobs.get("rabbitmq-queues", {})
    asked = (queues.get("metrics_path"), queues.get("params"))
    faults += [] if asked == ("/metrics/detailed", {"family": ["queue_coarse_metrics"]}) else [f"rabbitmq-queues asks {asked}"]
    return faults


def dashboards_are_whole():
    """dashboards: unique uids and titles, few panels, each with description, unit and legend, one data source variable, no overlap"""
    faults, names = [], []
    for path in sorted((GRAFANA / "dashboards").glob("*.json")):
        dashboard = json.loads(path.read_text())
        names += [dashboard["uid"], dashboard["title"]]
        every = list(panels.flat(dashboard["panels"]))
        ids = [panel["id"] for panel in every]
        faults += [] if len(set(ids)) == len(ids) else [f"{path.name}: panel ids {ids}"]
        faults += [] if dashboard["schemaVersion"] == 39 else [f"{path.name}: schemaVersion"]
        variables = [(v["name"], v["type"], v["query"]) for v in dashboard["templating"]["list"]]
        faults += [] if ("datasource", "datasource", "prometheus") in variables else [f"{path.name}: no data source variable"]
        number = sum(panel["type"] != "row" for panel in every)
        faults += [] if number <= MOST_PANELS else [f"{path.name}: {number} panels"]
        taken = {}
        for panel in every:
            place = panel["gridPos"]
            for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])):
                if cell in taken or cell[0] >= 24:
                    faults.append(f"{path.name}: `{panel['title']}` lies on `{taken.get(cell, 'the edge')}`")
                    break
                taken[cell] = panel["title"]
            if panel["type"] == "row":
                continue
            faults += [f"{path.name}: `{panel['title']}` has no description"] if not panel.get("description") else []
            faults += [f"{path.name}: `{panel['title']}` asks nothing"] if not panel.get("targets") else []
            faults += [] if panel["fieldConfig"]["defaults"].get("unit") else [f"{path.name}: `{panel['title']}` has no unit"]
            for target in panel.get("targets", []):
                faults += [] if target.get("legendFormat") else [f"{path.name}: `{panel['title']}` has no legend"]
                for source in (panel["datasource"], target["datasource"]):
                    faults += [] if source["uid"] == "${datasource}" else [f"{path.name}: `{panel['title']}` names {source}"]
                marked = promql.tokens(target["expr"].replace("$__rate_interval", "GIVEN").replace("$__range", "GIVEN"))
                fixed = [text for kind, text in marked if kind == "range" and text != "[GIVEN]"]
                faults += [f"{path.name}: `{panel['title']}` has the fixed interval {text}" for text in fixed]
    return faults + ([] if names and len(set(names)) == len(names) else [f"uids and titles: {names}"])


def expressions_are_promql():
    """every panel's expression is taken by promtool and asks for declared metrics and labels only"""
    every, known = panels.expressions(), declared.metrics()
    faults = [f"`{item['panel']}`: {fault}" for item in every for fault in promql.wrong(item["expr"], known)]
    rules = [{"record": f"panel:{i}", "expr": item["expr"]} for i, item in enumerate(every)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}, file)
        file.flush()
        faults += _promtool("check", "rules", file.name)
    return faults if len(every) > 15 else [*faults, f"only {len(every)} expressions"]


def each_metric_is_shown():
    """every metric that the code declares is on a dashboard, but for what was built, which is looked up"""
    shown = {name for item in panels.expressions() for name in promql.selectors(item["expr"])[0]}
    ours = {name for name in declared.metrics() if name.startswith("newslode_") and not name.endswith(("_sum", "_count", "_info"))}
    return [f"`{name}` is on no panel" for name in sorted(ours - shown)]


def wrong_names_are_found():
    """the reader of expressions finds a misspelt metric, label, value and group"""
    known = declared.metrics()
    planted = [
        "sum(newslode_crawler_url_total)",
        'newslode_crawler_urls_total{outcom="gone"}',
        'rate(newslode_crawler_urls_total{outcome=~"gone|timeot"}[5m])',
        "sum by (server) (newslode_crawler_urls_total)",
        "vector(1)",
    ]
    return [f"nothing is found wrong in `{expr}`" for expr in planted if not promql.wrong(expr, known)]


def grafana_is_provisioned():
    """the provider's folder and the data source are those that compose.yaml gives"""
    provider = yaml.safe_load((GRAFANA / "provisioning/dashboards/newslode.yaml").read_text())["providers"][0]
    source = yaml.safe_load((GRAFANA / "provisioning/datasources/prometheus.yaml").read_text())["datasources"][0]
    compose = yaml.safe_load((declared.ROOT / "deploy/compose.yaml").read_text())["services"]
    mounted = [volume.split(":")[1] for volume in compose["grafana"]["volumes"]]
    faults = [] if provider["options"]["path"] in mounted else [f"{provider['options']['path']} is not mounted"]
    faults += [] if provider["allowUiUpdates"] is False else ["allowUiUpdates"]
    faults += [] if source["url"] == "http://prometheus:9090" and "prometheus" in compose else [source["url"]]
    return faults


CHECKS = [
    prometheus_takes_its_files,
    alerts_fire_when_they_should,
    alerts_say_what_to_do,
    runbook_has_each_alert,
    targets_are_the_services,
    dashboards_are_whole,
    expressions_are_promql,
    each_metric_is_shown,
    wrong_names_are_found,
    grafana_is_provisioned,
]

WITH_BINARY = [documented_commands_exist]
