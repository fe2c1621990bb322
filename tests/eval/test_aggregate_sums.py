"""`drr papers aggregate` over random rows: an interval holds its value, and each protocol has a table."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.eval.stats import protocols
from drr.eval.stats.aggregate import aggregate

from tests.commands import Drr

VERDICTS = ("supported", "supported", "unsupported", "unknown", None)
SHARES, GRADES = (1, 0.5, 0, None), (None, 0, 1, 2.25, 3, 4)
SCORED = [{"weight": (0.05, 0.3, 0.5), "scores": (None, [None, 7, 9.5], [3, 8, 2], [5] * 3, [])}]
CRITERIA = dict.fromkeys(("GOAL", "CONT", "PRES", "ACTI"), SCORED)
NUMBERS, ANY = tuple(range(1, 61)), (None, 0, 0.25, 4, 7.5, 10)
ROWS: dict[str, Any] = {
    "pqr": {"weights": dict.fromkeys(CRITERIA, (0.0, 0.2, 0.7)), "criteria": CRITERIA},
    "pqr-r": {"claims": [{"cited": (True, True, False), "verdict": VERDICTS}]},
    "fact": {"task": NUMBERS[:8], "system": "ST", "sources": [{"error": (True, False), "verdicts": [VERDICTS]}]},
    "dr3": {
        "ir_uf?": [SHARES], "ir_sc?": [SHARES], "required?": ["abcd"], "cited?": ["abcdef"],
        "fa?": [(True, False, None)], "if?": [(True, False, None)], "dq?": (None, 1, 7, 8.5),
    },
    "reporteval": {
        "quality?": {"clarity?": GRADES, "coherence?": GRADES, "overall?": GRADES},
        "pairs?": [GRADES], "support?": [(-1, 0, 1, None)],
    },
    "rubric": {
        "task": NUMBERS, "system": "ST", "items": {"recall": NUMBERS[:9], "form": NUMBERS[:9]},
        "shares": {"recall": (None, 0.125, 0.5, 1), "form": (None, 0.25, 0.9)},
    },
    "agreement": {
        "query": NUMBERS[:12], "criterion": ("c1", "c2", "c3"), "judge": {"A": ANY, "B": ANY},
        "human": {"A": NUMBERS[:4], "B": NUMBERS[:4]},
    },
    "swap": {"task": NUMBERS, "criteria_of": ("anna", "ben", 3), "report_of": ("anna", "ben", 3), "p": ANY},
}  # fmt: skip
"""A list holds up to four of its form, a tuple or a text are choices, and a field with a question mark may be missing."""


def made(rng: random.Random, form: Any) -> Any:
    if isinstance(form, dict):
        kept = [name for name in form if not name.endswith("?") or rng.random() < 0.9]
        return {name.rstrip("?"): made(rng, form[name]) for name in kept}
    if isinstance(form, list):
        return [made(rng, form[0]) for _ in range(rng.randint(0, 4))]
    return rng.choice(form)


@pytest.mark.parametrize("protocol", protocols())
def test_an_interval_holds_its_value_and_every_table_can_be_printed(
    protocol: str, tmp_path: Path, drr: Drr
) -> None:
    file, rng = tmp_path / "rows.jsonl", random.Random(3)
    file.write_text(
        "".join(json.dumps(made(rng, ROWS[protocol])) + "\n" for _ in range(80)), encoding="utf-8"
    )
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
