"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, read_round, run

pytestmark = pytest.mark.rounds

REACHED = {
    "round1": (62, 0),
    "round2": (77, 0),
    "round3": (61, 0),
    "round4": (59, 0),
    "round5": (76, 0),
    "round6": (62, 0),
    "round7": (56, 0),
    "round8": (34, 0),
    "round9": (54, 0),
    "round10": (47, 0),
    "round11": (69, 0),
    "round12": (50, 1),
    "round13": (47, 2),
    "round14": (46, 2),
    "round15": (42, 10),
    "round16": (40, 5),
    "round17": (37, 9),
    "round18": (40, 9),
}
"""Round -> plants caught at least, clean texts failed at most. Those of plants were lowered once, when what is not certain was no longer accused (CHANGELOG)."""


@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    seen = run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"))
    caught, alarmed = REACHED[name]
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms
