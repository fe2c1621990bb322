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
SRC = ROOT / "src" / "drr"
FOLDERS = sorted(path.parent.name for path in SRC.glob("*/__init__.py"))
FACE = "drr"
"""The name, among rooms, of the modules that lie in no room."""


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
    """Return the modules of a room of the package, or of a folder at the top, each with its tree."""
    paths = sorted(_folder(room).rglob("*.py")) if room != FACE else sorted(SRC.glob("*.py"))
    assert paths, f"{room} holds no module: a rule over it would pass on nothing"
    with no_search_for_garbage():
        return [(path, ast.parse(path.read_text("utf-8"))) for path in paths]


@cache
def every() -> list[tuple[Path, ast.Module]]:
    """Return the modules of the whole package."""
    return [one for room in (*FOLDERS, FACE) for one in modules(room)]


def _folder(room: str) -> Path:
    return SRC / room if (SRC / room).is_dir() else ROOT / room


@cache
def walked(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a module, of which every test asks something else."""
    return list(ast.walk(tree))


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what a module imports of ours, at its head, within a function or for its types alone."""
    for node in walked(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        for name in [f"{node.module}.{one}" for one in names] if isinstance(node, ast.ImportFrom) else names:
            if name.startswith("drr.") and isinstance(node, ast.stmt):
                yield node.lineno, name


def nodes_of(path: Path) -> list[ast.AST]:
    with no_search_for_garbage():
        return list(ast.walk(ast.parse(path.read_text("utf-8"))))
