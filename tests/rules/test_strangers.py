"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, read_round, run

pytestmark = pytest.mark.rounds

REACHED = {
    "round1": (50, 0),
    "round2": (68, 0),
    "round3": (53, 1),
    "round4": (56, 0),
    "round5": (68, 0),
    "round6": (60, 0),
    "round7": (52, 0),
    "round8": (29, 0),
    "round9": (53, 0),
    "round10": (47, 1),
    "round11": (62, 0),
    "round12": (49, 0),
    "round13": (48, 0),
    "round14": (42, 1),
    "round15": (49, 0),
    "round16": (42, 0),
    "round17": (45, 0),
    "round18": (47, 1),
    "round19": (43, 0),
    "round20": (41, 0),
    "round21": (46, 3),
    "round22": (48, 0),
    "round23": (41, 0),
    "round24": (38, 0),
    "round25": (34, 0),
    "round26": (45, 0),
    "round27": (49, 0),
    "round28": (39, 0),
    "round29": (43, 0),
    "round30": (43, 0),
    "round31": (41, 0),
    "round32": (30, 5),
    "round33": (36, 3),
    "round34": (40, 1),
    "round35": (42, 0),
    "round36": (37, 2),
    "round37": (38, 0),
    "round38": (37, 1),
    "round39": (33, 4),
    "round40": (41, 1),
    "round41": (34, 3),
    "round42": (29, 4),
    "round43": (36, 2),
    "round44": (22, 5),
    "round45": (28, 2),
    "round46": (34, 5),
    "round47": (36, 2),
    "round48": (41, 2),
    "round49": (31, 4),
    "round50": (34, 10),
    "round51": (39, 6),
    "round52": (46, 2),
}
"""Round -> plants caught at least, clean texts failed at most. Those of plants were lowered when what is not certain was no longer accused, when accusations were weighed, which fails fewer clean texts of writers unseen, and with the second weights (CHANGELOG); since the readers by every meaning they are what was reached; round 24 lost one when a day of another order that is named there was no longer accused, round 18 one to a basket that happens to come to the amount; all but six were lowered, by 82 of 1,732 in all, when an amount that nothing in sight comes to was accused only where the last reader of figures agrees (`accusing/agreed.py`), and when what is not linked, some cents and short names were left alone. In rounds 3 and 14 one clean text each is accused since what a record has otherwise is weighed (`recorded/`); its bars were raised when six writers more had met it, which cost round 39 three. Round 45 lost one when amounts were weighed by plain readings too, which gained ten on other rounds: there another amount than the planted one was accused."""


@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    seen = run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"))
    caught, alarmed = REACHED[name]
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms
