"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, read_round, run

REACHED = {
    "round1": (61, 0),
    "round2": (79, 0),
    "round3": (56, 0),
    "round4": (61, 0),
    "round5": (78, 0),
    "round6": (61, 0),
    "round7": (55, 0),
    "round8": (21, 9),
}
"""Round -> plants caught at least, clean texts failed at most. They move one way only."""


@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    seen = run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"))
    caught, alarmed = REACHED[name]
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms
