"""Checks a study against a gate: required figures by the worse end of their interval, and losses against a base."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import isfinite
from typing import Literal, TypedDict

from drr.env.errors import Misuse
from drr.eval.asking.rules import UNASKED
from drr.eval.checks import RULES
from drr.eval.metrics import figures, metric, metric_name, metrics, shown_name, values_of
from drr.eval.metrics.base import Better
from drr.eval.metrics.compare import ByQuery, ValueTable
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.reliability import unscored
from drr.eval.stats.differences import SIGNIFICANT, PairedDifference, is_settled
from drr.eval.stats.intervals import Statistic, VRow, empty_statistic
from drr.eval.tasks.judgements import Judged
from drr.llm.failures import NO_ANSWER
from drr.study.units import AnswerTally

Sign = Literal[">=", "<=", ">", "<"]
_FIGURE = re.compile(r"([A-Za-z_][\w.^, -]*)(>=|<=|>|<)\s*(\S+)")
_BROKEN = "rules."
_KEPT = "rule_"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A required figure, such as `react:faithfulness>=0.8`. Without a variant it applies to each variant."""

    text: str
    variant: str | None
    metric: str
    sign: Sign
    bound: float

    def holds(self, value: float) -> bool:
        if self.sign == ">=":
            return value >= self.bound
        if self.sign == "<=":
            return value <= self.bound
        return value > self.bound if self.sign == ">" else value < self.bound


class GateRow(TypedDict):
    """The result of one check of one variant."""

    variant: str
    metric: str | None
    """The metric; `None` where the base lacks the variant."""
    against: str | None
    """The base; `None` for a requirement."""
    check: str
    holds: bool
    figure: VRow
    """The metric's figure, or its difference from the base."""
    why: str | None
    """Reason in words where the check fails."""


