"""What a sentence names, in its order: products by name, link, noun or pronoun, pairs and lists of them, and those that are not in play."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.makers import PlaceNamed
from drr.eval.checks.strangers import Strangers

Form = Literal["named", "thing", "pair", "pronoun", "stranger"]

_LONGEST = 60
"""Characters between two names of one list."""
_JOINT = re.compile(
    r"[\s*_)\]”\"]{0,4}(?:,|,?\s(?:and|or|plus)|\s?[&/+])\s[\s*_(\[“\"]{0,3}(?:(?:the|its|an?|both)\s)?[\s*_(\[“\"]{0,3}",
    re.I,
)
"""Between two names of one list."""
_PAIRED = re.compile(
    r"\b(?:the|its|their|this|that)\s(?P<word>former|latter|rival|other(?:\sone)?|sibling|sister|competitor|counterpart)\b(?!\s[a-z]{3})",
    re.I,
)
_ITSELF = re.compile(
    r"[\s*_(]{0,6}(?:(?:and|but|plus|also|still|yet|while|though)[, ]\s?)?(?:it|its|it['’]s|it['’]ll|this(?:\sone)?|that(?:\sone|['’]s)?|they|their|they['’]re|he|she)\b",
    re.I,
)
_STRANGER = re.compile(r"(?<=[\w,;:(–—-] )[\"“*_]{0,3}(?P<name>[A-Z][a-z]{3,}[\w'’-]*)")


class PlaceMeant(NamedTuple):
    """A place of a sentence that stands for products; for none of those in play where the set is empty."""

    start: int
    end: int
    products: frozenset[str]
    form: Form
    linked: bool
    together: frozenset[str] = frozenset()
    """All that are named in a list with it; empty where it stands alone."""

    @property
    def own(self) -> PlaceMeant:
        """Without those that it is listed with."""
        return self._replace(together=frozenset())


class PlacesMeant:
    """Reads sentence by sentence; `before` says who is named before one, the last ones last, and `told` whom the last sentence spoke of."""

    def __init__(
        self,
        plain: str,
        named: Callable[[Span], Sequence[PlaceNamed]],
        things: Callable[[Span], Iterable[PlaceNamed]],
        before: Callable[[Span], Sequence[frozenset[str]]],
        told: Callable[[Span], frozenset[str]],
        strangers: Strangers,
    ) -> None:
        self._plain = plain
        self._named, self._things, self._before, self._told = named, things, before, told
        self._strangers = strangers
        self._groups: dict[Span, list[PlaceMeant]] = {}

    def groups(self, sentence: Span) -> list[PlaceMeant]:
        """What a sentence names; a name and its link are one."""
        if sentence not in self._groups:
            self._groups[sentence] = list(self._joined(_merged(self._places(sentence))))
        return self._groups[sentence]

    def _places(self, sentence: Span) -> list[PlaceMeant]:
        found = [
            PlaceMeant(one.start, min(one.end, sentence[1]), one.products, "named", one.linked)
            for one in self._named(sentence)
        ]
        taken = [(one.start, one.end) for one in found]
        more: list[PlaceMeant] = [
            PlaceMeant(one.start, one.end, one.products, "thing", False) for one in self._things(sentence)
        ]
        more += [
            PlaceMeant(low, high, frozenset(), "stranger", True)
            for low, high in self._strangers.pages(sentence)
        ]
        more += self._paired(sentence, found)
        for match in _STRANGER.finditer(self._plain, *sentence):
            if self._strangers.is_one(match["name"]):
                more.append(PlaceMeant(*match.span("name"), frozenset(), "stranger", False))
        itself = _ITSELF.match(self._plain, *sentence)
        if itself is not None and (past := self._told(sentence)):
            more.append(PlaceMeant(*itself.span(), past, "pronoun", False))
        for one in sorted(more, key=lambda one: (one.start, -one.end)):
            if not any(low < one.end and one.start < high for low, high in taken):
                taken.append((one.start, one.end))
                found.append(one)
        return sorted(found)

    def _paired(self, sentence: Span, named: Sequence[PlaceMeant]) -> Iterable[PlaceMeant]:
        """`the former`, `its rival`: of the last two that were named."""
        for match in _PAIRED.finditer(self._plain, *sentence):
            here = [one.products for one in named if one.end <= match.start()]
            past = [one for one in (*self._before(sentence), *here) if one]
            last = list(dict.fromkeys(reversed(past)))[:2]
            word = match["word"].casefold()
            if len(last) < 2 or any(len(one) > 1 for one in last):
                products = frozenset[str]().union(*last)
            elif word in ("former", "latter"):
                first_named = [one for one in dict.fromkeys(past) if one in last]
                products = first_named[0] if word == "former" else first_named[1]
            else:
                products = last[1]  # beside the one that is spoken of
            yield PlaceMeant(*match.span(), products, "pair", False)

    def _joined(self, groups: Sequence[PlaceMeant]) -> Iterable[PlaceMeant]:
        """Names of one list stand for all of them."""
        low = 0
        while low < len(groups):
            high = low + 1
            while high < len(groups) and self._is_joint(groups[high - 1], groups[high]):
                high += 1
            some = groups[low:high]
            if len(some) > 1:
                products = frozenset[str]().union(*(one.products for one in some))
                yield from (one._replace(together=products) for one in some)
            else:
                yield some[0]
            low = high

    def _is_joint(self, one: PlaceMeant, other: PlaceMeant) -> bool:
        between = self._plain[one.end : other.start]
        return (
            len(between) < _LONGEST
            and one.products != other.products
            and "stranger" not in (one.form, other.form)
            and _JOINT.fullmatch(between) is not None
        )


def _merged(places: Sequence[PlaceMeant]) -> list[PlaceMeant]:
    """Places one behind the other that stand for the same."""
    found: list[PlaceMeant] = []
    for one in places:
        last = found[-1] if found else None
        if last is not None and last.products and (one.products == last.products) and one.form != "pronoun":
            found[-1] = last._replace(end=max(last.end, one.end), linked=last.linked or one.linked)
        elif last is not None and one.linked and one.products and one.products < last.products:
            found[-1] = last._replace(end=max(last.end, one.end), products=one.products, linked=True)
        else:
            found.append(one)
    return found
