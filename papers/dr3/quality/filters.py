"""The filters: each says in sentences what speaks against a task, and nothing where nothing does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.text import fold, tokens
from drr.papers.dr3.corpus.guidance import GUIDANCE_TOP
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.corpus.terms import TOP, exposes
from drr.papers.dr3.quality.material import TaskMaterial, document_of
from drr.papers.dr3.quality.sense import sense, sense_question
from drr.papers.dr3.truth import TaskFact

VERSION = "13"


class TaskRefusal(NamedTuple):
    filter: str
    told: str


Filter = Callable[[TaskMaterial], Iterator[str]]


def refusal(task: TaskMaterial) -> TaskRefusal | None:
    """The first filter that refuses a task, with what it says."""
    for name, check in FILTERS.items():
        for told in check(task):
            return TaskRefusal(name, told)
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
    yield from _said_at_its_place(task)
    yield from _said_in_another_file(task)


def _said_at_its_place(task: TaskMaterial) -> Iterator[str]:
    texts = {page.url: page.text for page in task.pages}
    for fact in task.facts:
        for place in fact.places:
            name = document_of(place.address)
            if fact.source == "page" and not _quoted(fact, place.quote, texts.get(name, "")):
                yield f"fact {fact.id}: {name} does not say {fact.value!r} of {fact.subject!r} in the words recorded"
            if fact.source == "file" and name in task.texts and not stands_in(fact.value, task.texts[name]):
                yield f"fact {fact.id}: {name} does not say {fact.value!r}"


def _quoted(fact: TaskFact, quote: str | None, text: str) -> bool:
    said = fold(quote or "")
    return bool(quote) and str(quote) in text and stands_in(fact.value, said) and fold(fact.subject) in said


def _said_in_another_file(task: TaskMaterial) -> Iterator[str]:
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
    said = [
        product.title,
        *product.features,
        *product.description,
        *map(str, product.details.values()),
        price,
    ]
    return stands_in(fact.value, fold("\n".join(said)))


def _novelty_question(task: TaskMaterial) -> Iterator[str]:
    said = fold(task.question)
    for fact in task.facts:
        if stands_in(fact.value, said):
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
"""By name, in the order in which they are tried: the cheap ones that other words of the question may pass come first."""
