"""Shared command-line options: their types, and dataclasses of the limits of a run."""

from __future__ import annotations

import argparse
import math
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypedDict

from drr.app.commands.table import CommandRow
from drr.app.study.spans import SpanTerms, span_terms
from drr.env.errors import Misuse
from drr.env.files import at_home


def positive_int(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def positive_float(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def add_limits_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limits",
        metavar="NAME=N,...",
        help="bounds of a unit, e.g. steps=10,researchers=3; see docs/agents.md (default: the variant's)",
    )


def add_asked_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a study's request besides its questions: trials, limits, and the part to compute now."""
    add = parser.add_argument
    add("--trials", type=positive_int, metavar="N", help="repetitions of each (default: 1)")
    add(
        "--only",
        action="store_true",
        help="compute now only what --variants, --queries, --trials and the like name; the rest stays and counts",
    )
    add_limits_option(parser)
    add(
        "--citation-repair",
        choices=("off", "remove", "ask"),
        help="what becomes of citations that no tool returned: left, taken out, or asked again (default: off)",
    )
    add(
        "--references",
        action=argparse.BooleanOptionalAction,
        help="let Plan-to-Function use the results of earlier steps (default: yes; not under --profile paper)",
    )
    add("--dry-run", action="store_true", help="say units, expected calls, tokens and cost; call nothing")
    add("--json", action="store_true", help="print one JSON document")
    add(
        "--save-config",
        metavar="FILE",
        type=Path,
        help="write all that this call asks for into FILE.yaml or .toml, for `drr run FILE`; compute nothing",
    )


def limits_of(text: str) -> dict[str, int | float]:
    found: dict[str, int | float] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        found[name] = _limit(name if equals else "", value, part)
    return found


def checked_limits(given: Mapping[str, float] | None) -> dict[str, int | float]:
    """Return the limits that a program gives, by name; raise `Misuse` for an invalid one."""
    return {name: _limit(name, str(value), f"{name}={value}") for name, value in (given or {}).items()}


def _limit(name: str, value: str, shown: str) -> int | float:
    from drr.agents.base import Limits  # loads LangChain

    known = {field.name for field in fields(Limits)}
    if name not in known:
        raise Misuse(f"--limits {shown!r}: not NAME=N; the names are {', '.join(sorted(known))}")
    try:
        number = positive_float(value)
    except argparse.ArgumentTypeError as error:
        raise Misuse(f"--limits {name}: {error}") from error
    if name != "seconds" and not number.is_integer():
        raise Misuse(f"--limits {name}: {value!r} is not a whole number")
    return number if name == "seconds" else int(number)


def above_zero(**amounts: float | None) -> None:
    """Raise `Misuse` for an amount from a program that is not above 0, as no parser has seen it."""
    for name, amount in amounts.items():
        if amount is not None and not (math.isfinite(amount) and amount > 0):
            raise Misuse(f"--{name.replace('_', '-')}: {amount!r} is not a number above 0")


class CommandChoices(TypedDict):
    """The user's present choices for variants that are commands; a study does not remember them."""

    trust_agent: bool
    agent_sees: list[str]
    otel: SpanTerms | None


def add_command_terms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust-agent",
        action="store_true",
        help="run cmd: variants as you, uncontained: with your files, your network and your other programs in reach",
    )
    parser.add_argument(
        "--agent-sees",
        metavar="PATH",
        action="append",
        default=[],
        help="a file or folder that contained cmd: variants may read beside what they name; repeatable (default: none)",
    )
    add_span_options(parser)


def add_span_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--otel",
        metavar="ENDPOINT",
        help="send a span of each unit, model call and tool call to this OTLP/HTTP collector; see docs/ci.md (default: nowhere)",
    )
    parser.add_argument(
        "--otel-text", action="store_true", help="with --otel: what was asked and answered too"
    )


def command_terms(arguments: argparse.Namespace) -> CommandChoices:
    seen = seen_paths(arguments.agent_sees)
    otel = span_terms(arguments.otel, text=arguments.otel_text)
    return {"trust_agent": arguments.trust_agent, "agent_sees": seen, "otel": otel}


def seen_paths(paths: Sequence[str]) -> list[str]:
    """Return the absolute paths that contained commands may read; raise `Misuse` for a missing one."""
    found = [at_home(path) for path in paths]
    for given, path in zip(paths, found, strict=True):
        if not path.exists():
            raise Misuse(f"--agent-sees {given}: is not there")
    return [str(path.absolute()) for path in found]


@dataclass(frozen=True, kw_only=True)
class UnitTerms:
    """Limits of the units that are run now. A limit not given keeps the value that the study was last given."""

    budget: float | None = None
    """Budget of the whole study in US dollars."""
    budget_tokens: int | None = None
    max_cost_per_unit: float | None = None
    limit: int | None = None
    """Largest number of units to begin now."""
    units: int = 8
    """Number of units in flight."""
    retry_failed: bool = False
    quiet: bool = False


@dataclass(frozen=True, kw_only=True)
class PooledTerms(UnitTerms):
    """Limits of units, and the pool of workers that runs them."""

    workers: int | None = None
    pool: str | None = None
    units_per_worker: int | None = None
    copy_shop: bool = False


@dataclass(frozen=True, kw_only=True)
class ProgramTerms:
    """The present permissions of variants that are commands, and the collector of spans; no study remembers them."""

    trust_agent: bool = False
    agent_sees: Sequence[str] = ()
    otel: SpanTerms | None = None


def given_among(arguments: Namespace, kind: type, but: Collection[str] = ()) -> dict[str, Any]:
    """Return the arguments whose names are fields of the class `kind`, without those in `but`."""
    names = {one.name for one in fields(kind)} - set(but)
    return {name: value for name, value in vars(arguments).items() if name in names}


def leaves(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the parsers that read a command's options, with their names: the command's own, or those of its subcommands."""
    parts = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not any(action.required for action in parts):
        yield name, parser
    for action in parts:
        for word, part in action.choices.items():
            yield from leaves(part, f"{name} {word}")


def add_common_options(parser: argparse.ArgumentParser, command: CommandRow) -> None:
    """Add the options that all commands share. An option not given to a subcommand keeps the value given before the subcommand's name."""
    untold = argparse.SUPPRESS
    silent = {f"{command.name} {part}".rstrip() for part in command.summaries}
    for leaf, found in leaves(parser, command.name):
        if "--quiet" not in found._option_string_actions:
            found.add_argument("--quiet", action="store_true", default=untold, help="no progress, no summary")
            found.set_defaults(silent=leaf in silent)
        if "--wide" not in found._option_string_actions:
            found.add_argument(
                "--wide",
                action="store_true",
                default=untold,
                help="all columns of tables, however narrow the terminal",
            )
    for option in ("quiet", "wide"):
        if parser.get_default(option) in (None, untold):
            parser.set_defaults(**{option: False})


def is_silent(arguments: argparse.Namespace) -> bool:
    """Return True if `--quiet` leaves the summary out; a JSON document that was asked for is printed anyway."""
    return bool(
        getattr(arguments, "silent", False) and arguments.quiet and not getattr(arguments, "json", False)
    )
