"""Types of questions and comparisons. Questions that ask one task in several forms are one draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

Key = TypeVar("Key")
One = TypeVar("One")
Number = TypeVar("Number", int, float)


class AskedQuestion(NamedTuple):
    """A question and its task. Questions of one task (at another size, by another person) are drawn together, because their difficulty is shared.

    A question without such others is its own task.
    """

    query: str
    task: str


Asked = str | AskedQuestion
"""A question, or the name of one that is its own task."""


def cluster_of(asked: Asked) -> str:
    return asked if isinstance(asked, str) else asked.task


def query_of(asked: Asked) -> str:
    return asked if isinstance(asked, str) else asked.query


def tasks_among(asked: Iterable[Asked]) -> int:
    """Count the tasks of these questions, where they are fewer than the questions; else return 0."""
    found = {query_of(one): cluster_of(one) for one in asked}
    tasks = len(set(found.values()))
    # 0 leaves the number out of documents, where it would only repeat that of the questions.
    return tasks if tasks < len(found) else 0


Winner = Literal["a", "b", "tie"]
Outcome = Literal["a", "b", "tie", "inconsistent", "error"]
_SCORES: dict[Outcome, float | None] = {"a": 1.0, "b": 0.0, "tie": 0.5, "inconsistent": 0.5, "error": None}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One (query, trial, dimension, pair), judged with `a` shown first and with `b` shown first. `None` is a failed call."""

    query: str
    dimension: str
    a: str
    b: str
    a_first: Winner | None
    b_first: Winner | None
    words_a: int | None = None
    words_b: int | None = None
    trial: int = 0
    task: str | None = None
    """Task that this question asks at one size or by one person."""

    @property
    def asked(self) -> AskedQuestion:
        return AskedQuestion(self.query, self.task or self.query)

    @property
    def outcome(self) -> Outcome:
        return combine_orders(self.a_first, self.b_first)

    @property
    def score(self) -> float | None:
        """Return the score of `a`: 1, 0.5 or 0; `None` where a call failed."""
        return _SCORES[self.outcome]


def combine_orders(a_first: Winner | None, b_first: Winner | None) -> Outcome:
    """Combine the verdicts of both orders. The same winner wins, a tie on either side is a tie, opposite winners are `inconsistent`, a failure is `error`.

    One order alone decides nothing, because a judge may prefer whatever it is shown first.
    """
    if a_first is None or b_first is None:
        return "error"
    if a_first == b_first:
        return a_first
    return "tie" if "tie" in (a_first, b_first) else "inconsistent"


def grouped(pairs: Iterable[tuple[Key, One]]) -> dict[Key, list[One]]:
    """Group values by key, in order of first appearance."""
    found: dict[Key, list[One]] = {}
    for key, one in pairs:
        found.setdefault(key, []).append(one)
    return found


def known_sum(values: Sequence[Number | None]) -> Number | None:
    """Return the sum; `None` where a part is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def by_dimension(comparisons: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    return grouped((one.dimension, one) for one in comparisons)


def by_pair(comparisons: Iterable[Comparison]) -> dict[tuple[str, str, str], list[Comparison]]:
    """Group the comparisons by dimension and the two variants."""
    return grouped(((one.dimension, one.a, one.b), one) for one in comparisons)


def trial_weights(valid: Sequence[Comparison]) -> list[float]:
    """Return weights by which the trials of a query are together one comparison, as in the win rate."""
    trials = Counter((c.query, c.a, c.b) for c in valid)
    # Else a question with more valid trials would count for more than another.
    return [1 / trials[c.query, c.a, c.b] for c in valid]
