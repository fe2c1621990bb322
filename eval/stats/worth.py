"""What verdicts by words alone are worth: the last measurement on pairs that their rules had not seen, as it stands over them."""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

MEASURED = Path(__file__).with_name("worth.toml")


class MeasuredWorth(BaseModel):
    """One count of the rules' verdicts beside the labels of who wrote the pairs: quadratic-weighted kappa, its 95 % interval by evidence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    date: date
    version: int
    """Of `rules-1`."""
    pairs: int
    kappa: float
    low: float
    high: float

    def told(self) -> str:
        return (
            f"weighted kappa {self.kappa:.2f} [{self.low:.2f}, {self.high:.2f}] with its writer's labels on {self.pairs} pairs"
            f" that it had not seen ({self.set}, {self.date.isoformat()})"
        )


@cache
def measured() -> tuple[MeasuredWorth, ...]:
    rows = tomllib.loads(MEASURED.read_text(encoding="utf-8"))["measured"]
    return tuple(MeasuredWorth.model_validate(row) for row in rows)


def worth(version: int | None = None) -> str:
    """Of this version of the rules; of one that was not measured yet it says so, and what the one before was worth."""
    last = measured()[-1]
    if version is None or last.version == version:
        return f"its verdicts of support: {last.told()}"
    return f"its verdicts of support were changed since they were measured: {last.told()}, by version {last.version}"
