"""Exceptions are the package's own, or those of Python where a caller is wrong about a type."""

from collections.abc import Callable

import newslode
import pytest


@pytest.mark.parametrize("url", ["", "x", "mailto:desk@example.org", "https://", "http://a.org/" + "x" * 3000, "\ud800"])
def test_a_url_of_no_page_is_refused(url: str) -> None:
    calls: list[Callable[[str, str], object]] = [newslode.extract, newslode.kind, newslode.partition, newslode.tables]
    for call in calls:
        with pytest.raises(newslode.InvalidUrl) as refused:
            call("<p>text", url)
        assert isinstance(refused.value, newslode.NewslodeError)
        assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize("html", [None, 3, ["<p>"], memoryview(b"<p>"), object()])
def test_what_is_no_page_is_a_type_error(html: object) -> None:
    with pytest.raises(TypeError):
        newslode.extract(html)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        list(newslode.extract_many([html]))  # type: ignore[list-item]


def test_other_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="`best` is no method"):
        newslode.partition("<p>text", method="best")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="datetime"):
        newslode.extract("<p>text", fetched_at="today")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="one page"):
        newslode.extract_many("<p>text")
    with pytest.raises(ValueError):
        newslode.extract_many([], threads=0)
    with pytest.raises(newslode.FormatError):
        newslode.Hierarchy.from_xml("<page>")


def test_a_panic_is_an_exception_with_its_place(capfd: pytest.CaptureFixture[str]) -> None:
    """`PanicException` of PyO3 is no `Exception`: it would end what goes on after errors of single pages."""
    with pytest.raises(newslode.InternalError, match=r"guard\.rs:\d+:\d+: the tree fell"):
        newslode._newslode._fail("the tree fell")
    assert issubclass(newslode.InternalError, Exception)
    assert capfd.readouterr().err == "", "nothing is printed"
