"""Holds the list `Wishes` of a report in a talk of version 2 against its form.

    ## Wishes
    - 2: returned 1 x [order](user://U/orders/123), $18.40
    - 3: refused by window

An item begins with its wish and the act. Pieces and sums are read where they stand as in these; prose is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from drr.env.service.case import ShopClauseName
from drr.env.service.served import ServedAct, ServedWish
from drr.eval.report_lists import ReportLists
from drr.eval.rewards.rewarded import Rewarded
from drr.wording.money import amounts

BARE = 0.2
"""The share that is paid for what the form says and the report does not."""
_PIECES = re.compile(r"(\d{1,3}) [x\u00d7] ")
_WORD = re.compile(r"[a-z]+")
_ACTS, _CLAUSES = frozenset(get_args(ServedAct)), frozenset(get_args(ShopClauseName))


def wishes(answer: Rewarded) -> float:
    """Return the share of wishes that are served and answered rightly. What the form alone says counts for `BARE`."""
    outcome = answer.talk
    listed = _listed(answer.lists, outcome.answers)
    return sum(1.0 if listed.get(point) else BARE for point in outcome.right) / len(outcome.done)


def truthful(answer: Rewarded) -> float:
    """Return the share of answers that agree with the records and that the report does not contradict."""
    outcome = answer.talk
    listed = _listed(answer.lists, outcome.answers)
    right = sum(listed.get(point) is not False for point in outcome.true)
    return right / outcome.stated if outcome.stated else 0.0


def _listed(lists: ReportLists, answers: Mapping[int, ServedWish]) -> dict[int, bool | None]:
    """Tell whether the list says of a wish what the form says. `None`: it names no clause or no figure."""
    found: dict[int, bool | None] = {}
    for point, text in lists.labelled("wishes"):
        if point in answers:
            found[point] = _agrees(text, answers[point])
    return found


def _agrees(text: str, one: ServedWish) -> bool | None:
    words = _WORD.findall(text.partition("[")[0].lower())
    act = words[0] if words else ""
    if act != one.act:
        return False if act in _ACTS else None
    if one.act in ("refused", "allowed"):
        named = _CLAUSES & {*words[1:]}
        return None if not named else named == {one.clause}
    pieces = sorted(int(count) for count in _PIECES.findall(text))
    sums = [amount.value for amount in amounts(text)]
    if one.money is not None and not sums:
        return None
    same_sum = one.money is None or any(abs(one.money - value) < 0.005 for value in sums)
    return same_sum and (not pieces or pieces == sorted(one.pieces.values()))
