"""Counts the usage of one unit's model calls by role. Money is counted in whole picodollars, so that sums are exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NotRequired, Protocol, cast

from typing_extensions import TypedDict  # pydantic reads these, and Python 3.11's own does not do for it

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage


class RaisedUsage(TypedDict):
    raised: NotRequired[int]
    """The number of cut answers that were requested again with a higher limit; missing where there were none."""


class UsageRow(RaisedUsage):
    """The form of `Usage` in a record."""

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
    """The cost in dollars; `None` if unknown."""


class ToldCall(TypedDict):
    id: str
    name: str
    args: dict[str, Any]


class ToldTokens(TypedDict):
    input_tokens: int
    output_tokens: int


class ToldMessage(TypedDict):
    """A message of a conversation. Fields of a model's or a tool's message only may be missing."""

    role: str
    text: str
    tool_calls: NotRequired[list[ToldCall]]
    stop_reason: NotRequired[object]
    """The stop reason in the provider's words."""
    usage: NotRequired[ToldTokens]
    blocks: NotRequired[list[object]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str | None]
    status: NotRequired[str]


class ToldConversation(TypedDict):
    name: str
    messages: list[ToldMessage]


PICO = 10**12


def dollars(picos: int | None) -> float | None:
    return None if picos is None else picos / PICO


@dataclass(frozen=True)
class Tokens:
    """The tokens of one call. `input` includes tokens read from and written to the provider's cache."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output

    @property
    def can_be(self) -> bool:
        """Tell whether these numbers are possible for a call: some input, and nothing negative."""
        return self.input > 0 and min(self.output, self.cache_read, self.cache_write) >= 0


def tokens_of(message: AIMessage) -> Tokens | None:
    """Return the tokens of a call, or `None` where the provider reported no possible number: unknown is not zero."""
    usage = message.usage_metadata
    if usage is None:
        return None
    details: Mapping[str, Any] = usage.get("input_token_details") or {}
    read = int(details.get("cache_read") or 0)
    by_age = int(details.get("ephemeral_5m_input_tokens") or 0) + int(
        details.get("ephemeral_1h_input_tokens") or 0
    )
    tokens = Tokens(
        input=int(usage["input_tokens"]),
        output=int(usage["output_tokens"]),
        cache_read=read,
        cache_write=by_age or int(details.get("cache_creation") or 0),
    )
    # No text or call takes no tokens, so a 0 beside one is no count.
    silent = not tokens.output and (message.text or message.tool_calls)
    return tokens if tokens.can_be and not silent else None


@dataclass
class SummedUsage:
    """Counts that add up over calls, units and roles."""

    calls: int = 0
    retries: int = 0
    unmetered: int = 0
    """The number of answered calls for which the provider reported no usage."""
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0

    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in COUNTS}

    def add(self, row: SummedUsage | UsageRow) -> None:
        """Add the usage of a role, or of one unit in a role."""
        more = row.counts() if isinstance(row, SummedUsage) else dict[str, Any](row)
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + more[name])


COUNTS = tuple(one.name for one in fields(SummedUsage))


@dataclass(kw_only=True)
class Usage(SummedUsage):
    """The usage of one role. `cost` is `None` as soon as the price or usage of one call is unknown."""

    model: str
    seconds: float = 0.0
    cost: int | None = 0
    raised: int = 0
    """The number of cut answers that were requested again with a higher limit."""

    def as_json(self) -> UsageRow:
        raised: RaisedUsage = {"raised": self.raised} if self.raised else {}
        paid = {"seconds": round(self.seconds, 3), "cost_usd": dollars(self.cost)}
        return cast("UsageRow", {"model": self.model, **self.counts(), **paid, **raised})


@dataclass
class Meter:
    """The usage of one unit by role."""

    by_role: dict[str, Usage] = field(default_factory=dict)

    def usage(self, role: str, model: str) -> Usage:
        return self.by_role.setdefault(role, Usage(model=model))

    def answered(
        self, role: str, model: str, tokens: Tokens | None, cost: int | None, seconds: float
    ) -> None:
        usage = self.usage(role, model)
        usage.calls += 1
        usage.seconds += seconds
        if tokens is None:
            usage.unmetered += 1
            usage.cost = None
            return
        usage.input_tokens += tokens.input
        usage.output_tokens += tokens.output
        usage.cache_read_tokens += tokens.cache_read
        usage.cache_write_tokens += tokens.cache_write
        usage.cost = None if usage.cost is None or cost is None else usage.cost + cost

    def retried(self, role: str, model: str, seconds: float) -> None:
        usage = self.usage(role, model)
        usage.retries += 1
        usage.seconds += seconds

    @property
    def cost(self) -> int | None:
        return total_cost(usage.cost for usage in self.by_role.values())

    @property
    def tokens(self) -> int:
        return sum(usage.input_tokens + usage.output_tokens for usage in self.by_role.values())

    def as_json(self) -> dict[str, UsageRow]:
        return {role: self.by_role[role].as_json() for role in sorted(self.by_role)}


def total_cost(costs: Iterable[int | None]) -> int | None:
    total = 0
    for cost in costs:
        # A sum of the known parts alone would look like the whole cost.
        if cost is None:
            return None
        total += cost
    return total


@dataclass(frozen=True, slots=True)
class SeenCall:
    """The report on one request, successful or not. Unknown values are `None`."""

    role: str
    model: str
    """The model's name in this project's form, `PROVIDER:NAME`."""
    max_tokens: int
    seconds: float
    messages: Sequence[BaseMessage]
    answer: AIMessage | None
    tokens: Tokens | None
    cost: int | None
    """The cost in picodollars."""
    failure: str | None
    """The kind of failure, where there is no usable answer."""
    first_s: float | None = None
    """Seconds to the first token; `None` where the answer was not streamed, or none came."""
    pieces: int = 0
    silent: int = 0
    """The number of stream pieces before the first text or call; `pieces` counts all of them."""


class CallWatch(Protocol):
    """A watch that is told of each call when the call ends, in the task that made it."""

    def called(self, call: SeenCall) -> None: ...
