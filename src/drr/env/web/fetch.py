"""The guarded fetcher: requests one page from an ordinary public web server, within limits.

A name is resolved once per hop and the connection goes to exactly the address that was checked, so a name that resolves
differently a moment later gains nothing. Each redirect is a new address under the same checks.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from threading import Thread
from typing import NamedTuple
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

import httpcore
from drr.env.web.address import Refused, WebAddress, check_ip, parse
from drr.env.web.base import PageStatus
from drr.env.web.robots import LARGEST, Robots

MAX_REDIRECTS = 5
PER_HOST = 2
PER_DOMAIN = 4
MOST_LOOK_UPS = 64
"""Most names looked up at once: of one domain (its last two labels), and in all."""
AGENT = "DeepResearchRetail/0.1"
TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")
_LOOK_UPS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]] = WeakKeyDictionary()
_REDIRECTS = {301, 302, 303, 307, 308}
_BLOCKED = {401, 403, 407, 429, 451, 503}


class FetchFailure(Exception):
    """A page was not fetched. `status` is `blocked` if the server, its robots.txt or our guard refused."""

    def __init__(self, status: PageStatus, reason: str, http_status: int | None = None) -> None:
        super().__init__(reason)
        self.status: PageStatus = status
        self.reason = reason
        self.http_status = http_status


class Fetched(NamedTuple):
    url: str
    final_url: str
    http_status: int
    content_type: str
    charset: str | None
    body: bytes
    false_charset: str | None = None
    """The encoding named by the server, if no such encoding exists."""


class _Reply(NamedTuple):
    http_status: int
    location: str | None
    content_type: str
    charset: str | None
    body: bytes
    false_charset: str | None = None


@dataclass
class Fetcher:
    """The guarded fetcher; it may be shared. `never` are hosts that are never requested whatever they resolve to (the shop's own)."""

    timeout: float = 20.0
    max_bytes: int = 5_000_000
    respect_robots: bool = True
    never: Collection[str] = ()
    resolver: Resolver | None = None
    loopback_port: int | None = None
    """The port of 127.0.0.1 from which tests serve pages. Deliberately not a setting."""
    ssl_context: ssl.SSLContext | None = None
    _gates: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]] = field(
        default_factory=WeakKeyDictionary, repr=False
    )
    _robots: dict[str, Robots] = field(default_factory=dict, repr=False)

    async def fetch(self, url: str) -> Fetched:
        """Return the page behind a URL. Raises `FetchFailure` with the reason if there is none."""
        try:
            async with asyncio.timeout(self.timeout):
                return await self._follow(url)
        except TimeoutError:
            raise FetchFailure("unreachable", f"no complete answer within {self.timeout:g} s") from None
        except Refused as error:
            raise FetchFailure("blocked", f"refused: {error}") from None

    async def _follow(self, url: str) -> Fetched:
        address = self._parse(url)
        for _ in range(MAX_REDIRECTS + 1):
            if self.respect_robots and not await self._allowed(address):
                raise FetchFailure("blocked", f"robots.txt of {address.host} forbids it")
            reply = await self._request(address, self.max_bytes, TYPES)
            if reply.location is None:
                return Fetched(url, address.url, reply.http_status, *reply[2:])
            address = self._next(address, reply.location)
        raise FetchFailure("unreachable", f"more than {MAX_REDIRECTS} redirects")

    def _parse(self, url: str) -> WebAddress:
        address = parse(url, odd_port=self.loopback_port)
        if address.host.removeprefix("www.") in self.never:
            raise Refused(f"{address.host} is the shop; the store answers for it")
        return address

    def _next(self, address: WebAddress, location: str) -> WebAddress:
        try:
            return self._parse(urljoin(address.url, location))
        except ValueError:
            raise Refused("it redirects to a malformed address") from None

    async def _allowed(self, address: WebAddress) -> bool:
        """Tell whether the site's rules allow a page. The rules are read once; if they cannot be read, `FetchFailure` is raised."""
        rules = self._robots.get(address.origin)
        if rules is None:
            rules = await self._read_robots(address)
            if len(self._robots) >= 4096:
                self._robots.clear()
            self._robots[address.origin] = rules
        return rules.allows(address.target)

    async def _read_robots(self, page: WebAddress) -> Robots:
        """Read a site's robots.txt by RFC 9309. No file or no such host allows everything, and a failing server raises `FetchFailure`."""
        address = page._replace(target="/robots.txt")
        try:
            for _ in range(MAX_REDIRECTS + 1):
                reply = await self._request(address, LARGEST, None)
                if reply.location is None:
                    return Robots(reply.body, AGENT)
                address = self._next(address, reply.location)
        except FetchFailure as failure:
            code = failure.http_status
            if code is None or code >= 500 or code == 429:
                reason = f"{failure.reason} (asked for robots.txt of {page.host})"
                raise FetchFailure(failure.status, reason, code) from None
        return Robots(b"", AGENT)

    def _gate(self, host: str) -> asyncio.Semaphore:
        gates = self._gates.setdefault(asyncio.get_running_loop(), {})
        return gates.setdefault(host, asyncio.Semaphore(PER_HOST))

    async def _request(self, address: WebAddress, max_bytes: int, types: Sequence[str] | None) -> _Reply:
        """Make one hop: resolve, check, connect to the checked address, read within the limits. Without `types`, any type is read and cut."""
        async with self._gate(address.host):
            ips = await self._resolve(address)
            pool = httpcore.AsyncConnectionPool(
                ssl_context=self.ssl_context or trusted_roots(),
                network_backend=Pinned(ips),
                max_connections=1,
                retries=0,
            )
            headers = [
                ("User-Agent", AGENT),
                ("Accept", ", ".join(TYPES)),
                ("Accept-Language", "en"),
                ("Accept-Encoding", "gzip, deflate"),
                ("Connection", "close"),
            ]
            try:
                async with (
                    pool,
                    pool.stream(
                        "GET", address.url, headers=headers, extensions=timeouts(self.timeout)
                    ) as response,
                ):
                    return await _read(response, max_bytes, types)
            except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
                reason = " ".join(str(error).split())[:200] or type(error).__name__
                raise FetchFailure("unreachable", f"connection failed: {reason}") from None

    async def _resolve(self, address: WebAddress) -> Sequence[str]:
        resolve = self.resolver or resolve_host
        try:
            found = await resolve(address.host, address.port)
        except (OSError, UnicodeError):
            raise FetchFailure("unreachable", f"the name {address.host} does not resolve") from None
        if not found:
            raise FetchFailure("unreachable", f"the name {address.host} does not resolve")
        # One closed address among open ones is a rebinding attempt, so all of them must be open.
        for ip in found:
            check_ip(ip, loopback=address.port == self.loopback_port)
        return found


