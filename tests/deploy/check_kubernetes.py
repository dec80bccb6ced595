"""The manifests: their schema, restricted pod security, probes, secrets, who may speak to whom."""

import ipaddress
import json
import subprocess
import sys
from pathlib import Path

import yaml

from declared import ROOT

K8S = ROOT / "k8s"
VERSION = "1.37.0"
SERVICES = {"crawler", "partitioner", "miner"}


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]


def manifests(kind=None):
    """(file name, manifest), all or of one kind."""
    for path in sorted(K8S.glob("*.yaml")):
        if path.name != "kustomization.yaml":
            for manifest in documents(path):
                if kind in (None, manifest["kind"]):
                    yield path.name, manifest


def everything_parses():
    """every YAML and JSON file of deploy/ and k8s/ parses"""
    faults, seen = [], 0
    for folder in (ROOT / "deploy", K8S):
        for path in sorted(folder.rglob("*")):
            try:
                if path.suffix in {".yaml", ".yml"}:
                    documents(path)
                elif path.suffix == ".json":
                    json.loads(path.read_text(encoding="utf-8"))
                else:
                    continue
                seen += 1
            except (ValueError, yaml.YAMLError) as error:
                faults.append(f"{path}: {error}")
    return faults if seen > 10 else [f"only {seen} files"]


def manifests_are_valid():
    """kubernetes-validate --strict takes every manifest"""
    files = [str(path) for path in sorted(K8S.glob("*.yaml")) if path.name != "kustomization.yaml"]
    tool = Path(sys.executable).parent / "kubernetes-validate"
    run = subprocess.run([tool, "--strict", "-k", VERSION, *files], capture_output=True, text=True)
    said = (run.stdout + run.stderr).strip().splitlines()
    return said or ["it failed"] if run.returncode else []


def kustomization_is_complete():
    """kustomization.yaml lists every manifest, and nothing that is not there"""
    listed = set(yaml.safe_load((K8S / "kustomization.yaml").read_text())["resources"])
    there = {path.name for path in K8S.glob("*.yaml")} - {"kustomization.yaml"}
    return [f"`{name}` is only on one side" for name in sorted(listed ^ there)]


def _pods():
    for name, deployment in manifests("Deployment"):
        yield name, deployment, deployment["spec"]["template"]["spec"]


def _expect(where, actual, wanted):
    return [] if actual == wanted else [f"{where} is {actual!r}, must be {wanted!r}"]


