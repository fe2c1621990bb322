"""What an Inspect agent is told of a question, and its conversation in our messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from drr.agents.running import AgentRun
from drr.agents.turns import report_form
from drr.extras.inspect.variants import PROMPT
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage


def instructions(run: AgentRun) -> str:
    """The same in both directions: as a variant of ours, and as a sample of Inspect's."""
    return run.system(PROMPT, report_form=report_form(run)).text


class Conversions:
    """One message of Inspect's is one of ours, each time it is sent: so a conversation that goes on is known as one."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, BaseMessage]] = {}

    def of(self, messages: Iterable[ChatMessage]) -> list[BaseMessage]:
        return [self._one(message) for message in messages]

    def learn(self, message: ChatMessage, ours: AIMessage) -> None:
        """What our model answered is sent back as it came: it may hold signed blocks, which Inspect's message has not."""
        self._keep(message, ours)

    def _one(self, message: ChatMessage) -> BaseMessage:
        known = self._known.get(message.id or "")
        if known is not None and known[0] == _print_of(message):
            return known[1]
        ours = in_our_form(message)
        self._keep(message, ours)
        return ours

    def _keep(self, message: ChatMessage, ours: BaseMessage) -> None:
        if message.id:
            self._known[message.id] = _print_of(message), ours


def _print_of(message: ChatMessage) -> str:
    """Agents change messages in place: one that was is another."""
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
    """The words alone of a text or of its parts. A picture is refused: an agent that was shown none would be measured as if it had been."""
    if isinstance(content, str):
        return content
    strange = next((part.type for part in content if part.type not in ("text", "reasoning")), None)
    if strange is not None:
        raise ModelFailure(
            "bad_request", f"the agent sends a part of the kind {strange!r}; only text is sent on"
        )
    return "\n".join(part.text for part in content if part.type == "text")
