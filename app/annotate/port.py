"""The place where a plan is served. Always its own port, because a browser keeps the labels it could not send under that address."""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from drr.app.annotate.plan import AnnotationPlan, save
from drr.app.pages.serve import bind
from drr.env.errors import DrrError

if TYPE_CHECKING:
    from socket import socket

OWN_PORTS = range(20_000, 32_768)
"""Below those that systems give to outgoing connections, so that the port is free again at the next start."""
TRIES = 20


def own_listener(plan: AnnotationPlan, folder: Path, asked: int) -> tuple[socket, str | None]:
    """Open a socket at the plan's port, drawn and written down when it is first served. And say what to note on any other one.

    `asked` 0 is the plan's own.
    """
    if plan.port is None:
        listener = bind(asked) if asked else _free()
        plan.port = listener.getsockname()[1]
        save(plan, folder)
        return listener, None
    if asked in (0, plan.port):
        try:
            return bind(plan.port), None
        except DrrError:
            listener = _free()
            return (
                listener,
                f"port {plan.port} of this plan is taken (is it being served already?). {_waits(plan.port)}",
            )
    return bind(asked), f"the port of this plan is {plan.port}. {_waits(plan.port)}"


def _waits(port: int) -> str:
    return (
        f"Labels that a browser could not send wait in it under http://127.0.0.1:{port}/ and are sent when the plan is"
        " served there again; an open page offers them as a file for --import"
    )


def _free() -> socket:
    draw = SystemRandom()
    for _ in range(TRIES):
        try:
            return bind(draw.choice(OWN_PORTS))
        except DrrError:
            continue
    return bind(0)
