"""Configuration wherever it is written: deploy/newslode.toml, the chart, variables of compose and pods.

Keys are compared with the sources; with NEWSLODE_BIN the real loader reads each of them, too.
"""

import json
import os
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

import yaml

import chart
import declared
import make

DEPLOY = declared.ROOT / "deploy"
SERVICES = ("crawler", "partitioner", "miner")
# A default in the example file: `# key = value`, where prose never has the form of an assignment.
_DEFAULT = re.compile(r"^# (?=\w+ = \S)", re.M)


def _toml_keys(text):
    return {f"{section}.{key}" for section, inner in tomllib.loads(text).items() for key in inner}


def _variable_key(name):
    section, _, key = name.removeprefix("NEWSLODE__").lower().partition("__")
    return f"{section}.{key}"


def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def config_files():
    """Rendering -> newslode.toml."""
    return {name: d["data"]["newslode.toml"] for name, d in chart.every("ConfigMap") if "newslode.toml" in d["data"]}


def pod_variables(pod):
    """Variables of a pod's programs, with values of the right form for secrets."""
    forms = {"BROKER__URL": "amqps://u:p@host:5671/%2f", "STORE__URL": "rediss://:p@host:6379/0", "PROXY": "http://u:p@host:3128"}
    given = {}
    for entry in [entry for container in pod["containers"] for entry in container.get("env", [])]:
        secret = next((form for end, form in forms.items() if entry["name"].endswith(end)), "secret")
        given[entry["name"]] = entry.get("value", secret)
    return given


def made_secrets(folder):
    """What secrets.sh makes, as file name -> {variable: value}."""
    subprocess.run([DEPLOY / "secrets.sh", folder], check=True, capture_output=True)
    return {
        path.name: dict(line.split("=", 1) for line in path.read_text().splitlines())
        for path in sorted(Path(folder).glob("*.env"))
    }


def example_names_every_key():
    """deploy/newslode.toml names every configuration key of the sources and no other"""
    text = (DEPLOY / "newslode.toml").read_text()
    every = _toml_keys(_DEFAULT.sub("", text))
    return [f"`{key}` is only on one side" for key in sorted(every ^ declared.keys())]


def chart_config_is_known():
    """the keys that the chart writes, and those that its schema takes, are known ones; it takes all but those it sets itself"""
    written = {key for text in config_files().values() for key in _toml_keys(text)}
    sections = make.schema()["properties"]["config"]["properties"]
    taken = {f"{section}.{key}" for section, inner in sections.items() for key in inner["properties"]}
    owned = {f"{section}.{key}" for section, keys in make.OWNED.items() for key in keys}
    faults = [f"`{key}` is no key" for key in sorted((written | taken) - declared.keys())]
    faults += [f"the schema of values has no `{key}`: run `{make.COMMAND}`" for key in sorted(declared.keys() - owned - taken)]
    return faults + ([] if len(config_files()) == len(chart.renderings()) else ["a rendering has no newslode.toml"])


def variables_are_known():
    """NEWSLODE__ variables of compose.yaml, secrets.sh and the pods are known keys"""
    with tempfile.TemporaryDirectory() as folder:
        names = {name for file in made_secrets(f"{folder}/secrets").values() for name in file}
    for service in compose()["services"].values():
        names |= set(service.get("environment", {}))
    for _, _, _, pod in chart.pods("Deployment", "Pod"):
        names |= set(pod_variables(pod))
    ours = {name for name in names if name.startswith("NEWSLODE")}
    faults = [f"`{name}` is no key" for name in sorted(ours) if _variable_key(name) not in declared.keys()]
    return faults if len(ours) >= 2 else ["no variables found"]


