"""The folders that `drr report`, `drr view --static` and `drr board` write: their marks, and how they find each other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from drr.env.files import check_ours, close_folder, private

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


@contextmanager
def fresh_folder(
    folder: Path, mark: str, command: str, scripts: Sequence[str], *, public: bool = False
) -> Iterator[Path]:
    """Made aside and swapped in, so that a folder is never half new; only our own is replaced. Its owner's, if not `public`."""
    from drr.app.pages.serve import STATIC, STYLES

    check_ours(folder, mark, command)
    draft = folder.with_name(f".{folder.name}.new")
    check_ours(draft, mark, command)
    shutil.rmtree(draft, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft.mkdir(mode=0o777 if public else private(0o777))
    (draft / mark).touch()
    yield draft
    (draft / "static").mkdir()
    for name in (*STYLES, *scripts):
        shutil.copyfile(STATIC / name, draft / "static" / name)
    if not public:
        close_folder(draft)
    if folder.exists():
        shutil.rmtree(folder)
    draft.replace(folder)
