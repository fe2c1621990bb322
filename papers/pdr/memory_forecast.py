"""The forecast of memories before anybody answers: measured in the study itself, else one person gone through by rules."""

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

REHEARSED = "one person, by rules"


class _Before(NamedTuple):
    done: frozenset[str]
    measured: Mapping[str, PerUnit]
    """By memory, over the units in which it asked."""
    observed: frozenset[tuple[str, str, str]]
    """Memory, person and context: a further task asks for nothing of that again."""


def memory_forecast(
    models: Models, giving: PersonGiving, queries: Iterable[Query], folder: Path | None
) -> list[MemoryForecastRow]:
    from drr.papers.pdr.recalling import memory_units

    making = giving.making
    if making is None:
        return []
    by_memory: dict[str, dict[str, Unit]] = {}
    for (setting, _), unit in memory_units(giving, making, queries).items():
        by_memory.setdefault(setting.memory_word, {})[unit.key] = unit
    before = _before(folder)
    return [_row(models, making, word, list(units.values()), before) for word, units in by_memory.items()]


def _before(folder: Path | None) -> _Before:
    from drr.study.study import Study

    done: set[str] = set()
    used: defaultdict[str, list[PerUnit]] = defaultdict(list)
    observed: set[tuple[str, str, str]] = set()
    if folder is not None:
        with Study.read(folder) as study:
            for record in study.records("generation", current=False):
                if record.key_fields.get("what") != "memory":
                    continue
                done.add(record.key)
                made = made_of(record.key_fields)
                observed.add(_shown(record.key_fields))
                if (own := _used(record)).calls:
                    used[made].append(own)
    means = {
        name: PerUnit(*(sum(one) / len(rows) for one in zip(*rows, strict=True)))
        for name, rows in used.items()
    }
    return _Before(frozenset(done), means, frozenset(observed))


def made_of(fields: Mapping[str, object]) -> str:
    """A memory by all that decides what it asks, but for the person and the tasks."""
    from drr.study.unit import canonical_json

    own = {name: fields.get(name) for name in ("memory", "version", "model", "prompts", "rules", "embedder")}
    return canonical_json(own)


def _shown(fields: Mapping[str, object]) -> tuple[str, str, str]:
    return made_of(fields), str(fields.get("person")), str(fields.get("context"))


def _used(record: Record) -> PerUnit:
    rows = record.usage.values()
    return PerUnit(
        sum(row["calls"] for row in rows),
        sum(row["input_tokens"] for row in rows),
        sum(row["output_tokens"] for row in rows),
    )


def _row(
    models: Models, making: MemoryMaking, word: str, units: list[Unit], before: _Before
) -> MemoryForecastRow:
    from drr.llm.meter import dollars
    from drr.papers.pdr.memory.base import ROLE

    left = [unit for unit in units if unit.key not in before.done]
    row = MemoryForecastRow(
        {
            "memory": str(units[0].key_fields["memory"]),
            "persons": len(units),
            "left": len(left),
            "recalls": sum(len(unit.spec["wanted"]) for unit in left),
            "from": None,
            "calls": None,
            "input_tokens": None,
            "output_tokens": None,
            "cost_usd": None,
        }
    )
    made = made_of(units[0].key_fields)
    asking = [unit for unit in left if _shown(unit.key_fields) not in before.observed]
    per_unit, source = _per_unit(making, word, asking, before.measured.get(made))
    if per_unit is None:
        return row
    calls, written, answered = (round(value * len(asking)) for value in per_unit)
    price = models.prices.of(models.name_of(ROLE)) if calls else None
    cost = None if price is None else dollars(written * price.input + answered * price.output)
    row |= {"from": source, "calls": calls, "input_tokens": written, "output_tokens": answered}
    row["cost_usd"] = (0.0 if not calls else cost) if _embeds_free(making, word) or not left else None
    return row


def _per_unit(
    making: MemoryMaking, word: str, asking: list[Unit], measured: PerUnit | None
) -> tuple[PerUnit | None, str | None]:
    from drr.papers.pdr.memory.registry import memory_kind

    kind = memory_kind(word)
    if not kind.asks_model:
        return PerUnit(0, 0, 0), NOBODY
    if measured is not None or not asking:
        return measured or PerUnit(0, 0, 0), "this study"
    if kind.origin is not None or not kind.played:
        return None, None  # somebody else's program is not run to see what it would ask
    return _rehearsed(making, word, asking[0]), REHEARSED


def _embeds_free(making: MemoryMaking, word: str) -> bool:
    """Tell whether embedding is free: a server's price for it is nowhere known."""
    from drr.llm.names import OFFLINE
    from drr.papers.pdr.memory.registry import memory_kind

    return not memory_kind(word).embeds or making.settings.model_for("embedder") == OFFLINE


def _rehearsed(making: MemoryMaking, word: str, unit: Unit) -> PerUnit:
    """Rehearse one person's context with rules for the model. The requests have the model's size, the answers are shorter or longer."""
    import asyncio

    from drr.env.embedding import embedder_of
    from drr.llm.factory import Models, ModelSettings
    from drr.llm.meter import Meter
    from drr.llm.names import OFFLINE
    from drr.papers.pdr.context import tokens_of
    from drr.papers.pdr.memory.base import ROLE, MemoryDesk
    from drr.papers.pdr.memory.registry import memory_kind
    from drr.papers.pdr.memory_rules import remember_offline
    from drr.papers.pdr.remembering import CountingEmbedder, remember_person

    meter, items = Meter(), making.contexts.items(unit.spec["person"], making.size)
    models = Models(ModelSettings(roles={"default": OFFLINE})).unit(meter)
    embedder = CountingEmbedder(embedder_of(making.settings.model_copy(update={"model_embedder": OFFLINE})))
    model = models.role(ROLE, remember_offline)
    desk = MemoryDesk(model, embedder, making.prompts, tokens_of, items[-1].date if items else "")
    asyncio.run(remember_person(memory_kind(word), desk, items, unit.spec["wanted"], meter, embedder))
    used = meter.by_role.values()
    return PerUnit(
        sum(one.calls for one in used),
        sum(one.input_tokens for one in used),
        sum(one.output_tokens for one in used),
    )
