"""News pages to articles, hierarchies and tables.

- `extract` reads the article of a page, `extract_many` those of many pages on all cores.
- `Site` learns from the pages of a site, and from pages that you correct, and then reads its pages better.
- `frame` makes a data frame of articles.
- `partition` gives the tree of a page: which text heads which. `tables` gives its data tables as records.
- `fetch` fetches one page as Newslode's crawler does; `links` and `feeds` say where a page leads.
- `Client` asks the API of a running Newslode.
- `python -m newslode extract` and `newslode-extract` are the command line.

Only `fetch` and `Client` use the network, and nothing is stored but what you save. Pages of any kind, however broken, end in a
result or in one of the exceptions under `NewslodeError`.
"""

from newslode._newslode import (
    Article,
    Articles,
    Block,
    Evidence,
    Feed,
    Hierarchy,
    Link,
    Node,
    Response,
    Site,
    Table,
    __version__,
    extract,
    extract_many,
    feeds,
    fetch,
    for_terminal,
    kind,
    links,
    partition,
    tables,
)
from newslode.client import Client, Event
from newslode.errors import (
    ApiError,
    CorrectionError,
    Disallowed,
    FetchError,
    FormatError,
    InternalError,
    InvalidUrl,
    NewslodeError,
)
from newslode.frames import frame

__all__ = [
    "ApiError",
    "Article",
    "Articles",
    "Block",
    "Client",
    "CorrectionError",
    "Disallowed",
    "Event",
    "Evidence",
    "Feed",
    "FetchError",
    "FormatError",
    "Hierarchy",
    "InternalError",
    "InvalidUrl",
    "Link",
    "NewslodeError",
    "Node",
    "Response",
    "Site",
    "Table",
    "__version__",
    "extract",
    "extract_many",
    "feeds",
    "fetch",
    "for_terminal",
    "frame",
    "kind",
    "links",
    "partition",
    "tables",
]
