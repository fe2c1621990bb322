"""The units of a judging. Those of each task, about each query, answer and pair, in an order that compares like with like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from drr.env.errors import Misuse
from drr.env.given import agent_of
from drr.eval.evidence.answers import Answer
from drr.eval.judging.read import judging_of, read_judged
from drr.eval.labels import content_id
from drr.eval.tasks.desk import About, Desk, Pair, Task, Wish
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.registry import stages, tasks
from drr.llm.budget import Limit
from drr.llm.factory import Models
from drr.study.study import Study
from drr.study.unit import Unit

if TYPE_CHECKING:
    from drr.llm.budget import TokenPrice

REPEATED = 20
"""Units of each task that a repetition judges again."""


@dataclass
class JudgeOptions:
    what: Sequence[str]
    """Groups of tasks."""
    variants: Sequence[str] | None = None
    """For pairs; default: those with page summaries, if there are two, else all."""
    budget: Limit | None = None
    unit_cap: Limit | None = None
    units: int = 8
    retry_failed: bool = False
    limit: int | None = None
    stages: list[list[Task[Any]]] = field(init=False)

    def __post_init__(self) -> None:
        self.stages = stages(tasks(self.what))

    @property
    def need_answers(self) -> bool:
        """Tell whether answers are needed: what is about questions can be judged before anything was answered."""
        return all(task.subject != "query" for stage in self.stages for task in stage)


class Row(TypedDict):
    calls: int
    input_tokens: int
    output_tokens: int


class ForecastPart(TypedDict):
    """Of a forecast."""

    calls: int
    cost_usd: float | None


class Forecast(Row):
    schema: int
    judge: str
    answers: int
    tasks: dict[str, Row]
    of_questions: ForecastPart
    """What is asked of questions, however many answers there are."""
    cost_usd: float | None
    price_date: str | None


def default_variants(answers: Iterable[Answer]) -> list[str]:
    everyone = sorted({answer.variant for answer in answers})
    with_summaries = [name for name in everyone if agent_of(name).endswith("+ws")]
    return with_summaries if len(with_summaries) > 1 else everyone


def check_rules(desk: Desk, options: JudgeOptions) -> None:
    """`Misuse` where rules would judge and have none for a task: before anything of this judging is begun."""
    lost = [task for stage in options.stages for task in stage if not _can_be_judged(desk, task)]
    if not lost or desk.stand_in is None:
        return
    rest = [
        word for word in options.what if all(_can_be_judged(desk, task) for task in tasks([word]).values())
    ]
    instead = f", or leave it out with --what {','.join(rest)}" if rest else ""
    raise Misuse(
        f"{', '.join(task.name for task in lost)}: {desk.stand_in.name} judges without a model and has no rule for that;"
        f" name a model with --judge{instead}"
    )


def _can_be_judged(desk: Desk, task: Task[Any]) -> bool:
    """Code decides it, a model is asked, or the rules that stand in know it."""
    if desk.stand_in is None or not (task.asks and task.by_rules and desk.judge_of(task.role).rule_written):
        return True
    return task.name in desk.stand_in.tasks


def stage_units(study: Study, desk: Desk, options: JudgeOptions, stage: Sequence[Task[Any]]) -> list[Unit]:
    """The units of one stage; what it needs has been judged, as far as it could be."""
    judging, answers = judging_of(desk), list(desk.answers.values())
    rests = any(task.needs for task in stage)
    judged = read_judged(study, judging, answers=answers) if rests else Judged(judging, answers)
    return _sampled(desk, list(_units(desk, options, stage, judged)))


def _units(desk: Desk, options: JudgeOptions, stage: Sequence[Task[Any]], judged: Judged) -> Iterator[Unit]:
    """Each once: what is of a task alone is planned by every question that asks it."""
    seen: set[str] = set()
    for task, matter in _planned(desk, options, stage):
        for unit in task.plan(desk, matter, judged):
            if unit.key not in seen:
                seen.add(unit.key)
                yield unit


def _planned(
    desk: Desk, options: JudgeOptions, stage: Sequence[Task[Any]]
) -> Iterator[tuple[Task[Any], Wish | Answer | Pair]]:
    """Plan all that is about one query, answer or pair before the next, so that a judging that stops early covers all variants."""
    for kinds, matters in _MATTERS:
        here = [task for task in stage if task.subject in kinds]
        for matter in matters(desk, options) if here else ():
            for task in here:
                yield task, matter


def _pairs(desk: Desk, options: JudgeOptions) -> Iterable[Pair]:
    return desk.pairs(options.variants or default_variants(desk.answers.values()))


_MATTERS: tuple[
    tuple[tuple[About, ...], Callable[[Desk, JudgeOptions], Iterable[Wish | Answer | Pair]]], ...
] = (
    (("query",), lambda desk, options: desk.wishes()),
    (("answer", "claim-source", "passage-pair"), lambda desk, options: list(desk.answers.values())),
    (("pair",), _pairs),
)


def _sampled(desk: Desk, units: list[Unit]) -> list[Unit]:
    """A repetition measures the judge on a seeded sample of each task, not the systems once more."""
    if not desk.repeat:
        return units
    by_task: dict[str, list[Unit]] = {}
    for unit in units:
        by_task.setdefault(str(unit.key_fields["task"]), []).append(unit)
    drawn = [sorted(group, key=lambda unit: content_id(unit.label))[:REPEATED] for group in by_task.values()]
    return [unit for group in drawn for unit in group]


def forecast(study: Study, desk: Desk, models: Models, options: JudgeOptions) -> Forecast:
    """Calls and tokens of what is missing; what a task will find is guessed by rule where others need it."""
    done = {record.key for record in study.records("judgement")}
    judged = read_judged(study, judging_of(desk), answers=list(desk.answers.values()))
    rows: dict[str, Row] = {}
    for stage in options.stages:
        for unit in _units(desk, options, stage, judged):
            if unit.key not in done:
                _count(rows, desk, tasks()[unit.spec["task"]], unit)
        for task, matter in _planned(desk, options, stage):
            task.guess(desk, matter, judged)
    price = models.prices.of(models.name_of("judge"))
    alone = {name: row for name, row in rows.items() if tasks()[name].subject == "query"}
    return {
        "schema": 1,
        "judge": desk.judge.model,
        "answers": len(desk.answers),
        "tasks": rows,
        "of_questions": {"calls": _sum(alone)["calls"], "cost_usd": _cost(price, alone)},
        **_sum(rows),
        "cost_usd": _cost(price, rows),
        "price_date": models.prices.date_of(models.name_of("judge")),
    }


def combined(forecasts: Sequence[Forecast]) -> Forecast:
    """Combine the forecasts of several judgings of one study."""
    rows: dict[str, Row] = {}
    for one in forecasts:
        for name, row in one["tasks"].items():
            known = rows.get(name, {"calls": 0, "input_tokens": 0, "output_tokens": 0})
            rows[name] = {
                "calls": known["calls"] + row["calls"],
                "input_tokens": known["input_tokens"] + row["input_tokens"],
                "output_tokens": known["output_tokens"] + row["output_tokens"],
            }
    costs = [one["cost_usd"] for one in forecasts]
    known_costs = [cost for cost in costs if cost is not None]
    return {
        **forecasts[0],
        "tasks": rows,
        "of_questions": forecasts[0]["of_questions"],
        **_sum(rows),
        "cost_usd": sum(known_costs) if len(known_costs) == len(costs) else None,
    }


def _sum(rows: Mapping[str, Row]) -> Row:
    return {
        "calls": sum(row["calls"] for row in rows.values()),
        "input_tokens": sum(row["input_tokens"] for row in rows.values()),
        "output_tokens": sum(row["output_tokens"] for row in rows.values()),
    }


def _count(rows: dict[str, Row], desk: Desk, task: Task[Any], unit: Unit) -> None:
    estimate = task.estimate(desk, unit)
    if estimate is not None:
        row = rows.setdefault(task.name, {"calls": 0, "input_tokens": 0, "output_tokens": 0})
        row["calls"] += estimate.calls
        row["input_tokens"] += estimate.characters // 4
        row["output_tokens"] += estimate.output_tokens


def _cost(price: TokenPrice | None, rows: Mapping[str, Row]) -> float | None:
    return None if price is None else sum(_dollars(price, row) for row in rows.values())


def _dollars(price: TokenPrice, row: Row) -> float:
    """Price calls of the mean size: long prompts have a price of their own."""
    from drr.llm.meter import Tokens, dollars

    calls = max(1, row["calls"])
    one = price.cost(Tokens(input=row["input_tokens"] // calls, output=row["output_tokens"] // calls))
    return row["calls"] * float(dollars(one) or 0.0)
