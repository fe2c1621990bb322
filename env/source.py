"""A source: something a tool returned that a report may cite. Judging reads these, never the live web."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

SourceType = Literal["product", "web", "user"]


def text_hash(text: str) -> str:
    """The address of a frozen text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Source(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    type: SourceType
    title: str | None = None
    seen: str
    """The text the model got: a rendered record, a snippet, or (with page summaries) the summary."""
    page: str | None = None
    """The readable page behind a web source, where it was read; frozen for every cited web URL when a unit ends."""
    page_status: Literal["ok", "unreachable", "blocked", "empty"] | None = None
    record: dict[str, Any] | None = None
    """The shop record behind a product or user source."""

    @property
    def sha256(self) -> str:
        return text_hash(self.seen)

    @property
    def page_sha256(self) -> str | None:
        return None if self.page is None else text_hash(self.page)
