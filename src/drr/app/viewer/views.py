"""Builds the page data of an answer from the study's records and a judge's verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

from drr.app.judge.desk import ShopperProfiles
from drr.app.viewer import parts
from drr.app.viewer.entries import EntryReader, judged_fields
from drr.app.viewer.findings import findings
from drr.app.viewer.model import JudgeVerdicts, ReportView, ShownEntry
from drr.app.viewer.of_papers import open_papers
from drr.env.json_object import JsonObject
from drr.env.profile import ProfileSummary
from drr.env.tool_calls import refusal_text
from drr.eval.agreement.study import latest_judgings
from drr.eval.checks.reading import reading_text
from drr.eval.evidence.answers import Answer, AnswerEvidence, answer_of, with_results
from drr.eval.foreign import summary
from drr.eval.foreign.summary import ForeignValue, foreign_values
from drr.eval.judging.read import read_judged
from drr.eval.metrics import values_of
from drr.eval.tasks.judgements import Judged, mistakes_of
from drr.eval.tasks.key_points import matches_of, points_of
from drr.study.blobs import LostText

if TYPE_CHECKING:
    from pathlib import Path

    from drr.study.study import Study
    from drr.study.unit import Record


class AnswerReader(EntryReader):
    """Reads the answers of a study as their pages show them, again at every call. Safe for several threads."""

    def __init__(
        self, study: Study, *, judge: str | None = None, shop: str | None = None, tasks: Path | None = None
    ) -> None:
        """Open the study for reading. `tasks` is the present folder of the study's tasks, if they were moved."""
        super().__init__(study, judge=judge)
        self.papers = open_papers(self, tasks)
        self._shop, self._answers = shop, RLock()
        self._scores = (self.version(), summary.foreign_scores(study))

    @cached_property
    def _profiles(self) -> ShopperProfiles:
        return ShopperProfiles(self.study, self._shop)

    def view(self, entry: ShownEntry) -> ReportView | None:
        """Return the answer as its page shows it."""
        key = self._keys[entry.key]
        try:
            return self._made(key, entry)
        # A text may vanish while the viewer runs: that costs this answer its page, and no other.
        except LostText:
            self.study.look_for_losses()
            return self._made(key, entry)

    def _made(self, key: str, entry: ShownEntry) -> ReportView | None:
        record = self.study.record(key)
        if record is None:
            return None
        lost = self.study.lost(record)
        if lost or not record.done:
            with self._answers:
                shopper = self._profiles.summary(record.spec.get("user_id"))
            return _without_answer(self.study, entry, record, lost, shopper, self._profiles)
        answer = answer_of(self.study, record, self.queries)
        further = [name for paper in self.papers.values() for name in paper.subjects(answer)]
        among = list(self.study.ledger.records.about(key, answer.query_id, *further))
        judged = read_judged(self.study, self.judging(), answers=[answer], among=among)
        with self._answers:
            shopper = self._profiles.summary(answer.user_id)
            citations = self._profiles.citations(answer.report)
            products = tuple(parts.product_cards(answer, self._profiles.shop, citations))
        book = AnswerEvidence(answer, self._profiles.shop)
        values, verdicts = values_of(judged, answer), parts.verdicts(judged, answer, book)
        points = points_of(judged, answer.query_id)
        return ReportView(
            entry=replace(entry, **judged_fields(judged, answer, values)),
            report=answer.report,
            citations=citations,
            profile=self._profiles.words(shopper),
            shopper=shopper,
            products=products,
            stop_reason=record.result.get("stop_reason"),
            usage=record.usage,
            cost_usd=record.making_usd,
            seconds=record.making_seconds,
            verdicts=verdicts,
            others=list(self._others(judged, answer, book, among)),
            findings=tuple(findings(judged, answer, citations, verdicts.claims)),
            rules=parts.rules(judged, answer),
            figures_read=reading_text(judged.figures.get(answer.key)),
            points=sorted((points and points.rows) or (), key=lambda row: row["weight"] != "vital"),
            matches=matches_of(judged, answer.key) or {},
            mistakes=mistakes_of(judged, answer.key),
            notes=(
                *filter(None, [refusal_text(answer.calls or ()), _judges_itself(judged, answer)]),
                *(record.result.get("notes") or ()),
            ),
            missing_shop=self._profiles.missing,
            currency=self._profiles.currency,
            figures=tuple(parts.figures(values)),
            foreign=self._foreign(entry),
            judged=judged,
            key=key,
            sources=tuple(parts.sources(answer)),
            **_made_by(self.study, record, answer.tool_calls()),
        )

    def _others(
        self, judged: Judged, answer: Answer, book: AnswerEvidence, among: Sequence[Record]
    ) -> Iterator[JudgeVerdicts]:
        """Yield the verdicts of each other judge of the study on this answer."""
        for name, judging in sorted(latest_judgings(self.study).items()):
            if judged.judging is not None and name != judged.judging.judge:
                other = read_judged(self.study, judging, answers=[answer], among=among)
                found = parts.verdicts(other, answer, book)
                if found.claims or found.ratings:
                    yield found

    def _foreign(self, entry: ShownEntry) -> tuple[ForeignValue, ...]:
        stamp = self.version()
        with self._answers:
            if self._scores[0] != stamp:
                self._scores = (stamp, summary.foreign_scores(self.study))
            scores = self._scores[1]
        return tuple(foreign_values(scores, entry.variant, entry.query_id, entry.trial))

    def texts(self, key: str) -> Iterator[str]:
        """Yield all texts of an answer: its report, and the pages and tool results that were read."""
        record = self.study.record(self._keys[key])
        if record is None or not record.done or self.study.lost(record):
            return
        answer = answer_of(self.study, record, self.queries)
        yield answer.report
        yield from (text for one in answer.sources for text in (one.title or "", one.seen, one.page or ""))


