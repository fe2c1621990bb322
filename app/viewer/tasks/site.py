"""Pages of tasks with files as addresses of a loopback server, and as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.pages.serve import STATIC, guarded
from drr.app.viewer.model import ShownEntry
from drr.app.viewer.static import fresh_folder
from drr.app.viewer.tasks.pages import TaskPages
from drr.app.viewer.tasks.shelf import TaskShelf
from drr.env.errors import DrrError
from drr.env.progress import Progress

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

FOLDERS = ("t", "d", "n", "f")
"""Tasks, documents of known kind, noise, drawn files."""
_MISSING = "no such page of these tasks"
Entries = Callable[[], Sequence[ShownEntry]]
"""All answers of the study that the pages stand beside."""


def _none() -> Sequence[ShownEntry]:
    return ()


def task_site(shelf: TaskShelf, token: str, port: int) -> Starlette:
    from starlette.applications import Starlette
    from starlette.responses import RedirectResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    async def root(request: Request) -> Response:
        return RedirectResponse("index.html", 303)

    pages = TaskPages(shelf.name, served=True)
    routes = [Route("/", root), Mount("/static", StaticFiles(directory=STATIC)), *task_routes(shelf, pages)]
    return guarded(Starlette(routes=routes), lambda: {token}, port)


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
    def task(name: str) -> str | None:
        found = shelf.task(name)
        return (
            None
            if found is None
            else pages.task(found, [one for one in entries() if found.entry.task_id in one.file_tasks])
        )

    def document(name: str) -> str | None:
        found = shelf.document(name)
        return None if found is None else pages.document(found)

    def noise(name: str) -> str | None:
        found = shelf.noise(name)
        return None if found is None else pages.noise(found)

    return {"t": task, "d": document, "n": noise}


def write_task_folder(shelf: TaskShelf, folder: Path, progress: Progress) -> int:
    """All pages of a folder of tasks; how many."""
    with fresh_folder(folder) as draft:
        return write_task_files(shelf, TaskPages(shelf.name, served=False), draft, progress)


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
