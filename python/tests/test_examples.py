"""The example that users start from runs, and its errors name what is wrong."""

import pathlib
import subprocess
import sys

import pages

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "extract.py"


def extract(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(EXAMPLE), *arguments], capture_output=True, text=True, check=False)


def test_the_small_page_is_extracted() -> None:
    ended = extract()
    assert ended.returncode == 0, ended.stderr
    for wanted in [
        "title:     Rain ends the drought\n",
        "published: 2024-05-02T08:00:00Z\n",
        "authors:   Ada Lane\n",
        "evidence:  published from meta",
        "\nAfter eleven dry weeks",
        'href="https://file.invalid/sport"',
    ]:
        assert wanted in ended.stdout, ended.stdout


def test_a_file_is_extracted_under_its_url(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "story.html"
    file.write_text(pages.article("rain"), "utf-8")
    ended = extract(str(file), pages.url("rain"))
    assert ended.returncode == 0, ended.stderr
    assert "title:     rain\n" in ended.stdout and pages.TEXTS["rain"][0] in ended.stdout
    assert f'url="{pages.url("rain")}"' in ended.stdout


def test_errors_name_the_file_or_the_url(tmp_path: pathlib.Path) -> None:
    for arguments, wanted in [(["no-such-page.html"], "no-such-page.html"), ([str(EXAMPLE), "a story"], "a story")]:
        ended = extract(*arguments)
        assert ended.returncode == 1 and wanted in ended.stderr and "Traceback" not in ended.stderr, ended.stderr
