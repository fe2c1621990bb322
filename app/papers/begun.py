"""The beginning of a folder: the request that made it. It stays: another number of questions, other persons
or another paper belong in another folder."""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

from drr.app.papers.names import RETAIL, reproducible
from drr.app.papers.steps import PaperSteps, steps_of
from drr.env.errors import Misuse
from drr.env.files import write_file

_FILE = "reproduce.json"
_FILES = ("queries", "persons", "reports")
"""Options that name a file whose content is asked."""
_PLACES = ("shop", "tasks")


class Begun(TypedDict):
    schema: int
    paper: str
    asked: dict[str, int | str | None]
    """By option."""


def begun_in(out: Path) -> Begun | None:
    path = out / _FILE
    if not path.is_file():
        return None
    try:
        found: Begun = json.loads(path.read_text(encoding="utf-8"))
        _ = found["paper"], found["asked"].get("seed")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Misuse(f"{path}: not a file of `drr papers reproduce`; name another --out") from error
    return found


def check_options(arguments: argparse.Namespace) -> None:
    """`Misuse` for an option that belongs to another paper."""
    own = steps_of(arguments.paper)
    known = {*own.OWN, *own.SIZES}
    for paper in reproducible():
        other = steps_of(paper)
        for name in {*other.OWN, *other.SIZES} - known:
            if getattr(arguments, name) is not None:
                raise Misuse(
                    f"--{name.replace('_', '-')}: is an option of --paper {paper}, not of {arguments.paper}"
                )


def sizes_of(arguments: argparse.Namespace, begun: Begun | None, *, by_rules: bool) -> dict[str, int]:
    """Choose the sizes as given, else as the folder was begun, else the default."""
    kept = {} if begun is None else begun["asked"]
    found: dict[str, int] = {}
    for name, size in steps_of(arguments.paper).SIZES.items():
        given, had = getattr(arguments, name), kept.get(name)
        usual = size.rules if by_rules else size.paper
        found[name] = given if given is not None else had if isinstance(had, int) else usual
    return found


def settled(arguments: argparse.Namespace, begun: Begun | None, sizes: dict[str, int]) -> Begun:
    """Settle what is kept of this call. `Misuse` where the folder was begun with something else."""
    paper = steps_of(arguments.paper)
    now = Begun(schema=1, paper=arguments.paper, asked=_asked(arguments, paper, sizes))
    if begun is None:
        return now
    out = arguments.out
    if begun["paper"] != now["paper"]:
        raise Misuse(f"{out}: was begun with --paper {begun['paper']}; name another --out for {now['paper']}")
    for name, value in now["asked"].items():
        had = begun["asked"].get(name)
        if had != value:
            was, told = ("without it" if had is None else f"with {_value_text(had)}"), _value_text(value)
            raise Misuse(
                f"{out}: --{name.replace('_', '-')}: was begun {was}, now {told}; rows would answer different questions."
                " Give the same, or name another --out"
            )
    return now


def _asked(
    arguments: argparse.Namespace, paper: PaperSteps, sizes: dict[str, int]
) -> dict[str, int | str | None]:
    """List what decides the questions. The retail paper's are joined to those a study has, for every variant, as ever."""
    if arguments.paper == RETAIL:
        return {}
    found: dict[str, int | str | None] = {**sizes, "seed": arguments.seed}
    options = {*paper.OWN, "shop"}
    found |= {name: _content(getattr(arguments, name)) for name in _FILES if name in options}
    found |= {name: _place(getattr(arguments, name)) for name in _PLACES if name in options}
    return found


def _content(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror})") from error


def _place(place: str | Path | None) -> str | None:
    if place is None or str(place).startswith("servers:"):
        return None if place is None else str(place)
    return str(Path(place).resolve())


def _value_text(value: int | str | None) -> str:
    if value is None:
        return "none"
    return f"a file of the hash {value[:12]}" if isinstance(value, str) and len(value) == 64 else str(value)


def keep(out: Path, begun: Begun) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_file(out / _FILE, json.dumps(begun, indent=1, sort_keys=True) + "\n")
