"""The judges as scorers of Inspect, one for each group of `drr judge --what`. An unknown value is never 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from drr.env.errors import DrrError, Misuse
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric as OurMetric
from drr.eval.stats.intervals import Statistic, mean
from drr.eval.stats.question import AskedQuestion
from drr.extras.inspect.bench import BenchPlan, bench_of
from drr.extras.inspect.keeping import SampleAnswer, SampleFigures, keeping_of
from drr.extras.inspect.samples import record_of
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

_INSTALLED = {"site-packages", "dist-packages"}


def registry_name(name: str) -> str:
    """Return a name as Inspect's registry expects it. Inspect adds the package's name only for installed packages."""
    return name if _INSTALLED.intersection(Path(__file__).parts) else f"drr/{name}"


@contextmanager
def in_one_line() -> Iterator[None]:
    try:
        yield
    except DrrError as error:
        from rich.markup import escape

        raise PrerequisiteError(escape(f"drr: {error}")) from error


TABLES: dict[str, tuple[str, ...]] = {
    "faithfulness": ("faithfulness", "faithfulness-bounds"),
    "citations": ("citations",),
    "quality": ("quality",),
    "rules": ("rules",),
    "recall": ("key-points",),
}
"""Tables of metrics for each group. Comparisons of reports have no score of a single report."""
EFFORT = "effort"
USUAL = "faithfulness,citations,quality,rules"
_POOLED = frozenset({"fp_micro"})
"""Metrics that are not computed from values of single reports."""
TRIAL, TASK = "trial", "task"


def names_of(group: str) -> list[str]:
    tables = TABLES.get(group, (group,))
    return [one.name for one in metrics().values() if one.table in tables and one.name not in _POOLED]


def check_groups(groups: Sequence[str]) -> None:
    strange = [group for group in groups if group not in TABLES]
    if strange or not groups:
        raise Misuse(
            f"-T what={','.join(groups)}: {', '.join(strange) or 'nothing'} has no score of a single report; use {', '.join(TABLES)}."
            " Answers that are kept (-T study=DIR) can be judged for the rest: drr judge DIR"
        )


def _figure(name: str, scores: Sequence[SampleScore]) -> Statistic:
    """Return the value that `drr judge` reports: the mean over questions of the trials' mean, with its interval."""
    ours: OurMetric | None = metrics([name]).get(name)
    ordered = sorted(scores, key=lambda one: (str(one.sample_id), (one.score.metadata or {}).get(TRIAL, 0)))
    by_query: dict[AskedQuestion, list[float | None]] = {}
    for one in ordered:
        name = str(one.sample_id)
        asked = AskedQuestion(name, str((one.score.metadata or {}).get(TASK, name)))
        by_query.setdefault(asked, []).append(one.score.as_float())
    return mean(by_query).within(None if ours is None else ours.ends)


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


@metric(name=registry_name("mean"), scores="unreduced")
def question_mean(figure: str) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        return _or_nan(_figure(figure, scores).value)

    return compute


@metric(name=registry_name("ci_low"), scores="unreduced")
def interval_low(figure: str) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        return _or_nan(_figure(figure, scores).ci_low)

    return compute


@metric(name=registry_name("ci_high"), scores="unreduced")
def interval_high(figure: str) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        return _or_nan(_figure(figure, scores).ci_high)

    return compute


def scorers_of(plan: BenchPlan) -> list[Scorer]:
    return [_SCORERS[group](**asdict(plan)) for group in (*plan.groups, EFFORT)]


def _scorer_of(group: str) -> Callable[..., Scorer]:
    figures = {
        name: [question_mean(name), interval_low(name), interval_high(name)] for name in names_of(group)
    }

    @scorer(metrics=figures, name=registry_name(group))
    def judged(
        what: str = group if group in TABLES else "rules",
        shop: str | None = None,
        queries: str | None = None,
        judge: str | None = None,
        study: str | None = None,
        budget: float | None = None,
    ) -> Scorer:
        plan = BenchPlan(shop, queries, what, judge, study, budget)

        async def score(state: TaskState, target: Target) -> Score:
            record = await record_of(state)
            if record is None:
                return Score.unscored(
                    reason="no_response",
                    explanation="The agent left no answer: no report, no content, no research, or the text of a call.",
                )
            answer = SampleAnswer(state.uuid, str(state.sample_id), state.epoch, record)
            found = await keeping_of(bench_of(plan)).figures(answer)
            return _score(group, names_of(group), found)

        return score

    made: Callable[..., Scorer] = judged
    return made


def _score(group: str, names: Sequence[str], found: SampleFigures) -> Score:
    values = {name: found.values.get(name) for name in names}
    unknown = [name for name, value in values.items() if value is None]
    explanation = _explanation(group, found, unknown)
    about = {TRIAL: found.trial, TASK: found.task, "judge": found.judge, "unscored": unknown}
    if len(unknown) == len(values):
        return Score.unscored(reason="grader_failed", explanation=explanation, metadata=about)
    return Score(
        value={name: _or_nan(value) for name, value in values.items()},
        explanation=explanation,
        metadata=about,
    )


def _explanation(group: str, found: SampleFigures, unknown: Sequence[str]) -> str:
    broken: Mapping[str, Sequence[str]] = found.broken if group == "rules" else {}
    lines = [
        found.banner or "",
        *(f"{rule}: {' | '.join(words)}" for rule, words in broken.items()),
        f"Unknown, and in no mean: {', '.join(unknown)}." if unknown else "",
        f"The judging stopped before its end: {found.stopped}." if found.stopped else "",
    ]
    return "\n".join(line for line in lines if line)


_SCORERS = {group: _scorer_of(group) for group in (*TABLES, EFFORT)}
