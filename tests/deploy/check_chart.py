"""The chart as Helm sees it: lint, values that are refused and what is said, secrets that are missing, files that are made."""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import helm_python
import yaml

import chart
import cluster
import make

_UNKNOWN = "additional properties"
# What values.schema.json refuses: values, and words of the refusal.
WRONG = [
    ({"contcat": "a@example.org"}, _UNKNOWN),
    ({"crawler": {"replica": 2}}, _UNKNOWN),
    ({"crawler": {"replicas": "2"}}, "replicas"),
    ({"miner": {"replicas": 0}}, "replicas"),
    ({"partitioner": {"resources": {"limits": {"memory": "1 GB"}}}}, "memory"),
    ({"partitioner": {"resources": {"limits": {"memory": None}}}}, "memory"),
    ({"image": {"pullPolicy": "Sometimes"}}, "pullPolicy"),
    ({"schemes": {"subjects.csv": "a"}}, "subjects.csv"),
    ({"config": {"miner": {"builtin_schemes": ["topic"]}}}, "builtin_schemes"),
    ({"image": {"digest": "sha256:12"}}, "digest"),
    ({"archive": {"type": "folders"}}, "type"),
    ({"archive": {"folder": {"accessMode": "ReadOnlyMany"}}}, "accessMode"),
    ({"archive": {"s3": {"endpoint": "s3.example.org"}}}, "endpoint"),
    ({"archive": {"s3": {"prefix": "/pages/"}}}, "prefix"),
    ({"config": {"crawlers": {}}}, _UNKNOWN),
    ({"config": {"crawler": {"worker": 3}}}, _UNKNOWN),
    ({"config": {"crawler": {"workers": "many"}}}, "workers"),
    ({"config": {"crawler": {"workers": 1.5}}}, "workers"),
    ({"config": {"miner": {"follow": "everything"}}}, "follow"),
    ({"config": {"broker": {"url": "amqp://a:b@c"}}}, _UNKNOWN),
    ({"rabbitmq": {"password": "p@ss/word"}}, "password"),
    ({"networkPolicy": {"redis": []}}, "redis"),
    ({"networkPolicy": {"s3": [{"ipblock": {"cidr": "192.0.2.0/24"}}]}}, _UNKNOWN),
    ({"networkPolicy": {"internetPorts": [0]}}, "internetPorts"),
    ({"extraEnv": [{"name": "A", "valeu": "b"}]}, _UNKNOWN),
    ({"monitoring": {"interval": "often"}}, "interval"),
    ({"console": {"trustedProxies": ["proxy.example.org"]}}, "trustedProxies"),
]
# After what is wrong comes what to do.
_MEND = re.compile(r"[:;] (set|choose|turn|use|name|lower|raise|leave|for a server of yours write) ")
_BUNDLED = {"bundled": True, "secret": ""}
# Values that are right each and contradict each other: values, and the keys that one message must name.
CONTRADICTIONS = [
    ({"contact": ""}, ["`contact`", "mail address"]),
    ({"redis": {"bundled": True}}, ["`redis.bundled`", "`redis.secret`", "choose one"]),
    ({"rabbitmq": {"bundled": True}}, ["`rabbitmq.bundled`", "`rabbitmq.secret`", "choose one"]),
    ({"redis": {"secret": ""}}, ["`redis.secret`", "`redis.bundled`"]),
    ({"redis": {"tlsSecret": "tls"}}, ["`redis.tlsSecret`", "`rediss://`"]),
    ({"rabbitmq": _BUNDLED | {"tlsSecret": "tls"}}, ["`rabbitmq.tlsSecret`", "`ca.secret`"]),
    ({"autoscaling": {"keda": {"enabled": True, "prometheus": "http://p"}, "hpa": {"enabled": True}}},
     ["`autoscaling.keda.enabled`", "`autoscaling.hpa.enabled`", "turn one off"]),
    ({"miner": {"autoscaling": {"minReplicas": 5}}}, ["`miner.autoscaling.minReplicas` is 5", "`miner.autoscaling.maxReplicas`"]),
    ({"autoscaling": {"keda": {"enabled": True}}}, ["`autoscaling.keda.prometheus`", "`crawler.autoscaling.enabled`"]),
    ({"autoscaling": {"keda": {"enabled": True, "prometheus": "http://p"}}, "config": {"crawler": {"workers": 8}}},
     ["`crawler.autoscaling.target` is 12", "`config.crawler.workers` is 8"]),
    ({"archive": {"folder": {"accessMode": "ReadWriteOnce"}}},
     ["`archive.folder.accessMode`", "ReadWriteMany", "`archive.folder.singleNode: true`"]),
    ({"archive": {"s3": {"bucket": "b"}}}, ["`archive.type` is folder", "`archive.type: s3`"]),
    ({"archive": {"type": "s3"}, "networkPolicy": {"enabled": False}}, ["`archive.s3.bucket`"]),
    ({"archive": {"type": "s3", "s3": {"bucket": "b"}}}, ["`networkPolicy.s3`"]),
    ({"archive": {"type": "s3", "s3": {"bucket": "b"}, "folder": {"existingClaim": "c"}}, "networkPolicy": {"enabled": False}},
     ["`archive.folder.existingClaim`", "choose one"]),
    ({"terminationGracePeriodSeconds": 30}, ["`terminationGracePeriodSeconds` is 30", "crawler may need 66", "`config.crawler.timeout_ms`"]),
    ({"config": {"miner": {"grace_ms": 120000}}}, ["`terminationGracePeriodSeconds` is 90", "miner may need 121", "`config.miner.grace_ms`"]),
    ({"serviceAccount": {"create": False}}, ["`serviceAccount.name`"]),
    ({"console": {"hosts": ["console.example.org"]}}, ["`console.hosts`", "`networkPolicy.console`"]),
]


