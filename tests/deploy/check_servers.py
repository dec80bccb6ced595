"""What can be run here without a container: Redis with its file, and the services' health check."""

import re
import subprocess
import tempfile
import time
from pathlib import Path

from answers import answering
from check_config import DEPLOY, compose, made_secrets


def redis_takes_its_file():
    """redis-server with deploy/redis/redis.conf keeps everything, evicts nothing, asks for a user; its health check holds"""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        made_secrets(f"{folder}/secrets")
        text = (DEPLOY / "redis/redis.conf").read_text()
        changed = text.replace("/run/secrets/redis_password", f"{folder}/secrets/redis.conf").replace("dir /data", f"dir {folder}")
        socket = f"{folder}/s"
        # On a socket in the folder: no port is taken.
        Path(f"{folder}/redis.conf").write_text(f"{changed}\nport 0\nunixsocket {socket}\n")
        server = subprocess.Popen(["redis-server", f"{folder}/redis.conf"], stdout=subprocess.PIPE, text=True)
        try:
            users = re.findall(r"^user (\w+) on >(\w+) ", Path(f"{folder}/secrets/redis.conf").read_text(), re.M)
            return _ask_redis(server, socket, dict(users))
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()


def _ask_redis(server, socket, users):
    until = time.monotonic() + 20
    while not Path(socket).exists():
        if server.poll() is not None or time.monotonic() > until:
            return [f"redis-server did not start: {server.stdout.read() if server.poll() is not None else ''}"]
        time.sleep(0.05)

    def cli(*arguments):
        run = subprocess.run(["redis-cli", "-s", socket, *arguments], capture_output=True, text=True, timeout=20)
        return run.stdout.split()

    faults = [] if cli("ping")[:1] == ["NOAUTH"] else ["it answers without a password"]
    for key, wanted in {"maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "always",
                        "hash-max-listpack-entries": "512", "hash-max-listpack-value": "256"}.items():
        found = cli("--no-auth-warning", "--user", "crawler", "--pass", users["crawler"], "config", "get", key)[1:]
        faults += [] if found == [wanted] else [f"{key} is {found}"]
    for user, command, wanted in [
        ("miner", ["set", "newslode:{v:x}", "1"], "OK"),
        ("miner", ["set", "other", "1"], "NOPERM"),
        ("miner", ["flushall"], "NOPERM"),
        ("miner", ["acl", "list"], "NOPERM"),
        ("crawler", ["hget", "newslode:{b7}:m:a.test", "x"], ""),
        ("crawler", ["zcard", "newslode:{b7}:d0:a.test"], "0"),
        ("crawler", ["get", "newslode:{v:x}"], "NOPERM"),
        ("crawler", ["hget", "newslode:{b7}:v:a.test", "x"], "NOPERM"),
        ("crawler", ["hset", "newslode:{b7}:x:a.test:1", "x", "1"], "NOPERM"),
        ("crawler", ["function", "load", "#!lua name=x"], "NOPERM"),
        ("crawler", ["eval", "return 1", "0"], "NOPERM"),
        ("crawler", ["config", "set", "maxmemory", "1"], "NOPERM"),
    ]:
        said = "".join(cli("--no-auth-warning", "--user", user, "--pass", users[user], *command)[:1])
        faults += [] if said == wanted else [f"{user}, {' '.join(command)}: {said}"]
    kind, command = compose()["services"]["redis"]["healthcheck"]["test"]
    healthy = subprocess.run(["sh", "-c", command.replace("redis-cli", f"redis-cli -s {socket}")], timeout=20)
    faults += [] if kind == "CMD-SHELL" and healthy.returncode == 0 else ["its health check fails"]
    gone = subprocess.run(["sh", "-c", command.replace("redis-cli", f"redis-cli -s {socket}.gone")], timeout=20)
    return faults + ([] if gone.returncode else ["its health check passes without a server"])


def health_check_reads_the_answer():
    """the services' health check in compose.yaml passes on 200, fails on 503 and without a server"""
    kind, *command = compose()["services"]["miner"]["healthcheck"]["test"]
    command = [part.replace("$$", "$") for part in command]

    def passes(port):
        at_port = [part.replace("/9464", f"/{port}") for part in command]
        return subprocess.run(at_port, capture_output=True, timeout=20).returncode == 0

    faults = [] if kind == "CMD" and any("/9464" in part for part in command) else [f"not of the known form: {command}"]
    status = [200]
    with answering(status) as port:
        for status[0] in (200, 503):
            faults += [] if passes(port) == (status[0] == 200) else [f"{status[0]} is taken for the wrong thing"]
    return faults + (["it passes without a server"] if passes(port) else [])


CHECKS = [redis_takes_its_file, health_check_reads_the_answer]
