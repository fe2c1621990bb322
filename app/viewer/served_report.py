"""The study's report beside its served pages. `drr report` wrote the folder, or it is written when somebody
first asks for it, and each figure when somebody looks at it."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from drr.app.reporting import write_beside
from drr.env.errors import DrrError

if TYPE_CHECKING:
    from drr.app.report.material import Material
    from drr.app.viewer.reader import Reader
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

PLACE = "report/index.html"


class ServedReport:
    """Written anew when the study has moved on; one that was given stays as it is."""

    def __init__(self, reader: Reader, given: Path | None) -> None:
        self._reader, self._given = reader, given
        self._writing = threading.Lock()
        self._own: Path | None = None
        self._version = ""
        self._material: Material | None = None

    def file(self, name: str) -> Path | None:
        """A file of the report; nothing beside it."""
        folder = (self._given or self._written()).resolve()
        found = (folder / name).resolve()
        if self._given is None and found.parent == folder / "figures":
            self._draw(found)
        return found if found.is_file() and found.is_relative_to(folder) else None

    def _draw(self, file: Path) -> None:
        from drr.app.report.figures import draw_file

        with self._writing:
            if self._material is not None and not file.is_file():
                draw_file(self._material, file.parent, file.name)

    def _written(self) -> Path:
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
    """A report that was written beside a folder of pages leads to `../viewer`; here these pages are the viewer."""
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
