"""The metrics that test whether P depends on the person. They compare P of a person's own report with P of others' reports
under the same criteria, and the products that reports for different persons recommend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.aggregate import plain_mean
from drr.eval.stats.intervals import SHARE, Statistic, VRow, mean
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged
from drr.papers.pdr.judging.rows import CriteriaOwner
from drr.papers.pdr.judging.swap import ByTask, UnderCriteria, presented_products, swap_scores
from drr.papers.pdr.sums import SwapScore, over_tasks, swap_scores_by_task

TITLES = {"swap": "P, and whether it sees the person"}
TEN = (0.0, 10.0)
_P: Mapping[str, Any] = {"range": TEN, "better": "higher"}
_DELTA: Mapping[str, Any] = {"range": (-10.0, 10.0), "better": "higher"}
_FIGURES: Sequence[tuple[str, str, Mapping[str, Any], str]] = (
    ("pqr_swap_p", "P, matched", _P,
     "P of the reports that were scored under other persons' criteria too, under those of their own person."),
    ("pqr_delta", "swap delta", _DELTA,
     "P of a person's own report minus the mean of the reports for the other persons of the task, all under that person's criteria."),
    ("pqr_cfa_min", "CFA min", _DELTA,
     "The smallest swap delta of the persons of a task: at or below 0 a report for somebody else served one of them as well."),
    ("pqr_a_min", "A min", _P, "The smallest P of a report under its own person's criteria among the persons of a task."),
    ("pqr_same_products", "same products", {"range": SHARE, "judged": False},
     "How many of the products that the reports for two persons of a task name are the same: common ones over all of both."),
    ("pqr_price_ratio", "price ratio", {"unit": "times", "least": 1, "judged": False},
     "Of two persons' reports of one task, the dearer one's mean price of products over the other's."),
)  # fmt: skip
METRICS = tuple(Metric(name, label, text, "swap", **form) for name, label, form, text in _FIGURES)
_METHODS = {
    "pqr_swap_p": "mean P under the own person's criteria, of reports that were swapped",
    "pqr_same_products": "mean overlap of two persons' products over tasks",
    "pqr_price_ratio": "mean ratio of two persons' mean prices over tasks",
}


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the figures of one report. Its delta compares it with the reports for other persons by the same variant."""
    for of_task in swap_scores(judged, answer.variant).values():
        own = next((one for one in of_task if one.answer is answer and _is_matched(one)), None)
        if own is None:
            continue
        under = [one for one in of_task if one.criteria_of == own.criteria_of and not _is_matched(one)]
        if under:
            task = swap_scores_by_task(_row(one) for one in [own, *under])[own.report_of.task_id]
            return {"pqr_swap_p": own.totals.total, "pqr_delta": task.delta[_name(own.criteria_of)]}
    return {}


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Average over tasks, as the questions of one task share their criteria."""
    tasks = _by_task(judged, answers)
    if not tasks:
        return {}
    found = over_tasks(swap_scores_by_task(_row(one) for of_task in tasks.values() for one in of_task))
    matched = {task: [o.totals.total for o in of_task if _is_matched(o)] for task, of_task in tasks.items()}
    p = mean(matched, _METHODS["pqr_swap_p"], TEN)
    return {"pqr_swap_p": p, **{f"pqr_{name}": v for name, v in found.items()}, **_adoption(judged, tasks)}


def _by_task(judged: Judged, answers: Sequence[Answer]) -> ByTask:
    kept = {answer.key for answer in answers}
    tasks: dict[str, list[UnderCriteria]] = {}
    for variant in dict.fromkeys(answer.variant for answer in answers):
        for task, of_task in swap_scores(judged, variant).items():
            tasks.setdefault(task, []).extend(one for one in of_task if one.answer.key in kept)
    return {task: of_task for task, of_task in tasks.items() if not all(map(_is_matched, of_task))}


def _row(one: UnderCriteria) -> SwapScore:
    task = one.report_of.task_id
    return SwapScore(task, _name(one.criteria_of), _name(one.report_of), one.totals.total)


def _is_matched(one: UnderCriteria) -> bool:
    return one.criteria_of == one.report_of


def verdict_on(delta: VRow) -> str:
    low, high = delta["ci_low"], delta["ci_high"]
    if delta["value"] is None:
        return "unknown whether P tells persons apart: no delta could be had"
    if low is None or high is None:
        return "unknown whether P tells persons apart: too few tasks for an interval of the delta"
    if low > 0:
        return "P tells persons apart here"
    if high < 0:
        return "P does not tell persons apart here: reports for others score higher"
    return "P does not tell persons apart here: the interval of the delta holds 0"


def _name(owner: CriteriaOwner) -> str:
    return owner.person_id or ""


def _adoption(judged: Judged, tasks: ByTask) -> dict[str, Statistic]:
    """Compare the products for two persons of a task. Several trials of a person are averaged over all pairs of trials."""
    shared: dict[str, list[float | None]] = {}
    ratios: dict[str, list[float | None]] = {}
    for task, of_task in tasks.items():
        every = {(one.report_of, one.answer.key): one.answer for one in of_task}
        persons = grouped((_name(person), answer) for (person, _), answer in every.items())
        for pairs in (list(product(*two)) for two in combinations(persons.values(), 2)):
            shared.setdefault(task, []).append(plain_mean(_overlap(judged, x, y) for x, y in pairs))
            ratios.setdefault(task, []).append(plain_mean(_price_ratio(judged, x, y) for x, y in pairs))
    return {
        "pqr_same_products": mean(shared, _METHODS["pqr_same_products"], SHARE),
        "pqr_price_ratio": mean(ratios, _METHODS["pqr_price_ratio"]),
    }


def _overlap(judged: Judged, x: Answer, y: Answer) -> float | None:
    """Return the share of products that two reports have in common; `None` if unknown, or if neither names any."""
    one, other = presented_products(judged, x.key), presented_products(judged, y.key)
    if one is None or other is None or not (one or other):
        return None
    a, b = {row["id"] for row in one}, {row["id"] for row in other}
    return len(a & b) / len(a | b)


def _price_ratio(judged: Judged, x: Answer, y: Answer) -> float | None:
    rows = [presented_products(judged, answer.key) or () for answer in (x, y)]
    known = [price for own in rows if (price := plain_mean(row["price"] for row in own))]
    return max(known) / min(known) if len(known) == 2 else None
