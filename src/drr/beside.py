"""A guard for programs started in a checkout: their packages `agents` or `tools` must not be those of drr."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path


def step_aside(name: str, folder: str) -> None:
    """Import the package `name` from elsewhere instead of the folder of drr; raise `ImportError` where there is none.

    A package of drr is never loaded under its bare name: a second copy of it would be another shop.
    """
    here = Path(folder).absolute().parent
    elsewhere = [entry for entry in sys.path if Path(entry).absolute() != here]
    for finder in sys.meta_path:
        spec = finder.find_spec(name, elsewhere if finder is PathFinder else None)
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            return
    raise ImportError(f"this folder is the package drr.{name}: import drr.{name}", name=name)
