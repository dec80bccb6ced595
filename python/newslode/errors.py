"""The exceptions of the package. All are `NewslodeError`s; some are also the built-in exception that they resemble."""

__all__ = [
    "ApiError",
    "CorrectionError",
    "Disallowed",
    "FetchError",
    "FormatError",
    "InternalError",
    "InvalidUrl",
    "NewslodeError",
]


class NewslodeError(Exception):
    """The base of all exceptions of this package.

    >>> import newslode
    >>> try:
    ...     newslode.extract("<p>text", "mailto:desk@example.org")
    ... except newslode.NewslodeError as error:
    ...     print(error)
    `mailto:desk@example.org` is not an http or https URL of at most 2048 bytes
    """

    __module__ = "newslode"


class InvalidUrl(NewslodeError, ValueError):
    """The URL is not the http or https address of a page."""

    __module__ = "newslode"


class CorrectionError(NewslodeError, ValueError):
    """The corrected page does not show what the correction says, so nothing was learnt from it."""

    __module__ = "newslode"


class FormatError(NewslodeError, ValueError):
    """What should be read is damaged, of a newer version, or something else."""

    __module__ = "newslode"


class FetchError(NewslodeError, OSError):
    """A page could not be fetched."""

    __module__ = "newslode"


class Disallowed(FetchError):
    """The site's robots.txt does not allow the page, or could not be read."""

    __module__ = "newslode"


class ApiError(NewslodeError, OSError):
    """A request of `Client` failed."""

    __module__ = "newslode"

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        #: The status that the server answered; `None` if it did not answer.
        self.status = status


class InternalError(NewslodeError, RuntimeError):
    """A fault of newslode itself, which concerns one page. Please report it with the page."""

    __module__ = "newslode"
