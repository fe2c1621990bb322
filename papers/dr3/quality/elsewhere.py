"""The check for pages that give another figure that a reader could take for what is asked. Reading cannot show what is right then."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.env.text import fold
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.stock import StatementForm, stock
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.truth import TaskFact

_SENTENCES = re.compile(r"(?<=[.?!:]) +|\n+")
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
            for said in _said(page.text, fact, form, figure):
                if not any(value and stands_in(value, fold(said)) for value in (fact.value, stated)):
                    yield f"{page.url}: could be read as another {fact.attribute} of {fact.subject!r}: {said!r}"


def _figure(measure: str, value: str) -> re.Pattern[str]:
    if measure == "$":
        return re.compile(r"\$\d")
    if measure == "lots":
        return re.compile(r"\blots before [A-Z]\d")
    unit = value.partition(" ")[2] if measure.startswith("[") else measure
    return re.compile(rf"\b\d[\d.,]* {re.escape(unit)}\b")


def _said(text: str, fact: TaskFact, form: StatementForm, figure: re.Pattern[str]) -> Iterator[str]:
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
            sentences = _SENTENCES.split(part)
        before = ""
        for one in sentences:
            said = f"{before} {one}" if before.endswith("?") else one
            before = one
            if figure.search(one) and _speaks(names.sub("it", said), form, others):
                yield said


def _parts(text: str) -> Iterator[str]:
    for part in text.split("\n\n"):
        yield from [part] if part.startswith("|") else _ITEMS.split(part)


def _names(subject: str) -> re.Pattern[str]:
    """A subject, or what is left of it without its brand."""
    words = subject.split()
    ends = (" ".join(words[at:]) for at in range(max(1, len(words) - 1)))
    return re.compile("|".join(rf"\b{re.escape(one)}\b" for one in ends), re.IGNORECASE)


def _speaks(said: str, form: StatementForm, others: list[StatementForm]) -> bool:
    """Tell whether it speaks of what bears on the question. It may also speak of that itself, and of nothing
    else that has a name of its own."""
    if form.bears and form.bears.search(said):
        return True
    return bool(form.called.search(said)) and not any(one.called.search(said) for one in others)


def _is_named(subject: str, said: str) -> bool:
    """Tell whether the subject is named as itself: no `Travel` after it, and no other firm that begins alike."""
    found = [said[one.end() :].lstrip() for one in re.finditer(re.escape(subject), said)]
    return bool(found) and not any(_NEXT.match(rest) for rest in found)
