"""Judges held against judges: people's labels, a study's verdicts, or both; pair by pair of judges, task by task.

Labels of different judges are of the same thing if their texts are the same, or their id and question (`_Items`). Turned pairs (`answer_a`
of one is `answer_b` of the other) are turned back by the texts before they are counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from drr.env.text import tokens
from drr.eval.evidence.answers import Answer
from drr.eval.labels import (
    DIMENSIONS,
    Label,
    PairwiseLabel,
    RatingLabel,
    SupportLabel,
    content_id,
    pair_id,
    rating_id,
)
from drr.eval.stats import agreement as ag
from drr.eval.stats.intervals import V, mean
from drr.eval.stats.pairs import reconcile
from drr.eval.tasks.judged import Judged, Judging
from drr.study.study import Study

SUPPORT = ("none", "partial", "full")
SUPPORT_SCORE = {"none": 0.0, "partial": 0.5, "full": 1.0}
PAIRWISE = ("A", "tie", "B")
OVERALL = "overall"


def document_of(v: V) -> dict[str, Any]:
    """`n_dropped` is what agreement calls the items that a statistic leaves out."""
    return {**v.document(), "n_dropped": v.n_unscored}


def agreement(labels: Sequence[Label], people: Collection[str] = ()) -> dict[str, Any]:
    """Every pair of judges that judged anything in common, and all of them together.

    Of a machine and one of the `people` the machine comes first: a bias is machine minus human, and human ties are the human's.
    """
    return {
        "schema": 1,
        "support": _support([label for label in labels if isinstance(label, SupportLabel)], people),
        "pairwise": _pairwise([label for label in labels if isinstance(label, PairwiseLabel)], people),
        "rating": _rating([label for label in labels if isinstance(label, RatingLabel)], people),
    }


def _judges(labels: Iterable[Label], people: Collection[str]) -> list[str]:
    return sorted({label.judge for label in labels}, key=lambda name: (name in people, name))


def _support(labels: Sequence[SupportLabel], people: Collection[str]) -> dict[str, Any]:
    by_judge: dict[str, dict[str, str]] = {}
    items = _Items()
    for label in labels:
        by_judge.setdefault(label.judge, {})[str(items.place(label))] = label.label
    found = []
    for a, b in combinations(_judges(labels, people), 2):
        shared = sorted(by_judge[a].keys() & by_judge[b].keys())
        if shared:
            x, y = [by_judge[a][k] for k in shared], [by_judge[b][k] for k in shared]
            found.append({"judges": [a, b], **support_statistics(x, y)})
    return {
        "labels": len(labels),
        "repeated": items.repeated,
        "pairs": found,
        "alpha": _alpha(by_judge, SUPPORT, "ordinal"),
    }


def support_statistics(x: Sequence[str | None], y: Sequence[str | None]) -> dict[str, Any]:
    return {
        name: document_of(v)
        for name, v in {
            "exact": ag.exact_agreement(x, y),
            "kappa": ag.cohen_kappa(x, y, categories=SUPPORT),
            "weighted_kappa": ag.cohen_kappa(x, y, categories=SUPPORT, weights="quadratic"),
            "ac1": ag.gwet_ac1(x, y, categories=SUPPORT),
            "mad": ag.mean_absolute_deviation(_scores(x), _scores(y), name="MAD"),
            "bias": ag.bias(_scores(x), _scores(y)),
        }.items()
    }


def _scores(labels: Sequence[str | None]) -> list[float | None]:
    return [None if label is None else SUPPORT_SCORE[label] for label in labels]


def _alpha(
    by_judge: Mapping[str, Mapping[str, Any]], categories: Sequence[str] | None, level: ag.Level
) -> dict[str, Any] | None:
    if len(by_judge) < 2:
        return None
    items = sorted({key for labels in by_judge.values() for key in labels})
    raters = [[labels.get(key) for key in items] for _, labels in sorted(by_judge.items())]
    return document_of(ag.krippendorff_alpha(raters, level=level, categories=categories))


class _Items:
    """Which labels are of the same thing: those with one id and the same texts; else with the same texts; else with one id and
    one question or claim.

    One judge judges a thing once: two of his labels with different ids are of two things even if their texts are equal,
    as when two variants wrote the same report. Only the same id and texts again replace what he said before (`repeated`).
    """

    def __init__(self) -> None:
        self._exact: dict[tuple[str, ...], int] = {}
        self._alike: dict[tuple[str, ...], list[int]] = {}
        self._taken: set[tuple[int, str, str]] = set()
        self.first: list[Label] = []
        self.repeated = 0

    def place(self, label: Label) -> int:
        by_id, by_text = _names(label)
        dimension = getattr(label, "dimension", None) or OVERALL
        item = self._exact.get(by_id + by_text)
        if item is None:
            alike = [*self._alike.get(by_text, ()), *self._alike.get(by_id, ())]
            item = next((one for one in alike if (one, label.judge, dimension) not in self._taken), None)
        elif (item, label.judge, dimension) in self._taken:
            self.repeated += 1
        if item is None:
            item = len(self.first)
            self.first.append(label)
        self._exact[by_id + by_text] = item
        for name in (by_id, by_text):
            known = self._alike.setdefault(name, [])
            if item not in known:
                known.append(item)
        self._taken.add((item, label.judge, dimension))
        return item


def _names(label: Label) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if isinstance(label, SupportLabel):
        claim = content_id(label.claim)
        return ("id", label.id, claim), ("text", claim, content_id(label.evidence))
    question = content_id(label.query)
    if isinstance(label, RatingLabel):
        return ("id", label.id, question), ("text", question, content_id(label.answer))
    answers = sorted((content_id(label.answer_a), content_id(label.answer_b)))
    return ("id", label.id, question), ("text", question, *answers)


def _is_turned(label: PairwiseLabel, first: PairwiseLabel) -> bool:
    """Whether this label has its sides the other way round than the first one of the same thing."""
    a, b = content_id(label.answer_a), content_id(label.answer_b)
    return a != b and content_id(first.answer_a) == b and content_id(first.answer_b) == a


Turned = dict[tuple[str, str], tuple[str, str, str]]
"""By (item, dimension): the label in the item's own order, the question, and the two systems in that order."""


