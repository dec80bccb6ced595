"""The bundled servers with the settings that the chart gives them, over TLS, and the script of `helm test`."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import chart
from answers import answering

RABBITMQ = "/usr/lib/rabbitmq/bin"


def _object(kind, name):
    (found,) = [d for d in chart.renderings()["everything"] if (d["kind"], d["metadata"]["name"]) == (kind, f"try-newslode-{name}")]
    return found


def _free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _certificate(folder):
    """An authority and a certificate for localhost, as the secret of `tlsSecret` holds them."""
    openssl = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run([*openssl, "-keyout", folder / "ca.key", "-out", folder / "ca.crt", "-subj", "/CN=authority"], check=True, capture_output=True)
    signed = ["-CA", folder / "ca.crt", "-CAkey", folder / "ca.key", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    named = ["-keyout", folder / "tls.key", "-out", folder / "tls.crt", "-subj", "/CN=localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*openssl, *named, *signed], check=True, capture_output=True)


def _until(ready, server, log, limit=90):
    until = time.monotonic() + limit
    while not ready():
        if server.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"{server.args[0]} did not start: {log.read_text()[-2000:]}")
        time.sleep(0.2)


@contextlib.contextmanager
def _process(command, log, **options):
    with open(log, "w") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        yield server
    finally:
        # The group that it leads: RabbitMQ's script and the virtual machine that it runs.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, 15)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, 9)
            server.wait(10)


@contextlib.contextmanager
def _redis(folder, port):
    """The bundled Redis; yields the command of its probe, for this port."""
    text = _object("ConfigMap", "redis")["data"]["redis.conf"]
    for old, new in {"/etc/redis-tls": folder, "dir /data": f"dir {folder}", "/run/secrets/redis_password": f"{folder}/password",
                     "tls-port 6379": f"tls-port {port}", "bind * -::*": "bind 127.0.0.1"}.items():
        assert str(old) in text, f"redis.conf lacks {old}"
        text = text.replace(old, str(new))
    (folder / "redis.conf").write_text(text)
    (folder / "password").write_text(_object("Secret", "redis")["stringData"]["redis.conf"])
    (container,) = _object("StatefulSet", "redis")["spec"]["template"]["spec"]["containers"]
    probe = container["readinessProbe"]["exec"]["command"]
    probe = [part.replace("redis-cli", f"redis-cli -p {port}").replace("/etc/redis-tls", str(folder)) for part in probe]

    def answers():
        return subprocess.run(probe, capture_output=True, timeout=20).returncode == 0

    with _process(["redis-server", folder / "redis.conf"], folder / "redis.log") as server:
        _until(answers, server, folder / "redis.log", 30)
        yield answers


@contextlib.contextmanager
def _rabbitmq(folder, port):
    """The bundled RabbitMQ, as Debian's package runs it; yields a function that asks rabbitmqctl."""
    config, secret = _object("ConfigMap", "rabbitmq")["data"], _object("Secret", "rabbitmq")["stringData"]
    text = config["newslode.conf"]
    for old, new in {"/etc/rabbitmq/tls": folder, "/etc/rabbitmq/definitions": folder, "listeners.ssl.default = 5671": f"listeners.ssl.1 = 127.0.0.1:{port}",
                     "disk_free_limit.absolute = 2GB": "disk_free_limit.absolute = 50MB"}.items():
        assert old in text, f"rabbitmq.conf lacks {old}"
        text = text.replace(old, str(new))
    for plugin in ("prometheus", "management"):
        text += f"\n{plugin}.tcp.ip = 127.0.0.1\n{plugin}.tcp.port = {_free_port()}"
    (folder / "rabbitmq.conf").write_text(text + "\n")
    (folder / "definitions.json").write_text(secret["definitions.json"])
    (folder / "plugins").write_text(config["enabled_plugins"])
    shutil.chown(folder, "rabbitmq", "rabbitmq")
    for path in folder.iterdir():
        shutil.chown(path, "rabbitmq", "rabbitmq")
    variables = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "RABBITMQ_NODENAME": f"t{os.getpid()}@localhost",
        "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia", "RABBITMQ_LOG_BASE": f"{folder}/log", "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
        "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins", "RABBITMQ_GENERATED_CONFIG_DIR": f"{folder}/generated",
        "RABBITMQ_DIST_PORT": str(_free_port()), "ERL_EPMD_PORT": str(_free_port()), "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    own = {"env": variables, "user": "rabbitmq", "group": "rabbitmq", "extra_groups": [], "cwd": folder}
    epmd = ["epmd", "-address", "127.0.0.1", "-port", variables["ERL_EPMD_PORT"]]

    def ask(*arguments):
        run = subprocess.run([f"{RABBITMQ}/rabbitmqctl", "-q", *arguments], capture_output=True, text=True, timeout=60, **own)
        return run.stdout + run.stderr

    def listens():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    with _process(epmd, folder / "epmd.log", **own), _process([f"{RABBITMQ}/rabbitmq-server"], folder / "rabbitmq.log", **own) as server:
        _until(listens, server, folder / "rabbitmq.log")
        yield ask


