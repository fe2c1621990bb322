"""Reads the limit that a question sets for all that is bought together.

It knows closed forms of each language, from `locales/budgets.toml`: `no more than $300 in all`, `mein Budget: 300 €`. An amount beside a
word that may make it something else is not understood. Reports are not read so.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from drr.wording.currencies import names_of
from drr.wording.currency import Currency
from drr.wording.figures import Quantity
from drr.wording.locale import FOLDER
from drr.wording.money import FOREIGN, amounts, names_currency, without_foreign
from drr.wording.vocabulary import any_word_pattern

_LONGEST = 4_000
"""Most characters of a question that are read."""
_NEAR = 160
"""Most characters of a sentence that are read on each side of an amount."""
_STOP = re.compile(r"[.;!?](?=\s|$)|\n")
_GAP = r"[\s,:=()*–—-]{1,4}"


class StatedLimit(NamedTuple):
    """The limit of a question in which an amount stands."""

    most: float | None
    """None where the limit is not understood."""


class _Place(NamedTuple):
    """An amount and what stands around it in its sentence."""

    value: float
    before: str
    behind: str


class BudgetWords:
    """The closed forms of one language."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        def some(*names: str) -> str:
            return rf"(?<!\w)(?:{any_word_pattern(word for name in names for word in words[name])})(?!\w)"

        def found(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        between = rf"(?:{_GAP}{some('filler', 'whole', 'noun')}){{0,6}}?{_GAP}"
        beyond = rf"{some('no')}{between}{some('beyond')}"
        known = rf"(?:{beyond}|{some('noun', 'cap', 'behind', 'whole', 'filler')})"
        self._ahead, self._then = found(rf"(?:{known}{_GAP})*$"), found(rf"(?:{_GAP}{known})*")
        self._caps = found(rf"{beyond}|{some('cap', 'behind')}")
        self._cap, self._cap_behind = found(rf"{beyond}|{some('noun', 'cap')}"), found(some("noun", "behind"))
        self._floor, self._more = found(rf"{some('floor')}{_GAP}$"), found(rf"{_GAP}{some('more')}")
        self._each = found(some("each"))
        self._each_behind = found(rf"(?:{_GAP}{some('filler')}){{0,4}}{_GAP}{some('each')}")
        self._noun, self._whole, self._past = found(some("noun")), found(some("whole")), found(some("past"))
        self._open, self._soft = found(some("open", "each")), found(some("soft"))
        self._join, self._one, self._several = (
            found(some("joins")),
            found(some("one")),
            found(some("several")),
        )
        self._of, self._buys = found(rf"{some('of')}\s$"), found(rf"\s{some('buys')}\s{some('one')}")

    def readings(self, text: str, stated: Sequence[Quantity]) -> set[float | None]:
        """Return the limit of the whole: none where no word says so, `None` where something speaks against it."""
        places = [one for one in self._places(text, stated) if not self._is_other(one)]
        read = {self._is_limit(one, text) for one in places}
        if read == {None}:
            return set()
        is_clear = read == {True} and len({one.value for one in places}) == 1 and not self._soft.search(text)
        return {places[0].value if is_clear else None}

    def _places(self, text: str, stated: Sequence[Quantity]) -> Iterator[_Place]:
        """Yield each amount with its part of a sentence; of a range only the larger end."""
        ranges = {
            high.start: low
            for low, high in pairwise(stated)
            if (joint := text[low.end : high.start].strip()) in ("-", "–") or self._join.fullmatch(joint)
        }
        lows = {one.start for one in ranges.values()}
        kept = [one for one in stated if one.start not in lows]
        cuts = [0]
        for one, other in pairwise(kept):
            cuts.append(self._cut(text, one.end, ranges.get(other.start, other).start))
        cuts.append(len(text))
        for index, one in enumerate(kept):
            start = ranges.get(one.start, one).start
            before = _STOP.split(text[max(cuts[index], start - _NEAR) : start])[-1]
            behind = _STOP.split(text[one.end : min(cuts[index + 1], one.end + _NEAR)], maxsplit=1)[0]
            yield _Place(one.value, before, behind)

    def _cut(self, text: str, start: int, end: int) -> int:
        """Return where the words of the next amount begin: at the first comma, else the last join."""
        comma = text.find(",", start, end)
        return (
            comma
            if comma >= 0
            else max((one.start() for one in self._join.finditer(text, start, end)), default=end)
        )

    def _is_other(self, one: _Place) -> bool:
        """Tell whether an amount is the most for each thing, or was paid before."""
        is_past = self._past.search(one.before) and not self._noun.search(one.before)
        return bool(self._each.search(one.before) or self._each_behind.match(one.behind) or is_past)

    def _is_limit(self, one: _Place, text: str) -> bool | None:
        """Tell whether an amount is the limit of the whole; `None` where no word says so."""
        ahead, then = self._ahead.search(one.before), self._then.match(one.behind)
        first, last = ahead[0] if ahead else "", then[0] if then else ""
        before, behind = one.before[: len(one.before) - len(first)], one.behind[len(last) :]
        capped = self._cap.search(first) or self._cap_behind.search(last)
        is_named = self._noun.search(first) or self._noun.search(last)
        is_whole = self._whole.search(first) or self._whole.search(last)
        is_whole = is_whole or (capped and (self._whole.search(before) or self._whole.search(behind)))
        is_all = bool(is_whole or (capped and self._is_single(one, behind, text)))
        if not is_named and not is_all:
            return None
        if self._floor.search(before) or self._more.match(one.behind) or self._more.match(behind):
            return False
        is_open = self._open.search(self._caps.sub("|", f"{one.before}|{one.behind}"))
        return not is_open and (is_all or not self._each.search(text))

    def _is_single(self, one: _Place, behind: str, text: str) -> bool:
        """Tell whether a question asks for one thing alone: `a lamp under $30`, `at most $30 for a lamp`."""
        named = list(self._one.finditer(text))
        if len(named) != 1 or self._several.search(text) or len(amounts(text)) != 1:
            return False
        before = self._one.search(one.before)
        bought = self._buys.match(behind) or self._buys.search(one.behind[: -len(behind) or None])
        return bool(bought or (before and not self._of.search(one.before[: before.start()])))


@cache
def _languages() -> Mapping[str, BudgetWords]:
    table = tomllib.loads((FOLDER / "budgets.toml").read_text("utf-8"))
    return {language: BudgetWords(words) for language, words in table.items()}


def stated_limit(question: str, money: Currency) -> StatedLimit | None:
    """Return the limit of a question in a shop's currency; `None` where no amount stands in it.

    English is tried where the shop's language says nothing. Where no language is known all are tried, and none may object.
    """
    text = without_foreign(question[:_LONGEST].replace("’", "'"), money.code)
    named = (
        rf"(?<=\d)\s?(?:{any_word_pattern(names_of(money.code))})(?!\w)"  # `60 euros` also amid a sentence
    )
    text = money.stated(re.sub(named, f" {money.code}", text, flags=re.I))
    stated = amounts(text)
    if not stated or any(one.approx for one in stated):
        return StatedLimit(None) if stated or FOREIGN in text or names_currency(text) else None
    own = (money.language or "").partition("-")[0]
    known = _languages()
    if own in known:
        found = known[own].readings(text, stated) or known["en"].readings(text, stated)
    else:
        found = {one for words in known.values() for one in words.readings(text, stated)}
    return StatedLimit(found.pop() if len(found) == 1 else None)
