"""Registration of the Ray extra."""

from __future__ import annotations

from drr.env.plugins import ExtraDoor

EXTRA = ExtraDoor(
    name="ray",
    pools={"ray": "drr.extras.ray.pool:pool"},
    clusters={"ray": "drr.extras.ray.cluster:joined_cluster_state"},
)
