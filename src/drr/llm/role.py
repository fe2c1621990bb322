"""Models as agents, query writers and judges use them: a role with methods for replies and structured answers."""

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
"""The rules of the offline model in a role. They turn the transcript and the bound arguments into the next message.

`tools` are schemas in OpenAI's format, `response_schema` is the JSON Schema that a structured answer must have (its reply is JSON
text), and `brief` is the caller's request as plain fields, so that rules need not parse it
from prose.
"""


class Demand(NamedTuple):
    """A client's demands on one answer, beside its messages and tools."""

    tool: str = ""
    """The tool that must be called; `ANY_TOOL` stands for any of them."""
    stop: tuple[str, ...] = ()
    """Texts before which the answer ends."""
    form: str = ""
    """The answer's form as JSON text: `name`, `strict` and `schema`, which is `null` where any JSON object is allowed."""

    def without(self, name: str) -> Demand:
        return self._replace(**{name: self._field_defaults[name]})


ANY_TOOL = "*"
NO_DEMAND = Demand()


def forced_tool(choice: object) -> str:
    """Return the `tool` of a demand for a `tool_choice` of OpenAI, Anthropic or LangChain; empty where the model chooses."""
    kind = choice.get("type") if isinstance(choice, Mapping) else choice
    if kind in ("any", "required", True):
        return ANY_TOOL
    if isinstance(choice, Mapping):
        return str(choice.get("function", choice).get("name") or "")
    return "" if kind in ("auto", "none") else str(kind or "")


class RoleModel(Protocol):
    """A model bound to one role and one unit's meter. Each call is limited, retried, metered and budgeted here, and only here."""

    name: str
    """The model's name, such as `anthropic:claude-sonnet-5-5` or `offline`."""
    role: str
    rule_written: bool
    """True for the offline stand-in. All results made with it are marked so."""

    async def reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Any] = (),
        brief: object = None,
        demand: Demand = NO_DEMAND,
    ) -> AIMessage:
        """Return the next message, or raise `ModelFailure`. `tools` are LangChain tools or schemas in OpenAI's format.

        `brief` reaches the stand-in under `offline` only and is sent to no provider. A demand that the provider rejects is a `bad_request`.
        """

    async def count(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> int | None:
        """Return how many tokens a request has by the provider's count; `None` where there is no count."""

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: object = None
    ) -> Schema:
        """Return an answer of this form after strict validation. An unusable answer is requested once more, and never repaired."""


class MeteredModel(RoleModel, Protocol):
    """A model returned by `Models`. It can also return a structured answer as a raw message, to be stored and read again."""

    async def answer(
        self, messages: Sequence[BaseMessage], schema: type[BaseModel], *, brief: object = None
    ) -> AIMessage:
        """Return one answer that was requested in this form, not yet parsed."""


_FENCED = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
TRIES = 2


class Unreadable(ValueError):
    """An error whose message tells the model how to correct its answer."""


async def structured(
    ask: Callable[[Sequence[BaseMessage]], Awaitable[AIMessage]],
    messages: Sequence[BaseMessage],
    schema: type[Schema],
) -> Schema:
    """Ask for an answer of a form, once more where it cannot be read. `ask` must raise an error for refused and cut answers."""
    transcript = list(messages)
    problem = ""
    for _ in range(TRIES):
        raw = await ask(transcript)
        try:
            return parse_json_answer(raw.text, schema)
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


def is_readable(text: str, schema: type[BaseModel]) -> bool:
    try:
        parse_json_answer(text, schema)
    except Unreadable:
        return False
    return True


def parse_json_answer(text: str, schema: type[Schema]) -> Schema:
    """Parse a text that is one JSON document, or holds exactly one block or object of JSON."""
    document = _document(text.strip().strip("\ufeff").strip())
    try:
        # Read twice, because Pydantic accepts NaN, and the last of two values for one key.
        json.loads(document, parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeated_keys)
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
    text = _behind_thoughts(text)
    if text[:1] == "{" or "```" not in text:
        return _only_object(text)
    blocks = _FENCED.findall(text) if text.count("```") == 2 else []
    if len(blocks) != 1:
        raise Unreadable("it does not hold exactly one complete block of JSON")
    return str(blocks[0])


def _behind_thoughts(text: str) -> str:
    """Return the text behind what a model thought aloud at its beginning."""
    begun, end, rest = text.partition("</think>")
    return rest.strip() if begun.startswith("<think>") and end else text


def _only_object(text: str) -> str:
    """Return the only object of JSON in a text of words; else the text itself."""
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end:
        return text
    try:
        _, length = json.JSONDecoder(object_pairs_hook=_refuse_repeated_keys).raw_decode(text[start:end])
    except (ValueError, RecursionError):
        return text
    return text[start:end] if length == end - start else text


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


@dataclass(frozen=True)
class AskForm:
    """The part of a request beside its messages: tools, demands, schema, and how they are bound to a model."""

    id: str
    size: int
    bind: Callable[[BaseChatModel], Runnable[Any, AIMessage]]
    tools: bool = False
    schema: type[BaseModel] | None = None
    _bound: dict[int, Runnable[Any, AIMessage]] = field(default_factory=dict, compare=False)
    """Bound models, by the id of the model. They live as long as this form."""

    @classmethod
    def of(
        cls, document: Any, bind: Callable[[BaseChatModel], Runnable[Any, AIMessage]], **more: Any
    ) -> AskForm:
        text = json.dumps(document, sort_keys=True)
        return cls(sha256(text.encode()).hexdigest(), len(text), bind, **more)

    def fits(self, message: AIMessage) -> bool:
        return self.schema is None or is_readable(message.text, self.schema)

    def bound(self, chat: BaseChatModel) -> Runnable[Any, AIMessage]:
        if not self.id:
            return chat
        if id(chat) not in self._bound:
            self._bound[id(chat)] = self.bind(chat)
        return self._bound[id(chat)]


PLAIN = AskForm("", 0, lambda chat: chat)
