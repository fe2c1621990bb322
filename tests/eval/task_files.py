"""A toy world: a task with files. Its kind of source is this one file and one line in `KINDS`; nothing in `eval/` knows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

from drr.env.session import Session
from drr.env.shop_world import as_returned
from drr.env.source import FrozenText, Source, text_hash
from drr.env.web.base import WebSearch
from drr.env.world import Holdings, SourceKind, kinds_of
from drr.tools.base import ToolAnswer, ToolContext, ToolError

FILE = "file://"


def address(name: str, page: int) -> str:
    return f"{FILE}{name}#page={page}"


def page_of(folder: Path, where: str) -> str | None:
    """A page of a file; pages are parted by form feeds."""
    name, _, number = where.removeprefix(FILE).partition("#page=")
    path = folder / name
    if not number.isdecimal() or path.name != name or not path.is_file():
        return None
    return dict(enumerate(path.read_text().split("\f"), 1)).get(int(number))


class TaskFiles:
    """Pages of the files that a task comes with, kept in the study's folder."""

    name: ClassVar[str] = "file"
    label: ClassVar[str] = "the task's files"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        self._folder = None if holdings.folder is None else holdings.folder / "files"

    def owns(self, address: str) -> bool:
        return address.startswith(FILE)

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        text = None if self._folder is None else page_of(self._folder, address)
        if text is not None:
            return FrozenText(address, self.name, "ok", text)
        missing = FrozenText(address, self.name, "unreachable", reason="the task has no such page")
        return as_returned(address, self.name, returned) or missing


@dataclass(frozen=True)
class TaskWorld:
    """A shopper's session, a web that the task was frozen with, and a folder of files."""

    session: Session
    web: WebSearch
    folder: Path

    tools: ClassVar[Sequence[str]] = ("read_page", "calculator")
    today: ClassVar[date] = date(2023, 9, 9)

    @property
    def user_id(self) -> str | None:
        return self.session.user_id

    @property
    def kinds(self) -> Sequence[SourceKind]:
        return kinds_of(Holdings(shop=self.session.shop, user_id=self.session.user_id, folder=self.folder))

    @property
    def content_hash(self) -> str:
        return text_hash("".join(path.read_text() for path in sorted((self.folder / "files").iterdir())))

    def key_fields(self) -> Mapping[str, Any]:
        return {"files": self.content_hash}


def read_page(ctx: ToolContext, name: str, page: int) -> ToolAnswer:
    """Read one page of a file of the task."""
    world = ctx.world
    assert isinstance(world, TaskWorld)
    where = address(name, page)
    text = page_of(world.folder / "files", where)
    if text is None:
        raise ToolError("not_found", f"No page {page} in {name}.")
    return ToolAnswer(text, [Source(url=where, type=TaskFiles.name, title=name, seen=text)])
