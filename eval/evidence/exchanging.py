"""A claim that is a copy of a sentence but for one place, where it has another figure or word, or a denial more or less.

`fail after 28 months` beside `fail after 26 months`: nobody comes to such a claim by saying the sentence in other words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from drr.env.text import tokens
from drr.eval.evidence.aligned import GRAMMAR, family
from drr.eval.evidence.amounting import Amounting
from drr.eval.evidence.likewise import holds
from drr.eval.evidence.meant import denies, says_same
from drr.wording.assertions import ASSERTIONS

_LONGEST = 70
"""Words of a sentence that are laid beside each other."""
_WIDEST = 3
"""Words that stand in the place of others, at most."""
_COPIED = 0.85
"""Share of a claim's words that stand in the sentence, in its order: from this on it is a copy."""


class _Place(NamedTuple):
    mine: tuple[str, ...]
    theirs: tuple[str, ...]


def exchanged(amounts: Amounting) -> str | None:
    """Why the claim is a copy with something exchanged; `None` where it is none, or what differs may mean the same."""
    return next(filter(None, (_copied(claim, amounts) for claim in _orders(amounts.beside.claim))), None)


def _orders(claim: str) -> Iterator[tuple[str, ...]]:
    """The claim's words as they stand and, where one comma divides them, with what is behind it first: `in winter, they say` for `they say that in winter`."""
    yield _words(claim)
    first, comma, second = claim.partition(", ")
    if comma and "," not in second:
        yield _words(f"{second.rstrip('.')} {first}")


def _copied(claim: tuple[str, ...], amounts: Amounting) -> str | None:
    beside = amounts.beside
    mine = _families(claim)
    ranked = sorted(range(len(beside.shares)), key=lambda i: (-beside.shares[i], i))[:2]
    laid = list[tuple[int, int]]()
    at = beside.best
    for i in dict.fromkeys((beside.best, *ranked)):
        found = common(mine, _families(_words(beside.sentences[i])))
        if len(found) > len(laid):
            laid, at = found, i
    if len(laid) < _COPIED * len(claim):
        return None
    theirs = _words(beside.sentences[at])
    places = list(_places(claim, theirs, laid))
    if any(ASSERTIONS.hedges.search(" ".join(words)) for place in places for words in place):
        return None  # how sure it is said to be, others weigh
    return next(filter(None, (_difference(place, amounts, at) for place in places)), None)


def _difference(place: _Place, amounts: Amounting, at: int) -> str | None:
    mine, theirs = (" ".join(words) for words in place)
    if denies(place.mine) != denies(place.theirs):
        return f"the evidence has '{theirs}' and not '{mine}': it says the opposite"
    if not mine or not theirs:
        return None
    figures = _is_figure(place.mine) and _is_figure(place.theirs)
    if _are_figures_other(amounts, at) if figures else _are_words_other(place):
        return f"the evidence has '{theirs}' in the place of '{mine}'"
    return None


def _places(mine: Sequence[str], theirs: Sequence[str], laid: Sequence[tuple[int, int]]) -> Iterator[_Place]:
    """Where one or both have other words beside those that both have; at an end only where both have some."""
    for (i, j), (k, m) in pairwise([(-1, -1), *laid, (len(mine), len(theirs))]):
        sizes = (k - i - 1, m - j - 1)
        inside = i >= 0 and k < len(mine)
        if (min(sizes) > 0 or (inside and max(sizes) > 0)) and max(sizes) <= _WIDEST:
            yield _Place(tuple(mine[i + 1 : k]), tuple(theirs[j + 1 : m]))


def _is_figure(words: Sequence[str]) -> bool:
    return any(word[0].isdigit() for word in words)


def _are_figures_other(amounts: Amounting, at: int) -> bool:
    """Whether the claim's figures are more than other tellings of the sentence's, each of one."""
    left = list(amounts.at[at])
    for one in amounts.own:
        same = next((other for other in left if holds(one, other)), None)
        if same is None:
            return True
        left.remove(same)
    return False


def _are_words_other(place: _Place) -> bool:
    """Words of weight on both sides that do not mean the same."""
    weighty = all(any(word not in GRAMMAR for word in words) for words in place)
    return weighty and not says_same(" ".join(place.mine), " ".join(place.theirs))


@lru_cache(maxsize=16384)
def _words(text: str) -> tuple[str, ...]:
    return tuple(tokens(text)[:_LONGEST])


@lru_cache(maxsize=16384)
def _families(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word if word in GRAMMAR else family(word) for word in words)


def common(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The longest run of words, with gaps, that both have in the same order: their places."""
    ahead = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        row, below = ahead[i], ahead[i + 1]
        for j in range(len(other) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if one[i] == other[j] else max(below[j], row[j + 1])
    i = j = 0
    found: list[tuple[int, int]] = []
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif ahead[i + 1][j] >= ahead[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
