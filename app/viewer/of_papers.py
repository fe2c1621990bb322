"""The parts of papers in a study's pages. They read more of an answer, fill slots of pages, and add pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from drr.env.plugins import folder_of, load, papers

if TYPE_CHECKING:
    from drr.app.pages.frame import Frame, FramePlace
    from drr.app.viewer.entries import EntryReader
    from drr.app.viewer.model import ReportView, ShownEntry
    from drr.env.progress import Progress
    from drr.eval.evidence.answers import Answer
    from drr.eval.tasks.judgements import Judged
    from markupsafe import Markup
    from starlette.applications import Starlette
    from starlette.routing import Route

Inserts = Mapping[str, "Markup"]
"""HTML by the slot of a page's template that it fills."""
View = Callable[["ShownEntry"], "ReportView | None"]
"""Reads an answer as its page shows it."""


class FolderPages(Protocol):
    """The pages of a folder that is no study."""

    def site(self, token: str, port: int) -> Starlette: ...
    def write(self, folder: Path, progress: Progress) -> int:
        """All pages; how many."""


class StudyPart:
    """A paper's part in the pages of one study, as `Paper.viewer` names it. A method left as it is gives nothing."""

    place: FramePlace | None = None
    """Leads to its first page from every page."""
    for_owners = False
    """Its pages hold what neither who answers nor who judges may see."""

    def __init__(self, reader: EntryReader, tasks: Path | None = None) -> None:
        """`tasks` is where the study's tasks lie now, if not where they were."""
        self.reader = reader

    @classmethod
    def of_folder(cls, place: Path) -> FolderPages | None:
        """Open a folder of the paper's own that `drr view` shows."""
        return None

    def subjects(self, answer: Answer) -> Iterable[str]:
        """Name what else is judged that its pages show, besides the answer and its question."""
        return ()

    def read(self, entry: ShownEntry, judged: Judged, answer: Answer) -> object:
        """Read what its parts of the answer's pages show: the answer's part of `ReportView.papers`."""
        return None

    def on_index(self, entries: Sequence[ShownEntry]) -> Inserts:
        return {}

    def row_notes(self, entries: Sequence[ShownEntry]) -> Inserts:
        """Map a question's id to what stands below it in the index."""
        return {}

    def on_query(self, reports: Sequence[ReportView]) -> Inserts:
        return {}

    def on_report(self, report: ReportView) -> Inserts:
        return {}

    def drawn(self, frame: Frame, view: View) -> Mapping[str, Callable[[str], str | None]]:
        """Map a folder of pages that move with the study to what draws one by its name."""
        return {}

    def routes(self, frame: Frame) -> Sequence[Route]:
        """List those of pages that the study does not move."""
        return ()

    def write(self, frame: Frame, view: View, draft: Path, progress: Progress) -> int:
        """Write its pages among the others; how many."""
        return 0


def open_papers(reader: EntryReader, tasks: Path | None) -> dict[str, StudyPart]:
    """Open what each paper adds, by its name."""
    return {paper.name: load(paper.viewer)(reader, tasks) for paper in papers() if paper.viewer}


def folder_pages(place: Path) -> FolderPages | None:
    """Open a folder that is no study, by the paper whose it is."""
    found = (load(paper.viewer).of_folder(place) for paper in papers() if paper.viewer)
    return next((one for one in found if one is not None), None)


def template_folders() -> dict[str, Path]:
    """Map each paper to the folder of its templates, beside the module of its pages."""
    modules = {paper.name: paper.viewer.partition(":")[0] for paper in papers() if paper.viewer}
    return {name: folder_of(module) / "templates" for name, module in modules.items()}


def joined(inserts: Iterator[Inserts]) -> Mapping[str, Any]:
    """Join what papers put into one page; a slot that nobody fills is empty."""
    from markupsafe import Markup

    found: dict[str, Markup] = defaultdict(Markup)
    for own in inserts:
        for slot, html in own.items():
            found[slot] += html
    return found
