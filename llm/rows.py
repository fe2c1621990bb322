"""The shapes of what model calls leave in records: usage by role, and conversations as they were."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic reads these, and Python 3.11's own does not do for it


class RaisedUsage(TypedDict):
    raised: NotRequired[int]
    """Answers that were cut, and asked for again with room for more; missing where there were none."""


class UsageRow(RaisedUsage):
    """`Usage` in a record."""

    model: str
    calls: int
    retries: int
    unmetered: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    seconds: float
    cost_usd: float | None
    """`None` is unknown."""


class ToldCall(TypedDict):
    id: str
    name: str
    args: dict[str, Any]
    """As the model gave them."""


class ToldTokens(TypedDict):
    input_tokens: int
    output_tokens: int


class ToldMessage(TypedDict):
    """One message; what only a model's or only a tool's message has may be missing."""

    role: str
    text: str
    tool_calls: NotRequired[list[ToldCall]]
    stop_reason: NotRequired[object]
    """In the provider's words."""
    usage: NotRequired[ToldTokens]
    blocks: NotRequired[list[object]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str | None]
    status: NotRequired[str]


class ToldConversation(TypedDict):
    name: str
    messages: list[ToldMessage]
