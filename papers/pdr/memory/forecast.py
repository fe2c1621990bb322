"""The forecast of what memories will ask: what this study measured of the same memory, else nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.app.giving import NOBODY, MemoryForecastRow, PerUnit

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.llm.factory import Models
    from drr.papers.pdr.giving import PersonGiving
    from drr.papers.pdr.remembering import MemoryMaking
    from drr.study.unit import Record, Unit


class _Before(NamedTuple):
    """The memories' units that a study has."""

    done: frozenset[str]
    measured: Mapping[str, PerUnit]
    observed: frozenset[tuple[str, ...]]
    """Memory, person and context: a further task asks for nothing of that again."""


def memory_forecast(
    models: Models, giving: PersonGiving, queries: Iterable[Query], folder: Path | None
) -> list[MemoryForecastRow]:
    from drr.papers.pdr.giving import memory_units

    if giving.making is None:
        return []
    by_memory: dict[str, dict[str, Unit]] = {}
    for (setting, _), unit in memory_units(giving, giving.making, queries).items():
        by_memory.setdefault(setting.memory_word, {})[unit.key] = unit
    before = _before(folder)
    return [
        _row(models, giving.making, word, list(units.values()), before) for word, units in by_memory.items()
    ]


def _before(folder: Path | None) -> _Before:
    from drr.study.study import Study

    done: set[str] = set()
    used: defaultdict[str, list[PerUnit]] = defaultdict(list)
    observed: set[tuple[str, ...]] = set()
    if folder is not None:
        with Study.read(folder) as study:
            for record in study.records("generation", current=False):
                if record.key_fields.get("what") == "memory":
                    done.add(record.key)
                    observed.add(_shown(record.key_fields))
                    if (own := _used(record)).calls:
                        used[_made(record.key_fields)].append(own)
    means = {
        name: PerUnit(*(sum(one) / len(rows) for one in zip(*rows, strict=True)))
        for name, rows in used.items()
    }
    return _Before(frozenset(done), means, frozenset(observed))


def _made(fields: Mapping[str, object]) -> str:
    """A memory by all that decides what it asks, but for the person and the tasks."""
    from drr.study.unit import canonical_json

    return canonical_json({name: fields.get(name) for name in ("memory", "version", "model", "embedder")})


def _shown(fields: Mapping[str, object]) -> tuple[str, ...]:
    return _made(fields), str(fields.get("person")), str(fields.get("context"))


def _used(record: Record) -> PerUnit:
    rows = record.usage.values()
    read, written = sum(row["input_tokens"] for row in rows), sum(row["output_tokens"] for row in rows)
    return PerUnit(sum(row["calls"] for row in rows), read, written)


def _row(
    models: Models, making: MemoryMaking, word: str, units: list[Unit], before: _Before
) -> MemoryForecastRow:
    from drr.llm.meter import dollars
    from drr.llm.names import OFFLINE
    from drr.papers.pdr.memory.base import ROLE
    from drr.papers.pdr.memory.registry import memory_kind

    kind, fields = memory_kind(word), units[0].key_fields
    left = [unit for unit in units if unit.key not in before.done]
    asking = [unit for unit in left if _shown(unit.key_fields) not in before.observed]
    row = MemoryForecastRow(
        {
            "memory": str(fields["memory"]), "persons": len(units), "left": len(left),
            "recalls": sum(len(unit.spec["wanted"]) for unit in left),
            "from": None, "calls": None, "input_tokens": None, "output_tokens": None, "cost_usd": None,
        }
    )  # fmt: skip
    per_unit = before.measured.get(_made(fields)) if kind.asks_model else PerUnit(0, 0, 0)
    if per_unit is None and asking:
        return row  # somebody else's program is not run to see what it would ask
    calls, read, written = (round(value * len(asking)) for value in per_unit or PerUnit(0, 0, 0))
    price = models.prices.of(models.name_of(ROLE)) if calls else None
    cost = None if price is None else dollars(read * price.input + written * price.output)
    row |= {"from": "this study" if kind.asks_model else NOBODY, "calls": calls}
    row |= {"input_tokens": read, "output_tokens": written}
    if not kind.embeds or not left or making.settings.model_for("embedder") == OFFLINE:
        row["cost_usd"] = cost if calls else 0.0  # else a server embeds, whose price nobody knows
    return row
