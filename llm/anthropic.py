"""ChatAnthropic with a connection pool of its own: the library's is shared by the process and outlives event loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import anthropic
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import BaseMessage

_COUNTED = ("model", "messages", "system", "tools", "thinking")


class Claude(ChatAnthropic):
    """A Claude client, used and closed in one event loop."""

    @cached_property
    def _async_client(self) -> anthropic.AsyncAnthropic:
        return anthropic.AsyncAnthropic(**self._client_params)

    async def count(self, messages: Sequence[BaseMessage], **bound: Any) -> int | None:
        """Ask how many tokens a request has; `None` where the address does not say."""
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
