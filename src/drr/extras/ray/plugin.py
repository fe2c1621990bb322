"""Registration of the Ray extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.contract import Extra

if TYPE_CHECKING:
    from drr.contract import Pool, PoolOrder


def _pool(order: PoolOrder) -> Pool:
    from drr.extras.ray.pool import pool

    return pool(order)


def _cluster() -> str | None:
    from drr.extras.ray.cluster import joined_cluster_state

    return joined_cluster_state()


class Ray(Extra):
    name = "ray"
    pools = {"ray": _pool}
    clusters = {"ray": _cluster}


EXTRA = Ray()
