"""Orders the systems of a board by rank, and builds the table of ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os.path import commonprefix
from typing import NamedTuple

from drr.app.board.entries import ListedSystem, day_of
from drr.app.board.levels import CALLS, OPEN_MINUS_SEALED, TIGHT, calls_per_solved, solved_tight
from drr.app.bundles.findings import one_line_result
from drr.app.report.contrasts import graded_metrics, without_absence
from drr.app.report.standing import SystemStanding, share_of
from drr.app.report.system_table import DOLLARS, TOKENS, Column, metric_columns
from drr.app.report.tables import Cell, Heading, RowHead, Table
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.base import Metric
from drr.eval.metrics.reliability import WAYS
from drr.eval.stats.differences import paired, unpaired
from drr.eval.stats.intervals import VRow, mean
from drr.eval.stats.ranks import LEAST, LEVEL, ranks
from drr.wording.excerpt import excerpt, many

RANK = Heading(
    "rank",
    explanation="1, and one more for each system that beats it in the paired test of the two, at p < .005.",
)
ANSWERS = Heading(
    "answers",
    explanation="Finished, of those that were asked for. Figures of a judge are of finished ones alone.",
)
BEHIND = Heading(
    "behind the first",
    explanation="Its mean minus that of the first row, on the questions that both have, with the 95 % interval. A rank asks for more.",
)
ERRORS = Heading(
    "errors",
    explanation="Wrong facts that code found, for each answer that the rules read. It finds the plain ones: prices, sums, ids.",
    scale="an answer",
)
COST = DOLLARS._replace(label="cost", key="dollars", scale="$ an answer")
CONTAINED = {True: "contained", False: "beside the truth", None: "unknown"}
_LONGEST = 60
_BESIDE: Sequence[tuple[Heading, Callable[[ListedSystem], Cell]]] = (
    (
        Heading(
            "reproduced",
            explanation="Whether somebody trusted by the board's owner ran a randomly chosen part of the study again, and by how much the figures differed.",
        ),
        lambda one: Cell("; ".join(map(one_line_result, one.reproduced)) or "not run again"),
    ),
    (
        Heading(
            "contained",
            explanation="Where the agent's code ran, as its maker says: apart from the right answers, or beside them, where it could have read them.",
        ),
        lambda one: Cell(CONTAINED[one.contained]),
    ),
    (
        Heading(
            "bundle",
            explanation="Whether anything contradicts its bundle. No file shows who wrote the answers.",
        ),
        lambda one: Cell(one.bundle.found.tier),
    ),
    (TOKENS, lambda one: Cell(one.tokens, digits=0, missing="unknown")),
    (
        Heading("answered on", explanation="Day on which its last answer ended, as its maker says."),
        lambda one: Cell(day_of(one.ended)),
    ),
    (
        Heading("code", explanation="Hash of the program's code that made its bundle, as its maker says."),
        lambda one: Cell(one.code[:8]),
    ),
)
"""The columns that follow a system's figures."""
_LEADING = (RANK, ERRORS, COST, TIGHT, CALLS, OPEN_MINUS_SEALED)
"""The columns that stand first, beside the figure that ranks and pass^k."""


