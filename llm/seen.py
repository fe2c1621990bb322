"""A model's call as a watcher of the run sees it. The question and its role, the time it took and what it used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from drr.llm.meter import Tokens
from langchain_core.messages import AIMessage, BaseMessage


@dataclass(frozen=True, slots=True)
class SeenCall:
    """One request; a try that failed is one too. What is unknown is `None`."""

    role: str
    model: str
    """As it is named here, `PROVIDER:NAME`."""
    max_tokens: int
    seconds: float
    messages: Sequence[BaseMessage]
    answer: AIMessage | None
    tokens: Tokens | None
    cost: int | None
    """Picodollars."""
    failure: str | None
    """Its kind, where there is no answer or none that can be used."""


class CallWatch(Protocol):
    """A watch that hears of each call as it ends, in the task that made it."""

    def called(self, call: SeenCall) -> None: ...
