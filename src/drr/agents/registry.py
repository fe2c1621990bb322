"""Finds the variants that can be run: built-in ones, those of other packages, and async functions in files.

A built-in architecture is one file with `async answer(run) -> Ending` and one entry here. Another package adds one through an
entry point of the group `drr.variants`, whose name is the variant's; `path/file.py:function` names a function that is not installed.
Both are async functions `(query, tools, model, budget) -> report`, see `drr.agents.plugins`. `cmd:COMMAND` is any program, see
`drr.agents.commands`; `inspect:NAME` is an agent that an extra adds.
"""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from itertools import combinations
from typing import Any

from drr.agents.architecture import AgentCode, Architecture, Run, Variant
from drr.agents.base import AGENT, OWN, PROFILE, WS, Limits
from drr.agents.commands.command import is_command, search_path
from drr.agents.commands.variants import command_variant
from drr.env.errors import DrrError, Misuse
from drr.env.files import at_home
from drr.env.plugins import extras, merged, papers
from drr.env.user_code import from_file, is_in_file
from drr.llm.names import is_name
from drr.llm.role import Policy

GROUP = "drr.variants"


def built_in(module: str) -> Callable[[], Run]:
    """Return a function that imports a module when it is called and returns the module's `answer`."""

    def load() -> Run:
        answer: Run = import_module(module).answer
        return answer

    return load


BUILT_IN = (
    Architecture(
        name="plan-to-function",
        version="2",
        summary="one turn plans every tool call, they run in order",
        prompts=("planner", "planner_references", "report", "report_form"),
        settings=("references",),
        load=built_in("drr.agents.plan_to_function"),
    ),
    Architecture(
        name="react",
        version="2",
        summary="one agent reasons and acts in turns",
        prompts=("react", "react_report", "report", "report_form"),
        settings=("reason", "text_calls"),
        load=built_in("drr.agents.react"),
    ),
    Architecture(
        name="hybrid-react",
        version="2",
        summary="a supervisor launches researchers side by side",
        prompts=(
            "supervisor",
            "researcher",
            "researcher_profile",
            "synthesis",
            "report_generator",
            "report_form",
        ),
        options=(PROFILE, OWN, WS),
        settings=("reason", "text_calls"),
        load=built_in("drr.agents.hybrid_react"),
    ),
)
PAPER = tuple(
    architecture + mode
    for architecture in ("plan-to-function", "react", "hybrid-react")
    for mode in ("", f"+{WS.name}")
)
"""The six variants of the paper, which the word `all` stands for."""


@cache
def architectures() -> tuple[Architecture, ...]:
    """Return the built-in architectures, then the papers' architectures."""
    return (*BUILT_IN, *(one for paper in papers() for one in paper.agents.architectures()))


@cache
def variants() -> dict[str, Variant]:
    """Return every variant by name: the built-in variants with all options, and the variants of loadable plug-ins."""
    return _variants_of(architectures()) | _variants_of(plug_ins()[0])


def _variants_of(architectures: Iterable[Architecture]) -> dict[str, Variant]:
    found = (variant for architecture in architectures for variant in _with_options(architecture))
    return {variant.name: variant for variant in found}


def _with_options(architecture: Architecture) -> Iterator[Variant]:
    """Yield an architecture's variants: without options, and with each combination of its options."""
    for many in range(len(architecture.options) + 1):
        for options in combinations(architecture.options, many):
            yield Variant(architecture, options)


def parts_of(word: str) -> tuple[str, str | None]:
    """Split a variant's word into the part before `@` and the model after it, or `None`."""
    pieces = word.split("@")
    # Paths and commands may hold an @ too; only one before a model's name divides.
    for at in range(1, len(pieces)):
        if is_name(model := "@".join(pieces[at:])):
            return "@".join(pieces[:at]), model
    return word, None


def variant(name: str) -> Variant:
    """Return the variant of that name, or raise `Misuse` with similar names. A built-in one is found without loading plug-ins."""
    bare, model = parts_of(name)
    return replace(_variant(bare), model=model)


