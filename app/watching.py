"""The progress of one agent's run: a moving line on a terminal, plain lines when piped."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from drr.agents.base import Event, Listener

_VERBS = {"launch": "researches ", "page": "reads ", "result": "refused: "}


@contextmanager
def watched(quiet: bool) -> Iterator[Listener]:
    """Yield who hears of each event of a run; nobody with `quiet`."""
    from drr.agents.base import nobody

    if quiet:
        yield nobody
    elif sys.stderr.isatty():
        with _moving() as listener:
            yield listener
    else:
        started = time.monotonic()

        def tell(event: Event) -> None:
            if (text := _line(event)) is not None:
                print(f"{time.monotonic() - started:6.1f} s  {text}", file=sys.stderr, flush=True)

        yield tell


@contextmanager
def _moving() -> Iterator[Listener]:
    from drr.app.screen import raw, shown
    from rich.console import Console
    from rich.markup import escape

    console, started, calls = Console(file=raw(sys.stderr)), time.monotonic(), 0
    with console.status("starting") as status:

        def show(event: Event) -> None:
            nonlocal calls
            calls += event.kind == "call"
            if (text := _line(event)) is not None:
                console.print(
                    escape(shown(text)), style="dim", highlight=False, no_wrap=True, overflow="ellipsis"
                )
                status.update(f"{time.monotonic() - started:.0f} s, {calls} tool calls")

        yield show


def _line(event: Event) -> str | None:
    if event.kind in ("turn", "ended"):
        return None
    text = " ".join(event.text.split())
    return excerpt(f"{event.actor}: {_VERBS.get(event.kind, '')}{text}", 200)
