"""Pages packed into sizes. Each size is a beginning of the next, every supportive page is in the first, and
the share of distractors is the same in all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from drr.env.errors import Misuse
from drr.papers.dr3.corpus.known import CasePage
from drr.papers.dr3.corpus.pool import PoolPage
from drr.papers.dr3.corpus.stamps import TaskBeginnings

DISTRACTORS = 0.1
"""Of all pages of a size."""
_OWN, _OWN_LATER, _FIRST, _RELATED = 0.16, 0.05, 12, 0.32
"""Of the noise: pages about what or whom the case is about (of so many first, and of those that only larger corpora have), and with them those of its
theme."""
_WITHIN, _PROMISED = 0.012, 0.02
"""Of a size, where packing stops, and what is promised."""
_LAST_TOKENS = 1_900
_DEALT = 10
"""Pages of a deck from which one is dealt."""
_DOUBT = 2
_LOOKED_AT, _IN_THREES = 24, 20


@dataclass(frozen=True)
class Packed:
    order: tuple[PoolPage, ...]
    distractors: tuple[CasePage, ...]
    ends: dict[str, int]
    """By size: how many pages of the order it has."""


class NoiseDeck:
    """The noise of one task, part of it of the theme of the case. It is dealt from the end, and of the next
    few pages comes the one that says least again."""

    def __init__(
        self,
        related: list[PoolPage],
        others: list[PoolPage],
        asides: Iterator[PoolPage],
        beginnings: TaskBeginnings,
        rng: Random,
        before: Collection[str] = (),
    ) -> None:
        """Take `before`, the titles of pages that other tasks were dealt. They lie at the bottom, and none is
        looked at while there is another."""
        self._related, self._others, self._asides, self._rng = related, others, asides, rng
        self._stale = {id(deck): sum(page.title in before for page in deck) for deck in (related, others)}
        self._beginnings = beginnings
        self._said: set[int] = set()
        self._own = 0

    def draw(self) -> PoolPage | None:
        """Draw the next page. `None` where the pool is at its end, of whatever sort the page should be."""
        first, second, drawn = self._related, self._others, self._rng.random()
        if drawn < (_OWN if self._own < _FIRST else _OWN_LATER) and (first or second):
            page = next(self._asides)
            self._own += 1
            self.heard(page)
            return page
        if drawn >= _RELATED:
            first, second = second, first
        while deck := next(
            (one for one in (first, second) if len(one) > self._stale[id(one)]), first or second
        ):
            last, least = len(deck) - 1, self._stale[id(deck)]
            least = least if last >= least else 0
            page = deck.pop(
                min(range(last, max(least - 1, last - _DEALT), -1), key=lambda at: self._again(deck[at]))
            )
            if self._beginnings.agree(page):
                self._beginnings.note(page)
                self.heard(page)
                return page
        return None

    def heard(self, page: PoolPage) -> None:
        self._said |= page.said

    def _again(self, page: PoolPage) -> float:
        """The share of its sentences that were said before; of a short page it is known less well."""
        return (len(page.said & self._said) + _DOUBT) / (len(page.said) + 10 * _DOUBT)

    def fill(self, room: int) -> list[PoolPage]:
        """One to three of the next pages that come nearest to so many tokens."""
        near = (self._others or self._related)[-_LOOKED_AT:]
        choices: list[tuple[PoolPage, ...]] = [(one,) for one in near]
        choices += [*combinations(near, 2), *combinations(near[:_IN_THREES], 3)]
        choices.sort(key=lambda some: abs(room - sum(one.tokens for one in some)))
        best = next((some for some in choices if self._beginnings.agree(*some)), ())
        for one in best:
            (self._others or self._related).remove(one)
            self._beginnings.note(one)
        return list(best)


def packed(
    supportive: Sequence[CasePage],
    distractors: Iterator[CasePage],
    noise: NoiseDeck,
    sizes: Mapping[str, int],
    rng: Random,
) -> Packed:
    order: list[PoolPage] = []
    part = [one.page for one in supportive]
    against: list[CasePage] = []
    ends: dict[str, int] = {}
    reached = sum(page.tokens for page in part)
    for page in part:
        noise.heard(page)
    for name, target in sorted(sizes.items(), key=lambda item: item[1]):
        while target - reached > max(_LAST_TOKENS, target * _WITHIN):
            if len(against) < round(DISTRACTORS * (len(order) + len(part) + 1)):
                against.append(next(distractors))
                drawn = against[-1].page
                noise.heard(drawn)
            else:
                drawn = _next(noise, name)
            part.append(drawn)
            reached += drawn.tokens
        if target - reached > target * _WITHIN:
            filling = noise.fill(target - reached)
            part += filling
            reached += sum(page.tokens for page in filling)
        if abs(target - reached) > _PROMISED * target:
            raise Misuse(
                f"a corpus of {name} came to {reached} tokens: its {len(supportive)} supportive pages do not fit; take larger sizes"
            )
        rng.shuffle(part)
        order += part
        part = []
        ends[name] = len(order)
    return Packed(tuple(order), tuple(against), ends)


def has_room(filled: Packed, sizes: Mapping[str, int], tokens: int) -> bool:
    """Tell whether a page of the smallest size may have so many tokens more. Every size must still be what is promised."""
    reached, start = 0, 0
    for name, end in filled.ends.items():
        reached += sum(page.tokens for page in filled.order[start:end])
        start = end
        if abs(sizes[name] - reached - tokens) > _PROMISED * sizes[name]:
            return False
    return True


def _next(noise: NoiseDeck, name: str) -> PoolPage:
    page = noise.draw()
    if page is None:
        raise Misuse(
            f"the pool has too few pages for a corpus of {name}; give it more pages or take smaller sizes"
        )
    return page
