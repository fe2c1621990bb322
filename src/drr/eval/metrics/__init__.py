"""Metrics in families. An additional family is one file here and one line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from drr.env.plugins import AnyPaper, Placed, in_table_places, papers
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Family, Metric, Values, over_queries
from drr.eval.stats.intervals import Statistic, VRow, mean
from drr.eval.stats.question import AskedQuestion, grouped
from drr.eval.tasks.judgements import Judged

FAMILIES: tuple[str, ...] = (
    "faithfulness",
    "citations",
    "fact",
    "quality",
    "key_points",
    "relative",
    "effort",
    "rules",
    "mistakes",
    "rewards",
    "reliability",
    "logged",
)

_SHORT, _NAMED = "faithfulness", "fp"
"""The headline metric, as people call it and as documents name it."""
_BEFORE = {"pass_1": "solved"}
"""Names of earlier versions."""


def families(judged: Judged | None = None) -> list[Family]:
    """Return the families of metrics, including the papers' families, in the order of their tables. With `judged`, families without judgements are left out."""
    return _modules(
        lambda one: judged is None or not one.tasks or any(judged.units[name] for name in one.tasks)
    )


def _modules(wanted: Callable[[Placed], bool]) -> list[Family]:
    """Load this project's families, and the wanted papers' families."""
    further: dict[str, tuple[AnyPaper, Placed]] = {
        f"{paper.name}.{one.name}": (paper, one)
        for paper in papers()
        for one in paper.figures.metrics
        if wanted(one)
    }
    places = in_table_places(FAMILIES, ((name, one) for name, (_, one) in further.items()))
    return [_module(name) if name in FAMILIES else _of_paper(*further[name]) for name in places]


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


def _of_paper(paper: AnyPaper, one: Placed) -> Any:
    return paper.figures.family(one.name)


def metrics(named: Collection[str] | None = None) -> dict[str, Metric]:
    """Return the metrics by name, in the order of their tables. With `named`, only those, loading no more families than needed."""
    found = _declared_metrics(_families_of(named))
    return found if named is None else {name: one for name, one in found.items() if name in named}


def _families_of(named: Collection[str] | None) -> list[Family]:
    always = _modules(lambda one: not one.tasks)
    return always if named is not None and _declared_metrics(always).keys() >= {*named} else families()


def metric(name: str) -> Metric:
    """Return the metric of this name."""
    return metrics([name])[name]


def metric_name(word: str) -> str:
    """Return a metric's name in documents from what a person wrote. `cited share` is `fr`, `faithfulness_web` is `fp_web`, `pass^4` is `pass_4`."""
    if (labelled := {one.label: name for name, one in metrics().items()}.get(word)) is not None:
        return labelled
    word = word.replace("^", "_")
    return _NAMED + word.removeprefix(_SHORT) if word.partition("_")[0] == _SHORT else _BEFORE.get(word, word)


def shown_name(name: str) -> str:
    """Return the label that people are shown; `metric_name` understands it."""
    found = metrics([name]).get(name)
    return name if found is None else found.label


def metric_explanation(name: str) -> str:
    """Return the metric's explanation in a sentence; empty where the name is no metric's."""
    found = metrics([name]).get(name)
    return "" if found is None else found.explanation


def metrics_without_verdicts(names: Collection[str]) -> set[str]:
    """Return the metrics that sum up a paper's verdicts, where nothing of that paper was judged."""
    found = metrics(names).values()
    judged = {metric.name.partition("_")[0] for metric in found if not metric.only_with}
    return {metric.name for metric in found if metric.only_with and metric.only_with not in judged}


def figures(
    judged: Judged, answers: Sequence[Answer], among: Iterable[Family] | None = None
) -> dict[str, Statistic]:
    """Return the figures of one variant. A family without `corpus` has the mean over queries of each metric that a report has."""
    found: dict[str, Statistic] = {}
    for family in families(judged) if among is None else among:
        if hasattr(family, "corpus"):
            found |= family.corpus(judged, answers)
            continue
        values = partial(family_values, judged, family)
        named = {name for answer in answers for name in values(answer)}
        methods = {name: one.method for name, one in _declared_metrics([family]).items() if name in named}
        found |= over_queries(answers, values, methods)
    return found


def document_rows(figures: Mapping[str, Statistic]) -> dict[str, VRow]:
    """Convert figures to document rows, by metric, each with an interval within the metric's range."""
    known = metrics(figures)
    return {
        name: v.within(known[name].ends if name in known else None).document() for name, v in figures.items()
    }


def _declared_metrics(among: Iterable[Family]) -> dict[str, Metric]:
    found: dict[str, Metric] = {}
    for family in among:
        made: Callable[[], Sequence[Metric]] | None = getattr(family, "metrics", None)
        for one in family.METRICS if made is None else made():
            if one.name in found:
                raise ValueError(f"two metrics are called {one.name}")
            found[one.name] = one
    return found


def tables(named: Collection[str] | None = None) -> dict[str, list[Metric]]:
    """Group the metrics that are shown in a table, by the table's key."""
    return grouped((one.table, one) for one in metrics(named).values() if one.table is not None)


def titles(named: Collection[str] | None = None) -> dict[str, str]:
    """Map table keys to the headings that families give their tables."""
    return {
        key: title for family in _families_of(named) for key, title in getattr(family, "TITLES", {}).items()
    }


def families_with(judged: Judged, names: Collection[str]) -> list[Family]:
    """List the families that a judging run has figures of and that declare any of these metrics."""
    return [family for family in families(judged) if _declared_metrics([family]).keys() & {*names}]


def unanswered(
    judged: Judged, variant: str, among: Iterable[Family] | None = None
) -> list[tuple[AskedQuestion, Values]]:
    """List the figures of a variant's trials that left no answer, from the families that compute them."""
    known = families(judged) if among is None else among
    found = [family.unanswered(judged, variant) for family in known if hasattr(family, "unanswered")]
    return [row for one in found for row in one]


def all_failed(judged: Judged) -> list[str]:
    """List the systems that left no answer at all. Their questions count 0 in what code pays."""
    from drr.eval.metrics.reliability import trials_of

    answered = {answer.variant for answer in judged.answers}
    known = trials_of(judged) if answered else {}
    return sorted(
        variant
        for variant in known.keys() - answered
        if any(0.0 in row.values() for one in known[variant].values() for row in one.unpaid)
    )


def failed_figures(judged: Judged, variant: str) -> dict[str, Statistic]:
    """Return the figures of a system that left no answer."""
    rows = unanswered(judged, variant)
    names = dict.fromkeys(name for _, row in rows for name in row)
    return {
        name: mean(grouped((asked, row[name]) for asked, row in rows if name in row), one.method, one.ends)
        for name, one in metrics(names).items()
    }


def values_of(judged: Judged, answer: Answer) -> dict[str, float | None]:
    """Return every metric of one report, from all families."""
    return {
        name: value
        for family in families(judged)
        for name, value in family_values(judged, family, answer).items()
    }


def family_values(judged: Judged, family: Family, answer: Answer) -> Values:
    # Tables, tests and pages all ask for the same values, so each is computed once.
    found = judged.values.get((family, answer.key))
    if found is None:
        found = judged.values[family, answer.key] = family.per_report(judged, answer)
    return found
