"""What the code declares: metrics with their labels and values, and configuration keys.

Read from the sources by pattern, so that nothing needs to be built; each reader fails loudly when it
finds less than there must be, so a change of the sources' form cannot make a check pass by emptiness.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Asked for beside our own: what Prometheus makes itself, and gauges that RabbitMQ 3.10 and 4.x serve at /metrics
# and, those by queue, at /metrics/detailed?family=queue_coarse_metrics.
_NODE = ("alarms_memory_used_watermark", "alarms_free_disk_space_watermark", "disk_space_available_bytes", "disk_space_available_limit_bytes",
         "process_resident_memory_bytes", "resident_memory_limit_bytes")
FOREIGN = {f"rabbitmq_{name}": {"job": None, "instance": None} for name in _NODE} | {
    "up": {"job": None, "instance": None},
    "ALERTS": {"alertname": None, "alertstate": {"pending", "firing"}, "severity": {"critical", "warning", "info"}},
    "rabbitmq_detailed_queue_messages_ready": {"queue": None, "vhost": None},
    "rabbitmq_detailed_queue_messages_unacked": {"queue": None, "vhost": None},
    "rabbitmq_detailed_queue_messages": {"queue": None, "vhost": None},
}


def _source(path):
    return (ROOT / path).read_text(encoding="utf-8")


def metrics():
    """Series name -> {label: set of values, or None where any value may come}."""
    outcomes = set(re.findall(r'^    \w+ = "(\w+)",$', _source("common/src/outcome.rs"), re.M))
    queues = set(re.findall(r'Queue::\w+ => "(\w+)"', _source("common/src/broker/mod.rs")))
    assert len(outcomes) > 10 and len(queues) == 5, "outcome.rs or broker/mod.rs is not of the known form"
    states = set(re.findall(r'Health::\w+ => "(\w+)"', _source("common/src/schedule/trouble.rs")))
    assert len(states) == 9, "trouble.rs is not of the known form"
    values = {"outcomes": outcomes, "queues": queues, "states": states}
    call = re.compile(r'\.(counters?|gauges?|seconds|delays)\(\s*"(newslode_\w+)",\s*"[^"]*",?\s*(?:"(\w+)",\s*&(\w+|\[[^\]]*\]))?')
    text = _source("common/src/telemetry/metrics.rs")
    found = {}
    for kind, name, label, given in call.findall(text):
        labels = {"job": None, "instance": None}
        if label:
            labels[label] = values.get(given) or set(re.findall(r'"(\w+)"', given))
            assert labels[label], f"no values of `{label}` of {name}"
        if kind in ("seconds", "delays"):
            found |= {f"{name}_bucket": labels | {"le": None}, f"{name}_sum": labels, f"{name}_count": labels}
        else:
            found[name] = labels
    # What was built is told by labels alone, which may have any value.
    for name, labels in re.findall(r'Opts::new\("(newslode_\w+_info)".*?IntGaugeVec::new\(\w+, &\[([^\]]*)\]', text, re.S):
        found[name] = {label: None for label in ["job", "instance", *re.findall(r'"(\w+)"', labels)]}
    # Counters of fractions, and the counter of spans, whose results are an enumeration.
    for name in re.findall(r'\bCounter::new\(\s*"(newslode_\w+)"', text):
        found[name] = {"job": None, "instance": None}
    traces = _source("common/src/telemetry/trace.rs")
    for name, labels in re.findall(r'Opts::new\("(newslode_\w+)", help\), &\[([^\]]*)\]', traces):
        ends = set(re.findall(r'SpanEnd::\w+ => "(\w+)"', traces))
        assert len(ends) == 3, "trace.rs is not of the known form"
        found[name] = {"job": None, "instance": None} | {label: ends for label in re.findall(r'"(\w+)"', labels)}
    declared = set(re.findall(r'"(newslode_\w+)"', text.split("#[cfg(test)]")[0]))
    missed = {name for name in declared if name not in found and f"{name}_sum" not in found}
    assert len(declared) > 10 and not missed, f"metrics.rs is not of the known form: {missed}"
    own = set(re.findall(r'"((?:newslode_)?process_\w+)", "', _source("common/src/telemetry/process.rs")))
    assert len(own) > 5, "process.rs is not of the known form"
    found |= {name: {"job": None, "instance": None} for name in own}
    return found | FOREIGN


def keys():
    """All configuration keys, sections joined by dots: `crawler.workers`."""
    text = _source("common/src/config/mod.rs") + _source("common/src/schedule/params.rs")
    structs = {
        name: re.findall(r"^    pub (\w+): ([\w<>]+),$", body, re.M)
        for name, body in re.findall(r"^pub struct (\w+) \{$(.*?)^\}$", text, re.M | re.S)
    }
    found = {f"{section}.{key}" for section, kind in structs["Config"] for key, _ in structs[kind]}
    assert len(structs["Config"]) > 5 and len(found) > 30, "config/mod.rs is not of the known form"
    return found
