"""A worker that is a process of its own: `python -m drr.study.process_worker`, spoken to over its standard streams."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

from drr.study.served import ServedWorker, next_message, packed

PATIENCE_S = 20.0
"""A unit that does not end when it is told to holds its worker no longer."""


async def _serve(out: BinaryIO) -> None:
    heard = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(heard), sys.stdin.buffer
    )
    hire = await next_message(heard)
    if hire is None:
        return

    def tell(message: object) -> None:
        out.write(packed(message))
        out.flush()

    served = ServedWorker(hire, tell)

    async def listen() -> None:
        try:
            while (message := await next_message(heard)) is not None:
                served.hear(message)
        finally:
            served.leave()
            last = threading.Timer(PATIENCE_S, os._exit, (1,))
            last.daemon = True
            last.start()

    listening = asyncio.create_task(listen())
    with suppress(BrokenPipeError):  # the driver is gone
        await served.serve()
    listening.cancel()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver hears it, and says what follows
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what work prints is not ours to read
        asyncio.run(_serve(out))


if __name__ == "__main__":
    main()