def _turned(labels: Sequence[PairwiseLabel]) -> tuple[dict[str, Turned], int]:
    """By judge, and how many labels replaced an earlier one.

    An item's order is that of its systems' names, else of its texts: kappa depends on who is called A, and must not depend
    on whose label happens to stand first.
    """
    items = _Items()
    placed = [(items.place(label), label) for label in labels]
    against_first: list[bool] = []
    systems: dict[int, tuple[str, str]] = {}
    for item, label in placed:
        first = items.first[item]
        assert isinstance(first, PairwiseLabel)
        turned = _is_turned(label, first)
        against_first.append(turned)
        if label.system_a and label.system_b:
            pair = (label.system_a, label.system_b)
            systems.setdefault(item, pair[::-1] if turned else pair)
    found: dict[str, Turned] = {}
    for (item, label), turned in zip(placed, against_first, strict=True):
        first = items.first[item]
        assert isinstance(first, PairwiseLabel)
        named = systems.get(item, ("", ""))
        texts = (first.answer_a.split(), first.answer_b.split())
        backwards = named[0] > named[1] if any(named) else texts[0] > texts[1]
        value: str = label.three_class
        if turned != backwards:
            value = {"A": "B", "B": "A", "tie": "tie"}[value]
        key = (str(item), label.dimension or OVERALL)
        found.setdefault(label.judge, {})[key] = (value, content_id(first.query), "\0".join(sorted(named)))
    return found, items.repeated


