"""`drr papers aggregate` at the command line: forms of rows and outputs, what cannot be used, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Drr


@pytest.fixture
def told(tmp_path: Path, drr: Drr) -> Any:
    def run(protocol: str, *rows: Any, options: tuple[str, ...] = ()) -> tuple[int, Any, str]:
        file = tmp_path / "rows.jsonl"
        lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
        file.write_bytes(b"".join(line + b"\n" for line in lines))
        code, out, err = drr("aggregate", protocol, file, "--json", *options)
        return code, json.loads(out), err

    return run


def criteria(*scores: Any, weight: float = 1) -> list[dict[str, Any]]:
    return [{"weight": weight, "scores": one} for one in scores]


def test_p_by_hand(told: Any) -> None:
    goals = [{"weight": 0.6, "scores": [6, 9]}, {"weight": 0.2, "scores": [2, None]}, *criteria(None)]
    weights = {"GOAL": 0.5, "CONT": 0.3, "PRES": 0.3}
    row = {"id": "q1/anna", "weights": weights, "criteria": {"GOAL": goals, "CONT": criteria([5, 7])}}
    code, document, _ = told("pqr", row, {**row, "weights": {"GOAL": 0.5, "CONT": 0.3}})
    assert code == 0
    first, second = document["rows"]
    goal = (0.6 * 7.5 + 0.2 * 2) / 0.8
    assert first["id"] == "q1/anna"
    assert first["dimensions"] == {"GOAL": pytest.approx(goal), "CONT": 6, "PRES": None}
    assert first["p"] is None, "a dimension without a scored criterion makes P unknown"
    assert first["p_by_round"] == [None, None]
    assert first["n_unscored"] == 2, "one missing round, and a list that is missing counts once"
    assert first["as_printed"]["dimensions"]["PRES"] == 0
    assert first["as_printed"]["p"] == second["p"] == pytest.approx(0.5 * goal + 0.3 * 6)
    assert second["p_by_round"] == pytest.approx([0.5 * 5 + 0.3 * 5, 0.5 * 9 + 0.3 * 7])
    assert document["values"] == {"p": second["p"]}
    assert (document["n"], document["n_unscored"]) == (2, 4)
    assert list(document) == [
        "schema", "protocol", "n", "n_unscored", "values", "as_printed", "rows", "bad_rows",
    ], "the form is fixed"  # fmt: skip


def test_figures_that_are_missing_or_in_error_count_nothing(told: Any) -> None:
    uncited = {"claims": [{"cited": False, "verdict": None}, {"cited": False}]}
    doubted = {"claims": [{"cited": True, "verdict": v} for v in ("supported", "unknown", None)]}
    _, document, _ = told("pqr-r", uncited, doubted)
    assert document["rows"] == [{"fa": None, "cc": 0, "r": None}, {"fa": 5, "cc": 10, "r": 7.5}]
    assert document["values"] == {"fa": 5, "cc": 5, "r": 7.5}
    assert document["as_printed"]["fa"] == pytest.approx((0 + 10 / 3) / 2)
    assert document["n_unscored"] == 1
    read = {"error": False, "verdicts": ["supported", "supported", "unsupported", "unknown", None]}
    dead = {"error": True, "verdicts": ["supported"]}
    rows = [{"task": 1, "sources": [read, dead]}, {"task": 2, "sources": [dead]}, {"task": 3, "sources": []}]
    _, document, _ = told("fact", *rows)
    assert document["values"] == {"citations_per_task": 3, "valid_per_task": 2, "rate": pytest.approx(2 / 3)}
    printed = {"citations_per_task": 1.5, "valid_per_task": 1, "rate": pytest.approx(2 / 3)}
    assert document["as_printed"] == printed, "its code divides by every task with citations"
    assert document["rows"][1] == {"supported": 0, "unsupported": 0, "unknown": 0}
    named = [{**row, "system": "S"} for row in rows]
    _, document, _ = told("fact", *named)
    assert document["values"]["by_system"]["S"]["citations_per_task"] == 3
    code, document, _ = told("fact", named[0], rows[1])
    assert (code, document["n"], document["bad_rows"][0]["line"]) == (1, 1, 2)
    row = {"ir_uf": [1, 0.5, 0, None], "ir_sc": [0.5], "required": ["a", "a", 7], "cited": ["7", "b"]}
    row |= {"fa": [True, None], "if": [True, False]}
    _, document, _ = told("dr3", row, {**row, "dq": 8}, {})
    first, second, empty = document["rows"]
    assert first["ir_uf"] == pytest.approx(100 / 3)
    assert (first["ir_uf_mean"], first["ir_sc"], first["ir_sc_mean"], first["cc"]) == (50, 0, 50, 50)
    assert (first["fa"], first["if"], first["dq"], first["avg"]) == (100, 50, None, None)
    assert second["avg"] == pytest.approx((100 / 3 + 0 + 50 + 100 + 50 + 80) / 6)
    assert set(empty.values()) == {None}
    assert document["as_printed"]["avg"] == pytest.approx(((100 / 3 + 200) / 5 + second["avg"]) / 2)


def test_grades_pairs_and_support_of_a_report(told: Any) -> None:
    row = {"quality": {"clarity": 3, "overall": None}, "pairs": [4, None, 1], "support": [-1, 0, 1, 1, None]}
    _, document, _ = told("reporteval", row, {"quality": {"clarity": 2}, "pairs": []})
    first, second = document["rows"]
    of_pairs = {"non_redundancy": 2.5, "worst_pair": 1, "average_support": 0.25, "strong_support": 0.5}
    assert first == {"quality": row["quality"], **of_pairs}
    assert second == {"quality": {"clarity": 2}, **dict.fromkeys(of_pairs)}
    assert document["values"] == {"quality": {"clarity": 2.5, "overall": None}, **of_pairs}
    assert document["n_unscored"] == 3


def test_shares_of_a_checklist_over_tasks_and_over_items(told: Any) -> None:
    def row(task: int, recall: tuple[int, float | None], form: tuple[int, float | None]) -> Any:
        kinds = {"recall": recall, "form": form}
        items, shares = ({kind: both[n] for kind, both in kinds.items()} for n in (0, 1))
        return {"task": task, "system": "S", "items": items, "shares": shares}

    rows = (
        row(1, (2, 1.0), (2, 0.0)),
        row(1, (6, 0.5), (2, None)),
        row(2, (2, 0.0), (8, 1.0)),
        row(3, (1, None), (1, None)),
    )
    _, document, _ = told("rubric", *rows)
    assert [one["total"] for one in document["rows"]] == [0.5, 0.5, 0.8, None]
    found = document["values"]["by_system"]["S"]
    assert found["macro"] == {"recall": 0.375, "form": 0.5, "total": pytest.approx((0.5 + 0.8) / 2)}
    assert found["micro"] == {"recall": 0.5, "form": 0.8, "total": pytest.approx(13 / 20)}
    assert found["n_unscored"] == document["n_unscored"] == 1


def test_a_tie_matches_only_a_tie_and_agrees_with_no_order(told: Any) -> None:
    def row(query: str, a: Any, b: Any, x: Any, y: Any) -> Any:
        return {"query": query, "criterion": "c", "judge": {"A": a, "B": b}, "human": {"A": x, "B": y}}

    alone = {"query": "q3", "criterion": "c", "judge": {"A": 5}, "human": {"A": 5}}
    _, document, _ = told("agreement", row("q1", 1, 3, 2, 4), row("q2", 2, 2, 2, 9), alone)
    values = document["values"]
    assert (values["pca"], values["pca_chance"]) == (0.5, 0.25)
    assert values["mard"] == values["mad_by_report"] == pytest.approx((1 + 1 + 0 + 7 + 0) / 5)
    # Totals (judge, people): (1, 2) (3, 4) (2, 2) (2, 9) (5, 5); six of the ten pairs have one order on both sides.
    assert values["par"] == pytest.approx(6 / 10)
    assert document["rows"] == []


@pytest.mark.parametrize("scores", [[(5, 1), (5, 2), (5, 3)], [(5, 1)], []])
def test_without_any_difference_there_is_no_correlation(told: Any, scores: list[tuple[int, int]]) -> None:
    rows = [
        {"query": n, "criterion": "c", "judge": {"A": x}, "human": {"A": y}}
        for n, (x, y) in enumerate(scores)
    ]
    code, document, _ = told("agreement", *rows)
    assert document["values"]["pearson"] is document["values"]["spearman"] is None
    assert document["values"]["pca"] is document["values"]["pca_chance"] is None
    assert document["values"]["par"] == (0 if len(scores) > 1 else None)
    assert code == (not scores), "a file without a row is no result"


def test_a_report_under_other_persons_criteria(told: Any) -> None:
    def row(x: str, y: str, p: Any, task: int = 1) -> Any:
        return {"task": task, "criteria_of": x, "report_of": y, "p": p}

    rows = [row("a", "a", 7), row("a", "a", 9), row("a", "b", 4), row("a", "c", 6), row("b", "b", 5)]
    _, document, _ = told("swap", *rows, row("b", "a", 6), row("b", "c", None), row("d", "a", 1, task=2))
    assert document["values"]["by_task"] == {
        "1": {"delta": {"a": 3, "b": -1}, "cfa_min": -1, "a_min": 5},
        "2": {"delta": {"d": None}, "cfa_min": None, "a_min": None},
    }
    assert document["n_unscored"] == 1


PQR = {"weights": {"D": 1}, "criteria": {"D": criteria([5])}}
REFUSED: list[tuple[str, Any, str]] = [
    ("pqr", b"{", "not JSON"),
    ("pqr", [PQR], "not an object"),
    ("pqr", {**PQR, "wieghts": {}}, "wieghts: no such key"),
    ("pqr", {"weights": {"D": 1}}, "criteria: is missing"),
    ("pqr", {**PQR, "weights": {"D": True}}, "weights.D: "),
    ("pqr", {**PQR, "weights": {"D": -1}}, "weights.D: "),
    ("pqr", {**PQR, "weights": {}}, "weights: "),
    ("pqr", {**PQR, "weights": {"E": 1}}, "criteria.D: `weights` has no such dimension"),
    ("pqr", {**PQR, "criteria": {"D": criteria(["9"])}}, "criteria.D.0.scores.0: "),
    ("pqr", {**PQR, "criteria": {"D": criteria([True])}}, "criteria.D.0.scores.0: "),
    ("pqr", {**PQR, "criteria": {"D": criteria([10.5])}}, "criteria.D.0.scores.0: "),
    ("pqr", {**PQR, "criteria": {"D": [{"weight": 1, "scores": [5], "name": "x"}]}}, "D.0.name: no such key"),
    ("pqr", {**PQR, "criteria": {"D": criteria([10**400])}}, "not JSON"),
    ("pqr", b'{"weights": {"D": NaN}, "criteria": {}}', "not JSON"),
    ("pqr", b'{"weights": {"D": -Infinity}, "criteria": {}}', "not JSON"),
    ("pqr", b'{"weights": {"D": 1e999}, "criteria": {}}', "not JSON"),
    ("pqr", b'{"weights": {"D": 1, "D": 2}, "criteria": {}}', "'D' stands there twice"),
    ("pqr", b'{"id": "\\ud800", "weights": {"D": 1}, "criteria": {}}', "not JSON"),
    ("pqr", b'{"weights": {"\xff": 1}, "criteria": {}}', "not JSON"),
    ("pqr", {**PQR, "id": 2**80}, "id: "),
    ("pqr", {**PQR, "id": [1]}, "id: a name or a whole number is asked, not list"),
    ("pqr", b"[" * 100_000, ""),
    ("pqr-r", {"claims": [{"cited": 1, "verdict": None}]}, "claims.0.cited: "),
    ("pqr-r", {"claims": [{"cited": True, "verdict": "true"}]}, "claims.0.verdict: "),
    ("pqr-r", {"claims": [{"cited": True}]}, "claims.0: verdict: missing"),
    ("fact", {"sources": []}, "task: is missing"),
    ("fact", {"task": 1, "sources": [{"error": None, "verdicts": []}]}, "sources.0.error: "),
    ("dr3", {"dq": 0}, "dq: "),
    ("dr3", {"ir_uf": [2]}, "ir_uf.0: "),
    ("dr3", {"fa": ["true"]}, "fa.0: "),
    ("dr3", {"required": [None]}, "required.0: a name or a whole number is asked"),
    ("dr3", {"follows": [True]}, "follows: no such key"),
    ("reporteval", {"quality": {"clarity": 5}}, "quality.clarity: "),
    ("reporteval", {"pairs": [-1]}, "pairs.0: "),
    ("reporteval", {"support": [2]}, "support.0: "),
    ("rubric", {"task": 1, "system": "S", "items": {"k": 1.5}, "shares": {}}, "items.k: "),
    (
        "rubric",
        {"task": 1, "system": "S", "items": {}, "shares": {"k": 0.5}},
        "shares.k: `items` has no such",
    ),
    ("rubric", {"task": 1, "system": "S", "items": {"total": 1}, "shares": {}}, "items.total: "),
    ("rubric", {"task": 1, "items": {}, "shares": {}}, "system: is missing"),
    (
        "agreement",
        {"query": 1, "criterion": 1, "judge": {"A": 1, "B": 2}, "human": {"A": 1}},
        "`B` stands in",
    ),
    ("swap", {"task": 1, "criteria_of": "a", "report_of": "b"}, "p: is missing"),
]


@pytest.mark.parametrize(("protocol", "row", "problem"), REFUSED)
def test_a_row_that_cannot_be_used_is_named(told: Any, protocol: str, row: Any, problem: str) -> None:
    code, document, error = told(protocol, b"", row, b"  ")
    (bad,) = document["bad_rows"]
    assert (code, bad["line"], document["n"]) == (1, 2, 0)
    assert problem in bad["problem"]
    assert "1 of 1 rows cannot be used; line 2: " in error
    assert error.count("\n") == 1


def test_the_others_are_still_computed_with_intervals_over_tasks(told: Any) -> None:
    kept = {**PQR, "id": 7, "task": "t", "system": "s", "meta": {"any": [1, None]}}
    code, document, _ = told("pqr", b"\xef\xbb\xbf" + json.dumps(kept).encode(), b"", {"a": 1}, PQR)
    assert (code, document["n"], document["values"]) == (1, 2, {"p": 5})
    assert [row.get("id") for row in document["rows"]] == [7, None]
    assert "id" not in document["rows"][1]
    assert document["bad_rows"][0]["line"] == 3
    rows = [{"task": n // 2, "weights": {"D": 1}, "criteria": {"D": criteria([n % 10])}} for n in range(40)]
    _, document, _ = told("pqr", *rows, options=("--ci",))
    span = document["intervals"]["p"]
    assert span["ci_low"] < document["values"]["p"] == 4.5 < span["ci_high"]
    same = [row | {"criteria": {"D": criteria([row["task"] % 10])}} for row in rows]  # type: ignore[operator]
    alone = [{key: value for key, value in row.items() if key != "task"} for row in same]
    wide, narrow = (told("pqr", *them, options=("--ci",))[1]["intervals"]["p"] for them in (same, alone))
    assert wide["ci_high"] - wide["ci_low"] > 1.2 * (narrow["ci_high"] - narrow["ci_low"])


def test_a_file_that_cannot_be_read_is_misuse(tmp_path: Path, drr: Drr) -> None:
    wide = tmp_path / "wide.jsonl"
    wide.write_text(json.dumps(PQR), encoding="utf-16")
    for file in (tmp_path / "none.jsonl", tmp_path, wide):
        code, out, err = drr("aggregate", "pqr", file, "--json")
        assert (code, out) == (2, "") and str(file) in err
    assert "pqrs" in drr.err("aggregate", "pqrs", wide)


def test_a_protocol_has_a_readable_table_that_says_what_does_not_differ(tmp_path: Path, drr: Drr) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(PQR) + "\n" + json.dumps({"weights": 1}) + "\n", encoding="utf-8")
    printed = drr.out("aggregate", "pqr", file, "--ci", code=1)
    assert "5.000" in printed
    assert "line 2: " in printed
    assert "1 row, 0 without an answer, 1 that cannot be used." in printed
    row = {"weights": {"GOAL": 1.0}, "criteria": {"GOAL": [{"weight": 1, "scores": [8]}]}}
    file = tmp_path / "scores.jsonl"
    file.write_text(f"{json.dumps(row)}\n" * 14, encoding="utf-8")
    assert "[6.738, 8.315] all equal (n=14)" in drr.out("aggregate", "pqr", file, "--ci")
