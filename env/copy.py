"""Copying from one shop to another, whatever the two lie in: the same records, the same content hash."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

from drr.env.content import (
    BATCH,
    Columns,
    ContentHash,
    ReviewRow,
    batched,
    order_bytes,
    product_bytes,
    review_row,
    user_bytes,
    user_row,
)
from drr.env.entities import Order, Product
from drr.env.jobs import GivenJob, Jobs
from drr.env.progress import Progress, Stage, collector_off
from drr.env.shop import Manifest, OrderColumns, Shop, ShopWriter, UserRow


def copy_shop(source: Shop, writer: ShopWriter, progress: Progress) -> Manifest:
    """The writer verifies the content hash, so a copy that differs is never shown."""
    counts = source.manifest.counts
    product_ids: list[str] = []
    user_ids: list[str] = []

    def products() -> Iterator[Product]:
        for product in source.store.iter_products():
            product_ids.append(product.product_id)
            stage.advance()
            yield product

    def users() -> Iterator[list[UserRow]]:
        for batch in batched(source.store.iter_users(), BATCH):
            user_ids.extend(user.user_id for user in batch)
            stage.advance(len(batch))
            yield [user_row(user) for user in batch]

    def orders() -> Iterator[OrderColumns]:
        columns = Columns(product_ids, user_ids)
        for batch in batched(source.store.iter_orders(), BATCH):
            stage.advance(len(batch))
            yield columns(batch)

    def reviews() -> Iterator[list[ReviewRow]]:
        for batch in batched(source.store.iter_reviews(), BATCH):
            stage.advance(len(batch))
            yield [review_row(review) for review in batch]

    with collector_off():
        with progress.stage("products", counts["products"]) as stage:
            writer.write_products(products())
        with progress.stage("users", counts["users"]) as stage:
            writer.write_users(users())
        with progress.stage("orders", counts["orders"]) as stage:
            writer.write_orders(orders())
        if (kept := source.manifest.reviews) is not None:
            with progress.stage("reviews", kept.count) as stage:
                writer.write_reviews(reviews())
    return writer.publish(source.manifest)


class PiecesSink(Protocol):
    """The driver's: what workers tell is hashed, recorded and in the end published."""

    @property
    def hashed(self) -> ContentHash: ...

    def stored(self, name: str) -> str | None:
        """The hash of this piece, where an earlier attempt stored it."""

    def record(self, name: str, digest: str) -> None:
        """Take note that it is stored, and of its hash."""

    def add_words(self, words: Counter[str], categories: Counter[str]) -> None:
        """Add the words that name products, and how many products each category has."""

    def publish(self, manifest: Manifest) -> Manifest: ...


