"""The pools by name: what `--pool NAME` is made by. One more is a module with `pool(order)` and a line here."""

from __future__ import annotations

import pkgutil

from drr.env.errors import Misuse
from drr.env.plugins import merged
from drr.study.pool import Pool, PoolOrder

ALONE = "in-process"
"""The one that needs no making: units run where the command runs."""
POOLS: dict[str, str] = {
    "processes": "drr.study.processes:pool",
}
SPREAD = ("ray",)
"""Those whose workers may be on other machines: as many as there are cores here unless it is said."""


def all_pools() -> dict[str, str]:
    """Ours and those of the extras."""
    return POOLS | merged("pools")


def pool_name(word: str) -> tuple[str, str | None]:
    """The name, and the address that was given as `NAME://HOST:PORT`; `Misuse` for a name that nobody knows."""
    name, marks, _ = word.partition("://")
    if name != ALONE and name not in all_pools():
        raise Misuse(f"--pool {word}: known are {', '.join([ALONE, *all_pools()])}, and ray://HOST:PORT")
    return name, word if marks else None


def make_pool(name: str, order: PoolOrder) -> Pool:
    made: Pool = pkgutil.resolve_name(all_pools()[name])(order)
    return made
