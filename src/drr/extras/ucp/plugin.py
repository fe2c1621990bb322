"""Registration of the UCP extra."""

from __future__ import annotations

from drr.env.plugins import ExtraDoor

EXTRA = ExtraDoor(name="ucp", faces={"ucp": "drr.extras.ucp.face:Ucp"})
