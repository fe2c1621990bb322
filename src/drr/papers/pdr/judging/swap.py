"""The judging tasks of the swap: each report scored under other persons' criteria, and the products that each report presents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, cast

from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.stats.question import grouped
from drr.eval.tasks.desk import JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.point_matching import named_products
from drr.papers.pdr.judging.choices import OwnerText
from drr.papers.pdr.judging.making import criteria_owners
from drr.papers.pdr.judging.rows import CRITERIA, CriteriaOwner, scores_of
from drr.papers.pdr.judging.scoring import SCORES_TASK, intended_owner, totals_under
from drr.papers.pdr.sums import WeighedTotals
from drr.study.unit import Outcome, Record, Unit

ADOPTION = "adoption"


class AdoptedProduct(TypedDict):
    id: str
    price: float | None
    """Price of the product; `None` if the shop does not know the price."""


class AdoptionTask(Task[Answer]):
    name = ADOPTION
    subject = "answer"
    asks = False
    metrics = ("swap",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return {}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        if desk.shop is None:
            return
        fields = {
            "task": self.name, "judge": "rules", "version": str(self.version), "answer": about.key, "report": text_id(about.report),
            "shop": desk.shop.manifest.content_hash, "shop_url": desk.shop_url,
        }  # fmt: skip
        spec = {"task": self.name, "answer": about.key}
        yield Unit("judgement", fields, spec, f"adoption \u00b7 {about.label}")

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        assert desk.shop is not None
        named = sorted(named_products(desk, desk.answer(spec["answer"])))
        found = desk.shop.store.products(named)
        rows: list[AdoptedProduct] = [{"id": one.product_id, "price": one.price} for one in found]
        return Outcome({"products": rows})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            rows = judged.others.setdefault(ADOPTION, {})
            rows[record.key_fields["answer"]] = record.result["products"]

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return True

    def estimate(self, desk: JudgingContext, unit: Unit) -> None:
        return None


ADOPTION_TASK = AdoptionTask()


def presented_products(judged: Judged, answer: str) -> list[AdoptedProduct] | None:
    """Return the shop's products that a report presents; `None` if the report was not looked at."""
    return cast("list[AdoptedProduct] | None", judged.others.get(ADOPTION, {}).get(answer))


SWAP = "swap"


class SwapTask(Task[Answer]):
    name = SWAP
    subject = "answer"
    needs = (CRITERIA,)
    metrics = (SWAP,)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Return no version: the units belong to the task `scores` and its version."""
        return {}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Plan scores under other persons' criteria for the same task, first set only. Scores under own criteria belong to `scores`."""
        own = {owner.owner for owner in criteria_owners(desk, about.query_id, about.query, about.user_id)}
        tasks = {owner.task_id for owner in own}
        if not any(owner.half == "p" for owner in own):
            return
        for other in _everyone(desk, judged):
            if other.owner.task_id in tasks and other.owner not in own:
                yield from SCORES_TASK.units(desk, about, other, judged, own=False)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        raise AssertionError("a unit of the swap is one of `scores`")

    def read(self, record: Record, judged: Judged) -> None: ...

    def estimate(self, desk: JudgingContext, unit: Unit) -> None:
        return None


SWAP_TASK = SwapTask()


def _everyone(desk: JudgingContext, judged: Judged) -> list[OwnerText]:
    """Return each task with each of its persons once; worked out once for all answers."""
    rows = judged.others.setdefault(SWAP, {})
    if "everyone" not in rows:
        wishes = ((wish.id, wish.query, wish.user_id) for wish in desk.all_questions())
        every = (
            owner for wish in wishes for owner in criteria_owners(desk, *wish) if owner.owner.half == "p"
        )
        rows["everyone"] = list({owner.owner: owner for owner in every}.values())
    return cast("list[OwnerText]", rows["everyone"])


class UnderCriteria(NamedTuple):
    """The totals of one report under one person's criteria."""

    answer: Answer
    report_of: CriteriaOwner
    """Task and person for whom the report was written."""
    criteria_of: CriteriaOwner
    totals: WeighedTotals


ByTask = Mapping[str, Sequence[UnderCriteria]]


def swap_scores(judged: Judged, variant: str) -> ByTask:
    """Return the variant's reports by task, under each person's criteria that they were scored under; cached for a judging run."""
    cache = cast("dict[str, Any]", judged.others.setdefault(SWAP, {}))
    if cache.get("of") != len(judged.answers):
        cache |= {"of": len(judged.answers), "scored": {}}
    known = cast("dict[str, ByTask]", cache["scored"])
    if variant not in known:
        rows = _scored_totals(judged, (answer for answer in judged.answers if answer.variant == variant))
        known[variant] = grouped((one.report_of.task_id, one) for one in rows)
    return known[variant]


def _scored_totals(judged: Judged, answers: Iterable[Answer]) -> Iterator[UnderCriteria]:
    """Yield the totals of scored reports. A person of whom nothing is known has no criteria, and takes no part."""
    for answer in answers:
        own = intended_owner(judged, answer.key, "p")
        if own is None:
            continue
        places = scores_of(judged, answer.key) or {}
        for owner in dict.fromkeys(place.owner for place in places if place.owner.half == "p"):
            totals = totals_under(judged, answer.key, owner, own=owner == own)
            if totals is not None:
                yield UnderCriteria(answer, own, owner, totals)
