"""Reviews that an ingest was asked to keep: the rows of them, and the hash that is theirs alone. No tool shows one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

import orjson
from drr.env.entities import KeptReview
from drr.env.errors import ShopError
from pydantic import BaseModel, ConfigDict


class ReviewsKept(BaseModel):
    """What the manifest says of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: int
    sha256: str
    """Of rating, title and text by order; the shop's content hash is without them."""


class ReviewRow(NamedTuple):
    order_id: int
    rating: float | None
    title: str
    text: str


class ReviewsHash:
    """Fed in ascending order of order ids, whatever the batches."""

    def __init__(self) -> None:
        self._hash = sha256()
        self._last = -1
        self.count = 0
        self._fed = False

    def add(self, rows: Sequence[ReviewRow]) -> None:
        for row in rows:
            if row.order_id <= self._last:
                raise ShopError(
                    f"reviews: that of order {row.order_id:016d} comes after {self._last:016d}; they are written in "
                    "the order of their orders, one each"
                )
            self._last = row.order_id
            self._hash.update(orjson.dumps(tuple(row)) + b"\n")
        self.count += len(rows)

    def begin(self) -> None:
        """Note that from here on the shop keeps reviews, even if there is none."""
        self._fed = True

    def kept(self) -> ReviewsKept | None:
        return ReviewsKept(count=self.count, sha256=self._hash.hexdigest()) if self._fed else None


def review_row(review: KeptReview) -> ReviewRow:
    return ReviewRow(int(review.order_id), review.rating, review.title, review.text)


def check_reviews(stated: ReviewsKept | None, there: Iterable[KeptReview]) -> Iterator[str]:
    """Sentences where what lies there is not what the manifest says."""
    found = ReviewsHash()
    if stated is not None:
        found.begin()
    try:
        for review in there:
            found.add([review_row(review)])
    except ShopError as error:
        yield str(error)
        return
    if stated is None and found.count:
        yield f"There are {found.count:,} reviews and the manifest says that none are kept."
    elif stated is not None and found.kept() != stated:
        yield f"The {found.count:,} reviews are not the {stated.count:,} that were written: their hash is not the manifest's."