def helm_lint_is_silent():
    """helm lint --strict finds nothing, with the defaults and with every file of values"""
    faults = []
    for name, given in {"defaults": {}, **{name: chart.values(name) for name in chart.FILES}}.items():
        report = helm_python.lint(chart.CHART, given, strict=True)
        loud = [message["error"] for message in report["messages"]]
        faults += [f"{name}: {said}" for said in [*loud, *report["errors"]]]
    return faults


def wrong_values_are_refused():
    """values.schema.json refuses misspelt keys, wrong types and wrong forms, and names the place"""
    faults = [] if chart.refusal(chart.LEAST) is None else ["the least values are refused"]
    for given, words in WRONG:
        said = chart.refusal(chart.merged(chart.LEAST, given))
        if said is None or "schema" not in said or words not in said:
            faults.append(f"{given}: {said or 'taken'}")
    return faults


def contradictions_name_their_mend():
    """values that contradict each other are refused by one message that names both sides and the mend"""
    faults = []
    for given, words in CONTRADICTIONS:
        said = chart.refusal(chart.merged(chart.LEAST, given)) or "taken"
        missing = [word for word in words if word not in said]
        mended = _MEND.search(said)
        faults += [f"{given}: no {missing or 'mend'} in: {said}"] if missing or not mended or said.count("\n- ") != 1 else []
    both = chart.refusal({"rabbitmq": {"secret": "a"}, "autoscaling": {"hpa": {"enabled": True}, "keda": {"enabled": True}}}) or ""
    wanted = ["`contact`", "`redis.secret`", "`autoscaling.keda.enabled`", "`autoscaling.keda.prometheus`"]
    return faults + [f"not told together with the others: {word}" for word in wanted if word not in both]


def missing_secrets_are_named():
    """a secret or key that the cluster does not hold is refused with the command that makes it, and nothing is sent"""
    text = base64.b64encode(b"x").decode()
    whole = {"servers": {"broker-url": text, "store-url": text}}
    faults = []
    for held, words in [
        (whole, []),
        ({}, ["secret `servers` (`rabbitmq.secret`)", "kubectl -n news create secret generic servers --from-file=broker-url=./broker-url"]),
        ({"servers": {"broker-url": text}}, ["secret `servers` (`redis.secret`) has no key `store-url`"]),
    ]:
        said, asked = _rendered(chart.LEAST, held)
        faults += [f"{sorted(held)}: no {word} in: {said}" for word in words if word not in str(said)]
        faults += [f"{sorted(held)}: refused: {said}"] if not words and not isinstance(said, dict) else []
        faults += [f"it sent {request}" for request in asked if not request.startswith("GET ")]
    given = chart.values("everything")
    wanted = {"servers": ["tls.crt", "tls.key", "ca.crt"], "s3": ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], "sites": ["sites.toml"]}
    said, _ = _rendered(given, {})
    faults += [f"everything: `{name}` is not missed: {said}" for name in wanted if f"secret `{name}`" not in str(said)]
    said, _ = _rendered(given, {name: dict.fromkeys(keys, text) for name, keys in wanted.items()})
    faults += [] if isinstance(said, dict) else [f"everything: {said}"]
    said, asked = _rendered(chart.LEAST | {"preflight": False}, {})
    return faults + ([] if isinstance(said, dict) and not asked else [f"preflight is off: {said}, {asked}"])


