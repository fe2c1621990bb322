"""The recalled texts of memories in a study, as they lie in its folder. They are written when memories have
recalled, and read by workers and by measures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from drr.env.errors import DrrError
from drr.env.source import text_hash


class MemoryCost(TypedDict):
    """What one step took. Dollars are unknown where a model's price is, or where a server embedded."""

    calls: int
    tokens: int
    cost_usd: float | None
    embedded: int
    """Texts."""


class RecalledRow(TypedDict):
    """One recall."""

    text: str
    fed: int | None
    failure: str | None
    message: str | None
    cost: MemoryCost
    build: MemoryCost
    rule_written: bool


def recall_id(setting: str, person_id: str, query: str) -> str:
    """`setting` is its name."""
    return text_hash(json.dumps([setting, person_id, query]))


def read_recalled(path: Path) -> Mapping[str, RecalledRow]:
    """Read the rows by `recall_id`; none where no memory recalled."""
    if not path.is_file():
        return {}
    try:
        rows: dict[str, RecalledRow] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DrrError(f"{path}: not JSON ({error}); `drr run` writes it anew") from error
    return rows
