"""Builds the figures of a judged study, corrected by people's labels on a part of it (`eval/stats/corrected.py`).

A label is matched with a judged thing by the thing's id. A support label is also matched by its claim's words, because another
extraction may have given the id to another claim, and a criterion label by the criterion's hash. A figure without labels has no row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from drr.eval.agreement.statistics import SUPPORT_SCORE
from drr.eval.evidence.answers import Answer
from drr.eval.labels import (
    DIMENSIONS,
    CriterionLabel,
    Label,
    PairwiseLabel,
    RatingLabel,
    Sample,
    SupportLabel,
    content_id,
    pair_id,
    rating_id,
    task_of,
)
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.rows import CorrectedDocument
from drr.eval.stats.corrected import ScoredThing, corrected
from drr.eval.stats.faithfulness import PAPER_TYPES, UNREADABLE, strict_score
from drr.eval.stats.question import Comparison, by_pair, grouped
from drr.eval.tasks.judgements import Judged


@dataclass
class PeoplesLabels:
    """People's labels, by the name of the labelled thing; remembers which were used."""

    by_name: dict[tuple[str, ...], list[tuple[Label, float]]] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def add(self, name: tuple[str, ...], label: Label, score: float) -> None:
        self.by_name.setdefault(name, []).append((label, score))

    def use_labels(self, name: tuple[str, ...]) -> tuple[list[Label], float | None]:
        """Return the labels on a thing and their mean score."""
        found = self.by_name.get(name, ())
        self.used.update(id(label) for label, _ in found)
        return [label for label, _ in found], sum(s for _, s in found) / len(found) if found else None


@dataclass(frozen=True)
class LabelledFigure:
    metric: str
    variant: str
    units: list[ScoredThing]
    labels: list[Label]
    range: tuple[float, float]
    in_part: int = 0
    """Number of reports that people labelled under some of their criteria, but not all."""
    drawn_whole: bool = False
    """True if labels are drawn by report, each under all its criteria."""


UNDER_CRITERION = "under a criterion"
"""Part of a label's name, because a criterion may have the name of a dimension of quality."""


def correctable_figures(judged: Judged, labels: Sequence[Label]) -> list[LabelledFigure]:
    """Return every figure that labels can correct, whether labelled or not."""
    return _figures(judged, _labels_by_place(judged, labels))


def _figures(judged: Judged, labels: PeoplesLabels) -> list[LabelledFigure]:
    further = (one for paper in judged.papers() for one in paper.judging.corrected(judged, labels))
    return [*_precision(judged, labels), *_grades(judged, labels), *further, *_wins(judged, labels)]


def corrected_document(judged: Judged, labels: Sequence[Label]) -> CorrectedDocument:
    labelled_figures = _labels_by_place(judged, labels)
    figures = [figure for figure in _figures(judged, labelled_figures) if figure.labels]
    waiting = _waiting(labels)
    return {
        "figures": [
            {
                **corrected(figure.units).within(figure.range).document(),
                "metric": figure.metric,
                "variant": figure.variant,
                "biased": _why_biased(figure, waiting),
            }
            for figure in figures
        ],
        "labels": len(labels),
        "unmatched": sum(id(label) not in labelled_figures.used for label in labels),
    }


def _labels_by_place(judged: Judged, labels: Sequence[Label]) -> PeoplesLabels:
    texts = {(a.query_id, a.variant, a.trial): content_id(a.report) for a in judged.answers}
    known = {
        pair_id(c.query, c.a, c.b, c.trial): (c, texts[c.query, c.a, c.trial], texts[c.query, c.b, c.trial])
        for c in judged.comparisons()
    }
    found = PeoplesLabels()
    for label in labels:
        if isinstance(label, SupportLabel):
            found.add((label.id, content_id(label.claim)), label, SUPPORT_SCORE[label.label])
        elif isinstance(label, CriterionLabel):
            found.add((label.id, UNDER_CRITERION, label.criterion), label, label.label)
        elif isinstance(label, RatingLabel):
            found.add((label.id, label.dimension or "overall"), label, label.label)
        elif label.id in known and (first := _is_first(label, *known[label.id])) is not None:
            score = {"A": 1.0, "tie": 0.5, "B": 0.0}[label.three_class]
            found.add((label.id, label.dimension or "overall"), label, score if first else 1 - score)
    return found


def _is_first(label: PairwiseLabel, pair: Comparison, a: str, b: str) -> bool | None:
    """Tell whether the label's answer A is of the pair's first system, by the systems' names, else by the texts."""
    if label.system_a and label.system_b:
        named = (label.system_a, label.system_b)
        return True if named == (pair.a, pair.b) else False if named == (pair.b, pair.a) else None
    shown = (content_id(label.answer_a), content_id(label.answer_b))
    return None if a == b else True if shown == (a, b) else False if shown == (b, a) else None


