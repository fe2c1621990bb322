"""Pages of the pool as they stand in the corpora of a task: months become years, counted back from its date and the purchase (`calendar`)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from drr.filetasks.corpus.calendar import codes, year_of
from drr.filetasks.corpus.pool import PoolPage
from drr.filetasks.corpus.ranking import PieceBags


def dated(page: PoolPage, today: date, bought: date) -> PoolPage:
    """The same day and purchase give the same page."""
    found = codes(page.text)
    if not found:
        return page
    day = today if page.age is None else today - timedelta(days=page.age)
    years = {code: year_of(code, day, bought) for code in found}
    text, folded, head = page.text, page.folded, page.head
    for code, year in years.items():
        text, folded = text.replace(code, year), folded.replace(code, year)
        head = head.replace(code.encode(), year.encode())
    return replace(page, text=text, folded=folded, head=head, pieces=_bags(page.pieces, years))


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
