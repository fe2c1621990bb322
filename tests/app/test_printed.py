"""What the papers print, as data: well-formed, in its sums as the papers state them, and noted where they do not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from drr.app.papers.printed import Exhibit, PrintedPaper, number, paper_of, printed
from drr.app.papers.steps import reproducible
from drr.eval.metrics import metrics
from pydantic import ValidationError

from tests.cases import cases

HALF = 0.005
"""What rounding to two digits may take or add."""


def exhibit(paper: str, source: str) -> Exhibit:
    return next(one for one in paper_of(paper).exhibit if one.source == source)


def figures(one: Exhibit) -> dict[tuple[str, ...], dict[str, float]]:
    read = {
        one.names(row): {c: number(f) for c, f in zip(one.columns, one.figures(row), strict=True)}
        for row in one.rows
    }
    return {row: {c: v for c, v in cells.items() if v is not None} for row, cells in read.items()}


def noted(one: Exhibit, row: tuple[str, ...], column: str) -> bool:
    return any(note.at in ((), row) and note.column == column for note in one.notes)


@pytest.mark.parametrize("paper", reproducible())
def test_every_exhibit_is_made_somewhere_or_says_why_not(paper: str) -> None:
    for one in paper_of(paper).exhibit:
        assert one.here or one.pages or one.missing
        assert set(one.metrics) | set(one.further) <= metrics().keys()
        for row in one.rows:
            assert all(row[: len(one.stub)]), one.source
            assert any(number(figure) is not None for figure in one.figures(row)), row


def test_how_much_is_printed_and_what_stands_beside_a_variant() -> None:
    count = {
        paper: sum(bool(f) for one in paper_of(paper).exhibit for row in one.rows for f in one.figures(row))
        for paper in reproducible()
    }
    assert count == {"retail": 126, "pdr": 350, "dr3": 74, "reporteval": 6}
    assert printed("react+ws", "fp") == 0.74
    assert printed("hybrid-react+ws", "input_tokens") == 591_900
    assert printed("plan-to-function", "quality_average") == 6.58
    assert printed("react", "tool_calls") == 8.8
    assert printed("react@persona", "fp") is None
    assert printed("react", "pqr_p") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.69", 0.69), ("34.2k ± 11.7k", 34_200.0), ("675 ± 112", 675.0), ("$0.05", 0.05), ("61.11%", 61.11), ("", None)],
)  # fmt: skip
def test_the_number_of_a_printed_figure(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "wrong",
    cases("app", "test_a_file_that_does_not_fit_its_own_heads_is_refused"),
)
def test_a_file_that_does_not_fit_its_own_heads_is_refused(wrong: Mapping[str, object]) -> None:
    one = {"source": "T", "title": "t", "here": ["x"], "stub": ["s"], "columns": ["c"], "rows": [["a", "1"]]}
    kept = {"paper": "pdr", "title": "t", "setting": "s"}
    PrintedPaper.model_validate({**kept, "exhibit": [one]})
    with pytest.raises(ValidationError):
        PrintedPaper.model_validate({**kept, "exhibit": [{**one, **wrong}]})


def _off(
    one: Exhibit, column: str, made: Mapping[tuple[str, ...], float], slack: float
) -> set[tuple[str, ...]]:
    cells = figures(one)
    return {row for row, value in made.items() if abs(cells[row][column] - value) > slack + 1e-9}


def test_sums_of_the_retail_paper_hold_or_are_noted() -> None:
    faithful, quality = exhibit("retail", "Table 1"), exhibit("retail", "Table 2")
    cells = figures(faithful)
    cited = {row: c["N web_cited"] + c["N prod_cited"] for row, c in cells.items()}
    assert _off(faithful, "N cited", cited, 2 * HALF) == set()
    halves = {row: (c["FP Web"] + c["FP Prod"]) / 2 for row, c in cells.items()}
    off = _off(faithful, "FP", halves, 2 * HALF)
    assert off == {("Plan-to-Function",), ("Plan-to-Function+WS",), ("React",)}
    assert all(noted(faithful, row, "FP") for row in off)
    not_above = {row for row, c in cells.items() if not c["FR"] > 0.94}
    assert all(noted(faithful, row, "FR") for row in not_above)
    graded = figures(quality)
    means = {row: sum(v for c, v in cells.items() if c != "Avg") / 7 for row, cells in graded.items()}
    assert _off(quality, "Avg", means, HALF) == set()


def _halves_of_overall() -> Iterator[tuple[tuple[str, ...], float, float, float]]:
    """By row of Table 1: what Overall leaves for Q, with the least and most that Q's dimensions allow."""
    persona = {
        tuple(cells[d] for d in ("GOAL", "CONT", "PRES", "ACTI")): cells["P-Score"]
        for row, cells in figures(exhibit("pdr", "Table 8")).items()
        if row[-1] == "w/Persona"
    }
    for row, cells in figures(exhibit("pdr", "Table 1")).items():
        p = persona[tuple(cells[d] for d in ("GOAL", "CONT", "PRES", "ACTI"))]
        parts = [cells[d] for d in ("DEIN", "LOGC", "CLAR")]
        yield row, 3 * cells["Overall"] - p - (cells["FA"] + cells["CC"]) / 2, min(parts), max(parts)


def test_sums_of_pdr_bench_hold_and_it_prints_the_same_figure_again() -> None:
    """P is a weighted mean of its four and Overall the mean of P, Q, R; the weights are not printed, the bounds are."""
    for source in ("Table 2", "Table 3", "Table 8"):
        for row, cells in figures(exhibit("pdr", source)).items():
            parts = [v for column, v in cells.items() if column != "P-Score"]
            assert min(parts) - HALF <= cells["P-Score"] <= max(parts) + HALF, (source, row)
    for row, q, least, most in _halves_of_overall():
        assert least - 0.03 <= q <= most + 0.03, row
    everything = figures(exhibit("pdr", "Table 8"))
    whole = {tuple(cells.values()) for cells in everything.values()}
    assert all(tuple(cells.values()) in whole for cells in figures(exhibit("pdr", "Table 2")).values())
    memories = exhibit("pdr", "Table 3")
    again = {row for row, cells in figures(memories).items() if tuple(cells.values()) in whole}
    assert again == {("Task w/Persona",)}  # of 150 queries, among rows of 50 others
    assert noted(memories, ("Task w/Persona",), "")
    assert noted(memories, ("No Memory",), "P-Score")


def test_where_a_paper_speaks_against_its_own_table_a_note_says_so() -> None:
    one = exhibit("pdr", "Table 8")
    cells = figures(one)
    told = next(note.text for note in one.notes if "rise with what is known" in note.text)
    listed = dict(part.split(": ") for part in told.rstrip(".").partition("persona: ")[2].split("; "))
    found: dict[str, list[str]] = {}
    for group, model, setting in cells:
        if setting == "Task Only":
            for column in one.columns:
                values = [cells[group, model, s][column] for s in ("Task Only", "w/Context", "w/Persona")]
                if not values[0] < values[1] < values[2]:
                    found.setdefault(column, []).append(model)
    assert {column: ", ".join(models) for column, models in found.items()} == listed
    steps = figures(exhibit("pdr", "Table 2"))
    goals = [steps["OAgents", s]["GOAL"] for s in ("Task Only", "Task w/Context", "Task w/Persona")]
    assert goals[2] - goals[1] < goals[1] - goals[0]
    assert noted(exhibit("pdr", "Table 2"), ("OAgents", "Task w/Persona"), "GOAL")
    sizes = exhibit("dr3", "Table 2")
    rises = {row for row, c in figures(sizes).items() if c["IR_SC 512k"] >= c["IR_SC 64k"]}
    assert rises == {("Qwen3-30B-A3B",)}
    assert noted(sizes, ("Qwen3-30B-A3B",), "IR_SC 512k")
    kept = figures(exhibit("dr3", "Quality control"))["DR3-Eval",]
    assert round(100 * kept["kept"] / kept["made"], 1) == kept["share"]
