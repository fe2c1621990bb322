"""Jobs for workers here or on other machines: short answers, and large parts that stay in place.

Who gives jobs says only what must be done; who does them, how often one is begun again, and where parts lie until they are
asked for, is the business of `Jobs`. A job is a method of a bench, which each worker opens once, and its words are plain data:
the same words give the same parts wherever it is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


@dataclass(eq=False)
class GivenJob:
    """`words` are plain data, parts of other jobs and what is shared."""

    method: str
    words: tuple[Any, ...]
    parts: int = 0
    """The number of parts that it leaves beside its answer."""
    name: str = field(default="", kw_only=True)


class JobPart(NamedTuple):
    """One of the parts that a job leaves."""

    job: GivenJob
    number: int


class SharedWord(NamedTuple):
    """Something big that many jobs are given."""

    value: Any


class Jobs(Protocol):
    def give(self, job: GivenJob) -> GivenJob: ...

    def share(self, value: Any) -> SharedWord: ...

    def answer(self, job: GivenJob) -> Any:
        """Waits for it. What the job was refused or failed by is raised here."""

    def ended(self, jobs: Iterable[GivenJob]) -> Iterator[GivenJob]:
        """Each as it ends."""

    def part(self, part: JobPart) -> Any:
        """Made once more where it was lost."""

    def drop(self, job: GivenJob) -> None:
        """Its parts are needed no more."""
