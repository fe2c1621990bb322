"""A toy world without a shop: a folder of notes. This one file, and a line each in `WORLDS`, `KINDS` and the registry of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar

from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.shop_world import as_returned
from drr.env.source import FrozenText, Source, text_hash
from drr.env.web.base import WebSearch
from drr.env.web.sandbox import Sandbox
from drr.env.world import Holdings, Site, SourceKind, kinds_of
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from pydantic import Field

NOTE = "file://notes/"


class Notes:
    """What the folder holds; where it is gone, what the tool returned of it."""

    name: ClassVar[str] = "note"
    label: ClassVar[str] = "notes"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        self._folder = None if holdings.place is None else Path(holdings.place)

    def owns(self, address: str) -> bool:
        return address.startswith(NOTE)

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        path = None if self._folder is None else self._folder / f"{address.removeprefix(NOTE)}.txt"
        if path is not None and path.is_file():
            return FrozenText(address, self.name, "ok", path.read_text())
        missing = FrozenText(address, self.name, "unreachable", reason="there is no such note")
        return as_returned(address, self.name, returned) or missing


@dataclass(frozen=True)
class NotesWorld:
    folder: Path
    user_id: str

    session: ClassVar[None] = None
    tools: ClassVar[Sequence[str]] = ("read_note",)
    today: ClassVar[date] = date(2024, 2, 29)

    @property
    def web(self) -> WebSearch:
        return Sandbox([])

    @property
    def kinds(self) -> Sequence[SourceKind]:
        return kinds_of(Holdings(place=str(self.folder)))

    @property
    def content_hash(self) -> str:
        return text_hash("\0".join(path.read_text() for path in sorted(self.folder.iterdir())))

    def key_fields(self) -> Mapping[str, Any]:
        return {"notes": self.content_hash}


@dataclass(frozen=True)
class NotesRealm:
    folder: Path

    shop: ClassVar[None] = None

    def world(self, spec: Mapping[str, Any]) -> NotesWorld:
        return NotesWorld(self.folder, spec["user_id"])

    def check(self, queries: Sequence[Query]) -> None:
        if long := [query.id for query in queries if len(query.query) > 80]:
            raise Misuse(f"{long[0]}: too long for notes")


@contextmanager
def open_notes(site: Site) -> Iterator[NotesRealm]:
    if site.place is None or not Path(site.place).is_dir():
        raise Misuse("the world `notes` needs --place FOLDER, a folder of notes")
    yield NotesRealm(Path(site.place))


def read_note(ctx: ToolContext, name: Annotated[str, Field(description="Which note.")]) -> ToolAnswer:
    """Read a note."""
    world = ctx.world
    assert isinstance(world, NotesWorld)
    path = world.folder / f"{name}.txt"
    if not path.is_file():
        raise ToolError("not_found", f"There is no note {name!r}.")
    text = path.read_text()
    return ToolAnswer(text, [Source(url=f"{NOTE}{name}", type=Notes.name, title=name, seen=text)])
