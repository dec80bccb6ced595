"""Every panel's expressions with the dashboard's variables replaced, as one JSON array on standard output.

    python3 tests/deploy/panels.py
Each item: {"dashboard", "panel", "id", "expr"}.
"""

import json
from pathlib import Path

DASHBOARDS = Path(__file__).resolve().parents[2] / "deploy/grafana/dashboards"

# What Grafana would put there.
VARIABLES = {"$__rate_interval": "5m", "$__interval": "1m", "$__range": "1h"}


def flat(panels):
    """Rows and the panels inside collapsed ones, too."""
    for panel in panels:
        yield panel
        yield from flat(panel.get("panels", []))


def replaced(expr, dashboard):
    """The expression as Prometheus gets it; any value for variables that are chosen by hand."""
    for name, value in VARIABLES.items():
        expr = expr.replace(name, value)
    for variable in dashboard["templating"]["list"]:
        for form in ("${%s}" % variable["name"], "$" + variable["name"]):
            expr = expr.replace(form, ".*")
    return expr


def expressions(folder=DASHBOARDS):
    found = []
    for path in sorted(folder.glob("*.json")):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        for panel in flat(dashboard["panels"]):
            for target in panel.get("targets", []):
                found.append(
                    {
                        "dashboard": dashboard["title"],
                        "panel": panel["title"],
                        "id": panel["id"],
                        "expr": replaced(target["expr"], dashboard),
                    }
                )
    return found


if __name__ == "__main__":
    print(json.dumps(expressions(), indent=2))
