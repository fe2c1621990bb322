"""Compares the judges of a study with each other, with themselves and with people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, TypeVar

import numpy as np
from drr.env.text import tokens
from drr.eval.agreement.judges import criteria_agreement, pairwise_agreement
from drr.eval.agreement.precision import judge_costs
from drr.eval.agreement.rows import AgreementDocument, AgreementRow, StabilityRow, Statistics, row_of
from drr.eval.agreement.statistics import SUPPORT_SCORE
from drr.eval.asking.rules import CODE, is_rules
from drr.eval.evidence.answers import Answer, read_answers
from drr.eval.judging.read import judgings, read_judged, repetitions
from drr.eval.labels import (
    DIMENSIONS,
    CriterionLabel,
    Label,
    PairwiseLabel,
    RatingLabel,
    SupportLabel,
    pair_id,
    rating_id,
)
from drr.eval.metrics import metrics, quality, values_of
from drr.eval.metrics.coverage import variants_of
from drr.eval.stats import agreement as ag
from drr.eval.stats import correlation
from drr.eval.stats.intervals import COUNTED, SHARE, mean
from drr.eval.stats.pairs import positions
from drr.eval.stats.question import AskedQuestion, Outcome, grouped
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.protocol import OURS
from drr.study.study import Study

Place = TypeVar("Place", tuple[str, str], tuple[str, str, str])
LabelT = TypeVar("LabelT")


def stability(repetitions: Sequence[Judged]) -> StabilityRow | None:
    """Measure how often the label stayed the same, for units that one judge judged more than once."""
    if len(repetitions) < 2:
        return None
    asked = {answer.key: answer.asked.task for answer in repetitions[0].answers}
    support = _labels_of_repeats([_support(one) for one in repetitions])
    ratings = _labels_of_repeats(
        [
            {(answer, name): v.value for answer, own in one.ratings.items() for name, v in own.items()}
            for one in repetitions
        ]
    )
    pairs = _labels_of_repeats(
        [{key: verdict.value for key, verdict in one.pairs.items()} for one in repetitions]
    )

    def same(found: Mapping[Place, Sequence[str | float | None]]) -> AgreementRow:
        return row_of(
            ag.repeat_stability([*found.values()], [asked.get(place[0], place[0]) for place in found])
        )

    complete = [[float(x) for x in unit if x is not None] for unit in ratings.values() if None not in unit]
    # The repetitions' mean grades spread by the judge's own noise in a system's mean.
    noise = float(np.std(np.mean(complete, axis=0), ddof=1)) if complete else None
    return {
        "repetitions": len(repetitions),
        "support": same(support),
        "rating": same(ratings),
        "pairwise": same(pairs),
        "rating_sd": noise,
    }


def _labels_of_repeats(rounds: Sequence[Mapping[Place, LabelT | None]]) -> dict[Place, list[LabelT | None]]:
    """Return the labels of all repetitions for each thing that the first and another repetition judged. A thing's first name is its answer."""
    first, *others = rounds
    again = [place for place in first if any(place in other for other in others)]
    return {place: [one.get(place) for one in rounds] for place in sorted(again)}


def _support(judged: Judged) -> dict[tuple[str, str], str | None]:
    """Return a judge's labels of support; `None` for unreadable sources and failed calls."""
    return {
        (answer, item): verdict["status"] if verdict["status"] in SUPPORT_SCORE else None
        for answer, items in judged.support.items()
        for item, verdict in items.items()
    }