async def _read(response: httpcore.Response, max_bytes: int, types: Sequence[str] | None) -> _Reply:
    headers = {name.lower(): value for name, value in reversed(response.headers)}
    status = response.status
    if status in _REDIRECTS:
        location = headers.get(b"location")
        if location is None:
            raise FetchFailure("unreachable", f"status {status} without a new address", status)
        return _Reply(status, location.decode("utf-8", "replace"), "", None, b"")
    if status in _BLOCKED:
        raise FetchFailure("blocked", f"the server answered {status}", status)
    if status != 200:
        raise FetchFailure("unreachable", f"the server answered {status}", status)
    declared = headers.get(b"content-type", b"").decode("latin-1").lower()
    content_type, _, parameters = declared.partition(";")
    content_type = content_type.strip()
    if types is not None and content_type not in types:
        raise FetchFailure(
            "unreachable", f"its type is {content_type[:60] or 'not stated'}, not a readable page"
        )
    length = headers.get(b"content-length", b"")
    cut = types is None
    if length.isdigit() and int(length) > max_bytes and not cut:
        raise FetchFailure("unreachable", f"the page is larger than {max_bytes:,} bytes")
    encoding = headers.get(b"content-encoding", b"").decode("latin-1").strip().lower()
    body = await _body(response.aiter_stream(), encoding, max_bytes, cut=cut)
    label = _charset_label(parameters)
    known = None if label is None else known_charset(label)
    return _Reply(status, None, content_type, known, body, label if known is None else None)


