"""The task of judging a claim's sources without one of them, where only that tells if it is needed.

The sources are those of all types. The judge is asked with the prompt of `support`, after every address and all types together were judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict

from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import SCORE, VerdictRow
from drr.eval.tasks.citation_rows import set_without
from drr.eval.tasks.citations import distinct_texts
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.support import ClaimTask, SupportTask
from drr.eval.tasks.support_items import SupportItem
from drr.eval.tasks.support_requests import batches_of, items_of_unit
from drr.study.unit import Unit


class RestRow(TypedDict):
    """A claim and all its sources but one, as stored in a unit's spec."""

    item: str
    claim_id: str
    claim: str
    type: str
    urls: list[str]


class NeededTask(SupportTask):
    name = "needed"
    version = 1
    needs = ("joint", "citations")
    metrics = ("citations", "papers")

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return super().versions(desk) if desk.protocol.judges_each else {}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        extracted, found = judged.checked_claims(about), judged.judged_claims(about, desk.protocol.checked)
        if extracted is None or found is None or desk.refetched is not None or not desk.protocol.judges_each:
            return
        # Where the whole set has no score, nobody can say what leaving one out costs.
        claims = {one.id: one for one in found.claims or () if one.whole in SCORE}
        # Without its own verdicts, the plan is the same before and after, so that a bundle lacks no unit.
        before = replace(judged, answers=[about], rests={}).citations[about.key] or ()
        rows: dict[str, RestRow] = {}
        for one in before:
            if one.standing == "undecided" and (claim := claims.get(one.claim)) is not None:
                name = set_without(one.claim, one.type, claim.urls, one.url)
                rest = [url for url in claim.urls if url != one.url]
                rows[name] = RestRow(item=name, claim_id=claim.id, claim=claim.text, type=one.type, urls=rest)
        for group in batches_of(_items(desk, about, rows.values()), desk):
            own = [rows[item.id] for item in group]
            yield self.asked(desk, about, extracted.key, group, {"rests": own})

    def items(self, desk: JudgingContext, spec: Mapping[str, Any]) -> list[SupportItem]:
        return items_of_unit(_items(desk, desk.answer(spec["answer"]), spec["rests"]), spec)

    def verdicts(self, judged: Judged) -> dict[str, dict[str, VerdictRow]]:
        return judged.rests

    guess = ClaimTask.guess


NEEDED = NeededTask()


def _items(desk: JudgingContext, answer: Answer, rows: Iterable[RestRow]) -> list[SupportItem]:
    book = desk.book(answer)
    found = []
    for row in rows:
        pages = tuple(page for _, page in distinct_texts(map(book.page, row["urls"])))
        names = row["item"], row["claim_id"], row["claim"], row["type"]
        found.append(SupportItem(*names, "page", pages, desk.cut(len(pages))))
    return found
