"""The exceptions of the package. All are `NewslodeError`s; some are also the built-in exception that they resemble."""

__all__ = ["CorrectionError", "FormatError", "InternalError", "InvalidUrl", "NewslodeError"]


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


class InternalError(NewslodeError, RuntimeError):
    """A fault of newslode itself, which concerns one page. Please report it with the page."""

    __module__ = "newslode"
