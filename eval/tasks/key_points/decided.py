"""The key points of a question that code decides for an answer, so that no judge is asked.

A product that a reader is shown, a purchase that is told with its day or number, a cost that the rule `budget` adds up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from drr.env.records.lines import dollars
from drr.eval.asking.safety import visible_report
from drr.eval.checks.base import PRODUCT_ID, Subject
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.words import content_words
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.key_points.rows import PointRow, PointVerdictRow, PurchaseRow
from drr.eval.tasks.rows import CheckRow
from drr.wording.dates import dates

_EXACT = 0.005


def decided(
    desk: Desk, answer: Answer, points: Iterable[PointRow], checks: Mapping[str, CheckRow] | None
) -> dict[str, PointVerdictRow]:
    """Decide by point; only what is certain. What a report does not name decides nothing: it may say it otherwise."""
    shown, budget = _Shown(desk, answer), (checks or {}).get("budget")
    found = {point["id"]: _decided(point, shown, budget) for point in points}
    return {name: verdict for name, verdict in found.items() if verdict is not None}


def _decided(point: PointRow, shown: _Shown, budget: CheckRow | None) -> PointVerdictRow | None:
    if "products" in point:
        products = sorted(shown.products.intersection(point["products"]))
        return _by_rule("support", f"names {', '.join(products[:4])}") if products else None
    if "purchase" in point:
        return shown.bought(point["purchase"])
    return None if budget is None else _kept(point, budget)


class _Shown:
    """The visible part of the report, worked out when it is asked for."""

    def __init__(self, desk: Desk, answer: Answer) -> None:
        self._desk, self._answer = desk, answer

    @cached_property
    def products(self) -> frozenset[str]:
        return named_products(self._desk, self._answer)

    @cached_property
    def _lines(self) -> list[str]:
        return [line for line in visible_report(self._answer.report).split("\n") if line.strip()]

    def bought(self, purchase: PurchaseRow) -> PointVerdictRow | None:
        """One line with all words of the name, and the day, its month or the order's number."""
        name = content_words(purchase["name"])
        for line in self._lines:
            when = next((d for d in dates(line, 0, len(line)) if d.month and d.covers(purchase["day"])), None)
            mark = purchase["order"] if purchase["order"] in line else when and line[when.start : when.end]
            if mark and name and name <= content_words(line):
                return _by_rule("support", f"says that it was bought: {mark}")
        return None


def named_products(desk: Desk, answer: Answer) -> frozenset[str]:
    """Find those that a reader of the report is shown, by link or by id."""
    subject = Subject(answer.report, shop=desk.shop, shop_urls=(desk.shop_url,))
    linked = {subject.product_id_of(source.url) for source in subject.citations.sources}
    return frozenset(filter(None, linked)) | frozenset(PRODUCT_ID.findall(visible_report(answer.report)))


def _kept(point: PointRow, budget: CheckRow) -> PointVerdictRow | None:
    """Decide by the rule `budget`, of a question that sets this limit and no other."""
    if "item_max" in point:
        return _by_rule("support", "the rule `budget` holds") if budget["status"] == "pass" else None
    counts, limit = budget["value"], point.get("total_max")
    if limit is None or not isinstance(counts, dict) or counts.get("limit") != limit:
        return None
    cost = counts.get("total")
    if not isinstance(cost, int | float):
        return None
    if budget["status"] == "pass" and cost <= limit + _EXACT:
        return _by_rule("support", f"it costs {dollars(cost)} together")
    if budget["status"] == "fail" and cost > limit + _EXACT:
        return _by_rule("not_support", f"it costs {dollars(cost)} together")
    return None


def _by_rule(support: str, reason: str) -> PointVerdictRow:
    return {"support": "support" if support == "support" else "not_support", "reason": reason, "by": "rule"}
