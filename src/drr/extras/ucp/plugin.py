"""Registration of the UCP extra."""

from __future__ import annotations

from collections.abc import Callable

from drr import contract


def _face() -> Callable[[], contract.Face]:
    from drr.extras.ucp.face import Ucp

    return Ucp


class UcpExtra(contract.Extra):
    name = "ucp"
    faces = {"ucp": _face}


EXTRA = UcpExtra()
