"""Copies one shop to another, whatever the backends: the same records, the same content hash."""

from __future__ import annotations

from collections.abc import Iterator

from drr.env.content import (
    BATCH,
    Columns,
    OrderColumns,
    ReviewRow,
    UserRow,
    batched,
    review_row,
    user_row,
)
from drr.env.entities import Product
from drr.env.progress import Progress, collector_off
from drr.env.shop import Manifest, Shop, ShopWriter


def copy_shop(source: Shop, writer: ShopWriter, progress: Progress) -> Manifest:
    """Copy every record of a shop through a writer. The writer verifies the content hash, so a copy that differs is never published."""
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
            writer.write_products(products(), source.manifest.language)
        with progress.stage("users", counts["users"]) as stage:
            writer.write_users(users())
        with progress.stage("orders", counts["orders"]) as stage:
            writer.write_orders(orders())
        if (kept := source.manifest.reviews) is not None:
            with progress.stage("reviews", kept.count) as stage:
                writer.write_reviews(reviews())
    return writer.publish(source.manifest)
