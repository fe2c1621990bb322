"""A toy world of a few papers, without a shop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from drr.env.drawer.drawer import Drawer
from drr.env.web.sandbox import Sandbox
from drr.env.world import Holdings, SourceKind, kinds_of
from drr.tools.registry import FILE_TOOLS


@dataclass(frozen=True)
class PaperWorld:
    files: Drawer

    session: ClassVar[None] = None
    user_id: ClassVar[None] = None
    web: ClassVar[Sandbox] = Sandbox([])
    tools: ClassVar[Sequence[str]] = (*FILE_TOOLS, "web_search", "calculator")
    today: ClassVar[date] = date(2023, 9, 9)

    @property
    def kinds(self) -> Sequence[SourceKind]:
        return kinds_of(Holdings())

    @property
    def content_hash(self) -> str:
        return self.files.content_hash

    def key_fields(self) -> Mapping[str, Any]:
        return {"files": self.content_hash}
