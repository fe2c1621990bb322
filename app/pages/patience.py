"""The end of patience with a connection that is only half there. Uvicorn waits for ever for a request that never comes to its end."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 30.0


class PatientProtocol(H11Protocol):
    """A protocol that limits the wait for one whole request and for a reader who takes nothing."""

    seconds = SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writing = self._writing or self.loop.call_later(self.seconds, self._drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._written()

    def connection_lost(self, exc: Exception | None) -> None:
        self._read()
        self._written()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """The clock of a request is not set anew by each of its bytes."""
        if self.transport.is_closing() or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._read()
        elif self._reading is None:
            self._reading = self.loop.call_later(self.seconds, self._drop)

    def _read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _written(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def _drop(self) -> None:
        self.transport.abort()
