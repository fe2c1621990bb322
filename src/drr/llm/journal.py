"""Stores paid answers as they arrive, so that a stopped unit gets them again instead of calling the model.

An answer is found by the bytes of its request and by how often that request was made before, so that nothing depends on the caller or
on the code of an agent. Unusable answers are stored too: the retries that followed them are repeated without cost.
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
    """An answer as it arrived, with its cost (in picodollars; `None` if unknown) and its seconds."""

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
    """The stored answers of one unit."""

    usable_only: bool
    """True where the unit failed for good and is retried: requests with unusable answers are made again."""

    def next(self, request: str) -> PaidAnswer | None:
        """Return the next stored answer to this request; `None` means that the model must be called."""

    def add(self, request: str, answered: PaidAnswer) -> None:
        """Store a new answer, on disk before the unit ends."""


def request_id(model: str, form: str, messages: Sequence[BaseMessage]) -> str:
    """Return a hash of a request. `form` is the data beside the messages: tools, the form of an answer, another limit."""
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
