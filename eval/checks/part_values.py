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
from drr.eval.checks.cast import Meant, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.detail_figures import is_named_first
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_text
from drr.eval.checks.residue import residue_of
from drr.wording.attributes import ATTRIBUTES

_MANY = 40
_MOST = 200
"""Words of a report that are looked into."""
_PART_BEHIND = re.compile(r"[\s*_]{1,3}(?P<part>[a-z]{3,14})(?![\w-])", re.I)
_PART_BEFORE = re.compile(
    r"\b(?P<part>[a-z]{3,14})\s(?:of|in|is|are|made\s(?:of|from))[\s*_]{1,3}(?:an?\s)?$", re.I
)
_LABEL = re.compile(r"^(?P<part>[A-Za-z]{3,14})\s(?P<group>Material|Colou?r)$")
_ALIKE = {"aluminium": "aluminum", "gray": "grey", "faux leather": "leather"}
_GROUPS = ("material", "colour")
_LED_AWAY = re.compile(
    r"\b(?:not|no|never|without|instead\sof|rather\sthan|than|unlike|like|nor|neither|any|your|my|mine|his|her|other|another|or|either|for|against)[\s*_\"“-]{1,3}(?:an?\s|the\s)?$",
    re.I,
)
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
    yield from islice(_PartValues(mentions).found(), _MANY)


def _of_parts(text: str) -> Iterator[PartValue]:
    """`steel buckle`, `four buckles of aluminum`."""
    for said in ATTRIBUTES.said(text):
        if said.group not in _GROUPS:
            continue
        behind = _PART_BEHIND.match(text, said.end)
        before = _PART_BEFORE.search(text[max(0, said.start - 32) : said.start])
        for match in (behind, before):
            if match is None:
                continue
            part = folded_words(match["part"])[0]
            if part not in _NO_PARTS and not any(ATTRIBUTES.of(group, match["part"]) for group in _GROUPS):
                word = _ALIKE.get(said.word, said.word)
                yield PartValue(part, said.group, word, said.start, said.end)


@lru_cache(maxsize=512)
def _recorded(product: Product) -> dict[tuple[str, str], frozenset[str]]:
    """Of the parts that a record names with a material or a colour, which."""
    found: dict[tuple[str, str], set[str]] = {}
    for one in (*product.features, *product.description, product.title):
        for value in _of_parts(one):
            found.setdefault((value.part, value.group), set()).add(value.word)
    for key, value in product.details.items():
        if isinstance(value, str) and (label := _LABEL.match(key)) is not None:
            group = "material" if label["group"] == "Material" else "colour"
            if words := {_ALIKE.get(word, word) for word in ATTRIBUTES.of(group, value)}:
                found.setdefault((folded_words(label["part"])[0], group), set()).update(words)
    return {key: frozenset(words) for key, words in found.items()}


class _PartValues:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._residue = residue_of(mentions)
        self._asked = set(folded_words(mentions.subject.query or ""))
        self._called = [(one.start, one.end) for one in (*mentions.called, *mentions.references)]

    def found(self) -> Iterator[Accusation]:
        for said, span in islice(self._every(), _MOST):
            if (own := self._otherwise(said, span)) is not None:
                shown = self._plain[said.start : said.end]
                why = f"said {shown!r} of its {said.part}, the record says {', '.join(sorted(own[1]))} ({own[0]})"
                yield Accusation("part_value", (said.start, said.end), why, Certainty.ADJOINED)

    def _every(self) -> Iterator[tuple[PartValue, Span]]:
        for line in self._mentions.layout.lines:
            if line.kind not in ("head_row", "rule_row", "elision", "row", "heading"):
                for span in self._cast.prose.sentences(line):
                    for one in _of_parts(self._plain[slice(*span)]):
                        yield one._replace(start=one.start + span[0], end=one.end + span[0]), span

    def _otherwise(self, said: PartValue, span: Span) -> tuple[str, frozenset[str]] | None:
        meant = self._cast.meant_at(said.start, said.end)
        product = self._cast.products.get(meant.only or "")
        if product is None or not meant.certain or not self._is_bound(meant, span, said.start):
            return None
        own = _recorded(product).get((said.part, said.group))
        if own is None or any(low <= said.start < high for low, high in self._called):
            return None
        words = set(folded_words(said.word))
        if words & set(folded_words(record_text(product))) or words & self._asked:
            return None
        if any(one in ATTRIBUTES.kinds_of(said.word) or said.word in ATTRIBUTES.kinds_of(one) for one in own):
            return None
        clause = self._cast.prose.clause_at(said.start)
        if ATTRIBUTES.is_otherwise(self._plain[slice(*clause)]):
            return None
        if _LED_AWAY.search(self._plain[max(span[0], said.start - 24) : said.start]):
            return None
        return None if self._residue.cites_the_web(span) else (product.product_id, own)

    def _is_bound(self, meant: Meant, span: Span, start: int) -> bool:
        """To the one product that its sentence names, or to that of the heading or item above it."""
        if not is_named_first(self._cast, span, start):
            return False
        whom = {one.products for one in self._cast.referents.groups(span) if one.form != "pronoun"}
        if meant.bound >= Certainty.CLAUSE:
            return True
        return not meant.contrast and whom <= {meant.products}
