"""The first screen of a report: the ranking of systems and its certainty, costs, and limits of the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from drr.app.report.cost import dollars, tokens
from drr.app.report.differences import Contrast, means_of, not_measured, ranked
from drr.app.report.headline import lead_metrics, unscored
from drr.app.report.material import PerReport, ReportData
from drr.app.report.tables import Cell, Heading, Table
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.base import Metric
from drr.eval.metrics.rules import figures_of
from drr.eval.stats.differences import SIGNIFICANT
from drr.eval.stats.intervals import VRow, mean
from drr.wording.excerpt import excerpt, many

SHADES = 9
NAMED = 3
"""Number of systems that a sentence names; further systems are only counted."""
LONGEST = 60
EMPTY: Mapping[str, str] = {}
UNKNOWN = "unknown"
AGAINST = "against the first"
UNDECIDED, LEVEL = "not told apart", "shared first"
MAY_BE_FIRST = "lead"
"""CSS class of the cell of a system that is not shown to be behind the first system."""
RULES = Heading(
    "rules failed", explanation="Checks by code that failed, of all that could be decided.", part="rules"
)
READ = Heading(
    "figures read",
    explanation="Figures of the reports that a rule could decide, of all that stand there.",
    part="rules",
)
TOKENS = Heading("tokens", explanation="Read and written for an answer, on average.", part="effort")
DOLLARS = Heading("dollars", explanation="What the models of an answer cost, on average.", part="effort")


class Headline(NamedTuple):
    """The verdict on the best system: a chip, a sentence, and the difference from the next system with its interval."""

    chip: str
    head: str
    figure: str = ""
    detail: str = ""
    is_sure: bool = False
    also: str = ""
    """Sentence on another lead metric whose test finds a difference, sure or not."""

    @property
    def text(self) -> str:
        return " ".join(filter(None, (f"{self.head}.", self.figure, self.detail, self.also)))


class Standings(NamedTuple):
    """The ranking of the systems by one metric; `metric` is `None` where nothing was judged."""

    metric: Metric | None
    systems: Sequence[str]
    """Names of the systems, best first."""
    against: Mapping[str, Cell]
    """Standing of each system against the first system, such as "behind", by system."""
    headline: Headline
    ahead: Mapping[str, Collection[str]] = {}
    """Systems that beat another one and are beaten by none, by metric."""


def standings(
    per_report: PerReport,
    found: Sequence[Contrast],
    failed: Mapping[str, Counter[str]],
    *,
    by_rules: bool = False,
) -> Standings:
    """Return the ranking of the systems by the first lead metric with values, if possible of at least two systems.

    `by_rules`: rules judged in place of a model, so that no figure of theirs leads.
    """
    found = [one for one in found if not (by_rules and one.metric.judged)]
    leads = [name for name in lead_metrics() if not (by_rules and metric_of(name).judged)]
    known = (name for name in leads if any(v is not None for v in means_of(per_report, name).values()))
    metric = found[0].metric if found else next(map(metric_of, known), None)
    if metric is None:
        unjudged = Headline("not judged", "How good these answers are is unknown, as no model judged them")
        return Standings(None, sorted(per_report(lead_metrics()[0])), {}, unjudged)
    own = {system: mean(values) for system, values in per_report(metric.name).items()}
    means = {system: v.value for system, v in own.items()}
    shares = {
        system: share_of(v.n, v.n_unscored, sum(failed.get(system, {}).values())) for system, v in own.items()
    }
    systems, pairs = ranked(metric, means), [one for one in found if one.metric == metric]
    headline = verdict(metric, means, pairs, shares=shares)
    headline = headline._replace(also=_elsewhere(metric, found))
    return Standings(metric, systems, _against(metric, means, systems, pairs), headline, _ahead(found))


def _elsewhere(metric: Metric, found: Sequence[Contrast]) -> str:
    """Return a sentence on the clearest difference in another lead metric; empty where no test finds one before its correction."""
    others = [one for one in found if one.metric != metric and (one.row["p"] or 1.0) < SIGNIFICANT]
    if not others:
        return ""
    one = min(others, key=lambda other: (not other.is_settled, other.row["p"] or 0.0))
    sides = [(one.a, one.row["a"] or 0.0), (one.b, one.row["b"] or 0.0)]
    sides.sort(key=lambda side: side[1], reverse=one.metric.better != "lower")
    better, worse = (f"{_short(name)} ({one.metric.shown(value)})" for name, value in sides)
    text = f"By {one.metric.label}, {better} {'is' if one.is_settled else 'may be'} ahead of {worse} on {one.row['n']} questions"
    if one.is_settled:
        return f"{text}."
    doubt = ", and the interval holds zero" if one.is_by_test_alone else ""
    return (
        f"{text}: p = {one.row['p']:.2g}, or {one.row['p_holm']:.2g} corrected for {len(found)} tests{doubt}."
    )


def _ahead(found: Sequence[Contrast]) -> dict[str, set[str]]:
    """Return the systems that are shown to be better than another one and worse than none, by metric."""
    won: dict[str, set[str]] = {}
    for one in found:
        if one.is_settled:
            won.setdefault(one.metric.name, set()).add(one.a if one.is_ahead else one.b)
    lost = {(one.metric.name, one.b if one.is_ahead else one.a) for one in found if one.is_settled}
    return {name: {one for one in own if (name, one) not in lost} for name, own in won.items()}


def share_of(n: int, unscored: int, failed: int = 0) -> str:
    """Return a text on how many answers a mean covers; empty where the mean covers all."""
    lost = f", as {failed:,} failed" if failed else ""
    return f" (from {n:,} of its {n + unscored + failed:,} answers{lost})" if unscored or failed else ""


def verdict(
    metric: Metric,
    means: Mapping[str, float | None],
    found: Sequence[Contrast],
    *,
    shares: Mapping[str, str] = EMPTY,
) -> Headline:
    """Return the verdict on the best system. Its certainty follows from the differences between the first system and the others.

    `shares` are texts on how many answers a mean covers.
    """
    best = ranked(metric, means)[0]
    name, value = _short(best) + shares.get(best, ""), metric.shown(means[best] or 0.0)
    label = metric.label
    rivals = [one for one in found if one.a == best]
    if not rivals:
        return Headline("one system", f"Only {name} has a value of {label}", value)
    near = [one.b for one in rivals if not one.is_ahead]
    figure, detail = _margin(rivals[0], name)
    if not near:
        head = f"{_short(best)} is best of {len(rivals) + 1} by {label}: {value}"
        return Headline("better", head, figure, detail, True)
    if len(near) < len(rivals):
        head = f"{_names([best, *near])} may each be the best by {label}"
        return Headline("no clear best", head, figure, detail)
    few = 2.0 ** (1 - max(one.row["n"] for one in rivals)) * len(found) >= SIGNIFICANT
    of = f"none of {len(rivals) + 1} systems" if rivals[1:] else f"neither {_short(best)} nor {near[0]}"
    head = f"{of[:1].upper()}{of[1:]} is shown to be better by {label}"
    return Headline("too few questions" if few else "no difference shown", head, figure, detail)


def _is_level(metric: Metric, means: Mapping[str, float | None], one: str, other: str) -> bool:
    """Return whether two systems have the same value of the metric after rounding for display."""
    a, b = means[one], means[other]
    return a is not None and b is not None and metric.shown(a) == metric.shown(b)


def _margin(one: Contrast, name: str) -> tuple[str, str]:
    """Return the difference between the first and the second system, and a text on what it rests on."""
    row, other = one.row, _short(one.b)
    if row["value"] is None:
        return "", f"{name} cannot be compared with the next, {other}."
    both = " that both have a figure for" if row["n_unscored"] else ""
    on = f"{many(row['n'], 'question')}{both}"
    text = f"{name} against {other} on {on}"
    if row.get("all_equal"):
        text += ", the same on each"
    elif row["ci_low"] is not None and row["ci_high"] is not None:
        text += f", 95 % interval {one.metric.shown(row['ci_low'])} to {one.metric.shown(row['ci_high'])}"
    doubt = "; the test says that they differ, the interval does not" if one.is_by_test_alone else ""
    return f"{row['value']:+z.{one.metric.digits}f}", f"{text}{doubt}."


def _names(names: Sequence[str]) -> str:
    shown = [*map(_short, names[:NAMED]), *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _short(name: str) -> str:
    return excerpt(" ".join(name.split()), LONGEST)


def board(material: ReportData, found: Standings) -> Table:
    """Return the table of systems, best first, with a column for each known figure. Systems without any answer come last."""
    figures = material.document["metrics"]
    columns = [
        *metric_columns(figures, ahead=found.ahead),
        *_rules(material),
        _tokens(material),
        _dollars(material),
    ]
    if found.metric is not None:
        columns.insert(1, (Heading(AGAINST, part=found.metric.table or ""), found.against))
    columns = [one for one in columns if any(cell.value is not None for cell in one[1].values())]
    rows = [(system, [cells[system] for _, cells in columns]) for system in found.systems]
    gives_reason = [
        heading.label == AGAINST if found.metric else not place for place, (heading, _) in enumerate(columns)
    ]
    for system in sorted(material.failed.keys() - material.variants.keys()):
        why = Cell(failed_text(material.failed[system]))
        rows.append((system, [why if here else Cell(None, missing="–") for here in gives_reason]))
    return Table("board", "Systems, best first", [heading for heading, _ in columns], rows)


def failed_text(kinds: Mapping[str, int]) -> str:
    """Return a text with the number of failed answers and the kinds of failure."""
    return f"{sum(kinds.values()):,} failed ({', '.join(kinds)})"


Column = tuple[Heading, Mapping[str, Cell]]


def metric_columns(
    figures: Mapping[str, Mapping[str, VRow]], *also: str, ahead: Mapping[str, Collection[str]]
) -> list[Column]:
    """Return columns for the lead metrics and for the metrics named in `also`. `figures` maps system to metric name to statistic.

    Only the systems in `ahead`, by metric, have a colour: they are told apart from others.
    """
    shown: list[Column] = []
    for name in dict.fromkeys(("reward", "fp", "fr", *lead_metrics(), *also)):
        if name not in ("fp", "fr", "overall") and not any(name in row for row in figures.values()):
            continue
        known = metric_of(name)
        cells = {
            system: Cell.of(
                row.get(name),
                known.digits,
                missing=UNKNOWN,
                shade="s6" if system in ahead.get(name, ()) else "",
            )
            for system, row in figures.items()
        }
        heading = Heading(known.label, name, known.explanation, scale=known.scale, part=known.table or "")
        shown.append((heading, cells))
    return shown


def _against(
    metric: Metric, means: Mapping[str, float | None], systems: Sequence[str], found: Sequence[Contrast]
) -> Mapping[str, Cell]:
    """Return a cell for each system that says whether the system is behind the first. Systems not shown to be behind are marked, unless all are."""
    known = {one.b: one for one in found if one.a == systems[0]}
    cells: dict[str, Cell] = {}
    for system in systems[1:]:
        one = known.get(system)
        standing = "not comparable" if one is None or one.row["value"] is None else _standing(one)
        if standing == UNDECIDED and _is_level(metric, means, systems[0], system):
            standing = LEVEL
        cells[system] = Cell(standing, shade=MAY_BE_FIRST if standing in (UNDECIDED, LEVEL) else "")
    shared = any(cell.value == LEVEL for cell in cells.values())
    cells = {systems[0]: Cell(LEVEL if shared else "first", shade=MAY_BE_FIRST), **cells}
    if all(cell.shade for cell in cells.values()):
        return {system: replace(cell, shade="") for system, cell in cells.items()}
    return cells


def _standing(one: Contrast) -> str:
    if one.is_ahead:
        return "behind"
    if one.is_settled:
        return "ahead where both have a figure"
    return "behind by the test alone" if one.is_by_test_alone else UNDECIDED


def _rules(material: ReportData) -> list[Column]:
    """Return columns of failed rule checks and of figures that rules could read."""
    cells, read = {}, {}
    for system, answers in material.variants.items():
        found = [
            str(rule["status"])
            for answer in answers
            for rule in material.judged.rules.get(answer.key, {}).values()
        ]
        failed, passed = found.count("fail"), found.count("pass")
        known = failed + passed > 0
        cells[system] = Cell(
            float(failed) if known else None,
            digits=0,
            missing=UNKNOWN,
            brief=f"{failed} of {many(failed + passed, 'check')}",
        )
        figures = figures_of(material.judged, answers)
        read[system] = Cell(
            None if figures is None else float(figures["read"]),
            digits=0,
            missing=UNKNOWN,
            brief="" if figures is None else f"{figures['read']:,} of {figures['of']:,}",
        )
    return [(RULES, cells), (READ, read)]


def _tokens(material: ReportData) -> Column:
    cells = {one: Cell.of(tokens(material, one).document(), 0, missing=UNKNOWN) for one in material.variants}
    return TOKENS, cells


def _dollars(material: ReportData) -> Column:
    spent = {system: dollars(answers) for system, answers in material.variants.items()}
    cells = {
        system: Cell.of(None if v.n_unscored else v.document(), 4, missing=UNKNOWN)
        for system, v in spent.items()
    }
    return DOLLARS, cells


def shade(value: float | str | None, end: float, *, is_lower_better: bool) -> str:
    """Return the CSS class of a background colour, by the value's share of the scale's end."""
    if not isinstance(value, float) or end <= 0:
        return ""
    share = min(max(value / end, 0.0), 1.0)
    return f"s{round(SHADES * (1 - share if is_lower_better else share))}"


def limits(material: ReportData, found: Sequence[Contrast]) -> list[str]:
    """Return sentences on what the study cannot show: what was not measured, not comparable or not scored."""
    lines = [] if material.banner is None else [material.banner]
    if all(material.floor(name) is None for name in [one.metric.name for one in found] or lead_metrics()):
        lines.append(not_measured(answer for own in material.variants.values() for answer in own))
    lines += [material.mixed] if material.mixed else []
    return [*lines, *(f"{line}." for line in unscored(material))]
