"""The manifests of every rendering: their schema, restricted pod security, probes, secrets, who may speak to whom."""

import ipaddress
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import yaml

import chart
from declared import ROOT

# The oldest that the chart names, one between, the newest known to the validator.
VERSIONS = ["1.25.0", "1.31.0", "1.37.0"]
CUSTOM = {"ScaledObject", "TriggerAuthentication", "ServiceMonitor", "PrometheusRule"}
SERVICES = {"crawler", "partitioner", "miner", "console"}
TOOLS = Path(sys.executable).parent

# What checkov asks for and does not get: (check, kind) -> why.
EXCEPTIONS = {
    ("CKV_K8S_15", "Deployment"): "a tag that never moves need not be pulled each time; `image.pullPolicy`",
    ("CKV_K8S_15", "StatefulSet"): "see above",
    ("CKV_K8S_15", "Pod"): "see above",
    ("CKV_K8S_35", "Deployment"): "the configuration's secrets are variables; its file is a ConfigMap that anyone may read",
    ("CKV_K8S_35", "Pod"): "see above: `helm test` runs `newslode status`",
    ("CKV_K8S_43", "Deployment"): "the image is built by its user; `image.digest`",
    ("CKV_K8S_43", "Pod"): "see above",
    ("CKV_K8S_43", "StatefulSet"): "bundled servers are for trying out, and get their mends by tag",
    ("CKV_K8S_40", "StatefulSet"): "the official images of RabbitMQ and Redis own their folders as user 999",
    ("CKV_K8S_8", "Pod"): "the pod of `helm test` ends by itself",
    ("CKV_K8S_9", "Pod"): "the pod of `helm test` serves nothing",
}


def everything_parses():
    """every YAML and JSON file of deploy/ and k8s/ parses"""
    faults, seen = [], 0
    for folder in (ROOT / "deploy", chart.K8S):
        for path in sorted(folder.rglob("*")):
            try:
                if "templates" in path.parts:
                    continue
                if path.suffix in {".yaml", ".yml"}:
                    list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
                elif path.suffix == ".json":
                    json.loads(path.read_text(encoding="utf-8"))
                else:
                    continue
                seen += 1
            except (ValueError, yaml.YAMLError) as error:
                faults.append(f"{path}: {error}")
    return faults if seen > 15 else [f"only {seen} files"]


def _write(folder):
    """Each rendering in a file of its own."""
    for name, documents in chart.renderings().items():
        (Path(folder) / f"{name}.yaml").write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    return sorted(Path(folder).glob("*.yaml"))


def manifests_are_valid():
    """kubernetes-validate --strict takes every manifest for three versions of Kubernetes; custom kinds are the known ones"""
    with tempfile.TemporaryDirectory() as folder:
        versions = [part for version in VERSIONS for part in ("-k", version)]
        command = [TOOLS / "kubernetes-validate", "--strict", *versions, *_write(folder)]
        run = subprocess.run(command, capture_output=True, text=True)
    said = (run.stdout + run.stderr).strip().splitlines()
    passed = sum(line.startswith("INFO") and " passed " in line for line in said)
    wanted = len(VERSIONS) * sum(manifest["kind"] not in CUSTOM for _, manifest in chart.every())
    unknown = [line for line in said if "find schema" in line and not any(f"kind {kind} " in line for kind in CUSTOM)]
    faults = unknown + ([] if passed == wanted else [f"{passed} passed of {wanted}"])
    return faults if not run.returncode else [line for line in said if not line.startswith("INFO") or "passed" not in line]


