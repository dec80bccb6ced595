"""Enough of PromQL to name what an expression asks for: metrics, and the labels it matches or groups by."""

import re

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<range>\[[^\]]*\])
      | (?P<number>\d+(?:ms|[smhdwy])\b|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[A-Za-z_:][\w:]*)
      | (?P<sign>=~|!~|!=|==|<=|>=|[-+*/%^(){},=<>@])
      | (?P<space>\s+)""",
    re.X,
)
_GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
_WORDS = {"and", "or", "unless", "bool", "offset", "atan2"}


def tokens(expr):
    """(kind, text) of each token but spaces."""
    at, found = 0, []
    while at < len(expr):
        match = _TOKEN.match(expr, at)
        if not match:
            raise ValueError(f"cannot read `{expr}` at `{expr[at:]}`")
        at = match.end()
        if match.lastgroup != "space":
            found.append((match.lastgroup, match.group()))
    return found


def selectors(expr):
    """(metrics, matchers, groups): metrics are names, matchers (metric, label, operator, value), groups labels."""
    found, matchers, groups = [], [], []
    parts = tokens(expr) + [("end", "")]
    at = 0
    while at < len(parts):
        kind, text = parts[at]
        following = parts[at + 1][1] if at + 1 < len(parts) else ""
        if kind == "name" and text in _GROUPING:
            if following == "(":
                end = parts.index(("sign", ")"), at)
                groups += [word for sort, word in parts[at:end] if sort == "name" and word != text]
                at = end
        elif kind == "name" and text not in _WORDS and not _is_call(parts, at):
            found.append(text)
        elif text == "{":
            end = parts.index(("sign", "}"), at)
            inner = parts[at + 1 : end]
            if not found or parts[at - 1][0] != "name":
                raise ValueError(f"a selector without a name in `{expr}`")
            for i in range(0, len(inner), 4):
                label, operator, value = (word for _, word in inner[i : i + 3])
                matchers.append((found[-1], label, operator, value[1:-1]))
            at = end
        at += 1
    return found, matchers, groups


def _is_call(parts, at):
    """A function, or an aggregation: `sum(` and `sum by (`."""
    following = parts[at + 1][1]
    return following == "(" or following in {"by", "without"}


def wrong(expr, declared):
    """What is wrong with the names in an expression, one line each."""
    names, matchers, groups = selectors(expr)
    faults = [f"`{name}` is declared nowhere" for name in names if name not in declared]
    if not names:
        faults.append("asks for no metric")
    if faults:
        return faults
    for label in groups:
        if not any(label in declared[name] for name in names):
            faults.append(f"no metric in it has the label `{label}`")
    for name, label, operator, value in matchers:
        if label not in declared[name]:
            faults.append(f"`{name}` has no label `{label}`")
            continue
        known = declared[name][label]
        if known is not None and operator in {"=", "=~"}:
            # Each alternative must be met, so that one misspelt among several is found.
            for part in value.split("|") if operator == "=~" else [re.escape(value)]:
                if not any(re.fullmatch(part, one) for one in known):
                    faults.append(f"no `{label}` of `{name}` is `{part}`")
    return faults
