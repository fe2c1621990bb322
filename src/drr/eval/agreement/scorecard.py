"""Builds a judge's scorecard: agreement with labels and with itself, beside the judge without a model, and cost.

It also puts the figures of two judges on one scale, by the labels of things that both judged:

    old = a + b * label, new = c + d * label: .80 by the old judge is (.80 - a) / b by people, and c + d * that by the new one

That holds as far as a judge's errors depend on the label, not on who wrote the answer. The interval is what the link costs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypedDict

import numpy as np
from drr.env.errors import Misuse
from drr.eval.agreement.calibrate import THRESHOLDS
from drr.eval.agreement.people import Case, labelled_cases, verdicts_of
from drr.eval.agreement.rows import AgreementRow, row_of
from drr.eval.agreement.statistics import PAIRWISE, SUPPORT, SUPPORT_SCORE
from drr.eval.labels import Label, Task
from drr.eval.stats import agreement as ag
from drr.eval.stats.differences import statistic_by_sign_flips
from drr.eval.stats.intervals import RELATED, SHARE, Floats, Statistic, VRow, from_sums, safe_division
from drr.study.study import Study


class EquivalentScore(NamedTuple):
    """A figure by the old judge, and what it comes to by people and by the new judge."""

    old: float
    people: Statistic
    new: Statistic


def equivalent_scores(
    labels: Sequence[float], old: Sequence[float], new: Sequence[float], clusters: Sequence[str]
) -> list[EquivalentScore]:
    """Return what nine figures of the old judge, 0.1 to 0.9, come to by people and by the new judge.

    Their values are `None` where a judge does not follow the labels.
    """
    t, x, y = (np.asarray(values, dtype=np.float64) for values in (labels, old, new))
    rows = np.stack([np.ones_like(t), t, t * t, x, t * x, y, t * y], axis=1)

    def of(way: Callable[[float, Floats], Floats], figure: float) -> Statistic:
        return from_sums(rows, clusters, partial(way, figure), "line through labels", cut=SHARE)

    tenths = [tenth / 10 for tenth in range(1, 10)]
    return [EquivalentScore(figure, of(_people, figure), of(_for_new, figure)) for figure in tenths]


def _people(figure: float, sums: Floats) -> Floats:
    base, slope = _line(sums, 3)
    return safe_division(figure - base, slope, least=1e-9)


def _for_new(figure: float, sums: Floats) -> Floats:
    base, slope = _line(sums, 5)
    return base + slope * _people(figure, sums)


def _line(sums: Floats, at: int) -> tuple[Floats, Floats]:
    """Return base and slope of the least-squares line of the scores in a column over the labels."""
    n, t, square, score, product = (sums[:, place] for place in (0, 1, 2, at, at + 1))
    slope = safe_division(n * product - t * score, n * square - t * t, least=1e-9)
    return (score - slope * t) / n, slope


_SCORES = {**SUPPORT_SCORE, "A": 1.0, ag.TIE: 0.5, "B": 0.0}


class LabelledSet(NamedTuple):
    """The labelled things that every judge of a scorecard judges."""

    name: str
    task: Task
    cases: Sequence[Case]
    people: Sequence[str]
    """The label of each thing, by all people together."""
    classes: Sequence[str]
    """The classes in order. Where no label is `partial`, what is supported in part counts as not supported."""

    @classmethod
    def of(cls, name: str, labels: Sequence[Label], most: int | None = None) -> LabelledSet:
        """Take the labels of support, else those of pairs. Of several texts for one claim (WiCE) the first counts."""
        tasks: Mapping[Task, Sequence[str]] = {"support": SUPPORT, "pairwise": PAIRWISE}
        for task, classes in tasks.items():
            every = reversed(labelled_cases(labels, task))
            found = {(one.example.id, getattr(one.example, "dimension", "")): one for one in every}
            own = sorted(found.values(), key=lambda case: case.id)[:most]  # by hash: a part is drawn by lot
            if people := [str(case.consensus()) for case in own]:
                two = task == "support" and "partial" not in people
                return cls(name, task, own, people, ("none", "full") if two else classes)
        raise Misuse(f"{name}: holds no label of support or of pairs")


class JudgedSet(NamedTuple):
    """The labels that one judge gave, first and each further time, and the cost of a thousand."""

    judge: str
    times: Sequence[Sequence[str | None]]
    usd: float | None

    @classmethod
    def by(
        cls, judge: str, labelled: LabelledSet, study: Study, keys: Collection[str] | None = None
    ) -> JudgedSet:
        """Read the judgements with these keys; without, the last ones of a judge that may be retired."""
        wanted, costs = {case.id for case in labelled.cases}, list[float | None]()
        times: dict[int, dict[tuple[str, str], Mapping[str, Any] | None]] = {}
        for record in sorted(study.records("judgement", None), key=lambda one: one.finished_at):
            fields = record.key_fields
            if record.key in keys if keys else fields["judge"] == judge and fields["case"] in wanted:
                place = str(fields["case"]), str(fields["order"])
                times.setdefault(fields.get("repeat", 0), {})[place] = record.result if record.done else None
                costs.append(record.cost_usd)
        if 0 not in times:
            ask = f"while it can be asked, --judge {judge} does"
            raise Misuse(f"{study.folder}: {judge} judged none of these labels; {ask}")
        known = [cost for cost in costs if cost is not None]
        requests = 1000 if labelled.task == "support" else 2000
        usd = requests * sum(known) / len(costs) if len(known) == len(costs) else None
        given = [verdicts_of(labelled.task, labelled.cases, found) for _, found in sorted(times.items())]
        inside = [[one and (str(one) if one in labelled.classes else "none") for one in own] for own in given]
        return cls(judge, inside, usd)  # type: ignore[arg-type]


class JudgeScore(TypedDict):
    """The column of one judge."""

    judge: str
    figures: dict[str, AgreementRow]
    """`accuracy`, `kappa` (quadratic-weighted), F1 of each class, and how often a label was `same_again`."""
    usd_per_1000: float | None
    """Cost of a thousand labels; `None` where a price is unknown."""
    behind: AgreementRow | None
    """Accuracy of the scorecard's judge minus this one's, on the things that both judged."""


class LinkRow(TypedDict):
    """A figure by the retired judge, with the same figure on two other scales."""

    old: float
    people: AgreementRow
    new: AgreementRow


class ScorecardDocument(TypedDict):
    """The document of `drr judges scorecard --json`."""

    schema: int
    labels: str
    task: str
    items: int
    judge: str
    scores: list[JudgeScore]
    """Columns: the judge, the judge without a model, the retired judge."""
    measured: str
    """The judge's accuracy in words, which pages show beside its figures."""
    weak: str | None
    """Sentence that calls the judge a weak one; `None` where it is none for sure."""
    link: list[LinkRow]


def scorecard(
    labelled: LabelledSet, judged: Sequence[JudgedSet], old: JudgedSet | None = None
) -> ScorecardDocument:
    """Build the document on the first of several judges, linked with a retired one."""
    scores = [_score(labelled, own, judged[0]) for own in judged]
    return {
        "schema": 1,
        "labels": labelled.name,
        "task": labelled.task,
        "items": len(labelled.cases),
        "judge": judged[0].judge,
        "scores": scores,
        "measured": labelled_figure("accuracy", scores[0]["figures"]["accuracy"], labelled.name),
        "weak": _why_weak(labelled, scores[0]),
        "link": [] if old is None else _link(labelled, old, judged[0]),
    }


def _score(labelled: LabelledSet, own: JudgedSet, first: JudgedSet) -> JudgeScore:
    own_labels, people, classes = own.times[0], labelled.people, labelled.classes
    asked = [case.question for case in labelled.cases]
    rows = zip(people, first.times[0], own_labels, asked, strict=True)
    both = [((x == label) - (y == label), question) for label, x, y, question in rows if x and y]
    gains, where = np.array([[gain, 1.0] for gain, _ in both]).reshape(-1, 2), [name for _, name in both]
    lost = len(people) - len(both)
    behind, _ = statistic_by_sign_flips(gains, where, "difference of accuracy", ends=RELATED, n_unscored=lost)
    twice = [(one, name) for *one, name in zip(*own.times, asked, strict=True) if None not in one and one[1:]]
    figures = {
        "accuracy": ag.exact_agreement(own_labels, people, clusters=asked),
        "kappa": ag.cohen_kappa(own_labels, people, clusters=asked, categories=classes, weights="quadratic"),
        **{f"f1_{one}": ag.f1_score(own_labels, people, one, clusters=asked) for one in classes},
        "same_again": ag.repeat_stability([one for one, _ in twice], [question for _, question in twice]),
    }
    return {
        "judge": own.judge,
        "figures": {name: row_of(v) for name, v in figures.items()},
        "usd_per_1000": own.usd,
        "behind": None if own is first else row_of(behind),
    }


def labelled_figure(name: str, row: VRow, labels: str) -> str:
    """Return a figure of a scorecard in words, such as `accuracy 0.91 [0.85, 0.95] on 200 labels of wice.jsonl`."""
    figure = "unknown" if row["value"] is None else f"{row['value']:.2f}"
    if row["ci_low"] is not None and row["ci_high"] is not None:
        figure += f" [{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
    return f"{name} {figure} on {row['n']:,} labels of {labels}"


def _why_weak(labelled: LabelledSet, score: JudgeScore) -> str | None:
    """Call a judge weak where the whole interval of a figure lies below the threshold of `drr judges calibrate`."""
    for name, threshold in (("accuracy", "exact"), ("kappa", "weighted_kappa")):
        least, row = THRESHOLDS[labelled.task].get(threshold), score["figures"][name]
        if least is not None and row["ci_high"] is not None and row["ci_high"] < least:
            figure = labelled_figure(name, row, labelled.name)
            return f"{score['judge']} is a weak judge: {figure}, at least {least:.2f} is asked."
    return None


def _link(labelled: LabelledSet, old: JudgedSet, new: JudgedSet) -> list[LinkRow]:
    """Link the figures that the old judge can come to where labels are from none to full."""
    rows = zip(labelled.people, old.times[0], new.times[0], labelled.cases, strict=True)
    known = [(_SCORES[label], _SCORES[x], _SCORES[y], one.question) for label, x, y, one in rows if x and y]
    labels, before, now, asked = zip(*known, strict=True) if known else ((), (), (), ())
    found = equivalent_scores(labels, before, now, asked)
    return [
        {"old": one.old, "people": row_of(one.people), "new": row_of(one.new)}
        for one in found
        if one.people.value is not None and 0 <= one.people.value <= 1
    ]
