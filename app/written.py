"""The folders that `drr report`, `drr view --static` and `drr board` write: their marks, and how they find each other."""

from __future__ import annotations

from pathlib import Path

REPORT_MARK, VIEWER_MARK, BOARD_MARK = ".drr-report", ".drr-viewer", ".drr-board"
_REPORT, _VIEWER = "../report/index.html", "../viewer"


def viewer_of(out: Path, given: str | None) -> str | None:
    """The address of the viewer's pages from the report's folder: what was given, else where `drr papers reproduce` puts them."""
    if given is not None:
        is_address = given.startswith(("http://", "https://")) or not Path(given).is_absolute()
        return given.rstrip("/") if is_address else Path(given).as_uri()
    return _VIEWER if (out.absolute().parent / "viewer" / "index.html").is_file() else None


def report_of(folder: Path, given: str | None) -> str | None:
    """The address of the report's first page: what was given, else where `drr papers reproduce` puts it."""
    if given is not None:
        return Path(given).as_uri() if Path(given).is_absolute() else given
    return _REPORT if (folder.absolute().parent / "report" / "index.html").is_file() else None
