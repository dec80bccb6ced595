#!/usr/bin/env python3
"""Sets newslode beside other extractors of articles: the same pages, one thread, one run, one table.

usage: compare.py --newslode FILE [--folds DIR] [--venv DIR] [--peers A,B] [--no-rust] [--package] [--json FILE] SET...

SET is a folder of pages/ID.html and gold.jsonl ({"id", "url", "site", "title", "authors", "published", "body",
"with", "without"}, any of them null). FILE is the newslode-lab binary (a release build, if times are to mean
something); --folds are trees that saw no page of a page's site (page/train/bodies.py). The Python
peers of requirements.txt are installed into --venv (target/peers) the first time, dom_smoothie is built by
cargo; both need the network. `./test` does not run this.

Columns: body F1 (means over pages, 4-token shingles) with its count below .5, F1 over "with"/"without" segments,
shares of exact titles, author sets and days, milliseconds of a page (median, worst) and the page of the worst body.
Times of Python peers are processor time of one run with decoding; those of newslode and dom_smoothie the least
of three runs, newslode's with decoding and parse. readability-lxml's HTML is turned into text at block borders.

--package adds the Python package: python/ is installed into --venv, built for release. It is a peer like the others,
`newslode.extract` called page by page, with the compiled-in trees (so compare it with a run without --folds). Then the
pages of all sets are read again, each extractor in turn, by the clock on the wall, the least of three rounds:
`trafilatura.bare_extraction` and `newslode.extract` page by page, `newslode.extract_many` by one and by two threads.
"""
import argparse
import json
import logging
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
import warnings
from collections import Counter
from datetime import datetime, timezone

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


# --- peers: each takes a page's bytes and URL and returns title, authors, published, body ---

def trafilatura_peer(precision: bool):
    import trafilatura

    def run(html: bytes, url: str) -> dict:
        found = trafilatura.bare_extraction(html, url=url or None, include_comments=False, favor_precision=precision,
                                            with_metadata=True)
        found = found.as_dict() if found else {}
        authors = [name.strip() for name in (found.get("author") or "").split(";") if name.strip()]
        return {"title": found.get("title"), "authors": authors, "published": found.get("date"), "body": found.get("text")}
    return run


def newspaper_peer():
    import newspaper

    def run(html: bytes, url: str) -> dict:
        article = newspaper.Article(url or "https://file.invalid/", fetch_images=False)
        article.download(input_html=html.decode("utf-8", "replace"))
        article.parse()
        published = article.publish_date.isoformat() if article.publish_date else None
        return {"title": article.title, "authors": article.authors, "published": published, "body": article.text}
    return run


