"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, read_round, run

pytestmark = pytest.mark.rounds

REACHED = {
    "round1": (55, 0),
    "round2": (73, 0),
    "round3": (57, 1),
    "round4": (58, 0),
    "round5": (71, 0),
    "round6": (62, 0),
    "round7": (54, 0),
    "round8": (33, 0),
    "round9": (54, 0),
    "round10": (50, 1),
    "round11": (65, 0),
    "round12": (52, 0),
    "round13": (49, 0),
    "round14": (45, 0),
    "round15": (52, 0),
    "round16": (45, 0),
    "round17": (47, 0),
    "round18": (49, 1),
    "round19": (45, 0),
    "round20": (43, 1),
    "round21": (49, 3),
    "round22": (49, 0),
    "round23": (45, 1),
    "round24": (44, 0),
    "round25": (35, 0),
    "round26": (47, 0),
    "round27": (49, 0),
    "round28": (41, 0),
    "round29": (46, 0),
    "round30": (43, 0),
    "round31": (44, 4),
    "round32": (30, 9),
    "round33": (37, 6),
    "round34": (40, 3),
    "round35": (42, 1),
    "round36": (32, 4),
}
"""Round -> plants caught at least, clean texts failed at most. Those of plants were lowered when what is not certain was no longer accused, when accusations were weighed, which fails fewer clean texts of writers unseen, and with the second weights (CHANGELOG); since the readers by every meaning they are what was reached; round 24 lost one when a day of another order that is named there was no longer accused, round 18 one to a basket that happens to come to the amount."""


@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    seen = run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"))
    caught, alarmed = REACHED[name]
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms
