"""The task of judging a claim by all its sources together. It cites several types, and none alone says all of it.

The judge is asked with the prompt of `support`. Code alone finds which types keep their own score whatever all say together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import JOINT, SCORE, JudgedClaim, VerdictRow, needs_joint
from drr.eval.stats.question import grouped
from drr.eval.tasks.citation_rows import CitingClaim
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.support import ClaimTask, SupportTask
from drr.eval.tasks.support_items import SupportItem, contradicted_figures
from drr.eval.tasks.support_requests import batches_of, items_of_unit, joint_items
from drr.study.unit import Outcome, Record, Unit

if TYPE_CHECKING:
    from drr.eval.asking.judge import Examiner


class JointTask(SupportTask):
    name = "joint"
    version = 2
    needs = ("support",)

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Yield the requests, then one unit for the claims that need none."""
        extracted, found = judged.checked_claims(about), judged.judged_claims(about, desk.protocol.checked)
        several = [one for one in (found and found.claims) or () if len(one.page) > 1]
        if extracted is None or not several:
            return
        keeps = {one.id: sorted(_keeps(desk, about, one)) for one in several}
        wanted = {name for one in several for name in _asked(one, keeps[one.id])}
        claims: dict[str, CitingClaim] = {
            one.id: {"id": one.id, "text": one.text, "urls": [*one.urls]} for one in several
        }
        items = [one for one in joint_items(desk, about, claims.values()) if one.id in wanted]
        asked = {item.claim_id for item in items}
        # The last group asks nobody: its unit keeps what code decided of the claims that need no request.
        for group in [*batches_of(items, desk), []]:
            ids = dict.fromkeys(item.claim_id for item in group) or [
                one for one in claims if one not in asked
            ]
            own = {name: keeps[name] for name in ids}
            if own:
                spec = {"claims": [claims[name] for name in ids], "keeps": own}
                spec["partly"] = [one.id for one in group if _is_partly(one, several)]
                yield self.asked(desk, about, extracted.key, group, spec, keeps=own)

    def items(self, desk: JudgingContext, spec: Mapping[str, Any]) -> list[SupportItem]:
        return items_of_unit(joint_items(desk, desk.answer(spec["answer"]), spec["claims"]), spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Judge one unit. It is asked once more where all sources together say nothing of what one of them says in part."""
        first = await super().work(desk, spec, judge)
        verdicts = first.result["verdicts"]
        partly = [name for name in spec.get("partly", ()) if verdicts[name]["status"] == "none"]
        again = [item for item in self.items(desk, spec) if item.id in partly]
        if not again:
            return first
        from drr.eval.tasks.support_requests import judge_support

        second = await judge_support(judge, desk.prompts, desk.protocol, again, about=(spec["answer"],))
        known = {name: one for name, one in second.items() if one["status"] in SCORE}
        return replace(first, result={"verdicts": verdicts | known})

    def read(self, record: Record, judged: Judged) -> None:
        super().read(record, judged)
        judged.keeps.setdefault(record.key_fields["answer"], {}).update(record.spec["keeps"])

    def verdicts(self, judged: Judged) -> dict[str, dict[str, VerdictRow]]:
        return judged.joint

    guess = ClaimTask.guess


JOINT_TASK = JointTask()


def _is_partly(item: SupportItem, claims: Iterable[JudgedClaim]) -> bool:
    """Tell whether one source alone says a part of what an item asks of all together."""
    (claim,) = (one for one in claims if one.id == item.claim_id)
    return "partial" in (claim.seen if item.against == "seen" else claim.page).values()


def _asked(claim: JudgedClaim, keeps: Collection[str]) -> Iterator[str]:
    """Yield the names of the items that a judge is asked about. What the agent saw is one where it is another text than the page."""
    if needs_joint(claim.page, keeps):
        yield f"{claim.id}-{JOINT}"
    if claim.has_seen and needs_joint(claim.seen, keeps):
        yield f"{claim.id}-{JOINT}-seen"


def _keeps(desk: JudgingContext, about: Answer, claim: JudgedClaim) -> Iterator[str]:
    """Yield the types that code decided or capped, or whose record holds another figure."""
    book = desk.book(about)
    pages = grouped((book.type_of(url), book.page(url)) for url in claim.urls)
    for verdict in claim.verdicts.values():
        kind, by = verdict["type"], verdict.get("by")
        if verdict["against"] == "page" and verdict["status"] in SCORE and kind in pages:
            wrong = desk.protocol.caps_numbers and contradicted_figures(claim.text, pages[kind])
            if wrong or by in ("rule", "rule over judge"):
                yield kind
