"""A model as agents, query writers and judges see it: a role that they can talk to."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable

Schema = TypeVar("Schema", bound=BaseModel)

Policy = Callable[[Sequence[BaseMessage], Mapping[str, Any]], AIMessage]
"""The rules of the offline model in a role, which turn the transcript and the bound arguments into the next message.

`tools` are OpenAI-style schemas, `response_schema` is the JSON Schema that a structured answer must have (its reply is JSON
text), and `brief` is what the caller handed along: the request once more as plain fields, so that rules need not read them
back out of prose.
"""


class Demand(NamedTuple):
    """A client's demands on one answer, beside its messages and tools."""

    tool: str = ""
    """The tool to be called; `ANY_TOOL` is one of them."""
    stop: tuple[str, ...] = ()
    """Texts before which the answer ends."""
    form: str = ""
    """The answer's form, as JSON text: `name`, `strict` and `schema`, which is `null` where any JSON object will do."""

    def without(self, name: str) -> Demand:
        return self._replace(**{name: self._field_defaults[name]})


ANY_TOOL = "*"
NO_DEMAND = Demand()


def forced(choice: object) -> str:
    """The `tool` of a demand by a `tool_choice` of OpenAI, Anthropic or LangChain; empty where the model chooses."""
    kind = choice.get("type") if isinstance(choice, Mapping) else choice
    if kind in ("any", "required", True):
        return ANY_TOOL
    if isinstance(choice, Mapping):
        return str(choice.get("function", choice).get("name") or "")
    return "" if kind in ("auto", "none") else str(kind or "")


class RoleModel(Protocol):
    """A model bound to one role and one unit's meter. Every call is limited, retried, metered and budgeted once, here."""

    name: str
    """e.g. `anthropic:claude-sonnet-5-5`, `offline`."""
    role: str
    rule_written: bool
    """True for the offline stand-in; every artefact made with it says so."""

    async def reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Any] = (),
        brief: object = None,
        demand: Demand = NO_DEMAND,
    ) -> AIMessage:
        """The next message; `ModelFailure` if there is none. `tools` are LangChain tools or OpenAI-style schemas.

        `brief` reaches the stand-in under `offline` only; no provider is sent it. A demand that the provider does not take is a `bad_request`.
        """

    async def count(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> int | None:
        """Tokens of a request as its provider counts them; `None` where it does not."""

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


_FENCED = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
TRIES = 2


class Unreadable(ValueError):
    """Says to the model what to mend."""


async def structured(
    ask: Callable[[Sequence[BaseMessage]], Awaitable[AIMessage]],
    messages: Sequence[BaseMessage],
    schema: type[Schema],
) -> Schema:
    """`ask` raises for refused and cut answers, so what arrives here ended as the model meant it to end."""
    transcript = list(messages)
    problem = ""
    for _ in range(TRIES):
        raw = await ask(transcript)
        try:
            return read(raw.text, schema)
        except Unreadable as error:
            problem = str(error)
        form = json.dumps(schema.model_json_schema())
        transcript += [
            raw,
            HumanMessage(
                f"That answer cannot be used: {problem}. Answer again with nothing but one JSON document "
                f"of this form:\n{form}"
            ),
        ]
    raise ModelFailure("malformed", f"no usable {schema.__name__} in {TRIES} answers: {problem}")


def readable(text: str, schema: type[BaseModel]) -> bool:
    try:
        read(text, schema)
    except Unreadable:
        return False
    return True


def read(text: str, schema: type[Schema]) -> Schema:
    """The whole text is one JSON document, or it holds exactly one block between fences that both stand."""
    document = _document(text.strip())
    try:
        json.loads(document, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins)
        return schema.model_validate_json(document, strict=True)
    except ValidationError as error:
        reasons = "; ".join(
            f"{'.'.join(map(str, one['loc'])) or 'the document'}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)[:5]
        )
        raise Unreadable(reasons) from None
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"not JSON ({error})") from None


def _document(text: str) -> str:
    if not text:
        raise Unreadable("it holds no text")
    if "```" not in text or text[0] in "{[":
        return text
    blocks = _FENCED.findall(text) if text.count("```") == 2 else []
    if len(blocks) != 1:
        raise Unreadable("it does not hold exactly one complete block of JSON")
    return str(blocks[0])


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


@dataclass(frozen=True)
class AskForm:
    """A form for what goes along with the messages, and how it is put to a model."""

    id: str
    size: int
    bind: Callable[[BaseChatModel], Runnable[Any, AIMessage]]
    tools: bool = False
    schema: type[BaseModel] | None = None
    _bound: dict[int, Runnable[Any, AIMessage]] = field(default_factory=dict, compare=False)
    """Bound models, by the id of the model; those of a role live as long as its form."""

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
