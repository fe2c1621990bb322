"""Registration of the Inspect extra."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from drr.contract import Extra

if TYPE_CHECKING:
    from pathlib import Path

    from drr.contract import Architecture, ReadReports, Run


def _architecture(word: str) -> Architecture:
    from drr.extras.inspect.variants import inspect_architecture

    return inspect_architecture(word)


def _agent(found: Any) -> tuple[Callable[[], Run], tuple[str, ...]] | None:
    from drr.extras.inspect.variants import architecture_parts

    return architecture_parts(found)


def _log(path: Path, system: str | None, scorer: str | None) -> ReadReports:
    from drr.extras.inspect.logs import read_log

    return read_log(path, system, scorer)


class Inspect(Extra):
    name = "inspect"
    variants = {"inspect": _architecture}
    agents = {"inspect": _agent}
    logs = {".eval": _log}


EXTRA = Inspect()
