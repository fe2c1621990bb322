"""The shop as a world. It has nine tools, and three kinds of sources - web pages, the shop's listings, the user's own records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NotRequired, TypedDict

from drr.citations.addresses import host_of, path_steps
from drr.env.errors import Misuse
from drr.env.records.lines import fact_lines
from drr.env.records.product import product_evidence
from drr.env.records.shopper import order_evidence, orders_evidence, profile_evidence, statistics_evidence
from drr.env.search.key import SearchKey, search_key
from drr.env.source import FrozenText, Source
from drr.env.user_code import UserCode, from_file
from drr.env.web.base import SANDBOX_VERSION, PageStatus
from drr.env.world import Holdings, Site, SourceKind, check_user_ids, kinds_of

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.env.session import Session
    from drr.env.shop import Shop, Store
    from drr.env.web.base import WebSearch
    from drr.wording.currency import Currency

NEVER_KEPT = "no page was frozen; `drr judge STUDY --refetch --unknown` reads it now"
TOOLS = (
    "product_catalog_search",
    "get_product_details",
    "get_user_orders",
    "get_order_details",
    "get_user_profile",
    "update_user_profile",
    "get_user_statistics",
    "web_search",
    "calculator",
)
USER_TOOLS = TOOLS[2:7]
"""The tools that read or write a shopper's records."""
USER = "user://"
OWN = "tool://"
"""Beginning of the addresses that a user's own tools return."""
_ORDERS = 1000


class WebKey(TypedDict):
    name: str
    content_hash: str | None
    version: NotRequired[str]
    """The version of the sandbox; other webs have none."""


class WorldKey(TypedDict):
    """The part of a unit's key that identifies a shop and its web."""

    shop: str
    shop_url: str
    web: WebKey
    currency: NotRequired[str]
    language: NotRequired[str]
    """The language that agents are asked to answer in; absent for English."""
    own_tools: NotRequired[dict[str, str]]
    """The hash of the file of each of the user's own tools, by name; absent without such tools."""
    search: NotRequired[SearchKey]
    """The search; absent for `plain` in English, which was once the only one."""


@dataclass(frozen=True)
class ShopWorld:
    """One shopper's session in a shop, with the web."""

    session: Session
    web: WebSearch
    shop_url: str | None = None
    """The address given for a study; `None` means the shop's own."""
    own: Mapping[str, str] = field(default_factory=dict)
    """The user's own tools by name, each with the hash of its file."""
    without: Sequence[str] = ()
    """Names of tools that are taken away."""

    @property
    def tools(self) -> Sequence[str]:
        """Return the names of the tools. A session without a user has no tool for records."""
        if self.session.user_id is None and not self.session.open_access:
            names = [name for name in TOOLS if name not in USER_TOOLS]
        else:
            names = [*TOOLS]
        return [name for name in (*names, *self.own) if name not in self.without]

    @property
    def user_id(self) -> str | None:
        return self.session.user_id

    @cached_property
    def kinds(self) -> Sequence[SourceKind]:
        return kinds_of(Holdings(shop=self.session.shop, user_id=self.session.user_id))

    @property
    def content_hash(self) -> str:
        return self.session.shop.manifest.content_hash

    @cached_property
    def today(self) -> date:
        return date.fromisoformat(self.session.shop.manifest.as_of)

    def key_fields(self) -> WorldKey:
        key: WorldKey = {
            "shop": self.content_hash,
            "shop_url": self.shop_url or self.session.shop.shop_url,
            "web": {"name": self.web.name, "content_hash": self.web.content_hash},
        }
        # Only these webs answer alike each time, so only their version decides what was found.
        if self.web.name in ("sandbox", "replay"):
            key["web"]["version"] = SANDBOX_VERSION
        # Absent without any, so that units of before such tools keep their keys.
        if self.own:
            key["own_tools"] = dict(self.own)
        if (search := search_key(self.session.shop)) is not None:
            key["search"] = search
        if self.session.shop.manifest.currency:
            key["currency"] = str(self.session.shop.manifest.money)
        if language := self.session.shop.manifest.foreign_language:
            key["language"] = language
        return key


