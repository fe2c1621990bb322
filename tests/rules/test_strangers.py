"""Texts by writers who had never seen the rules: what was reached on a round is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from drr.env.shop import Shop

from benchmarks import mistakes
from benchmarks.first_contact import ROUNDS, StrangerText, read_round, run
from benchmarks.mistakes import KEPT, KeptReader

OLD = 48
"""Rounds up to this one are read by halves here, every second text, and as a whole by `make endurance`."""
REACHED = {
    "round1": (31, 0),
    "round2": (37, 0),
    "round3": (28, 0),
    "round4": (28, 0),
    "round5": (36, 0),
    "round6": (29, 0),
    "round7": (22, 0),
    "round8": (16, 0),
    "round9": (27, 0),
    "round10": (22, 0),
    "round11": (32, 0),
    "round12": (27, 0),
    "round13": (25, 0),
    "round14": (24, 1),
    "round15": (28, 0),
    "round16": (24, 0),
    "round17": (24, 0),
    "round18": (24, 1),
    "round19": (25, 0),
    "round20": (24, 1),
    "round21": (25, 1),
    "round22": (25, 0),
    "round23": (21, 0),
    "round24": (23, 1),
    "round25": (20, 0),
    "round26": (26, 0),
    "round27": (23, 0),
    "round28": (25, 0),
    "round29": (24, 0),
    "round30": (25, 0),
    "round31": (24, 0),
    "round32": (20, 4),
    "round33": (22, 3),
    "round34": (22, 0),
    "round35": (19, 0),
    "round36": (21, 0),
    "round37": (23, 0),
    "round38": (19, 0),
    "round39": (20, 0),
    "round40": (21, 0),
    "round41": (21, 1),
    "round42": (13, 0),
    "round43": (20, 1),
    "round44": (19, 1),
    "round45": (22, 1),
    "round46": (19, 2),
    "round47": (20, 0),
    "round48": (25, 1),
    "round49": (33, 1),
    "round50": (40, 3),
    "round51": (40, 0),
    "round52": (51, 1),
    "round53": (51, 0),
    "round54": (49, 0),
    "round55": (43, 0),
    "round56": (50, 0),
    "round57": (42, 0),
    "round58": (45, 0),
    "round59": (43, 0),
    "round60": (33, 0),
    "round61": (47, 0),
    "round62": (47, 0),
    "round63": (49, 0),
    "round64": (45, 0),
    "round65": (52, 0),
    "round66": (50, 0),
    "round67": (50, 0),
    "round68": (40, 0),
    "round69": (41, 0),
    "round70": (52, 0),
    "round71": (45, 4),
    "round72": (50, 2),
    "round73": (47, 0),
    "round74": (46, 0),
    "round75": (44, 1),
    "round76": (45, 0),
    "round77": (44, 3),
    "round78": (47, 2),
    "round79": (42, 2),
    "round80": (40, 1),
    "round81": (45, 0),
    "round82": (44, 1),
    "round83": (43, 3),
    "round84": (21, 7),
}
"""Round -> plants caught at least, clean texts failed at most: what was reached when the readers of a text's own figures had come. Why floors moved before, the CHANGELOG says."""
WHOLE = {
    "round1": (57, 0),
    "round2": (74, 0),
    "round3": (56, 0),
    "round4": (58, 0),
    "round5": (70, 0),
    "round6": (63, 0),
    "round7": (54, 0),
    "round8": (33, 0),
    "round9": (53, 0),
    "round10": (50, 1),
    "round11": (67, 0),
    "round12": (52, 0),
    "round13": (49, 0),
    "round14": (49, 0),
    "round15": (55, 0),
    "round16": (50, 0),
    "round17": (48, 0),
    "round18": (49, 1),
    "round19": (48, 0),
    "round20": (45, 1),
    "round21": (45, 3),
    "round22": (52, 0),
    "round23": (44, 0),
    "round24": (46, 0),
    "round25": (38, 0),
    "round26": (53, 0),
    "round27": (50, 0),
    "round28": (45, 0),
    "round29": (46, 0),
    "round30": (45, 0),
    "round31": (41, 0),
    "round32": (37, 5),
    "round33": (41, 3),
    "round34": (46, 1),
    "round35": (45, 0),
    "round36": (39, 1),
    "round37": (41, 0),
    "round38": (38, 0),
    "round39": (37, 2),
    "round40": (43, 0),
    "round41": (38, 1),
    "round42": (33, 3),
    "round43": (37, 1),
    "round44": (26, 2),
    "round45": (36, 2),
    "round46": (37, 4),
    "round47": (37, 1),
    "round48": (44, 2),
}
"""The same of old rounds as a whole."""


def number(name: str) -> int:
    return int(name.removeprefix("round"))


def reads_no_worse(shop: Shop, texts: Sequence[StrangerText], caught: int, alarmed: int) -> None:
    seen = run(shop, texts)
    assert seen.caught.total() >= caught, seen.misses
    assert seen.alarmed.total() <= alarmed, seen.alarms


@pytest.mark.rounds
@pytest.mark.parametrize("name", sorted(path.stem for path in ROUNDS.glob("round*.jsonl")))
def test_a_used_round_reads_no_worse(name: str, rules_shop: Shop) -> None:
    texts = read_round(ROUNDS / f"{name}.jsonl")
    reads_no_worse(rules_shop, texts[::2] if number(name) <= OLD else texts, *REACHED[name])


@pytest.mark.rounds
@pytest.mark.parametrize("name", [f"round{n}" for n in range(79, 85)])
def test_a_judge_who_read_twice_is_still_asked_the_same(name: str, rules_shop: Shop) -> None:
    """Where prompts or evidence change, what was measured is measured anew (`benchmarks/mistakes.py`); a rule may change some second readings."""
    seen = asyncio.run(
        mistakes.run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"), KeptReader(KEPT, None), 1)
    )
    assert seen.unread <= 13, "one text in ten: ask a judge again"
    assert seen.caught.total() >= seen.planted.total() - 1 and seen.alarmed.total() <= 1, seen.told


@pytest.mark.endurance
@pytest.mark.parametrize("name", sorted(WHOLE))
def test_an_old_round_as_a_whole_reads_no_worse(name: str, rules_shop: Shop) -> None:
    reads_no_worse(rules_shop, read_round(ROUNDS / f"{name}.jsonl"), *WHOLE[name])
