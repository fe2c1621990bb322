"""Computes PDR-Bench's figures: P and Q from scores of criteria, R from verdicts on citations, and the swap of persons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from math import fsum
from statistics import stdev
from typing import NamedTuple

from drr.eval.stats.citations import IN_PART, WHOLLY, CitationVerdict, Found, address_verdict
from drr.eval.stats.intervals import Statistic, mean
from drr.eval.stats.question import grouped

Rounds = Sequence[float | None] | None
"""Scores of one criterion, one per round; `None`, as an element or as a whole, is a missing answer."""


class WeighedScore(NamedTuple):
    weight: float
    rounds: Rounds


class PrintedTotals(NamedTuple):
    """The totals by the published rule."""

    dimensions: Mapping[str, float]
    total: float


class WeighedTotals(NamedTuple):
    """The totals of one report, for P or Q."""

    dimensions: Mapping[str, float | None]
    total: float | None
    by_round: Sequence[float | None] | None
    """Total from the scores of each round alone; `None` if there was no round."""
    n_unscored: int
    """Number of missing answers; a missing list counts once."""
    as_printed: PrintedTotals


def weighted_score(
    weights: Mapping[str, float], criteria: Mapping[str, Sequence[WeighedScore]]
) -> WeighedTotals:
    """Sum scores by weight. Raise `ValueError` if criteria belong to a dimension without a weight, as their share is unknown."""
    strange = sorted(criteria.keys() - weights.keys())
    if strange:
        raise ValueError(f"the dimension {strange[0]} has criteria and no weight")
    dimensions = _dimensions(weights, criteria, _mean)
    every = [one.rounds for own in criteria.values() for one in own]
    count = max((len(rounds) for rounds in every if rounds is not None), default=0)
    ways = [partial(_of_round, number) for number in range(count)]
    by_round = [_total(weights, _dimensions(weights, criteria, way)) for way in ways]
    known = {name: 0.0 if value is None else value for name, value in dimensions.items()}
    printed = PrintedTotals(known, fsum(weights[name] * value for name, value in known.items()))
    missing = sum(sum(value is None for value in rounds) if rounds else 1 for rounds in every)
    return WeighedTotals(dimensions, _total(weights, dimensions), by_round or None, missing, printed)


def spread(values: Sequence[float | None] | None) -> float | None:
    """Return the standard deviation of a sample; `None` for fewer than two known values."""
    known = [value for value in values or () if value is not None]
    return stdev(known) if len(known) > 1 else None


def _dimensions(
    weights: Mapping[str, float],
    criteria: Mapping[str, Sequence[WeighedScore]],
    score: Callable[[Rounds], float | None],
) -> dict[str, float | None]:
    """Return the mean of each dimension. Criteria without a score are left out; the other weights keep their proportions."""
    found: dict[str, float | None] = {}
    for name in weights:
        scores = ((one.weight, score(one.rounds)) for one in criteria.get(name, ()))
        known = [(weight, value) for weight, value in scores if value is not None]
        whole = fsum(weight for weight, _ in known)
        found[name] = fsum(weight * value for weight, value in known) / whole if whole else None
    return found


def _total(weights: Mapping[str, float], dimensions: Mapping[str, float | None]) -> float | None:
    """Return the weighted sum; `None` if a dimension is unknown. Weights are not rescaled."""
    known = {name: value for name, value in dimensions.items() if value is not None}
    whole = known and len(known) == len(dimensions)
    return fsum(weights[name] * value for name, value in known.items()) if whole else None


def _mean(rounds: Rounds) -> float | None:
    known = [value for value in rounds or () if value is not None]
    return fsum(known) / len(known) if known else None


def _of_round(number: int, rounds: Rounds) -> float | None:
    return rounds[number] if rounds is not None and number < len(rounds) else None


class ReliabilityClaim(NamedTuple):
    cited: bool
    verdict: Found | None
    """Verdict on the claim's sources; `None`: the judge gave none, or not yet."""