def _pairwise(labels: Sequence[PairwiseLabel], people: Collection[str]) -> dict[str, Any]:
    by_judge, repeated = _turned(labels)
    dimensions: list[str] = [*DIMENSIONS]
    dimensions += sorted({x.dimension or OVERALL for x in labels} - set(DIMENSIONS))
    pairs = []
    for one, other in combinations(_judges(labels, people), 2):
        shared = sorted(by_judge[one].keys() & by_judge[other].keys())
        if not shared:
            continue
        rows: dict[str, Any] = {}
        for dimension in ("all", *dimensions):
            keys = [key for key in shared if dimension in ("all", key[1])]
            if keys:
                x, y = [by_judge[one][k][0] for k in keys], [by_judge[other][k][0] for k in keys]
                clusters = [by_judge[one][k][1] for k in keys]
                rows[dimension] = pairwise_statistics(x, y, clusters)
        pairs.append(
            {
                "judges": [one, other],
                "dimensions": rows,
                "rankings": _rankings(by_judge[one], by_judge[other], shared),
            }
        )
    plain = {
        judge: {"\0".join(key): value[0] for key, value in rows.items()} for judge, rows in by_judge.items()
    }
    return {
        "labels": len(labels),
        "repeated": repeated,
        "pairs": pairs,
        "alpha": _alpha(plain, PAIRWISE, "nominal"),
    }


def pairwise_statistics(
    x: Sequence[str | None], y: Sequence[str | None], clusters: Sequence[str] | None = None
) -> dict[str, Any]:
    both = [(p, q) for p, q in zip(x, y, strict=True) if p is not None and q is not None]
    ties = sum(ag.TIE in pair for pair in both)
    return {
        "exact": document_of(ag.exact_agreement(x, y, clusters=clusters)),
        "kappa_no_ties": document_of(
            ag.cohen_kappa(x, y, clusters=clusters, drop={ag.TIE}, categories=("A", "B"))
        ),
        "kappa_with_ties": document_of(ag.cohen_kappa(x, y, clusters=clusters, categories=PAIRWISE)),
        "weighted_kappa": document_of(
            ag.cohen_kappa(x, y, clusters=clusters, categories=PAIRWISE, weights="quadratic")
        ),
        "ac1": document_of(ag.gwet_ac1(x, y, clusters=clusters, categories=PAIRWISE)),
        "soft_disagreement": document_of(ag.soft_disagreement(x, y, clusters=clusters)),
        "ties_share": ties / len(both) if both else None,
    }