class PieceKeeper(Protocol):
    """A worker's: where pieces are stored. Storing one again changes nothing."""

    @property
    def writes(self) -> bool:
        """Tell whether this writes: not where the shop is there already and is only compared."""

    def write_products(self, products: Sequence[Product], *, known: bool) -> Counter[str]:
        """The words that they are named by; where the piece is `known` to be stored, that is all."""

    def write(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None: ...

    def wait(self) -> None:
        """Wait until all of it is acknowledged."""


PRODUCTS, USERS, ORDERS, REVIEWS = 2_000, 20_000, 40_000, 10_000
"""Rows of one piece."""
_AHEAD = 16
"""Pieces on their way: so many are in memory."""


class CopySink(PiecesSink, Protocol):
    def write_reviews(self, batches: Iterable[Sequence[ReviewRow]]) -> int: ...


@dataclass
class CopyBench:
    """A worker's."""

    keeper: PieceKeeper

    def products(self, rows: list[Product], known: bool) -> Counter[str]:
        return self.keeper.write_products(rows, known=known)

    def users(self, rows: list[UserRow]) -> Counter[str]:
        from drr.env.servers.documents import user_document

        self.keeper.write("users", [user_document(row) for row in rows])
        self.keeper.wait()
        return Counter()

    def orders(self, rows: list[dict[str, Any]]) -> Counter[str]:
        self.keeper.write("orders", [{"_id": row["order_id"], **row} for row in rows])
        self.keeper.wait()
        return Counter()


class SpreadCopy:
    """One copy; `run` once. `writes`: the shop is not there yet."""

    def __init__(self, source: Shop, jobs: Jobs, sink: CopySink, *, writes: bool) -> None:
        self._source, self._jobs, self._sink, self._writes = source, jobs, sink, writes
        self._under_way: deque[tuple[GivenJob, str, Counter[str]]] = deque()

    def run(self, progress: Progress) -> Manifest:
        manifest, store = self._source.manifest, self._source.store
        product_ids: list[str] = []
        user_ids: list[str] = []
        with collector_off():
            with progress.stage("products", manifest.counts["products"], "products") as stage:
                for number, products in enumerate(batched(store.iter_products(), PRODUCTS)):
                    product_ids += [product.product_id for product in products]
                    self._products(number, products)
                    stage.advance(len(products))
            with progress.stage("users", manifest.counts["users"], "users") as stage:
                for number, users in enumerate(batched(store.iter_users(), USERS)):
                    user_ids += [user.user_id for user in users]
                    self._users(number, [user_row(user) for user in users])
                    stage.advance(len(users))
            columns = Columns(product_ids, user_ids)
            with progress.stage("orders", manifest.counts["orders"], "orders") as stage:
                for number, orders in enumerate(batched(store.iter_orders(), ORDERS)):
                    self._orders(number, orders, columns)
                    stage.advance(len(orders))
            self._wait(0)
            if manifest.reviews is not None:
                with progress.stage("reviews", manifest.reviews.count, "reviews") as stage:
                    self._sink.write_reviews(_reviews(store.iter_reviews, stage))
        return self._sink.publish(manifest)

    def _products(self, number: int, rows: list[Product]) -> None:
        data = product_bytes(rows)
        self._sink.hashed.add_bytes("products", data, len(rows))
        name, digest = f"products-{number}", sha256(data).hexdigest()
        known = self._sink.stored(name) == digest
        categories = Counter(product.category for product in rows)
        # Also where it is stored: the words are of all products.
        self._give(GivenJob("products", (rows, known), name=name), digest, categories)

    def _users(self, number: int, rows: list[UserRow]) -> None:
        data = user_bytes(rows)
        self._sink.hashed.add_bytes("users", data, len(rows))
        self._missing(GivenJob("users", (rows,), name=f"users-{number}"), data)

    def _orders(self, number: int, rows: list[Order], columns: Columns) -> None:
        table = columns(rows)
        data = order_bytes(table)
        self._sink.hashed.add_bytes("orders", data, len(rows))
        self._sink.hashed.add_moment(max(table.timestamp_ms))
        self._missing(
            GivenJob("orders", ([row.model_dump() for row in rows],), name=f"orders-{number}"), data
        )

    def _missing(self, job: GivenJob, answer: bytes) -> None:
        digest = sha256(answer).hexdigest()
        if self._sink.stored(job.name) != digest:
            self._give(job, digest, Counter())

    def _give(self, job: GivenJob, digest: str, categories: Counter[str]) -> None:
        if self._writes:
            self._wait(_AHEAD - 1)
            self._under_way.append((self._jobs.give(job), digest, categories))

    def _wait(self, left: int) -> None:
        while len(self._under_way) > left:
            job, digest, categories = self._under_way.popleft()
            words: Counter[str] = self._jobs.answer(job)
            self._sink.record(job.name, digest)
            self._sink.add_words(words, categories)
            self._jobs.drop(job)


def _reviews(rows: Callable[[], Iterable[Any]], stage: Stage) -> Iterator[list[ReviewRow]]:
    for batch in batched(rows(), REVIEWS):
        yield [review_row(review) for review in batch]
        stage.advance(len(batch))
