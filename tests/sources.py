"""Files of ours, read as Python reads them: once for all tests, and without a search for garbage.

The search would go through hundreds of thousands of nodes that all stay, again and again. And what it finds may print a traceback, which
Python 3.11 makes by reading source: within another reading this ends in a SystemError.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@contextmanager
def no_search_for_garbage() -> Iterator[None]:
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()


@cache
def modules(room: str) -> list[tuple[Path, ast.Module]]:
    with no_search_for_garbage():
        return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted((ROOT / room).rglob("*.py"))]


@cache
def walked(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a module, of which every test asks something else."""
    return list(ast.walk(tree))


def nodes_of(path: Path) -> list[ast.AST]:
    with no_search_for_garbage():
        return list(ast.walk(ast.parse(path.read_text("utf-8"))))
