"""`python -m newslode extract` and `newslode-extract`."""

import json
import pathlib
import subprocess
import sys

import newslode
from pages import article, url


def run(*arguments: str, given: str = "", script: bool = False) -> tuple[int, str, str]:
    """Exit code, output and messages."""
    program = [str(pathlib.Path(sys.executable).with_name("newslode-extract"))]
    if not script:
        program = [sys.executable, "-m", "newslode", "extract"]
    done = subprocess.run([*program, *arguments], input=given.encode(), capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_page_of_standard_input_is_written_in_each_format() -> None:
    expected = newslode.extract(article("rain"), url("rain"))
    assert expected is not None
    for script in [False, True]:
        code, out, said = run("-", "--url", url("rain"), given=article("rain"), script=script)
        assert (code, out, said) == (0, expected.document("text"), "")
    for form in ["markdown", "html", "tei", "json-ld"]:
        _, out, _ = run("-", "--url", url("rain"), "--format", form, given=article("rain"))
        assert out.rstrip("\n") == expected.document(form).rstrip("\n")  # type: ignore[arg-type]
    _, out, _ = run("-", "--url", url("rain"), "--format", "json", "--comments", given=article("rain"))
    assert json.loads(out) == {**expected.to_dict(), "comments": []}


def test_several_files_are_read_and_what_fails_is_named(tmp_path: pathlib.Path) -> None:
    page, contact = tmp_path / "rain.html", tmp_path / "contact.html"
    page.write_text(article("rain"), "utf-8")
    contact.write_text("<title>Contact</title><p>Write to us.", "utf-8")
    code, out, said = run(str(page), str(contact), "--format", "json")
    assert (code, json.loads(out)["title"]) == (0, "rain")
    assert "contact.html` is not an article; --any-kind reads it" in said
    assert "1 articles on 2 pages" in said
    code, out, said = run(str(page), str(tmp_path / "none.html"))
    assert (code, "After eleven dry weeks" in out) == (1, True)
    assert f"error: cannot read `{tmp_path / 'none.html'}`: No such file or directory" in said
    assert run(str(contact))[0] == 3
    assert run(str(contact), "--any-kind")[:2] == (0, "Contact\n\nWrite to us.\n")


def test_wrong_arguments_name_the_remedy() -> None:
    for arguments, remedy in [
        ([], "PAGE"),
        (["https://news.example.org/rain"], "--contact is needed"),
        (["-", "--comments"], "--comments needs --format json"),
        (["-", "--format", "pdf"], "invalid choice"),
        (["-", "-"], "only once"),
    ]:
        code, out, said = run(*arguments)
        assert (code, out) == (2, ""), arguments
        assert remedy in said
    code, _, said = run("-", "--url", "mailto:desk@example.org", given=article("rain"))
    assert (code, "is not an http or https URL" in said) == (1, True)
    code, _, said = run("http://127.0.0.1:9/", "--contact", "desk@example.org")
    assert (code, "private or reserved address" in said) == (1, True)
    assert run("--version")[0] == 0
    done = subprocess.run([sys.executable, "-m", "newslode"], capture_output=True, text=True, check=False)
    assert (done.returncode, "newslode extract PAGE" in done.stderr) == (2, True)
