"""The viewer as a loopback server. A page is drawn when it is asked for, and again only when the ledger has moved."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.pages.serve import STATIC, guarded
from drr.app.viewer.reader import AroundAnswers, Reader
from drr.app.viewer.render import Pages
from drr.app.viewer.reviewing import review_routes
from drr.app.viewer.searching import FILE, words_script
from drr.app.viewer.served_report import PLACE, ServedReport, report_routes

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

REMEMBERED = 200
PAUSE_S = 5.0
UNKNOWN = 'data-version=""'


SOMEBODY = "reviewer"
"""Who marks where nobody was named."""


def site(
    reader: Reader,
    token: str,
    port: int,
    *,
    reviewers: Mapping[str, str] | None = None,
    report: Path | None = None,
) -> Starlette:
    """`reviewers` are names by token, in place of the one token.

    `report` is a folder that `drr report` wrote; without one it is written when somebody asks for it.
    """
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    around = AroundAnswers(reader)
    names = reviewers or {token: SOMEBODY}
    papers = reader.papers.values()
    pages = Pages(reader.name, served=True, papers=papers, about=around.about, report=PLACE)
    drawn = _Drawn(reader, pages, around)
    marks = review_routes(reader, reader.books(), names, drawn.forget_index)
    application = Starlette(
        lifespan=drawn.keeping_up,
        routes=[
            *marks,
            Mount("/static", StaticFiles(directory=STATIC)),
            *report_routes(ServedReport(reader, report)),
            *(route for paper in papers for route in paper.routes(pages)),
            *_page_routes(drawn),
        ],
    )
    return guarded(application, lambda: set(names), port)


def _page_routes(drawn: _Drawn) -> list[Route]:
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
    from starlette.routing import Route

    def shown(page: str | None) -> Response:
        return PlainTextResponse("no such page in this study", 404) if page is None else HTMLResponse(page)

    async def answer(request: Request) -> Response:
        kind, name = request.path_params["kind"], request.path_params["name"]
        return shown(await run_in_threadpool(drawn.page, kind, name))

    async def index(request: Request) -> Response:
        return shown(await run_in_threadpool(drawn.page, "index", ""))

    async def judges(request: Request) -> Response:
        return shown(await run_in_threadpool(drawn.page, "judges", ""))

    async def words(request: Request) -> Response:
        return Response(await run_in_threadpool(drawn.words), media_type="text/javascript")

    async def live(request: Request) -> Response:
        return PlainTextResponse(await run_in_threadpool(drawn.version))

    async def root(request: Request) -> Response:
        return RedirectResponse("index.html", 303)

    return [
        Route("/", root),
        Route("/index.html", index),
        Route("/judges.html", judges),
        Route("/live.json", live),
        Route(f"/{FILE}", words),
        Route("/{kind:str}/live.json", live),
        Route("/{kind:str}/{name:str}.html", answer),
    ]


class _Drawn:
    """The last pages drawn, each with the version of the ledger that it shows."""

    def __init__(self, reader: Reader, pages: Pages, around: AroundAnswers) -> None:
        self._reader, self._pages, self._around = reader, pages, around
        self._round = 0
        self._words = ("", "")
        self._searching = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()

    @asynccontextmanager
    async def keeping_up(self, application: Starlette) -> AsyncIterator[None]:
        """Each report's figures for the index, while the server runs: a large study takes seconds to add up.

        The index itself is drawn before anybody asks, at the start and after every measuring.
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

    def forget_index(self) -> None:
        """Forget the index: it counts the marks of reviewers, which are no news for who reads a report."""
        self._kept.pop(("index", ""), None)

    def words(self) -> str:
        """Made when somebody searches, and again when the study has moved."""
        with self._searching:
            if self._words[0] != self.version():
                self._words = (self.version(), words_script(self._reader))
            return self._words[1]

    def page(self, kind: str, name: str) -> str | None:
        version = self.version()
        kept = self._kept.get((kind, name))
        if kept is not None and kept[0] == version:
            return kept[1]
        draw = self._makers.get(kind)
        page = None if draw is None else draw(name)
        if page is not None:
            # The page itself knows what it shows: whatever comes after it is news, however soon.
            page = page.replace(UNKNOWN, f'data-version="{version}"', 1)
            self._kept[kind, name] = (version, page)
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return page

    @cached_property
    def _makers(self) -> dict[str, Callable[[str], str | None]]:
        return {
            "index": self._index,
            "judges": self._judges,
            "q": self._query,
            "r": self._report,
            "x": self._transcript,
            "p": self._frozen,
            **{
                kind: draw
                for paper in self._reader.papers.values()
                for kind, draw in paper.drawn(self._pages).items()
            },
        }

    def _index(self, name: str) -> str | None:
        reader = self._reader
        judges = len(reader.judges())
        return self._pages.index(reader.entries(), reader.judging(), reader.to_come, reader.marked(), judges)

    def _judges(self, name: str) -> str | None:
        found = self._reader.judges_agreement()
        return None if found is None else self._pages.judges(*found)

    def _query(self, name: str) -> str | None:
        reports = self._reader.query(name)
        return self._pages.query(reports, self._reader.outcomes(name)) if reports else None

    def _report(self, name: str) -> str | None:
        report = self._reader.report(name)
        return None if report is None else self._pages.report(report, self._around.of(name))

    def _transcript(self, name: str) -> str | None:
        report = self._reader.report(name)
        return None if report is None else self._pages.transcript(report)

    def _frozen(self, name: str) -> str | None:
        text = self._reader.page(name)
        return None if text is None else self._pages.page(name, text)
