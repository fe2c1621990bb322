"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, read_round, run

pytestmark = pytest.mark.rounds

REACHED = {
    "round1": (61, 0),
    "round2": (75, 0),
    "round3": (54, 0),
    "round4": (58, 0),
    "round5": (72, 0),
    "round6": (62, 0),
    "round7": (54, 0),
    "round8": (32, 0),
    "round9": (52, 0),
    "round10": (46, 0),
    "round11": (66, 0),
    "round12": (49, 2),
    "round13": (44, 3),
    "round14": (45, 5),
}
"""Round -> plants caught at least, clean texts failed at most. Those of plants were lowered once, when what is not certain was no longer accused (CHANGELOG)."""


@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    seen = run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"))
    caught, alarmed = REACHED[name]
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms
