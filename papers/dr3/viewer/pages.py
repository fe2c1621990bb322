"""The pages of tasks with files, beside a study or alone, and their part in a study's own pages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.pages.frame import Frame, FramePlace
from drr.app.pages.serve import STATIC, guarded
from drr.app.viewer.highlight import Stretch, marked_html
from drr.app.viewer.model import ReportView, ShownEntry
from drr.app.viewer.of_papers import Inserts, StudyPart
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages, if_any, marked, part, templates
from drr.app.viewer.static import SCRIPTS
from drr.app.vouching import is_own_shop, offer_shop, remember_shop
from drr.app.written import VIEWER_MARK, fresh_folder
from drr.env.errors import DrrError
from drr.env.files import file_name
from drr.env.progress import Progress
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metrics
from drr.eval.tasks.judged import Judged
from drr.papers.dr3.form import holds_tasks
from drr.papers.dr3.judging.rows import DepthRow, FactLabel, PointLabel, depth_of, fact_labels, point_labels
from drr.papers.dr3.judging.truths import known_place
from drr.papers.dr3.viewer.drawers import Values
from drr.papers.dr3.viewer.facts import counted, facts_in, points_in
from drr.papers.dr3.viewer.shelf import TaskShelf
from drr.study.study import Study

if TYPE_CHECKING:
    from markupsafe import Markup
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

OWNERS = (
    "What is true of these tasks, for their owner: whoever is to answer or to judge them must not see it."
)
BESIDE = "tasks.html"
"""The index of tasks beside a study's own."""
SHOWN_CHANGES = 3
"""Changes of each fact that are shown before one asks for the rest."""
FIGURES = ("dr3_ir_sc", "dr3_ir_uf", "dr3_cc", "dr3_contradicted", "dr3_search_loss", "dr3_writing_loss")
"""Figures of each answer, beside the task that it answers."""
FOLDERS = ("t", "d", "n", "f")
"""Tasks, documents of known kind, noise, drawn files."""
_MISSING = "no such page of these tasks"
Entries = Callable[[], Sequence[ShownEntry]]
"""All answers of the study that the pages stand beside."""


def _none() -> Sequence[ShownEntry]:
    return ()


class ShownFacts(NamedTuple):
    """The paper's part of an answer: its task's facts and checklist, where somebody looked, and its depth."""

    facts: Sequence[FactLabel] = ()
    checklist: Sequence[PointLabel] = ()
    depth: DepthRow | None = None


class TaskFolderPages(StudyPart):
    """The part of DR3-Eval in a study's pages."""

    def __init__(self, reader: Reader, tasks: Path | None = None) -> None:
        super().__init__(reader, tasks)
        self.show(shelf_of(reader.study, tasks))

    def show(self, shelf: TaskShelf | None) -> None:
        """Show these tasks beside the study."""
        self._shelf, self.for_owners = shelf, shelf is not None
        self._names = frozenset(() if shelf is None else shelf.readable())
        self.place = None if shelf is None else FramePlace("tasks", BESIDE, "Tasks")

    @classmethod
    def of_folder(cls, place: Path) -> TaskFolder | None:
        return TaskFolder(TaskShelf(place)) if holds_tasks(place) else None

    def read(self, entry: ShownEntry, judged: Judged, answer: Answer) -> ShownFacts:
        key = answer.key
        return ShownFacts(
            fact_labels(judged, key) or (), point_labels(judged, key) or (), depth_of(judged, key)
        )

    def on_index(self, entries: Sequence[ShownEntry]) -> Inserts:
        from markupsafe import Markup

        link = Markup(' <a href="tasks.html">The tasks</a>, with what is true of them.')
        return {"told": link} if self._names else {}

    def on_query(self, reports: Sequence[ReportView]) -> Inserts:
        from markupsafe import Markup

        name = self._task_of(reports[0].entry)
        line = Markup(
            '<p><a href="../t/{}.html">The task</a>: its files, its corpus, and what is true of it.</p>'
        )
        return {} if name is None else {"task": line.format(name)}

    def on_report(self, report: ReportView) -> Inserts:
        from markupsafe import Markup

        name, shown = self._task_of(report.entry), report.papers.get("dr3") or ShownFacts()
        known = self._shelf.evidence(name) if self._shelf and name and shown.facts else {}
        facts = facts_in(report.report, shown.facts, known, report.judged_by)
        checklist = points_in(report.report, shown.checklist, facts, report.judged_by)
        values = {"facts": facts, "counted": counted(facts), "checklist": checklist, "depth": shown.depth}
        found = {"before_quality": part("dr3/answer.html", r=report, **values)}
        if name is not None:
            found["path"] = Markup(' / <a href="../t/{}.html">task</a>').format(name)
        if facts:
            found["link_before_quality"] = Markup('<li><a href="#facts">Facts</a></li>')
        return found

    def _task_of(self, entry: ShownEntry) -> str | None:
        """The name of its task's page, where it is of a task with files."""
        return next((name for name in map(file_name, _tasks_of(entry)) if name in self._names), None)

    def routes(self, pages: Pages) -> Sequence[Route]:
        return () if self._shelf is None else task_routes(self._shelf, _beside(pages), self.reader.entries)

    def write(self, pages: Pages, draft: Path, progress: Progress) -> int:
        if self._shelf is None:
            return 0
        return write_task_files(self._shelf, _beside(pages), draft, progress, self.reader.entries)


def _tasks_of(entry: ShownEntry) -> Iterator[str]:
    """Name the tasks that it may answer: as its question does, else by what stands before the size."""
    if entry.task is not None:
        yield entry.task
    yield entry.query_id.partition("@")[0]


def _beside(pages: Pages) -> TaskPages:
    return TaskPages(replace(pages.frame, about=str), BESIDE)


def shelf_of(study: Study, given: Path | None) -> TaskShelf | None:
    """Find the tasks with files behind a study, where they still are and this user vouched for them.

    `None` for a study of something else; one whose tasks are gone can be read without them, and a line says so.
    """
    named = known_place(study)
    if given is not None:
        remember_shop(study.folder, str(given.resolve()))
        return TaskShelf(given)
    if named is None:
        return None
    offer_shop(study.folder, named, None, "--tasks")
    beside = study.folder.resolve().parent / named
    for place in dict.fromkeys([Path(named), beside]):
        if is_own_shop(study.folder, str(place)) and holds_tasks(place):
            try:
                return TaskShelf(place)
            except DrrError as error:
                print(f"drr: {error}", file=sys.stderr)
    print(
        f"drr: the tasks {named} are not at hand, so their pages are missing; --tasks FOLDER says where they are now",
        file=sys.stderr,
    )
    return None


class TaskPages:
    """Draws the pages; `home` is the index of tasks: the first page, or one of its own beside a study."""

    def __init__(self, frame: Frame, home: str = "index.html") -> None:
        self.home = home
        self._common = {**frame.values("tasks"), "live": False, "home": home, "banner": OWNERS}

    def _draw(self, name: str, root: str, **values: Any) -> str:
        template = templates().get_template(f"dr3/{name}.html")
        return template.render(root=root, marked=marked, **self._common, **values)

    def index(self, tasks: Values) -> str:
        return self._draw("tasks", "", tasks=tasks)

    def task(self, task: Values, answers: Sequence[ShownEntry] = ()) -> str:
        """`answers` are those of the study that these pages stand beside."""
        sizes, words = list(task["sizes"]), task["question"].query.split()
        found = sorted(answers, key=lambda one: (one.variant, _place(sizes, one.size), one.trial))
        return self._draw(
            "task",
            "../",
            t=task,
            answers=found,
            figures=[metrics()[name] for name in FIGURES if any(name in one.scores for one in found)],
            other_words=any(one.query.split() != words for one in found),
            shown_changes=SHOWN_CHANGES,
            named={one.id: one for one in task["truth"].facts},
        )

    def document(self, document: Values) -> str:
        return self._draw("document", "../", d=document, html=_read)

    def noise(self, noise: Values) -> str:
        return self._draw("noise", "../", n=noise, html=_read)


def _place(sizes: Sequence[str], size: str | None) -> int:
    return sizes.index(size) if size in sizes else len(sizes)


