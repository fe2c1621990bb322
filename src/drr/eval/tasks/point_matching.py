"""The task of matching a report with the key points of its question. Code decides what it can, then a judge the rest.

The judge answers by id, in any order. Points that it left out are asked about once more, alone. A point still missing is a
`judge_error`, which makes the report's recall unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, cast

from drr.env.records.lines import priced
from drr.eval.asking.conversation import Asking, Section, conversation, with_id
from drr.eval.asking.forms import PointAnswer, PointAnswers
from drr.eval.asking.judge import Examiner, ask_by_id, groups_of
from drr.eval.asking.safety import visible_report
from drr.eval.asking.seen import seen_text
from drr.eval.checks.base import Subject
from drr.eval.checks.results import CheckRow
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import content_words
from drr.eval.evidence.quotations import locate
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.grading import one_answer
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.key_points import (
    MATCHES,
    POINTS,
    PointRow,
    PointSupport,
    PointVerdictRow,
    PurchaseRow,
    enter_matches,
    matches_of,
    points_of,
)
from drr.study.unit import Outcome, Record, Unit
from drr.wording.currency import Currency
from drr.wording.dates import dates

_EXACT = 0.005


def points_decided_by_code(
    desk: JudgingContext, answer: Answer, points: Iterable[PointRow], checks: Mapping[str, CheckRow] | None
) -> dict[str, PointVerdictRow]:
    """Return the verdicts that code is certain of, by point. A product that the report does not name decides nothing: the report may use other words."""
    rows, budget = list(points), (checks or {}).get("budget")
    named = named_products(desk, answer) if any("products" in row for row in rows) else frozenset[str]()
    shown = seen_text(visible_report(answer.report))[0] if any("purchase" in row for row in rows) else ""
    found: dict[str, PointVerdictRow | None] = {}
    for row in rows:
        if "products" in row:
            products = sorted(named.intersection(row["products"]))
            by_name = _by_rule("support", f"names {', '.join(products[:4])}")
            found[row["id"]] = by_name if products else None
        elif "purchase" in row:
            found[row["id"]] = _bought(shown, row["purchase"])
        elif budget is not None:
            found[row["id"]] = _kept(row, budget, desk.money)
    return {name: verdict for name, verdict in found.items() if verdict is not None}


def _bought(shown: str, purchase: PurchaseRow) -> PointVerdictRow | None:
    """Look for one line with all words of the product's name and the date, month or number of the order."""
    name = content_words(purchase["name"])
    for line in shown.split("\n"):
        when = next((d for d in dates(line, 0, len(line)) if d.month and d.covers(purchase["day"])), None)
        mark = purchase["order"] if purchase["order"] in line else when and line[when.start : when.end]
        if mark and name and name <= content_words(line):
            return _by_rule("support", f"says that it was bought: {mark}")
    return None


def named_products(desk: JudgingContext, answer: Answer) -> frozenset[str]:
    """Return the ids of products that the report visibly links or names by id."""
    subject = Subject(answer.report, shop=desk.shop, shop_urls=(desk.shop_url,))
    linked = {subject.product_id_of(source.url) for source in subject.citations.sources}
    return frozenset(filter(None, linked)) | frozenset(
        one.id for one in subject.ids_in(seen_text(visible_report(answer.report))[0])
    )


def _kept(point: PointRow, budget: CheckRow, currency: Currency) -> PointVerdictRow | None:
    """Return the verdict of the rule `budget` on a point about the same limit, else `None`."""
    if "item_max" in point:
        return _by_rule("support", "the rule `budget` holds") if budget["status"] == "pass" else None
    counts, limit = budget["value"], point.get("total_max")
    if limit is None or not isinstance(counts, dict) or counts.get("limit") != limit:
        return None
    cost = counts.get("total")
    if not isinstance(cost, int | float):
        return None
    if budget["status"] == "pass" and cost <= limit + _EXACT:
        return _by_rule("support", f"it costs {priced(cost, currency)} together")
    if budget["status"] == "fail" and cost > limit + _EXACT:
        return _by_rule("not_support", f"it costs {priced(cost, currency)} together")
    return None


def _by_rule(support: PointSupport, reason: str) -> PointVerdictRow:
    return {"support": support, "reason": reason, "by": "rule"}


TOGETHER = 10
"""Number of points in one call; the report is sent with each call."""