def _rendered(given, secrets):
    with cluster.holding(secrets) as (config, asked), helm_python.Chart.load(chart.CHART) as loaded:
        try:
            return config.render(loaded, given, name="try", namespace=chart.NAMESPACE), asked
        except helm_python.HelmError as error:
            return str(error), asked


def schemes_are_mounted_where_they_are_configured():
    """the files of `schemes` are in miners and the console at the paths that the configuration names, and changed ones replace the pods"""
    held = {"b.ttl": "b", "a.nt": "a"}
    made = chart.manifests(chart.LEAST | {"schemes": held})
    (text,) = [d["data"]["newslode.toml"] for d in made if "newslode.toml" in d.get("data", {})]
    paths = tomllib.loads(text)["miner"]["schemes"]
    files = {d["metadata"]["name"]: d["data"] for d in made if d["kind"] == "ConfigMap"}
    faults, reading = [], []
    for pod in [d["spec"]["template"]["spec"] for d in made if d["kind"] == "Deployment"]:
        volumes = {v["name"]: files.get(v.get("configMap", {}).get("name"), {}) for v in pod["volumes"]}
        there = {f"{m['mountPath']}/{name}" for m in pod["containers"][0]["volumeMounts"] for name in volumes[m["name"]]}
        if set(paths) & there:
            reading.append(pod["containers"][0]["name"])
            faults += [f"{pod['containers'][0]['name']}: no {path}" for path in paths if path not in there]
    faults += [] if len(paths) == 2 and sorted(reading) == ["console", "miner"] else [f"{paths} are read by {reading}"]
    sums = [
        [d["spec"]["template"]["metadata"]["annotations"]["checksum/config"] for d in chart.manifests(chart.LEAST | {"schemes": given}) if d["kind"] == "Deployment"]
        for given in (held, held | {"a.nt": "changed"})
    ]
    return faults + ([] if sums[0] != sums[1] else ["pods keep an old scheme"])


def settings_of_sites_are_mounted_for_crawlers():
    """the secret of `crawler.sites` is in crawlers alone, at the path that their variable names, and readable by no others"""
    made = chart.manifests(chart.LEAST | {"crawler": {"sites": {"secret": "mine", "key": "a.toml"}}})
    faults = []
    for pod in [d["spec"]["template"]["spec"] for d in made if d["kind"] == "Deployment"]:
        (container,) = pod["containers"]
        volumes = {v["name"]: v["secret"] for v in pod["volumes"] if v.get("secret", {}).get("secretName") == "mine"}
        variable = [v["value"] for v in container["env"] if v["name"] == "NEWSLODE__CRAWLER__SITES_FILE"]
        there = [
            f"{m['mountPath']}/{item['path']}"
            for m in container["volumeMounts"]
            for item in volumes.get(m["name"], {}).get("items", [])
            if item["key"] == "a.toml"
        ]
        wanted = ["/etc/newslode-sites/sites.toml"] if container["name"] == "crawler" else []
        faults += [] if variable == there == wanted else [f"{container['name']}: {variable}, {there}"]
        faults += [f"{container['name']}: mode {secret['defaultMode']:o}" for secret in volumes.values() if secret["defaultMode"] != 0o440]
    return faults


def passwords_are_kept():
    """a bundled server's password is made once: a later render finds it in the cluster and changes nothing"""
    given, faults = chart.values("trial"), []
    first, second = chart.texts(given), chart.texts(given)
    for server, key in {"rabbitmq": "broker-url", "redis": "store-url"}.items():
        path = f"newslode/templates/{server}.yaml"
        made = [_secret(texts[path]) for texts in (first, second)]
        faults += [] if made[0]["password"] != made[1]["password"] and len(made[0]["password"]) == 32 else [f"{server}: not made"]
        held = {f"try-newslode-{server}": {name: base64.b64encode(text.encode()).decode() for name, text in made[0].items()}}
        said, _ = _rendered(given, held)
        again = _secret(said[path]) if isinstance(said, dict) else said
        faults += [] if again == made[0] else [f"{server}: its secret changes"]
        faults += [] if f":{made[0]['password']}@try-newslode-{server}.{chart.NAMESPACE}.svc:" in made[0][key] else [made[0][key]]
    return faults


def _secret(text):
    (found,) = [d for d in yaml.safe_load_all(text) if d and d["kind"] == "Secret"]
    return found["stringData"]


def made_files_are_fresh():
    """what k8s/make.py makes is what it would make: copies, values.yaml, the table, the plain manifest"""
    return [f"{path} is stale: run `{make.COMMAND}`" for path in make.stale()]


