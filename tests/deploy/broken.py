"""Breaks deploy/ and k8s/ on purpose, one thing at a time in a copy, and shows what the check that guards it says.

A check that says nothing is no check: exit 1 then. Run it by `run.sh broken`, after a check was changed.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHART = "k8s/chart/templates/"
RULES = "deploy/prometheus/rules.yml"
BOARD = "deploy/grafana/dashboards/newslode.json"

# The check, the file, what is replaced there, and by what.
BREAKAGES = [
    ("check_chart.helm_lint_is_silent", CHART + "_service.tpl", "{{- include \"newslode.env\" . | nindent 12 }}", "{{- include \"newslode.environment\" . | nindent 12 }}"),
    ("check_chart.wrong_values_are_refused", "k8s/chart/values.schema.json", '"additionalProperties": false', '"additionalProperties": true'),
    ("check_chart.contradictions_name_their_mend", CHART + "_check.tpl", "turn one off", "is wrong"),
    ("check_chart.schemes_are_mounted_where_they_are_configured", CHART + "_helpers.tpl", "mountPath: /etc/newslode-schemes", "mountPath: /etc/schemes"),
    ("check_chart.settings_of_sites_are_mounted_for_crawlers", CHART + "_helpers.tpl", "mountPath: /etc/newslode-sites", "mountPath: /etc/sites"),
    ("check_chart.made_files_are_fresh", "k8s/plain/newslode.yaml", "maxUnavailable: 1", "maxUnavailable: 2"),
    ("check_chart.versions_agree", "k8s/chart/Chart.yaml", "appVersion: ", "appVersion: 9"),
    ("check_kubernetes.manifests_are_valid", CHART + "_service.tpl", "failureThreshold: 60", "failureTreshold: 60"),
    ("check_kubernetes.checkov_finds_nothing", CHART + "_helpers.tpl", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"),
    ("check_kubernetes.pods_are_restricted", CHART + "_helpers.tpl", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
    ("check_kubernetes.pods_can_be_watched_and_stopped", CHART + "_service.tpl", "path: /health/ready", "path: /health/live"),
    ("check_kubernetes.secrets_are_references", CHART + "_service.tpl", "value: {{ $values.contact | quote }}", "value: amqp://user:password@host"),
    ("check_kubernetes.drains_are_never_blocked", CHART + "_service.tpl", "maxUnavailable: 1", "minAvailable: 1"),
    ("check_kubernetes.only_the_crawler_reaches_the_internet", CHART + "networkpolicy.yaml", "              - 10.0.0.0/8\n", ""),
    ("check_custom.triggers_ask_for_what_exists", CHART + "keda.yaml", "newslode_miner_sites_due", "newslode_miner_sites_dew"),
    ("check_custom.monitors_name_the_jobs", CHART + "monitoring.yaml", "replacement: newslode-$1", "replacement: $1"),
    ("check_custom.alerts_and_dashboards_are_one_source", "k8s/chart/files/grafana/dashboards/newslode.json", '"title": "Newslode"', '"title": "Old"'),
    ("check_prometheus.alerts_fire_when_they_should", RULES, "sum by (queue) (increase(newslode_broker_dead_lettered_total[15m])) > 0", "sum by (queue) (increase(newslode_broker_dead_lettered_total[15m])) > 1e6"),
    ("check_prometheus.alerts_say_what_to_do", RULES, "newslode_broker_dead_lettered_total", "newslode_broker_dead_letters_total"),
    ("check_prometheus.runbook_has_each_alert", "docs/runbook.md", "## NewslodeDeadLetters\n", "## NewslodeDeadLetter\n"),
    ("check_prometheus.expressions_are_promql", BOARD, "max by (kind) (newslode_archive_bytes)", "max by (kinds) (newslode_archive_bytes)"),
    ("check_prometheus.each_metric_is_shown", BOARD, "newslode_archive_bytes", "newslode_store_memory_bytes"),
    ("check_prometheus.dashboards_are_whole", BOARD, '"unit": "bytes"', '"unit": ""'),
    ("check_config.example_names_every_key", "deploy/newslode.toml", "max_crawl_delay_ms", "most_crawl_delay_ms"),
    ("check_config.variables_are_known", "deploy/compose.yaml", "NEWSLODE__CRAWLER__CONTACT", "NEWSLODE__NOTHING__AT_ALL"),
    ("check_config.compose_is_contained", "deploy/compose.yaml", "127.0.0.1:9090:9090", "9090:9090"),
    ("check_config.compose_is_contained", "deploy/compose.yaml", "--trusted-proxy 10.231.46.1", "--trusted-proxy 10.231.46.2"),
    ("check_config.secrets_are_made_well", "deploy/secrets.sh", 'echo "$token" >"$folder/console-token"', 'password >"$folder/console-token"'),
    ("check_config.image_holds_what_is_run", "deploy/Containerfile", "USER 10001:10001", "USER 0:0"),
    ("check_config.image_is_given_what_it_builds", "deploy/Containerfile.dockerignore", "!docs/schema\n", ""),
    ("check_config.image_is_given_what_it_builds", "deploy/Containerfile.dockerignore", "!deploy/build.sh\n", ""),
    ("check_config.image_is_given_what_it_builds", "deploy/Containerfile.dockerignore", "python/tests\n", "python\n"),
    ("check_config.image_says_what_it_is", "deploy/Containerfile", "${BASE}${BASE_PIN}", "debian:bookworm-slim"),
    ("check_servers.redis_takes_its_file", "deploy/redis/redis.conf", "maxmemory-policy noeviction", "maxmemory-policy allkeys-lru"),
]


def found(root, name):
    """What a check says of a tree, one line each."""
    module, function = name.split(".")
    program = f"import {module}\nfor fault in {module}.{function}(): print(fault)"
    run = subprocess.run([sys.executable, "-c", program], cwd=root / "tests/deploy", capture_output=True, text=True)
    return run.stdout.splitlines() or run.stderr.splitlines()[-1:]


def main():
    silent = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("target", "data", ".git", "__pycache__"), symlinks=True)
        for name, file, old, new in BREAKAGES:
            path = root / file
            whole = path.read_text(encoding="utf-8")
            assert old in whole, f"{file} no longer says {old!r}"
            path.write_text(whole.replace(old, new), encoding="utf-8")
            said = found(root, name)
            path.write_text(whole, encoding="utf-8")
            silent += not said
            print(f"{'found ' if said else 'SILENT'} {name}: {file}: {old.strip()!r} -> {new.strip()!r}")
            more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
            print(f"       {said[0][:200] if said else ''}{more}", flush=True)
    print(f"{len(BREAKAGES) - silent} of {len(BREAKAGES)} breakages are found")
    sys.exit(1 if silent else 0)


if __name__ == "__main__":
    main()