def pods_are_restricted():
    """each pod meets the restricted profile, with a read-only root and no token"""
    faults, seen = [], set()
    for _, deployment, pod in _pods():
        name = deployment["metadata"]["name"]
        seen.add(name.removeprefix("newslode-"))
        context = pod["securityContext"]
        faults += _expect(f"{name}: automountServiceAccountToken", pod.get("automountServiceAccountToken"), False)
        faults += _expect(f"{name}: runAsNonRoot", context.get("runAsNonRoot"), True)
        faults += _expect(f"{name}: runAsUser", context.get("runAsUser"), 10001)
        faults += _expect(f"{name}: seccompProfile", context.get("seccompProfile"), {"type": "RuntimeDefault"})
        faults += [f"{name}: {key}" for key in ("hostNetwork", "hostPID", "hostIPC") if pod.get(key)]
        for container in pod["containers"] + pod.get("initContainers", []):
            own = container["securityContext"]
            faults += _expect(f"{name}: allowPrivilegeEscalation", own.get("allowPrivilegeEscalation"), False)
            faults += _expect(f"{name}: readOnlyRootFilesystem", own.get("readOnlyRootFilesystem"), True)
            faults += _expect(f"{name}: capabilities", own.get("capabilities"), {"drop": ["ALL"]})
            faults += [f"{name}: privileged" for _ in [0] if own.get("privileged")]
        for volume in pod.get("volumes", []):
            kinds = set(volume) - {"name"}
            faults += [] if kinds <= {"configMap", "emptyDir", "persistentVolumeClaim", "secret", "projected"} else [f"{name}: volume {kinds}"]
    faults += _expect("the services", seen, SERVICES)
    for _, namespace in manifests("Namespace"):
        label = namespace["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
        faults += _expect("the namespace's pod security", label, "restricted")
    return faults


def pods_can_be_watched_and_stopped():
    """each container has three probes on the admin port, requests, limits, a writable /tmp; each pod 90 s of grace"""
    faults = []
    paths = {"startupProbe": "/health/live", "livenessProbe": "/health/live", "readinessProbe": "/health/ready"}
    for _, deployment, pod in _pods():
        name = deployment["metadata"]["name"]
        faults += _expect(f"{name}: grace", pod.get("terminationGracePeriodSeconds"), 90)
        for container in pod["containers"]:
            ports = {port["name"]: port["containerPort"] for port in container["ports"]}
            for probe, path in paths.items():
                get = container.get(probe, {}).get("httpGet", {})
                port = ports.get(get.get("port"), get.get("port"))
                faults += _expect(f"{name}: {probe}", (get.get("path"), port), (path, 9464))
            for side in ("requests", "limits"):
                given = set(container.get("resources", {}).get(side, {}))
                faults += _expect(f"{name}: {side}", given, {"cpu", "memory"})
            volumes = {volume["name"]: volume for volume in pod["volumes"]}
            mounts = {mount["mountPath"]: volumes[mount["name"]] for mount in container["volumeMounts"]}
            faults += [] if "emptyDir" in mounts.get("/tmp", {}) else [f"{name}: /tmp is not writable"]
    return faults


def secrets_are_references():
    """the URLs with passwords come from `newslode-secrets`, and no manifest holds a secret"""
    faults = [f"{name} holds a Secret" for name, _ in manifests("Secret")]
    wanted = {"NEWSLODE__BROKER__URL": "broker-url", "NEWSLODE__STORE__URL": "store-url"}
    for _, deployment, pod in _pods():
        name = deployment["metadata"]["name"]
        for container in pod["containers"]:
            given = {entry["name"]: entry.get("valueFrom", {}).get("secretKeyRef") for entry in container["env"]}
            for variable, key in wanted.items():
                faults += _expect(f"{name}: {variable}", given.get(variable), {"name": "newslode-secrets", "key": key})
    for path in K8S.glob("*.yaml"):
        for scheme in ("amqp://", "amqps://", "redis://", "rediss://"):
            faults += [f"{path.name} holds a URL {scheme}"] if scheme in path.read_text() else []
    return faults


def drains_are_never_blocked():
    """each service has a disruption budget of maxUnavailable 1 that selects its pods"""
    faults, seen = [], set()
    labels = {d["metadata"]["name"]: d["spec"]["template"]["metadata"]["labels"] for _, d in manifests("Deployment")}
    for _, budget in manifests("PodDisruptionBudget"):
        name, spec = budget["metadata"]["name"], budget["spec"]
        seen.add(name)
        faults += _expect(f"{name}: maxUnavailable", spec.get("maxUnavailable"), 1)
        chosen = spec["selector"]["matchLabels"].items()
        faults += [] if chosen <= labels.get(name, {}).items() else [f"{name} selects nothing"]
    return faults + _expect("services with a budget", seen, set(labels))


def only_the_crawler_reaches_the_internet():
    """by default nothing is reachable; the crawler alone has the internet, and no address that is not global"""
    faults, default = [], False
    pods = {d["metadata"]["name"]: d["spec"]["template"]["metadata"]["labels"] for _, d in manifests("Deployment")}
    private = ["10.1.2.3", "172.20.0.1", "192.168.1.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
               "::1", "fe80::1", "fd00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"]
    open_to = {}
    for _, policy in manifests("NetworkPolicy"):
        spec = policy["spec"]
        default |= spec["podSelector"] == {} and set(spec["policyTypes"]) == {"Ingress", "Egress"} and not spec.get("egress")
        chosen = spec["podSelector"].get("matchLabels", {}).items()
        for rule in spec.get("egress", []):
            faults += [] if rule.get("to") and rule.get("ports") else [f"{policy['metadata']['name']}: a rule to anywhere"]
            for peer in rule.get("to", []):
                if "ipBlock" in peer:
                    for pod, labels in pods.items():
                        if chosen <= labels.items():
                            open_to.setdefault(pod, []).append(peer["ipBlock"])
    faults += [] if default else ["nothing denies by default"]
    faults += _expect("pods with addresses outside", set(open_to), {"newslode-crawler"})
    for address in private + ["93.184.216.34", "2606:4700::1"]:
        reached = any(_inside(address, block) for blocks in open_to.values() for block in blocks)
        faults += _expect(f"{address} can be reached", reached, address not in private)
    return faults


def _inside(address, block):
    address = ipaddress.ip_address(address)
    networks = [ipaddress.ip_network(text) for text in [block["cidr"], *block.get("except", [])]]
    same = [network for network in networks if network.version == address.version]
    return networks[0] in same and address in networks[0] and not any(address in network for network in same[1:])


CHECKS = [
    everything_parses,
    manifests_are_valid,
    kustomization_is_complete,
    pods_are_restricted,
    pods_can_be_watched_and_stopped,
    secrets_are_references,
    drains_are_never_blocked,
    only_the_crawler_reaches_the_internet,
]
