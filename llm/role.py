"""The face of a model for agents, query writers and judges: a role they can talk to. How it is called is `llm`'s affair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

Schema = TypeVar("Schema", bound=BaseModel)

Policy = Callable[[Sequence[BaseMessage], Mapping[str, Any]], AIMessage]
"""What the offline model runs in a role: the transcript and the bound arguments to the next message.

`tools` are OpenAI-style schemas, `response_schema` is the JSON Schema that a structured answer must have (its reply is JSON
text), and `brief` is what the caller handed along: the request once more as plain fields, so that rules need not read them
back out of prose.
"""


class RoleModel(Protocol):
    """A model bound to one role and one unit's meter. Every call is limited, retried, metered and budgeted once, here."""

    name: str
    """e.g. `anthropic:claude-sonnet-5-5`, `offline`."""
    role: str
    rule_written: bool
    """True for the offline stand-in; every artefact made with it says so."""

    async def reply(
        self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = (), brief: object = None
    ) -> AIMessage:
        """The next message; `ModelFailure` if there is none. `tools` are LangChain tools or OpenAI-style schemas.

        `brief` reaches the stand-in under `offline` only; no provider is sent it.
        """

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: object = None
    ) -> Schema:
        """An answer of this form, strictly validated, one re-ask, never a repaired truncation."""


class MeteredModel(RoleModel, Protocol):
    """A model that `Models` gives. Answers in a form can also be had as they came, to be kept and read again."""

    async def answer(
        self, messages: Sequence[BaseMessage], schema: type[BaseModel], *, brief: object = None
    ) -> AIMessage:
        """One answer that was told to have this form; nobody has read it yet."""