def _variant(name: str) -> Variant:
    if is_command(name):
        return command_variant(name)
    if is_in_file(name):
        return _in_file(name)
    makers = merged(extra.variants for extra in extras())
    if (make := makers.get(name.partition(":")[0])) is not None and ":" in name:
        word, *options = name.split("+")
        return _with(name, make(word), options)
    ours = _variants_of(architectures())
    if name in ours:
        return ours[name]
    known = variants()
    if name in known:
        return known[name]
    if problem := plug_ins()[1].get(name.partition("+")[0]):
        raise DrrError(problem)
    raise Misuse(f"no variant {name!r}; {_hint(name, known)}")


def _hint(name: str, known: Iterable[str]) -> str:
    """Return a hint on a wrong name: a file in the current folder, a program, or a similar name."""
    place, colon, function = name.partition(":")
    program, _, words = name.partition(" ")
    if colon and at_home(f"{place}.py").is_file():
        return f"did you mean {place}.py:{function}?"
    if words and shutil.which(program, path=search_path()):
        return f"write 'cmd:{name}' for a program"
    if at_home(name).is_file():
        function = f"{name}:FUNCTION for an agent in it, " if name.endswith(".py") else ""
        return f"it is a file: write {function}cmd:{name} for a program"
    near = get_close_matches(name, known, 2)
    return f"did you mean {' or '.join(near)}?" if near else "`drr variants` lists them"


def _in_file(name: str) -> Variant:
    """Return the variant for `path/file.py:function` with options after it."""
    place, _, rest = name.rpartition(":")
    function, *options = rest.split("+")
    return _with(name, architecture_in_file(place, function), options)


def _with(name: str, architecture: Architecture, options: Sequence[str]) -> Variant:
    asked = "".join(f"+{option}" for option in options)
    for found in _with_options(architecture):
        if found.name == architecture.name + asked:
            return found
    known = ", ".join(f"+{option.name}" for option in architecture.options) or "none"
    raise Misuse(f"variant {name!r}: {asked!r} is no choice of its options; it has {known}")


def choose(words: str | Iterable[str]) -> list[Variant]:
    """Return the variants for `all` or for names separated by commas, each once in the given order."""
    parts = words.split(",") if isinstance(words, str) else list(words)
    names: list[str] = []
    for part in (part.strip() for part in parts):
        names += PAPER if part == "all" else [part] if part else []
    if not names:
        raise Misuse("no variant named; give `all` or names from `drr variants`")
    chosen = [variant(name) for name in dict.fromkeys(names)]
    distinct = {found.word: found for found in chosen}
    named = {found.name: found.word for found in distinct.values()}
    for found in distinct.values():
        if named[found.name] != found.word:
            raise Misuse(
                f"two variants are called {found.name!r}: {found.word} and {named[found.name]}; rename one"
            )
    return list(distinct.values())


def whole_words(words: str) -> str:
    """Return the variants' words with files as absolute paths, so that a study continues from any folder."""
    parts = [part.strip() for part in words.split(",")]
    bare = (parts_of(part)[0] for part in parts)
    whole = (is_command(word) or is_in_file(word) for word in bare)
    return ",".join(
        variant(part).word if of_file else part for part, of_file in zip(parts, whole, strict=True)
    )


@cache
def plug_ins() -> tuple[list[Architecture], dict[str, str]]:
    """Return the architectures of other packages, and by name the problem of each that cannot be used."""
    found: dict[str, Architecture] = {}
    problems: dict[str, str] = {}
    ours = {architecture.name for architecture in architectures()}
    # Sorted, so that of two packages with one name the same is taken on every machine.
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        if point.name in ours or point.name in found or "+" in point.name or is_in_file(point.name):
            problems[point.name] = (
                f"plug-in variant {point.name!r} of {_distribution(point)}: the name is taken or holds a `+`;"
                " rename its entry point"
            )
            continue
        try:
            found[point.name] = _load_architecture(point)
        except DrrError as error:
            problems[point.name] = str(error)
    return list(found.values()), problems


