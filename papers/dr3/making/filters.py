"""The four quality filters of DR3-Eval. Each yields its objections to a task, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from drr.env.text import fold, tokens
from drr.papers.dr3.making.ranking import GUIDANCE_TOP, TOP, PageRanking, exposes, stands_in
from drr.papers.dr3.making.task_files import StoredTask, document_of
from drr.papers.dr3.truth import TaskFact


class Objection(NamedTuple):
    text: str
    of_question: bool = False
    """True if another wording of the question may pass."""


def guidance(task: StoredTask) -> Iterator[Objection]:
    """Check implicit guidance: the question leads to the needed pages at every size, but states no search term."""
    signals = [one.term for one in task.truth.terms if one.role == "signal"]
    for term in signals:
        if exposes(task.question.query, term):
            yield Objection(f"the question says the search term {term!r}", of_question=True)
    urls = {page.url for page in task.supportive}
    for name, size in task.sizes.sizes.items():
        ranking = PageRanking(sorted(task.pages[: size.pages], key=lambda page: page.url))
        if urls and not urls & set(ranking.best(task.question.query, GUIDANCE_TOP)):
            yield Objection(
                f"{name}: the question's own words find no supportive page among the first {GUIDANCE_TOP}",
                of_question=True,
            )
        found = {url for term in signals for url in ranking.best(term, TOP)}
        for url in sorted(urls - found):
            yield Objection(f"{name}: no signal term leads to {url} among the first {TOP}")


def necessity(task: StoredTask) -> Iterator[Objection]:
    """Check synthesis necessity: every file and every supportive page states a fact that no other document states."""
    documents = task.documents()
    standing = {*task.question.files, *(page.url for page in task.supportive)}
    for fact in task.truth.facts:
        if not any(document_of(place.address) in standing for place in fact.places):
            yield Objection(f"fact {fact.id}: stands in no file and no supportive page")
    for name in sorted(standing):
        own = {fact.id for fact in documents.get(name, ())}
        others = {fact.id for other, facts in documents.items() if other != name for fact in facts}
        if not own - others:
            yield Objection(f"{name}: can be left out, as every fact that stands there stands elsewhere too")
    pages = {page.url: page.text for page in task.pages}
    for fact in task.truth.facts:
        names = {document_of(place.address) for place in fact.places}
        for place in fact.places if fact.source == "page" else ():
            name = document_of(place.address)
            if not _quoted(fact, place.quote or "", pages.get(name, "")):
                stated = f"{fact.value!r} of {fact.subject!r} in the words recorded"
                yield Objection(f"fact {fact.id}: {name} does not say {stated}")
        for name in sorted(task.texts):
            if name not in names and stands_in(fact.value, task.texts[name]):
                yield Objection(f"fact {fact.id}: {name} says {fact.value!r} too")


def _quoted(fact: TaskFact, quote: str, text: str) -> bool:
    folded = fold(quote)
    stated = stands_in(fact.value, folded) and fold(fact.subject) in folded
    return bool(quote) and quote in text and stated


def novelty(task: StoredTask) -> Iterator[Objection]:
    """Check insight novelty: neither the question nor another page states a required fact."""
    question = fold(task.question.query)
    for fact in task.truth.facts:
        if stands_in(fact.value, question):
            yield Objection(f"fact {fact.id}: the question says {fact.value!r}", of_question=True)
        own = {document_of(place.address) for place in fact.places}
        subject = fold(fact.subject)
        for url, text in task.folded.items():
            if url not in own and subject in text and stands_in(fact.value, text):
                yield Objection(f"fact {fact.id}: {url} says {fact.value!r} of {fact.subject!r} too")


def unambiguity(task: StoredTask) -> Iterator[Objection]:
    """Check interpretative unambiguity: the question names the subject of each file, and no attribute has two values."""
    asked = set(tokens(task.question.query))
    first_of: dict[tuple[str, str], TaskFact] = {}
    for fact in task.truth.facts:
        first = first_of.setdefault((fold(fact.subject), fold(fact.attribute)), fact)
        if first.value != fact.value:
            text = f"{fact.attribute!r} of {fact.subject!r} is {first.value!r} and {fact.value!r}"
            yield Objection(f"facts {first.id} and {fact.id}: {text}")
        for place in fact.places:
            if missing := [word for word in tokens(place.names or "") if word not in asked]:
                text = f"the question does not call it {place.names!r} ({missing[0]!r} is missing)"
                yield Objection(f"fact {fact.id}: {text}", of_question=True)


FILTERS: dict[str, Callable[[StoredTask], Iterator[Objection]]] = {
    "guidance": guidance,
    "necessity": necessity,
    "novelty": novelty,
    "unambiguity": unambiguity,
}
