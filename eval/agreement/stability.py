"""A judge held against itself: judged again, extracted again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from drr.env.text import tokens
from drr.eval.agreement.rows import ExtractionRow, StabilityRow, row_of
from drr.eval.agreement.statistics import SUPPORT_SCORE
from drr.eval.evidence.answers import Answer
from drr.eval.stats import agreement as ag
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.intervals import COUNTED, SHARE, mean
from drr.eval.tasks.judged import Judged, Judging
from drr.study.study import Study

Place = TypeVar("Place", tuple[str, str], tuple[str, str, str])
LabelT = TypeVar("LabelT")


def stability(repetitions: Sequence[Judged]) -> StabilityRow | None:
    """Measure how often the label was the same every time, for units that were judged more than once by one judge."""
    if len(repetitions) < 2:
        return None
    support = _repeated([_support(one) for one in repetitions])
    ratings = _repeated([_ratings(one) for one in repetitions])
    pairs = _repeated([{key: verdict.value for key, verdict in one.pairs.items()} for one in repetitions])
    return {
        "repetitions": len(repetitions),
        "support": row_of(ag.repeat_stability(support)),
        "rating": row_of(ag.repeat_stability(ratings)),
        "pairwise": row_of(ag.repeat_stability(pairs)),
        "rating_sd": _mean_sd(ratings),
    }


def _repeated(told: Sequence[Mapping[Place, LabelT | None]]) -> list[list[LabelT | None]]:
    """List what every repetition says of each thing that the first and some other one judged."""
    first, *others = told
    again = [place for place in first if any(place in other for other in others)]
    return [[one.get(place) for one in told] for place in sorted(again)]


def _support(judged: Judged) -> dict[tuple[str, str], str | None]:
    """List a judge's labels; sources that could not be read and failed calls are nobody's label."""
    return {
        (answer, item): verdict["status"] if verdict["status"] in SUPPORT_SCORE else None
        for answer, items in judged.support.items()
        for item, verdict in items.items()
    }


def _ratings(judged: Judged) -> dict[tuple[str, str], float | None]:
    return {
        (answer, dimension): verdict.value
        for answer, found in judged.ratings.items()
        for dimension, verdict in found.items()
    }


def _mean_sd(units: Sequence[Sequence[float | None]]) -> float | None:
    """Measure the spread of each repetition's mean grade: the part of a system's mean that is the judge's own noise."""
    complete = [[float(x) for x in unit if x is not None] for unit in units if None not in unit]
    return float(np.std(np.mean(complete, axis=0), ddof=1)) if complete else None


def extraction_stability(study: Study, judging: Judging, answers: Sequence[Answer]) -> ExtractionRow | None:
    """Two extractions of one report: how far they find the same claims, and how much the number of claims varies."""
    overlaps: dict[AskedQuestion, list[float | None]] = {}
    spreads: dict[AskedQuestion, list[float | None]] = {}
    extracted = _extracted(study, judging)
    for answer in sorted(answers, key=lambda answer: answer.key):
        extractions = extracted.get(answer.key, ())
        if len(extractions) > 1:
            overlaps.setdefault(answer.asked, []).append(_overlap(extractions))
            spreads.setdefault(answer.asked, []).append(_variation(extractions))
    if not overlaps:
        return None
    overlap = "Jaccard of claims with equal URLs and token F1 >= 0.8, mean over queries"
    variation = "coefficient of variation of the number of claims, mean over queries"
    return {
        "jaccard": row_of(mean(overlaps, overlap, SHARE)),
        "n_claims_cv": row_of(mean(spreads, variation, COUNTED)),
    }


Extraction = Sequence[Mapping[str, Any]]
"""The claims of one report."""


def _extracted(study: Study, judging: Judging) -> dict[str, list[Extraction]]:
    """Collect by answer every extraction with the judging's own prompts."""
    by_answer: dict[str, list[Extraction]] = {}
    for record in study.ledger.records.all("judgement", "done", task="claims"):
        fields = record.key_fields
        if fields["judge"] == judging.extractor and fields["version"] == judging.versions.get(
            f"claims/{fields.get('mode')}"
        ):
            by_answer.setdefault(fields["answer"], []).append(record.result["claims"])
    return by_answer


def _overlap(extractions: Sequence[Extraction]) -> float | None:
    sets = [[_words(claim) for claim in claims] for claims in extractions]
    found = [ag.claim_overlap(a, b) for a, b in combinations(sets, 2)]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


def _variation(extractions: Sequence[Extraction]) -> float | None:
    counts = [len(claims) for claims in extractions]
    return float(np.std(counts, ddof=1) / np.mean(counts)) if any(counts) else None


def _words(claim: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(tokens(claim["text"])), frozenset(claim["urls"])