class MatchesTask(Task[Answer]):
    name = MATCHES
    subject = "answer"
    version = 3
    needs = (POINTS, "rules")
    metrics = ("key_points",)

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        points = points_of(judged, about.query_id)
        if points is None or not points.rows or desk.protocol.ask(self.name) is None:
            return
        by_rule = points_decided_by_code(desk, about, points.rows, judged.rules.get(about.key))
        left = [row for row in points.rows if row["id"] not in by_rule]
        by_code = [row for row in points.rows if row["id"] in by_rule]
        groups = [(by_code, by_rule)] if by_code else []
        for rows, verdicts in (*groups, *((group, None) for group in groups_of(left, TOGETHER))):
            names = [row["id"] for row in rows]
            fields = {
                "answer": about.key,
                "points": points.id,
                "items": names,
                "decided": None if verdicts is None else {name: verdicts[name]["support"] for name in names},
                "prompt": _asking(desk, about, rows).fingerprint if verdicts is None else None,
            }
            spec = {"answer": about.key, "points": rows, "verdicts": verdicts}
            yield self.unit(desk, f"points {', '.join(names)} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        if spec["verdicts"] is not None:
            return Outcome({"verdicts": spec["verdicts"]})
        answer = desk.answer(spec["answer"])
        rows = {row["id"]: row for row in cast("list[PointRow]", spec["points"])}
        answers: dict[str, PointAnswer] = await ask_by_id(
            judge,
            list(rows),
            TOGETHER,
            lambda names: _asking(desk, answer, [rows[name] for name in names]),
            attrgetter("support"),
        )
        missing = _unjudged("the judge left this id out, also when asked for it alone")
        verdicts = {n: _verdict(answers[n], answer.report) if n in answers else missing for n in rows}
        return Outcome({"verdicts": verdicts})

    def read(self, record: Record, judged: Judged) -> None:
        answer = record.key_fields["answer"]
        if record.done:
            verdicts = cast("dict[str, PointVerdictRow]", record.result["verdicts"])
        else:
            reason = f"{record.reason}: {record.message}"
            verdicts = {name: _unjudged(reason) for name in record.key_fields["items"]}
        judged.failed[self.name] += record.done and self.is_incomplete(record)
        enter_matches(judged, answer, verdicts)

    def is_incomplete(self, record: Record) -> bool:
        return any(one["support"] == "judge_error" for one in record.result["verdicts"].values())

    def counts(self, record: Record, judged: Judged) -> bool:
        """Tell whether the verdicts belong to the current points; verdicts on an earlier list may be stored too."""
        answer = judged.by_key.get(record.key_fields["answer"])
        points = None if answer is None else points_of(judged, answer.query_id)
        return points is not None and points.id == record.key_fields["points"]

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        if unit.spec["verdicts"] is not None:
            return None
        answer, rows = desk.answer(unit.spec["answer"]), unit.spec["points"]
        calls = -(-len(rows) // TOGETHER)
        size = calls * (len(answer.report) + len(answer.query) + 2000)
        return Estimate(size + sum(len(row["text"]) + 80 for row in rows), 110 * len(rows), calls)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        """Map (answer, text of the point) to its verdict. Ids are given anew with each list, so the text identifies a point."""
        found: dict[tuple[str, str], str | int | None] = {}
        for answer in judged.answers:
            points, verdicts = points_of(judged, answer.query_id), matches_of(judged, answer.key)
            if points is not None and points.rows and verdicts is not None:
                for row in points.rows:
                    if row["id"] in verdicts:
                        found[answer.key, row["text"]] = verdicts[row["id"]]["support"]
        return found


MATCHES_TASK = MatchesTask()


def _verdict(judged: PointAnswer, report: str) -> PointVerdictRow:
    verdict: PointVerdictRow = {"support": judged.support, "reason": judged.justification, "by": "judge"}
    span = locate(judged.quote, report)
    if span is not None:
        verdict["span"] = [span.start, span.end]
    elif judged.quote.strip():
        verdict["quote_not_found"] = judged.quote
    return verdict


def _unjudged(reason: str) -> PointVerdictRow:
    return {"support": "judge_error", "reason": reason, "by": "judge"}


def _asking(desk: JudgingContext, answer: Answer, points: Sequence[PointRow]) -> Asking[PointAnswers]:
    ask = desk.protocol.asks[MATCHES]
    sections = (
        Section("question", answer.query, "The question:"),
        *one_answer(answer.report),
        *(
            with_id(Section("point", row["text"], "Point %s:", gist=row.get("gist")), row["id"])
            for row in points
        ),
    )
    messages = conversation(desk.prompts[ask.prompt].fill(), sections)
    return Asking(
        MATCHES, PointAnswers, messages, sections, (answer.key,), shop_url=desk.shop_url, money=desk.money
    )
