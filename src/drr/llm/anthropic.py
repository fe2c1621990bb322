"""ChatAnthropic with its own connection pool, because the library's pool is shared by the process and outlives event loops."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import anthropic
from drr.llm.text import call_arguments
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatResult

_READ = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_COUNTED = ("model", "messages", "system", "tools", "thinking")


class Claude(ChatAnthropic):
    """A client for Claude models, used and closed in one event loop."""

    @cached_property
    def _async_client(self) -> anthropic.AsyncAnthropic:
        return anthropic.AsyncAnthropic(**self._client_params)

    def _make_message_chunk_from_anthropic_event(
        self, event: Any, *, block_start_event: Any = None, **more: Any
    ) -> tuple[AIMessageChunk | None, Any]:
        """Complete the last event's usage with the first event's, which the library drops. The last event may omit the input tokens.
        The usage of the first event is passed along in a pair with the block that the library passes along."""
        begun, block = block_start_event or (None, None)
        if event.type == "message_start":
            begun = event.message.usage
        elif event.type == "message_delta" and begun is not None:
            untold = [name for name in _READ if getattr(event.usage, name) is None]
            usage = event.usage.model_copy(update={name: getattr(begun, name) for name in untold})
            event = event.model_copy(update={"usage": usage})
        chunk, block = super()._make_message_chunk_from_anthropic_event(
            event, block_start_event=block, **more
        )
        return chunk, (begun, block)

    def _format_output(self, data: Any, **more: Any) -> ChatResult:
        """Set aside tool calls whose input is no object. The library would raise an error for them and so lose the usage."""
        broken = []
        for block in [block for block in data.content if block.type == "tool_use"]:
            try:
                block.input = call_arguments(json.dumps(block.input))
            except ValueError as error:
                data.content.remove(block)
                broken.append(
                    invalid_tool_call(name=block.name, args=str(block.input), id=block.id, error=str(error))
                )
        result = super()._format_output(data, **more)
        cast("AIMessage", result.generations[0].message).invalid_tool_calls += broken
        return result

    async def count(self, messages: Sequence[BaseMessage], **bound: Any) -> int | None:
        """Return how many tokens a request has; `None` where the server does not count them."""
        request = self._get_request_payload(list(messages), **bound)
        try:
            counted = await self._async_client.messages.count_tokens(
                **{name: request[name] for name in _COUNTED if name in request}
            )
        except anthropic.AnthropicError:
            return None
        return counted.input_tokens

    async def aclose(self) -> None:
        if "_async_client" in self.__dict__:
            await self._async_client.close()
