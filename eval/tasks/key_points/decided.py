"""What of a question's key points code decides for an answer, so that no judge is asked: a product that it names, a cost that it adds up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from drr.env.records.lines import dollars
from drr.eval.asking.safety import visible_report
from drr.eval.checks.base import PRODUCT_ID, Subject
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.key_points.rows import PointRow, PointVerdictRow
from drr.eval.tasks.rows import CheckRow

_EXACT = 0.005


def decided(
    desk: Desk, answer: Answer, points: Iterable[PointRow], checks: Mapping[str, CheckRow] | None
) -> dict[str, PointVerdictRow]:
    """By point; only what is certain. That a product is not named decides nothing: others may serve as well."""
    found: dict[str, PointVerdictRow] = {}
    named: frozenset[str] | None = None
    budget = (checks or {}).get("budget")
    for point in points:
        if "products" in point:
            named = named_products(desk, answer) if named is None else named
            if held := sorted(named.intersection(point["products"])):
                found[point["id"]] = _by_rule("support", f"names {', '.join(held[:4])}")
        elif budget is not None and (verdict := _kept(point, budget)) is not None:
            found[point["id"]] = verdict
    return found


def named_products(desk: Desk, answer: Answer) -> frozenset[str]:
    """Those that a reader of the report is shown, by link or by id."""
    subject = Subject(answer.report, shop=desk.shop, shop_urls=(desk.shop_url,))
    linked = {subject.product_id_of(source.url) for source in subject.citations.sources}
    return frozenset(filter(None, linked)) | frozenset(PRODUCT_ID.findall(visible_report(answer.report)))


def _kept(point: PointRow, budget: CheckRow) -> PointVerdictRow | None:
    """By the rule `budget`, of a question that sets this limit and no other."""
    if "item_max" in point:
        return _by_rule("support", "the rule `budget` holds") if budget["status"] == "pass" else None
    counts, limit = budget["value"], point.get("total_max")
    if limit is None or not isinstance(counts, dict) or counts.get("limit") != limit:
        return None
    cost = counts.get("computed")
    if not isinstance(cost, int | float):
        return None
    if budget["status"] == "pass" and cost <= limit + _EXACT:
        return _by_rule("support", f"it costs {dollars(cost)} together")
    if budget["status"] == "fail" and cost > limit + _EXACT:
        return _by_rule("not_support", f"it costs {dollars(cost)} together")
    return None


def _by_rule(support: str, reason: str) -> PointVerdictRow:
    return {"support": "support" if support == "support" else "not_support", "reason": reason, "by": "rule"}
