"""Large packages that few tests hold ours against: loaded by the first test that asks, not by every worker that reads the file."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Late:
    """A module that is not yet loaded."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, wanted: str) -> Any:
        if wanted.startswith("_"):  # what collecting asks of every name in a file
            raise AttributeError(wanted)
        return getattr(import_module(self._name), wanted)
