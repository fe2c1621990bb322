"""The tries against the project, by area: what is tried, and how one knows that it got through. `python -m benchmarks.security_tries` counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any


@dataclass(frozen=True)
class Area:
    name: str
    said: str
    """What would be a success for whoever tries."""
    inputs: Callable[[Random], Iterable[Any]]
    through: Callable[[Any], str | None]
    """How it got through; `None` where it did not."""
    most: int
    """So many distinct inputs are tried."""


@dataclass
class Tried:
    area: Area
    tries: int = 0
    got_through: list[str] = field(default_factory=list)


def tried(area: Area, most: int | None = None) -> Tried:
    """Each input once, however often it is made."""
    result, seen = Tried(area), set[str]()
    wanted = area.most if most is None else min(most, area.most)
    for given in islice(area.inputs(Random(f"{area.name} 1")), 40 * area.most):
        told = repr(given)
        if told in seen:
            continue
        seen.add(told)
        result.tries += 1
        if (how := area.through(given)) is not None:
            result.got_through.append(f"{told[:300]}: {how}")
        if result.tries == wanted:
            break
    return result


def mixed(chance: Random, parts: Iterable[str], longest: int) -> str:
    known = list(parts)
    return "".join(chance.choice(known) for _ in range(chance.randint(1, longest)))


def every_area() -> Iterator[Area]:
    from tests.security import (
        tries_at_addresses,
        tries_at_code,
        tries_at_files,
        tries_at_imports,
        tries_at_judges,
        tries_at_texts,
    )

    yield from tries_at_addresses.AREAS
    yield from tries_at_texts.AREAS
    yield from tries_at_code.AREAS
    yield from tries_at_files.AREAS
    yield from tries_at_judges.AREAS
    yield from tries_at_imports.AREAS