class Ranking(NamedTuple):
    """The ranking of systems that answered the same questions and had the same judge, best first."""

    systems: Sequence[ListedSystem]
    metric: Metric | None
    """Metric that ranks; `None` where nothing was judged."""
    ranks: Mapping[str, int]
    """Rank of each system with a figure, by key: 1 plus the number of systems that beat it."""
    gap: float | None = None
    """Difference that the questions usually show between two systems; `None` where they part nobody."""
    by_sealed: bool = False
    """True where every system has values on the sealed half of the set, which then ranks."""

    @classmethod
    def of(cls, systems: Sequence[ListedSystem], by: str | None) -> Ranking:
        leads = without_absence(graded_metrics(), (one.value("fp_absent") for one in systems))
        known = [name for name in leads if any(one.value(name) is not None for one in systems)]
        metric = next(map(metric_of, [by] if by else known), None)
        if metric is None:
            return cls(sorted(systems, key=_name), None, {})
        lower = metric.better == "lower"
        by_sealed = all(one.sealed.get(metric.name) for one in systems)
        values = {one.key: (one.sealed if by_sealed else one.values).get(metric.name, {}) for one in systems}
        found = ranks(values, is_lower_better=lower)

        def place(one: ListedSystem) -> tuple[int, bool, float, tuple[str, str]]:
            value = mean(values[one.key]).value if by_sealed else one.value(metric.name)
            rank = found.places.get(one.key, len(systems) + 1)
            return rank, value is None, (value or 0.0) * (1 if lower else -1), _name(one)

        return cls(sorted(systems, key=place), metric, found.places, found.gap, by_sealed)

    @property
    def standing(self) -> SystemStanding:
        """Return the row that says which system is first, that several share the first place, or that nobody is ranked."""
        if self.metric is None:
            return SystemStanding("nobody is ranked", "No model judged: nobody is ranked")
        first = [one for one in self.systems if self.ranks.get(one.key) == 1]
        if not first:
            return SystemStanding(
                "nobody is ranked", f"Nobody is ranked: no figure of {self.metric.label} is known"
            )
        row, label = first[0].figures[self.metric.name], self.metric.label
        if self.by_sealed:
            row = mean(first[0].sealed[self.metric.name]).document()
            label += " on the sealed half"
        name = excerpt(self.named(first[0]), _LONGEST) + share_of(row["n"], row["n_unscored"])
        value = "" if row["value"] is None else f", {self.metric.shown(row['value'])}"
        test = f"Each pair has a sign-flip test of its own, p < {LEVEL:g}: one of {1 / LEVEL:.0f} equally good pairs is called different by chance. {self._seen}{self._half}"
        sure = len(first) == 1 and len(self.ranks) > 1
        row_of = partial(
            SystemStanding, metric=self.metric, leads=first[0].variant if sure else None, test=test
        )
        if len(first) == 1:
            return row_of(
                "better" if sure else "one system", f"{name} is first of {len(self.ranks)} by {label}{value}"
            )
        shared = f"{len(first)} of {many(len(self.ranks), 'system')} share the first place by {label}"
        level = [one for one in first if one.value(self.metric.name) == row["value"]]
        beside = f"{len(level)} of them have the same mean" if level[1:] else f"{name} leads by its mean"
        return row_of("no clear first", f"{shared}; {beside}{value}")

    def named(self, system: ListedSystem) -> str:
        """Return the system's variant; where another model plays it too, with what only this model's name has."""
        if sum(one.variant == system.variant for one in self.systems) == 1 or not system.models:
            return system.variant
        models = [one.models[0] for one in self.systems if one.models]
        shared = max(commonprefix(models).rfind(mark) + 1 for mark in ":/-")  # noqa: RUF071  (letters, no paths)
        own = system.models[0][shared:]
        return f"{own if shared else own.rpartition(':')[2]} {system.variant}"

    @property
    def _half(self) -> str:
        """Return a sentence where the open half ranks although the set has a sealed one."""
        own = self.systems[0].set
        is_open = own.of and not own.sealed and not self.by_sealed
        return " Not every system here answered the sealed half, so the open one ranks." if is_open else ""

    @property
    def _seen(self) -> str:
        """Return a sentence on the difference that the questions can show."""
        if len(self.ranks) < 2 or self.metric is None:
            return ""
        each = [one.sealed if self.by_sealed else one.values for one in self.systems]
        tasks = {asked.task for own in each for asked in own.get(self.metric.name, {})}
        if len(tasks) < LEAST:
            return f"No two systems can be told apart: it takes {LEAST} questions, and these are {len(tasks)}, those of one task counted once."
        if self.gap is None:
            alike = "No two systems can be told apart: the questions are too few, or all systems answer them alike."
            return alike if max(self.ranks.values()) == 1 else ""
        return (
            f"These questions usually show a gap of {self.metric.shown(self.gap)}, and seldom a smaller one."
        )

    def table(self, heads: Mapping[str, RowHead]) -> Table:
        """Return the table with a row for each system, best first; a row's name is the system's key."""
        figures = {one.key: one.figures for one in self.systems}
        leveled = [one for one in self.systems if one.levels]
        leading = self.leading_figures
        known = metric_columns(figures, *leading, first=("points", "solved"), ahead=self._ahead)
        ahead, passed = (
            [one for one in known if one[0].key in names] for names in (leading[:1], leading[1:])
        )
        columns: list[Column] = [
            (RANK, {key: Cell(f"{rank}") for key, rank in self.ranks.items()}),
            *((heading, self._with_solved(cells)) for heading, cells in ahead),
            (ERRORS, {one.key: _errors(one) for one in self.systems}),
            # A mean cost without all answers would look too cheap.
            (
                COST,
                {
                    one.key: Cell.of(None if one.dollars["n_unscored"] else one.dollars, 4, missing="unknown")
                    for one in self.systems
                },
            ),
            *passed,
            (TIGHT, {one.key: solved_tight(one) for one in leveled}),
            (CALLS, {one.key: Cell(calls_per_solved(one), digits=1) for one in leveled}),
            (OPEN_MINUS_SEALED, self._open_minus_sealed()),
            (
                ANSWERS,
                {
                    one.key: Cell(float(own.done), brief=f"{own.done:,} of {own.units:,}")
                    for one in self.systems
                    for own in (one.answers,)
                },
            ),
            *(one for one in known if one[0].key not in leading),
            (BEHIND, self._behind()),
        ]
        columns += [(heading, {one.key: cell(one) for one in self.systems}) for heading, cell in _BESIDE]
        shown = [
            one
            for one in columns
            if one[0] in (ERRORS, COST) or any(cell.value is not None for cell in one[1].values())
        ]
        rows = [(key, [cells.get(key, Cell(None, missing="–")) for _, cells in shown]) for key in figures]
        return Table("board", "Systems, best first", [heading for heading, _ in shown], rows, heads=heads)

    def order_of(self, figure: tuple[Metric, VRow]) -> tuple[int, bool]:
        """Return the place of a figure on a system's page, where those of the ranking come first."""
        first, *passed = self.leading_figures or [""]
        order = [first, "points", "solved", *passed, figure[0].name]
        return order.index(figure[0].name), figure[0].detail

    def leading(self, table: Table) -> Table:
        """Return the table with the columns that stand first alone."""
        heads, names = enumerate(table.columns), self.leading_figures
        return table.of_columns([place for place, one in heads if one in _LEADING or one.key in names])

    def _with_solved(self, cells: Mapping[str, Cell]) -> Mapping[str, Cell]:
        """Return the cells, those of the share of points with the share solved beside it."""
        if self.metric is None or self.metric.name != "points":
            return cells
        solved = {one.key: one.value("solved") for one in self.systems}
        return {
            key: cell if solved[key] is None else replace(cell, beside=f"solved {solved[key]:.2f}")
            for key, cell in cells.items()
        }

    @property
    def leading_figures(self) -> list[str]:
        """Return the metric that ranks, then pass^k of the smallest and largest known k above 1."""
        lead = [] if self.metric is None else [self.metric.name]
        if any(one.levels for one in self.systems):
            return [*lead, "pass_4"]
        for way in WAYS:
            names = [name for k, name in way.metrics_by_k.items() if k > 1]
            if known := [name for name in names if any(one.value(name) is not None for one in self.systems)]:
                return list(dict.fromkeys((*lead, known[0], known[-1])))
        return lead

    @property
    def _ahead(self) -> dict[str, set[str]]:
        """Return the systems of the first rank, if others have another rank."""
        first = {key for key, rank in self.ranks.items() if rank == 1}
        return {} if self.metric is None or len(first) == len(self.ranks) else {self.metric.name: first}

    def _behind(self) -> Mapping[str, Cell]:
        """Return each system's paired difference from the first row."""
        if self.metric is None or not self.ranks:
            return {}
        first, *others = (one for one in self.systems if one.key in self.ranks)
        name, ends = self.metric.name, self.metric.range
        each = {one.key: one.sealed if self.by_sealed else one.values for one in (first, *others)}
        rows = {
            one.key: paired(each[one.key][name], each[first.key][name], ends).document() for one in others
        }
        return {key: Cell.of(row, self.metric.digits, signed=True) for key, row in rows.items()}

    def _open_minus_sealed(self) -> Mapping[str, Cell]:
        if self.metric is None:
            return {}
        name, ends = self.metric.name, self.metric.range
        rows = {
            one.key: unpaired(one.values[name], one.sealed[name], ends).difference.document()
            for one in self.systems
            if one.values.get(name) and one.sealed.get(name)
        }
        return {key: Cell.of(row, self.metric.digits, signed=True) for key, row in rows.items()}


def _name(one: ListedSystem) -> tuple[str, str]:
    return one.variant, one.key


def _errors(one: ListedSystem) -> Cell:
    if one.errors is None:
        return Cell(None, missing="unknown")
    found, answers = one.errors
    return Cell(found / answers, n=answers, beside=f"{found:,} in all")
