"""All that is public has a docstring, and the examples of docstrings and docs say the truth."""

import doctest
import pathlib
from typing import Any

import newslode
import pytest

DOCS = pathlib.Path(__file__).parents[1] / "README.md"


def public() -> dict[str, Any]:
    """Everything public, by name: functions, classes, and what classes have."""
    found: dict[str, Any] = {"newslode": newslode}
    for name in set(newslode.__all__) - {"__version__"}:
        value = getattr(newslode, name)
        found[name] = value
        if isinstance(value, type) and not issubclass(value, Exception):
            found |= {f"{name}.{own}": getattr(value, own) for own in vars(value) if not own.startswith("_")}
    return found


@pytest.mark.parametrize("name", sorted(public()))
def test_a_docstring_is_there_and_true(name: str) -> None:
    docstring = public()[name].__doc__
    assert docstring, f"{name} has no docstring"
    run(doctest.DocTestParser().get_doctest(docstring, {}, name, None, 0))


def test_what_the_docs_show_is_true() -> None:
    example = doctest.DocTestParser().get_doctest(DOCS.read_text("utf-8"), {}, DOCS.name, str(DOCS), 0)
    assert len(example.examples) > 10
    run(example)


def run(example: doctest.DocTest) -> None:
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert result.failed == 0, "".join(said)


