"""The variants that can be run: architecture x profile facts x page summaries, and those that other packages add.

An architecture is one file with `async run(unit) -> Outcome` and one line here. Another package adds one through an entry
point of the group `drr.variants`: its name is the variant's, its object an async function
`(query, tools, model, budget) -> report`, whose `version` attribute (else its distribution's version) enters the key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from drr.agents.base import Ending
from drr.env.errors import DrrError, Misuse

if TYPE_CHECKING:
    from drr.agents.unit import AgentRun

GROUP = "drr.variants"
WS, PROFILE = "+ws", "+profile"
Run = Callable[["AgentRun"], Awaitable[Ending]]


@dataclass(frozen=True)
class Architecture:
    """`version` is raised with every change that may change a result; `prompts` enter the key by their hashes."""

    name: str
    version: str
    summary: str
    prompts: tuple[str, ...]
    load: Callable[[], Run]
    takes_profile: bool = False
    origin: str = "built in"


@dataclass(frozen=True)
class Variant:
    architecture: Architecture
    profile: bool = False
    ws: bool = False

    @property
    def name(self) -> str:
        return self.architecture.name + (PROFILE if self.profile else "") + (WS if self.ws else "")

    @property
    def version(self) -> str:
        return self.architecture.version

    @property
    def prompts(self) -> tuple[str, ...]:
        """Of the files in `agents/prompts`, those that decide what this variant does."""
        return (*self.architecture.prompts, *(("page_summary",) if self.ws else ()))

    @property
    def summary(self) -> str:
        parts = [self.architecture.summary]
        if self.profile:
            parts.append("researchers get the shopper's profile facts")
        parts.append("web pages are read and summarised" if self.ws else "web search gives snippets")
        return "; ".join(parts)


def _built_in(module: str) -> Callable[[], Run]:
    def load() -> Run:
        run: Run = import_module(module).run
        return run

    return load


BUILT_IN = (
    Architecture(
        "plan-to-function",
        "1",
        "one turn plans every tool call, they run in order",
        ("planner", "planner_references", "report", "report_form"),
        _built_in("drr.agents.plan_to_function"),
    ),
    Architecture(
        "react",
        "1",
        "one agent reasons and acts in turns",
        ("react", "react_report", "report", "report_form"),
        _built_in("drr.agents.react"),
    ),
    Architecture(
        "hybrid-react",
        "1",
        "a supervisor launches researchers side by side",
        ("supervisor", "researcher", "researcher_profile", "synthesis", "report_generator", "report_form"),
        _built_in("drr.agents.hybrid_react"),
        takes_profile=True,
    ),
)
PAPER = tuple(architecture.name + mode for architecture in BUILT_IN for mode in ("", WS))
"""What `all` means: the paper's six."""


@cache
def variants() -> dict[str, Variant]:
    """Every variant by name: the six of the paper, those with profile facts, and the plug-ins that can be loaded."""
    return _variants_of(BUILT_IN) | _variants_of(plug_ins()[0])


def _variants_of(architectures: Iterable[Architecture]) -> dict[str, Variant]:
    found: dict[str, Variant] = {}
    for architecture in architectures:
        for profile in (False, True) if architecture.takes_profile else (False,):
            for ws in (False, True):
                variant = Variant(architecture, profile, ws)
                found[variant.name] = variant
    return found


def variant(name: str) -> Variant:
    """The variant of that name; `Misuse` with what was probably meant. Ours need no plug-in to be sound, or loaded."""
    ours = _variants_of(BUILT_IN)
    if name in ours:
        return ours[name]
    known = variants()
    if name in known:
        return known[name]
    if problem := plug_ins()[1].get(name.removesuffix(WS)):
        raise DrrError(problem)
    near = get_close_matches(name, known, 2)
    hint = f"did you mean {' or '.join(near)}?" if near else "`drr variants` lists them"
    raise Misuse(f"no variant {name!r}; {hint}")


def choose(words: str | Iterable[str]) -> list[Variant]:
    """`all`, or names separated by commas, each once in the order given."""
    parts = words.split(",") if isinstance(words, str) else list(words)
    names: list[str] = []
    for part in (part.strip() for part in parts):
        names += PAPER if part == "all" else [part] if part else []
    if not names:
        raise Misuse("no variant named; give `all` or names from `drr variants`")
    return [variant(name) for name in dict.fromkeys(names)]


@cache
def plug_ins() -> tuple[list[Architecture], dict[str, str]]:
    """Those of other packages, and what is wrong with those that cannot be used, by name."""
    found: dict[str, Architecture] = {}
    problems: dict[str, str] = {}
    ours = {architecture.name for architecture in BUILT_IN}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        if point.name in ours or point.name in found or "+" in point.name:
            problems[point.name] = (
                f"plug-in variant {point.name!r} of {_distribution(point)}: the name is taken or holds a `+`;"
                " rename its entry point"
            )
            continue
        try:
            version = _version(point)
        except DrrError as error:
            problems[point.name] = str(error)
            continue
        found[point.name] = plug_in(point.name, point.load, origin=_distribution(point), version=version)
    return list(found.values()), problems


def plug_in(
    name: str, load: Callable[[], Any], *, origin: str = "plug-in", version: str | None = None
) -> Architecture:
    """An architecture from an async function `(query, tools, model, budget) -> report`, loaded when it runs."""

    def run() -> Run:
        from drr.agents.plugins import run_of

        return run_of(name, load())

    return Architecture(name, version or "unknown", f"plug-in from {origin}", (), run, origin=origin)


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _version(point: EntryPoint) -> str:
    """The function's own `version`, because a package's version changes for many reasons."""
    try:
        declared = getattr(point.load(), "version", None)
    except Exception as error:
        raise DrrError(
            f"plug-in variant {point.name!r} of {_distribution(point)} cannot be loaded"
            f" ({type(error).__name__}: {error}); mend or uninstall it"
        ) from error
    return str(declared or (point.dist.version if point.dist is not None else "unknown"))
