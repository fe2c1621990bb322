"""What verdicts by words alone are worth: the last measurements on pairs that their rules had not seen, as they stand over them.

Labels by people stand before those of a language model that wrote the pairs, and of several the lowest.
"""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

MEASURED = Path(__file__).with_name("worth.toml")


class MeasuredWorth(BaseModel):
    """One count of the rules' verdicts beside labels: quadratic-weighted kappa, its 95 % interval by evidence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    date: date
    version: int
    """Of `rules-1`."""
    by: Literal["writer", "people"] = "writer"
    """Whose labels: those of the language model that wrote the pairs, or of people who were given them."""
    twofold: bool = False
    """The labels know only what is supported and what is not; kappa is that of `full`, not weighted."""
    pairs: int
    kappa: float
    low: float
    high: float

    def told(self, version: int | None = None) -> str:
        whose = "people's labels" if self.by == "people" else "its writer's labels (a language model's)"
        name = "kappa of supported or not" if self.twofold else "weighted kappa"
        other = "" if version in (None, self.version) else f", by version {self.version}"
        return (
            f"{name} {self.kappa:.2f} [{self.low:.2f}, {self.high:.2f}] with {whose} on {self.pairs} pairs"
            f" that it had not seen ({self.set}, {self.date.isoformat()}{other})"
        )


@cache
def measured() -> tuple[MeasuredWorth, ...]:
    rows = tomllib.loads(MEASURED.read_text(encoding="utf-8"))["measured"]
    return tuple(MeasuredWorth.model_validate(row) for row in rows)


def worth(version: int | None = None) -> str:
    """Of this version of the rules; of one that was not measured yet it says so, and what the one before was worth."""
    last = _last()
    changed = version is not None and all(one.version != version for one in last)
    head = " were changed since they were measured" if changed else ""
    return f"its verdicts of support{head}: {'; '.join(one.told(version) for one in last)}"


def _last() -> tuple[MeasuredWorth, ...]:
    """Of the last version that met people's labels the lowest with two labels and with three, the lower first; then the last of a writer."""
    people = [one for one in measured() if one.by == "people"]
    newest = sorted((one for one in people if one.version == people[-1].version), key=lambda one: one.kappa)
    lowest = {one.twofold: one for one in reversed(newest)}
    writers = [one for one in measured() if one.by == "writer"]
    return (*sorted(lowest.values(), key=lambda one: one.kappa), *writers[-1:])
