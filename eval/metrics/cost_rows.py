"""What systems and their judging took, as types: a part of what `drr report --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict, cast

from drr.env.plugins import merged
from drr.eval.stats.intervals import VRow


class SpentRow(TypedDict):
    """Means; a figure that is not known of one part is not known."""

    tokens: VRow
    calls: VRow
    seconds: VRow
    usd: VRow


class SpentInAll(TypedDict):
    tokens: int | None
    calls: int
    seconds: float
    usd: float | None


class SystemCost(TypedDict):
    agent: SpentRow
    """Per answer."""
    recall: NotRequired[SpentRow]
    """Of the memory, per question of a person."""
    build: NotRequired[SpentRow]
    """Of the memory, per person: observing, once for all questions and budgets."""
    judge: NotRequired[SpentRow]
    """Per answer, what was judged of it alone."""
    failed: int
    """Answers that failed, and are in none of these means;"""
    failed_usd: float | None
    """what was paid for them."""


class CostDocument(TypedDict):
    """What each system took, and what judging it took."""

    systems: dict[str, SystemCost]
    shared: dict[str, SpentInAll]
    """By task of judging, what is of no single answer: criteria, pairs, key points."""


def cost_part(document: Mapping[str, object]) -> CostDocument | None:
    """The costs of a study's document, in whichever paper's part they stand."""
    parts = cast(Mapping[str, Mapping[str, Any]], document)
    return next(
        (parts[name]["cost"] for name in merged("documents") if parts.get(name, {}).get("cost")), None
    )
