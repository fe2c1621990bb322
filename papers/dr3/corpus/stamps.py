"""Pages of the pool as they stand in the corpora of a task. Months become years, counted back from its date
and the purchase (`calendar`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from zlib import crc32

from drr.papers.dr3.corpus.calendar import codes, year_of
from drr.papers.dr3.corpus.pool import PoolPage
from drr.papers.dr3.corpus.ranking import PieceBags

_NUMBER = re.compile(r"(?<=[-_])\d{3,5}$|(?<=/)\d{3,5}(?=[-/])")
"""Of an address, as `page` writes them."""


def dated(page: PoolPage, today: date, bought: date) -> PoolPage:
    """Date a page, the same for the same day and purchase. With another date, or other years in it, it has another address."""
    if not page.is_shared:
        return page
    found = codes(page.text)
    if not found and page.age is None:
        return page
    day = page.day(today) or today
    years = {code: year_of(code, day, bought) for code in found}
    url = _numbered(page.url, f"{day}/{years}")
    text, folded = page.text, page.folded
    head = page.head.replace(page.url.encode(), url.encode(), 1)
    for code, year in years.items():
        text, folded = text.replace(code, year), folded.replace(code, year)
        head = head.replace(code.encode(), year.encode())
    return replace(
        page,
        url=url,
        text=text,
        folded=folded,
        head=head,
        pieces=_bags(page.pieces, years) if years else page.pieces,
    )


@dataclass(frozen=True)
class TaskBeginnings:
    """The beginnings of what the pages of a task speak of: one month for each, whichever of them says it."""

    today: date
    bought: date
    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def agree(self, *pages: PoolPage) -> bool:
        """Tell whether they agree with those that are known, and with each other."""
        said: dict[tuple[str, str], str] = {}
        return all(
            self.known.get(key, month) == said.setdefault(key, month) == month
            for page in pages
            for key, month in self._months(page)
        )

    def note(self, page: PoolPage) -> None:
        self.known.update(self._months(page))

    def _months(self, page: PoolPage) -> Iterator[tuple[tuple[str, str], str]]:
        day = page.day(self.today) or self.today
        for key, month in page.begun.items():
            name, _, code = month.partition(" ")
            yield key, f"{name} {year_of(code, day, self.bought)}"


def _numbered(url: str, said: str) -> str:
    return _NUMBER.sub(str(100 + crc32(f"{url}/{said}".encode()) % 99_900), url, count=1)


def _bags(pieces: PieceBags, years: dict[str, str]) -> PieceBags:
    found = []
    for piece in pieces:
        bag = piece
        for code, year in years.items():
            if code in bag:
                bag = bag.copy()
                bag[year] += bag.pop(code)
        found.append(bag)
    return tuple(found)
