"""The dates and figures of pages, read as anybody reads them. They must agree with each other, and with what is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from drr.env.text import fold
from drr.papers.dr3.case import MADE
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.stock import StatementForm, changes_with_make, stock
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.values import month_of

_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
)
_YEAR, _LONGEST = re.compile(r"\d{4}\b"), len("September ")
_MADE = re.compile(
    rf"\b(?:made|make|[Vv]ersions?|change of|[Oo]lder ones|changed it|came out|out in|newer one|later one|after the change|was new|got mine|got ours|in the stores|from before)\b[^.|]*?({_MONTH.pattern})"
    rf"|({_MONTH.pattern}) version"
)
"""Beginning of a make."""
_RUN = re.compile(r"\b(\d+) months\b")
_TESTED = re.compile(r"\blong(?:-term)? test\b|\bfirst letter\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"\bupkeep\b|\ba year with\b|\bin a year\b|\ba year on keeping\b|\bof a year add up\b", re.IGNORECASE
)
_REPORTS = ("long test", "long-term test", "first letter", "upkeep", "a year")
"""Words of every page whose writer states how long he has had something."""


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
        month, made = month_of(page.as_of), months.get(fact.subject)
        if page.change is None and made is not None and month >= made:
            yield f"{page.url}: is right of what was made since {page.as_of}, and the one at hand was made in {made:%B %Y}"
        elif page.change is None or page.change.kind == "other_model":
            continue
        elif month > month_of(right.as_of) and (made is None or month <= made):
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
        text = f"{head} {line}" if "|" in line else line
        runs = [int(found) for found in _RUN.findall(line)] if _TESTED.search(text) else []
        months = max(runs, default=12 if _YEARLY.search(text) else 0)
        if months:
            yield months, made[1] or made[2]


_NAMES = "January|February|March|April|May|June|July|August|September|October|November|December"
_TITLED = re.compile(rf"(?:\b(?:in|for|an?|A|An) |, )({_NAMES})\b(?! \d)")
_HAD = re.compile(
    r"\b(?:[Hh]ad|I've had|got|bought|ordered|carried|sold|stocked|samples of|(?:were|was) bought) the (?P<name>[A-Z][\w&'’-]*(?: [\w&'’-]+){1,5}?)"
    r"(?: (?:was|were) (?:bought|ordered))? (?:since|in) $"
)
_BEFORE = 110
"""Characters before a name in which those words stand."""
_SENTENCES = re.compile(r"(?<=[.?!]) +|\n+")


def at_odds(task: TaskMaterial) -> Iterator[str]:
    for page in task.pages:
        yield from (f"{page.url}: {contradiction}" for contradiction in contradictions(page))


def contradictions(page: CorpusPage) -> Iterator[str]:
    titled = _TITLED.search(page.title)
    if titled and page.date and date.fromisoformat(page.date).strftime("%B") != titled[1]:
        yield f"is titled {page.title!r} and dated {page.date}"
    had = had_since(page.text)
    if had is None:
        return
    name, month, own = had
    brand = name.removeprefix("The ").split()[0]
    for sentence in _SENTENCES.split(page.text):
        if brand not in sentence or own in sentence:
            continue
        later = [one for one in months_in(sentence) if month_of(one) > month_of(month)]
        if later:
            yield f"says {own!r} and then {sentence!r}"


def had_since(text: str) -> tuple[str, str, str] | None:
    """Find who has it and since when, as a page says, and the words that say so."""
    for at, month in months_at(text):
        if text.endswith((" since ", " in "), 0, at):
            had = _HAD.search(text, max(0, at - _BEFORE), at)
            if had:
                return had["name"], month, had[0] + month
    return None


_CLAUSES = re.compile(r"(?<=[.?!:]) +|\n+")
_ITEMS = re.compile(r"\n(?=(?:[-*+]|- \[ \]) )")
_NEXT = re.compile(r"[A-Z&]")


def answered_elsewhere(task: TaskMaterial) -> Iterator[str]:
    """Find pages that say of what is asked another figure of its unit; only a distractor may say its own. The
    words are those of what is asked or of what would decide it too (room above a thing whose height is
    asked)."""
    own = {page.url: page for page in task.known}
    for fact in task.facts:
        form = stock().statement(fact.attribute)[0]
        if fact.source != "page" or not form.measure:
            continue
        figure = _figure(form.measure, fact.value)
        subject = fold(fact.subject)
        for page in task.pages:
            if subject not in task.folded[page.url]:
                continue
            known = own.get(page.url)
            stated = known.change.stated if known and known.change and known.change.fact == fact.id else None
            for sentence in _sentences_of(page.text, fact, form, figure):
                if not any(value and stands_in(value, fold(sentence)) for value in (fact.value, stated)):
                    yield f"{page.url}: could be read as another {fact.attribute} of {fact.subject!r}: {sentence!r}"


def _figure(measure: str, value: str) -> re.Pattern[str]:
    if measure == "$":
        return re.compile(r"\$\d")
    if measure == "lots":
        return re.compile(r"\blots before [A-Z]\d")
    unit = value.partition(" ")[2] if measure.startswith("[") else measure
    return re.compile(rf"\b\d[\d.,]* {re.escape(unit)}\b")


def _sentences_of(text: str, fact: TaskFact, form: StatementForm, figure: re.Pattern[str]) -> Iterator[str]:
    """Yield sentences with such a figure that speak of it, each with the question just before it. They stand
    in paragraphs that name the subject and no other of the name; of a list take the items that do, of a table
    the rows of the subject, with its head. What a thing is called says nothing of it: a `heavy-duty arm` need
    not be heavy."""
    others = [one for one in stock().statements if one is not form and one.measure == form.measure]
    names = _names(fact.subject)
    for part in _parts(text):
        if not _is_named(fact.subject, part):
            continue
        if part.startswith("|"):
            head, *rows = part.split("\n")
            sentences = [f"{head} {row}" for row in rows if _is_named(fact.subject, row)]
        else:
            sentences = _CLAUSES.split(part)
        before = ""
        for one in sentences:
            sentence = f"{before} {one}" if before.endswith("?") else one
            before = one
            if figure.search(one) and _speaks(names.sub("it", sentence), form, others):
                yield sentence


def _parts(text: str) -> Iterator[str]:
    for part in text.split("\n\n"):
        yield from [part] if part.startswith("|") else _ITEMS.split(part)


def _names(subject: str) -> re.Pattern[str]:
    """A subject, or what is left of it without its brand."""
    words = subject.split()
    ends = (" ".join(words[at:]) for at in range(max(1, len(words) - 1)))
    return re.compile("|".join(rf"\b{re.escape(one)}\b" for one in ends), re.IGNORECASE)


def _speaks(sentence: str, form: StatementForm, others: list[StatementForm]) -> bool:
    """Tell whether it speaks of what bears on the question. It may also speak of that itself, and of nothing
    else that has a name of its own."""
    if form.bears and form.bears.search(sentence):
        return True
    return bool(form.called.search(sentence)) and not any(one.called.search(sentence) for one in others)


def _is_named(subject: str, sentence: str) -> bool:
    """Tell whether the subject is named as itself: no `Travel` after it, and no other firm that begins alike."""
    found = [sentence[one.end() :].lstrip() for one in re.finditer(re.escape(subject), sentence)]
    return bool(found) and not any(_NEXT.match(rest) for rest in found)
