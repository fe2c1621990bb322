"""Columns of a set whose questions have levels: what is solved under each limit, and the calls for it."""

from __future__ import annotations

from drr.app.board.entries import ListedSystem
from drr.app.report.tables import Cell, Heading, Table
from drr.eval.metrics import metric
from drr.eval.stats.differences import unpaired
from drr.eval.stats.intervals import SHARE, ByQuestion, mean
from drr.eval.stats.question import AskedQuestion
from drr.wording.excerpt import many

TIGHT = Heading(
    "solved, tight",
    "solved_tight",
    "Share solved in a run under `--limits tight`: 1.2 times the calls of the shortest plan that proves the answer.",
    scale="0-1",
)
CALLS = Heading(
    "calls per solved",
    "calls_per_solved",
    "Calls of tools in all finished answers, for each answer that is solved.",
)
OPEN_MINUS_SEALED = Heading(
    "open minus sealed",
    explanation="Mean on the open half of the set minus mean on the sealed half. A large value suggests training on the open questions, or a harder sealed half.",
)


def calls_per_solved(one: ListedSystem, level: int | None = None) -> float | None:
    """Return the calls for each solved answer; `None` where nothing is solved, or calls are unknown."""
    calls = [x for trials in _of(one, "tool_calls", level).values() for x in trials if x is not None]
    solved = sum(x or 0.0 for trials in _of(one, "solved", level).values() for x in trials)
    return sum(calls) / solved if solved and calls else None


def solved_tight(one: ListedSystem, level: int | None = None) -> Cell:
    """Return the cell of the share solved in the same system's run under the tight limit."""
    return _share(_at(one, one.tight_solved, level))


def level_table(one: ListedSystem) -> Table:
    """Return the table of a system with a row for each level."""
    levels = sorted({*one.levels.values()})
    known = {level: many(len(_of(one, "points", level)), "question") for level in levels}
    rows = [
        (f"level {level} ({known[level]})" if level else "all", _cells(one, level))
        for level in (*levels, None)
    ]
    shares = [metric(name) for name in ("points", "solved", "pass_4")]
    named = [Heading(it.label, it.name, it.explanation, scale=it.scale) for it in shares]
    heads = [*named[:2], TIGHT, named[2], CALLS, OPEN_MINUS_SEALED]
    shown = [place for place in range(len(heads)) if any(row[place].value is not None for _, row in rows)]
    return Table(
        "levels",
        "By level",
        [heads[place] for place in shown],
        [(name, [row[place] for place in shown]) for name, row in rows],
    )


def _cells(one: ListedSystem, level: int | None) -> list[Cell]:
    points, sealed = _of(one, "points", level), _at(one, one.sealed.get("points", {}), level)
    gained = unpaired(points, sealed, SHARE).difference.document() if points and sealed else None
    return [
        _share(points),
        _share(_of(one, "solved", level)),
        solved_tight(one, level),
        _share(_of(one, "pass_4", level)),
        Cell(calls_per_solved(one, level), digits=1),
        Cell.of(gained, signed=True),
    ]


def _share(values: ByQuestion[AskedQuestion]) -> Cell:
    return Cell.of(mean(values, ends=SHARE).document() if values else None)


def _of(one: ListedSystem, name: str, level: int | None) -> ByQuestion[AskedQuestion]:
    return _at(one, one.values.get(name, {}), level)


def _at(one: ListedSystem, values: ByQuestion[AskedQuestion], level: int | None) -> ByQuestion[AskedQuestion]:
    return {asked: trials for asked, trials in values.items() if level in (None, one.levels.get(asked))}
