"""The corpus of a task for the viewer: pages that state facts, distractors with their changes, and noise."""

from __future__ import annotations

from functools import cached_property

from drr.papers.dr3.folders import FileTask
from drr.papers.dr3.form import CorpusPage, corpus_pages, read_sizes
from drr.papers.dr3.truth import KnownPage, PageProposal, read_truth
from drr.papers.dr3.viewer.drawers import Values
from drr.papers.dr3.viewer.texts import FactSpan, Place, passage_around, words_at

NOISE_TOGETHER = 25
"""Number of noise pages on one page of the viewer."""
_STANDINGS = {"confirm": "confirmed", "refute": "refuted"}


class TaskCorpus:
    """The corpus of one task. A page is identified by its position in the largest size."""

    def __init__(self, name: str, task: FileTask) -> None:
        self.name, self.task, self.question = name, task, task.question
        self.truth, self.sizes = read_truth(task.folder), read_sizes(task.folder).sizes
        self._known = {page.url: page for page in self.truth.pages}
        self.proposed = {one.url: one for one in (self.truth.found.proposals if self.truth.found else ())}

    @cached_property
    def _pages(self) -> list[CorpusPage]:
        return list(corpus_pages(self.task.folder))

    @cached_property
    def places(self) -> dict[str, int]:
        return {page.url: number for number, page in enumerate(self._pages, 1)}

    @cached_property
    def known(self) -> list[int]:
        """Numbers of the supportive pages, then of the distractors."""
        pages = [one for one in self.truth.pages if one.url in self.places and one.kind != "noise"]
        return [
            number for _, number in sorted((one.kind != "supportive", self.places[one.url]) for one in pages)
        ]

    @cached_property
    def noise(self) -> list[int]:
        known = set(self.known)
        return [number for number in range(1, len(self._pages) + 1) if number not in known]

    @property
    def noise_pages(self) -> int:
        return -(-len(self.noise) // NOISE_TOGETHER)

    def pages(self) -> list[tuple[str, str]]:
        """List the viewer's pages of the task by kind and name. Each page of known or proposed kind has one to itself."""
        proposed = [self.places[url] for url in self.proposed if url in self.places]
        documents = dict.fromkeys([*self.known, *proposed])
        noise = range(1, self.noise_pages + 1)
        return [
            ("t", self.name),
            *(("d", f"{self.name}-{n}") for n in documents),
            *(("n", f"{self.name}-{n}") for n in noise),
        ]

    def link(self, url: str) -> str | None:
        """Return the link to a page of the corpus from a viewer page one folder deep; `None` for other pages."""
        number = self.places.get(url)
        return None if number is None else f"../d/{self.name}-{number}.html"

    def page(self, url: str) -> CorpusPage | None:
        number = self.places.get(url)
        return None if number is None else self._pages[number - 1]

    def document(self, number: int) -> Values | None:
        """Return the values of one page of the corpus; a distractor's include the page that it was made from."""
        if not 1 <= number <= len(self._pages):
            return None
        page = self._pages[number - 1]
        known, proposed = self._known.get(page.url), self.proposed.get(page.url)
        change = known.change if known else None
        source = self.places.get(known.made_from or "") if known else None
        return {
            "name": f"{self.name}-{number}",
            "page": page,
            "kind": known.kind if known else "noise",
            "spans": self._spans(page, known, proposed),
            "sizes": [name for name, size in self.sizes.items() if number <= size.pages],
            "facts": (known.facts or ((change.fact,) if change else ())) if known else (),
            "statement": self.changed_statement(known) if known and change else None,
            "proposal": self.proposal(proposed) if proposed else None,
            "source": None if source is None else self.document(source),
        }

    def noises(self, number: int) -> Values | None:
        """Return the values of one viewer page of noise, which shows several pages of the corpus."""
        if not 1 <= number <= self.noise_pages:
            return None
        first = (number - 1) * NOISE_TOGETHER
        own = self.noise[first : first + NOISE_TOGETHER]
        place = {"number": number, "of": self.noise_pages, "first": first + 1, "last": first + len(own)}
        documents = list(map(self.document, own))
        return {"task": self.name, **place, "total": len(self.noise), "documents": documents}

    def proposal(self, one: PageProposal) -> Values:
        """Return the values of a model's proposal for a found page, with a person's decision on it."""
        page = self.page(one.url)
        standing = _STANDINGS.get(self.truth.judged_pages().get(one.url, ""), "not confirmed")
        title = page.title if page else one.url
        return {"row": one, "title": title, "link": self.link(one.url), "standing": standing}

    def statement(self, page: CorpusPage, span: Place | None) -> Values:
        """Return the values of a page that states a fact or a false value. `passage` is `None` if the words are not found."""
        head = {"url": page.url, "title": page.title, "link": self.link(page.url), "date": page.date}
        return {**head, "passage": passage_around(page.text, span), "change": None}

    def changed_statement(self, known: KnownPage) -> Values:
        page, change = self.page(known.url), known.change
        assert page is not None and change is not None
        words = {"change": change.kind.replace("_", " "), "before": change.before, "after": change.after}
        return {**self.statement(page, words_at(page.text, change.stated)), **words}

    def _spans(
        self, page: CorpusPage, known: KnownPage | None, proposed: PageProposal | None
    ) -> list[FactSpan]:
        """Return the spans to mark: the changed statement, the sentences of facts, or the quotation of a proposal."""
        marked: list[tuple[str, tuple[str | None, ...]]] = []
        if known is not None and known.change is not None:
            marked = [(known.change.fact, (known.change.stated,))]
        elif known is not None and known.facts:
            for fact in self.truth.facts:
                if fact.id in known.facts:
                    quotes = [one.quote for one in fact.places if one.address == page.url]
                    marked.append((fact.id, (*quotes, fact.value)))
        elif proposed is not None:
            marked = [("quotation", (proposed.quote,))]
        found = ((words_at(page.text, *words), name) for name, words in marked)
        return [FactSpan(*span, name) for span, name in found if span is not None]
