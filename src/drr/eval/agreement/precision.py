"""Computes the price of a metric's half-width in a judged study: labels, questions, trials and dollars."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from drr.env.errors import Misuse
from drr.eval.agreement.corrected import LabelledFigure, correctable_figures
from drr.eval.agreement.rows import JudgeCost
from drr.eval.evidence.answers import Answer
from drr.eval.labels import Label
from drr.eval.metrics.coverage import variants_of
from drr.eval.stats.corrected import (
    LEAST_LABELS,
    LEAST_QUESTIONS,
    WayRow,
    label_variances,
    ways_to_half_width,
)
from drr.eval.stats.question import known_sum
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study


class CostedWay(WayRow):
    answers: int
    """Number of further answers."""
    more_labels: int
    """Number of further labels."""
    cost_usd: float | None
    """Cost of further answers, their judging and further labels; `None` where a price is unknown."""


class FigurePlan(TypedDict):
    metric: str
    variant: str
    questions: int
    labels: int
    sd_questions: float | None
    sd_trials: float | None
    sd_judge: float | None
    """Standard deviation of one label's (person - judge), including what labels of one question share."""
    ways: list[CostedWay]
    reason: NotRequired[str]
    """Reason why there are no ways."""


class PrecisionPlan(TypedDict):
    """The document of `drr judges plan --json`."""

    schema: int
    half_width: float
    answer_usd: float | None
    """Mean cost of one answer of the study."""
    judging_usd: float | None
    """Cost of judging one answer."""
    label_usd: float | None
    figures: list[FigurePlan]


def precision_plan(
    study: Study,
    judged: Judged,
    labels: Sequence[Label],
    metric: str,
    half_width: float,
    label_usd: float | None = None,
) -> PrecisionPlan:
    every = correctable_figures(judged, labels)
    figures = [figure for figure in every if figure.metric == metric and figure.units]
    if not figures:
        known = ", ".join(dict.fromkeys(figure.metric for figure in every if figure.units)) or "nothing yet"
        raise Misuse(f"--metric {metric!r} was not judged in {study.folder}; judged: {known}")
    answers, judging = _answer_usd(judged.answers), _judging_usd(study, judged)
    each = (None if answers is None or judging is None else answers + judging, label_usd)
    present = {variant: len(found) for variant, found in variants_of(judged).items()}
    return {
        "schema": 1,
        "half_width": half_width,
        "answer_usd": answers,
        "judging_usd": judging,
        "label_usd": label_usd,
        "figures": [_plan_figure(figure, half_width, present, each) for figure in figures],
    }


def _plan_figure(
    figure: LabelledFigure,
    half_width: float,
    present: Mapping[str, int],
    usd_each: tuple[float | None, float | None],
) -> FigurePlan:
    """Plan one figure. `usd_each` is the cost of an answer with its judging, and of a label."""
    found = label_variances(figure.units, drawn_whole=figure.drawn_whole)
    labels = sum(unit.person is not None and not unit.settled for unit in figure.units)
    names = [name for name in figure.variant.split(" : ") if name in present] or [figure.variant]
    ways: list[CostedWay] = []
    for row in [] if found is None else ways_to_half_width(found, half_width):
        answers = sum(max(0, row["questions"] * row["trials"] - present.get(name, 0)) for name in names)
        more = max(0, row["labels"] - labels)
        costs = [
            0.0 if not count else None if usd is None else count * usd
            for count, usd in zip((answers, more), usd_each, strict=True)
        ]
        ways.append({**row, "answers": answers, "more_labels": more, "cost_usd": known_sum(costs)})
    variances = (found.between, found.within, found.gap) if found else (None, None, None)
    between, within, gap = (None if one is None else float(one**0.5) for one in variances)
    plan: FigurePlan = {
        "metric": figure.metric,
        "variant": figure.variant,
        "questions": len({unit.question for unit in figure.units}),
        "labels": labels,
        "sd_questions": between,
        "sd_trials": within,
        "sd_judge": gap,
        "ways": ways,
    }
    if found is None:
        plan["reason"] = "one question says nothing of how questions differ"
    elif gap is None:
        known = f"how the judge errs is known from {LEAST_LABELS} labels of {LEAST_QUESTIONS} questions"
        plan["reason"] = f"{labels} labels; {known}"
    return plan


def _answer_usd(answers: Sequence[Answer]) -> float | None:
    """Return the mean cost of one answer; unknown for imported reports, and where a price is unknown."""
    whole = known_sum([answer.record.making_usd for answer in answers])
    return None if whole is None or not answers else whole / len(answers)


def _judging_usd(study: Study, judged: Judged) -> float | None:
    """Return the mean cost of this judge's judgements per answer; `None` where a cost is unknown."""
    name = judged.judging.judge if judged.judging else None
    costs = [r.cost_usd for r in study.records("judgement", None) if r.key_fields.get("judge") == name]
    whole = known_sum(costs) if costs else None
    return None if whole is None or not judged.answers else whole / len(judged.answers)


def judge_costs(study: Study, query_of: Mapping[str, str]) -> dict[str, JudgeCost]:
    """Sum the cost of every paid judgement by judge, also of those that no longer count. `query_of` maps each answer to its question."""
    spent: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    tokens: dict[str, int] = defaultdict(int)
    queries: dict[str, set[str]] = defaultdict(set)
    for record in study.ledger.records.bills("judgement"):
        fields = record.key_fields
        judge = str(fields.get("judge", ""))
        queries[judge].update(
            query_of[key] for key in fields.values() if isinstance(key, str) and key in query_of
        )
        if record.usage:
            spent[judge][str(fields["task"])].append(record.cost_usd)
            tokens[judge] += sum(
                (one["input_tokens"] or 0) + (one["output_tokens"] or 0) for one in record.usage.values()
            )
    found: dict[str, JudgeCost] = {}
    for judge, asked in sorted(queries.items()):
        by_task = {task: known_sum(costs) for task, costs in sorted(spent[judge].items())}
        usd = known_sum(list(by_task.values()))
        found[judge] = {
            "usd": usd,
            "usd_per_query": usd / len(asked) if usd is not None and asked else None,
            "queries": len(asked),
            "tokens": tokens[judge],
            "by_task": by_task,
        }
    return found
