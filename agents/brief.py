"""A request as plain fields, handed along with the messages to whoever plays an agent without a model.

The run says which part is played and on what evidence, so that no stand-in guesses it from bound tools or reads it back out
of a text that we set ourselves. No provider is sent any of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from drr.env.profile import ProfileSummary
from drr.env.source import Source
from drr.tools.base import ToolAnswer


class CallEvidence(NamedTuple):
    """One call of a tool with its answer; `None` where it failed or was not run."""

    name: str
    arguments: Mapping[str, Any]
    answer: ToolAnswer | None


class ProfileFacts(NamedTuple):
    """The facts on the shopper for a `+profile` researcher, as a record and as text, with the address to cite."""

    summary: ProfileSummary
    url: str

    @property
    def text(self) -> str:
        return f"{self.summary.text()}\nAddress to cite for this: {self.url}"


@dataclass(frozen=True)
class Planning:
    """Name every call at once."""

    question: str
    references: bool
    """Whether an argument may name an earlier result."""
    records: bool = True
    """Whether there are tools for the shopper's records."""
    files: tuple[str, ...] = ()
    """Names of those that belong to the question."""
    shop: bool = True
    """Whether there is a catalogue."""


@dataclass(frozen=True)
class Researching:
    """The next turn of a reason-act loop; what was found until now stands in the tool messages' artifacts."""

    problem: str
    profile: ProfileFacts | None = None


@dataclass(frozen=True)
class Supervising:
    """The next turn of a supervisor; each launch was answered by a tool message whose artifact is a `Condensing`."""

    question: str
    records: bool = True
    """Whether its researchers have tools for the shopper's records."""
    files: bool = False
    shop: bool = True


@dataclass(frozen=True)
class Leading:
    """The next turn of an agent that gives work to sub-agents. What each condensed is the artifact of the tool message that answers."""

    question: str


@dataclass(frozen=True)
class Helping:
    """The next turn of a sub-agent; it ends with a text, which is all that is read of it."""

    problem: str


@dataclass(frozen=True)
class Looking:
    """A look at a picture, for one question."""

    question: str


@dataclass(frozen=True)
class Checking:
    """A check for the requirements that a report misses."""

    question: str
    report: str


@dataclass(frozen=True)
class Condensing:
    """The synthesis of what one researcher found."""

    problem: str
    evidence: tuple[CallEvidence, ...]
    profile: ProfileFacts | None = None


@dataclass(frozen=True)
class Reporting:
    """The report, from calls with their answers or from what researchers condensed."""

    question: str
    evidence: tuple[CallEvidence, ...] = ()
    researched: tuple[Condensing, ...] = ()
    pages: tuple[Source, ...] = ()
    """What the writer has in its window, beside."""


@dataclass(frozen=True)
class Filling:
    """The form of a report, from calls with their answers; `passages` has the number of what each address said."""

    question: str
    evidence: tuple[CallEvidence, ...]
    passages: Mapping[str, int]
    profile: ProfileFacts | None = None


@dataclass(frozen=True)
class Mending:
    """A report whose citations are to be put right."""

    report: str


@dataclass(frozen=True)
class Summarising:
    """The summary of one page for a search and a problem."""

    search: str
    problem: str
    page: str


Brief = (
    Planning
    | Researching
    | Supervising
    | Leading
    | Helping
    | Looking
    | Checking
    | Condensing
    | Reporting
    | Filling
    | Mending
    | Summarising
)
