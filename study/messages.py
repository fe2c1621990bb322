"""The messages of a driver and a worker in another process: pickles behind their length, over two pipes."""

from __future__ import annotations

import asyncio
import pickle
import struct
from dataclasses import dataclass
from typing import Any

from drr.llm.budget import Limit
from drr.study.folders import CarriedFolder
from drr.study.worker import Opening

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True)
class Hire:
    """First word to a worker: what it opens, and what it is held to. Units follow."""

    opening: Opening
    budget: Limit
    unit_cap: Limit | None
    calls: int | None = None
    """Of a provider at once by all workers together, who ask the driver for places; `None`: each limits itself."""
    name: str | None = None
    """In the ledger's accounts; `None`: its own."""
    code: str | None = None
    """Hash of the code that must run there."""
    each: int | None = None
    """Units that it works on at once, where they cost nothing and more of them lie with it; `None`: it begins what it is handed."""
    folders: tuple[CarriedFolder, ...] = ()
    """That its opening names, and that may have to be copied first."""


@dataclass(frozen=True)
class Hired:
    """First word of a worker: its name in the ledger's accounts."""

    name: str


@dataclass(frozen=True)
class Unfit:
    """A worker that could not open its workplace, or is another than it must be, and leaves."""

    message: str


@dataclass(frozen=True)
class Enough:
    """No more units come; `now`: end what runs as well."""

    now: bool = False


def packed(message: object) -> bytes:
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def next_message(stream: asyncio.StreamReader) -> Any:
    """`None` where the other side is gone."""
    try:
        (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
        return pickle.loads(await stream.readexactly(length))  # noqa: S301 - from a process that we started, over its own pipe
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
