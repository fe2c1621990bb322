"""What code can say of a question: can this shop answer it, are its facts true, is it private, clear and unlike the others.

A check passes, fails, or does not apply (`none`): a line with only a question and a user is a query too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from drr.env.constraints import parse_constraints
from drr.env.entities import Product, User
from drr.env.errors import DrrError
from drr.env.profile import ProfileSummary, Spend, build_profile
from drr.env.query import Constraints, Query
from drr.env.shop import SearchRequest, Shop
from drr.env.statistics import UserStatistics
from drr.env.text import tokens
from drr.querygen import wording
from drr.querygen.shingles import Seen, shingles
from drr.tools.registry import TOOLS
from drr.wording.states import STATES

Status = Literal["pass", "fail", "none"]
ALIKE = 0.6
"""Shingle similarity from which two questions count as the same."""
LARGEST_SHARE = 0.4
"""Of a file's questions, in one category."""
_SPREAD_FROM = 20
_SHORTEST, _LONGEST = 8, 200
_ORDERS_READ = 2000
_TOLD = frozenset(
    {*ProfileSummary.model_fields, *Spend.model_fields, *UserStatistics.model_fields}
    | {"address.city", "address.state", "address.country"}
)
"""What the profile summary tells: a question cannot lean on an e-mail address or a street."""


class CheckResult(NamedTuple):
    status: Status
    message: str = ""


PASS, NONE = CheckResult("pass"), CheckResult("none")


def _fail(message: str) -> CheckResult:
    return CheckResult("fail", message)


@dataclass
class Known:
    """The records of one user, read once."""

    user: User
    statistics: UserStatistics | None
    orders: dict[str, str]
    """Order to product."""
    words: frozenset[str]
    """Every word of the titles, stores and categories bought, and of the place."""


@dataclass
class Checked:
    query: Query
    verdicts: dict[str, CheckResult]

    @property
    def failed(self) -> dict[str, str]:
        return {name: verdict.message for name, verdict in self.verdicts.items() if verdict.status == "fail"}


