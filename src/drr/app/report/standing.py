"""Decides who leads a study, by which figure, test and level. Terminal, report, viewer, `compare`, `gate` and board print this one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from drr.app.report.contrasts import (
    Contrast,
    PerReport,
    contrasts,
    lead_metrics,
    means_of,
    order_by_mean,
    pairs_among,
    without_absence,
)
from drr.app.report.failing import errors_of
from drr.app.report.tables import Cell
from drr.eval.metrics import families_with
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.base import Metric
from drr.eval.metrics.compare import ValueTable
from drr.eval.metrics.rows import StandingRow
from drr.eval.stats.differences import SIGNIFICANT, is_settled, paired, with_holm
from drr.eval.stats.intervals import mean
from drr.eval.stats.question import AskedQuestion, grouped
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study
from drr.wording.excerpt import excerpt, many

NAMED = 3
"""Number of systems that a sentence names; further systems are only counted."""
LONGEST = 60
AGAINST = "against the first"
UNDECIDED, LEVEL = "not told apart", "shared first"
MAY_BE_FIRST = "lead"
"""CSS class of the cell of a system that is not shown to be behind the first system."""
OF_A_BOARD = (
    "A board tests each pair of systems alone, so a new entry changes no rank between others. A study makes many tests at once "
    "and corrects for their number, so that no system leads by luck. So a board and a study can disagree."
)
_EMPTY: Mapping[str, str] = {}


class SystemStanding(NamedTuple):
    """The one row that says who leads, with the difference from the next system."""

    chip: str
    head: str
    figure: str = ""
    detail: str = ""
    metric: Metric | None = None
    """Figure that decides; `None` where none does."""
    leads: str | None = None
    """The system that leads beyond chance; `None` where none does."""
    test: str = ""
    """The test and its level."""
    also: str = ""
    """Sentences on mistakes, on another lead metric whose test finds a difference, and on wrong facts by rules."""

    @property
    def is_sure(self) -> bool:
        return self.leads is not None

    @property
    def text(self) -> str:
        return " ".join(filter(None, (f"{self.head}.", self.figure, self.detail, self.also, self.test)))

    def document(self) -> StandingRow:
        by = None if self.metric is None else self.metric.name
        return {"leads": self.leads, "by": by, "test": self.test or None, "text": self.text}


class Standings(NamedTuple):
    """The ranking of the systems by one metric; `metric` is `None` where no figure decides."""

    metric: Metric | None
    systems: Sequence[str]
    """Names of the systems, best first."""
    against: Mapping[str, Cell]
    """Standing of each system against the first system, such as "behind", by system."""
    row: SystemStanding
    ahead: Mapping[str, Collection[str]] = {}
    """Systems that beat another one and are beaten by none, by metric."""
    contrasts: Sequence[Contrast] = ()
    """All paired differences on lead metrics."""


def study_standings(study: Study, judged: Judged, tested: Sequence[Contrast] | None = None) -> Standings:
    """Return the standings of a study by one judge. `tested` are its differences, where they are known already."""
    table = ValueTable(judged, families_with(judged, lead_metrics()))
    return table_standings(table, failed_answers(study), tested)


def failed_answers(study: Study) -> dict[str, Counter[str]]:
    """Return the number of failed answers, by system and reason."""
    failed: dict[str, Counter[str]] = {}
    for record in study.records("answer", None):
        if record.reason is not None:
            failed.setdefault(str(record.spec["variant"]), Counter())[record.reason] += 1
    return failed


def table_standings(
    table: ValueTable, failed: Mapping[str, Counter[str]], tested: Sequence[Contrast] | None = None
) -> Standings:
    """Return the standings of the systems of a table. `failed` are their failed answers, by reason."""
    errors = {
        name: [len(errors_of(table.behind(name), one)) for one in own]
        for name, own in table.systems.items()
        if table.behind(name).rules
    }
    judging = table.judged.judging
    found = contrasts(table.of) if tested is None else tested
    by_rules = judging is not None and judging.rule_written
    ranks = standings(table.of, found, failed, errors, by_rules=by_rules)
    if ranks.metric is not None:  # else the row tells the wrong facts already
        by_question = {
            name: grouped(zip((one.asked for one in table.systems[name]), own, strict=True))
            for name, own in errors.items()
        }
        also = " ".join(filter(None, (ranks.row.also, wrong_facts(by_question))))
        ranks = ranks._replace(row=ranks.row._replace(also=also))
    return ranks._replace(contrasts=found)


def wrong_facts(counts: Mapping[str, Mapping[AskedQuestion, Sequence[int]]]) -> str:
    """Return a sentence on the clearest sure difference in wrong facts by rules; empty where none is sure.

    Without it hundreds of errors could hide behind "no difference shown" in the leading figure, which is tested alike.
    `counts` are the wrong facts of each report, by system and question.
    """
    sums = {name: [one for own in known.values() for one in own] for name, known in counts.items()}
    systems = sorted((name for name, own in sums.items() if own), key=lambda name: fmean(sums[name]))
    tested = with_holm({pair: paired(counts[pair[0]], counts[pair[1]]) for pair in pairs_among(systems)})
    sure = {pair: row for pair, one in tested.items() if is_settled(row := one.document()) and row["value"]}
    if not sure:
        return ""
    few, most = pair = min(
        sure, key=lambda pair: (sure[pair]["p_holm"] or 0.0, -abs(sure[pair]["value"] or 0.0))
    )
    # The systems stand by the means of all their reports, the difference is of the questions of both.
    if (sure[pair]["value"] or 0.0) > 0:
        few, most = most, few
    # Sums over all reports could say the opposite: each system may answer questions that the other does not.
    less, more = sorted((sure[pair]["a"] or 0.0, sure[pair]["b"] or 0.0))
    shared = counts[few].keys() & counts[most].keys()
    corrected = f"after Holm's correction for {many(len(tested), 'test')}"
    return (
        f"Rules found {more:,.2f} wrong facts in a report of {_short(most)}, and {less:,.2f} in one of {_short(few)}, on average of"
        f" {many(len(shared), 'question')} that both answered: surely more (p = {sure[pair]['p_holm']:.2g} {corrected})."
    )


def standings(
    per_report: PerReport,
    found: Sequence[Contrast],
    failed: Mapping[str, Counter[str]],
    errors: Mapping[str, Sequence[int]],
    *,
    by_rules: bool = False,
) -> Standings:
    """Return the ranking of the systems by the first lead metric with values, if possible of at least two systems.

    Verdicts by rules lead nothing. `errors` are the numbers of wrong facts that code found in each report, by system that rules checked.
    """
    # Verdicts by surface rules understand nothing, so nobody may lead by them.
    found = [one for one in found if not (by_rules and one.metric.judged)]
    known = (
        one
        for one in map(metric_of, without_absence(lead_metrics(), means_of(per_report, "fp_absent").values()))
        if not (by_rules and one.judged)
        and any(v is not None for v in means_of(per_report, one.name).values())
    )
    metric = found[0].metric if found else next(known, None)
    if metric is None:
        return Standings(None, sorted(per_report(lead_metrics()[0])), {}, _by_code(errors))
    own = {system: mean(values) for system, values in per_report(metric.name).items()}
    means = {system: v.value for system, v in own.items()}
    # Else a system would look better for having failed.
    counted = metric.table == "pass"  # failed answers are in these means, as 0
    shares = {
        system: share_of(v.n, v.n_unscored, 0 if counted else sum(failed.get(system, {}).values()))
        for system, v in own.items()
    }
    systems, pairs = order_by_mean(metric, means), [one for one in found if one.metric == metric]
    mistakes = "" if metric.name == "mistakes" else _mistakes(per_report, systems)
    row = verdict(metric, means, pairs, shares=shares)
    row = row._replace(
        also=" ".join(filter(None, (mistakes, _elsewhere(metric, found)))),
        test=f"Sign-flip tests by question, p < {SIGNIFICANT:g} after Holm's correction for {many(len(found), 'test')}."
        if found
        else "",
    )
    return Standings(metric, systems, _against(metric, means, systems, pairs), row, _ahead(found))


def _by_code(errors: Mapping[str, Sequence[int]]) -> SystemStanding:
    """Return the row of a study without a judge: wrong facts that code found, most first. Who has few may have said little."""
    wrong = sorted((name for name, own in errors.items() if any(own)), key=lambda name: -sum(errors[name]))
    if not wrong:
        return SystemStanding(
            "not judged",
            "How good these answers are is unknown: "
            + (
                "no model judged them, and code found no wrong fact"
                if errors
                else "neither a model nor a rule has checked them"
            ),
        )
    shown = [
        f"{_short(name)}: {many(sum(own), 'wrong fact')} in {sum(map(bool, own)):,} of {many(len(own), 'report')}"
        for name in wrong[:NAMED]
        for own in (errors[name],)
    ]
    more = [f"{len(wrong) - NAMED} more systems have some"] if len(wrong) > NAMED else []
    return SystemStanding(
        "wrong facts", "; ".join([*shown, *more]), detail="Code found these; no judge says who is better."
    )


def _mistakes(per_report: PerReport, systems: Sequence[str]) -> str:
    """Return a sentence with the mistakes a report, worst first; empty where no judge looked."""
    means, metric = means_of(per_report, "mistakes"), metric_of("mistakes")
    known = [(v, name) for name in systems if (v := means.get(name)) is not None]
    shown = [f"{_short(name)} {metric.shown(v)}" for v, name in sorted(known, key=lambda one: -one[0])]
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return f"Mistakes a report: {', '.join(shown[:NAMED])}{more}." if shown else ""


def _elsewhere(metric: Metric, found: Sequence[Contrast]) -> str:
    """Return a sentence on the clearest difference in another lead metric; empty where no test finds one before its correction.

    Systems that the leading figure does not tell apart may differ clearly in another one.
    """
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
    return f"{text}: p = {one.row['p']:.2g}, or {one.row['p_holm']:.2g} corrected for {len(found)} tests."


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
    shares: Mapping[str, str] = _EMPTY,
) -> SystemStanding:
    """Return the row without its test. Its certainty follows from the differences between the first system and the others.

    `shares` are texts on how many answers a mean covers.
    """
    best = order_by_mean(metric, means)[0]
    name, value = _short(best) + shares.get(best, ""), metric.shown(means[best] or 0.0)
    rivals = [one for one in found if one.a == best]
    if not rivals:
        return SystemStanding(
            "one system", f"Only {name} has a value of {metric.label}: {value}", metric=metric
        )
    # One rival that may be as good is enough: then nobody is called the best.
    near = [one.b for one in rivals if not one.is_ahead]
    figure, detail = _margin(rivals[0], name)
    if not near:
        head = f"{_short(best)} is best of {len(rivals) + 1} by {metric.label}: {value}"
        return SystemStanding("better", head, figure, detail, metric, best)
    if len(near) < len(rivals):
        head = f"{_names([best, *near])} may each be the best by {metric.label}"
        return SystemStanding("no clear best", head, figure, detail, metric)
    # So few questions cannot decide: even if all favoured one side, the corrected p-value would be too large.
    few = 2.0 ** (1 - max(one.row.get("tasks") or one.row["n"] for one in rivals)) * len(found) >= SIGNIFICANT
    of = f"none of {len(rivals) + 1} systems" if rivals[1:] else f"neither {_short(best)} nor {near[0]}"
    head = f"{of[:1].upper()}{of[1:]} is shown to be better by {metric.label}"
    return SystemStanding("too few questions" if few else "no difference shown", head, figure, detail, metric)


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
    return f"{row['value']:+z.{one.metric.digits}f}", f"{text}."


def _names(names: Sequence[str]) -> str:
    shown = [*map(_short, names[:NAMED]), *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _short(name: str) -> str:
    return excerpt(" ".join(name.split()), LONGEST)


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
    # A mark on each row would tell nothing.
    if all(cell.shade for cell in cells.values()):
        return {system: replace(cell, shade="") for system, cell in cells.items()}
    return cells


def _standing(one: Contrast) -> str:
    if one.is_ahead:
        return "behind"
    if one.is_settled:
        return "ahead where both have a figure"
    return UNDECIDED