def extraction_stability(study: Study, judging: JudgingRun, answers: Sequence[Answer]) -> Statistics | None:
    """Measure how far two extractions of one report find the same claims, and how the number of claims varies."""
    extracted = grouped(
        (fields["answer"], record.result["claims"])
        for record in study.ledger.records.all("judgement", "done", task="claims")
        for fields in [record.key_fields]
        if fields["judge"] == judging.extractor
        and fields["version"] == judging.versions.get(f"claims/{fields.get('mode')}")
    )
    overlaps: dict[AskedQuestion, list[float | None]] = {}
    spreads: dict[AskedQuestion, list[float | None]] = {}
    for answer in sorted(answers, key=lambda answer: answer.key):
        every = extracted.get(answer.key, ())
        if len(every) > 1:
            sets = [
                [(frozenset(tokens(c["text"])), frozenset(c["urls"])) for c in claims] for claims in every
            ]
            found = [ag.claim_overlap(a, b) for a, b in combinations(sets, 2)]
            known, counts = [one for one in found if one is not None], [len(claims) for claims in every]
            overlaps.setdefault(answer.asked, []).append(sum(known) / len(known) if known else None)
            spread = float(np.std(counts, ddof=1) / np.mean(counts)) if any(counts) else None
            spreads.setdefault(answer.asked, []).append(spread)
    if not overlaps:
        return None
    overlap = "Jaccard of claims with equal URLs and token F1 >= 0.8, mean over queries"
    variation = "coefficient of variation of the number of claims, mean over queries"
    return {
        "jaccard": row_of(mean(overlaps, overlap, SHARE)),
        "n_claims_cv": row_of(mean(spreads, variation, COUNTED)),
    }


def agreement_document(
    study: Study, labels: Sequence[Label], known: Judged | None = None
) -> AgreementDocument | None:
    """Compare the judges of the study with each other and with the given labels; `None` where there are neither.

    `known` is a judging run of the study over all its answers, which is then not read again.
    """
    answers = read_answers(study) if known is None else known.answers
    latest = latest_judgings(study)
    judged = {
        name: known
        if known is not None and known.judging == judging
        else read_judged(study, judging, answers=answers)
        for name, judging in latest.items()
    }
    everyone = [*labels, *(label for one in judged.values() for label in study_labels(one))]
    if not everyone:
        return None
    people = frozenset({label.judge for label in labels} - set(latest))
    pairs = list(combinations(sorted(judged), 2))
    criteria = [label for label in everyone if isinstance(label, CriterionLabel)]
    systems = {rating_id(a.query_id, a.variant, a.trial): a.variant for a in answers}
    return {
        **pairwise_agreement(everyone, people),
        "criteria": criteria_agreement(criteria, people, systems),
        "cost": judge_costs(study, {name: a.query_id for a in answers for name in (a.key, a.query_id)}),
        "banner": next((j.warning for j in latest.values() if j.warning is not None), None),
        "systems": [
            {"judges": [a, b], "dimensions": correlate_system_means(judged[a], judged[b])} for a, b in pairs
        ],
        "metrics": [
            {"judges": [a, b], "metrics": compare_on_metrics(judged[a], judged[b])} for a, b in pairs
        ],
        "positions": {
            name: {dimension: gate.document() for dimension, gate in positions(one.comparisons()).items()}
            for name, one in judged.items()
        },
        "stability": {name: stability([one, *repetitions(study, one)]) for name, one in judged.items()},
        "extraction": {
            name: extraction_stability(study, judging, answers) for name, judging in latest.items()
        },
    }


def latest_judgings(study: Study) -> dict[str, JudgingRun]:
    """Find each judge's last judging run under the project's protocol, on stored pages. Of rules, only the newest version counts."""
    found = [j for j in judgings(study) if j.protocol == OURS.name and j.is_first and j.judge != CODE]
    last = {"" if is_rules(judging.judge) else judging.judge: judging for judging in found}
    return {judging.judge: judging for judging in last.values()}


def study_labels(judged: Judged) -> list[Label]:
    """Return a study's verdicts as labels, so that the judge can be compared with people."""
    if judged.judging is None:
        return []
    name = judged.judging.judge
    return [
        *_study_pairs(judged, name),
        *_study_ratings(judged, name),
        *_study_support(judged, name),
        *(label for paper in judged.papers() for label in paper.judging.labels(judged, name)),
    ]


_LETTER: Mapping[Outcome, Literal["A", "B", "tie"]] = {
    "a": "A",
    "b": "B",
    "tie": "tie",
    "inconsistent": "tie",
}


