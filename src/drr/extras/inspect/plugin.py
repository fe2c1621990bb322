"""Registration of the Inspect extra."""

from __future__ import annotations

from drr.env.plugins import ExtraDoor

_VARIANTS = "drr.extras.inspect.variants"
EXTRA = ExtraDoor(
    name="inspect",
    variants={"inspect": f"{_VARIANTS}:inspect_architecture"},
    logs={".eval": "drr.extras.inspect.logs:read_log"},
    agents={"inspect": f"{_VARIANTS}:architecture_parts"},
)