async def _body(chunks: AsyncIterator[bytes], encoding: str, max_bytes: int, *, cut: bool) -> bytes:
    """Return the decoded body; at most `max_bytes` of it, or of the received data, are in memory. `cut` ends at the limit without an error."""
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise FetchFailure("unreachable", f"its encoding {encoding[:40]!r} was not asked for")
    inflate = _Inflate(max_bytes) if encoding not in ("", "identity") else None
    received, body = 0, bytearray()
    async for chunk in chunks:
        received += len(chunk)
        body += inflate(chunk) if inflate else chunk
        if received > max_bytes or len(body) > max_bytes:
            if cut:
                return bytes(body[:max_bytes])
            raise FetchFailure("unreachable", f"the page is larger than {max_bytes:,} bytes")
    if inflate and not inflate.finished:
        raise FetchFailure("unreachable", "its compressed text ends too early")
    return bytes(body)


class _Inflate:
    """Decompresses gzip, zlib and raw deflate, never more than one byte beyond the limit."""

    def __init__(self, limit: int) -> None:
        self._left = limit + 1
        self._decoder = zlib.decompressobj(47)
        self._started = False

    @property
    def finished(self) -> bool:
        return self._decoder.eof

    def __call__(self, chunk: bytes) -> bytes:
        out = bytearray()
        while chunk and self._left > 0:
            try:
                part = self._decoder.decompress(chunk, self._left)
            except zlib.error:
                if self._started:
                    raise FetchFailure("unreachable", "its compressed text is damaged") from None
                self._started, self._decoder = True, zlib.decompressobj(-15)
                continue
            self._started = True
            out += part
            self._left -= len(part)
            chunk = self._decoder.unconsumed_tail
            if self._decoder.eof:
                chunk = self._decoder.unused_data
                if not chunk.strip(b"\0"):
                    break
                # A gzip file may have several members, one after the other.
                self._decoder = zlib.decompressobj(47)
        return bytes(out)


# Text encodings that the web uses; others known to Python are slow, or not encodings of text at all.
_CHARSETS = (
    "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "latin", "windows-125", "cp125",
    "shift_jis", "euc-", "gb", "big5", "koi8-",
)  # fmt: skip


def known_charset(name: str) -> str | None:
    if not name.startswith(_CHARSETS):
        return None
    try:
        b"a".decode(name)  # nothing at all is decoded without a look at the name
    except (LookupError, ValueError):
        return None
    return name


def _charset_label(parameters: str) -> str | None:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            return value.strip().strip("\"'")[:60]
    return None


MAX_ADDRESSES = 3

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


class Pinned(httpcore.AsyncNetworkBackend):
    """Connects to the checked addresses, whatever name the URL carries; TLS still verifies the name."""

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
        """Connect to the first address that accepts: a name may have an IPv6 address that this machine cannot reach."""
        for ip in self._ips[:-1]:
            with contextlib.suppress(httpcore.ConnectError):
                return await self._backend.connect_tcp(ip, port, timeout, local_address, socket_options)
        return await self._backend.connect_tcp(self._ips[-1], port, timeout, local_address, socket_options)


async def resolve_host(host: str, port: int) -> list[str]:
    """Look up a name in a separate thread. A look-up that hangs keeps its slot until the system gives it up, and nobody waits for it."""
    loop = asyncio.get_running_loop()
    gates = _LOOK_UPS.setdefault(loop, {"": asyncio.Semaphore(MOST_LOOK_UPS)})
    domain = ".".join(host.rsplit(".", 2)[-2:])
    answer = Future[list[str]]()
    answer.set_running_or_notify_cancel()
    with contextlib.ExitStack() as stack:
        for gate in (gates.setdefault(domain, asyncio.Semaphore(PER_DOMAIN)), gates[""]):
            await gate.acquire()
            stack.callback(gate.release)
        places = stack.pop_all()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
            answer.set_result(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)
        with contextlib.suppress(RuntimeError):  # the loop is over
            loop.call_soon_threadsafe(places.close)

    Thread(target=look_up, daemon=True).start()
    return await asyncio.wrap_future(answer)


@cache
def trusted_roots() -> ssl.SSLContext:
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def timeouts(seconds: float) -> dict[str, dict[str, float]]:
    return {"timeout": {"connect": seconds, "read": seconds, "write": seconds, "pool": seconds}}
