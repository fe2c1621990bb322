"""The parts that go along with a call's messages: tools, the form of an answer; made once and bound once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from drr.llm.structured import readable
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from pydantic import BaseModel


@dataclass(frozen=True)
class AskForm:
    """A form for what goes along with the messages, and how it is put to a model."""

    id: str
    size: int
    bind: Callable[[BaseChatModel], Runnable[Any, AIMessage]]
    tools: bool = False
    schema: type[BaseModel] | None = None
    _bound: dict[int, Runnable[Any, AIMessage]] = field(default_factory=dict, compare=False)
    """By the model; those of a role live as long as its form."""

    @classmethod
    def of(
        cls, document: Any, bind: Callable[[BaseChatModel], Runnable[Any, AIMessage]], **more: Any
    ) -> AskForm:
        text = json.dumps(document, sort_keys=True)
        return cls(sha256(text.encode()).hexdigest(), len(text), bind, **more)

    def fits(self, message: AIMessage) -> bool:
        return self.schema is None or readable(message.text, self.schema)

    def bound(self, chat: BaseChatModel) -> Runnable[Any, AIMessage]:
        if not self.id:
            return chat
        if id(chat) not in self._bound:
            self._bound[id(chat)] = self.bind(chat)
        return self._bound[id(chat)]


PLAIN = AskForm("", 0, lambda chat: chat)
