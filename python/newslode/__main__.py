"""The command line of the package: `python -m newslode extract`, and the same as `newslode-extract`.

What was extracted goes to standard output, everything else to standard error. Exit codes: 0 if an article was read on at
least one page and nothing failed, 1 if a page could not be read or fetched, 2 for wrong arguments, 3 if no page holds an article.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from newslode import Article, NewslodeError, Response, __version__, extract, fetch, for_terminal

_FORMATS = ["text", "markdown", "html", "tei", "json-ld", "json"]
#: The largest file that is read, in bytes; more than a page ever has.
_LARGEST = 64 << 20

_OK, _FAILED, _USAGE, _NOTHING = 0, 1, 2, 3


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Extract the articles of news pages.",
        epilog="Exit codes: 0 done, 1 a page failed, 2 wrong arguments, 3 no article found.",
    )
    parser.add_argument("pages", metavar="PAGE", nargs="+", help="file, URL, or - for standard input")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="output format (default: text)")
    parser.add_argument("--url", help="address of a page that is read from a file or standard input")
    parser.add_argument("--contact", help="URL or mail address of yours, sent to servers; needed to fetch a URL")
    parser.add_argument(
        "--focus",
        choices=["balanced", "precision", "recall"],
        default="balanced",
        help="leave out what is doubtful (precision) or take it (recall)",
    )
    parser.add_argument("--comments", action="store_true", help="also readers' comments, with --format json")
    parser.add_argument("--any-kind", action="store_true", help="read every page as if it were an article")
    parser.add_argument("--allow-private", action="store_true", help="also fetch from addresses that are not public")
    parser.add_argument("--version", action="version", version=f"newslode {__version__}")
    return parser


def _say(text: str) -> None:
    print(for_terminal(text), file=sys.stderr)


def _read(page: str, arguments: argparse.Namespace) -> bytes | Response:
    """The page of a name on the command line. Raises what `main` reports."""
    if page.startswith(("http://", "https://")):
        response = fetch(page, contact=arguments.contact, allow_private=arguments.allow_private)
        if not response.ok:
            raise OSError(f"`{page}` answered {response.status}")
        return response
    if page == "-":
        data = sys.stdin.buffer.read(_LARGEST + 1)
    else:
        with open(page, "rb") as file:
            data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise OSError(f"`{page}` is larger than {_LARGEST} bytes, so it is no page")
    return data


def _written(article: Article, form: str) -> str:
    if form == "json":
        return article.to_json() + "\n"
    document = article.document(form)  # type: ignore[arg-type]
    return document if document.endswith("\n") else document + "\n"


def _cause(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"cannot read `{error.filename}`: {error.strerror}"
    return str(error)


def main(arguments: Sequence[str] | None = None, program: str = "newslode-extract") -> int:
    """Runs the command with these arguments (those of the process by default) and returns its exit code."""
    parser = _parser(program)
    given = parser.parse_args(arguments)
    fetched = [page for page in given.pages if page.startswith(("http://", "https://"))]
    if fetched and not (given.contact or given.allow_private):
        parser.error(
            "--contact is needed to fetch a URL, so that sites know whom to turn to: "
            "--contact https://example.org/crawler, or a mail address"
        )
    if given.comments and given.format != "json":
        parser.error("--comments needs --format json: comments are no part of a document")
    if given.pages.count("-") > 1:
        parser.error("standard input can be read only once")
    found = failed = 0
    for page in given.pages:
        try:
            html = _read(page, given)
            address = None if page in fetched else given.url
            article = extract(
                html, address, any_kind=given.any_kind, focus=given.focus, comments=given.comments
            )
        except (OSError, NewslodeError, ValueError) as error:
            failed += 1
            _say(f"error: {_cause(error)}")
            continue
        if article is None:
            _say(f"`{page}` is not an article; --any-kind reads it nevertheless")
            continue
        found += 1
        sys.stdout.buffer.write(_written(article, given.format).encode("utf-8"))
    sys.stdout.buffer.flush()
    if len(given.pages) > 1:
        _say(f"{found} articles on {len(given.pages)} pages")
    if failed:
        return _FAILED
    return _OK if found else _NOTHING


def run() -> NoReturn:
    """The console script `newslode-extract`."""
    _end(None, "newslode-extract")


def _end(arguments: Sequence[str] | None, program: str) -> NoReturn:
    try:
        code = main(arguments, program)
    except BrokenPipeError:
        # The reader has what it wanted. Python would complain again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _OK
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    if sys.argv[1:2] == ["extract"]:
        _end(sys.argv[2:], "python -m newslode extract")
    if sys.argv[1:2] == ["--version"]:
        _end(["--version"], "newslode")
    _say("usage: python -m newslode extract PAGE... [--format FORMAT] (--help tells more)")
    sys.exit(_OK if sys.argv[1:2] in (["--help"], ["-h"]) else _USAGE)
