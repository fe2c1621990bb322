"""The sense of a task in the world. Its facts add up to something one would ask, its key pages are true for it, its distractors mislead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from drr.env.text import fold
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.quality.elsewhere import answered_elsewhere
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.quality.oneself import at_odds
from drr.papers.dr3.quality.timing import foreknowing, of_another_make, untimely
from drr.papers.dr3.reckoning import nonsense, turns
from drr.papers.dr3.truth import KnownPage, TaskFact
from drr.papers.dr3.values import FactValues, month_of, number_of, sold_from

_COUNTED_FROM = {
    "portions in one pack": ("day of opening", r"\bopen|\bstart|\bseal|\bbegan|\bbroached"),
    "days to return": ("day of delivery", r"\bcame\b|\barriv|\bdeliver|\bgot here|\breached|\bturned up|\blanded"),
    "days to claim": ("day the fault was noticed", r"\bbroke|\bfail|\bfault|\bwrong\b|\btrouble|\bgave (?:out|up)\b|\bdied\b|\bquit\b|\bstopped"),
}  # fmt: skip
"""What is counted from a day: the fact that says the day, and how a question speaks of it."""
_SILENT = 0.7
"""Of the distractors of a page: where more of them say nothing, nobody is misled."""
_LEAST = 4


def sense(task: TaskMaterial) -> Iterator[str]:
    if task.today is None or not task.is_planned:
        return
    yield from nonsense(task.facts, task.today)
    yield from _key_pages(task)
    yield from _changes(task)
    yield from better_sources(task)
    yield from foreknowing(task)
    yield from untimely(task)
    yield from makes_apart(task)
    yield from of_another_make(task)
    yield from beside_the_point(task)
    yield from answered_elsewhere(task)
    yield from at_odds(task)


def sense_question(task: TaskMaterial) -> Iterator[str]:
    """The question names the day from which it is to be counted."""
    said = fold(task.question)
    for fact in task.facts:
        for start, (day, words) in _COUNTED_FROM.items():
            if fact.attribute.startswith(start) and task.is_planned and not re.search(words, said):
                yield f"the question does not name the {day}, from which the {fact.attribute} are counted"


def _key_pages(task: TaskMaterial) -> Iterator[str]:
    """Each has a date, no later than the question and no earlier than the purchases that it speaks of."""
    assert task.today is not None
    dates = {page.url: page.date for page in task.pages}
    facts = {fact.id: fact for fact in task.facts}
    for page in task.supportive:
        day = dates.get(page.url)
        if day is None or day > task.today.isoformat():
            yield f"{page.url}: a page that holds a fact needs a date before the question"
            continue
        for fact in (facts[one] for one in page.facts):
            start = sold_from(fact.attribute)
            if start is not None and day < start.isoformat():
                yield f"{page.url}: is older than the purchases that it speaks of"


def better_sources(task: TaskMaterial) -> Iterator[str]:
    """Check that reading shows which of two pages is right. What speaks of the very thing and time is from no
    better a source than the page that is right. Of an outdated one both say since when they are valid, or for
    which purchases: its own date shows nothing, as somebody may write down old terms at any time."""
    pages = {page.url: page for page in task.known}
    facts = {fact.id: fact for fact in task.facts}
    for page in task.known:
        right = pages.get(page.made_from or "")
        if page.change is None or right is None or page.trust is None or right.trust is None:
            continue
        if page.change.kind in ("outdated", "wrong_figure") and page.trust > right.trust:
            yield f"{page.url}: leads astray from a better source than that of {right.url}, which is right"
        if (
            page.change.kind == "outdated"
            and page.change.stated
            and shrinks(facts[page.change.fact], page.change.stated)
        ):
            yield f"{page.url}: an earlier recall covers lots that the later one of {right.url} does not"
        if page.change.kind == "outdated" and not _is_told_earlier(facts[page.change.fact], page, right):
            yield f"{page.url}: is outdated and does not say that it speaks of an earlier time than {right.url}"


def beside_the_point(task: TaskMaterial) -> Iterator[str]:
    """Find distractors that do not name what is asked of whom and say something of it. A page that is silent leads nobody astray."""
    texts = {page.url: page.text for page in task.pages}
    facts = {fact.id: fact for fact in task.facts}
    for page in task.known:
        if page.change is None or page.url not in texts:
            continue
        fact, value = facts[page.change.fact], page.change.stated
        called = stock().statement(fact.attribute)[0].called
        subject = fact.subject
        if page.change.kind == "other_model" and page.change.after:
            subject = page.change.after.rpartition(": ")[0]
        if not any(
            subject in said
            and called.search(said.replace(subject, ""))
            and (value is None or stands_in(value, fold(said)))
            for said in texts[page.url].split("\n\n")
        ):
            yield f"{page.url}: leads astray about {fact.attribute!r} and says nothing of it of {subject!r}"


def makes_apart(task: TaskMaterial) -> Iterator[str]:
    """Check that all that the needed pages say of one make, list or price dates from the same month. A later
    one would leave the others out of date."""
    facts = {fact.id: fact for fact in task.facts}
    since: dict[tuple[str, str], KnownPage] = {}
    for page in task.supportive:
        for fact in (facts[one] for one in page.facts):
            dating = stock().statement(fact.attribute)[0].dating
            if dating is None or page.as_of is None:
                continue
            first = since.setdefault((fact.subject, dating.changes), page)
            if first.as_of != page.as_of:
                yield f"{page.url}: speaks of the {dating.changes} of {page.as_of}, and {first.url} of that of {first.as_of}"


def shrinks(fact: TaskFact, before: str) -> bool:
    """Recalls grow: what was faulty once is."""
    return fact.attribute.startswith("lots that are faulty") and number_of(before) > number_of(fact.value)


def _is_told_earlier(fact: TaskFact, page: KnownPage, right: KnownPage) -> bool:
    start = sold_from(fact.attribute)
    if start is None:
        return bool(right.as_of and page.as_of and month_of(page.as_of) < month_of(right.as_of))
    said = sold_from(page.change.after or "") if page.change else None
    return said is not None and said < start


def _changes(task: TaskMaterial) -> Iterator[str]:
    """Each distractor that states something turns the answer of its part, and not nearly all of them are silent."""
    assert task.today is not None
    said = FactValues.of(task.facts, task.today)
    facts = {fact.id: fact for fact in task.facts}
    count, silent = Counter[str](), Counter[str]()
    for page in task.known:
        if page.change is None:
            continue
        count[page.change.fact] += 1
        value = page.change.stated
        if value is None:
            silent[page.change.fact] += 1
        elif not turns(said, facts[page.change.fact].attribute, value):
            yield f"{page.url}: says {value!r}, which turns no part of the answer"
    for fact, times in count.items():
        if times >= _LEAST and silent[fact] > _SILENT * times:
            yield f"fact {fact}: {silent[fact]} of its {times} distractors say nothing of it"