@dataclass
class Checker:
    """Checks the questions of one file in their order, because a near-duplicate is one of an earlier question."""

    shop: Shop
    min_products: int = 3
    _earlier: list[str] = field(default_factory=list)
    _seen: Seen = field(default_factory=Seen)
    _known: dict[str, Known | None] = field(default_factory=dict)

    def check(self, query: Query) -> Checked:
        known = self._records(query.user_id)
        verdicts = {name: check(self, query, known) for name, check in CHECKS.items()}
        self._earlier.append(query.id)
        self._seen.add(shingles(query.query))
        return Checked(query, verdicts)

    def accept(self, query: Query) -> Checked:
        """Like `check`, but a question that fails is forgotten, so that it does not make others look like copies."""
        checked = self.check(query)
        if checked.failed:
            self._earlier.pop()
            self._seen.forget_last(shingles(query.query))
        return checked

    def _records(self, user_id: str) -> Known | None:
        if user_id not in self._known:
            self._known[user_id] = self._read(user_id)
        return self._known[user_id]

    def _read(self, user_id: str) -> Known | None:
        store = self.shop.store
        user = store.user(user_id)
        if user is None:
            return None
        orders = store.orders(user_id, limit=_ORDERS_READ).items
        products = store.products(sorted({order.product_id for order in orders}))
        told = [user.address.city, STATES.get(user.address.state, user.address.state), "United States"]
        told += [part for product in products for part in _named(product)]
        return Known(
            user,
            store.statistics(user_id),
            {order.order_id: order.product_id for order in orders},
            frozenset(word for text in told for word in tokens(text)),
        )

    # -- the checks, each by its name in `CHECKS`

    def user(self, query: Query, known: Known | None) -> CheckResult:
        return PASS if known is not None else _fail(f"no user {query.user_id} in this shop")

    def shop_unchanged(self, query: Query, known: Known | None) -> CheckResult:
        if query.shop_hash is None:
            return NONE
        if query.shop_hash != self.shop.manifest.content_hash:
            return _fail(
                f"written for another shop or an earlier state of this one (manifest {query.shop_hash[:12]}, here "
                f"{self.shop.manifest.content_hash[:12]}); generate again"
            )
        return PASS

    def profile_unchanged(self, query: Query, known: Known | None) -> CheckResult:
        if query.profile_hash is None or known is None:
            return NONE
        profile = build_profile(self.shop.store, query.user_id, self.shop.manifest.as_of)
        return (
            PASS
            if profile.sha256 == query.profile_hash
            else _fail("the user's profile summary has changed since")
        )

    def tools_exist(self, query: Query, known: Known | None) -> CheckResult:
        if not query.tools:
            return NONE if query.mode in (None, "manual") else _fail("names no tool")
        wrong = [name for name in query.tools if name not in TOOLS]
        return _fail(f"no such tool: {', '.join(wrong)}") if wrong else PASS

    def web_need(self, query: Query, known: Known | None) -> CheckResult:
        """What only the web can tell is said exactly where the web is among the tools."""
        if not query.tools:
            return NONE
        if "web_search" in query.tools and not query.web_need:
            return _fail("names web_search and does not say what only the web can tell")
        if query.web_need and "web_search" not in query.tools:
            return _fail("says what only the web can tell and does not name web_search")
        return PASS if query.web_need else NONE

    def answerable(self, query: Query, known: Known | None) -> CheckResult:
        if not query.needs:
            return NONE if query.mode in (None, "manual") else _fail("names nothing that the shop must sell")
        scarce = [
            f"{need} ({total})" for need in query.needs if (total := self.sold(need)) < self.min_products
        ]
        if scarce:
            return _fail(f"fewer than {self.min_products} products for {', '.join(scarce)}")
        return PASS

    def budget(self, query: Query, known: Known | None) -> CheckResult:
        wanted = query.constraints or parse_constraints(query.query)
        if not query.needs or not _limits(wanted):
            return NONE
        cheapest = {need: self.cheapest(need) for need in query.needs}
        unknown = [need for need, price in cheapest.items() if price is None]
        if unknown:
            return _fail(f"no product with a known price for {', '.join(unknown)}")
        cap, count = wanted.item_max, wanted.count
        if cap is not None and count is not None and len(query.needs) == 1:
            found = self.affordable(query.needs[0], cap)
            if found < count:
                return _fail(f"{count} are asked for, and {found} of {query.needs[0]} cost up to ${cap:,.2f}")
        prices = [price for price in cheapest.values() if price is not None]
        return _within(wanted, prices)

    def facts(self, query: Query, known: Known | None) -> CheckResult:
        if known is None:
            return NONE
        if not query.facts_used:
            return _fail("leans on no fact of the user") if query.mode == "profile" else NONE
        if query.mode == "generic":
            return _fail("a generic question leans on facts of a user")
        wrong = [
            f"{fact.kind} {fact.id}" for fact in query.facts_used if not _true(fact.kind, fact.id, known)
        ]
        return _fail(f"not in this user's records: {', '.join(wrong)}") if wrong else PASS

    def ids_in_text(self, query: Query, known: Known | None) -> CheckResult:
        if known is None:
            return NONE
        orders = [found for found in wording.order_ids(query.query) if found not in known.orders]
        bought = set(known.orders.values())
        products = [found for found in wording.product_ids(query.query) if found not in bought]
        wrong = [*orders, *products]
        return _fail(f"ids that are not this user's: {', '.join(wrong)}") if wrong else PASS

    def states_in_text(self, query: Query, known: Known | None) -> CheckResult:
        if known is None:
            return NONE
        own = STATES.get(known.user.address.state)
        others = [state for state in wording.states(query.query) if state != own]
        return _fail(f"speaks of {', '.join(others)}, the user lives in {own}") if others else PASS

    def names_in_text(self, query: Query, known: Known | None) -> CheckResult:
        if known is None:
            return NONE
        wrong = [name for name in wording.names(query.query) if not self._is_known(name, known)]
        return _fail(f"neither in the user's records nor in the shop: {', '.join(wrong)}") if wrong else PASS

    def privacy(self, query: Query, known: Known | None) -> CheckResult:
        """Also of what is published beside the question."""
        text = "\n".join([query.query, query.rationale or "", query.web_need or "", *query.needs])
        found = wording.personal_data(text)
        if known is not None:
            user = known.user
            full = re.escape(f"{user.first_name} {user.last_name}")
            if re.search(rf"(?<!\w){full}(?!\w)", text, re.I):
                found.append("the user's name")
            own = {
                "surname": user.last_name,
                "first name": user.first_name,
                "street": user.address.address1,
                "zip": user.address.zip,
                "user id": user.user_id,
            }
            found += [
                name
                for name, value in own.items()
                if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
                and not (name in ("surname", "first name") and set(tokens(value)) <= known.words)
            ]
        return _fail(f"holds {', '.join(dict.fromkeys(found))}") if found else PASS

    def length(self, query: Query, known: Known | None) -> CheckResult:
        words = len(query.query.split())
        if _SHORTEST <= words <= _LONGEST:
            return PASS
        return _fail(f"{words} words; {_SHORTEST} to {_LONGEST} are asked for")

    def language(self, query: Query, known: Known | None) -> CheckResult:
        share = wording.english_share(query.query)
        return (
            PASS
            if share >= 0.2
            else _fail(f"does not read like English ({share:.0%} of its words are common ones)")
        )

    def unlike_others(self, query: Query, known: Known | None) -> CheckResult:
        for place, alike in self._seen.alike(shingles(query.query)):
            if alike >= ALIKE:
                return _fail(f"{alike:.0%} the same as {self._earlier[place]}")
        return PASS

    def constraints(self, query: Query, known: Known | None) -> CheckResult:
        if query.constraints is None:
            return NONE if query.mode in (None, "manual") else _fail("not parsed")
        parsed = parse_constraints(query.query)
        if parsed == query.constraints:
            return PASS
        mine, theirs = parsed.model_dump(), query.constraints.model_dump()
        wrong = [name for name in mine if mine[name] != theirs[name]]
        return _fail(f"the text says otherwise: {', '.join(wrong)}")

    # -- what the shop has

    def sold(self, need: str) -> int:
        return self.shop.catalog.search(SearchRequest(need, match="all", limit=1)).total

    def cheapest(self, need: str) -> float | None:
        request = SearchRequest(need, match="all", sort="price_asc", min_price=0.01, limit=1)
        found = self.shop.store.products(self.shop.catalog.search(request).product_ids)
        return found[0].price if found else None

    def affordable(self, need: str, cap: float) -> int:
        request = SearchRequest(need, match="all", min_price=0.01, max_price=cap, limit=1)
        return self.shop.catalog.search(request).total

    def category(self, query: Query) -> str | None:
        """Where the shop keeps what the question is mainly about."""
        asked = query.needs[0] if query.needs else query.query
        page = self.shop.catalog.search(SearchRequest(asked, match="all" if query.needs else "any", limit=1))
        found = self.shop.store.products(page.product_ids)
        return found[0].category if found else None

    def _is_known(self, name: str, known: Known) -> bool:
        words = tokens(name)
        if not words or all(word in known.words or word in wording.COMMON_NAMES for word in words):
            return True
        return self.shop.catalog.search(SearchRequest(name, match="all", limit=1)).total > 0