def _rankings(one: Turned, other: Turned, shared: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Systems by win rate for both judges: per dimension the two orders, and how well they agree."""
    found: dict[str, Any] = {}
    for dimension in sorted({key[1] for key in shared}):
        keys = [key for key in shared if key[1] == dimension]
        left, right = _win_rates(one, keys), _win_rates(other, keys)
        systems = sorted(left)
        if len(systems) < 2:
            continue
        x: list[float | None] = [left[name] for name in systems]
        y: list[float | None] = [right[name] for name in systems]
        same = all(
            (left[s] > left[t], left[s] < left[t]) == (right[s] > right[t], right[s] < right[t])
            for s, t in combinations(systems, 2)
        )
        found[dimension] = {
            "systems": {name: [left[name], right[name]] for name in systems},
            "same_order": same,
            "spearman": document_of(ag.spearman(x, y, unit="system")),
            "kendall": document_of(ag.kendall_tau_b(x, y, unit="system")),
        }
    return found


def _win_rates(labels: Turned, keys: Sequence[tuple[str, str]]) -> dict[str, float]:
    points: dict[str, list[float]] = {}
    for key in keys:
        value, _, systems = labels[key]
        a, _, b = systems.partition("\0")
        if a and b:
            score = {"A": 1.0, "tie": 0.5, "B": 0.0}[value]
            points.setdefault(a, []).append(score)
            points.setdefault(b, []).append(1 - score)
    return {name: sum(scores) / len(scores) for name, scores in points.items()}


def _rating(labels: Sequence[RatingLabel], people: Collection[str]) -> dict[str, Any]:
    by_judge: dict[str, dict[tuple[str, str], float]] = {}
    question: dict[tuple[str, str], str] = {}
    items = _Items()
    for label in labels:
        key = (str(items.place(label)), label.dimension or OVERALL)
        by_judge.setdefault(label.judge, {})[key] = label.label
        question[key] = content_id(label.query)
    pairs = []
    for one, other in combinations(_judges(labels, people), 2):
        shared = sorted(by_judge[one].keys() & by_judge[other].keys())
        rows = {}
        for dimension in ("all", *sorted({key[1] for key in shared})):
            keys = [key for key in shared if dimension in ("all", key[1])]
            x: list[float | None] = [by_judge[one][k] for k in keys]
            y: list[float | None] = [by_judge[other][k] for k in keys]
            rows[dimension] = rating_statistics(x, y, [question[k] for k in keys], [k[1] for k in keys])
        if shared:
            pairs.append({"judges": [one, other], "dimensions": rows})
    plain = {
        judge: {"\0".join(key): value for key, value in rows.items()} for judge, rows in by_judge.items()
    }
    return {
        "labels": len(labels),
        "repeated": items.repeated,
        "pairs": pairs,
        "alpha": _alpha(plain, None, "interval"),
    }


def rating_statistics(
    x: Sequence[float | None],
    y: Sequence[float | None],
    clusters: Sequence[str],
    dimensions: Sequence[str] | None = None,
) -> dict[str, Any]:
    """`x` minus `y`; PCA over the pairs of answers to one question under one dimension."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, cluster in enumerate(clusters):
        groups.setdefault((cluster, dimensions[i] if dimensions else ""), []).append(i)
    inside = [(i, j) for members in groups.values() for i, j in combinations(members, 2)]
    dx = [_minus(x[i], x[j]) for i, j in inside]
    dy = [_minus(y[i], y[j]) for i, j in inside]
    where = [clusters[i] for i, _ in inside]
    pca, chance = ag.preference_agreement(dx, dy, clusters=where)
    decided, chance_decided = ag.preference_agreement(dx, dy, clusters=where, without_human_ties=True)
    return {
        "spearman": document_of(ag.spearman(x, y, unit="report", clusters=clusters)),
        "kendall": document_of(ag.kendall_tau_b(x, y, unit="report", clusters=clusters)),
        "pearson": document_of(ag.pearson(x, y, unit="report", clusters=clusters)),
        "mard": document_of(ag.mean_absolute_deviation(x, y, clusters=clusters)),
        "bias": document_of(ag.bias(x, y, clusters=clusters)),
        "pca": {**document_of(pca), "chance": chance},
        "pca_no_human_ties": {**document_of(decided), "chance": chance_decided},
    }


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def study_labels(judged: Judged) -> list[Label]:
    """A study's verdicts in the form of labels, so that the judge stands beside people."""
    if judged.judging is None:
        return []
    name = judged.judging.judge
    return [*_study_pairs(judged, name), *_study_ratings(judged, name), *_study_support(judged, name)]


_LETTER: dict[str, Any] = {"a": "A", "b": "B", "tie": "tie", "inconsistent": "tie"}


def _study_pairs(judged: Judged, name: str) -> Iterable[Label]:
    place = {(a.query_id, a.variant, a.trial): a for a in judged.answers}
    for c in judged.comparisons():
        outcome = reconcile(c.a_first, c.b_first)
        if outcome == "error":
            continue
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
            label=_LETTER[outcome],
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
    """The evidence is named by what the judge was shown: the hashes and passages of the sources."""
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
                    label=verdict["status"],
                )


def across_systems(one: Judged, other: Judged) -> dict[str, Any]:
    """Two judges' mean grades of the systems, per dimension: system-level correlations, as the paper's Appendix E."""
    from drr.eval.metrics import quality
    from drr.eval.metrics.document import variants_of

    left = {v: quality.corpus(one, answers) for v, answers in variants_of(one).items()}
    right = {v: quality.corpus(other, answers) for v, answers in variants_of(other).items()}
    systems = sorted(left.keys() & right.keys())
    found: dict[str, Any] = {}
    for dimension in DIMENSIONS:
        x = [left[s][dimension].value if dimension in left[s] else None for s in systems]
        y = [right[s][dimension].value if dimension in right[s] else None for s in systems]
        found[dimension] = {
            "spearman": document_of(ag.spearman(x, y, unit="system")),
            "kendall": document_of(ag.kendall_tau_b(x, y, unit="system")),
            "pearson": document_of(ag.pearson(x, y, unit="system")),
        }
    return found


