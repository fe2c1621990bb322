"""Every choice of an ingest; the manifest keeps it whole."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Literal, get_args

from drr.data_ingest.categories import TEN
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject

Pick = Literal["meta-prefix", "review-prefix", "top", "random"]
Orders = Literal["all", "since"]
Statuses = Literal["delivered", "varied"]


@dataclass(frozen=True)
class Recipe:
    """The defaults are the literal reading of the paper's Algorithm 1; that they are its choices is a guess."""

    categories: tuple[str, ...] = TEN
    max_products: int = 10_000
    """Per category."""
    min_reviews: int = 5
    since: str = "2019-01-01"
    pick: Pick = "meta-prefix"
    seed: int = 7
    orders: Orders = "all"
    statuses: Statuses = "delivered"
    limit_reviews: int | None = None
    """Lines read of each review file."""
    max_bad: float = 0.01
    """The share of a file's rows that may be unreadable."""
    keep_reviews: bool = False
    """Also titles, texts and ratings; no tool shows them."""

    def __post_init__(self) -> None:
        for name, least in (("max_products", 1), ("min_reviews", 0), ("seed", 0)):
            if getattr(self, name) < least:
                raise Misuse(f"--{name.replace('_', '-')} {getattr(self, name)}: must be at least {least}")
        if self.limit_reviews is not None and self.limit_reviews < 1:
            raise Misuse(f"--limit-reviews {self.limit_reviews}: must be at least 1")
        if not 0 <= self.max_bad <= 1:
            raise Misuse(f"--max-bad {self.max_bad}: is a share between 0 and 1, such as 0.01")
        for name, kind in (("pick", Pick), ("orders", Orders), ("statuses", Statuses)):
            if getattr(self, name) not in get_args(kind):
                raise Misuse(f"--{name} {getattr(self, name)}: choose one of {', '.join(get_args(kind))}")
        try:
            date.fromisoformat(self.since)
        except ValueError:
            raise Misuse(f"--since {self.since}: is no date; write it like 2019-01-01") from None

    @property
    def since_ms(self) -> int:
        start = datetime.combine(date.fromisoformat(self.since), datetime.min.time(), UTC)
        return int(start.timestamp() * 1000)

    def document(self) -> JsonObject:
        """Write the recipe without a choice that was not made. A shop without reviews has the recipe that it always had."""
        document = {**asdict(self), "categories": list(self.categories)}
        if not self.keep_reviews:
            del document["keep_reviews"]
        return document
