"""Writes the folders of `drr report`, `drr view --static` and `drr board`: their marker files and links to each other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from drr.env.files import check_ours, close_folder, owner_only_mode

REPORT_MARK, VIEWER_MARK, BOARD_MARK = ".drr-report", ".drr-viewer", ".drr-board"
_REPORT, _VIEWER = "../report/index.html", "../viewer"


def viewer_of(out: Path, given: str | None) -> str | None:
    """Return the address of the viewer's pages, relative to the report's folder. Without a given one, the address is `../viewer`, or `None` if there are no pages."""
    if given is not None:
        is_address = given.startswith(("http://", "https://")) or not Path(given).is_absolute()
        return given.rstrip("/") if is_address else Path(given).as_uri()
    return _VIEWER if (out.absolute().parent / "viewer" / "index.html").is_file() else None


def report_of(folder: Path) -> str | None:
    """Return the address `../report/index.html` of the report, relative to the viewer; `None` if there is no such file."""
    return _REPORT if (folder.absolute().parent / "report" / "index.html").is_file() else None


@contextmanager
def fresh_folder(
    folder: Path, mark: str, command: str, scripts: Sequence[str], *, public: bool = False
) -> Iterator[Path]:
    """Return a context that yields a draft folder and moves the draft to `folder` at the end. A folder is thus never half new. Only a folder with the mark is replaced; unless `public`, only its owner can read the folder."""
    from drr.app.pages.serve import STATIC, STYLES

    check_ours(folder, mark, command)
    draft = folder.with_name(f".{folder.name}.new")
    check_ours(draft, mark, command)
    shutil.rmtree(draft, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft.mkdir(mode=0o777 if public else owner_only_mode(0o777))
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
