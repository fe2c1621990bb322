"""A connection to exactly the addresses that were checked: a name that answers differently a moment later gains nothing."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache

import httpcore

MAX_ADDRESSES = 3

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


class Pinned(httpcore.AsyncNetworkBackend):
    """Connects to the addresses that were checked, whatever name the URL carries; TLS still verifies the name."""

    def __init__(self, ips: Sequence[str]) -> None:
        self._ips = ips[:MAX_ADDRESSES]
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore's signature)
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """The next one where one refuses: a name may have an IPv6 address that this machine cannot reach."""
        for ip in self._ips[:-1]:
            with contextlib.suppress(httpcore.ConnectError):
                return await self._backend.connect_tcp(ip, port, timeout, local_address, socket_options)
        return await self._backend.connect_tcp(self._ips[-1], port, timeout, local_address, socket_options)


async def resolved(host: str, port: int) -> list[str]:
    import socket

    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@cache
def trusted_roots() -> ssl.SSLContext:
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def timeouts(seconds: float) -> dict[str, dict[str, float]]:
    return {"timeout": {"connect": seconds, "read": seconds, "write": seconds, "pool": seconds}}
