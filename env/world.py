"""Where an agent lives, and the kinds of sources that its report may cite.

A unit of an agent is given a `World`. Judging is given the kinds alone, made of what is at hand when it judges (`Holdings`): shop and
pages may have been closed since. One more kind of source is one module and one line in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from drr.env.session import Change, Session
    from drr.env.shop import Shop
    from drr.env.source import Frozen, Source
    from drr.env.web.base import Page, WebSearch


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """What is at hand where an address is looked up. Of what is missing here, what the tools returned is all there is."""

    shop: Shop | None = None
    shop_hosts: frozenset[str] = frozenset()
    """Hosts that count as the shop's, beside that of an open shop."""
    user_id: str | None = None
    """Whose records may be cited; `None` where it is not known."""
    changes: Sequence[Change] = ()
    """What the agent changed in the user's profile before it wrote."""
    pages: Mapping[str, Page] = field(default_factory=dict)
    """Pages as they read now, by canonical address: they stand in for the frozen ones."""
    folder: Path | None = None
    """The study's folder, where a world may keep what its kinds read."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    """What the unit was asked, as the ledger holds it."""


class SourceKind(Protocol):
    """One kind of source: which addresses are its own, and what stands behind one of them."""

    name: ClassVar[str]
    """The type in records and verdicts, and the end of metric names (`fp_NAME`): never changed."""
    label: ClassVar[str]
    """As people read it: "web pages"."""
    paged: ClassVar[bool]
    """A page stands behind what a tool returns of it (a snippet, a summary): claims are held against both."""

    def owns(self, address: str) -> bool:
        """Whether this canonical address is one of the kind's."""

    def text(self, address: str, returned: Sequence[Source]) -> Frozen:
        """What a claim that cites the address is held against; `returned` is what the tools gave of it, in order."""


KINDS: dict[str, str] = {
    "web": "drr.env.shop_world:WebPages",
    "product": "drr.env.shop_world:Listings",
    "user": "drr.env.shop_world:UserRecords",
}
"""In the order of tables. The last is asked first whether an address is its own: the web owns whatever is left."""


def kind_class(name: str) -> Any:
    """The class behind a name of `KINDS`; it is called with the `Holdings`."""
    module, _, attribute = KINDS[name].partition(":")
    return getattr(import_module(module), attribute)


def kinds_of(holdings: Holdings) -> list[SourceKind]:
    return [kind_class(name)(holdings) for name in KINDS]


def label_of(name: str) -> str:
    """As people read it; a type that no kind of ours has is called by its name."""
    return str(kind_class(name).label) if name in KINDS else name


def in_table_order(names: Sequence[str]) -> list[str]:
    """Each once: those of `KINDS`, then the others by name."""
    return [name for name in KINDS if name in names] + sorted(set(names) - set(KINDS))


def is_paged(name: str) -> bool:
    """Whether a page stands behind what tools return of such a source; not so of a type that no kind of ours has."""
    return name in KINDS and bool(kind_class(name).paged)


def owner_of(address: str, kinds: Sequence[SourceKind]) -> SourceKind:
    """The kind whose address this is; the first of them owns whatever is left."""
    return next((kind for kind in reversed(kinds) if kind.owns(address)), kinds[0])


class World(Protocol):
    """Where one unit's agent lives. `drr.env.shop_world.ShopWorld` is one; a task with files and frozen pages is another."""

    @property
    def session(self) -> Session:
        """The unit's own view of the records: its writes are recorded and seen by nobody else."""

    @property
    def web(self) -> WebSearch:
        """What is searched and read: the web, or the pages frozen for a task."""

    @property
    def tools(self) -> Sequence[str]:
        """Names of the registry's tools that may be called here."""

    @property
    def kinds(self) -> Sequence[SourceKind]: ...

    @property
    def content_hash(self) -> str:
        """Of everything here that can be read, but for the web, which has its own."""

    @property
    def today(self) -> date: ...

    def key_fields(self) -> Mapping[str, Any]:
        """What of this place decides an answer: these fields enter the unit's key."""