def readability_peer():
    import readability
    from lxml import html as markup
    blocks = {"p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "br", "tr", "td", "section", "article"}

    def run(html: bytes, url: str) -> dict:
        document = readability.Document(html)
        tree = markup.fromstring(document.summary(html_partial=True) or "<p></p>")
        for element in tree.iter():
            if element.tag in blocks:
                element.tail = "\n" + (element.tail or "")
                element.text = "\n" + (element.text or "")
        return {"title": document.short_title(), "body": tree.text_content()}
    return run


def resiliparse_peer():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    def run(html: bytes, url: str) -> dict:
        tree = HTMLTree.parse(bytes_to_str(html, detect_encoding(html)))
        return {"title": tree.title, "body": extract_plain_text(tree, main_content=True)}
    return run


def justext_peer():
    import justext

    def run(html: bytes, url: str) -> dict:
        found = justext.justext(html, justext.get_stoplist("English"))
        return {"body": "\n".join(part.text for part in found if not part.is_boilerplate)}
    return run


def boilerpy_peer():
    from boilerpy3 import extractors
    extractor = extractors.ArticleExtractor()

    def run(html: bytes, url: str) -> dict:
        found = extractor.get_doc(html.decode("utf-8", "replace"))
        return {"title": found.title, "body": found.content}
    return run


def package_peer():
    import newslode

    def run(html: bytes, url: str) -> dict:
        # Pages that are no articles are scored, too, as those of the binary are.
        found = newslode.extract(html, url or None, any_kind=True)
        return {"title": found.title, "authors": found.authors, "published": found.published, "body": found.text}
    return run


PACKAGE = "newslode (Python)"
PEERS = {
    "trafilatura": lambda: trafilatura_peer(False), "trafilatura-precision": lambda: trafilatura_peer(True),
    "newspaper4k": newspaper_peer, "readability-lxml": readability_peer, "resiliparse": resiliparse_peer,
    "justext": justext_peer, "boilerpy3": boilerpy_peer,
}


def of_python(name: str, folder: pathlib.Path, golds: list[dict]) -> tuple[dict, list[float], int]:
    run, said, times, failed = (package_peer if name == PACKAGE else PEERS[name])(), {}, [], 0
    for gold in golds:
        html = (folder / "pages" / f"{gold['id']}.html").read_bytes()
        started = time.process_time()
        try:
            said[gold["id"]] = run(html, gold.get("url") or "")
        except Exception:  # noqa: BLE001: whatever a peer raises, it has no article
            failed += 1
        times.append((time.process_time() - started) * 1e3)
    return said, times, failed


def of_smoothie(folder: pathlib.Path, golds: list[dict]) -> tuple[dict, list[float], int]:
    command = ["cargo", "run", "-q", "--release", "--manifest-path", str(HERE / "smoothie/Cargo.toml"),
               "--target-dir", str(ROOT / "target/smoothie")]
    files = "".join(f"{folder}/pages/{gold['id']}.html\n" for gold in golds)
    lines = subprocess.run(command, input=files, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    rows = [json.loads(line) for line in lines if line]
    said = {gold["id"]: row["article"] for gold, row in zip(golds, rows, strict=True) if row["article"]}
    return said, [row["ms"] for row in rows], len(golds) - len(said)


def of_newslode(binary: pathlib.Path, folds: pathlib.Path | None, folder: pathlib.Path) -> tuple[dict, list[float], int]:
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as file:
        command = [binary, "eval", "articles", "--quiet", "--gold", folder / "gold.jsonl", "--pages", folder / "pages",
                   "--predictions", file.name, *(["--folds", folds] if folds else [])]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        said = {row["id"]: row for row in map(json.loads, file)}
    bench = subprocess.run([binary, "bench", "extract", "--json", "--pages", folder / "pages"], capture_output=True, check=True)
    return said, [row["whole_ms"] for row in json.loads(bench.stdout)["rows"]], 0


# --- scores ---

ALIKE = {**dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"), **dict.fromkeys(map(ord, "‘’‚‛`´′«»“”„‟\"‹›"), "'")}


def plain(text: str | None) -> str:
    """White space, quotes, dashes and case made alike."""
    text = re.sub("[\u00ad\u200b-\u200f\u2060\ufeff]", "", unicodedata.normalize("NFKC", text or "")).translate(ALIKE)
    return " ".join(text.replace("''", "'").casefold().split())


def shingles(text: str) -> Counter:
    tokens = re.findall(r"\w+", text.lower())
    row = min(4, len(tokens))
    return Counter(tuple(tokens[at:at + row]) for at in range(len(tokens) - row + 1)) if row else Counter()


def f1(wanted: str, found: str) -> float:
    gold, guess = shingles(wanted), shingles(found)
    same = (gold & guess).total()
    return 2 * same / (gold.total() + guess.total()) if same else float(not gold and not guess)


def names(authors: list[str] | None) -> set[str]:
    return {name for name in (" ".join(re.findall(r"\w+", plain(author))) for author in authors or []) if name}


def days(date: str | None) -> set[str]:
    """The day as it is written, and in UTC where the date has a zone."""
    found = re.match(r"\s*(\d{4})-?(\d\d)-?(\d\d)", date or "")
    try:
        instant = datetime.fromisoformat((date or "").strip().replace("Z", "+00:00"))
        zoned = {"utc " + instant.astimezone(timezone.utc).date().isoformat()} if instant.tzinfo else set()
    except ValueError:
        zoned = set()
    return ({"-".join(found.groups())} if found else set()) | zoned


def scored(golds: list[dict], said: dict) -> dict:
    rows: dict[str, list] = {"body": [], "title": [], "authors": [], "day": []}
    hits = wanted = wrong = 0
    gives = {field for guess in said.values() for field in guess}
    for gold in golds:
        guess = said.get(gold["id"], {})
        body = guess.get("body") or ""
        if gold.get("body"):
            rows["body"].append((f1(gold["body"], body), gold["id"]))
        if gold.get("with"):
            text = " ".join(body.split())
            held = lambda parts: sum(" ".join(part.split()) in text for part in parts or [])
            hits, wanted, wrong = hits + held(gold["with"]), wanted + len(gold["with"]), wrong + held(gold.get("without"))
        if gold.get("title") and "title" in gives:
            rows["title"].append(plain(gold["title"]) == plain(guess.get("title")))
        if gold.get("authors") and "authors" in gives:
            rows["authors"].append(names(gold["authors"]) == names(guess.get("authors")))
        if days(gold.get("published")) and "published" in gives:
            rows["day"].append(bool(days(gold["published"]) & days(guess.get("published"))))
    mean = lambda values: statistics.fmean(values) if values else None
    return {
        "body": mean([score for score, _ in rows["body"]]), "below": sum(score < 0.5 for score, _ in rows["body"]),
        "segments": 2 * hits / (hits + wrong + wanted) if wanted else None, "worst_body": min(rows["body"], default=None),
        **{key: mean(rows[key]) for key in ("title", "authors", "day")}, "scores": {page: score for score, page in rows["body"]},
    }


def row(kind: str, name: str, found: dict, times: list[float], failed: int) -> str:
    share = lambda value: "    –" if value is None else f"{value:5.3f}"
    worst = f"{found['worst_body'][0]:.2f} {found['worst_body'][1][:24]}" if found["worst_body"] else ""
    return (f"{kind:12} {name:22} {share(found['body'])} {found['below']:4} {share(found['segments'])} {share(found['title'])} "
            f"{share(found['authors'])} {share(found['day'])} {statistics.median(times):8.1f} {max(times):8.0f} {failed:4}  {worst}")


def race(pages: list[tuple[bytes, str | None]], rounds: int = 3) -> dict[str, float]:
    """Milliseconds of a page by the clock on the wall, in one process: the least of the rounds."""
    import newslode
    trafilatura = trafilatura_peer(False)

    def by_trafilatura() -> None:
        for html, url in pages:
            try:
                trafilatura(html, url or "")
            except Exception:  # noqa: BLE001: a page that fails has its time, too
                pass

    runners = {
        "trafilatura": by_trafilatura,
        "newslode.extract": lambda: [newslode.extract(html, url, any_kind=True) for html, url in pages],
        "newslode.extract_many, 1 thread": lambda: list(newslode.extract_many(pages, 1, any_kind=True)),
        "newslode.extract_many, 2 threads": lambda: list(newslode.extract_many(pages, 2, any_kind=True)),
    }
    least = dict.fromkeys(runners, float("inf"))
    for _ in range(rounds):
        for name, run in runners.items():
            started = time.perf_counter()
            run()
            least[name] = min(least[name], (time.perf_counter() - started) * 1e3 / len(pages))
    return least


def in_venv(venv: pathlib.Path, package: bool) -> None:
    """Goes on with the interpreter that has the peers."""
    python = venv / "bin/python"
    if pathlib.Path(sys.prefix).resolve() == venv.resolve():
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade", "pip"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt"], check=True)
    if package:
        subprocess.run([python, "-m", "pip", "install", "-q", "--force-reinstall", ROOT / "python"], check=True)
    os.execv(python, [python, *sys.argv])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=pathlib.Path, nargs="+")
    parser.add_argument("--newslode", type=pathlib.Path, required=True)
    parser.add_argument("--folds", type=pathlib.Path)
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "target/peers")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--no-rust", action="store_true")
    parser.add_argument("--package", action="store_true", help="also the Python package, which is built and installed")
    parser.add_argument("--json", type=pathlib.Path, help="also write every score of every page here")
    args = parser.parse_args()
    in_venv(args.venv, args.package)
    # What peers complain about is not for this table.
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    print(f"{'set':12} {'extractor':22} {'body':>5} {'<.5':>4} {'segm':>5} {'title':>5} {'auth':>5} {'day':>5} {'ms med':>8} "
          f"{'ms worst':>8} {'fail':>4}  worst body")
    kept, pages = {}, []
    for folder in map(pathlib.Path.resolve, args.sets):
        golds = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").split("\n") if line]
        runs = {"newslode": lambda: of_newslode(args.newslode, args.folds, folder)}
        if not args.no_rust:
            runs["dom_smoothie"] = lambda: of_smoothie(folder, golds)
        for name in filter(None, [*args.peers.split(","), *([PACKAGE] if args.package else [])]):
            runs[name] = lambda name=name: of_python(name, folder, golds)
        scores = {}
        for name, run in runs.items():
            said, times, failed = run()
            found = scored(golds, said)
            scores[name] = found.pop("scores")
            print(row(folder.name, name, found, times, failed), flush=True)
        # Where newslode fails and two others do not, they see something that it does not.
        own = scores["newslode"]
        for page in (page for page, score in own.items() if score < 0.5):
            better = [name for name, other in scores.items() if other.get(page, 0) >= 0.5]
            print(f"{'':12}   newslode {own[page]:.2f} on {page[:40]}; at least .5: {', '.join(better) or 'nobody'}")
        kept[folder.name] = scores
        pages += [((folder / "pages" / f"{gold['id']}.html").read_bytes(), gold.get("url") or None) for gold in golds]
    if args.package:
        print(f"\n{len(pages)} pages, {sum(len(html) for html, _ in pages) / 1e6:.0f} MB, by the clock on the wall:")
        raced = race(pages)
        for name, ms in raced.items():
            print(f"{name:34} {ms:8.2f} ms a page, {raced['trafilatura'] / ms:6.2f} times as fast as trafilatura")
        one, two = raced["newslode.extract_many, 1 thread"], raced["newslode.extract_many, 2 threads"]
        print(f"two threads are {one / two:.2f} times as fast as one")
    if args.json:
        args.json.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
