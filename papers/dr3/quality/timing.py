"""The dates of pages and whether they are possible together. They are read from the pages as anybody reads
them, whoever wrote them and whatever made them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from drr.papers.dr3.case import MADE
from drr.papers.dr3.corpus.stock import changes_with_make
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.values import month_of

_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
)
_YEAR, _LONGEST = re.compile(r"\d{4}\b"), len("September ")
_MADE = re.compile(
    rf"\b(?:made|make|[Vv]ersions?|change of|[Oo]lder ones|changed it|came out|out in|newer one|later one|after the change|was new|got mine|got ours|in the stores|from before)\b[^.|]*?({_MONTH.pattern})"
    rf"|({_MONTH.pattern}) version"
)
"""When a make began."""
_RUN = re.compile(r"\b(\d+) months\b")
_TESTED = re.compile(r"\blong(?:-term)? test\b|\bfirst letter\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"\bupkeep\b|\ba year with\b|\bin a year\b|\ba year on keeping\b|\bof a year add up\b", re.IGNORECASE
)
_REPORTS = ("long test", "long-term test", "first letter", "upkeep", "a year")
"""Where none of these stands, nobody reports how long he has had something."""


def months_in(text: str) -> Iterator[str]:
    return (month for _, month in months_at(text))


@lru_cache(maxsize=1024)
def months_at(text: str) -> tuple[tuple[int, str], ...]:
    """Find where a text says which months. Years are few, so that one looks for them and at what stands
    before; of one task several filters ask the same."""
    years = (
        _MONTH.search(text, max(0, year.start() - _LONGEST), year.end()) for year in _YEAR.finditer(text)
    )
    return tuple((found.start(), found[0]) for found in years if found)


def foreknowing(task: TaskMaterial) -> Iterator[str]:
    """No page speaks of a month later than its own date."""
    for page in task.pages:
        if page.date is None:
            continue
        late = [month for month in months_in(page.text) if month_of(month).isoformat() > page.date]
        if late:
            yield f"{page.url}: is of {page.date} and speaks of {late[0]}"


def of_another_make(task: TaskMaterial) -> Iterator[str]:
    """Check the makes of pages against the make of the thing. Where a file says when it was made, what is
    right dates from before that, and no page says another figure since a month between; where none does, no
    page speaks of a later make than the one that counts."""
    facts, pages = {fact.id: fact for fact in task.facts}, {page.url: page for page in task.known}
    months = {fact.subject: made_in(fact.value) for fact in task.facts if fact.attribute == MADE}
    for page in task.known:
        right = pages.get(page.made_from or "", page)
        fact = facts[page.change.fact if page.change else page.facts[0]]
        if page.as_of is None or right.as_of is None or not changes_with_make(fact.attribute):
            continue
        said, made = month_of(page.as_of), months.get(fact.subject)
        if page.change is None and made is not None and said >= made:
            yield f"{page.url}: is right of what was made since {page.as_of}, and the one at hand was made in {made:%B %Y}"
        elif page.change is None or page.change.kind == "other_model":
            continue
        elif said > month_of(right.as_of) and (made is None or said <= made):
            yield f"{page.url}: speaks of a later make than {right.url}, which the one at hand may be of"


def made_in(value: str) -> date:
    """The first day of `06/2018`."""
    month, _, year = value.partition("/")
    return date(int(year), int(month), 1)


def untimely(task: TaskMaterial) -> Iterator[str]:
    """Find pages, needed or not, that report on more months of a make than there were. The months are counted
    from its beginning to the page."""
    for page in task.pages:
        day = date.fromisoformat(page.date) if page.date else task.today
        if day is None:
            continue
        for months, since in reported(page):
            begun = month_of(since)
            if (day.year - begun.year) * 12 + day.month - begun.month < months:
                yield f"{page.url}: is of {day.isoformat()} and reports {months} months of what was made since {since}"


def reported(page: CorpusPage) -> Iterator[tuple[int, str]]:
    """Yield the months of use and the month in which the make began. There is a pair for each line and each
    row of a table that says both."""
    head, small = "", page.text.casefold()
    if not any(words in small for words in _REPORTS):
        return
    lines = page.text.split("\n")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if "| ---" in after:
            head = line[line.find("|") :]
        made = _MADE.search(line) if _YEAR.search(line) else None
        if made is None:
            continue
        said = f"{head} {line}" if "|" in line else line
        runs = [int(found) for found in _RUN.findall(line)] if _TESTED.search(said) else []
        months = max(runs, default=12 if _YEARLY.search(said) else 0)
        if months:
            yield months, made[1] or made[2]
