"""What `newslode init` writes for a service: the unit by systemd's own checks, the compose file, and commands that the program takes."""

import os
import shlex
import subprocess
import tempfile
import tomllib
from pathlib import Path

import yaml

import chart
import declared

# What systemd makes of the sandbox, from 0 (nothing is left to it) to 10.
MOST_EXPOSED = 2.0


def _newslode(*arguments):
    return subprocess.run([os.environ["NEWSLODE_BIN"], *arguments], capture_output=True, text=True, timeout=60, env={"NEWSLODE_CONFIG": ""})


def _written(folder):
    """What `init` writes to a folder, by name."""
    run = _newslode("init", folder, "--contact", "you@example.org", "--systemd", "--compose")
    if run.returncode:
        raise RuntimeError(run.stderr)
    return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir() if path.is_file()}


def _not_understood(where, words):
    """What the program says against a command line: its help is asked for, which comes after unknown options."""
    run = _newslode(*words, "--help")
    return [] if run.returncode == 0 else [f"{where}: {run.stderr.strip()}"]


def unit_is_contained():
    """the unit that `newslode init` writes is clean for systemd-analyze, exposed by at most 2.0, and starts what the program understands"""
    with tempfile.TemporaryDirectory() as folder:
        # The unit names the program, which must be where services can see it.
        unit = _written(folder)["newslode.service"]
        path = Path(folder) / "newslode.service"
        program = str(Path(os.environ["NEWSLODE_BIN"]).resolve())
        settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#"))
        started, *words = shlex.split(settings["ExecStart"])
        path.write_text(unit.replace(f"ExecStart={started}", f"ExecStart={program}"))
        verified = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
        faults = [line for line in verified.stderr.splitlines() if path.name in line]
        faults += [] if verified.returncode == 0 or faults else [verified.stderr]
        # The threshold is a number of tenths.
        command = ["systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED * 10:.0f}", "--no-pager", path]
        graded = subprocess.run(command, capture_output=True, text=True)
        faults += [] if graded.returncode == 0 else graded.stdout.splitlines()[-2:]
        # A unit without a sandbox must be found, or nothing is graded.
        path.write_text(f"[Service]\nExecStart={program}\n")
        bare = subprocess.run(command, capture_output=True, text=True)
        faults += [] if bare.returncode else ["a unit without a sandbox is taken, too"]
    expected = {"Type": "notify", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "StateDirectory": "newslode", "WantedBy": "multi-user.target"}
    faults += [f"{key} is {settings.get(key)}" for key, value in expected.items() if settings.get(key) != value]
    faults += [] if settings.get("WatchdogSec") else ["there is no watchdog"]
    return faults + _not_understood("ExecStart", words)


def one_container_is_contained():
    """the compose file that `newslode init` writes: one container, contained as those of deploy/compose.yaml, that takes tokens from its gateway"""
    with tempfile.TemporaryDirectory() as folder:
        file = yaml.safe_load(_written(folder)["compose.yaml"])
        mounted = [volume.split(":")[0] for volume in file["services"]["newslode"]["volumes"]]
        faults = [f"{source} is not there" for source in mounted if source.startswith(".") and not (Path(folder) / source).is_dir()]
        owner = (Path(folder) / "token").stat()
    (service,) = file["services"].values()
    whole = yaml.safe_load((declared.ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))
    like = whole["services"]["crawler"]
    faults += [f"{key} is {service.get(key)}" for key in ("read_only", "cap_drop", "security_opt", "restart", "image") if service.get(key) != like[key]]
    faults += [] if service["user"] == f"{owner.st_uid}:{owner.st_gid}" and owner.st_uid else [f"it runs as {service['user']}, the token is {owner.st_uid}'s"]
    faults += [f"it publishes {port}" for port in service["ports"] if not port.startswith("127.0.0.1:")]
    faults += [] if service["healthcheck"]["test"] == like["healthcheck"]["test"] else ["its health is asked for otherwise"]
    faults += [] if set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"} else ["it has no limits"]
    faults += [f"{source} is not declared" for source in mounted if not source.startswith(".") and source not in file["volumes"]]
    (network,) = service["networks"]
    (range_,) = file["networks"][network]["ipam"]["config"]
    taken = {one["subnet"] for network in whole["networks"].values() for one in (network or {}).get("ipam", {}).get("config", [])}
    faults += [f"{range_['subnet']} is in deploy/compose.yaml, too"] if range_["subnet"] in taken else []
    program, *words = service["command"]
    faults += [] if f"--trusted-proxy={range_['gateway']}" in words else ["no token is taken through the published port"]
    return faults + ([] if program == "newslode" else [f"it runs {program}"]) + _not_understood("command", words)


def console_is_started_well():
    """the command lines of the console in deploy/compose.yaml and of the chart are understood by the program"""
    import chart

    compose = yaml.safe_load((declared.ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))
    script = compose["services"]["console"]["command"][-1]
    words = shlex.split(script.split("&& exec newslode ")[1])
    faults = _not_understood("compose.yaml", words)
    for where, manifest, _, pod in chart.pods("Deployment"):
        if chart.component(manifest) == "console":
            faults += _not_understood(where, pod["containers"][0]["command"][1:])
    bites = _not_understood("", [*words, "--trusted-prox=1"])
    return faults + ([] if bites else ["the program takes an unknown option"])


def configuration_is_taken():
    """`newslode config check` takes the configuration that `newslode init` writes, which names the contact"""
    with tempfile.TemporaryDirectory() as folder:
        text = _written(folder)["newslode.toml"]
        run = _newslode("config", "check", "--config", f"{folder}/newslode.toml")
    contact = tomllib.loads(text)["crawler"]["contact"]
    faults = [] if run.returncode == 0 and "no crawler starts" not in run.stdout else [run.stdout + run.stderr]
    return faults + ([] if contact == "you@example.org" else [f"the contact is {contact}"])


WITH_BINARY = [unit_is_contained, one_container_is_contained, console_is_started_well, configuration_is_taken]
