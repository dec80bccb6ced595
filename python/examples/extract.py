"""Extracts one page: title, date, authors and text of its article, and its hierarchy as XML.

    pip install ./python        # in a clone of the repository; needs a Rust toolchain
    python python/examples/extract.py                                             # a small page
    python python/examples/extract.py page.html https://www.example.com/story
"""

import pathlib
import sys

import newslode

SMALL_PAGE = b"""<html lang=en><title>Rain ends the drought - The Herald</title>
<meta property=og:type content=article><meta name=author content='Ada Lane'>
<meta property=article:published_time content=2024-05-02T08:00:00Z>
<ul><li><a href=/>Home</a><li><a href=/sport>Sport</a></ul>
<h1>Rain ends the drought</h1>
<p>By Ada Lane, May 2, 2024
<p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.
<h2>Gardens</h2>
<p>The reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban on watering
gardens ends today."""


def main() -> None:
    file, url = (*sys.argv[1:3], None, None)[:2]
    try:
        # Bytes, not text: their encoding is found as browsers do.
        html = pathlib.Path(file).read_bytes() if file else SMALL_PAGE
        # The URL tells a front page from a story, and completes links.
        url = url or "https://file.invalid/page"
        article = newslode.extract(html, url)
        hierarchy = newslode.partition(html, url)
    except OSError as error:
        sys.exit(f"cannot read {file}: {error.strerror}")
    except newslode.InvalidUrl as error:
        sys.exit(f"{url} is not the URL of a page: {error}")

    if article is None:
        print("The page is not an article.")
    else:
        # A page may hold characters that steer a terminal.
        print("title:    ", newslode.for_terminal(article.title or "unknown"))
        print("published:", newslode.for_terminal(article.published or "unknown"))
        print("authors:  ", newslode.for_terminal(", ".join(article.authors)))
        # Each field says where it was found, and how far to trust it.
        for field, evidence in article.evidence.items():
            print(f"evidence:  {field} from {evidence.witness} ({evidence.confidence:.2f})")
        print(f"\n{newslode.for_terminal(article.text)}")
    print(f"\n{newslode.for_terminal(hierarchy.xml())}")


if __name__ == "__main__":
    main()