def spread(checker: Checker, queries: Sequence[Query]) -> tuple[CheckResult, dict[str, int]]:
    """Over the shop's categories; of files with twenty questions and more."""
    counts = Counter(checker.category(query) or "none" for query in queries)
    ordered = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    if len(queries) < _SPREAD_FROM:
        return NONE, ordered
    name, most = next(iter(ordered.items()))
    if most > LARGEST_SHARE * len(queries) and len(checker.shop.catalog.categories()) > 2:
        return _fail(f"{most} of {len(queries)} questions are about {name}"), ordered
    return PASS, ordered


def manifest_matches(shop: Shop, queries: Sequence[Query]) -> None:
    """Said once for a whole file, before each question says it again."""
    hashes = {query.shop_hash for query in queries if query.shop_hash is not None}
    if hashes and shop.manifest.content_hash not in hashes:
        raise DrrError(
            f"{shop.spec}: these questions were written for another shop or an earlier state of this one "
            f"(manifest {sorted(hashes)[0][:12]}, here {shop.manifest.content_hash[:12]}); generate them again"
        )


def _named(product: Product) -> Iterator[str]:
    yield product.title
    yield product.category.replace("_", " ")
    yield from product.categories
    if product.store:
        yield product.store


def _true(kind: str, value: str, known: Known) -> bool:
    if kind == "order":
        return value in known.orders
    if kind == "product":
        return value in known.orders.values()
    return value in _TOLD


def _limits(wanted: Constraints) -> bool:
    return any(value is not None for value in (wanted.total_max, wanted.item_max, wanted.month_max))


def _within(wanted: Constraints, prices: Sequence[float]) -> CheckResult:
    total = round(sum(prices), 2)
    if wanted.total_max is not None and total > wanted.total_max:
        return _fail(f"the cheapest of each need cost ${total:,.2f} together, above ${wanted.total_max:,.2f}")
    if wanted.item_max is not None and max(prices) > wanted.item_max:
        return _fail(
            f"one need costs ${max(prices):,.2f} at the least, above ${wanted.item_max:,.2f} by the piece"
        )
    if wanted.month_max is not None and total > wanted.month_max * (wanted.months or 1):
        return _fail(f"the cheapest of each need cost ${total:,.2f}, above ${wanted.month_max:,.2f} a month")
    return PASS


CHECKS: dict[str, Callable[[Checker, Query, Known | None], CheckResult]] = {
    "user": Checker.user,
    "shop": Checker.shop_unchanged,
    "profile": Checker.profile_unchanged,
    "tools": Checker.tools_exist,
    "web_need": Checker.web_need,
    "answerable": Checker.answerable,
    "budget": Checker.budget,
    "facts": Checker.facts,
    "ids": Checker.ids_in_text,
    "states": Checker.states_in_text,
    "names": Checker.names_in_text,
    "privacy": Checker.privacy,
    "length": Checker.length,
    "language": Checker.language,
    "near_duplicate": Checker.unlike_others,
    "constraints": Checker.constraints,
}
