"""The agreement of a page with itself, read as anybody reads it. The month of its title is that of its date,
and nobody has had a thing since before what the page says of his."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.quality.timing import months_at, months_in
from drr.papers.dr3.values import month_of

_NAMES = "January|February|March|April|May|June|July|August|September|October|November|December"
_TITLED = re.compile(rf"(?:\b(?:in|for|an?|A|An) |, )({_NAMES})\b(?! \d)")
_HAD = re.compile(
    r"\b(?:[Hh]ad|I've had|got|bought|ordered|carried|sold|stocked|samples of|(?:were|was) bought) the (?P<name>[A-Z][\w&'’-]*(?: [\w&'’-]+){1,5}?)"
    r"(?: (?:was|were) (?:bought|ordered))? (?:since|in) $"
)
_BEFORE = 110
"""Characters in which that stands."""
_SENTENCES = re.compile(r"(?<=[.?!]) +|\n+")


def at_odds(task: TaskMaterial) -> Iterator[str]:
    for page in task.pages:
        yield from (f"{page.url}: {said}" for said in contradictions(page))


def contradictions(page: CorpusPage) -> Iterator[str]:
    titled = _TITLED.search(page.title)
    if titled and page.date and date.fromisoformat(page.date).strftime("%B") != titled[1]:
        yield f"is titled {page.title!r} and dated {page.date}"
    had = had_since(page.text)
    if had is None:
        return
    name, month, own = had
    brand = name.removeprefix("The ").split()[0]
    for said in _SENTENCES.split(page.text):
        if brand not in said or own in said:
            continue
        later = [one for one in months_in(said) if month_of(one) > month_of(month)]
        if later:
            yield f"says {own!r} and then {said!r}"


def had_since(text: str) -> tuple[str, str, str] | None:
    """Find who has it and since when, as a page says, and the words that say so."""
    for at, month in months_at(text):
        if text.endswith((" since ", " in "), 0, at):
            had = _HAD.search(text, max(0, at - _BEFORE), at)
            if had:
                return had["name"], month, had[0] + month
    return None