def settings_are_described():
    """each value is described, and Helm's defaults are the schema's"""
    with helm_python.Chart.load(chart.CHART) as loaded:
        given = loaded.values
    faults = []
    for path, leaf in make.settings(make.schema()):
        value = given
        for key in path:
            value = value[key]
        name = ".".join(path)
        faults += [] if value == leaf["default"] else [f"{name} is {value!r}, the schema says {leaf['default']!r}"]
        faults += [] if leaf.get("description", "").endswith((".", "`")) else [f"{name} is not described"]
    return faults


def versions_agree():
    """the chart's versions are the workspace's, and its servers' images those of compose.yaml"""
    workspace = (chart.ROOT / "Cargo.toml").read_text(encoding="utf-8").split("[workspace.package]")[1]
    version = workspace.split('\nversion = "')[1].split('"')[0]
    about = yaml.safe_load((chart.CHART / "Chart.yaml").read_text(encoding="utf-8"))
    compose = yaml.safe_load((chart.ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))["services"]
    faults = [f"{key} is {about[key]}, the workspace {version}" for key in ("version", "appVersion") if about[key] != version]
    defaults = dict(make.settings(make.schema()))
    for server in ("rabbitmq", "redis"):
        image = defaults[(server, "image")]["default"]
        faults += [] if image == compose[server]["image"] else [f"{server}: {image}, compose.yaml {compose[server]['image']}"]
    return faults


def overlay_fits_its_base():
    """Kustomize: what the base and the overlay name is there, and the overlay sets what is missing"""
    base = yaml.safe_load((chart.K8S / "plain/kustomization.yaml").read_text())["resources"]
    faults = [f"plain: no {name}" for name in base if not (chart.K8S / "plain" / name).is_file()]
    folder = chart.K8S / "overlay"
    overlay = yaml.safe_load((folder / "kustomization.yaml").read_text())
    faults += [f"overlay: no {name}" for name in overlay["resources"] if not (folder / name / "kustomization.yaml").is_file()]
    there = {(d["kind"], d["metadata"]["name"]): d for d in chart.renderings()["plain"]}
    images = {c["image"].split(":")[0] for _, _, _, pod in chart.pods("Deployment") for c in pod["containers"]}
    faults += [f"overlay: no image {image['name']}" for image in overlay["images"] if image["name"] not in images]
    faults += [f"overlay: no {one['name']}" for one in overlay["replicas"] if ("Deployment", one["name"]) not in there]
    for patch in overlay["patches"]:
        change = yaml.safe_load((folder / patch["path"]).read_text())
        target = there.get((change["kind"], change["metadata"]["name"]))
        if not target:
            faults.append(f"overlay: {patch['path']} changes nothing")
            continue
        (changed,) = change["spec"]["template"]["spec"]["containers"]
        (container,) = [c for c in target["spec"]["template"]["spec"]["containers"] if c["name"] == changed["name"]]
        empty = {entry["name"] for entry in container["env"] if entry.get("value") == ""}
        given = {entry["name"]: entry["value"] for entry in changed["env"]}
        faults += [f"overlay: {name} stays empty" for name in empty if not given.get(name)]
        faults += [f"overlay: {name} is not in the base" for name in set(given) - {entry["name"] for entry in container["env"]}]
    return faults + ([] if json.dumps(chart.renderings()["plain"]).count("helm.sh") == 0 else ["plain: it names Helm"])


def packed_chart_is_the_chart():
    """what release/chart.py packs is rendered by Helm as the folder is, and packing twice gives the same bytes"""
    given = chart.values("production")
    with tempfile.TemporaryDirectory() as folder:
        packed = []
        for name in ("one", "two"):
            subprocess.run([sys.executable, chart.ROOT / "release/chart.py", f"{folder}/{name}"], check=True, capture_output=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1"})
            packed += (Path(folder) / name).iterdir()
        faults = [] if packed[0].read_bytes() == packed[1].read_bytes() else ["two packages differ"]
        with helm_python.Chart.load_archive(packed[0].read_bytes()) as one:
            rendered = one.render(given, name="try", namespace=chart.NAMESPACE)
    return faults + ([] if rendered == chart.texts(given) else ["the package is rendered otherwise than the folder"])


CHECKS = [
    helm_lint_is_silent,
    wrong_values_are_refused,
    contradictions_name_their_mend,
    missing_secrets_are_named,
    schemes_are_mounted_where_they_are_configured,
    settings_of_sites_are_mounted_for_crawlers,
    passwords_are_kept,
    made_files_are_fresh,
    settings_are_described,
    versions_agree,
    overlay_fits_its_base,
    packed_chart_is_the_chart,
]
