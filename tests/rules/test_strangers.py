"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, read_round, run

pytestmark = pytest.mark.rounds

REACHED = {
    "round1": (51, 0),
    "round2": (64, 2),
    "round3": (52, 1),
    "round4": (54, 0),
    "round5": (69, 0),
    "round6": (53, 0),
    "round7": (52, 0),
    "round8": (33, 0),
    "round9": (53, 0),
    "round10": (48, 1),
    "round11": (62, 0),
    "round12": (46, 1),
    "round13": (45, 2),
    "round14": (41, 0),
    "round15": (46, 1),
    "round16": (41, 0),
    "round17": (38, 2),
    "round18": (40, 2),
    "round19": (30, 2),
    "round20": (36, 4),
    "round21": (29, 9),
    "round22": (32, 6),
    "round23": (28, 4),
    "round24": (30, 11),
    "round25": (23, 4),
    "round26": (30, 5),
}
"""Round -> plants caught at least, clean texts failed at most. Those of plants were lowered when what is not certain was no longer accused, when accusations were weighed, which fails fewer clean texts of writers unseen, and with the second weights (CHANGELOG)."""


@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    seen = run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"))
    caught, alarmed = REACHED[name]
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms
