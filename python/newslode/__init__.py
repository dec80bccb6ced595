"""News pages to articles, hierarchies and tables.

- `extract` reads the article of a page, `extract_many` those of many pages on all cores.
- `Site` learns from the pages of a site, and from pages that you correct, and then reads its pages better.
- `partition` gives the tree of a page: which text heads which. `tables` gives its data tables as records.

Nothing here fetches or stores anything. Pages of any kind, however broken, end in a result or in one of the
exceptions under `NewslodeError`.
"""

from newslode._newslode import (
    Article,
    Articles,
    Block,
    Evidence,
    Hierarchy,
    Node,
    Site,
    Table,
    __version__,
    extract,
    extract_many,
    for_terminal,
    kind,
    partition,
    tables,
)
from newslode.errors import CorrectionError, FormatError, InternalError, InvalidUrl, NewslodeError

__all__ = [
    "Article",
    "Articles",
    "Block",
    "CorrectionError",
    "Evidence",
    "FormatError",
    "Hierarchy",
    "InternalError",
    "InvalidUrl",
    "NewslodeError",
    "Node",
    "Site",
    "Table",
    "__version__",
    "extract",
    "extract_many",
    "for_terminal",
    "kind",
    "partition",
    "tables",
]
