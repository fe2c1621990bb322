"""The filters: each says in sentences what speaks against a task, and nothing where nothing does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.text import fold, tokens
from drr.papers.dr3.corpus.build import GUIDANCE_TOP
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.corpus.terms import TOP, exposes
from drr.papers.dr3.quality.material import TaskMaterial, document_of
from drr.papers.dr3.quality.timing import answered_elsewhere, at_odds, foreknowing, of_another_make, untimely
from drr.papers.dr3.reckoning import nonsense, turns
from drr.papers.dr3.truth import KnownPage, TaskFact
from drr.papers.dr3.values import FactValues, month_of, number_of, sold_from

_COUNTED_FROM = {
    "portions in one pack": ("day of opening", r"\bopen|\bstart|\bseal|\bbegan|\bbroached"),
    "days to return": ("day of delivery", r"\bcame\b|\barriv|\bdeliver|\bgot here|\breached|\bturned up|\blanded"),
    "days to claim": ("day the fault was noticed", r"\bbroke|\bfail|\bfault|\bwrong\b|\btrouble|\bgave (?:out|up)\b|\bdied\b|\bquit\b|\bstopped"),
}  # fmt: skip
"""Fact with the day that each count starts from, and the words of a question for it."""
_SILENT = 0.7
"""Share of a page's silent distractors above which nobody is misled."""
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
    question = fold(task.question)
    for fact in task.facts:
        for start, (day, words) in _COUNTED_FROM.items():
            if fact.attribute.startswith(start) and task.is_planned and not re.search(words, question):
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
        if page.change.kind == "outdated" and not _is_sold_earlier(facts[page.change.fact], page, right):
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
            subject in passage
            and called.search(passage.replace(subject, ""))
            and (value is None or stands_in(value, fold(passage)))
            for passage in texts[page.url].split("\n\n")
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


def _is_sold_earlier(fact: TaskFact, page: KnownPage, right: KnownPage) -> bool:
    start = sold_from(fact.attribute)
    if start is None:
        return bool(right.as_of and page.as_of and month_of(page.as_of) < month_of(right.as_of))
    sold = sold_from(page.change.after or "") if page.change else None
    return sold is not None and sold < start


def _changes(task: TaskMaterial) -> Iterator[str]:
    """Each distractor that states something turns the answer of its part, and not nearly all of them are silent."""
    assert task.today is not None
    values = FactValues.of(task.facts, task.today)
    facts = {fact.id: fact for fact in task.facts}
    count, silent = Counter[str](), Counter[str]()
    for page in task.known:
        if page.change is None:
            continue
        count[page.change.fact] += 1
        value = page.change.stated
        if value is None:
            silent[page.change.fact] += 1
        elif not turns(values, facts[page.change.fact].attribute, value):
            yield f"{page.url}: says {value!r}, which turns no part of the answer"
    for fact, times in count.items():
        if times >= _LEAST and silent[fact] > _SILENT * times:
            yield f"fact {fact}: {silent[fact]} of its {times} distractors say nothing of it"


VERSION = "13"


class TaskRefusal(NamedTuple):
    filter: str
    text: str


Filter = Callable[[TaskMaterial], Iterator[str]]


def refusal(task: TaskMaterial) -> TaskRefusal | None:
    """The first filter that refuses a task, with what it says."""
    for name, check in FILTERS.items():
        for text in check(task):
            return TaskRefusal(name, text)
    return None


def _exposure(task: TaskMaterial) -> Iterator[str]:
    """All words of a signal term close together, in any order and with any ending."""
    for term in task.terms:
        if term.role == "signal" and exposes(task.question, term.term):
            yield f"the question says the search term {term.term!r}"


def _guidance(task: TaskMaterial) -> Iterator[str]:
    """The question's words lead to some supportive page, the signal terms together to all."""
    urls = {page.url for page in task.supportive}
    hits = {task.pages[place].url for place in task.ranking.best(task.question, GUIDANCE_TOP)}
    if urls and not urls & hits:
        yield f"the question's own words find no supportive page among the first {GUIDANCE_TOP}"
    found = {
        task.pages[place].url
        for term in task.terms
        if term.role == "signal"
        for place in task.ranking.best(term.term, TOP)
    }
    for url in sorted(urls - found):
        yield f"no signal term leads to {url} among the first {TOP}"


def _necessity(task: TaskMaterial) -> Iterator[str]:
    """Leave one out: by the places of facts, then by looking for what they say."""
    required = task.required()
    standing = {*task.files, *(page.url for page in task.supportive)}
    for fact in task.facts:
        if not any(document_of(place.address) in standing for place in fact.places):
            yield f"fact {fact.id}: stands in no file and no supportive page"
    for name in sorted(standing):
        own = required.get(name, set())
        others = set().union(*(facts for other, facts in required.items() if other != name))
        if not own - others:
            yield f"{name}: can be left out, as every fact that stands there stands elsewhere too"
    yield from _stated_at_its_place(task)
    yield from _stated_in_another_file(task)


