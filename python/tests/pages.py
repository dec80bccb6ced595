"""Pages that the tests make."""

TEXTS = {
    "rain": [
        "After eleven dry weeks it rained on Thursday, and the farmers came out to watch it fall.",
        "The reservoir above the town rose by a hand's breadth before noon, the water board said.",
    ],
    "fair": [
        "The book fair opens on Sunday with readings in nine languages, as it did last year.",
        "Tickets are sold at the old station, and children under twelve do not have to pay.",
    ],
    "tram": [
        "The tram will run to the lake from autumn on, the council decided after a long debate.",
        "Nine members were for it and eight against, who would have liked a bus much better.",
    ],
}
LETTER = "Sign up for our letter and read every morning before breakfast what matters in the valley today."


def url(name: str) -> str:
    return f"https://news.example.org/2024/05/02/{name}"


def article(name: str) -> str:
    """A page of a site whose pages all end in the same appeal."""
    texts = "".join(f"<p>{text}</p>" for text in TEXTS[name])
    return (
        f"<html lang=en><title>{name} - The Herald</title><meta property=og:type content=article>"
        f"<meta name=author content='Ada Lane'><div class=main><h1>{name}</h1>{texts}<p class=note>{LETTER}</p></div>"
    )


def site() -> list[tuple[str, str]]:
    return [(article(name), url(name)) for name in TEXTS]