def _without_answer(
    study: Study,
    entry: ShownEntry,
    record: Record,
    lost: Sequence[str],
    shopper: ProfileSummary | None,
    profiles: ShopperProfiles,
) -> ReportView:
    """Return the view of a failed or lost answer: why it ended, its calls, and its program's standard error."""
    notice = f"Texts of this answer are no longer in the study: {', '.join(lost)}." if lost else ""
    wrote = study.kept_text(record, "stderr")
    trace = study.kept_text(record, "traceback")
    text = "\n\n".join(
        filter(None, [notice or record.message, trace, wrote and f"On standard error:\n{wrote}"])
    )
    made = record.result.get("tool_calls") or ()
    calls = with_results(made, lambda digest: study.kept_text(record, f"text:{digest}"))
    return ReportView(
        entry,
        text,
        profiles.words(shopper),
        None,
        record.usage,
        record.making_usd,
        record.making_seconds,
        shopper=shopper,
        currency=profiles.currency,
        **_made_by(study, record, calls),
    )


def _judges_itself(judged: Judged, answer: Answer) -> str | None:
    judge = None if judged.judging is None or answer.rule_written else judged.judging.judge
    return (
        f"The judge, {judge}, is a model that wrote this answer: it judges itself"
        if answer.is_by(judge)
        else None
    )


def _made_by(study: Study, record: Record, calls: parts.Rows | None) -> dict[str, Any]:
    """Return the making of an answer: its actors with their calls, its steps and its conversations."""
    text = study.kept_text(record, "transcript")
    transcripts: list[JsonObject] = json.loads(text) if text else []
    actors, steps = tuple(parts.actors(calls or ())), record.result.get("steps") or ()
    conversations = tuple(parts.conversations(transcripts, steps, actors))
    known = record.key_fields
    facts = {
        "begun": datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "models": known.get("models"),
        "variant": f"{known.get('variant')}, version {known.get('version')}",
        "limits": known.get("limits"),
        "shop": str(known.get("shop") or "")[:12],
        "code": study.config.get("made_by"),
        "unit": record.key[:12],
    }
    made = {name: parts.line(value) for name, value in facts.items() if value}
    return {"actors": actors, "steps": steps, "conversations": conversations, "made": made}