def secrets_are_made_well():
    """secrets.sh: readable by nobody else, each reader its own file, never twice the same, never overwritten"""
    with tempfile.TemporaryDirectory() as folder:
        first, second = made_secrets(f"{folder}/a"), made_secrets(f"{folder}/b")
        faults = [] if Path(f"{folder}/a").stat().st_mode & 0o077 == 0 else ["the folder is open to others"]
        faults += [] if first["miner.env"] != second["miner.env"] else ["twice the same passwords"]
        again = subprocess.run([DEPLOY / "secrets.sh", f"{folder}/a"], capture_output=True)
        faults += [] if again.returncode else ["a second run replaces what is in use"]
        users = {user["name"]: user["password"] for user in definitions(f"{folder}/a")["users"]}
        stores = dict(re.findall(r"^user (\w+) on >(\w+) ", Path(f"{folder}/a/redis.conf").read_text(), re.M))
        faults += [] if len({*users.values(), *stores.values()}) == len(users) + len(stores) else ["two users share a password"]
        for name, file in first.items():
            user = {"cli.env": "newslode", "console.env": "newslode"}.get(name, name.removesuffix(".env"))
            broker, store = file.get("NEWSLODE__BROKER__URL"), file.get("NEWSLODE__STORE__URL")
            faults += [] if broker in (None, f"amqp://{user}:{users.get(user)}@rabbitmq:5672/%2f") else [f"{name}: {broker}"]
            faults += [] if store in (None, f"redis://{user}:{stores.get(user)}@redis:6379/0") else [f"{name}: {store}"]
        token = Path(f"{folder}/a/console-token").read_text().strip()
        faults += [] if len(token) >= 32 and first["console.env"]["CONSOLE_TOKEN"] == token else ["the console's token is another one than people are given"]
        faults += ["a partitioner is given Redis"] if "NEWSLODE__STORE__URL" in first["partitioner.env"] else []
        given = {Path(file["path"]).name for s in compose()["services"].values() for file in s.get("env_file", [])}
        unread = {"seeds.env", "reader.env", "scaler.env"}
        return faults + ([] if given == set(first) - unread else [f"compose.yaml reads {given}, made are {set(first)}"])


def definitions(folder):
    """What secrets.sh makes for RabbitMQ."""
    return json.loads(Path(f"{folder}/rabbitmq.json").read_text())


def rights_are_written_down():
    """the rights in RabbitMQ of docs/security.md are those of secrets.sh and of the chart's bundled server"""
    text = (DEPLOY.parent / "docs/security.md").read_text()
    rows = re.findall(r"^\| `(\w+)`[^|]* \| `((?:\\\||[^`])+)` \| `((?:\\\||[^`])+)` \| `((?:\\\||[^`])+)` \|$", text, re.M)
    told = {user: [part.replace("\\|", "|") for part in parts] for user, *parts in rows}
    with tempfile.TemporaryDirectory() as folder:
        made_secrets(f"{folder}/secrets")
        made = _rights(definitions(f"{folder}/secrets"))
    # One rendering has another prefix.
    bundled = [json.loads(d["stringData"]["definitions.json"].replace("news\\\\.lode", "newslode")) for _, d in chart.every("Secret") if "definitions.json" in d["stringData"]]
    faults = [] if made.pop("admin") == [".*"] * 3 and made == told else [f"secrets.sh gives {made}, docs/security.md says {told}"]
    faults += [f"the chart gives {_rights(given)}, docs/security.md says {told}" for given in bundled if _rights(given) != told]
    return faults + ([] if bundled and len(told) == 7 else ["the rights were not found"])


def _rights(given):
    return {right["user"]: [right["configure"], right["write"], right["read"]] for right in given["permissions"]}


