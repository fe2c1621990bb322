"""Worlds in which agents work, and the kinds of sources that a report may cite.

A unit of an agent is given a `World`, by the `WorldResources` that the worlds of one study share; a further world needs one module and one line in
`WORLDS`. Judging gets only the kinds, made from what is available when it runs (`Holdings`): shop and pages may have been closed
since. A further kind of source needs one module and one line in `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args, runtime_checkable

from drr.env.errors import Misuse
from drr.env.plugins import load, merged, papers

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.env.reach import KnownKinds
    from drr.env.session import Change, Session
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.env.source import FrozenText, Source
    from drr.env.web.base import Page, WebSearch


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """The data in which an address is looked up when a report is judged. For a part that is missing, only the tools' own results count."""

    shop: Shop | None = None
    shop_hosts: frozenset[str] = frozenset()
    """Hosts that count as the shop's, beside the host of an open shop."""
    user_id: str | None = None
    """The user whose records may be cited; `None` if unknown."""
    withheld: bool = False
    """True if the agent was neither told who asks nor given that shopper's records."""
    changes: Sequence[Change] = ()
    """Changes that the agent made to the user's profile before it wrote the report."""
    pages: Mapping[str, Page] = field(default_factory=dict)
    """Pages as read again now, by canonical address; they replace the frozen ones."""
    folder: Path | None = None
    """The study's folder, in which a world may keep data that its kinds of sources read."""
    place: str | None = None
    """The place of the study's world, if it is more than a shop: a folder of tasks, for example."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    """The unit's specification, as the ledger holds it."""


class SourceKind(Protocol):
    """A kind of source: which addresses belong to it, and the text behind each."""

    name: ClassVar[str]
    """The type in records and verdicts, and the end of metric names (`fp_NAME`); it never changes."""
    label: ClassVar[str]
    paged: ClassVar[bool]
    """True if a page stands behind a tool's result (a snippet, a summary): claims are compared with both."""

    def owns(self, address: str) -> bool:
        """Tell whether a canonical address belongs to this kind."""

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        """Return the text by which a claim that cites the address is judged. `returned` is what the tools returned for it, in order."""


KINDS: dict[str, str] = {
    "web": "drr.env.shop_world:WebPages",
    "product": "drr.env.shop_world:Listings",
    "user": "drr.env.shop_world:UserRecords",
    "tool": "drr.env.shop_world:ToolRecords",
}
"""Kinds of sources in the order of tables, before those of the papers. Addresses are offered to the last kind first; the web takes the rest."""
_OURS = tuple(KINDS)


def all_kinds() -> dict[str, str | Callable[[], Any]]:
    """Return the kinds of this program and of the papers, and those added to `KINDS` since."""
    return {name: KINDS[name] for name in _OURS} | merged(paper.agents.kinds for paper in papers()) | KINDS


def kind_class(name: str) -> Any:
    """Return the class behind a name of `KINDS`; it is called with the `Holdings`."""
    return load(all_kinds()[name])


def check_user_ids(queries: Sequence[Query]) -> None:
    """Raise `Misuse` for a user's id that is no single word: agents read it among our words."""
    for one in queries:
        if re.fullmatch(r"[\w.@+:-]{1,100}", one.user_id) is None:
            raise Misuse(
                f"question {one.id}: a user_id that is no single word of at most 100 letters, digits, `.`, `_`, `-`, `@`"
            )


def kinds_of(holdings: Holdings) -> list[SourceKind]:
    return [kind_class(name)(holdings) for name in all_kinds()]


def label_of(name: str) -> str:
    """Return a kind's label for people; an unknown type is called by its name."""
    return str(kind_class(name).label) if name in all_kinds() else name


def in_table_order(names: Sequence[str]) -> list[str]:
    """Return the names, each once: those of `KINDS` in its order, then the others by name."""
    return [name for name in all_kinds() if name in names] + sorted(set(names) - set(all_kinds()))


def is_paged(name: str) -> bool:
    """Tell whether a page stands behind what tools return of such a source; false for an unknown type."""
    return name in all_kinds() and bool(kind_class(name).paged)


def owner_of(address: str, kinds: Sequence[SourceKind]) -> SourceKind:
    """Return the kind to which an address belongs; the first kind owns all that no other claims."""
    return next((kind for kind in reversed(kinds) if kind.owns(address)), kinds[0])


class World(Protocol):
    """A world: the tools and data of one unit's agent. `drr.env.shop_world.ShopWorld` is one; a task with files and frozen pages is another."""

    @property
    def user_id(self) -> str | None:
        """Return the user whose records may be read; `None` if the agent does not know who asks."""

    @property
    def session(self) -> Session | None:
        """Return the unit's own view of a shop's records, whose changes are recorded and private; `None` without a shop."""

    @property
    def web(self) -> WebSearch:
        """Return the web that is searched and read, or the pages frozen for a task."""

    @property
    def tools(self) -> Sequence[str]:
        """Return the names of the registry's tools that may be called in this world."""

    @property
    def kinds(self) -> Sequence[SourceKind]: ...

    @property
    def content_hash(self) -> str:
        """Return a hash of everything that can be read in this world, except the web. The web has a hash of its own."""

    @property
    def today(self) -> date: ...

    def key_fields(self) -> Mapping[str, Any]:
        """Return the fields of this world that influence an answer; they are part of the unit's key."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """The description of a study's worlds in plain data, so that every process opens the same."""

    settings: Settings
    shop: str | None = None
    """A folder, or `servers:NAME`."""
    place: str | None = None
    """The place that `--place` named, for worlds that have more than a shop, or none."""
    pages: Path | None = None
    """The folder of pages read from the live web."""
    kinds: Mapping[str, KnownKinds] = field(default_factory=dict)
    """The kinds of each task's frozen pages, if a study withholds some of them."""


class WorldResources(Protocol):
    """The resources that the worlds of one study share, opened once in every process. `drr.env.shop_world.ShopRealm` is one."""

    @property
    def shop(self) -> Shop | None: ...

    def world(self, spec: Mapping[str, Any]) -> World:
        """Open a world for a unit, by its question (`query_id`, `query`, `user_id`); no other unit sees its changes."""

    def check(self, queries: Sequence[Query]) -> None:
        """Raise `Misuse` for questions that cannot be asked in this realm, before anything is paid for."""


@runtime_checkable
class WithoutRecords(Protocol):
    """A realm in which an agent may know less about the person than the records: settings other than `records`."""

    def strangers_world(self, spec: Mapping[str, Any]) -> World:
        """Open the same world for an unknown person: no tool reads anybody's records, and there is no `user_id`."""


Fault = Literal["timeout", "unavailable"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""The two ways in which a call may fail as if a server failed, in a world with a method `fault`."""


SHOP = "shop"
FILES = "files"
"""The world of tasks with files and frozen pages."""
WORLDS: dict[str, str] = {SHOP: "drr.env.shop_world:open_realm"}
"""Worlds by the name that `--world` takes. Each is a function of the `Site` that returns a context manager of the `WorldResources`."""


def all_worlds() -> dict[str, str | Callable[[], Any]]:
    """Return the worlds of this program and those of the papers."""
    return merged(paper.agents.worlds for paper in papers()) | WORLDS


def open_realm(name: str, site: Site) -> AbstractContextManager[WorldResources]:
    known = all_worlds()
    if name not in known:
        gone = " any more: talks were given up, last at v0.3.0" if name == "service" else ""
        raise Misuse(f"there is no world {name!r}{gone}; there are {', '.join(known)}")
    opener: Callable[[Site], AbstractContextManager[WorldResources]] = load(known[name])
    return opener(site)