class Reliability(NamedTuple):
    """PDR-Bench's R and its two parts, 0-10."""

    fa: float | None
    cc: float | None
    r: float | None


def reliability(claims: Sequence[ReliabilityClaim], *, printed: bool = False) -> Reliability:
    """Return the reliability of claims. FA is over cited claims; an unreadable source supports nothing. With `printed`, a missing verdict
    does not support either, and FA of a report without citations is 0."""
    cited = [claim for claim in claims if claim.cited]
    known = [claim.verdict for claim in cited if claim.verdict is not None or printed]
    fa = 10 * sum(verdict == "supported" for verdict in known) / len(known) if known else None
    if fa is None and printed:
        fa = 0.0
    cc = 10 * len(cited) / len(claims) if claims else None
    return Reliability(fa, cc, None if fa is None or cc is None else (fa + cc) / 2)


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Return all reliability figures of one report. `claims` tells of each claim whether it cites an address."""
    by_claim = grouped((one.claim, one.status) for one in citations)

    def summed(supporting: Collection[str], *, printed: bool = False) -> Reliability:
        verdicts = {
            name: [address_verdict(status, supporting) for status in own] for name, own in by_claim.items()
        }
        rows = [ReliabilityClaim(cited, _best(verdicts.get(name, []))) for name, cited in claims.items()]
        return reliability(rows, printed=printed)

    strictly, leniently, as_printed = summed(WHOLLY), summed(IN_PART), summed(IN_PART, printed=True)
    return {
        "pqr_fa": strictly.fa, "pqr_fa_lenient": leniently.fa, "pqr_cc": strictly.cc,
        "pqr_r": strictly.r, "pqr_r_printed": as_printed.r,
    }  # fmt: skip


def _best(verdicts: Sequence[Found | None]) -> Found | None:
    """Return the verdict on a claim from those on its sources. One supporting source is enough; otherwise a missing verdict leaves the claim open."""
    if "supported" in verdicts:
        return "supported"
    if None in verdicts or not verdicts:
        return None
    return "unsupported" if "unsupported" in verdicts else "unknown"


class SwapScore(NamedTuple):
    task: str
    criteria_of: str
    report_of: str
    p: float | None


class TaskSwap(NamedTuple):
    """The figures of the swap for one task."""

    delta: Mapping[str, float | None]
    """Difference by the person whose criteria are used; `None` if either side has no score."""
    cfa_min: float | None
    a_min: float | None
    matched: Mapping[str, float | None]
    """P of each person's report under the person's own criteria."""


def swap_scores_by_task(scores: Iterable[SwapScore]) -> dict[str, TaskSwap]:
    """Return the swap of each task. Several scores of one person's reports under one person's criteria are averaged first."""
    tasks = grouped((score.task, score) for score in scores).items()
    return {task: _task_swap(grouped((one.criteria_of, one) for one in own)) for task, own in tasks}


def _task_swap(by_person: Mapping[str, Sequence[SwapScore]]) -> TaskSwap:
    delta, matched = dict[str, float | None](), dict[str, float | None]()
    for person, own in by_person.items():
        under = grouped((one.report_of, one.p) for one in own if one.p is not None)
        means = {of: fsum(values) / len(values) for of, values in under.items()}
        matched[person] = mine = means.pop(person, None)
        delta[person] = None if mine is None or not means else mine - fsum(means.values()) / len(means)
    return TaskSwap(delta, _least(delta), _least(matched), matched)


def _least(values: Mapping[str, float | None]) -> float | None:
    return min((value for value in values.values() if value is not None), default=None)


def over_tasks(tasks: Mapping[str, TaskSwap]) -> dict[str, Statistic]:
    """Return the means of the swap figures over tasks."""
    delta = {task: list(one.delta.values()) for task, one in tasks.items()}
    least = {"cfa_min": "mean CFA_min over tasks", "a_min": "mean A_min over tasks"}
    found = {
        name: mean({t: [getattr(one, name)] for t, one in tasks.items()}, how) for name, how in least.items()
    }
    return {"delta": mean(delta, "mean swap delta over tasks"), **found}