def stability(repetitions: Sequence[Judged]) -> dict[str, Any] | None:
    """Of the units that were judged more than once by one judge: how often the label was the same every time."""
    if len(repetitions) < 2:
        return None
    first = repetitions[0]
    support = [
        [_graded(rep.support.get(a, {}).get(item)) for rep in repetitions]
        for a, items in sorted(first.support.items())
        for item in sorted(items)
        if any(item in rep.support.get(a, {}) for rep in repetitions[1:])
    ]
    ratings = [
        [_value(rep.ratings.get(a, {}).get(d)) for rep in repetitions]
        for a, found in sorted(first.ratings.items())
        for d in sorted(found)
        if any(d in rep.ratings.get(a, {}) for rep in repetitions[1:])
    ]
    pairs = [
        [_value(rep.pairs.get(key)) for rep in repetitions]
        for key in sorted(first.pairs)
        if any(key in rep.pairs for rep in repetitions[1:])
    ]
    found = {"support": support, "rating": ratings, "pairwise": pairs}
    return {
        "repetitions": len(repetitions),
        **{task: document_of(ag.repeat_stability(units)) for task, units in found.items()},
        "rating_sd": _mean_sd(ratings),
    }


def extraction_stability(study: Study, judging: Judging, answers: Sequence[Answer]) -> dict[str, Any] | None:
    """Two extractions of one report: how far they find the same claims, and how much the number of claims varies."""
    by_answer: dict[str, list[list[Mapping[str, Any]]]] = {}
    for record in study.records("judgement"):
        fields = record.key_fields
        version = judging.versions.get(f"claims/{fields.get('mode')}")
        if (
            fields["task"] == "claims"
            and fields["judge"] == judging.extractor
            and fields["version"] == version
        ):
            by_answer.setdefault(fields["answer"], []).append(record.result["claims"])
    query = {answer.key: answer.query_id for answer in answers}
    overlaps: dict[str, list[float | None]] = {}
    spreads: dict[str, list[float | None]] = {}
    for key, extractions in sorted(by_answer.items()):
        if len(extractions) > 1 and key in query:
            sets = [[_words(claim) for claim in claims] for claims in extractions]
            found = [ag.claim_overlap(a, b) for a, b in combinations(sets, 2)]
            known = [value for value in found if value is not None]
            counts = [len(claims) for claims in extractions]
            overlaps.setdefault(query[key], []).append(sum(known) / len(known) if known else None)
            variation = float(np.std(counts, ddof=1) / np.mean(counts)) if any(counts) else None
            spreads.setdefault(query[key], []).append(variation)
    if not overlaps:
        return None
    return {
        "jaccard": document_of(
            mean(overlaps, "Jaccard of claims with equal URLs and token F1 >= 0.8, mean over queries")
        ),
        "n_claims_cv": document_of(
            mean(spreads, "coefficient of variation of the number of claims, mean over queries")
        ),
    }


def _words(claim: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(tokens(claim["text"])), frozenset(claim["urls"])


def _graded(verdict: Mapping[str, Any] | None) -> str | None:
    """What a judge said; sources that could not be read and failed calls are nobody's label."""
    status = None if verdict is None else verdict["status"]
    return status if status in SUPPORT_SCORE else None


def _value(verdict: Any) -> Any:
    return None if verdict is None else verdict.value


def _mean_sd(units: Sequence[Sequence[float | None]]) -> float | None:
    """Of the mean grade of each repetition: what of a system's mean is the judge's own noise."""
    complete = [[float(x) for x in unit if x is not None] for unit in units if None not in unit]
    return float(np.std(np.mean(complete, axis=0), ddof=1)) if complete else None
