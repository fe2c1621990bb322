"""Registration of the Ray extra."""

from __future__ import annotations

from drr import contract


def _pool(order: contract.PoolOrder) -> contract.Pool:
    from drr.extras.ray.pool import pool

    return pool(order)


def _cluster() -> str | None:
    from drr.extras.ray.cluster import joined_cluster_state

    return joined_cluster_state()


class Ray(contract.Extra):
    name = "ray"
    pools = {"ray": _pool}
    clusters = {"ray": _cluster}


EXTRA = Ray()
