"""Worlds in which agents work, and the kinds of sources that a report may cite.

A unit of an agent is given a `World`, by the `Realm` that the worlds of one study share; one more is one module and one line in
`WORLDS`. Judging is given the kinds alone, made of what is at hand when it judges (`Holdings`): shop and pages may have been closed
since. One more kind of source is one module and one line in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args, runtime_checkable

from drr.env.errors import Misuse
from drr.env.plugins import load, merged

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.env.reach import KnownKinds
    from drr.env.session import Change, Session
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.env.source import Frozen, Source
    from drr.env.web.base import Page, WebSearch


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """The holdings in which an address is looked up. Of what is missing here, what the tools returned is all there is."""

    shop: Shop | None = None
    shop_hosts: frozenset[str] = frozenset()
    """Hosts that count as the shop's, beside that of an open shop."""
    user_id: str | None = None
    """The user whose records may be cited; `None` where that is not known."""
    withheld: bool = False
    """Nobody's: the agent was neither told whose question it is nor given that shopper's records."""
    changes: Sequence[Change] = ()
    """Changes that the agent made in the user's profile before it wrote."""
    pages: Mapping[str, Page] = field(default_factory=dict)
    """Pages as they read now, by canonical address: they stand in for the frozen ones."""
    folder: Path | None = None
    """The study's folder, where a world may keep what its kinds read."""
    place: str | None = None
    """The place of the study's world, where that was not a shop alone: a folder of tasks, for one."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    """The unit's specification, as the ledger holds it."""


class SourceKind(Protocol):
    """One kind of source: which addresses are its own, and what stands behind one of them."""

    name: ClassVar[str]
    """The type in records and verdicts, and the end of metric names (`fp_NAME`): never changed."""
    label: ClassVar[str]
    paged: ClassVar[bool]
    """A page stands behind what a tool returns of it (a snippet, a summary): claims are held against both."""

    def owns(self, address: str) -> bool:
        """Tell whether this canonical address is one of the kind's."""

    def text(self, address: str, returned: Sequence[Source]) -> Frozen:
        """Return the text by which a claim that cites the address is judged. `returned` is what the tools gave of it, in order."""


KINDS: dict[str, str] = {
    "web": "drr.env.shop_world:WebPages",
    "product": "drr.env.shop_world:Listings",
    "user": "drr.env.shop_world:UserRecords",
}
"""Kinds of sources in the order of tables, before those of the papers. Addresses are offered to the last first; the web takes the rest."""
_OURS = tuple(KINDS)


def all_kinds() -> dict[str, str]:
    """Ours, those of the papers, and what was put into `KINDS` since."""
    return {name: KINDS[name] for name in _OURS} | merged("kinds") | KINDS


def kind_class(name: str) -> Any:
    """The class behind a name of `KINDS`; it is called with the `Holdings`."""
    return load(all_kinds()[name])


def kinds_of(holdings: Holdings) -> list[SourceKind]:
    return [kind_class(name)(holdings) for name in all_kinds()]


def label_of(name: str) -> str:
    """The label that people read; a type that no kind of ours has is called by its name."""
    return str(kind_class(name).label) if name in all_kinds() else name


def in_table_order(names: Sequence[str]) -> list[str]:
    """Each once: those of `KINDS`, then the others by name."""
    return [name for name in all_kinds() if name in names] + sorted(set(names) - set(all_kinds()))


def is_paged(name: str) -> bool:
    """Tell whether a page stands behind what tools return of such a source. Not so of a type that no kind of ours has."""
    return name in all_kinds() and bool(kind_class(name).paged)


def owner_of(address: str, kinds: Sequence[SourceKind]) -> SourceKind:
    """The kind whose address this is; the first of them owns whatever is left."""
    return next((kind for kind in reversed(kinds) if kind.owns(address)), kinds[0])


class World(Protocol):
    """A world: where one unit's agent lives. `drr.env.shop_world.ShopWorld` is one; a task with files and frozen pages is another."""

    @property
    def user_id(self) -> str | None:
        """The user whose records may be read; `None` where an agent answers without knowing who asks."""

    @property
    def session(self) -> Session | None:
        """The unit's own view of a shop's records: its writes are recorded and seen by nobody else. `None` where there is no shop."""

    @property
    def web(self) -> WebSearch:
        """The web that is searched and read, or the pages frozen for a task."""

    @property
    def tools(self) -> Sequence[str]:
        """Names of the registry's tools that may be called here."""

    @property
    def kinds(self) -> Sequence[SourceKind]: ...

    @property
    def content_hash(self) -> str:
        """Hash everything here that can be read, but for the web, which has a hash of its own."""

    @property
    def today(self) -> date: ...

    def key_fields(self) -> Mapping[str, Any]:
        """The fields of this place that decide an answer: they enter the unit's key."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """The site of a study's worlds: plain data, so that every process opens the same."""

    settings: Settings
    shop: str | None = None
    """A folder, or `servers:NAME`."""
    place: str | None = None
    """The place that `--place` named: for worlds that are more than a shop, or have none."""
    pages: Path | None = None
    """The folder of pages that are read from the live web."""
    kinds: Mapping[str, KnownKinds] = field(default_factory=dict)
    """Kinds of each task's frozen pages, where a study withholds some of them."""


class Realm(Protocol):
    """A realm: what the worlds of one study share, opened once in every process. `drr.env.shop_world.ShopRealm` is one."""

    @property
    def shop(self) -> Shop | None: ...

    def world(self, spec: Mapping[str, Any]) -> World:
        """Open a world for a unit, by what it is asked (`query_id`, `query`, `user_id`); nobody else sees what it writes."""

    def check(self, queries: Sequence[Query]) -> None:
        """`Misuse` for questions that cannot be asked here, before anything is paid."""


@runtime_checkable
class WithoutRecords(Protocol):
    """A realm where an agent may be given less of the person than the records: settings other than `records`."""

    def strangers_world(self, spec: Mapping[str, Any]) -> World:
        """The same place for somebody of whom nothing is known: no tool reads anybody's records, and there is no `user_id`."""


Fault = Literal["timeout", "unavailable"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""The two ways in which a call fails as at a server, where a world has a method `fault`."""


SHOP = "shop"
FILES = "files"
"""Tasks with files and frozen pages."""
WORLDS: dict[str, str] = {
    SHOP: "drr.env.shop_world:open_realm",
}
"""Worlds by `--world`: a function of the `Site` that gives a context manager of the `Realm`."""


def all_worlds() -> dict[str, str]:
    """Ours and those of the papers."""
    return merged("worlds") | WORLDS


def open_realm(name: str, site: Site) -> AbstractContextManager[Realm]:
    known = all_worlds()
    if name not in known:
        raise Misuse(f"there is no world {name!r}; there are {', '.join(known)}")
    opener: Callable[[Site], AbstractContextManager[Realm]] = load(known[name])
    return opener(site)
