"""The task of matching a report with the key points of its question. What code decides first, then a judge, some points in one call.

The judge answers by id, in any order. Points it left out are asked for once more, alone; what is missing then is a `judge_error`,
which makes the report's recall unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, cast

from drr.eval.asking.by_id import ask_by_id, groups_of
from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.forms import PointAnswer, PointAnswers
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import locate
from drr.eval.tasks.base import Estimate, Task
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.key_points.decided import decided
from drr.eval.tasks.key_points.rows import (
    MATCHES,
    POINTS,
    PointRow,
    PointVerdictRow,
    enter_matches,
    matches_of,
    points_of,
)
from drr.study.unit import Outcome, Record, Unit

TOGETHER = 10
"""Points in one call; the report is sent with each."""


class MatchesTask(Task[Answer]):
    name = MATCHES
    subject = "answer"
    version = 2
    needs = (POINTS, "rules")
    metrics = ("key_points",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        points = points_of(judged, about.query_id)
        if points is None or not points.rows or desk.protocol.ask(self.name) is None:
            return
        by_rule = decided(desk, about, points.rows, judged.rules.get(about.key))
        left = [row for row in points.rows if row["id"] not in by_rule]
        groups = [
            ([row for row in points.rows if row["id"] in by_rule], by_rule),
            *((g, None) for g in groups_of(left, TOGETHER)),
        ]
        for rows, verdicts in groups:
            if not rows:
                continue
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

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        if spec["verdicts"] is not None:
            return Outcome({"verdicts": spec["verdicts"]})
        answer = desk.answer(spec["answer"])
        return Outcome({"verdicts": await match(desk, answer, cast("list[PointRow]", spec["points"]), judge)})

    def read(self, record: Record, judged: Judged) -> None:
        answer = record.key_fields["answer"]
        if record.done:
            verdicts = cast("dict[str, PointVerdictRow]", record.result["verdicts"])
        else:
            reason = f"{record.reason}: {record.message}"
            verdicts = {name: _unjudged(reason) for name in record.key_fields["items"]}
        judged.failed[self.name] += record.done and self.lacks(record)
        enter_matches(judged, answer, verdicts)

    def lacks(self, record: Record) -> bool:
        return any(one["support"] == "judge_error" for one in record.result["verdicts"].values())

    def counts(self, record: Record, judged: Judged) -> bool:
        """Only under the points that count today: a list of before may stand beside them."""
        answer = judged.by_key.get(record.key_fields["answer"])
        points = None if answer is None else points_of(judged, answer.query_id)
        return points is not None and points.id == record.key_fields["points"]

    def estimate(self, desk: Desk, unit: Unit) -> Estimate | None:
        if unit.spec["verdicts"] is not None:
            return None
        answer, rows = desk.answer(unit.spec["answer"]), unit.spec["points"]
        size = len(answer.report) + len(answer.query) + sum(len(row["text"]) + 80 for row in rows)
        return Estimate(size + 2000, 110 * len(rows))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        """A point is the same where its text is: ids are given anew with each list."""
        found: dict[tuple[str, str], str | int | None] = {}
        for answer in judged.answers:
            points, verdicts = points_of(judged, answer.query_id), matches_of(judged, answer.key)
            if points is not None and points.rows and verdicts is not None:
                verdict_by_text = {
                    row["text"]: verdicts[row["id"]]["support"]
                    for row in points.rows
                    if row["id"] in verdicts
                }
                found.update(((answer.key, text), support) for text, support in verdict_by_text.items())
        return found


MATCHES_TASK = MatchesTask()


async def match(
    desk: Desk, answer: Answer, points: Sequence[PointRow], judge: Examiner
) -> dict[str, PointVerdictRow]:
    """A verdict for every point; `ModelFailure` where the model gives no usable answer at all."""
    rows = {row["id"]: row for row in points}
    answers: dict[str, PointAnswer] = await ask_by_id(
        judge,
        list(rows),
        TOGETHER,
        lambda names: _asking(desk, answer, [rows[name] for name in names]),
        attrgetter("support"),
    )
    missing = _unjudged("the judge left this id out, also when asked for it alone")
    return {name: _verdict(answers[name], answer.report) if name in answers else missing for name in rows}


def _verdict(said: PointAnswer, report: str) -> PointVerdictRow:
    verdict: PointVerdictRow = {"support": said.support, "reason": said.justification, "by": "judge"}
    span = locate(said.quote, report)
    if span is not None:
        verdict["span"] = [span.start, span.end]
    elif said.quote.strip():
        verdict["quote_not_found"] = said.quote
    return verdict


def _unjudged(reason: str) -> PointVerdictRow:
    return {"support": "judge_error", "reason": reason, "by": "judge"}


def _asking(desk: Desk, answer: Answer, points: Sequence[PointRow]) -> Asking[PointAnswers]:
    ask = desk.protocol.asks[MATCHES]
    sections = (
        Section("question", answer.query, "The question:"),
        Section("answer", answer.report, "The answer:", report=True),
        *(
            Section("point", row["text"], f"Point `{row['id']}`:", row["id"], gist=row.get("gist"))
            for row in points
        ),
    )
    messages = conversation(desk.prompts[ask.prompt].fill(), sections)
    return Asking(MATCHES, PointAnswers, messages, sections, (answer.key,), shop_url=desk.shop_url)
