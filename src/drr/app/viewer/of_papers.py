"""Defines a paper's additions to the viewer: more data of an answer, HTML for slots of pages, and pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from drr.env.plugins import papers
from drr.eval.judging.read import judgings

if TYPE_CHECKING:
    from drr.app.pages.frame import Frame, FramePlace
    from drr.app.viewer.entries import EntryReader
    from drr.app.viewer.model import ReportView, ShownEntry
    from drr.env.progress import Progress
    from drr.eval.evidence.answers import Answer
    from markupsafe import Markup
    from starlette.applications import Starlette
    from starlette.routing import Route

Inserts = Mapping[str, "Markup"]
"""HTML by the name of the slot of a page's template."""
View = Callable[["ShownEntry"], "ReportView | None"]
"""Function that returns an answer as its page shows it."""


class FolderPages(Protocol):
    """The pages of a folder that is not a study, such as a paper's own data."""

    def site(self, token: str, port: int) -> Starlette: ...
    def write(self, folder: Path, progress: Progress) -> int:
        """Write all pages into the folder and return their number."""


class StudyPart:
    """A paper's additions to the pages of one study; `contract.Pages.viewer` returns the class. Every method may be left out."""

    place: FramePlace | None = None
    """Link from every page to the paper's first page."""
    for_owners = False
    """True where the pages show data that neither agents nor judges may see."""

    def __init__(self, reader: EntryReader, tasks: Path | None = None) -> None:
        """Keep the reader of the study. `tasks` is the present folder of the study's tasks, if they were moved."""
        self.reader = reader

    @classmethod
    def of_folder(cls, place: Path) -> FolderPages | None:
        """Return the pages of a folder in the paper's own format, or `None` for any other folder."""
        return None

    def subjects(self, answer: Answer) -> Iterable[str]:
        """Return keys of further judged subjects that the pages show, besides the answer and its question."""
        return ()

    def on_index(self, entries: Sequence[ShownEntry]) -> Inserts:
        return {}

    def row_notes(self, entries: Sequence[ShownEntry]) -> Inserts:
        """Return HTML to show below questions in the index, by question id."""
        return {}

    def on_query(self, reports: Sequence[ReportView]) -> Inserts:
        return {}

    def on_report(self, report: ReportView) -> Inserts:
        return {}

    def drawn(self, frame: Frame, view: View) -> Mapping[str, Callable[[str], str | None]]:
        """Return functions that draw a page by name, for pages that change with the study, by folder."""
        return {}

    def routes(self, frame: Frame) -> Sequence[Route]:
        """Return the routes of pages that do not change with the study."""
        return ()

    def write(self, frame: Frame, view: View, draft: Path, progress: Progress) -> int:
        """Write the paper's pages into the draft and return their number."""
        return 0


def open_papers(reader: EntryReader, tasks: Path | None) -> dict[str, StudyPart]:
    """Return the additions of the papers that the study is of, by the paper's name. No other paper's module is loaded."""
    run, folder = reader.study.config.get("run", {}), reader.study.folder
    judged = {name.partition("/")[0] for judging in judgings(reader.study) for name in judging.versions}
    found: dict[str, type[StudyPart] | None] = {
        paper.name: paper.pages.viewer()
        for paper in papers()
        if paper.pages.traces is None
        or paper.judges(judged)
        or (tasks is not None and paper.agents.task_folders() is not None)
        or run.get("world") in paper.agents.worlds
        or any(run.get(trace) or (folder / trace).is_file() for trace in paper.pages.traces)
    }
    return {name: part(reader, tasks) for name, part in found.items() if part is not None}


def folder_pages(place: Path) -> FolderPages | None:
    """Return the pages of a folder that is not a study, or `None`. The first paper that knows the format makes the pages."""
    for paper in papers():
        part: type[StudyPart] | None = paper.pages.viewer()
        if part is not None and (found := part.of_folder(place)) is not None:
            return found
    return None


def joined(inserts: Iterator[Inserts]) -> Mapping[str, Any]:
    """Return the joined HTML of all papers by slot; a slot that no paper fills is empty."""
    from markupsafe import Markup

    found: dict[str, Markup] = defaultdict(Markup)
    for own in inserts:
        for slot, html in own.items():
            found[slot] += html
    return found
