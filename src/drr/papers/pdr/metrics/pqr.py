"""PDR-Bench's figures: P, how well a report serves the person who asks; Q, its quality; Overall, with reliability R."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.metrics.document import PrintedFigures
from drr.eval.stats.intervals import Statistic
from drr.eval.tasks.judgements import Judged
from drr.papers.pdr.judging.rows import DIMENSIONS, Half, scores_of
from drr.papers.pdr.judging.rows import TITLES as NAMES
from drr.papers.pdr.judging.scoring import intended_owner, totals_under
from drr.papers.pdr.judging.violations import violations_of
from drr.papers.pdr.metrics import reliability
from drr.papers.pdr.sums import WeighedTotals, spread

TITLES = {
    "pqr": "PQR: personalization, quality, reliability (0-10)",
    "pqr-dimensions": "PQR by dimension (0-10)",
}
_HALVES: tuple[Half, ...] = ("p", "q")
_GRADE: Mapping[str, Any] = {"range": (0.0, 10.0), "better": "higher"}
_COUNT: Mapping[str, Any] = {"unit": "per report", "least": 0, "better": "lower"}
_SWAY: Mapping[str, Any] = {"unit": "points", "least": 0, "better": "lower", "detail": True}
_DIMENSION: Mapping[str, Any] = {**_GRADE, "detail": True, "table": "pqr-dimensions"}
_ONE = "weighted within and over its dimensions; unknown where a dimension has no score."
_FIGURES: Sequence[tuple[str, str, Mapping[str, Any], str, str]] = (
    ("pqr_p", "P", _GRADE, "weighted sum of four dimensions, criteria averaged over rounds",
     f"PDR-Bench's personalization: criteria of the task and the person scored 0-10, {_ONE}"),
    ("pqr_q", "Q", _GRADE, "weighted sum of three dimensions, criteria averaged over rounds",
     f"PDR-Bench's quality: criteria of the task alone scored 0-10, {_ONE}"),
    *((f"pqr_{one.lower()}", one, _DIMENSION, "weighted mean of its scored criteria",
       f"{NAMES[one]}: the weighted mean of its scored criteria.") for half in _HALVES for one in DIMENSIONS[half]),
    ("pqr_overall", "Overall", _GRADE, "(P + Q + R) / 3", "The mean of P, Q and R; unknown where one of them is."),
    ("pqr_violations", "violations", _COUNT, "violations per report that records decide",
     "What the person must not be offered, as far as records decide it (owned already, ruled out, a broken limit): beside P, never in it."),
    *((f"pqr_{half}_printed", f"{half.upper()} as printed", {**_GRADE, "detail": True}, "as printed: a dimension without a score counts 0",
       f"As {half.upper()}, a dimension without a score counting 0.") for half in _HALVES),
    ("pqr_overall_printed", "Overall as printed", {**_GRADE, "detail": True}, "as printed: mean of those of P, Q, R that there are",
     "The mean of those of P, Q and R as printed that there are."),
    ("pqr_unscored", "unscored", {**_COUNT, "digits": 1, "detail": True}, "missing scores per report",
     "Scores of criteria that the judge left out or that are no integer from 0 to 10."),
    *((f"pqr_{half}_sd_rounds", f"{half.upper()} SD rounds", _SWAY, "SD (n - 1) of a report's rounds",
       f"The standard deviation of a report's {half.upper()} between the rounds of scoring.") for half in _HALVES),
)  # fmt: skip
"""Name, label, form, method and explanation of each metric."""
METRICS = tuple(
    Metric(name, label, text, **{"table": "pqr", **form}) for name, label, form, _, text in _FIGURES
)
_METHODS = {name: f"{how}, mean over queries" for name, _, _, how, _ in _FIGURES}


def per_report(judged: Judged, answer: Answer) -> Values:
    found = violations_of(judged, answer.key)
    values: dict[str, float | None] = {} if found is None else {"pqr_violations": float(len(found))}
    if scores_of(judged, answer.key) is None:
        return values
    by_half: dict[Half, WeighedTotals | None] = {half: _own_totals(judged, answer, half) for half in _HALVES}
    for half, totals in by_half.items():
        values |= _half_values(half, totals)
    values["pqr_unscored"] = float(sum(one.n_unscored for one in by_half.values() if one is not None))
    cited = reliability.per_report(judged, answer)
    ours = [values["pqr_p"], values["pqr_q"], cited.get("pqr_r")]
    printed = [values["pqr_p_printed"], values["pqr_q_printed"], cited.get("pqr_r_printed")]
    known, known_printed = ([value for value in three if value is not None] for three in (ours, printed))
    values["pqr_overall"] = sum(known) / 3 if len(known) == len(ours) else None
    values["pqr_overall_printed"] = sum(known_printed) / len(known_printed) if known_printed else None
    return values


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Average the figures as soon as one report was scored. Reports that still wait count as unscored."""
    scored = any(scores_of(judged, answer.key) is not None for answer in answers)
    looked = any(violations_of(judged, answer.key) is not None for answer in answers)
    if not scored and not looked:
        return {}
    methods = _METHODS if scored else {"pqr_violations": _METHODS["pqr_violations"]}
    return over_queries(answers, lambda answer: per_report(judged, answer), methods)


def printed(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Return P and Q with their dimensions under the papers' protocol. A dimension without a score counts 0 in the total of P or Q."""
    found = corpus(judged, answers)
    if "pqr_p_printed" not in found:
        return {}
    halves = {f"pqr_{half}": found[f"pqr_{half}_printed"] for half in _HALVES}
    dimensions = (f"pqr_{one.lower()}" for half in _HALVES for one in DIMENSIONS[half])
    return {**halves, **{name: found[name] for name in dimensions}}


def _own_totals(judged: Judged, answer: Answer, half: Half) -> WeighedTotals | None:
    owner = intended_owner(judged, answer.key, half)
    return None if owner is None else totals_under(judged, answer.key, owner)


def _half_values(half: Half, totals: WeighedTotals | None) -> dict[str, float | None]:
    dimensions = {} if totals is None else totals.dimensions
    return {
        f"pqr_{half}": None if totals is None else totals.total,
        **{f"pqr_{one.lower()}": dimensions.get(one) for one in DIMENSIONS[half]},
        f"pqr_{half}_printed": None if totals is None else totals.as_printed.total,
        f"pqr_{half}_sd_rounds": None if totals is None else spread(totals.by_round),
    }


def tasks_behind(name: str) -> tuple[str, ...]:
    """Return the names of the judging tasks that a figure comes from."""
    return ("criteria", "scores") if name.startswith("pqr_") else ()


AS_PRINTED = PrintedFigures(printed, tasks_behind)
