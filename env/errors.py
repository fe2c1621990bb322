"""The errors that are no bugs. Every message says what, where, and what to do."""


class DrrError(Exception):
    """An expected failure (exit code 1): the command line prints the sentence, never a traceback."""

    exit_code = 1


class Misuse(DrrError):
    """The user asked for something that makes no sense (exit code 2): a bad option, an unreadable argument."""

    exit_code = 2


class ShopError(DrrError):
    """A shop that cannot be opened or does not hold together."""


class NoSuchShop(ShopError):
    """Nothing is where the shop was said to be (exit code 2, as everywhere where there is no such thing)."""

    exit_code = 2


class NoPlaceForShop(ShopError):
    """An error where a shop cannot be written: another place is to be named (exit code 2)."""

    exit_code = 2


class ServerFailure(ShopError):
    """A server behind a shop failed, and not what it was given: the same command later goes on from here."""


class ProgramFailure(DrrError):
    """A program of somebody else, run for one unit, did not do its part; `kind` names how and is counted."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Terminated(KeyboardInterrupt):
    """SIGTERM came while something was written: everything unwinds as after Ctrl-C."""