def requirement(text: str) -> Requirement:
    """Parse a requirement. Raises `Misuse` where the text is no requirement, or names no metric."""
    variant, _, figure = text.strip().rpartition(":")
    found = _FIGURE.fullmatch(figure.lstrip())
    if found is None:
        raise Misuse(
            f"--require {text!r}: is no requirement; write [VARIANT:]METRIC>=NUMBER, such as 'faithfulness>=0.8' or 'react:rules.budget<=0.02'"
        )
    name, sign, number = found.groups()
    try:
        bound = float(number)
    except ValueError:
        bound = float("nan")
    if not isfinite(bound):
        raise Misuse(f"--require {text!r}: {number!r} is no number")
    known = {**known_metrics(), **dict.fromkeys(NO_ANSWER)}
    name = metric_name(name.rstrip())
    if name not in known:
        labels = [word for word in map(shown_name, known) if ":" not in word]
        near = get_close_matches(shown_name(name), [*dict.fromkeys([*labels, *known])], 3, 0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else "`drr report --explain` lists them"
        raise Misuse(f"--require {text!r}: no metric {name!r}; {hint}")
    return Requirement(text.strip(), variant.strip() or None, name, sign, bound)  # type: ignore[arg-type]


def known_metrics() -> dict[str, Better | None]:
    """Map each known name to its better direction. `rules.NAME` is the share of answers that break a rule, of those where the rule can tell."""
    broken: dict[str, Better | None] = {f"{_BROKEN}{name}": "lower" for name in RULES}
    return {name: metric.better for name, metric in metrics().items()} | broken


def _metric_behind(name: str) -> tuple[str, bool]:
    """Return the metric behind a name, and whether its value must be inverted."""
    return (_KEPT + name.removeprefix(_BROKEN), True) if name.startswith(_BROKEN) else (name, False)


def _inverted(v: Statistic, whole: float) -> Statistic:
    """Return `whole` minus the figure."""
    ends = [None if end is None else whole - end for end in (v.ci_high, v.ci_low)]
    return replace(v, value=None if v.value is None else whole - v.value, ci_low=ends[0], ci_high=ends[1])


def required_rows(judged: Judged, requirements: Sequence[Requirement]) -> list[GateRow]:
    by_variant = variants_of(judged)
    requirements = [one for one in requirements if one.metric not in NO_ANSWER]
    _check_variants(requirements, by_variant)
    rows = []
    for variant, answers in by_variant.items():
        found = figures(judged, answers)
        known = [values_of(judged, answer).keys() for answer in answers]
        for one in requirements:
            if one.variant in (None, variant):
                lacking = sum(_metric_behind(one.metric)[0] not in names for names in known)
                lacking %= len(answers)  # a figure that no answer has is one of all together
                figure = _figure(found, one.metric)
                row = _requirement_row(variant, one, figure, lacking, len(answers))
                if figure is None and (why := unscored(one.metric, found)):
                    row["why"] = f"unknown: {why}"
                if row["figure"]["value"] is None and takes_judge(judged, one.metric):
                    row["why"] = f"unknown: {UNASKED}"
                rows.append(row)
    return rows


def takes_judge(judged: Judged, name: str) -> bool:
    """Tell whether a figure waits for a judge that nobody named."""
    known = metrics([_metric_behind(name)[0]]).values()
    return (judged.is_code or judged.judging is None) and any(one.judged for one in known)


def unanswered(
    tallies: Sequence[AnswerTally], requirements: Sequence[Requirement], allowed: float, base: str | None
) -> list[GateRow]:
    """Return a row for each required variant that lacks more than the allowed share of its answers. Their scores are unknown.

    A kind of failure that has its own requirement (`no_research<=0.02`) does not count in the share.
    """
    named = {one.variant for one in requirements}
    everybody = None in named or not requirements
    rows = []
    for one in tallies:
        bounded = {want.metric for want in requirements if want.variant in (None, one.variant)}
        missing = one.units - one.done - sum(one.kinds.get(kind, 0) for kind in bounded)
        if one.variant == base or not (everybody or one.variant in named) or missing <= allowed * one.units:
            continue
        pending = one.units - one.done - one.failed
        parts = [f"{count} {how}" for count, how in ((pending, "pending"), (one.failed, "failed")) if count]
        kinds = ", ".join(f"{count} {kind}" for kind, count in one.kinds.items())
        why = f"unknown: of {one.units} answers {' and '.join(parts)}{f' ({kinds})' if kinds else ''}"
        figure = Statistic(one.done / one.units, None, None, one.units, 0, "share of the answers asked for")
        rows.append(_row(one.variant, None, None, "answered", figure, why))
    return rows


def no_answers(tallies: Sequence[AnswerTally], requirements: Sequence[Requirement]) -> list[GateRow]:
    """Compare the share of answers that failed in a given way with its required bound. The share has no interval."""
    requirements = [one for one in requirements if one.metric in NO_ANSWER]
    _check_variants(requirements, [tally.variant for tally in tallies])
    rows = []
    for one in requirements:
        for tally in tallies:
            if one.variant in (None, tally.variant):
                share = tally.kinds.get(one.metric, 0) / tally.units
                figure = Statistic(share, None, None, tally.units, 0, "share of the answers asked for")
                why = None if one.holds(share) else "asked twice, and no answer"
                check = f"{one.metric} {one.sign} {one.bound:g}"
                rows.append(_row(tally.variant, one.metric, None, check, figure, why))
    return rows


def _check_variants(requirements: Sequence[Requirement], known: Collection[str]) -> None:
    for one in requirements:
        if one.variant is not None and one.variant not in known:
            raise Misuse(
                f"--require {one.text!r}: no variant {one.variant!r}; the study has {', '.join(known) or 'none'}"
            )


def _figure(figures: Mapping[str, Statistic], name: str) -> Statistic | None:
    own, turned = _metric_behind(name)
    v = figures.get(own)
    if v is None:
        return None
    v = v.within(metric(own).ends)
    return _inverted(v, 1.0) if turned else v


def _requirement_row(
    variant: str, one: Requirement, v: Statistic | None, lacking: int = 0, answers: int = 0
) -> GateRow:
    """Return the row of one requirement; `lacking` is the number of answers that were not judged for it."""
    found = empty_statistic("not judged") if v is None else v
    low, high = found.ci_low, found.ci_high
    why = None
    if v is None:
        why = "unknown: nothing of this variant was judged for it"
        if any(known.across_trials for known in metrics([one.metric]).values()):
            why = "unknown: no question has as many answers that this can be told of; `drr run STUDY --trials N` adds some"
    elif lacking:
        why = f"unknown: {lacking} of {answers} answers are not judged for it"
    elif v.value is None:
        why = f"unknown: {v.reason or 'no answer has a value'}"
    elif low is None or high is None:
        why = "unknown: too few questions for an interval" if one.holds(v.value) else "the value itself"
    else:
        worse = low if one.sign in (">=", ">") else high
        if not one.holds(worse):
            why = f"the interval's worse end is {_number(worse)}"
    return _row(variant, one.metric, None, f"{one.metric} {one.sign} {one.bound:g}", found, why)


def _number(value: float) -> str:
    return f"{value:,.3f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:,.0f}"


@dataclass(frozen=True)
class Base:
    """The base of a comparison: a variant of the same study, or another study whose variants are matched by name."""

    name: str
    judged: Judged
    variant: str | None = None


def compare_with_base(judged: Judged, base: Base, names: Sequence[str]) -> list[GateRow]:
    """Compare each variant and metric with the base. A check fails where the corrected paired test shows a loss.

    Without `names`, every headline metric of the base is compared.
    """
    known = known_metrics()
    here, there = ValueTable(judged), ValueTable(base.judged)
    rows = []
    for variant in here.systems:
        beside = base.variant or variant
        if base.variant == variant:
            continue
        if beside not in there.systems:
            lacking = empty_statistic("no base")
            why = "unknown: it is not in the base"
            rows.append(_row(variant, None, base.name, f"against {base.name}", lacking, why))
            continue
        tested = here.contrasts(variant, beside, there)
        for name in names or _headlines(there.values(beside)):
            found = _difference(tested, name)
            row = _not_worse(variant, name, known[name], found, base.name)
            if row["figure"]["value"] is None and (
                takes_judge(judged, name) or takes_judge(base.judged, name)
            ):
                row["why"] = f"unknown: {UNASKED}"
            rows.append(row)
    return rows


def _headlines(values: Mapping[str, ByQuery]) -> list[str]:
    """List the headline metrics that have a better direction and at least one value."""
    return [
        name
        for name, metric in metrics(values).items()
        if metric.better
        and not metric.detail
        and any(one is not None for trials in values.get(name, {}).values() for one in trials)
    ]


def required_metrics(requirements: Sequence[Requirement]) -> list[str]:
    """Return the required metrics. Raises `Misuse` for a metric that has no worse direction."""
    known = known_metrics()
    named = list(dict.fromkeys(one.metric for one in requirements if one.metric not in NO_ANSWER))
    for name in named:
        if known[name] is None:
            raise Misuse(
                f"--against: more of {name} is neither better nor worse, so it cannot be held against a base"
            )
    return named


def _difference(tested: Mapping[str, PairedDifference], name: str) -> PairedDifference | None:
    own, turned = _metric_behind(name)
    found = tested.get(own)
    return replace(found, difference=_inverted(found.difference, 0.0)) if turned and found else found


def _not_worse(
    variant: str, name: str, better: Better | None, found: PairedDifference | None, base: str
) -> GateRow:
    v = empty_statistic("not judged in both") if found is None else found.difference
    why = None
    if found is None:
        why = "unknown: not judged in both"
    elif v.value is None:
        why = "unknown: no question was scored in both"
    elif is_settled(found.document()) and (v.value > 0) is (better == "lower"):
        why = f"the paired test shows a loss (p = {found.p_holm:.2g}, Holm)"
    # Differences that are all 0 have no interval either, and show no loss.
    elif v.ci_low is None and (v.value != 0 or v.clusters < 2) and (found.p or 1.0) >= SIGNIFICANT:
        why = "unknown: too few questions for a test"
    return _row(variant, name, base, f"{name} against {base}", v, why)


def _row(
    variant: str, metric: str | None, base: str | None, check: str, v: Statistic, why: str | None
) -> GateRow:
    return {
        "variant": variant,
        "metric": metric,
        "against": base,
        "check": check,
        "holds": why is None,
        "figure": v.document(),
        "why": why,
    }
