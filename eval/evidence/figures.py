"""Tells which figures of a claim a text does not state: arithmetic on amounts of money is no invention."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from drr.eval.evidence.words import plain
from drr.wording.figures import Number, numbers
from drr.wording.tolerance import same_number

_MOST_AMOUNTS = 16
"""Of a text, that are added up."""
_MULTIPLES = range(2, 13)


def missing_numbers(claim: str, text: str) -> list[str]:
    """List the figures of a claim that the text neither states nor gives by adding up its amounts."""
    stated = numbers(text, words=True)
    return [
        n.text
        for n in numbers(plain(claim))
        if not any(same_number(n, s) for s in stated) and not _worked_out(n, stated)
    ]


def _worked_out(claimed: Number, stated: Sequence[Number]) -> bool:
    """A sum of two or three stated amounts, their difference, or a small multiple of one."""
    if claimed.kind != "money":
        return False
    amounts = list(dict.fromkeys(s.value for s in stated if s.kind == "money"))[:_MOST_AMOUNTS]
    results = [sum(group) for size in (2, 3) for group in combinations(amounts, size)]
    results += [abs(a - b) for a, b in combinations(amounts, 2)]
    results += [count * amount for amount in amounts for count in _MULTIPLES]
    return any(same_number(claimed, claimed._replace(value=r, base=r, decimals=2)) for r in results)
