"""A chat model without an LLM: rules over the transcript. All that it writes is marked as rule-written wherever it is stored.

The rules (a `Policy`) are supplied with the role. They see messages and bound arguments, as a model would.
Usage follows a fixed rule: one token for every four characters sent (message text, tool calls, tool schemas, a bound
answer schema) and for every four characters answered (text and tool calls), rounded up.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from drr.llm.names import OFFLINE
from drr.llm.role import Policy
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field


def _echo(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """Answer that no rules were given, as the default policy."""
    return AIMessage(content="No rules were given for this role.")


class OfflineChatModel(BaseChatModel):
    """A chat model that runs a policy. The policy is a function of the transcript, so that parallel calls do not affect each other."""

    model_name: str = OFFLINE
    policy: Policy = Field(default=_echo, exclude=True, repr=False)
    latency_s: float = 0.0
    """The delay of each answer in seconds, for measurements of waiting code."""

    @property
    def _llm_type(self) -> str:
        return "offline-rules"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        name = kwargs.get("model", self.model_name)
        return LangSmithParams(
            **{**super()._get_ls_params(stop=stop, **kwargs), "ls_provider": "offline", "ls_model_name": name}
        )

    def _answer(
        self, messages: list[BaseMessage], stop: list[str] | None, arguments: dict[str, Any]
    ) -> AIMessage:
        message = self.policy(messages, arguments)
        text = message.text
        cut = min((at for word in stop or () if (at := text.find(word)) >= 0), default=None)
        content = message.content if cut is None else text[:cut]
        spent = _tokens(_size(messages) + _bound_size(arguments))
        written = _tokens(_size([message]))
        return message.model_copy(
            update={
                "content": content,
                "usage_metadata": UsageMetadata(
                    input_tokens=spent, output_tokens=written, total_tokens=spent + written
                ),
                "response_metadata": {
                    "model_name": arguments.get("model", self.model_name),
                    "model_provider": "offline",
                    "stop_reason": "tool_use" if message.tool_calls else "end_turn",
                    **message.response_metadata,
                },
            }
        )

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.latency_s:
            time.sleep(self.latency_s)
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, stop, kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, stop, kwargs))])

    def _chunks(self, message: AIMessage) -> Iterator[ChatGenerationChunk]:
        if message.text:
            yield ChatGenerationChunk(message=AIMessageChunk(content=message.text))
        for index, call in enumerate(message.tool_calls):
            part = tool_call_chunk(
                name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index
            )
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[part]))
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="",
                usage_metadata=message.usage_metadata,
                response_metadata=message.response_metadata,
                chunk_position="last",
            )
        )

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in self._chunks(self._answer(messages, stop, kwargs)):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        for chunk in self._chunks(self._answer(messages, stop, kwargs)):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        schemas = [convert_to_openai_tool(tool) for tool in tools]
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=schemas, **kwargs)


def _tokens(characters: int) -> int:
    return -(-characters // 4)


def _size(messages: Sequence[BaseMessage]) -> int:
    size = 0
    for message in messages:
        size += len(message.text)
        if isinstance(message, AIMessage) and message.tool_calls:
            size += sum(len(call["name"]) + len(json.dumps(call["args"])) for call in message.tool_calls)
    return size


def _bound_size(arguments: Mapping[str, Any]) -> int:
    return sum(
        len(json.dumps(arguments[name])) for name in ("tools", "response_schema") if arguments.get(name)
    )
