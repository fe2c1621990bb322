"""The shapes of key points and of what is said of them, and what one judging knows of both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict, cast

from drr.eval.labels import content_id
from drr.eval.tasks.judged import Judged

POINTS, MATCHES = "points", "matches"
"""The two tasks, and where a judging keeps what they found."""
Weight = Literal["vital", "okay"]
Origin = Literal["constraint", "shopper", "catalogue", "model", "person"]
PointSupport = Literal["support", "partial_support", "not_support", "judge_error"]


class PurchaseRow(TypedDict):
    name: str
    """Of the product, without what its title lists."""
    order: str
    day: str


class PointRow(TypedDict):
    """One thing that a good answer to the question says or does."""

    id: str
    """Unique within its question."""
    text: str
    weight: Weight
    origin: Origin
    gist: NotRequired[str]
    """What of the text is of this question, the rest being a form of words: what a judge without a model looks for."""
    products: NotRequired[list[str]]
    """An answer that names one of these products has the point."""
    purchase: NotRequired[PurchaseRow]
    """An answer that says that the shopper bought this then has the point."""
    total_max: NotRequired[float]
    item_max: NotRequired[float]
    """The only limit on money that the question sets, which the rule `budget` holds costs against."""


class PointVerdictRow(TypedDict):
    support: PointSupport
    reason: str
    by: Literal["judge", "rule"]
    span: NotRequired[list[int]]
    """Where in the report the words stand that the judge quoted."""
    quote_not_found: NotRequired[str]


@dataclass(frozen=True)
class KeyPoints:
    """The key points of one question; `rows` is `None` where they could not be made."""

    rows: Sequence[PointRow] | None
    reason: str | None = None

    @property
    def id(self) -> str:
        """The id of the list as a whole: a verdict counts only under the list that it was given for."""
        return list_id(self.rows or ())


def list_id(rows: Iterable[PointRow]) -> str:
    return content_id(json.dumps(list(rows), sort_keys=True, ensure_ascii=False))


def points_of(judged: Judged, query_id: str) -> KeyPoints | None:
    """`None` where nobody made any yet."""
    return cast("KeyPoints | None", judged.others.get(POINTS, {}).get(query_id))


def enter_points(judged: Judged, query_id: str, points: KeyPoints) -> None:
    judged.others.setdefault(POINTS, {})[query_id] = points


def matches_of(judged: Judged, answer: str) -> Mapping[str, PointVerdictRow] | None:
    """Map each point to its match; `None` where nothing was matched yet."""
    return cast("Mapping[str, PointVerdictRow] | None", judged.others.get(MATCHES, {}).get(answer))


def enter_matches(judged: Judged, answer: str, verdicts: Mapping[str, PointVerdictRow]) -> None:
    here = judged.others.setdefault(MATCHES, {}).setdefault(answer, {})
    cast("dict[str, PointVerdictRow]", here).update(verdicts)
