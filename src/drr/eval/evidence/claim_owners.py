"""Finds what a line of a report belongs to: the item, link or heading above, whose citation its statements take.

Items indented below an item that is only a link, or a name with its mark, are about it; below an item that says more only lines with
a label (`Price: $21.99`) are. A line that names a thing of its own (`Alternative: the steel one`, `Order 56: ...`) ends this. So are items and labelled lines below a heading or a link on a line of its own. What stands below an item without citation is about
that item. All else stays open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from drr.citations.parse import Marker
from drr.eval.evidence.blocks import HOLD, ReportBlock
from drr.eval.evidence.citing_links import is_mark_by_nature
from drr.wording.vocabulary import vocabulary

_EDGE = f" \t*_`:.()[]{HOLD}"
_ARTICLES = ("a", "an", "the")
_ORDER = re.compile(r"order\s(?:id\s|number\s|no\.?\s)?[#`]?\w*\d", re.I)
_DENIED = re.compile(rf"(?:{vocabulary('facts').either('denied')})\s", re.I)
_LABEL_WORDS = 4
"""Most words of a label."""


@dataclass(slots=True)
class OpenItem:
    """An item of a list that is not yet over."""

    indent: int
    first: int
    """Index of its first claim."""
    urls: tuple[str, ...] = ()
    whole: bool = False
    """True if all items right below are about what it cites, not only labelled ones."""
    cites: bool = False
    """True if it cites, also what cannot be passed on."""


def urls_of(markers: Sequence[Marker]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(marker.url for marker in markers if marker.url is not None))


def names_its_source(markers: Sequence[Marker]) -> bool:
    """Tell whether citations are one link that names a thing, and no mark such as `[1]` or `[source](...)`."""
    forms = {marker.form for marker in markers}
    is_link = forms <= {"link", "html", "bare"}
    return is_link and len(urls_of(markers)) == 1 and not any(is_mark_by_nature(one.id) for one in markers)


def is_labelled(text: str) -> bool:
    """Tell whether each line is a label with a value."""
    return all(map(_is_label_and_value, filter(str.strip, text.splitlines())))


def _is_label_and_value(line: str) -> bool:
    label, colon, value = line.replace("*", "").replace("\uff1a", ": ").strip("_ \t>").partition(":")
    return bool(colon and value[:1].isspace() and value.strip()) and 0 < len(label.split()) <= _LABEL_WORDS


def begins_another(text: str, above: str) -> bool:
    """Tell whether a line begins an order, what is denied, or a thing whose name the words above lack."""
    return any(_begins_another(line, above) for line in text.splitlines())


def _begins_another(line: str, above: str) -> bool:
    plain = line.replace("*", "").replace("\uff1a", ": ").strip(f"_ \t>{HOLD}")
    label, colon, value = plain.partition(": ")
    words = (value if colon else plain).split()
    if colon and (any(map(str.isdigit, label)) or (words and words[0].casefold() in _ARTICLES)):
        return True
    is_order = _ORDER.match(plain) is not None
    denied = _DENIED.match(plain)
    name = plain[denied.end() :].split()[:2] if denied else words[:2] if has_name(plain) else []
    is_name = (
        bool(name)
        and all(word[:1].isupper() for word in name)
        and any(word.strip(",.;()") not in above for word in name)
    )
    return is_order or (is_name and (denied is not None or not colon or any(map(str.isdigit, value))))


def has_name(text: str) -> bool:
    """Tell whether a line, or the value behind its label, begins with two words in capitals."""
    words = text.replace("*", "").partition(": ")
    first = (words[2] or words[0]).strip(f"_ \t>{HOLD}").split()[:2]
    return len(first) > 1 and all(word[:1].isupper() for word in first)


class OpenItems:
    """The items around the place that is read, the innermost last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._items: list[OpenItem] = []

    def leave(self, block: ReportBlock) -> None:
        """Close the items that a block is no part of. A line right below an item belongs to it, whatever its indent."""
        if block.kind in ("heading", "title", "row"):
            self._items.clear()
        while self._items and (block.bulleted or block.parted) and self._items[-1].indent >= block.indent:
            self._items.pop()

    def clear(self) -> None:
        self._items.clear()

    @property
    def innermost(self) -> OpenItem | None:
        return self._items[-1] if self._items else None

    def given_to(self, block: ReportBlock) -> tuple[str, ...] | None:
        """Return the addresses that the item around gives to a block; `None` if it stands in no item. One that cites nothing is a thing of its own."""
        item = self.innermost
        if item is None:
            return None
        return item.urls if item.whole or is_labelled(self._text[block.start : block.end]) else ()

    def end_of_what_is_given(self) -> None:
        """Let the innermost item give nothing to what follows."""
        if self._items:
            self._items[-1].urls = ()

    def is_bare(self, block: ReportBlock) -> bool:
        """Tell whether a block has no words beside its citations."""
        return not self._text[block.start : block.end].lstrip(" \t>-+\u2022").strip(_EDGE)

    def open(self, block: ReportBlock, markers: Sequence[Marker], first: int, *, named: bool) -> None:
        """Enter an item. `named`: its words are only a name in bold letters. Of two addresses nobody can tell which is meant below."""
        urls = urls_of(markers)
        one = urls if len(urls) == 1 else ()
        self._items.append(OpenItem(block.indent, first, one, named or self.is_bare(block), bool(urls)))


def has_below(block: ReportBlock, below: ReportBlock | None) -> bool:
    """Tell whether the next block is a part of an item, because it is indented or right below."""
    if below is None or below.kind not in ("item", "text", "cluster"):
        return False
    return below.indent > block.indent or not (below.bulleted or below.parted)