def bundled_servers_take_their_settings():
    """RabbitMQ and Redis run with what the chart gives them, over TLS, with its passwords; `newslode status` trusts their authority"""
    faults = []
    with tempfile.TemporaryDirectory(dir="/tmp") as store, tempfile.TemporaryDirectory(dir="/tmp") as broker:
        store, broker = Path(store), Path(broker)
        _certificate(store)
        for name in ("ca.crt", "tls.crt", "tls.key"):
            shutil.copy(store / name, broker / name)
        store_port, broker_port = _free_port(), _free_port()
        authority = Path(shutil.copy(store / "ca.crt", broker.parent / f"authority-{os.getpid()}.crt"))
        try:
            with _redis(store, store_port) as answers, _rabbitmq(broker, broker_port) as ask:
                faults += [] if answers() else ["the probe of Redis fails"]
                said = ask("authenticate_user", "newslode", "brokerpassword")
                faults += [] if "Success" in said else [f"RabbitMQ does not know the user: {said}"]
                policies = ask("list_policies")
                faults += [] if "queue-leader-locator" in policies and "^news\\.lode[.]" in policies else [f"policies: {policies}"]
                faults += [] if "guest" not in ask("list_users") else ["RabbitMQ has the user guest"]
                if "NEWSLODE_BIN" in os.environ:
                    faults += _status(authority, store_port, broker_port)
        finally:
            authority.unlink()
    return faults


def _status(authority, store_port, broker_port):
    """What is wrong with `newslode status`, with the variables of the pod of `helm test`."""
    urls = {
        "NEWSLODE__STORE__URL": (_object("Secret", "redis")["stringData"]["store-url"], "try-newslode-redis.news.svc:6379", store_port),
        "NEWSLODE__BROKER__URL": (_object("Secret", "rabbitmq")["stringData"]["broker-url"], "try-newslode-rabbitmq.news.svc:5671", broker_port),
    }
    faults = [f"{name} does not name {host}" for name, (url, host, _) in urls.items() if host not in url]
    given = {name: url.replace(host, f"localhost:{port}") for name, (url, host, port) in urls.items()}
    config = next(d for d in chart.renderings()["everything"] if "newslode.toml" in d.get("data", {}))["data"]["newslode.toml"]
    (pod,) = [d for d in chart.renderings()["everything"] if d["kind"] == "Pod"]
    (container,) = [c for c in pod["spec"]["containers"] if c["name"] == "status"]
    trust = {entry["name"]: entry["value"] for entry in container["env"] if entry["name"].startswith("SSL_")}
    trust["SSL_CERT_FILE"] = trust["SSL_CERT_FILE"].replace("/etc/newslode-ca/ca.crt", str(authority))
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(config)
        file.flush()
        command = [os.environ["NEWSLODE_BIN"], "--config", file.name, *container["command"][3:]]

        def run(variables):
            return subprocess.run(command, env=given | variables, capture_output=True, text=True, timeout=60)

        right, wrong = run(trust), run({})
    faults += [] if right.returncode == 0 else [f"status: {right.stderr}"]
    return faults + ([] if wrong.returncode else ["status trusts an authority that nobody named"])


def helm_test_reads_the_answers():
    """the script of `helm test` passes where all services answer 200, and names one that does not"""
    faults = []
    answer = [200]
    with answering(answer) as port:
        for name, documents in chart.renderings().items():
            for pod in [d for d in documents if d["kind"] == "Pod"]:
                (container,) = [c for c in pod["spec"]["containers"] if c["name"] == "ready"]
                shell, option, script, own, *asked = container["command"]
                head = [shell, option]
                services = {d["metadata"]["name"] for d in documents if d["kind"] == "Service"}
                faults += [] if set(asked) == {one["metadata"]["name"] for one in documents if one["kind"] == "Deployment"} <= services and head == ["bash", "-c"] else [f"{name}: {container['command']}"]
                script = script.replace("/9464", f"/{port}").replace("{1..30}", "{1..2}").replace("sleep 2", "sleep 0")
                for status, hosts in [(200, ["127.0.0.1", "localhost"]), (503, ["127.0.0.1"]), (200, ["127.0.0.1", "nowhere.invalid"])]:
                    answer[0] = status
                    run = subprocess.run([*head, script, own, *hosts], capture_output=True, text=True, timeout=60)
                    right = status == 200 and hosts[-1] == "localhost"
                    told = f"{hosts[-1]} is ready" in run.stdout if right else f"{hosts[-1]} is not ready" in run.stderr
                    faults += [] if (run.returncode == 0) == right and told else [f"{name}: {status} at {hosts}: {run.stdout}{run.stderr}"]
    return faults + ([] if any(pod["kind"] == "Pod" for _, pod in chart.every("Pod")) else ["there is no test"])


CHECKS = [bundled_servers_take_their_settings, helm_test_reads_the_answers]