LabelledReport = tuple[str, list[ScoredThing], list[Label]]
"""One report or comparison: its question, its scored units with weights that sum to 1, and their labels."""


def labelled_figure(
    metric: str, variant: str, found: Iterable[LabelledReport], span: tuple[float, float]
) -> LabelledFigure:
    """Build a figure from reports. Trials of a question are averaged first, then questions."""
    rows = [row for row in found if row[1]]
    trials = Counter(question for question, _, _ in rows)
    units = [
        replace(unit, weight=unit.weight / trials[question], report=str(number))
        for number, (question, own, _) in enumerate(rows)
        for unit in own
    ]
    return LabelledFigure(metric, variant, units, [label for _, _, labels in rows for label in labels], span)


def _precision(judged: Judged, labels: PeoplesLabels) -> Iterable[LabelledFigure]:
    for variant, answers in variants_of(judged).items():
        reports = (_report(judged, answer, labels) for answer in answers)
        yield labelled_figure("fp_split", variant, reports, (0.0, 1.0))


def _report(judged: Judged, answer: Answer, given_labels: PeoplesLabels) -> LabelledReport:
    found = judged.judged_claims(answer)
    by_type = grouped(
        (source_type, (claim, score))
        for source_type in PAPER_TYPES
        for claim in (found and found.claims) or ()
        if (score := strict_score(claim.page.get(source_type))) is not None
    )
    units: list[ScoredThing] = []
    labels: list[Label] = []
    for source_type, rows in by_type.items():
        for claim, score in rows:
            name = f"{answer.label}/{claim.id}-{source_type}"
            own, person = given_labels.use_labels((name, content_id(claim.text)))
            weight = 1 / (len(by_type) * len(rows))
            settled = claim.page[source_type] in UNREADABLE  # decided by code
            units.append(ScoredThing(answer.asked.task, weight, score, None if settled else person, settled))
            labels += own
    return answer.query_id, units, labels


def _grades(judged: Judged, labels: PeoplesLabels) -> Iterable[LabelledFigure]:
    for variant, answers in variants_of(judged).items():
        for dimension in DIMENSIONS:
            rows = [_graded_report(judged, answer, dimension, labels) for answer in answers]
            yield labelled_figure(dimension, variant, rows, (0.0, 10.0))


def _graded_report(
    judged: Judged, answer: Answer, dimension: str, given_labels: PeoplesLabels
) -> LabelledReport:
    verdict = judged.ratings.get(answer.key, {}).get(dimension)
    if verdict is None or verdict.value is None:
        return answer.query_id, [], []
    labels, person = given_labels.use_labels(
        (rating_id(answer.query_id, answer.variant, answer.trial), dimension)
    )
    return answer.query_id, [ScoredThing(answer.asked.task, 1.0, float(verdict.value), person)], labels


def _wins(judged: Judged, labels: PeoplesLabels) -> Iterable[LabelledFigure]:
    for (dimension, a, b), group in by_pair(judged.comparisons()).items():
        rows = [_compared_pair(one, labels) for one in group]
        yield labelled_figure(f"win_rate {dimension}", f"{a} : {b}", rows, (0.0, 1.0))


def _compared_pair(one: Comparison, given_labels: PeoplesLabels) -> LabelledReport:
    if one.score is None:
        return one.query, [], []
    labels, person = given_labels.use_labels((pair_id(one.query, one.a, one.b, one.trial), one.dimension))
    return one.query, [ScoredThing(one.asked.task, 1.0, one.score, person)], labels


def _waiting(labels: Sequence[Label]) -> dict[tuple[str, str, Sample], int]:
    """Count the drawn things without a label, by task, dimension and draw. Completely labelled draws are absent."""
    named: dict[tuple[str, str, Sample], set[str]] = {}
    for label in labels:
        if label.sample is not None:
            key = (task_of(label), getattr(label, "dimension", None) or "", label.sample)
            named.setdefault(key, set()).add(label.id)
    return {key: key[2].drawn - len(ids) for key, ids in named.items() if len(ids) < key[2].drawn}


def _why_biased(figure: LabelledFigure, waiting: Mapping[tuple[str, str, Sample], int]) -> str | None:
    """Return the reason why the labels may be biased, where they were not chosen by lot alone; else `None`."""
    labels = figure.labels
    chosen = sum(label.sample is None for label in labels)
    left_out = "which ones were left out may have moved the figure"
    if chosen:
        return (
            f"biased sample: {chosen:,} of {len(labels):,} labels did not come from the draw of `drr judges annotate --sample`,"
            " and whoever chose them may have moved the figure"
        )
    if figure.in_part:
        return f"biased sample: {figure.in_part:,} reports were labelled under some of their criteria only; {left_out}"
    for label in labels:
        key = (task_of(label), getattr(label, "dimension", None) or "")
        if label.sample is not None and (left := waiting.get((*key, label.sample))):
            return f"biased sample: {left:,} of the {label.sample.drawn:,} drawn have no label; {left_out}"
    return None
