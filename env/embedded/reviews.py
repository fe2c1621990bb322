"""The reviews of a shop in a folder: a table that only a shop which keeps them has."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from drr.env.embedded.layout import REVIEWS
from drr.env.entities import KeptReview, iso_from_ms
from drr.env.errors import ShopError
from drr.env.reviews import ReviewRow, ReviewsHash

_READ = (
    "select r.id, u.id, p.id, o.ts, r.rating, r.title, r.text from {} join product p on p.k = o.product_k "
    "join user u on u.k = o.user_k"
)
_OF_USER = _READ.format("purchase o join review r on r.id = o.id") + (
    " where o.user_k = (select k from user where id = ?) order by o.ts desc, o.id"
)
_EVERY = _READ.format("review r cross join purchase o on o.id = r.id") + " order by r.id"


def write_reviews(
    database: sqlite3.Connection, batches: Iterable[Sequence[ReviewRow]], found: ReviewsHash
) -> int:
    """Write the reviews after the orders; one that is of no order is refused."""
    found.begin()
    database.execute(REVIEWS)
    for batch in batches:
        found.add(batch)
        database.execute("begin")
        database.executemany("insert into review values(?,?,?,?)", batch)
        database.execute("commit")
    lost = database.execute(
        "select id from review where not exists (select 1 from purchase where id = review.id) limit 1"
    ).fetchone()
    if lost is not None:
        raise ShopError(f"reviews: one is of the order {lost[0]:016d}, which was not written")
    return found.count


def reviews_of(database: sqlite3.Connection, user_id: str) -> list[KeptReview]:
    return [_review(row) for row in database.execute(_OF_USER, (user_id,))]


def every_review(database: sqlite3.Connection) -> Iterator[KeptReview]:
    for row in database.execute(_EVERY):
        yield _review(row)


def _review(row: tuple[Any, ...]) -> KeptReview:
    order_id, user_id, product_id, ts, rating, title, text = row
    return KeptReview(
        order_id=f"{order_id:016d}",
        user_id=user_id,
        product_id=product_id,
        date=iso_from_ms(ts),
        rating=rating,
        title=title,
        text=text,
    )
