"""The run's model and conversation in Inspect's form: metered, limited and paid like every other call of the run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from drr.agents.base import StopReason
from drr.agents.plugins import RunChatModel
from drr.agents.run_state import AgentRun
from drr.agents.turns import report_form
from drr.env.json_object import JsonObject
from drr.extras.inspect import PROMPT
from drr.extras.inspect.tools import RunPlace
from drr.llm.failures import ModelFailure
from drr.llm.role import Demand, forced_tool
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput
    from inspect_ai.tool import ToolInfo


def instructions(run: AgentRun) -> str:
    """Return the agent's instructions, which are the same as a variant and as a sample of Inspect."""
    return run.system(PROMPT, report_form=report_form(run)).text


class Conversions:
    """A converter of Inspect's messages to LangChain's. Equal messages give the same object, so that a continued conversation is recognised."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, BaseMessage]] = {}

    def of(self, messages: Iterable[ChatMessage]) -> list[BaseMessage]:
        return [self._one(message) for message in messages]

    def learn(self, message: ChatMessage, ours: BaseMessage) -> None:
        """Store our form of a message. Of a reply it is the model's original, because signed blocks are lost in Inspect's form."""
        if message.id:
            self._known[message.id] = _print_of(message), ours

    def _one(self, message: ChatMessage) -> BaseMessage:
        known = self._known.get(message.id or "")
        if known is not None and known[0] == _print_of(message):
            return known[1]
        ours = in_our_form(message)
        self.learn(message, ours)
        return ours


def _print_of(message: ChatMessage) -> str:
    """Return a message's content as a fingerprint, because agents change messages in place."""
    return str(message.model_dump_json(exclude={"id", "metadata", "source", "model"}))


def in_our_form(message: ChatMessage) -> BaseMessage:
    text = _text(message.content)
    if message.role == "system":
        return SystemMessage(text)
    if message.role == "assistant":
        return AIMessage(
            text,
            tool_calls=[
                {"id": call.id, "name": call.function, "args": dict(call.arguments)}
                for call in message.tool_calls or ()
            ],
        )
    if message.role == "tool":
        return ToolMessage(
            text if message.error is None else message.error.message,
            tool_call_id=message.tool_call_id or "",
            name=message.function,
            status="success" if message.error is None else "error",
        )
    return HumanMessage(text)


def _text(content: Any) -> str:
    """Return the text of a content. A picture raises an error, because dropping it would distort the measurement."""
    if isinstance(content, str):
        return content
    strange = next((part.type for part in content if part.type not in ("text", "reasoning")), None)
    if strange is not None:
        raise ModelFailure(
            "bad_request", f"the agent sends a part of the kind {strange!r}; only text is sent on"
        )
    return "\n".join(part.text for part in content if part.type == "text")


PROVIDER = "drr"
_AT_ONCE = 1_000
"""The number of concurrent requests that Inspect allows; the run's own limiter decides the real number."""
_LEFT_OUT = (
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
)


class LimitReached(Exception):
    """A limit of the run that ends the agent's research."""

    def __init__(self, stop: StopReason) -> None:
        super().__init__(f"the {stop.replace('_', ' ')} of this question is reached")
        self.stop = stop


def model_of(place: RunPlace) -> Model:
    from inspect_ai.model import GenerateConfig, Model

    api = _provider()(place.run.agent.name)
    api.answers = Answers(place)
    return Model(api, GenerateConfig())


@dataclass
class Answers:
    """The run's model behind Inspect's model interface."""

    place: RunPlace
    conversions: Conversions = field(default_factory=Conversions)
    turns: int = 0

    def __post_init__(self) -> None:
        self.watched = RunChatModel.of(self.place.run)

    async def answer(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        place = self.place
        stop = place.run.allowance.reached()
        if stop is None and self.turns > place.run.limits.steps:  # one more, for the report
            stop = "step_limit"
        self.turns += 1
        if stop is not None:
            reached = LimitReached(stop)
            place.broken(reached)
            raise reached
        _note(place, config)
        offered = [] if tool_choice == "none" else [_schema(place, tool) for tool in tools]
        try:
            demand = Demand(
                forced_tool(getattr(tool_choice, "name", tool_choice)), tuple(config.stop_seqs or ())
            )
            reply = await self.watched.reply(self.conversions.of(input), tools=offered, demand=demand)
        except Exception as error:
            place.broken(error)
            raise
        return _output(place.run.agent.name, reply, self.conversions)


@cache
def _provider() -> Any:
    """Return Inspect's class for the run's models, registered once in a process."""
    from inspect_ai.model import ModelAPI, modelapi

    @modelapi(name=PROVIDER)
    class RunModel(ModelAPI):
        answers: Answers

        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            return await self.answers.answer(input, tools, tool_choice, config)

        def max_connections(self) -> int:
            return _AT_ONCE

        def connection_key(self) -> str:
            return PROVIDER

    return RunModel


def _schema(place: RunPlace, tool: ToolInfo) -> JsonObject:
    """Return a tool's description: the run's own for a tool of the shop, the agent's for other tools."""
    for ours in place.run.schemas:
        if ours["function"]["name"] == tool.name:
            return dict(ours)
    described = {"name": tool.name, "description": tool.description}
    return {
        "type": "function",
        "function": {**described, "parameters": tool.parameters.model_dump(exclude_none=True)},
    }


def _note(place: RunPlace, config: Any) -> None:
    named = ", ".join(name for name in _LEFT_OUT if getattr(config, name, None) is not None)
    note = f"left out of the agent's model requests, as the study decides: {named}"
    if named and note not in place.run.notes:
        place.run.notes.append(note)


def _output(model: str, ours: AIMessage, conversions: Conversions) -> ModelOutput:
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.tool import ToolCall

    calls = [
        ToolCall(id=call["id"] or uuid4().hex, function=call["name"], arguments=dict(call["args"]))
        for call in ours.tool_calls
    ]
    message = ChatMessageAssistant(
        id=uuid4().hex, content=ours.text, tool_calls=calls or None, model=model, source="generate"
    )
    conversions.learn(message, ours)
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    usage = None
    if (used := ours.usage_metadata) is not None:
        read, written = used["input_tokens"], used["output_tokens"]
        usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return ModelOutput(model=model, choices=[choice], usage=usage)
