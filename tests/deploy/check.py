"""Checks deploy/ and k8s/ without a container engine or a cluster, the chart by the real Helm. Run it by run.sh.

One function a promise; each returns what is wrong, one line each. Exit 1 when anything is.
NEWSLODE_BIN, the path of a built `newslode`: its own loader then reads every configuration, too.
"""

import os
import sys

import check_bundled
import check_chart
import check_config
import check_custom
import check_init
import check_kubernetes
import check_prometheus
import check_servers

CHECKS = [
    *check_chart.CHECKS,
    *check_kubernetes.CHECKS,
    *check_custom.CHECKS,
    *check_prometheus.CHECKS,
    *check_config.CHECKS,
    *check_servers.CHECKS,
    *check_bundled.CHECKS,
]


def main():
    binary = os.environ.get("NEWSLODE_BIN")
    checks = CHECKS + (check_config.WITH_BINARY + check_prometheus.WITH_BINARY + check_init.WITH_BINARY if binary else [])
    failed = 0
    for check in checks:
        try:
            faults = check()
        except Exception as error:  # a file that cannot be read is a fault of that file
            faults = [f"{type(error).__name__}: {error}"]
        failed += bool(faults)
        print(("FAIL " if faults else "ok   ") + check.__doc__.splitlines()[0])
        for fault in faults:
            print(f"       {fault}")
    if not binary:
        print("note: NEWSLODE_BIN is not set; configuration keys were compared with the sources only")
    print(f"{len(checks) - failed} of {len(checks)} checks hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
