"""The corpus of a task as its pages show it. Who states a fact, what a recorded change made of it, and what is noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from drr.app.viewer.model import Passage
from drr.papers.dr3.form import CorpusPage, CorpusSizes
from drr.papers.dr3.truth import KnownPage, PageProposal, TaskFact, TaskTruth
from drr.papers.dr3.viewer.facts import passage_around, words_at
from drr.papers.dr3.viewer.model import DocumentView, FactSpan, NoiseView, ProposalView, StatementView

NOISE_TOGETHER = 25
"""Pages of noise that share a page of the viewer."""


class CorpusReader:
    """A reader of a corpus. `name` is the task's as in addresses of pages; a page of the corpus is known by
    its place in the largest size."""

    def __init__(self, name: str, pages: Sequence[CorpusPage], sizes: CorpusSizes, truth: TaskTruth) -> None:
        self._name, self._pages, self._sizes, self._truth = name, pages, sizes, truth
        self._known = {page.url: page for page in truth.pages}
        self._places = {page.url: number for number, page in enumerate(pages, 1)}
        self._facts = {fact.id: fact for fact in truth.facts}
        self._proposed = {one.url: one for one in (truth.found.proposals if truth.found else ())}

    @cached_property
    def known(self) -> list[int]:
        """Supportive pages, then distractors, by their numbers."""
        kinds = {"supportive": 0, "distractor": 1}
        found = [
            (kinds[page.kind], self._places[page.url])
            for page in self._truth.pages
            if page.kind in kinds and page.url in self._places
        ]
        return [number for _, number in sorted(found)]

    @property
    def shown_alone(self) -> list[int]:
        """List those with a page of their own: of known kind, or proposed."""
        proposed = [self._places[url] for url in self._proposed if url in self._places]
        return list(dict.fromkeys([*self.known, *proposed]))

    @cached_property
    def proposals(self) -> list[ProposalView]:
        return [self._proposal(one) for one in self._proposed.values()]

    @cached_property
    def noise(self) -> list[int]:
        known = set(self.known)
        return [number for number in range(1, len(self._pages) + 1) if number not in known]

    @property
    def noise_pages(self) -> int:
        return -(-len(self.noise) // NOISE_TOGETHER)

    def link(self, url: str) -> str | None:
        """Link from a page of the viewer one folder deep."""
        number = self._places.get(url)
        return None if number is None else f"../d/{self._name}-{number}.html"

    def title(self, url: str) -> str | None:
        number = self._places.get(url)
        return None if number is None else self._pages[number - 1].title

    def document(self, number: int) -> DocumentView | None:
        if not 1 <= number <= len(self._pages):
            return None
        page = self._pages[number - 1]
        known = self._known.get(page.url)
        change = None if known is None else known.change
        statement = None if known is None or change is None else self._changed(page, known)
        source = None
        if known is not None and known.made_from in self._places:
            source = self.document(self._places[known.made_from])
        return DocumentView(
            name=f"{self._name}-{number}",
            title=page.title,
            url=page.url,
            date=page.date,
            kind="noise" if known is None else known.kind,
            text=page.text,
            spans=tuple(self._spans(page, known)),
            sizes=tuple(name for name, size in self._sizes.sizes.items() if number <= size.pages),
            facts=() if known is None else (known.facts or ((change.fact,) if change is not None else ())),
            statement=statement,
            proposal=self._proposal(self._proposed[page.url]) if page.url in self._proposed else None,
            source=source,
        )

    def noise_view(self, number: int) -> NoiseView | None:
        if not 1 <= number <= self.noise_pages:
            return None
        first = (number - 1) * NOISE_TOGETHER
        own = self.noise[first : first + NOISE_TOGETHER]
        documents = tuple(one for one in map(self.document, own) if one is not None)
        return NoiseView(
            self._name, number, self.noise_pages, first + 1, first + len(own), len(self.noise), documents
        )

    def _proposal(self, one: PageProposal) -> ProposalView:
        proposals = self._truth.judged_pages().get(one.url)
        standing = {"confirm": "confirmed", "refute": "refuted"}.get(proposals or "", "not confirmed")
        return ProposalView(one, self.title(one.url) or one.url, self.link(one.url), standing)

    def right(self, fact: TaskFact) -> list[StatementView]:
        """The supportive pages that say it."""
        found = []
        for place in fact.places:
            number = self._places.get(place.address)
            if number is not None:
                page = self._pages[number - 1]
                found.append(self._statement(page, _value_at(page.text, place.quote, fact.value)))
        return found

    def falsified(self, fact: TaskFact) -> list[StatementView]:
        return [
            self._changed(self._pages[self._places[page.url] - 1], page)
            for page in self._truth.pages
            if page.change is not None and page.change.fact == fact.id and page.url in self._places
        ]

    def _statement(self, page: CorpusPage, span: tuple[int, int] | None) -> StatementView:
        passage: Passage | None = None if span is None else passage_around(page.text, span)
        return StatementView(page.url, page.title, self.link(page.url) or "", page.date, passage)

    def _changed(self, page: CorpusPage, known: KnownPage) -> StatementView:
        span = self._span_of_change(page, known)
        shown = self._statement(page, span)
        change = known.change
        if change is None:
            return shown
        return replace(shown, change=change.kind.replace("_", " "), before=change.before, after=change.after)

    def _span_of_change(self, page: CorpusPage, known: KnownPage) -> tuple[int, int] | None:
        change = known.change
        if change is None or change.stated is None:
            return None
        return words_at(page.text, change.stated)

    def _spans(self, page: CorpusPage, known: KnownPage | None) -> list[FactSpan]:
        """List what a change made, the sentences of facts, else what a model quoted of a found page."""
        if known is not None and known.change is not None:
            marked = [(self._span_of_change(page, known), known.change.fact)]
        elif known is not None and known.facts:
            marked = [(self._sentence(page, self._facts[name]), name) for name in known.facts]
        else:
            proposed = self._proposed.get(page.url)
            marked = [(words_at(page.text, None if proposed is None else proposed.quote), "quotation")]
        return [FactSpan(*span, name) for span, name in marked if span is not None]

    def _sentence(self, page: CorpusPage, fact: TaskFact) -> tuple[int, int] | None:
        quotes = [one.quote for one in fact.places if one.address == page.url]
        return words_at(page.text, *quotes, fact.value)


def _value_at(text: str, quote: str | None, value: str) -> tuple[int, int] | None:
    """Find the value in the sentence that states it, as it is marked in what a change made of it. Else the sentence."""
    sentence = words_at(text, quote)
    if sentence is None:
        return words_at(text, value)
    inside = words_at(text[sentence[0] : sentence[1]], value)
    return sentence if inside is None else (sentence[0] + inside[0], sentence[0] + inside[1])