def _read(document: Values) -> Markup:
    """Read as people do, with what states a fact marked."""
    from markupsafe import Markup

    kind = "none" if document["kind"] == "distractor" else "full"
    spans = [Stretch(one.start, one.end, one.fact, kind) for one in document["spans"]]
    return Markup(marked_html(document["page"].text, spans))


class TaskFolder(NamedTuple):
    """The pages of a folder of tasks alone."""

    shelf: TaskShelf

    def _pages(self, *, served: bool) -> TaskPages:
        return TaskPages(Frame(self.shelf.name, served, [FramePlace("tasks", "index.html", "Tasks")]))

    def site(self, token: str, port: int) -> Starlette:
        from starlette.applications import Starlette
        from starlette.responses import RedirectResponse
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles

        async def root(request: Request) -> Response:
            return RedirectResponse("index.html", 303)

        own = task_routes(self.shelf, self._pages(served=True))
        routes = [Route("/", root), Mount("/static", StaticFiles(directory=STATIC)), *own]
        return guarded(Starlette(routes=routes), lambda: {token}, port)

    def write(self, folder: Path, progress: Progress) -> int:
        with fresh_folder(folder, VIEWER_MARK, "drr view", SCRIPTS) as draft:
            return write_task_files(self.shelf, self._pages(served=False), draft, progress)


def task_routes(shelf: TaskShelf, pages: TaskPages, entries: Entries = _none) -> list[Route]:
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import HTMLResponse, PlainTextResponse, Response
    from starlette.routing import Route

    async def index(request: Request) -> Response:
        return HTMLResponse(await run_in_threadpool(lambda: pages.index(shelf.set())))

    async def image(request: Request) -> Response:
        drawn = await run_in_threadpool(shelf.image, request.path_params["name"])
        return (
            PlainTextResponse(_MISSING, 404)
            if drawn is None
            else Response(drawn.data, 200, None, drawn.mime_type)
        )

    def page(draw: Callable[[str], str | None]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            try:
                html = draw(request.path_params["name"])
            except DrrError as error:
                return PlainTextResponse(str(error), 500)
            return PlainTextResponse(_MISSING, 404) if html is None else HTMLResponse(html)

        return answer

    drawing = _drawing(shelf, pages, entries)
    return [
        Route(f"/{pages.home}", index),
        Route("/f/{name:str}", image),
        *(Route(f"/{kind}/{{name:str}}.html", page(draw)) for kind, draw in drawing.items()),
    ]


def _drawing(shelf: TaskShelf, pages: TaskPages, entries: Entries) -> dict[str, Callable[[str], str | None]]:
    def task(found: Values) -> str:
        return pages.task(found, [one for one in entries() if found["question"].task_id in _tasks_of(one)])

    return {
        "t": lambda name: if_any(shelf.task(name), task),
        "d": lambda name: if_any(shelf.document(name), pages.document),
        "n": lambda name: if_any(shelf.noise(name), pages.noise),
    }


def write_task_files(
    shelf: TaskShelf, pages: TaskPages, draft: Path, progress: Progress, entries: Entries = _none
) -> int:
    """Write into a folder that others may write to as well; the pages, without what is drawn."""
    count = 1
    (draft / pages.home).write_text(pages.index(shelf.set()), encoding="utf-8")
    for name in FOLDERS:
        (draft / name).mkdir()
    drawing = _drawing(shelf, pages, entries)

    def put(kind: str, name: str) -> None:
        nonlocal count
        html = drawing[kind](name)
        if html is not None:
            (draft / kind / f"{name}.html").write_text(html, encoding="utf-8")
            count += 1

    names = shelf.readable()
    with progress.stage("tasks", total=len(names), unit="tasks") as stage:
        for name in names:
            put("t", name)
            for document in shelf.documents(name):
                put("d", document)
            for noise in shelf.noises(name):
                put("n", noise)
            for image in shelf.images(name):
                drawn = shelf.image(image)
                if drawn is not None:
                    (draft / "f" / image).write_bytes(drawn.data)
            stage.advance()
    return count
