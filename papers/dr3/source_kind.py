"""The kind of source `file`: what stands in a place of a task's file, that a report cites as `file://NAME#page=2`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from drr.citations.files import SCHEME, FilePlace, file_place
from drr.env.drawer.drawer import Drawer
from drr.env.drawer.media import media_of
from drr.env.drawer.problems import FileProblem
from drr.env.errors import DrrError
from drr.env.shop_world import as_seen, title_of
from drr.env.source import Frozen, Source
from drr.env.world import Holdings
from drr.papers.dr3.folders import task_at

PICTURE = "a picture: what it shows cannot be held against words"


class FileSources:
    """The sources in files. A place is compared with its own words, as the file has them where the tasks are
    at hand; else with what was read of it."""

    name: ClassVar[str] = "file"
    label: ClassVar[str] = "the question's files"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        self._place, self._task_id = holdings.place, holdings.spec.get("task_id")

    def owns(self, address: str) -> bool:
        return address.startswith(SCHEME)

    @cached_property
    def _drawer(self) -> Drawer | None:
        if self._place is None or not isinstance(self._task_id, str):
            return None
        try:
            task = task_at(Path(self._place), self._task_id)
        except DrrError:
            return None
        return None if task is None else task.drawer

    def text(self, address: str, returned: Sequence[Source]) -> Frozen:
        place = file_place(address)
        if place is None:
            return as_seen(address, self.name, returned)
        if self._drawer is None:
            return self._as_read(address, place, returned)
        try:
            content = self._drawer.content(place.name)
        except FileProblem as problem:
            if problem.kind == "not_found" and not returned:
                return Frozen(address, self.name, "unreachable", reason="there is no such file")
            seen = self._as_read(address, place, returned)
            return (
                seen
                if seen.status == "ok"
                else Frozen(address, self.name, "not_frozen", reason=problem.message)
            )
        text = content.at(place)
        if text is None:
            return Frozen(address, self.name, "unreachable", reason="the file has no such place")
        if content.picture is not None:
            return Frozen(address, self.name, "not_frozen", reason=PICTURE)
        if not text.strip():
            return Frozen(
                address,
                self.name,
                "not_frozen",
                reason="this place of the file has no words that could be read",
            )
        return Frozen(address, self.name, "ok", text, title_of(returned) or place.name)

    def _as_read(self, address: str, place: FilePlace, returned: Sequence[Source]) -> Frozen:
        if returned and media_of(place.name) == "picture":
            return Frozen(address, self.name, "not_frozen", reason=PICTURE)
        if not returned and self._drawer is None:
            return Frozen(
                address, self.name, "not_frozen", reason="the task's files were not at hand to look it up"
            )
        return as_seen(address, self.name, returned)
