"""ChatAnthropic with a connection pool of its own: the library's is shared by the process and outlives event loops."""

from __future__ import annotations

from functools import cached_property

import anthropic
from langchain_anthropic import ChatAnthropic


class Claude(ChatAnthropic):
    """A Claude client, used and closed in one event loop."""

    @cached_property
    def _async_client(self) -> anthropic.AsyncAnthropic:
        return anthropic.AsyncAnthropic(**self._client_params)

    async def aclose(self) -> None:
        if "_async_client" in self.__dict__:
            await self._async_client.close()
