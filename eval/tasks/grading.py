"""What judges of whole reports are told of a question, and the criteria they go by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drr.eval.asking.conversation import Section
from drr.eval.evidence.answers import Answer
from drr.eval.labels import Dimension
from drr.eval.tasks.desk import Desk

TITLES: Mapping[Dimension, str] = {
    "clarity": "Clarity",
    "depth": "Depth",
    "breadth": "Breadth",
    "insightfulness": "Insightfulness",
    "constraint_following": "Constraint Following",
    "personalization": "Personalization",
    "overall": "Overall Quality",
}
_UNKNOWN = "Nothing is known of this shopper."


@dataclass(frozen=True)
class Graded:
    """What a judge of quality sees of one question."""

    query: str
    profile: str
    """The profile summary as text; empty where the shopper is unknown."""
    shop_url: str

    def sections(self) -> list[Section]:
        return [
            Section("profile", self.profile or _UNKNOWN, "The shopper's profile summary:"),
            Section("question", self.query, "The question:"),
        ]


def graded(desk: Desk, answer: Answer) -> Graded:
    return Graded(answer.query, desk.profile(answer.user_id), desk.shop_url)


def criterion_name(dimension: Dimension) -> str:
    """The prompt file that says what the dimension is."""
    return f"criterion_{dimension}"
