"""Whether the dates of pages are possible together, read from the pages as anybody reads them, whoever wrote them and whatever made them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from drr.filetasks.form import CorpusPage
from drr.filetasks.quality.material import TaskMaterial
from drr.filetasks.values import month_of

_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
)
_MADE = re.compile(rf"\b(?:made|make|change of|[Oo]lder ones)\b[^.|]*?({_MONTH.pattern})")
"""When a make began."""
_RUN = re.compile(r"\b(\d+) months\b")
_TESTED = re.compile(r"\blong test\b|\bfirst letter\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"\bupkeep\b|\ba year with\b|\bin a year\b|\ba year on keeping\b|\bof a year add up\b", re.IGNORECASE
)


def foreknowing(task: TaskMaterial) -> Iterator[str]:
    """No page speaks of a month later than its own date."""
    for page in task.pages:
        if page.date is None:
            continue
        late = [month for month in _MONTH.findall(page.text) if month_of(month).isoformat() > page.date]
        if late:
            yield f"{page.url}: is of {page.date} and speaks of {late[0]}"


def untimely(task: TaskMaterial) -> Iterator[str]:
    """No page, needed or not, reports on more months of a make than there were from its beginning to the page."""
    for page in task.pages:
        day = date.fromisoformat(page.date) if page.date else task.today
        if day is None:
            continue
        for months, since in reported(page):
            begun = month_of(since)
            if (day.year - begun.year) * 12 + day.month - begun.month < months:
                yield f"{page.url}: is of {day.isoformat()} and reports {months} months of what was made since {since}"


def reported(page: CorpusPage) -> Iterator[tuple[int, str]]:
    """(months of use, the month in which the make began) of each line and each row of a table that says both."""
    head = ""
    lines = page.text.split("\n")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if "| ---" in after:
            head = line
        said = f"{head} {line}" if "|" in line else line
        tested, yearly = _TESTED.search(said), _YEARLY.search(said)
        made = _MADE.search(line) if tested or yearly else None
        if made is None:
            continue
        runs = [int(found) for found in _RUN.findall(line)] if tested else []
        months = max(runs, default=12 if yearly else 0)
        if months:
            yield months, made[1]
