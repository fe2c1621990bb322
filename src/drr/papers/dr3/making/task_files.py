"""A task on disk, each part of which is read on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from drr.citations.files import file_place
from drr.env.drawer.content import FileContent
from drr.env.drawer.drawer import AttachedFiles
from drr.env.drawer.form import FileProblem
from drr.env.files import read_file
from drr.env.text import folded_text
from drr.papers.dr3.form import (
    CORPUS,
    DRAWER,
    CorpusPage,
    CorpusSizes,
    FileQuestion,
    corpus_pages,
    read_question,
    read_sizes,
)
from drr.papers.dr3.truth import KnownPage, TaskFact, TaskTruth, read_truth


@dataclass(frozen=True)
class StoredTask:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def question(self) -> FileQuestion:
        return read_question(self.folder)

    @cached_property
    def truth(self) -> TaskTruth:
        return read_truth(self.folder)

    @cached_property
    def sizes(self) -> CorpusSizes:
        return read_sizes(self.folder)

    @cached_property
    def lines(self) -> list[bytes]:
        return read_file(self.folder / CORPUS).splitlines(keepends=True)

    @cached_property
    def pages(self) -> list[CorpusPage]:
        return list(corpus_pages(self.folder))

    @cached_property
    def drawer(self) -> AttachedFiles:
        return AttachedFiles(self.folder / DRAWER, self.question.files)

    @cached_property
    def folded(self) -> dict[str, str]:
        """Return the folded text of every page by address, for looking values up."""
        return {page.url: folded_text(f"{page.title}\n{page.text}") for page in self.pages}

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return the folded contents of the task's files by name; pictures and unreadable files are left out."""
        found = {}
        for name in self.question.files:
            try:
                content = self.drawer.content(name)
            except FileProblem:
                continue
            if content.picture is None:
                found[name] = folded_content(content)
        return found

    @property
    def is_made(self) -> bool:
        """Tell whether this program made the task; imported tasks were made by other rules."""
        return self.truth.intent != "other"

    @property
    def supportive(self) -> list[KnownPage]:
        return [page for page in self.truth.pages if page.kind == "supportive"]

    def documents(self) -> dict[str, list[TaskFact]]:
        """Return the required facts by the file or page that states them."""
        found: dict[str, list[TaskFact]] = {}
        for fact in self.truth.facts:
            for place in fact.places:
                found.setdefault(document_of(place.address), []).append(fact)
        return dict(sorted(found.items()))


def folded_content(content: FileContent) -> str:
    return folded_text("\n".join(" ".join(part.text.split()) for part in content.parts()))


def document_of(address: str) -> str:
    """Return the name of the file, or the address of the page, that an address points into."""
    place = file_place(address)
    return address.partition("#")[0] if place is None else place.name