def checkov_finds_nothing():
    """checkov finds nothing but the exceptions that are named, and each exception is needed"""
    with tempfile.TemporaryDirectory() as folder:
        _write(folder)
        command = [TOOLS / "checkov", "-d", folder, "--framework", "kubernetes", "--compact", "-o", "json", "--skip-download"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    report = json.loads(run.stdout)
    found = {}
    for check in report["results"]["failed_checks"]:
        key = (check["check_id"], check["resource"].split(".")[0])
        found.setdefault(key, []).append(f"{check['file_path']} {check['resource']}: {check['check_name']}")
    faults = [f"{key[0]} {where[0]}" for key, where in found.items() if key not in EXCEPTIONS]
    faults += [f"the exception {key} is not needed" for key in EXCEPTIONS if key not in found]
    return faults if report["summary"]["passed"] > 500 else [*faults, f"only {report['summary']['passed']} passed"]


def _expect(where, actual, wanted):
    return [] if actual == wanted else [f"{where} is {actual!r}, must be {wanted!r}"]


def pods_are_restricted():
    """each pod meets the restricted profile, with a read-only root and no token"""
    faults = []
    for where, manifest, _, pod in chart.pods():
        context = pod["securityContext"]
        user = 999 if manifest["kind"] == "StatefulSet" else 10001
        faults += _expect(f"{where}: automountServiceAccountToken", pod.get("automountServiceAccountToken"), False)
        faults += _expect(f"{where}: runAsNonRoot", context.get("runAsNonRoot"), True)
        faults += _expect(f"{where}: runAsUser", context.get("runAsUser"), user)
        faults += _expect(f"{where}: seccompProfile", context.get("seccompProfile"), {"type": "RuntimeDefault"})
        faults += [f"{where}: {key}" for key in ("hostNetwork", "hostPID", "hostIPC") if pod.get(key)]
        for container in pod["containers"] + pod.get("initContainers", []):
            own = container["securityContext"]
            faults += _expect(f"{where}: allowPrivilegeEscalation", own.get("allowPrivilegeEscalation"), False)
            faults += _expect(f"{where}: readOnlyRootFilesystem", own.get("readOnlyRootFilesystem"), True)
            faults += _expect(f"{where}: capabilities", own.get("capabilities"), {"drop": ["ALL"]})
            faults += [f"{where}: privileged" for _ in [0] if own.get("privileged")]
        for volume in pod.get("volumes", []):
            kinds = set(volume) - {"name"}
            faults += [] if kinds <= {"configMap", "emptyDir", "persistentVolumeClaim", "secret"} else [f"{where}: volume {kinds}"]
    for name, account in chart.every("ServiceAccount"):
        faults += _expect(f"{name}: the account's token", account.get("automountServiceAccountToken"), False)
    for _, namespace in chart.every("Namespace"):
        label = namespace["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
        faults += _expect("the namespace's pod security", label, "restricted")
    return faults


def pods_can_be_watched_and_stopped():
    """each service has three probes on the admin port, requests, limits, a writable /tmp, spread pods, and more grace than its longest work"""
    faults = []
    paths = {"startupProbe": "/health/live", "livenessProbe": "/health/live", "readinessProbe": "/health/ready"}
    longest = {name: _longest(documents) for name, documents in chart.renderings().items()}
    for where, manifest, metadata, pod in chart.pods("Deployment"):
        rendering = where.split(":")[0]
        given = pod.get("terminationGracePeriodSeconds")
        faults += [] if given > longest[rendering] else [f"{where}: {given} s of grace, {longest[rendering]} s of work"]
        spread = pod.get("topologySpreadConstraints", [])
        together = pod.get("affinity", {}).get("podAffinity")
        keys = {constraint["topologyKey"] for constraint in spread}
        ours = all(chart.selects(constraint["labelSelector"], metadata["labels"]) for constraint in spread)
        faults += [] if ours and (together or len(keys) == 2) else [f"{where}: its pods are not spread"]
        for container in pod["containers"]:
            ports = {port["name"]: port["containerPort"] for port in container["ports"]}
            for probe, path in paths.items():
                get = container.get(probe, {}).get("httpGet", {})
                port = ports.get(get.get("port"), get.get("port"))
                faults += _expect(f"{where}: {probe}", (get.get("path"), port), (path, 9464))
            program = {"console": "newslode"}.get(chart.component(manifest), f"newslode-{chart.component(manifest)}")
            faults += _expect(f"{where}: its program", container["command"][0], program)
    for where, manifest, _, pod in chart.pods():
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        claims = {claim["metadata"]["name"] for claim in manifest["spec"].get("volumeClaimTemplates", [])}
        for container in pod["containers"]:
            for side in ("requests", "limits"):
                named = set(container.get("resources", {}).get(side, {}))
                faults += _expect(f"{where}: {side}", named, {"cpu", "memory"})
            mounts = {mount["mountPath"]: mount["name"] for mount in container.get("volumeMounts", [])}
            faults += [f"{where}: no volume {name}" for name in mounts.values() if name not in set(volumes) | claims]
            if container.get("command", [""])[0].startswith("newslode"):
                faults += [] if "emptyDir" in volumes.get(mounts.get("/tmp"), {}) else [f"{where}: /tmp is not writable"]
    seen = {chart.component(manifest) for _, manifest in chart.every("Deployment")}
    return faults + _expect("the services", seen, SERVICES)


def _longest(documents):
    """Seconds of the longest work: robots.txt and a page, and the time to give up the rest."""
    (found,) = [d for d in documents if d["kind"] == "ConfigMap" and "newslode.toml" in d["data"]]
    crawler = tomllib.loads(found["data"]["newslode.toml"])["crawler"]
    return (2 * crawler["timeout_ms"] + crawler["grace_ms"]) / 1000


def secrets_are_references():
    """passwords are in secrets alone; each that a pod names is made by the chart or named by the values"""
    faults = []
    for name, documents in chart.renderings().items():
        made = {d["metadata"]["name"]: set(d["stringData"]) for d in documents if d["kind"] == "Secret"}
        values = json.dumps(chart.values(name)) if name != "plain" else (chart.K8S / "plain/values.yaml").read_text()
        for manifest in documents:
            where = f"{name}: {manifest['kind']} {manifest['metadata']['name']}"
            if manifest["kind"] != "Secret":
                text = json.dumps(manifest)
                for word in ("amqp://", "amqps://", "redis://", "rediss://", "brokerpassword", "storepassword"):
                    faults += [f"{where} holds `{word}`"] if word in text else []
            for secret, key in _named(manifest):
                if secret in made:
                    faults += [] if key is None or key in made[secret] else [f"{where}: `{secret}` has no `{key}`"]
                else:
                    faults += [] if secret in values else [f"{where}: nobody makes `{secret}`"]
    for where, manifest, _, pod in chart.pods("Deployment"):
        given = {entry["name"] for container in pod["containers"] for entry in container["env"]}
        # A partitioner reads strangers' pages and needs no Redis.
        needed = {"NEWSLODE__BROKER__URL"} if where.endswith("-partitioner") else {"NEWSLODE__BROKER__URL", "NEWSLODE__STORE__URL"}
        urls = {name for name in given if name.endswith("__URL")}
        faults += [] if urls == needed else [f"{where}: is given {sorted(urls)}, needs {sorted(needed)}"]
    return faults


def _named(node):
    """(secret, key or None) of each reference to a secret in a manifest."""
    if isinstance(node, list):
        for inner in node:
            yield from _named(inner)
    elif isinstance(node, dict):
        if "secretKeyRef" in node:
            yield node["secretKeyRef"]["name"], node["secretKeyRef"]["key"]
        if "secretName" in node:
            for item in node.get("items", [{"key": None}]):
                yield node["secretName"], item["key"]
        for reference in node.get("secretTargetRef", []):
            yield reference["name"], reference["key"]
        for inner in node.values():
            yield from _named(inner)


def drains_are_never_blocked():
    """each service has a disruption budget of maxUnavailable 1 that selects its pods"""
    faults = []
    for name, documents in chart.renderings().items():
        pods = {d["metadata"]["name"]: d["spec"]["template"]["metadata"]["labels"] for d in documents if d["kind"] == "Deployment"}
        budgets = {d["metadata"]["name"]: d["spec"] for d in documents if d["kind"] == "PodDisruptionBudget"}
        faults += _expect(f"{name}: services with a budget", set(budgets), set(pods))
        for service, spec in budgets.items():
            faults += _expect(f"{name}: {service}: maxUnavailable", spec.get("maxUnavailable"), 1)
            chosen = [pod for pod, labels in pods.items() if chart.selects(spec["selector"], labels)]
            faults += _expect(f"{name}: {service}: chosen", chosen, [service])
    return faults


def selectors_choose_their_pods():
    """each deployment, server and service chooses its own pods and no others, and a service's ports are the pods'"""
    faults = []
    for name, documents in chart.renderings().items():
        pods = {}
        for manifest in documents:
            if manifest["kind"] in ("Deployment", "StatefulSet"):
                template = manifest["spec"]["template"]
                pods[manifest["metadata"]["name"]] = template
                own = chart.selects(manifest["spec"]["selector"], template["metadata"]["labels"])
                faults += [] if own else [f"{name}: {manifest['metadata']['name']} does not choose its pods"]
        for manifest in documents:
            if manifest["kind"] == "Service":
                service, spec = manifest["metadata"]["name"], manifest["spec"]
                chosen = [pod for pod, template in pods.items() if spec["selector"].items() <= template["metadata"]["labels"].items()]
                faults += _expect(f"{name}: pods of service {service}", chosen, [service])
                ports = {port["name"]: port["containerPort"] for port in pods[service]["spec"]["containers"][0]["ports"]}
                given = {port["targetPort"]: port["port"] for port in spec["ports"]}
                faults += _expect(f"{name}: ports of service {service}", given, ports)
    return faults


def only_the_crawler_reaches_the_internet():
    """by default nothing is reachable; the crawler alone has the internet, and no address that is not global"""
    faults = []
    for name, documents in chart.renderings().items():
        policies = [d for d in documents if d["kind"] == "NetworkPolicy"]
        if name == "nothing":
            faults += [f"{name}: policies, which are off"] if policies else []
            continue
        pods = _labels(documents)
        faults += [f"{name}: {fault}" for fault in _denied(policies, pods) + _open(policies, pods, named=_servers(name))]
    return faults


def _labels(documents):
    """Component -> labels of its pods."""
    return {
        chart.component(d): (d if d["kind"] == "Pod" else d["spec"]["template"])["metadata"]["labels"]
        for d in documents
        if d["kind"] in ("Deployment", "StatefulSet", "Pod")
    }


def _servers(name):
    """Addresses outside that the values name: of broker, store and bucket."""
    given = chart.values(name).get("networkPolicy", {}) if name != "plain" else {}
    return {peer["ipBlock"]["cidr"] for side in ("rabbitmq", "redis", "s3") for peer in given.get(side, []) if "ipBlock" in peer}


def _denied(policies, pods):
    """Pods that no policy closes on both sides."""
    closed = [p["spec"]["podSelector"] for p in policies if set(p["spec"]["policyTypes"]) == {"Ingress", "Egress"}]
    bare = [pod for pod, labels in pods.items() if not any(chart.selects(selector, labels) for selector in closed)]
    return [f"nothing closes {pod}" for pod in bare]


def _open(policies, pods, named):
    private = ["10.1.2.3", "172.20.0.1", "192.168.1.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
               "::1", "fe80::1", "fd00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"]
    faults, open_to = [], {}
    for policy in policies:
        for rule in policy["spec"].get("egress", []):
            faults += [] if rule.get("to") and rule.get("ports") else [f"{policy['metadata']['name']}: a rule to anywhere"]
            for block in [peer["ipBlock"] for peer in rule.get("to", []) if "ipBlock" in peer]:
                for pod, labels in pods.items():
                    if block["cidr"] not in named and chart.selects(policy["spec"]["podSelector"], labels):
                        open_to.setdefault(pod, []).append(block)
        for rule in policy["spec"].get("ingress", []):
            faults += [] if rule.get("from") and rule.get("ports") else [f"{policy['metadata']['name']}: a rule from anywhere"]
    faults += _expect("pods with addresses outside", set(open_to), {"crawler"})
    for address in private + ["93.184.216.34", "2606:4700::1"]:
        reached = any(_inside(address, block) for blocks in open_to.values() for block in blocks)
        faults += _expect(f"{address} can be reached", reached, address not in private)
    return faults


def _inside(address, block):
    address = ipaddress.ip_address(address)
    networks = [ipaddress.ip_network(text) for text in [block["cidr"], *block.get("except", [])]]
    same = [network for network in networks if network.version == address.version]
    return networks[0] in same and address in networks[0] and not any(address in network for network in same[1:])


def services_reach_their_servers():
    """where servers are bundled, policies let the services and KEDA in, and nothing else"""
    faults = []
    for name in ("trial", "everything"):
        documents = chart.renderings()[name]
        pods = _labels(documents)
        policies = [d["spec"] for d in documents if d["kind"] == "NetworkPolicy"]
        for server, port in {"rabbitmq": 5671 if name == "everything" else 5672, "redis": 6379}.items():
            out = {
                pod
                for pod, labels in pods.items()
                for spec in policies
                if chart.selects(spec["podSelector"], labels)
                for rule in spec.get("egress", [])
                for peer in rule["to"]
                if chart.selects(peer.get("podSelector", {"matchLabels": {"": ""}}), pods[server])
                and {"port": port, "protocol": "TCP"} in rule["ports"]
            }
            faults += _expect(f"{name}: who reaches {server}", out, SERVICES | {"test"})
            peers = [
                peer
                for spec in policies
                if chart.selects(spec["podSelector"], pods[server])
                for rule in spec.get("ingress", [])
                if {"port": port, "protocol": "TCP"} in rule["ports"]
                for peer in rule["from"]
            ]
            outside = [peer["namespaceSelector"]["matchLabels"] for peer in peers if "namespaceSelector" in peer]
            keda = [{"kubernetes.io/metadata.name": "keda"}] if (name, server) == ("everything", "rabbitmq") else []
            faults += _expect(f"{name}: who of other namespaces reaches {server}", outside, keda)
            inside = [peer["podSelector"] for peer in peers if "podSelector" in peer]
            faults += [] if all(any(chart.selects(s, pods[p]) for s in inside) for p in SERVICES) else [f"{name}: {server} refuses services"]
    return faults


CHECKS = [
    everything_parses,
    manifests_are_valid,
    checkov_finds_nothing,
    pods_are_restricted,
    pods_can_be_watched_and_stopped,
    secrets_are_references,
    drains_are_never_blocked,
    selectors_choose_their_pods,
    only_the_crawler_reaches_the_internet,
    services_reach_their_servers,
]