def _load_architecture(point: EntryPoint) -> Architecture:
    """Load the architecture of an entry point. The function's own `version` counts, because a package's version changes for many reasons."""
    try:
        function = point.load()
    except Exception as error:
        raise DrrError(
            f"plug-in variant {point.name!r} of {_distribution(point)} cannot be loaded"
            f" ({type(error).__name__}: {error}); mend or uninstall it"
        ) from error
    otherwise = point.dist.version if point.dist is not None else "unknown"
    return architecture_of(
        point.name, function, origin=_distribution(point), otherwise=otherwise, code=AgentCode(point.value)
    )


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def architecture_of(
    name: str,
    function: Any,
    *,
    origin: str,
    otherwise: str = "unknown",
    suffix: str = "",
    word: str = "",
    code: AgentCode | None = None,
) -> Architecture:
    """Build an architecture from the attributes of a function; `otherwise` is its version where the function has none."""

    def load() -> Run:
        from drr.agents.plugins import run_of

        return run_of(name, function)

    theirs, prompts = _of_others(function) or (load, ())
    if theirs is load and callable(function):
        _check_parameters(name, function)
    limits = _declared_attribute(name, function, "limits", Mapping, {})
    if strangers := sorted(set(limits) - {field.name for field in fields(Limits)}):
        raise Misuse(f"plug-in variant {name!r} declares unknown limits: {', '.join(strangers)}")
    policy: Mapping[str, str | Policy] = _declared_attribute(name, function, "policy", Mapping, {})
    tools = _names(name, function, "tools")
    return Architecture(
        name=name,
        version=f"{getattr(function, 'version', None) or otherwise}{suffix}",
        summary=f"plug-in from {origin}",
        load=theirs,
        prompts=prompts,
        roles=tuple(dict.fromkeys((AGENT, *(_names(name, function, "roles") or ())))),
        tools=tools,
        limits=replace(Limits(), **limits),
        policy=dict(policy),
        origin=origin,
        code=code if theirs is load else None,
        word=word,
    )


def _check_parameters(name: str, function: Callable[..., Any]) -> None:
    called = ("query", "tools", "model", "budget")
    try:
        inspect.signature(function).bind(*called)
    except TypeError:
        raise Misuse(
            f"plug-in variant {name!r} takes {inspect.signature(function)}; it is called with four,"
            f" so write `async def {name.rpartition(':')[2]}({', '.join(called)})`"
        ) from None


def _of_others(found: Any) -> tuple[Callable[[], Run], tuple[str, ...]] | None:
    """Return how to load an agent of another framework, and its prompts' names; `None` if no plug-in recognises it."""
    asked = (load(found) for extra in extras() for load in extra.agents.values())
    return next((parts for parts in asked if parts is not None), None)


def _names(name: str, function: Any, attribute: str) -> tuple[str, ...] | None:
    given = getattr(function, attribute, None)
    if given is None:
        return None
    if not isinstance(given, list | tuple | set | frozenset) or not all(
        isinstance(one, str) for one in given
    ):
        raise Misuse(f"plug-in variant {name!r}: its `{attribute}` is not a list of names")
    return tuple(given)


def _declared_attribute(name: str, function: Any, attribute: str, kind: type, otherwise: Any) -> Any:
    given = getattr(function, attribute, otherwise)
    if not isinstance(given, kind):
        raise Misuse(f"plug-in variant {name!r}: its `{attribute}` is a {type(given).__name__}, no dict")
    return given


def architecture_in_file(place: str, function: str) -> Architecture:
    """Build an architecture from a function in a Python file. It is shown as `file.py:function`."""
    code = from_file("variant", place, function)
    if not (inspect.iscoroutinefunction(code.found) or _of_others(code.found)):
        raise Misuse(
            f"variant {place}:{function}: not an async function; write `async def {function}(query, tools, model, budget)`"
        )
    return architecture_of(
        f"{code.path.name}:{function}",
        code.found,
        origin=code.path.name,
        otherwise="0",
        # Nobody raises the version of a script; with its hash, an edited one is asked anew.
        suffix=f"+{code.digest[:16]}",
        word=f"{code.path}:{function}",
        code=AgentCode(str(code.path), function, code.digest),
    )
