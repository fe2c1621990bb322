"""Serves the viewer on the local machine. A page is drawn on request, and again only when the ledger has changed."""

from __future__ import annotations

import shutil
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from drr.app.pages.serve import STATIC, body_within, guarded
from drr.app.report.study_report import write_beside
from drr.app.viewer.reader import AroundAnswers, Reader
from drr.app.viewer.render import FILE, StudyPages, if_any, texts_script, words_script
from drr.app.viewer.reviewing import ReviewBooks, stands_in
from drr.env.errors import DrrError
from drr.eval.judging.marks import ReviewMark
from drr.study.status import doing_in

if TYPE_CHECKING:
    from drr.app.report.material import ReportData
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

PLACE = "report/index.html"


_LONGEST_NAME = 255
"""Most bytes of a file name; operating systems refuse to look up a longer name."""


class ServedReport:
    """The report that the server shows, written again whenever the study has changed."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._writing = threading.Lock()
        self._own: Path | None = None
        self._version = ""
        self._material: ReportData | None = None

    def file(self, name: str) -> Path | None:
        """Return the path of a file of the report, or `None`; files outside the report's folder are refused."""
        folder = self._written_folder().resolve()
        if "\0" in name or any(
            len(part.encode("utf-8", "replace")) > _LONGEST_NAME for part in name.split("/")
        ):
            return None
        found = (folder / name).resolve()
        if found.parent == folder / "figures":
            self._draw(found)
        return found if found.is_file() and found.is_relative_to(folder) else None

    def _draw(self, file: Path) -> None:
        from drr.app.report.drawings import draw_file

        with self._writing:
            if self._material is not None and not file.is_file():
                draw_file(self._material, file.parent, file.name)

    def _written_folder(self) -> Path:
        with self._writing:
            if self._own is None:
                self._own = Path(mkdtemp(prefix="drr-report-"))
                finalize(self, shutil.rmtree, self._own, ignore_errors=True)
            folder = self._own / "report"
            version = self._reader.version()
            if version != self._version:
                study, judge = self._reader.study, self._reader.judge
                self._material = write_beside(study, folder, "..", judge)
                self._version = version
            return folder


def report_routes(report: ServedReport) -> list[Route]:
    """Return the routes to the report's files. Links of a written report to `../viewer` are redirected to the server's own pages."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse
    from starlette.routing import Route

    async def shown(request: Request) -> Response:
        try:
            file = await run_in_threadpool(report.file, request.path_params["name"])
        except DrrError as error:
            return PlainTextResponse(str(error), 404)
        return PlainTextResponse("no such file in the report", 404) if file is None else FileResponse(file)

    async def viewer(request: Request) -> Response:
        place = request.scope.get("root_path", "")
        return RedirectResponse(f"{place}/" + request.path_params["name"].lstrip("/\\"), 303)

    return [Route("/report/{name:path}", shown), Route("/viewer/{name:path}", viewer)]


REMEMBERED = 200
PAUSE_S = 5.0
UNKNOWN = 'data-version=""'


LARGEST_MARK = 20_000
"""Most bytes of a mark, which quotes its claim."""
SOMEBODY = "reviewer"


def site(reader: Reader, token: str, port: int, *, reviewers: Mapping[str, str] | None = None) -> Starlette:
    """Return the web application of the viewer. `reviewers` maps tokens to names, in place of the one token."""
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    around = AroundAnswers(reader)
    names = reviewers or {token: SOMEBODY}
    papers = reader.papers.values()
    pages = StudyPages(reader.name, served=True, papers=papers, about=around.about, report=PLACE)
    drawn = _Drawn(reader, pages, around)
    marks = _review_routes(reader, reader.books(), names, drawn.forget_index)
    application = Starlette(
        lifespan=drawn.measure_while_serving,
        routes=[
            *marks,
            Mount("/static", StaticFiles(directory=STATIC)),
            *report_routes(ServedReport(reader)),
            *(route for paper in papers for route in paper.routes(pages.frame)),
            *_page_routes(drawn),
        ],
    )
    return guarded(application, lambda: set(names), port)


def _review_routes(
    reader: Reader, books: ReviewBooks, reviewers: Mapping[str, str], moved: Callable[[], None]
) -> list[Route]:
    """Return the routes that list and add marks. `reviewers` maps tokens to names; `moved` is called after a mark was added."""
    from pydantic import ValidationError
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse, PlainTextResponse
    from starlette.routing import Route

    def own(name: str, answer: str) -> list[dict[str, object]]:
        return [
            mark.model_dump(mode="json")
            for mark in books.marks()
            if mark.reviewer == name and mark.answer == answer
        ]

    def add(mark: ReviewMark) -> bool:
        view = reader.report(mark.answer)
        if view is None or not stands_in(view, mark):
            return False
        books.add(mark)
        moved()
        return True

    async def marks(request: Request) -> Response:
        name = reviewers[request.state.token]
        found = await run_in_threadpool(own, name, request.query_params.get("answer", ""))
        return JSONResponse({"reviewer": name, "marks": found})

    async def mark(request: Request) -> Response:
        try:
            made = ReviewMark.model_validate_json(await body_within(request, LARGEST_MARK) or b"")
        except ValidationError:
            return PlainTextResponse("not a mark", 422)
        if made.reviewer != reviewers[request.state.token]:
            # A browser keeps one token per address: a page opened earlier must not write under another reviewer's name.
            return PlainTextResponse(
                "another reviewer's address was opened in this browser: load the page again", 409
            )
        try:
            added = await run_in_threadpool(add, made)
        except OSError as error:
            return PlainTextResponse(f"it cannot be written: {error.strerror}", 507)
        if not added:
            return PlainTextResponse("the page says something else now: load it again", 409)
        return JSONResponse({"saved": True})

    return [Route("/marks.json", marks), Route("/mark", mark, methods=["POST"])]


def _page_routes(drawn: _Drawn) -> list[Route]:
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import (
        HTMLResponse,
        JSONResponse,
        PlainTextResponse,
        RedirectResponse,
        Response,
    )
    from starlette.routing import Route

    async def page(request: Request) -> Response:
        kind, name = request.path_params["kind"], request.path_params.get("name", "")
        html = await run_in_threadpool(drawn.page, kind, name)
        return PlainTextResponse("no such page in this study", 404) if html is None else HTMLResponse(html)

    async def words(request: Request) -> Response:
        return Response(await run_in_threadpool(drawn.words), media_type="text/javascript")

    async def texts(request: Request) -> Response:
        script = await run_in_threadpool(drawn.texts, request.path_params["name"])
        return Response(script, media_type="text/javascript")

    async def live(request: Request) -> Response:
        return JSONResponse({"version": await run_in_threadpool(drawn.version), "doing": drawn.doing})

    async def root(request: Request) -> Response:
        return RedirectResponse("index.html", 303)

    return [
        Route("/", root),
        Route("/{kind:str}.html", page),
        Route("/live.json", live),
        Route(f"/{FILE}", words),
        Route("/{kind:str}/live.json", live),
        Route("/x/{name:str}.js", texts),
        Route("/{kind:str}/{name:str}.html", page),
    ]


class _Drawn:
    """A cache of the pages drawn last, each with the version of the ledger that the page shows."""

    def __init__(self, reader: Reader, pages: StudyPages, around: AroundAnswers) -> None:
        self._reader, self._pages, self._around = reader, pages, around
        self._round = self._marked = 0
        self._words = ("", "")
        self._searching = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()

    @asynccontextmanager
    async def measure_while_serving(self, application: Starlette) -> AsyncIterator[None]:
        """Measure the study in a thread while the server runs, as a large study takes seconds.

        The index is drawn ahead of any request, at the start and after every measuring.
        """
        self.page("index", "")
        stop = threading.Event()

        def measure() -> None:
            measured = ""
            while not stop.wait(PAUSE_S if measured else 0):
                version = self._reader.version()
                if version != measured:
                    self._reader.measure()
                    measured = version
                    self._round += 1
                    self.page("index", "")

        thread = threading.Thread(target=measure)
        thread.start()
        yield
        stop.set()
        thread.join()

    def version(self) -> str:
        return f"{self._reader.version()} {self._round}"

    @property
    def doing(self) -> str:
        """Return what the model calls of a run of this study do; empty where none goes on."""
        return doing_in(self._reader.study.folder)

    def forget_index(self) -> None:
        """Forget the cached index, which counts the marks of reviewers. Other pages do not change with a mark."""
        self._marked += 1
        self._kept.pop(("index", ""), None)

    def words(self) -> str:
        """Return the script of the search index, made on the first search and again when the study has changed."""
        with self._searching:
            if self._words[0] != self.version():
                self._words = (self.version(), words_script(self._reader))
            return self._words[1]

    def texts(self, name: str) -> str:
        return if_any(self._reader.report(name), texts_script) or ""

    def page(self, kind: str, name: str) -> str | None:
        version, marked = self.version(), self._marked
        kept = self._kept.get((kind, name))
        if kept is not None and kept[0] == version:
            return kept[1]
        draw = self._makers.get(kind)
        page = None if draw is None else draw(name)
        if page is not None:
            # The page carries the version that it shows, so that any later change counts as news.
            page = page.replace(UNKNOWN, f'data-version="{version}"', 1)
            self._kept[kind, name] = (version, page)
            if marked != self._marked:  # a mark was added while the page was drawn
                self._kept.pop(("index", ""), None)
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return page

    @cached_property
    def _makers(self) -> dict[str, Callable[[str], str | None]]:
        reader, pages, around = self._reader, self._pages, self._around

        def index(_: str) -> str:
            own = reader.to_come, reader.marked(), reader.measured_study
            return pages.index(reader.entries(), reader.judging(), *own)

        return {
            "index": index,
            "errors": lambda _: pages.errors(reader.entries(), reader.judging()),
            "q": lambda name: if_any(
                reader.query(name) or None, lambda own: pages.query(own, reader.outcomes(name))
            ),
            "r": lambda name: if_any(reader.report(name), lambda own: pages.report(own, around.of(name))),
            "x": lambda name: if_any(reader.report(name), pages.transcript),
            "p": lambda name: if_any(reader.page(name), lambda text: pages.page(name, text)),
            **{
                kind: draw
                for paper in reader.papers.values()
                for kind, draw in paper.drawn(pages.frame, reader.view).items()
            },
        }
