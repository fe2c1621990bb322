"""Registration of the Inspect extra."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from drr import contract

if TYPE_CHECKING:
    from pathlib import Path


def _architecture(word: str) -> contract.Architecture:
    from drr.extras.inspect.variants import inspect_architecture

    return inspect_architecture(word)


def _agent(found: Any) -> tuple[Callable[[], contract.Run], tuple[str, ...]] | None:
    from drr.extras.inspect.variants import architecture_parts

    return architecture_parts(found)


def _log(path: Path, system: str | None, scorer: str | None) -> contract.ReadReports:
    from drr.extras.inspect.logs import read_log

    return read_log(path, system, scorer)


class Inspect(contract.Extra):
    name = "inspect"
    variants = {"inspect": _architecture}
    agents = {"inspect": _agent}
    logs = {".eval": _log}


EXTRA = Inspect()