@dataclass(frozen=True)
class ShopRealm:
    """One shop and one web for all sessions of a study."""

    shop: Shop
    web: WebSearch
    shop_url: str | None = None
    own: Mapping[str, str] = field(default_factory=dict)
    without: Sequence[str] = ()

    def world(self, spec: Mapping[str, Any]) -> ShopWorld:
        from drr.env.session import Session

        session = Session(self.shop, spec["user_id"])
        return ShopWorld(session, self.web, self.shop_url, self.own, self.without)

    def strangers_world(self, spec: Mapping[str, Any]) -> ShopWorld:
        from drr.env.session import Session

        return ShopWorld(Session(self.shop, None), self.web, self.shop_url, self.own, self.without)

    def check(self, queries: Sequence[Query]) -> None:
        """Raise `Misuse` for a user whom the shop does not know, and for a talk."""
        from drr.env.query import check_no_talk

        check_no_talk(queries)
        check_user_ids(queries)
        strangers = [query for query in queries if self.shop.store.user(query.user_id) is None]
        if strangers:
            raise Misuse(
                f"{len(strangers)} of {len(queries)} queries are by users whom the shop does not know, e.g. "
                f"{strangers[0].user_id!r} of {strangers[0].id}; were they written for another shop?"
            )


@contextmanager
def open_realm(site: Site) -> Iterator[ShopRealm]:
    """Open the shop and the web that the settings name."""
    from drr.env.shop import open_shop
    from drr.env.web.open import open_web

    if site.shop is None:
        raise Misuse("a new study needs --shop; e.g. --shop demo/shop")
    if site.place is not None:
        raise Misuse("--place: the world `shop` is opened by --shop alone; leave --place out")
    with open_shop(site.shop, site.settings) as shop:
        web = open_web(site.settings, shop=shop, snapshots=site.pages)
        settings = site.settings
        own = {name: code.digest for name, code in own_code(settings.tools).items()}
        yield ShopRealm(shop, web, settings.shop_url, own, checked_without(settings.without))


def own_code(words: Sequence[str]) -> dict[str, UserCode]:
    """Load the functions that words such as `my_tools.py:delivery_days` name, by the name of the function."""
    found: dict[str, UserCode] = {}
    for word in words:
        place, _, name = word.rpartition(":")
        if not place.endswith(".py") or not name.isidentifier():
            raise Misuse(f"--tools {word}: name a file and a function, e.g. my_tools.py:delivery_days")
        if name in TOOLS or name in found:
            raise Misuse(f"--tools {word}: there is a tool {name} already; name the function otherwise")
        found[name] = from_file("tool", place, name)
    return found


def checked_without(names: Sequence[str]) -> Sequence[str]:
    """Return the names of tools that are taken away; raise `Misuse` for one that is none of the nine."""
    if wrong := [name for name in names if name not in TOOLS]:
        raise Misuse(f"--without {wrong[0]}: no such tool; there are {', '.join(TOOLS)}")
    return names


def source_title(returned: Sequence[Source]) -> str | None:
    return next((source.title for source in returned if source.title), None)


def as_seen(address: str, kind: str, returned: Sequence[Source]) -> FrozenText:
    """Return what the agent read at an address; an address that no tool returned supports nothing."""
    texts = list(dict.fromkeys(source.seen for source in returned if source.seen.strip()))
    if not texts:
        return FrozenText(address, kind, "unreachable", reason="no tool returned this address")
    return FrozenText(address, kind, "ok", "\n\n".join(texts), source_title(returned))


def as_returned(address: str, kind: str, returned: Sequence[Source]) -> FrozenText | None:
    """Return the record that came with the address, else the text that the agent read there. `None` if no tool returned the address."""
    for source in returned:
        if source.record:
            return FrozenText(address, kind, "ok", fact_lines(source.record), source.title)
    return as_seen(address, kind, returned) if returned else None


class WebPages:
    """Every address on the web that no other kind owns. The text is the frozen page, or the page read again for this judging run."""

    name: ClassVar[str] = "web"
    label: ClassVar[str] = "web pages"
    paged: ClassVar[bool] = True

    def __init__(self, holdings: Holdings) -> None:
        self._pages = holdings.pages

    def owns(self, address: str) -> bool:
        return True

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        if address in self._pages:
            page = self._pages[address]
            return self._page(address, page.status, page.markdown, source_title(returned), page.reason)
        for source in returned:
            if source.page_status is not None:
                return self._page(address, source.page_status, source.page, source_title(returned))
        return FrozenText(address, self.name, "not_frozen", reason=NEVER_KEPT)

    def _page(
        self, address: str, status: PageStatus, text: str | None, title: str | None, reason: str | None = None
    ) -> FrozenText:
        if status == "ok" and text and text.strip():
            return FrozenText(address, self.name, "ok", text, title)
        return FrozenText(address, self.name, "empty" if status == "ok" else status, reason=reason)


