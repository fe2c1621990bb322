"""The pools by name: what `--pool NAME` is made by. One more is a module with `pool(order)` and a line here."""

from __future__ import annotations

import pkgutil

from drr.env.errors import Misuse
from drr.study.pool import Pool, PoolOrder

ALONE = "in-process"
"""The one that needs no making: units run where the command runs."""
POOLS: dict[str, str] = {
    "processes": "drr.study.processes:pool",
    "ray": "drr.extras.ray.pool:pool",
}
SPREAD = ("ray",)
"""Those whose workers may be on other machines: as many as there are cores here unless it is said."""


def pool_name(word: str) -> tuple[str, str | None]:
    """The name, and the address that was given as `NAME://HOST:PORT`; `Misuse` for a name that nobody knows."""
    name, marks, _ = word.partition("://")
    if name != ALONE and name not in POOLS:
        raise Misuse(f"--pool {word}: known are {', '.join([ALONE, *POOLS])}, and ray://HOST:PORT")
    return name, word if marks else None


def make_pool(name: str, order: PoolOrder) -> Pool:
    made: Pool = pkgutil.resolve_name(POOLS[name])(order)
    return made
