"""Every expression of the project, collected from its modules, and texts made to make each slow."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tests.sources import SRC, nodes_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _constants as c
    from re import _parser as parser

_WHICH = {
    c.CATEGORY_DIGIT: "1", c.CATEGORY_NOT_DIGIT: "a", c.CATEGORY_SPACE: " ", c.CATEGORY_NOT_SPACE: "a", c.CATEGORY_WORD: "a",
    c.CATEGORY_NOT_WORD: " ",
}  # fmt: skip


EXTRAS = ("gymnasium", "inspect_ai", "openenv", "verifiers")
_SEARCHING = re.compile(r"\b(_?[A-Za-z]\w*)\.(?:search|finditer|findall|sub|subn|split)\(")
_ANCHORED = re.compile(r"\b(_?[A-Za-z]\w*)\.(?:match|fullmatch)\(")


class Found(NamedTuple):
    where: str
    pattern: re.Pattern[Any]
    searched: bool
    """Whether it may be looked for at every place of a text; where it is only matched at one, starting anew costs nothing."""


@cache
def collected() -> dict[str, Found]:
    """By source text and flags: of module globals and what they hold, and of literals in calls of `re`."""
    found: dict[str, Found] = {}
    for path in sorted(SRC.rglob("*.py")):
        if path.name == "__main__.py":
            continue
        parts = path.relative_to(SRC).with_suffix("").parts
        dotted = ".".join(part for part in parts if part != "__init__")
        name = f"drr.{dotted}".removesuffix(".")
        held = _held(dict(vars(module)), name, 0, "") if (module := _imported(name)) else ()
        for pattern, searched in (*held, *_literal(path)):
            if isinstance(pattern.pattern, str):
                key = f"{pattern.pattern} {pattern.flags}"
                before = found.get(key)
                found[key] = Found(dotted, pattern, searched or (before is not None and before.searched))
    return found


def _imported(name: str) -> ModuleType | None:
    """`None` where it stands on an extra that is not installed: then the literals in its text are all that is seen."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in EXTRAS:
            return None
        raise


@cache
def _only_matched(module: str) -> frozenset[str]:
    """The module's own names of expressions that it asks at one place of a text, and never searches with."""
    source = inspect.getsource(import_module(module))
    searched = {m[1] for m in _SEARCHING.finditer(source)}
    return frozenset(m[1] for m in _ANCHORED.finditer(source) if m[1].startswith("_")) - searched


def _held(value: object, module: str, depth: int, called: str) -> Iterator[tuple[re.Pattern[Any], bool]]:
    """Each expression, and whether it is searched with, as the module says whose name for it this is."""
    if isinstance(value, re.Pattern):
        yield value, called not in _only_matched(module)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _held(one, module, depth, name if isinstance(name, str) else "")
    elif isinstance(value, (list, tuple, set, frozenset)):
        for one in value:
            yield from _held(one, module, depth, "")
    elif depth < 3 and (owner := type(value).__module__).startswith("drr.") and hasattr(value, "__dict__"):
        yield from _held(vars(value), owner, depth + 1, "")


def _literal(path: Path) -> Iterator[tuple[re.Pattern[Any], bool]]:
    """`re.sub(r"...", ...)` in the middle of a function."""
    for node in nodes_of(path):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        first, module = node.args[0], node.func.value
        if not (isinstance(module, ast.Name) and module.id == "re" and isinstance(first, ast.Constant)):
            continue
        if isinstance(first.value, str) and node.func.attr not in ("escape", "compile"):
            yield re.compile(first.value), node.func.attr not in ("match", "fullmatch")


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """(before, what is repeated, after): each repetition of the expression with what leads to it, and what breaks it."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    whole = _sample(tree)
    pumps = {("", " ", ""), ("", "\n", "x"), ("", "a", ""), ("", "1", ""), ("", "a ", ""), ("", whole, "")}
    for before, body in _repeats(tree, ""):
        for piece in (body, body + " "):
            if piece:
                pumps |= {(before, piece, "\x00!"), ("", before + piece, ""), ("", piece, "\x00!")}
    return iter(sorted(pump for pump in pumps if pump[1]))


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """What stands before each repetition, and one turn of it."""
    for code, given in tree:
        if code in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            _, most, body = given
            if most > 3:
                yield before, _sample(body)
            yield from _repeats(body, before)
        elif code is c.SUBPATTERN:
            yield from _repeats(given[3], before)
        elif code is c.ATOMIC_GROUP:
            yield from _repeats(given, before)
        elif code is c.BRANCH:
            for branch in given[1]:
                yield from _repeats(branch, before)
        elif code in (c.ASSERT, c.ASSERT_NOT):
            yield from _repeats(given[1], before)
        before += _one(code, given)


def _sample(tree: Any) -> str:
    return "".join(_one(code, given) for code, given in tree)[:60]


def _one(code: Any, given: Any) -> str:
    """A short text that this part matches, more or less."""
    if code is c.LITERAL:
        return chr(given)
    if code is c.NOT_LITERAL:
        return "a" if given != ord("a") else "b"
    if code is c.ANY:
        return "a"
    if code is c.IN:
        return _member(given)
    if code in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        return _sample(given[2]) * max(1, given[0])
    if code is c.SUBPATTERN:
        return _sample(given[3])
    if code is c.ATOMIC_GROUP:
        return _sample(given)
    if code is c.BRANCH:
        return _sample(given[1][0])
    return ""


def _member(given: Any) -> str:
    """A character of a set; of one that names what is not in it, the first that is."""
    if given[0][0] is c.NEGATE:
        wrong = re.compile("[" + "".join(_source(part) for part in given[1:]) + "]")
        return next((x for x in "a1 -,.\n" if not wrong.match(x)), "a")
    code, value = given[0]
    if code is c.LITERAL:
        return chr(value)
    if code is c.RANGE:
        return chr(value[0])
    return _WHICH.get(value, "a")


def _source(part: tuple[Any, Any]) -> str:
    code, value = part
    if code is c.LITERAL:
        return re.escape(chr(value))
    if code is c.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    names = {c.CATEGORY_DIGIT: r"\d", c.CATEGORY_SPACE: r"\s", c.CATEGORY_WORD: r"\w", c.CATEGORY_NOT_DIGIT: r"\D",
             c.CATEGORY_NOT_SPACE: r"\S", c.CATEGORY_NOT_WORD: r"\W"}  # fmt: skip
    return names[value]
