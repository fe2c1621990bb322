"""Registration of the UCP extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.contract import Extra

if TYPE_CHECKING:
    from drr.extras.ucp.face import Ucp


def _face() -> type[Ucp]:
    from drr.extras.ucp.face import Ucp

    return Ucp


class UcpExtra(Extra):
    name = "ucp"
    faces = {"ucp": _face}


EXTRA = UcpExtra()
