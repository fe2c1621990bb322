"""The memories that can be had: ours, those that other packages add, and any class in a file.

One of ours is a file and a line here. Another package adds one through an entry point of the group `drr.memories`;
`path/file.py:Class` names one that nobody installed. Each is called with a `MemoryDesk` and gives an object with `observe` and
`recall`; it may carry `version`, and `asks_model = False` where it never asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from drr.env.errors import DrrError, Misuse
from drr.env.user_code import from_file, is_in_file
from drr.llm.names import OFFLINE
from drr.papers.pdr.memory.base import ROLE, Maker, MemoryKind
from drr.papers.pdr.memory.mem0 import installed

GROUP = "drr.memories"
ABSENT = "not installed"


def _built_in(module: str, name: str) -> Callable[[], Maker]:
    def load() -> Maker:
        maker: Maker = getattr(import_module(f"drr.papers.pdr.memory.{module}"), name)
        return maker

    return load


BUILT_IN = (
    MemoryKind("none", "1", "no memory: the newest items while there is room", _built_in("raw", "Newest")),
    MemoryKind("recent", "1", "the last ten items", _built_in("raw", "Recent")),
    MemoryKind("bm25", "1", "the items that share words with the task", _built_in("raw", "ByWords")),
    MemoryKind(
        "summary",
        "1",
        "one text, rewritten with every batch",
        _built_in("summary", "Summarised"),
        asks_model=True,
        prompts=("memory_summary",),
    ),
    MemoryKind(
        "facts",
        "1",
        "short facts; a new one is compared with those near it",
        _built_in("facts", "Facts"),
        asks_model=True,
        embeds=True,
        prompts=("memory_facts", "memory_compare"),
    ),
    MemoryKind(
        "tiers",
        "1",
        "a short queue, segments by topic, a profile of the hot ones",
        _built_in("tiers", "Tiers"),
        asks_model=True,
        embeds=True,
        prompts=("memory_distill",),
    ),
    MemoryKind(
        "attributes",
        "1",
        "attributes of the person with their values",
        _built_in("attributes", "AttributeMemory"),
        asks_model=True,
        embeds=True,
        prompts=("memory_traits",),
    ),
    MemoryKind(
        "mem0",
        installed() or ABSENT,
        "the package mem0ai (extra `mem0`), with our model and embedder",
        _built_in("mem0", "Mem0"),
        asks_model=True,
        played=False,
        embeds=True,
        origin="mem0ai",
    ),
)


def memory_kind(name: str) -> MemoryKind:
    """`Misuse` with what was probably meant. Ours need no plug-in to be sound, or loaded."""
    if is_in_file(name):
        return _in_file(name)
    ours = {kind.name: kind for kind in BUILT_IN}
    if name in ours:
        if ours[name].version == ABSENT:
            raise Misuse(f"memory {name}: not installed; pip install 'deepresearch-retail[{name}]'")
        return ours[name]
    points = _points()
    if name in points:
        return _plugged(points[name])
    near = get_close_matches(name, [*ours, *points], 2)
    hint = f"did you mean {' or '.join(near)}?" if near else "`drr papers memory list` lists them"
    raise Misuse(f"no memory {name!r}; {hint}")


def check_playable(kinds: Iterable[MemoryKind], model: str) -> None:
    """`Misuse` for a memory whose model would have to be played by rules that there are not."""
    for kind in kinds:
        if kind.asks_model and not kind.played and model == OFFLINE:
            raise Misuse(
                f"memory {kind.name} asks a model in words of its own, which no rules play; "
                f"give one with --role-models {ROLE}=PROVIDER:MODEL"
            )


def memory_kinds() -> list[MemoryKind]:
    """Ours, and every plug-in that can be loaded."""
    return [*BUILT_IN, *(_plugged(point) for point in _points().values())]


@cache
def _points() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    ours = {kind.name for kind in BUILT_IN}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        if point.name in ours or point.name in found:
            raise DrrError(f"the memory plug-in {point.name!r} ({point.value}): the name is taken; rename it")
        found[point.name] = point
    return found


def _plugged(point: EntryPoint) -> MemoryKind:
    try:
        maker = point.load()
    except Exception as error:
        raise DrrError(
            f"the memory plug-in {point.name!r} cannot be loaded ({type(error).__name__}: {error}); mend or uninstall it"
        ) from error
    otherwise = point.dist.version if point.dist is not None else "unknown"
    return _of_others(point.name, maker, otherwise, point.dist.name if point.dist else point.value)


def _in_file(name: str) -> MemoryKind:
    place, _, what = name.rpartition(":")
    code = from_file("memory", place, what)
    return _of_others(f"{code.path.name}:{what}", code.found, "0", code.path.name, f"+{code.digest[:16]}")


def _of_others(name: str, maker: Any, otherwise: str, origin: str, suffix: str = "") -> MemoryKind:
    if not callable(maker):
        raise Misuse(f"memory {name!r}: {type(maker).__name__} is no class; give one that takes a desk")
    return MemoryKind(
        name,
        f"{getattr(maker, 'version', None) or otherwise}{suffix}",
        f"plug-in from {origin}",
        lambda: maker,
        asks_model=bool(getattr(maker, "asks_model", True)),
        embeds=bool(getattr(maker, "embeds", True)),
        origin=origin,
    )
