"""Defines the published raw files and their servers: the publisher's own, or a mirror that the user named."""

from __future__ import annotations

import ssl
import tomllib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin, urlsplit

import httpcore
from drr.env.errors import DrrError, Misuse
from drr.env.web.address import PORTS, Refused, WebAddress, check_ip, parse
from drr.env.web.fetch import Pinned, Resolver, resolve_host, timeouts, trusted_roots
from pydantic import BaseModel, ConfigDict

AGENT = "DeepResearchRetail/0.1"
MAX_REDIRECTS = 5
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_LATER = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Status codes after which the same request may succeed later."""


class PassingFailure(Exception):
    """A failure of the connection or the server that may pass. `wait` is the number of seconds requested by the server."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class FileDenied(DrrError):
    """The server will not give this file, however often it is requested."""


@dataclass(frozen=True)
class FileReply:
    """The head of a reply; the caller reads `body`."""

    status: int
    headers: dict[str, str]
    response: httpcore.Response

    @property
    def length(self) -> int | None:
        text = self.headers.get("content-length", "")
        return int(text) if text.isascii() and text.isdigit() else None

    @property
    def body(self) -> AsyncIterator[bytes]:
        return self.response.aiter_stream()


@dataclass
class Publisher:
    base: str
    named: bool = False
    """True if the user named the server in this command: it may then be in a private network and on any port. Its redirects may not."""
    timeout: float = 60.0
    resolver: Resolver = resolve_host
    ssl_context: ssl.SSLContext | None = None
    _own: WebAddress = field(init=False)

    def __post_init__(self) -> None:
        try:
            port = urlsplit(self.base).port if self.named else None
            self._own = parse(self.base, odd_port=port)
        except (Refused, ValueError) as wrong:
            raise Misuse(
                f"--mirror {self.base}: {wrong}; give the address below which raw/meta_categories lies"
            ) from None
        self.base = self._own.url.rstrip("/")

    def address(self, below: str) -> str:
        return f"{self.base}/{below}"

    @asynccontextmanager
    async def ask(
        self, url: str, headers: Sequence[tuple[str, str]] = (), method: str = "GET"
    ) -> AsyncIterator[FileReply]:
        """Request a file and return the reply, with status 200, 206 or 416. Any other status raises `PassingFailure` or `FileDenied`."""
        for _ in range(MAX_REDIRECTS + 1):
            async with self._hop(url, headers, method) as answer:
                if answer.status not in _REDIRECTS:
                    _check(url, answer)
                    yield answer
                    return
                url = urljoin(url, answer.headers.get("location", ""))
        raise FileDenied(f"{url}: more than {MAX_REDIRECTS} redirects")

    @asynccontextmanager
    async def _hop(
        self, url: str, headers: Sequence[tuple[str, str]], method: str
    ) -> AsyncIterator[FileReply]:
        try:
            address = parse(url, odd_port=self._own.port if self.named else None)
            pinned = Pinned(await self._checked_addresses(address))
        except Refused as wrong:
            raise FileDenied(f"{url}: refused: {wrong}") from None
        pool = httpcore.AsyncConnectionPool(
            ssl_context=self.ssl_context or trusted_roots(),
            network_backend=pinned,
            max_connections=1,
            retries=0,
        )
        # A range counts bytes of the file as it lies there, so nothing may be packed on the way.
        sent = [("User-Agent", AGENT), ("Accept-Encoding", "identity"), ("Connection", "close"), *headers]
        try:
            async with (
                pool,
                pool.stream(method, address.url, headers=sent, extensions=timeouts(self.timeout)) as response,
            ):
                named = {
                    name.decode("latin-1").lower(): value.decode("latin-1")
                    for name, value in response.headers
                }
                yield FileReply(response.status, named, response)
        except httpcore.ReadTimeout:
            raise PassingFailure(f"no byte for {self.timeout:g} s") from None
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
            reason = " ".join(str(error).split())[:120] or type(error).__name__
            raise PassingFailure(f"connection failed: {reason}") from None

    async def _checked_addresses(self, address: WebAddress) -> Sequence[str]:
        try:
            found = await self.resolver(address.host, address.port)
        except OSError:
            found = ()
        if not found:
            raise PassingFailure(f"the name {address.host} does not resolve")
        if not (self.named and address.origin == self._own.origin):
            if address.port not in PORTS.values():
                raise Refused(f"port {address.port} is not one of 80 and 443")
            for ip in found:
                check_ip(ip)
        return found


def _check(url: str, answer: FileReply) -> None:
    if answer.status in (200, 206, 416):
        return
    if answer.status in _LATER:
        text = answer.headers.get("retry-after", "")
        wait = float(text) if text.isascii() and text.isdigit() else None
        raise PassingFailure(f"the server answered {answer.status}", wait)
    raise FileDenied(f"{url}: the server answered {answer.status}")


Part = Literal["meta", "review"]
PARTS: tuple[Part, ...] = ("meta", "review")


class PublishedSize(BaseModel):
    """The published size of one file in bytes, unpacked and, if known, packed. The hash is included if the publisher gives one."""

    model_config = ConfigDict(extra="forbid")
    bytes: int
    gz: int | None = None
    sha256: str | None = None


class PublishedSet(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    base: str
    review: str
    meta: str
    licence: str
    ratio: dict[Part, float]
    files: dict[str, dict[Part, PublishedSize]]


@dataclass(frozen=True, slots=True)
class PublishedFile:
    category: str
    part: Part
    address: str
    """The path below the publisher's base, and below a mirror's."""
    path: str
    """The path below RAW_DIR where `drr data ingest` looks for the file."""
    unpacked: int
    packed: int | None
    about: int
    """The packed size, or an estimate of it."""
    sha256: str | None


@cache
def publication() -> PublishedSet:
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return PublishedSet.model_validate(tomllib.loads(text))


def files_to_download(categories: Iterable[str]) -> list[PublishedFile]:
    """Return the two files of each category, the small one first."""
    figures = publication()
    found = []
    for category in categories:
        for part in PARTS:
            size = figures.files[category][part]
            address = getattr(figures, part).format(category)
            path = address.removeprefix("raw/")
            about = size.gz or round(size.bytes / figures.ratio[part])
            found.append(
                PublishedFile(category, part, address, path, size.bytes, size.gz, about, size.sha256)
            )
    return found


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file to download, and how much of it is present."""

    file: PublishedFile
    target: Path
    size: int | None
    """Bytes of the whole file; `None` if a mirror does not tell."""
    there: bool
    kept: int
    """Bytes of the unfinished file."""

    @property
    def left(self) -> int | None:
        if self.there:
            return 0
        return None if self.size is None else max(0, self.size - self.kept)


def unfinished_size(target: Path) -> int:
    """Return the bytes present of an unfinished file."""
    part = target.with_name(target.name + ".part")
    return part.stat().st_size if part.is_file() else 0


async def with_sizes(publisher: Publisher, files: Sequence[PublishedFile], to: Path) -> list[WantedFile]:
    """Return the files with their sizes. The publisher's sizes are known; a mirror is asked for its own."""
    found = []
    for file in files:
        target = to / file.path
        there = target.is_file()
        size: int | None = target.stat().st_size if there else file.about
        if publisher.named and not there:
            size = await _size_at(publisher, file)
        found.append(WantedFile(file, target, size, there, 0 if there else unfinished_size(target)))
    return found


async def _size_at(mirror: Publisher, file: PublishedFile) -> int | None:
    try:
        async with mirror.ask(mirror.address(file.address), method="HEAD") as answer:
            return answer.length
    except (PassingFailure, FileDenied):
        return None
