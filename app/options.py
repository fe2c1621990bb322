"""Types of options: a wrong value is said in words before anything is opened."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from drr.app.spans import SpanTerms


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
    """Add what a study is asked for beside its questions: how often, within what bounds, what of it now."""
    parser.add_argument("--trials", type=positive_int, metavar="N", help="repetitions of each (default: 1)")
    parser.add_argument(
        "--only",
        action="store_true",
        help="compute now only what --variants, --queries, --trials and the like name; the rest stays and counts",
    )
    add_limits_option(parser)
    parser.add_argument(
        "--citation-repair",
        choices=("off", "remove", "ask"),
        help="what becomes of citations that no tool returned: left, taken out, or asked again (default: off)",
    )
    parser.add_argument(
        "--references",
        action=argparse.BooleanOptionalAction,
        help="let Plan-to-Function use the results of earlier steps (default: yes; not under --profile paper)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say units, expected calls, tokens and cost; call nothing"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
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
    """The limits that a program gives, by name."""
    return {name: _limit(name, str(value), f"{name}={value}") for name, value in (given or {}).items()}


def _limit(name: str, value: str, shown: str) -> int | float:
    from dataclasses import fields

    from drr.agents.base import Limits
    from drr.env.errors import Misuse

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
    """`Misuse` for an amount that a program gives and no parser has seen."""
    from drr.env.errors import Misuse

    for name, amount in amounts.items():
        if amount is not None and not (math.isfinite(amount) and amount > 0):
            raise Misuse(f"--{name.replace('_', '-')}: {amount!r} is not a number above 0")


class CommandChoices(TypedDict):
    """What this user said now of the commands that are variants; a study does not remember it."""

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
    from drr.app.spans import span_terms

    seen = seen_paths(arguments.agent_sees)
    otel = span_terms(arguments.otel, text=arguments.otel_text)
    return {"trust_agent": arguments.trust_agent, "agent_sees": seen, "otel": otel}


def seen_paths(paths: Sequence[str]) -> list[str]:
    """What contained commands may read, by whole paths; `Misuse` for what is not there."""
    from drr.env.errors import Misuse
    from drr.env.files import at_home

    found = [at_home(path) for path in paths]
    for given, path in zip(paths, found, strict=True):
        if not path.exists():
            raise Misuse(f"--agent-sees {given}: is not there")
    return [str(path.absolute()) for path in found]
