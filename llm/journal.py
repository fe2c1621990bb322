"""Paid answers, kept as they come: a unit that was stopped is given them again in place of new calls.

An answer is found by the bytes of its request and by how often these were asked before, so that nothing hangs on who asked, or
on how an agent is built. Answers that cannot be used are kept too: what was tried again then is tried again, unpaid.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage


@dataclass(frozen=True)
class PaidAnswer:
    """One answer as it came, with what it cost (picodollars; `None` is unknown) and took."""

    message: AIMessage
    cost: int | None
    seconds: float

    def text(self) -> str:
        facts = json.dumps({"cost": self.cost, "seconds": round(self.seconds, 6)})
        return f"{facts}\n{json.dumps(self.message.model_dump(), default=str)}"

    @classmethod
    def read(cls, text: str) -> PaidAnswer:
        facts, _, message = text.partition("\n")
        entry = json.loads(facts)
        return cls(AIMessage.model_validate(json.loads(message)), entry["cost"], entry["seconds"])


class Journal(Protocol):
    """The journal of one unit."""

    usable_only: bool
    """The unit failed for good and is tried again: what could not be used then is asked for again."""

    def next(self, request: str) -> PaidAnswer | None:
        """The next answer to this request that was kept before; `None`: ask."""

    def add(self, request: str, answered: PaidAnswer) -> None:
        """Keep what was just answered, on disk before the unit ends."""


def request_id(model: str, form: str, messages: Sequence[BaseMessage]) -> str:
    """`form` is whatever goes along with the messages: tools, the form of an answer, another limit."""
    digest = sha256()
    for part in (model, form):
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    for message in messages:
        content = message.content
        text = content if isinstance(content, str) else json.dumps(content, sort_keys=True)
        parts = [message.type, text]
        if isinstance(message, AIMessage):
            parts.append(json.dumps(message.tool_calls, sort_keys=True))
        elif isinstance(message, ToolMessage):
            parts += [message.tool_call_id, message.status]
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return digest.hexdigest()
