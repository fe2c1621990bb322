"""Questions of a file checked against a shop. Can it answer them, are their facts true, are they private, clear, unlike the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from drr.env.entities import Product
from drr.env.errors import DrrError
from drr.env.query import Query
from drr.env.shingles import Seen, shingles
from drr.env.shop import Shop
from drr.env.text import tokens
from drr.querygen.check_list import CHECKS, NONE, PASS, CheckCase, CheckResult, Known, Stock, fail
from drr.wording.states import STATES

LARGEST_SHARE = 0.4
"""Of a file's questions, in one category."""
_SPREAD_FROM = 20
_ORDERS_READ = 2000


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
        own = shingles(query.query)
        earlier = [(self._earlier[place], alike) for place, alike in self._seen.alike(own)]
        case = CheckCase(query, known, Stock(self.shop), self.min_products, earlier)
        verdicts = {name: check(case) for name, check in CHECKS.items()}
        self._earlier.append(query.id)
        self._seen.add(own)
        return Checked(query, verdicts)

    def accept(self, query: Query) -> Checked:
        """Check as `check` does, but forget a question that fails, so that it does not make others look like copies."""
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
        places = [user.address.city, STATES.get(user.address.state, user.address.state), "United States"]
        places += [part for product in products for part in _named(product)]
        return Known(
            user,
            store.statistics(user_id),
            {order.order_id: order.product_id for order in orders},
            frozenset(word for text in places for word in tokens(text)),
        )


def spread(checker: Checker, queries: Sequence[Query]) -> tuple[CheckResult, dict[str, int]]:
    """Check the spread over the shop's categories; of files with twenty questions and more."""
    counts = Counter(Stock(checker.shop).category(query) or "none" for query in queries)
    ordered = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    if len(queries) < _SPREAD_FROM:
        return NONE, ordered
    name, most = next(iter(ordered.items()))
    if most > LARGEST_SHARE * len(queries) and len(checker.shop.catalog.categories()) > 2:
        return fail(f"{most} of {len(queries)} questions are about {name}"), ordered
    return PASS, ordered


def manifest_matches(shop: Shop, queries: Sequence[Query]) -> None:
    """Check a whole file's shop once, before each question says it again."""
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
