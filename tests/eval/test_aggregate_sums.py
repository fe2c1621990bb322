"""`drr papers aggregate` over random rows: an interval holds its value, and each protocol has a table."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.eval.stats import protocols
from drr.eval.stats.aggregate import aggregate

from tests.commands import Drr

Row = dict[str, Any]


def score(rng: random.Random, low: int, high: int) -> Any:
    return rng.choice([None, rng.randint(low, high), round(rng.uniform(low, high), 2)])


def pqr_row(rng: random.Random) -> Row:
    dims = rng.sample(["GOAL", "CONT", "PRES", "ACTI"], rng.randint(1, 4))
    criteria = {}
    for dim in dims:
        if rng.random() < 0.9:
            criteria[dim] = [
                {
                    "weight": round(rng.uniform(0.05, 0.5), 2),
                    "scores": rng.choice(
                        [
                            None,
                            [score(rng, 0, 10) for _ in range(rng.randint(0, 3))],
                            [rng.randint(0, 10)] * 3,
                        ]
                    ),
                }
                for _ in range(rng.randint(0, 3))
            ]
    return {"weights": {dim: round(rng.random(), 2) for dim in dims}, "criteria": criteria}


def reliability_row(rng: random.Random) -> Row:
    verdicts = ["supported", "unsupported", "unknown", None]
    return {
        "claims": [
            {"cited": rng.random() < 0.7, "verdict": rng.choice(verdicts)} for _ in range(rng.randint(0, 6))
        ]
    }


def fact_row(rng: random.Random) -> Row:
    verdicts = ["supported", "supported", "unsupported", "unknown", None]
    return {
        "task": rng.randint(1, 8),
        "system": rng.choice("ST"),
        "sources": [
            {"error": rng.random() < 0.4, "verdicts": rng.choices(verdicts, k=rng.randint(0, 3))}
            for _ in range(rng.randint(0, 3))
        ],
    }


def dr3_row(rng: random.Random) -> Row:
    row: Row = {
        "ir_uf": rng.choices([1, 0.5, 0, None], k=rng.randint(0, 4)),
        "ir_sc": rng.choices([1, 0.5, 0, None], k=4),
        "required": rng.choices("abcd", k=rng.randint(0, 4)),
        "cited": rng.choices("abcdef", k=rng.randint(0, 4)),
        "fa": rng.choices([True, False, None], k=3),
        "if": rng.choices([True, False, None], k=3),
        "dq": rng.choice([None, 1, 7, 8.5]),
    }
    return {name: value for name, value in row.items() if rng.random() < 0.9}


def reporteval_row(rng: random.Random) -> Row:
    row: Row = {
        "quality": {n: score(rng, 0, 4) for n in rng.sample(["clarity", "coherence", "overall"], 2)},
        "pairs": [score(rng, 0, 4) for _ in range(rng.randint(0, 4))],
        "support": rng.choices([-1, 0, 1, None], k=rng.randint(0, 4)),
    }
    return {name: value for name, value in row.items() if rng.random() < 0.9}


def rubric_row(rng: random.Random) -> Row:
    kinds = rng.sample(["recall", "analysis", "form"], 2)
    return {
        "task": rng.randint(1, 400),
        "system": rng.choice("ST"),
        "items": {kind: rng.randint(0, 9) for kind in kinds},
        "shares": {kind: rng.choice([None, round(rng.random(), 3)]) for kind in kinds},
    }


def agreement_row(rng: random.Random) -> Row:
    query = rng.randint(1, 12)
    sides = "A" if query == 12 else "AB"
    return {
        "query": query,
        "criterion": f"c{rng.randint(1, 5)}",
        "judge": {side: score(rng, 0, 10) for side in sides},
        "human": {side: rng.randint(0, 4) for side in sides},
    }


def swap_row(rng: random.Random) -> Row:
    persons = ["anna", "ben", 3]
    return {
        "task": rng.randint(1, 60),
        "criteria_of": rng.choice(persons),
        "report_of": rng.choice(persons),
        "p": rng.choice([None, round(rng.uniform(0, 10), 2), round(rng.uniform(0, 10), 2)]),
    }


MADE: dict[str, Callable[[random.Random], Row]] = {
    "pqr": pqr_row,
    "pqr-r": reliability_row,
    "fact": fact_row,
    "dr3": dr3_row,
    "reporteval": reporteval_row,
    "rubric": rubric_row,
    "agreement": agreement_row,
    "swap": swap_row,
}


@pytest.mark.parametrize("protocol", protocols())
def test_an_interval_holds_its_value_and_every_table_can_be_printed(
    protocol: str, tmp_path: Path, drr: Drr
) -> None:
    file = tmp_path / "rows.jsonl"
    rng = random.Random(3)
    file.write_text("".join(json.dumps(MADE[protocol](rng)) + "\n" for _ in range(80)), encoding="utf-8")
    found = aggregate(protocol, file, intervals=True)
    values = found["values"] if protocol != "swap" else {}
    spans = list(held(found["intervals"], values))
    assert found["bad_rows"] == [] and all(low <= value <= high for low, value, high in spans)
    assert spans or protocol == "swap"
    assert protocol in drr.out("aggregate", protocol, file, "--ci")


def held(intervals: Any, values: Any) -> Iterator[tuple[float, float, float]]:
    for name, span in intervals.items():
        if name not in values:
            continue
        if "ci_low" not in span:
            yield from held(span, values[name])
        elif span["ci_low"] is not None:
            yield span["ci_low"] - 1e-9, values[name], span["ci_high"] + 1e-9