def compose_is_contained():
    """compose.yaml: loopback ports, limits, health, restricted services, the crawler alone on the internet, a console that trusts its gateway alone"""
    file, faults = compose(), []
    networks, services = file["networks"], file["services"]
    for name, service in services.items():
        for port in service.get("ports", []):
            faults += [] if str(port).startswith("127.0.0.1:") else [f"{name} publishes {port}"]
        limits = service.get("deploy", {}).get("resources", {}).get("limits", {})
        faults += [] if set(limits) == {"cpus", "memory"} else [f"{name} has no limits"]
        if "profiles" not in service:
            faults += [] if service.get("healthcheck", {}).get("test") else [f"{name} has no health check"]
            faults += [] if service.get("restart") == "unless-stopped" else [f"{name} is not started again"]
        for after, condition in service.get("depends_on", {}).items():
            faults += [] if after in services and condition == {"condition": "service_healthy"} else [f"{name} after {after}"]
        for variable, value in service.get("environment", {}).items():
            faults += [f"{name}: {variable} holds a secret"] if re.search("PASS|SECRET|TOKEN|URL$", variable) and value else []
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            there = (DEPLOY / source).exists() if source.startswith(".") else source in file["volumes"]
            faults += [] if there else [f"{name}: {source} is not there"]
    for name in (*SERVICES, "console"):
        service = services[name]
        program = "bash" if name == "console" else f"newslode-{name}"
        faults += [] if service["command"][0] == program else [f"{name} runs {service['command']}"]
        faults += [] if service["read_only"] and service["cap_drop"] == ["ALL"] and service["user"] == "10001:10001" else [f"{name} may too much"]
        faults += [] if set(service["depends_on"]) == {"rabbitmq", "redis"} else [f"{name} does not wait for the servers"]
        faults += [] if "archive:/var/lib/newslode/archive" in service["volumes"] else [f"{name} does not share the archive"]
        ways_out = [network for network in service["networks"] if not (networks[network] or {}).get("internal")]
        wanted = {"crawler": ["internet"], "console": ["console"]}.get(name, [])
        faults += [] if ways_out == wanted else [f"{name} is on {ways_out}"]
    (proxy,) = re.findall(r"--trusted-proxy (\S+)", services["console"]["command"][-1])
    (range_,) = networks["console"]["ipam"]["config"]
    faults += [] if proxy == range_["gateway"] else [f"the console trusts {proxy}, who comes through its port is {range_['gateway']}"]
    neighbours = [name for name, service in services.items() if "internet" in service.get("networks", [])]
    return faults + ([] if neighbours == ["crawler"] else [f"on the crawler's network: {neighbours}"])


def image_holds_what_is_run():
    """the Containerfile: two stages, user 10001, no entry point, every binary that compose and pods run"""
    text = (DEPLOY / "Containerfile").read_text()
    final = text.split("\nFROM ")[-1]
    faults = [] if text.count("\nFROM ") == 2 else ["not two stages"]
    faults += [] if "\nUSER 10001:10001\n" in final else ["not user 10001"]
    faults += [] if "\nENTRYPOINT" not in final else ["an entry point"]
    commands = {s["command"][0] for n, s in compose()["services"].items() if n in SERVICES}
    commands |= {compose()["services"]["cli"]["entrypoint"][0]}
    for _, _, _, pod in chart.pods("Deployment", "Pod"):
        commands |= {container["command"][0] for container in pod["containers"]} - {"bash"}
    faults += [] if "\n    deploy/build.sh /out\n" in text else ["the first stage does not call deploy/build.sh"]
    installed = set(re.search(r"for program in ([\w -]+);", (DEPLOY / "build.sh").read_text()).group(1).split())
    return faults + [f"`{name}` is only on one side" for name in sorted(commands ^ installed)]


def _ignored(path, lines):
    """Whether a .dockerignore keeps a path out: the last line that matches it, or a folder above it, decides."""
    above = [path, *path.parents]
    ignored = False
    for line in lines:
        pattern = re.escape(line.removeprefix("!")).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
        if any(re.fullmatch(pattern, one.as_posix()) for one in above):
            ignored = not line.startswith("!")
    return ignored