def _missing(address: str, kind: str, shop: Shop | None) -> FrozenText:
    if shop is None:
        return FrozenText(
            address, kind, "not_frozen", reason="no shop was at hand, or no shopper named, to look it up"
        )
    return FrozenText(address, kind, "unreachable", reason="there is no such record in the shop")


class Listings:
    """Products of the shop: every address on the shop's host."""

    name: ClassVar[str] = "product"
    label: ClassVar[str] = "products of the shop"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        self._shop = holdings.shop
        own = None if holdings.shop is None else host_of(holdings.shop.shop_url)
        self._hosts = holdings.shop_hosts | ({own} if own else frozenset())

    def owns(self, address: str) -> bool:
        return bool(self._hosts) and host_of(address) in self._hosts

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        # The shop's record decides, not the cut listing that the agent happened to see.
        product = None if self._shop is None else self._shop.store.product(_last_step(address))
        if self._shop is None or product is None:
            return as_returned(address, self.name, returned) or _missing(address, self.name, self._shop)
        text, places = product_evidence(product, money := self._shop.manifest.money)
        return FrozenText(
            address, self.name, "ok", text, product.title, currency=money, product=product, places=places
        )


def _last_step(address: str) -> str:
    return next(reversed(path_steps(address)), "")


class UserRecords:
    """Profile, orders and statistics of the user who asked; another user's records support nothing."""

    name: ClassVar[str] = "user"
    label: ClassVar[str] = "the shopper's own records"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        self._shop, self._user_id, self._changes = holdings.shop, holdings.user_id, holdings.changes
        self._withheld = holdings.withheld

    def owns(self, address: str) -> bool:
        return address.startswith(USER)

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        """Return the store's record, followed by the text that the agent saw."""
        user_id, _, rest = address.removeprefix(USER).partition("/")
        # A right guess about records that the agent never saw must not count as support.
        if self._withheld:
            reason = "the shopper's records were withheld from this agent, which cannot know what is behind the address"
            return FrozenText(address, self.name, "unreachable", reason=reason)
        if self._shop is not None:
            if self._user_id is not None and user_id != self._user_id:
                reason = "records of another user support nothing"
                return FrozenText(address, self.name, "unreachable", reason=reason)
            # Where nobody says who asked, no shopper's records are looked up.
            text = self._record(self._shop, user_id, rest.strip("/")) if self._user_id else None
            if text is not None:
                # A tool may show other words, or a record that was changed since; a true claim may rest on them.
                seen = "\n\n".join(source.seen for source in returned)
                whole = f"{text}\n\n{seen}" if seen else text
                money = self._shop.manifest.money
                return FrozenText(address, self.name, "ok", whole, source_title(returned), currency=money)
        shop = self._shop if self._user_id else None
        return as_returned(address, self.name, returned) or _missing(address, self.name, shop)

    def _record(self, shop: Shop, user_id: str, path: str) -> str | None:
        store, money = shop.store, shop.manifest.money
        what, _, which = path.partition("/")
        if what == "profile":
            return self._profile(store, user_id)
        if what == "statistics":
            statistics = store.statistics(user_id)
            return None if statistics is None else statistics_evidence(statistics, money)
        if what == "orders":
            return _order(store, user_id, which, money) if which else _orders(store, user_id, money)
        return None

    def _profile(self, store: Store, user_id: str) -> str | None:
        user = store.user(user_id)
        if user is None:
            return None
        changes = [f"Changed while answering: {one.field} is now {one.after}" for one in self._changes]
        return "\n".join([profile_evidence(user), *changes])


class ToolRecords:
    """Results of the user's own tools. Their text is what the agent saw of them."""

    name: ClassVar[str] = "tool"
    label: ClassVar[str] = "tools of your own"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        pass

    def owns(self, address: str) -> bool:
        return address.startswith(OWN)

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        return as_seen(address, self.name, returned)


def _order(store: Store, user_id: str, order_id: str, currency: Currency) -> str | None:
    order = store.order(order_id)
    if order is None or order.user_id != user_id:
        return None
    return order_evidence(order, store.product(order.product_id), currency)


def _orders(store: Store, user_id: str, currency: Currency) -> str:
    orders = store.orders(user_id, limit=_ORDERS).items
    products = store.products([order.product_id for order in orders])
    return orders_evidence(orders, {product.product_id: product for product in products}, currency)
