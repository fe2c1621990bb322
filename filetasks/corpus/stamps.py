"""The months that pages state: codes in the pool, years once a page stands in the corpora of a task, counted back from its date and the purchase.

Which code it is says how many years before the latest such month it lies. A code is as long as a year, so that lengths, pieces and tokens are
those of the pool.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from drr.filetasks.corpus.pool import PoolPage
from drr.filetasks.corpus.ranking import PieceBags
from drr.filetasks.corpus.statement import STAMP, month_and_years

_LEAST = 20
"""Days from a month to a page that speaks of it, or to the purchase."""
_SINCE = 0.1
"""Of pages: those that may speak of months after the purchase."""
_FORM = re.compile(STAMP)


def dated(page: PoolPage, today: date, bought: date) -> PoolPage:
    """As it stands in the corpora of a task; the same day and purchase give the same page."""
    codes = sorted(set(_FORM.findall(page.text)))
    if not codes:
        return page
    last = latest(page.url, today if page.age is None else today - timedelta(days=page.age), bought)
    years = {code: _year(code, last) for code in codes}
    text, folded, head = page.text, page.folded, page.head
    for code, year in years.items():
        text, folded = text.replace(code, year), folded.replace(code, year)
        head = head.replace(code.encode(), year.encode())
    return replace(page, text=text, folded=folded, head=head, pieces=_bags(page.pieces, years))


def latest(url: str, day: date, bought: date) -> date:
    """What a page states holds for purchases of that time, as what is needed does; of some pages only, up to their own day."""
    after = Random(f"{url}/since").random() < _SINCE
    return (day if after else min(day, bought)) - timedelta(days=_LEAST)


def stamped(text: str, last: date) -> str:
    return _FORM.sub(lambda code: _year(code[0], last), text)


def _year(code: str, last: date) -> str:
    month, years = month_and_years(code)
    return str(last.year - (month > last.month) - years)


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
