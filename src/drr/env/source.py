"""A source: a tool's result that a report may cite, and the text by which a claim is judged.

Judging reads sources, never the live web. The type of a source is the name of its kind (`drr.env.world`), any string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from drr.env.entities import Product
from drr.env.json_object import JsonObject
from drr.env.records.lines import Span
from drr.env.web.base import PageStatus
from drr.wording.currency import DOLLARS, Currency
from pydantic import BaseModel, ConfigDict

FrozenStatus = Literal["ok", "unreachable", "blocked", "empty", "not_frozen"]


def text_hash(text: str) -> str:
    """Return the hash under which a text is frozen."""
    # A model's text may hold half a surrogate pair, at which plain UTF-8 raises.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Source(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    type: str
    title: str | None = None
    seen: str
    """The text that the model got: a formatted record, a snippet, or (with page summaries) the summary."""
    page: str | None = None
    """The readable page behind a web source, if it was read. The page of every cited web URL is frozen when a unit ends."""
    page_status: PageStatus | None = None
    record: JsonObject | None = None
    """The shop record behind a product or user source."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the addresses shown with the source. An order also shows its product's address, so citing that address is not an invention."""
        behind = (self.record or {}).get("product_url") if self.type == "user" else None
        return (self.url, behind) if behind else (self.url,)

    @property
    def sha256(self) -> str:
        return text_hash(self.seen)

    @property
    def page_sha256(self) -> str | None:
        return None if self.page is None else text_hash(self.page)


@dataclass(frozen=True, slots=True)
class FrozenText:
    """The frozen text by which a claim is judged. `text` is set only if `status` is `ok`; otherwise `reason` says why not."""

    url: str
    type: str
    status: FrozenStatus
    text: str | None = None
    title: str | None = None
    reason: str | None = None
    currency: Currency = DOLLARS
    """The currency of a shop's record."""
    product: Product | None = None
    """The product record behind the text, if the shop holds it; checks by code use this record."""
    places: Mapping[str, Span] = field(default_factory=dict, compare=False)
    """Spans of the text that state the record's fields."""

    @property
    def sha256(self) -> str | None:
        return None if self.text is None else text_hash(self.text)
