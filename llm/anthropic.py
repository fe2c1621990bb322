"""ChatAnthropic with a connection pool of its own per event loop, so that a second `asyncio.run` finds no dead sockets."""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

import anthropic
from langchain_anthropic import ChatAnthropic
from pydantic import PrivateAttr

_Loop = asyncio.AbstractEventLoop


class Claude(ChatAnthropic):
    """The library's client cache is shared by the process and outlives loops; ours ends with the loop it serves."""

    _by_loop: WeakKeyDictionary[_Loop, anthropic.AsyncAnthropic] = PrivateAttr(
        default_factory=WeakKeyDictionary
    )

    @property
    def _async_client(self) -> anthropic.AsyncAnthropic:
        loop = asyncio.get_running_loop()
        client = self._by_loop.get(loop)
        if client is None:
            parameters: dict[str, Any] = dict(self._client_params)
            client = self._by_loop[loop] = anthropic.AsyncAnthropic(**parameters)
        return client

    async def aclose(self) -> None:
        """Closes this loop's connections."""
        client = self._by_loop.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()