def _study_pairs(judged: Judged, name: str) -> Iterable[Label]:
    place = {(a.query_id, a.variant, a.trial): a for a in judged.answers}
    for c in judged.comparisons():
        if c.outcome != "error":
            a, b = place[c.query, c.a, c.trial], place[c.query, c.b, c.trial]
            yield PairwiseLabel(
                id=pair_id(c.query, c.a, c.b, c.trial),
                judge=name,
                query=a.query,
                answer_a=a.report,
                answer_b=b.report,
                system_a=c.a,
                system_b=c.b,
                dimension=c.dimension,
                label=_LETTER[c.outcome],
            )


def _study_ratings(judged: Judged, name: str) -> Iterable[Label]:
    for answer in judged.answers:
        for dimension, verdict in sorted(judged.ratings.get(answer.key, {}).items()):
            if verdict.value is not None:
                yield RatingLabel(
                    id=rating_id(answer.query_id, answer.variant, answer.trial),
                    judge=name,
                    query=answer.query,
                    answer=answer.report,
                    dimension=dimension,
                    label=float(verdict.value),
                )


def _study_support(judged: Judged, name: str) -> Iterable[Label]:
    """Yield labels of support. The evidence is identified by the sources' hashes and the passages that the judge was shown."""
    for answer in judged.answers:
        found = judged.claims.get("all", {}).get(answer.key)
        text = {claim["id"]: claim["text"] for claim in (found.claims or ()) if found} if found else {}
        for item, verdict in sorted(judged.support.get(answer.key, {}).items()):
            if verdict["status"] in SUPPORT_SCORE and verdict["claim_id"] in text:
                shown = "; ".join(f"{s['url']} {s['sha256']} {s['passages']}" for s in verdict["sources"])
                yield SupportLabel(
                    id=f"{answer.label}/{item}",
                    judge=name,
                    claim=text[verdict["claim_id"]],
                    evidence=shown,
                    query=answer.query,
                    label=verdict["status"],
                )


def correlate_system_means(one: Judged, other: Judged) -> dict[str, Statistics]:
    """Correlate two judges' mean grades of the systems, by dimension, as in the paper's Appendix E."""
    left, right = (
        {variant: quality.corpus(own, answers) for variant, answers in variants_of(own).items()}
        for own in (one, other)
    )
    systems = sorted(left.keys() & right.keys())
    found: dict[str, Statistics] = {}
    for dimension in DIMENSIONS:
        x, y = (
            [side[s][dimension].value if dimension in side[s] else None for s in systems]
            for side in (left, right)
        )
        found[dimension] = {
            "spearman": row_of(correlation.spearman(x, y, unit="system")),
            "kendall": row_of(correlation.kendall_tau_b(x, y, unit="system")),
            "pearson": row_of(correlation.pearson(x, y, unit="system")),
        }
    return found


def compare_on_metrics(one: Judged, other: Judged) -> dict[str, Statistics]:
    """Compare two judges on every metric that a judge affects, over the reports that both judged."""
    clusters = [answer.asked.task for answer in one.answers]
    left = [values_of(one, answer) for answer in one.answers]
    right = [values_of(other, answer) for answer in one.answers]
    found: dict[str, Statistics] = {}
    for name, metric in metrics({name for values in left for name in values}).items():
        x = [values.get(name) for values in left]
        y = [values.get(name) for values in right]
        width = None if metric.range is None else metric.range[1] - metric.range[0]
        if metric.judged and any(p is not None and q is not None for p, q in zip(x, y, strict=True)):
            found[name] = {
                "spearman": row_of(correlation.spearman(x, y, unit="report", clusters=clusters)),
                "pearson": row_of(correlation.pearson(x, y, unit="report", clusters=clusters)),
                "mard": row_of(correlation.mean_absolute_deviation(x, y, clusters=clusters, width=width)),
                "bias": row_of(correlation.bias(x, y, clusters=clusters, width=width)),
            }
    return found