def image_is_given_what_it_builds():
    """the image's build context has every manifest and target, the script that builds, and each file that sources include"""
    lines = [line for line in (DEPLOY / "Containerfile.dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    given = set()
    for folder, names, files in os.walk(declared.ROOT):
        here = Path(folder).relative_to(declared.ROOT)
        names[:] = [name for name in names if name not in (".git", "target")]
        given |= {here / name for name in files if not _ignored(here / name, lines)}
    faults = [] if Path("deploy/build.sh") in given else ["deploy/build.sh is left out"]
    with tempfile.TemporaryDirectory() as copy:
        for path in given:
            (Path(copy) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(copy) / path).touch()
            if path.suffix in (".toml", ".lock"):
                (Path(copy) / path).write_bytes((declared.ROOT / path).read_bytes())
        # Without a file it does not find each target of each member.
        run = subprocess.run(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"], cwd=copy, capture_output=True, text=True)
        faults += [] if run.returncode == 0 else [" ".join(run.stderr.split())]
    for path in sorted(path for path in given if path.suffix == ".rs" and "src" in path.parts):
        shipped = (declared.ROOT / path).read_text(encoding="utf-8").split("#[cfg(test)]")[0].split("#[cfg(doctest)]")[0]
        for name in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', shipped):
            included = Path(os.path.normpath(path.parent / name))
            faults += [] if included in given else [f"{path} includes {included}, which is left out"]
    return faults


def image_says_what_it_is():
    """the image's labels: licence and repository are those of Cargo.toml, and a release pins both base images"""
    text = (DEPLOY / "Containerfile").read_text()
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]*)"', text))
    about = tomllib.loads((declared.ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    faults = [f"no label {name}" for name in ("title", "description", "vendor", "documentation", "url") if not labels.get(name)]
    faults += [] if labels.get("licenses") == about["license"] else [f"the label says {labels.get('licenses')}"]
    faults += [] if labels.get("source") == about["repository"] else [f"the label says {labels.get('source')}"]
    faults += [f"`FROM {image}` is never pinned" for image in re.findall(r"^FROM (\S+)", text, re.M) if image not in ("${BUILD}${BUILD_PIN}", "${BASE}${BASE_PIN}")]
    return faults + [f"a digest is written down: {found}" for found in re.findall(r"sha256:\w+", text)]


def release_builds_on_pinned_images():
    """release/image.sh passes the digests that release/pin-images.sh got, labels, and writes the bill of what is in the image"""
    digests = {"rust:1-bookworm": "sha256:" + "a" * 64, "debian:bookworm-slim": "sha256:" + "b" * 64}
    with tempfile.TemporaryDirectory() as folder:
        engine, asked = Path(folder) / "docker", Path(folder) / "asked"
        # Answers as a registry and an image would, and notes what it was asked.
        cases = "".join(f'*{name}*) echo {digest} ;;\n' for name, digest in digests.items())
        engine.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" >> {asked}\ncase "$*" in\n*imagetools*) case "$*" in {cases} esac ;;\n'
            "run*) printf 'libc6\\t2.36-9\\tamd64\\n' ;;\nesac\n"
        )
        engine.chmod(0o755)
        variables = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
        pins = subprocess.run([declared.ROOT / "release/pin-images.sh"], check=True, capture_output=True, text=True, env=variables).stdout
        (Path(folder) / "pins").write_text(pins)
        asked.unlink()
        command = [declared.ROOT / "release/image.sh", "newslode:test", f"{folder}/pins", f"{folder}/out"]
        subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
        built = asked.read_text().splitlines()
        bills = [path.read_text(encoding="utf-8") for path in (Path(folder) / "out").iterdir()]
        (Path(folder) / "pins").write_text("BUILD_PIN=@sha256:1\n")
        refused = subprocess.run(command, capture_output=True, text=True, env=variables).returncode != 0
    wanted = [f"BUILD_PIN=@{digests['rust:1-bookworm']}", f"BASE_PIN=@{digests['debian:bookworm-slim']}"]
    labels = {"base.digest": digests["debian:bookworm-slim"], "base.name": "docker.io/library/debian:bookworm-slim"}
    wanted += [f"org.opencontainers.image.{name}={value}" for name, value in labels.items()]
    faults = [f"the engine is not given {one}" for one in wanted if one not in built]
    for label in ("version", "revision", "created"):
        faults += [] if any(re.fullmatch(rf"org\.opencontainers\.image\.{label}=\S+", one) for one in built) else [f"no label {label}"]
    faults += [] if len(bills) == 1 and "pkg:deb/debian/libc6@2.36-9" in bills[0] and "pkg:cargo/rustls@" in bills[0] else ["the bill is not that of the image"]
    return faults + ([] if refused else ["an image that is not pinned is built"])


def _newslode(arguments, variables=()):
    run = subprocess.run(
        [os.environ["NEWSLODE_BIN"], *arguments], env=dict(variables), capture_output=True, text=True, timeout=60
    )
    return run.returncode, run.stdout, run.stderr.strip()


def _loads(where, text, variables=()):
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        code, _, said = _newslode(["config", "check", "--config", file.name], variables)
        return [] if code == 0 else [f"{where}: {said}"]


def loader_takes_every_file():
    """`newslode config check` takes the example with and without variables, and what each pod of each rendering is given"""
    example = (DEPLOY / "newslode.toml").read_text()
    with tempfile.TemporaryDirectory() as folder:
        variables = made_secrets(f"{folder}/secrets")["cli.env"]
    faults = _loads("newslode.toml", example) + _loads("newslode.toml, all keys", _DEFAULT.sub("", example))
    faults += _loads("newslode.toml with variables", example, variables)
    files = config_files()
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as sites:
        # In the place of the mounted secret.
        sites.write('["example.org"]\nuser_agent = "Agreed/1.0"\n')
        sites.flush()
        for where, _, _, pod in chart.pods("Deployment", "Pod"):
            variables = pod_variables(pod)
            mounted = {"NEWSLODE__CRAWLER__SITES_FILE": sites.name} if "NEWSLODE__CRAWLER__SITES_FILE" in variables else {}
            faults += _loads(where, files[where.split(":")[0]], variables | mounted)
    bites = _loads("", "[crawler]\nworker = 3\n") and _loads("", example, {"NEWSLODE__CRAWLER__WORKER": "3"})
    return faults + ([] if bites else ["the loader takes an unknown key"])


def chart_takes_every_key():
    """every key but those that the chart sets itself can be given as a value, and arrives; the schema is the program's"""
    schema = chart.CHART / "values.schema.json"
    described = make.described_by(os.environ["NEWSLODE_BIN"])
    faults = [] if make.with_configuration(described) == schema.read_text() else [f"{schema} is stale: run `{make.COMMAND}`"]
    config = {
        section: {key: value for key, value in inner["default"].items() if key not in make.OWNED.get(section, ())}
        for section, inner in described["properties"].items()
    }
    # Other values than the defaults, where a number may be any.
    config["miner"] |= {"max_pages": 12345678901, "follow": "all"}
    config["crawler"] |= {"workers": 20, "user_agent": "Quoted \"name\" \\ <é>/1", "resolve": ["*:127.0.0.1:80"]}
    config["telemetry"]["log"] = "newslode_crawler=debug,info"
    for section, keys in make.schema()["properties"]["config"]["default"].items():
        faults += [f"config.{section}.{key} is {value}, the program's default is {described['properties'][section]['default'][key]}"
                   for key, value in keys.items() if key != "log_json" and value != described["properties"][section]["default"][key]]
    (text,) = [d["data"]["newslode.toml"] for d in chart.manifests(chart.LEAST | {"config": config}) if "newslode.toml" in d.get("data", {})]
    faults += _loads("all keys", text)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        shown = tomllib.loads(_newslode(["config", "show", "--config", file.name])[1])
    return faults + [
        f"{section}.{key} arrives as {shown[section][key]!r}, given was {value!r}"
        for section, inner in config.items()
        for key, value in inner.items()
        if shown[section][key] != value
    ]


def defaults_are_the_defaults():
    """what deploy/newslode.toml shows as defaults are the defaults of the code"""
    text = (DEPLOY / "newslode.toml").read_text()
    lines = [line for line in text.splitlines() if line.startswith(("#", "["))]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(_DEFAULT.sub("", "\n".join(lines)))
        file.flush()
        shown = tomllib.loads(_newslode(["config", "show", "--config", file.name])[1])
    wanted = tomllib.loads(_newslode(["config", "show"])[1])
    return [
        f"{section}.{key} is shown as {shown[section][key]!r}, the default is {value!r}"
        for section, inner in wanted.items()
        for key, value in inner.items()
        if shown[section][key] != value
    ]


CHECKS = [
    example_names_every_key,
    chart_config_is_known,
    variables_are_known,
    secrets_are_made_well,
    rights_are_written_down,
    compose_is_contained,
    image_holds_what_is_run,
    image_is_given_what_it_builds,
    image_says_what_it_is,
    release_builds_on_pinned_images,
]
WITH_BINARY = [loader_takes_every_file, chart_takes_every_key, defaults_are_the_defaults]
