"""The subject of a rule: a report with the shop, the question and the evidence around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from drr.citations.addresses import addresses_in, host_of, path_steps
from drr.citations.files import KnownPlaces
from drr.citations.parse import Citations, parse
from drr.env.entities import Order, Product, User
from drr.env.query import Constraints
from drr.env.session import Session
from drr.env.shop import Shop, numbers_of
from drr.eval.asking.seen import seen_text
from drr.eval.checks.identifiers import FoundId, product_forms
from drr.eval.checks.results import Span, place_as_written
from drr.wording.currencies import amount_forms
from drr.wording.currency import DOLLARS
from drr.wording.locale import Locale, locale_of
from drr.wording.money import in_dollars, names_another, without_foreign

if TYPE_CHECKING:
    from drr.env.own_numbers import OwnNumbers
    from drr.eval.checks.own_orders import NamedOrder

_HISTORY = 5_000  # most orders of a user that are read


@dataclass
class Subject:
    """A report with the shop, the question and the evidence around it. Everything but the report may be missing."""

    report: str
    query: str | None = None
    constraints: Constraints | None = None
    """Demands of the question; read from the query where not given."""
    budget: float | None = None
    """Most that the plan may cost in all, where a person names it beside the question."""
    asked: str | None = None
    """The question as it was put. `in_dollars` sets it."""
    user_id: str | None = None
    shop: Shop | None = None
    session: Session | None = None
    """The shop as the answer saw it, where the answer changed the user's record."""
    shop_urls: Sequence[str] = ()
    language: str | None = None
    """Code of the report's language; by default that of the shop's mapping."""
    returned: frozenset[str] | None = None
    """Canonical URLs that tools returned; `None` where no tool calls are known."""
    has_other_currency: bool = False
    """True if the report names another currency than the shop's outside of amounts. `in_dollars` sets it."""
    named: Sequence[NamedOrder] = ()
    """Orders named by the shop's own numbers, in whose place `in_dollars` has ids."""
    _products: dict[str, Product | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _ids: dict[str, str | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Product ids by address."""

    @cached_property
    def in_dollars(self) -> tuple[Subject, Sequence[Span] | None]:
        """Return the subject as seen, its words in English and its currency as dollars. With it, where each character stood; `None` if where it stands."""
        manifest = self.shop and self.shop.manifest
        currency = manifest.currency if manifest else None
        text, seen = seen_text(self.report)
        words, other = self._words, names_another(text, currency or DOLLARS.code)
        if not (currency or words or self.numbers or seen):
            report = without_foreign(text, DOLLARS.code)
            query = None if self.query is None else without_foreign(self.query, DOLLARS.code)
            same = (report, query, other) == (self.report, self.query, False)
            put = replace(self, report=report, query=query, asked=self.query, has_other_currency=other)
            read = self if same else put
            return read, None
        report, stood = self._read(text, words, currency)
        stood = stood if seen is None else [place_as_written(one, seen) for one in stood]
        query = None if self.query is None else self._read(self.query, words, currency)[0]
        report, stood, named = self._with_ids(report, stood)
        put = replace(self, report=report, query=query, asked=self.query, has_other_currency=other)
        return replace(put, named=named), stood

    @cached_property
    def is_in_dollars(self) -> bool:
        """Tell whether the shop sells in US dollars."""
        return self.shop is None or self.shop.manifest.currency in (None, DOLLARS.code)

    @cached_property
    def numbers(self) -> OwnNumbers | None:
        """Return the numbers of the shop's own files, where a user is known whose orders they may name."""
        return None if self.shop is None or self.user_id is None else numbers_of(self.shop.manifest)

    def _with_ids(self, text: str, stood: list[Span]) -> tuple[str, list[Span], list[NamedOrder]]:
        """Return the text with ids of orders in place of own numbers, and where these stood in the report."""
        if self.numbers is None:
            return text, stood, []
        from drr.eval.checks.own_orders import named_orders, own_user_places

        user_id = self.user_id or ""
        found = named_orders(text, self.numbers, self.orders, lambda one: self.product(one) is not None)
        named = [one._replace(place=place_as_written(one.place, stood)) for one in found]
        new = [(one.place, one.order.order_id) for one in found]
        new += [(place, user_id) for place in own_user_places(text, self.numbers, user_id)]
        for (start, end), written in sorted(new, reverse=True):
            place = place_as_written((start, end), stood)
            text = text[:start] + written + text[end:]
            stood[start:end] = [place] * len(written)
        return text, stood, named

    @cached_property
    def _words(self) -> Locale | None:
        return locale_of(self.language or (self.shop.manifest.language if self.shop else None))

    @cached_property
    def states(self) -> Mapping[str, frozenset[str]]:
        """Return the states that each word of the shop's mapping may mean, also as it is read in English."""
        found: dict[str, set[str]] = {}
        for word, state in (self.shop.manifest.states if self.shop else {}).items():
            for one in {word, self._words.english(word)[0].casefold() if self._words else word}:
                found.setdefault(one, set()).add(state)
        return {word: frozenset(states) for word, states in found.items()}

    def _read(self, text: str, words: Locale | None, currency: str | None) -> tuple[str, list[Span]]:
        language = self.language or (self.shop.manifest.language if self.shop else None) or ""
        decimal = "." if language.startswith("en") else "?"  # `₹2,419` has one reading in an English shop
        text, first = words.english(text) if words else (text, [(k, k + 1) for k in range(len(text) + 1)])
        text = without_foreign(text, currency or DOLLARS.code)
        form = amount_forms().get(language) or amount_forms().get(language.partition("-")[0], {})
        by_blanks = form.get("group", "").isspace()
        text, second = (
            in_dollars(text, currency, decimal, by_blanks=by_blanks)
            if currency
            else (text, [(k, k + 1) for k in range(len(text) + 1)])
        )
        return text, [(first[low][0], first[high - 1][1]) for low, high in second]

    def is_asked(self, words: str) -> bool:
        """Tell whether the question has these words, which the report may then repeat."""
        return " ".join(words.casefold().split()) in self._asked

    @cached_property
    def _asked(self) -> str:
        return " ".join((self.query or "").casefold().split())

    @cached_property
    def _returned_places(self) -> KnownPlaces:
        return KnownPlaces(self.returned or ())

    def was_returned(self, url: str) -> bool:
        """Tell whether a tool showed the address. A place in a file counts where a part of it was shown, as one row of several."""
        return self.returned is not None and (
            url in self.returned
            or bool(self._returned_places.meeting(url))
            or _page_of(url) in self._returned_pages
        )

    @cached_property
    def _returned_pages(self) -> frozenset[str]:
        # The report did not invent an address that the question gave.
        asked = addresses_in(self.query or "")
        return frozenset(filter(None, map(_page_of, (*(self.returned or ()), *asked))))

    @cached_property
    def citations(self) -> Citations:
        if self.shop is None:
            return parse(self.report, next(iter(self.shop_urls), ""))
        return parse(
            self.report, self.shop.shop_url, lambda ids: {one.product_id for one in self.products(ids)}
        )

    @cached_property
    def user(self) -> User | None:
        if self.user_id is None or self.shop is None:
            return None
        return self.session.user(self.user_id) if self.session else self.shop.store.user(self.user_id)

    @cached_property
    def hosts(self) -> frozenset[str]:
        """Return the hosts that count as the shop; empty where none is known."""
        given = [*self.shop_urls, *([self.shop.shop_url] if self.shop else [])]
        return frozenset(host for url in given if (host := host_of(url if "://" in url else f"http://{url}")))

    def product(self, product_id: str) -> Product | None:
        if self.shop is None:
            return None
        if product_id not in self._products:
            self._products[product_id] = self.shop.store.product(product_id)
        return self._products[product_id]

    def products(self, ids: Iterable[str]) -> list[Product]:
        """Return those of the products that the shop has; none is read twice."""
        if self.shop is None:
            return []
        wanted = list(ids)
        if missing := [key for key in dict.fromkeys(wanted) if key not in self._products]:
            found = {one.product_id: one for one in self.shop.store.products(missing)}
            self._products.update((key, found.get(key)) for key in missing)
        return [one for key in wanted if (one := self._products[key]) is not None]

    @cached_property
    def orders(self) -> Sequence[Order]:
        """Return the user's orders, as far as they are read."""
        if self.shop is None or self.user_id is None:
            return ()
        return self.shop.store.orders(self.user_id, limit=_HISTORY).items

    @cached_property
    def ordered(self) -> Mapping[str, Product]:
        """Map product ids of the user's orders to products, as far as the shop still has them."""
        ids = dict.fromkeys(one.product_id for one in self.orders)
        return {one.product_id: one for one in self.products(ids)}

    def is_shop_url(self, url: str) -> bool:
        return bool(self.hosts) and host_of(url) in self.hosts

    def product_id_of(self, url: str) -> str | None:
        """Return the product id in a shop URL, known or not; `None` for other hosts and the shop's front page."""
        if url not in self._ids:
            self._ids[url] = _id_in(self, url)
        return self._ids[url]

    def ids_in(self, text: str) -> list[FoundId]:
        """Return the product ids of a text: those of the shop, and those of their forms. Own numbers are none."""
        found = product_forms(self.shop).find(
            text, lambda ids: {one.product_id for one in self.products(ids)}
        )
        return [one for one in found if self.product(one.id) is not None or not is_own_number(self, one.id)]


def _id_in(subject: Subject, url: str) -> str | None:
    if not subject.is_shop_url(url):
        return None
    parts = path_steps(url)
    if not parts:
        return None
    # An id may hold a slash, which an address should escape and people do not.
    wholes = ["/".join(parts[start:]) for start in range(len(parts) - 1)]
    if known := subject.products(wholes):
        return known[0].product_id
    form = product_forms(subject.shop).form
    shaped = [part for part in parts if form is not None and form.fullmatch(part)]
    return shaped[-1] if shaped else parts[-1]


def is_of_own_files(subject: Subject) -> bool:
    """Tell whether a shop is made of files whose own numbers of people and orders only a hash keeps."""
    return subject.shop is not None and "people" in subject.shop.manifest.recipe


def is_own_number(subject: Subject, token: str) -> bool | None:
    """Tell whether a token is a customer's or an order's own number. `None` where it has the form of one."""
    if subject.shop is None:
        return False
    from drr.env.own_numbers import is_masked

    user = subject.numbers.user(token) if subject.numbers else token
    if subject.shop.store.user(user) is not None or (
        subject.numbers and subject.numbers.orders(subject.orders, [token])
    ):
        return True
    # It may be another customer's, or of a row that the ingest left out, so it accuses nobody.
    return None if is_masked(token, subject.shop.manifest.own_masks) else False


def _page_of(url: str) -> str | None:
    """Return the page of a web address, whatever its scheme and fragment; `None` for an address of another kind."""
    scheme, mark, rest = url.partition("://")
    return rest.partition("#")[0].rstrip("/") if mark and scheme in ("http", "https") else None


def returned_by(calls: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return every address that the results of these calls show, in canonical form.

    Only a tool of the shop or the web returns addresses: a thought, a researcher's words or a failed call does not. An address in a
    result that only repeats the call's arguments comes from the model and does not count.
    """
    found: set[str] = set()
    for call in calls:
        if call.get("kind", "api") == "api" and not call.get("error"):
            shown = {name: value for name, value in call.items() if name not in _ASKED}
            found |= urls_in(shown) - urls_in(call.get("arguments"))
    return frozenset(found)


_ASKED = frozenset(["name", "arguments", "error"])


def urls_in(value: Any) -> frozenset[str]:
    """Return every URL inside a value of any form, in canonical form."""
    found: set[str] = set()
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            found.update(addresses_in(one))
        elif isinstance(one, Mapping):
            stack += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            stack += one
    return frozenset(found)
