"""A material or colour of a part (`steel buckle`, `cotton fill`) where the record of the one product meant names that part with another.

What the whole thing is made of is read elsewhere. A part has a material of its own, which a record gives in a detail (`Buckle Material: aluminum`) or in words
(`polyester fill that keeps its shape`, `four buckles of aluminum`). The same part said to be of another material, none of whose words stand in the record, is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.details.binding import OnesMeant
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.attributes import ATTRIBUTES

_MANY = 40
_MOST = 200
"""Words of a report that are looked into."""
_BEFORE = 32
_PART_BEHIND = re.compile(r"[\s*_]{1,3}(?P<part>[a-z]{3,14})(?![\w-])", re.I)
_PART_BEFORE = re.compile(
    r"\b(?P<part>[a-z]{3,14})\s(?:of|in|is|are|made\s(?:of|from))[\s*_]{1,3}(?:an?\s)?$", re.I
)
_LABEL = re.compile(r"(?P<part>[A-Za-z]{3,14})\s(?P<group>Material|Colou?r)")
_GROUPS = {"Material": "material", "Color": "colour", "Colour": "colour"}
"""By the last word of a detail's name."""
_ALIKE = {"aluminium": "aluminum", "gray": "grey", "faux leather": "leather"}
_LED_AWAY = re.compile(
    r"\b(?:than|or|against|for|your|my|mine|his|her)[\s*_\"“-]{1,3}(?:an?\s|the\s)?$", re.I
)
"""Before a value: it is another thing's, though its clause does not say so."""
_NO_PARTS = frozenset(
    folded_words(
        "and with for but one ones version model item set pack pair color colour finish option edition thing things look effect tone or in on at look-alike"
    )
)


class PartValue(NamedTuple):
    part: str
    group: str
    word: str
    start: int
    end: int


def parts_otherwise(mentions: Mentions) -> Iterator[Accusation]:
    """Materials and colours of parts that the record of the one product meant has otherwise."""
    yield from islice(_PartsOtherwise(mentions).found(), _MANY)


class _PartsOtherwise:
    def __init__(self, mentions: Mentions) -> None:
        self._plain = mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._residue = residue_of(mentions)
        self._meant = OnesMeant(mentions, self._cast)
        self._asked = set(folded_words(mentions.subject.query or ""))

    def found(self) -> Iterator[Accusation]:
        for said, span in islice(self._every(), _MOST):
            if (own := self._otherwise(said, span)) is not None:
                shown = self._plain[said.start : said.end]
                why = f"said {shown!r} of its {said.part}, the record says {', '.join(sorted(own[1]))} ({own[0]})"
                yield Accusation("part_value", (said.start, said.end), why, Certainty.ADJOINED)

    def _every(self) -> Iterator[tuple[PartValue, Span]]:
        for _, span in self._cast.prose.running():
            for one in _of_parts(self._plain[slice(*span)]):
                yield one._replace(start=one.start + span[0], end=one.end + span[0]), span

    def _otherwise(self, said: PartValue, span: Span) -> tuple[str, frozenset[str]] | None:
        """What the record of the one product says of the part instead."""
        one = self._meant.at(said.start, said.end, span)
        own = None if one is None else _recorded(one.product).get((said.part, said.group))
        if one is None or own is None:
            return None
        words = set(folded_words(said.word))
        if words & self._asked or words & set(folded_words(record_text(one.product))):
            return None
        if any(
            each in ATTRIBUTES.kinds_of(said.word) or said.word in ATTRIBUTES.kinds_of(each) for each in own
        ):
            return None
        if ATTRIBUTES.is_otherwise(self._plain[slice(*self._cast.prose.clause_at(said.start))]):
            return None
        if _LED_AWAY.search(self._plain[max(span[0], said.start - _BEFORE) : said.start]):
            return None
        return None if self._residue.cites_the_web(span) else (one.product.product_id, own)


def _of_parts(text: str) -> Iterator[PartValue]:
    """`steel buckle`, `four buckles of aluminum`."""
    for said in ATTRIBUTES.said(text):
        if said.group not in _GROUPS.values():
            continue
        behind = _PART_BEHIND.match(text, said.end)
        before = _PART_BEFORE.search(text[max(0, said.start - _BEFORE) : said.start])
        for match in filter(None, (behind, before)):
            part = folded_words(match["part"])[0]
            if part not in _NO_PARTS and not any(
                ATTRIBUTES.of(one, match["part"]) for one in _GROUPS.values()
            ):
                yield PartValue(part, said.group, _plainly(said.word), said.start, said.end)


def _plainly(word: str) -> str:
    return _ALIKE.get(word, word)


@lru_cache(maxsize=512)
def _recorded(product: Product) -> dict[tuple[str, str], frozenset[str]]:
    """Of the parts that a record names with a material or a colour, which."""
    found: dict[tuple[str, str], set[str]] = {}
    for text in (*product.features, *product.description, product.title):
        for value in _of_parts(text):
            found.setdefault((value.part, value.group), set()).add(value.word)
    for key, stated in product.details.items():
        label = _LABEL.fullmatch(key)
        if label is not None and isinstance(stated, str):
            group = _GROUPS[label["group"]]
            if words := set(map(_plainly, ATTRIBUTES.of(group, stated))):
                found.setdefault((folded_words(label["part"])[0], group), set()).update(words)
    return {key: frozenset(words) for key, words in found.items()}
