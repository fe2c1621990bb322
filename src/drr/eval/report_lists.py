"""Reads the lists of a report that repeat its form, under the headings `Picks`, `Figures` and `Refusals`.

    ## Figures
    - 3: $29.49 [it](http://ecommerce.example/B08BASHAWX)

An item of the last two begins with its point, and a figure stands right behind that. Nothing else of a report is read. What our page
shows is read, so a list counts in code, in a tag or as a picture too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from drr.citations.links import scan
from drr.citations.parse import parse
from drr.env.checkable import parse_figure, same_figure
from drr.eval.asking.safety import visible_report
from drr.eval.checks.mentions import body_lines
from drr.wording.money import FOREIGN, amounts

_POINT = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\**(?:[Pp]oint )?(\d{1,3})[.):*]+[ \t]*")
_FIGURE = re.compile(r"\d{4}-\d\d-\d\d|\d[\d,]*(?:\.\d+)?")
_SIGN = re.compile(r"`|~~~|!(?=\[)|<(?!/?sup>)")
"""The beginning of code, a picture or a tag, in which no link is looked for."""

_PIECES = range(1, 10)


class ListItem(NamedTuple):
    text: str
    url: str | None
    """Address of the item's first link or marker."""

    @property
    def dollars(self) -> list[float]:
        return [one.value for one in amounts(self.text)]


class ListedPick(NamedTuple):
    url: str
    pieces: int


@dataclass(frozen=True)
class ReportLists:
    """The lists of one report."""

    report: str

    def items(self, heading: str) -> list[ListItem] | None:
        """Return the items under each heading of that name; `None` without such a heading."""
        shown = _SIGN.sub(lambda sign: " " * len(sign[0]), visible_report(self.report, None))
        named = within = False
        begins: list[tuple[int, bool]] = []
        for line in body_lines(shown):
            if line.kind == "heading":
                within = line.text.strip("# \t\r").casefold() == heading
                named = named or within
                begins.append((line.start, False))
            elif line.kind == "item":
                begins.append((line.start, within))
            elif line.after_blank and not line.text[0].isspace():
                begins.append((line.start, False))  # a new paragraph, such as the total of the list
        if not named:
            return None
        sources = parse(self.report).sources  # a page does not show the definitions of its links
        defined = "\n".join(f"[{number}]: {one.url}" for one in sources for number in one.numbers)
        marked = [(one.start, one.url) for one in parse(f"{shown}\n\n{defined}").markers if one.url]
        addresses = sorted(marked + [(link.start, link.url) for link in scan(shown).links])
        items = []
        for (start, wanted), (end, _) in pairwise([*begins, (len(shown), False)]):
            if wanted:
                own = [url for place, url in addresses if start <= place < end]
                items.append(ListItem(shown[start:end], own[0] if own else None))
        return items

    @cached_property
    def picks(self) -> list[ListItem] | None:
        """Return the items under `Picks` that have an address; `None` without the heading."""
        items = self.items("picks")
        return None if items is None else [one for one in items if one.url]

    @cached_property
    def figures(self) -> dict[int, str]:
        """Return the figure right behind each point under `Figures`. An amount in another currency is none."""
        before = ((point, text.partition("[")[0]) for point, text in self.labelled("figures"))
        found = ((point, _FIGURE.search(text)) for point, text in before if FOREIGN not in text)
        return {point: match[0] for point, match in found if match}

    @cached_property
    def refusals(self) -> set[int]:
        return {point for point, _ in self.labelled("refusals")}

    @cached_property
    def pointed_picks(self) -> dict[int, list[ListedPick]]:
        """Return the items under `Picks` by point: `- 3: 4 x [Title](address)`, `- 3: 4 x Title [7]`."""
        found: dict[int, list[ListedPick]] = {}
        for one in self.picks or ():
            if label := _POINT.match(one.text):
                pieces = _pieces(one.text[label.end() :].partition("[")[0])
                found.setdefault(int(label[1]), []).append(ListedPick(one.url or "", pieces))
        return found

    def other_figures(self, figures: Mapping[int, object]) -> int:
        """Count figures that the form states otherwise."""
        return sum(
            point in figures and not _same(figures[point], read) for point, read in self.figures.items()
        )

    def wrong_prices(self, prices: Sequence[float | None]) -> int:
        """Count picks beside whose link another price stands. The price of up to nine pieces is no other price."""
        beside = [(one.dollars, price) for one, price in zip(self.picks or (), prices, strict=True)]
        return sum(
            bool(beside_it and price and not any(_same(price * n, one) for one in beside_it for n in _PIECES))
            for beside_it, price in beside
        )

    def labelled(self, heading: str) -> Iterator[tuple[int, str]]:
        """Yield the items under a heading that begin with a point, each with the text behind that."""
        for one in self.items(heading) or ():
            if label := _POINT.match(one.text):
                yield int(label[1]), one.text[label.end() :]


def _pieces(before: str) -> int:
    """Return the pieces that stand before a link or marker, 1 without any. A measure such as `3 x 5 ft` is part of a title."""
    first, *title = before.replace("\u00d7", "x").split() or [""]
    count = first.removesuffix("x")
    if not count.isdecimal() or len(count) > 3 or (first == count and title and title.pop(0) != "x"):
        return 1
    return 1 if title and title[0][0].isdigit() else int(count)


def _same(stated: object, read: object) -> bool:
    number = parse_figure(stated)
    return same_figure(str(stated)[:10] if number is None else number, read)
