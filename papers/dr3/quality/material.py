"""The material of the filters: a finished task, in memory before it is written or read from its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path

from drr.env.drawer.drawer import Drawer
from drr.env.drawer.form import FileProblem
from drr.env.entities import Product
from drr.env.shop import SearchRequest, Shop
from drr.env.text import fold
from drr.papers.dr3.corpus.build import Corpora
from drr.papers.dr3.corpus.pool import PageRanking
from drr.papers.dr3.form import DRAWER, CorpusPage, read_corpus, read_question, read_sizes
from drr.papers.dr3.truth import KnownPage, SearchTerm, TaskFact, read_truth

Catalogue = Callable[[str], Iterable[Product]]
"""The products of the shop that are nearest to some words."""
_NEAREST = 25


@dataclass(frozen=True, kw_only=True)
class TaskMaterial:
    """One task, whole. What stands in its files is known where somebody read them; a picture says nothing here."""

    question: str
    files: tuple[str, ...]
    facts: tuple[TaskFact, ...]
    known: tuple[KnownPage, ...]
    terms: tuple[SearchTerm, ...]
    pages: Sequence[CorpusPage]
    """Pages of its largest size."""
    ranking: PageRanking
    texts: Mapping[str, str] = field(default_factory=dict)
    """Contents of its files, by name."""
    catalogue: Catalogue | None = None
    today: date | None = None
    """Day of the question, where it is one day."""
    is_planned: bool = False
    """Its parts were planned by us: neither imported nor of pages that were found."""

    @cached_property
    def folded(self) -> dict[str, str]:
        """Every page by address, to look things up in."""
        return {page.url: fold(f"{page.title}\n{page.text}") for page in self.pages}

    @cached_property
    def supportive(self) -> tuple[KnownPage, ...]:
        return tuple(page for page in self.known if page.kind == "supportive")

    def required(self) -> dict[str, set[str]]:
        """Document -> the facts that stand there: files by name, pages by address."""
        found: dict[str, set[str]] = {}
        for fact in self.facts:
            for place in fact.places:
                found.setdefault(document_of(place.address), set()).add(fact.id)
        return found


def document_of(address: str) -> str:
    """The file or page that an address is in."""
    return address.partition("#")[0].removeprefix("file://")


def made_material(
    question: str, files: Iterable[str], corpora: Corpora, catalogue: Catalogue | None = None
) -> TaskMaterial:
    """Make the material of a candidate before it is written."""
    return TaskMaterial(
        question=question,
        files=tuple(files),
        facts=corpora.facts,
        known=corpora.known,
        terms=corpora.terms,
        pages=corpora.pages,
        ranking=corpora.ranking,
        catalogue=catalogue,
        today=corpora.today,
        is_planned=True,
    )


def stored_material(folder: Path, catalogue: Catalogue | None = None) -> TaskMaterial:
    """Read the material of a folder and its files; `Misuse` where a part of it cannot be read."""
    question, truth = read_question(folder), read_truth(folder)
    sizes = read_sizes(folder).sizes
    pages = read_corpus(folder, max(sizes, key=lambda name: sizes[name].pages))
    return TaskMaterial(
        question=question.query,
        files=question.files,
        facts=truth.facts,
        known=truth.pages,
        terms=truth.terms,
        pages=pages,
        ranking=PageRanking.of(pages),
        texts=_texts(folder, question.files),
        catalogue=catalogue,
        today=_day(question.today),
        is_planned=truth.intent != "other" and truth.found is None,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def catalogue_of(shop: Shop) -> Catalogue:
    def nearest(words: str) -> list[Product]:
        found = shop.catalog.search(SearchRequest(query=words, limit=_NEAREST)).product_ids
        return shop.store.products(found)

    return nearest


def _texts(folder: Path, files: tuple[str, ...]) -> dict[str, str]:
    drawer = Drawer(folder / DRAWER, files)
    found = {}
    for name in files:
        try:
            content = drawer.content(name)
        except FileProblem:
            continue
        if content.picture is None:
            found[name] = fold("\n".join(" ".join(part.text.split()) for part in content.parts()))
    return found