def _stated_at_its_place(task: TaskMaterial) -> Iterator[str]:
    texts = {page.url: page.text for page in task.pages}
    for fact in task.facts:
        for place in fact.places:
            name = document_of(place.address)
            if fact.source == "page" and not _quoted(fact, place.quote, texts.get(name, "")):
                yield f"fact {fact.id}: {name} does not say {fact.value!r} of {fact.subject!r} in the words recorded"
            if fact.source == "file" and name in task.texts and not stands_in(fact.value, task.texts[name]):
                yield f"fact {fact.id}: {name} does not say {fact.value!r}"


def _quoted(fact: TaskFact, quote: str | None, text: str) -> bool:
    folded = fold(quote or "")
    return (
        bool(quote) and str(quote) in text and stands_in(fact.value, folded) and fold(fact.subject) in folded
    )


def _stated_in_another_file(task: TaskMaterial) -> Iterator[str]:
    """Find facts that another file says too. A rule for pages as for files: what a file says needs no page."""
    for fact in task.facts:
        names = {document_of(place.address) for place in fact.places}
        for name, text in sorted(task.texts.items()):
            if name not in names and stands_in(fact.value, text):
                yield f"fact {fact.id}: {name} says {fact.value!r} too"


def _tied(task: TaskMaterial) -> Iterator[str]:
    """Check that each fact of a file can be tied to what is asked. Words that say of what it is stand beside
    it, and all of them in the question."""
    if not task.is_planned:
        return
    asked = set(tokens(task.question))
    for fact in task.facts:
        for place in fact.places if fact.source == "file" else ():
            name, names = document_of(place.address), tokens(place.names or "")
            if not names:
                yield f"fact {fact.id}: nothing in {name} says of what it is"
            elif missing := [word for word in names if word not in asked]:
                yield f"fact {fact.id}: the question does not call it {place.names!r} ({missing[0]!r} is missing)"
            elif not set(names) <= set(tokens(_beside(task, fact, name, place.quote or ""))):
                yield f"fact {fact.id}: {name} does not say beside it that it is of {place.names!r}"


def _beside(task: TaskMaterial, fact: TaskFact, name: str, quote: str) -> str:
    """Return what a reader sees together with a fact. It is the sentence of a mail or a note, the row of a
    table, else the whole paper. A picture is taken at its word, and so is a file that nobody has read yet."""
    if name.endswith((".md", ".eml", ".csv")):
        return quote
    text = task.texts.get(name)
    place = next(one for one in fact.places if document_of(one.address) == name)
    if text is None:
        return place.names or ""
    rows = [row for row in text.splitlines() if stands_in(fact.value, row)]
    return "\n".join(rows) if name.endswith(".xlsx") else text


def _novelty(task: TaskMaterial) -> Iterator[str]:
    """No other page and no product of the catalogue states a required fact: its value, of its subject."""
    for fact in task.facts:
        own = {document_of(place.address) for place in fact.places}
        subject = fold(fact.subject)
        for url, text in task.folded.items():
            if url not in own and subject in text and stands_in(fact.value, text):
                yield f"fact {fact.id}: {url} says {fact.value!r} of {fact.subject!r} too"
        for product in task.catalogue(fact.subject) if task.catalogue else ():
            if _states(product, fact):
                yield f"fact {fact.id}: the catalogue says {fact.value!r} of {product.product_id}"


def _states(product: Product, fact: TaskFact) -> bool:
    """A product of the brand, or of the name, that the fact is about."""
    brand = fold(fact.subject).split()[0]
    if brand not in fold(f"{product.store or ''} {product.title}").split():
        return False
    price = "" if product.price is None else f"${product.price:,.2f}"
    statements = [
        product.title,
        *product.features,
        *product.description,
        *map(str, product.details.values()),
        price,
    ]
    return stands_in(fact.value, fold("\n".join(statements)))


def _novelty_question(task: TaskMaterial) -> Iterator[str]:
    question = fold(task.question)
    for fact in task.facts:
        if stands_in(fact.value, question):
            yield f"fact {fact.id}: the question says {fact.value!r}"


FILTERS: dict[str, Filter] = {
    "exposure": _exposure,
    "sense_question": sense_question,
    "guidance": _guidance,
    "sense": sense,
    "tied": _tied,
    "necessity": _necessity,
    "novelty": _novelty,
    "novelty_question": _novelty_question,
}
"""Filters by name in the order of trial. The cheap ones that another wording of the question may pass come first."""
