"""Memories by rules: what plays the model of one, and the forecast of what memories will ask."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.giving import NOBODY, MemoryForecastRow, PerUnit
from drr.env.json_object import JsonObject
from drr.env.text import tokens
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.base import Comparing, Describing, Distilling, Extracting, Rewriting
from langchain_core.messages import AIMessage, BaseMessage

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.llm.factory import Models
    from drr.papers.pdr.giving import PersonGiving
    from drr.papers.pdr.remembering import MemoryMaking
    from drr.study.unit import Record, Unit


VERSION = "1"
"""Raised by hand when its rules say something else."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_OWN = frozenset({"i", "my", "me", "we", "our", "us"})
_SAME = 0.6
_OFTEN = 3
_SHORT = 3


def remember_offline(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """The `Policy` of the role `memory`."""
    brief = arguments["brief"]
    rule = _RULES.get(type(brief))
    if rule is None:
        raise TypeError(f"the offline memory was asked without a brief of its own: {brief!r}")
    return AIMessage(json.dumps(rule(brief), ensure_ascii=False))


def _summary(brief: Rewriting) -> JsonObject:
    """Summarise what was known, then what is new; what does not fit is the oldest."""
    lines = [line for line in brief.before.split("\n") if line]
    lines += [fact for item in brief.items for fact in _facts_of(item)]
    kept: list[str] = []
    left = brief.words
    for line in reversed(list(dict.fromkeys(lines))):
        left -= len(line.split())
        if left < 0:
            break
        kept.append(line)
    return {"summary": "\n".join(reversed(kept))}


def _facts(brief: Extracting) -> JsonObject:
    return {"facts": [fact for item in brief.items for fact in _facts_of(item)]}


def _facts_of(item: ContextItem) -> list[str]:
    """List the whole of purchases and returns, and of speech the sentences in the first person."""
    sentences = [" ".join(one.split()) for one in _SENTENCE.split(item.text)]
    if item.kind in ("purchase", "return"):
        return [one for one in sentences[:1] if one]
    return [one for one in sentences if _OWN & set(re.findall(r"[a-z]+", one.lower()))]


def _changes(brief: Comparing) -> JsonObject:
    known = [frozenset(tokens(fact)) for fact in brief.before]
    changes = []
    for number, fact in enumerate(brief.facts, 1):
        words = frozenset(tokens(fact))
        alike = [
            place for place, other in enumerate(known, 1) if len(words & other) >= _SAME * len(words | other)
        ]
        changes.append(
            {"does": "update", "fact": number, "held": alike[0]} if alike else {"does": "add", "fact": number}
        )
    return {"changes": changes}


def _distilled(brief: Distilling) -> JsonObject:
    common = [word for word, count in _words(brief.lines).most_common(4) if count > 1]
    return {"summary": f"Again and again: {', '.join(common)}." if common else ""}


def _traits(brief: Describing) -> JsonObject:
    known = {trait.attribute for trait in brief.before}
    days = {item.date for item in brief.items}
    counted = _words([item.text for item in brief.items])
    return {
        "traits": [
            {"attribute": word, "value": f"comes up {count} times up to {max(days)}"}
            for word, count in counted.most_common()
            if count >= _OFTEN or (word in known and count > 1)
        ]
    }


def _words(texts: Sequence[str]) -> Counter[str]:
    """Count in how many of the texts each longer word stands."""
    return Counter(
        word
        for text in texts
        for word in dict.fromkeys(re.findall(r"[a-z]+", text.lower()))
        if len(word) > _SHORT
    )


_RULES: Mapping[type, Callable[[Any], JsonObject]] = {
    Rewriting: _summary,
    Extracting: _facts,
    Comparing: _changes,
    Distilling: _distilled,
    Describing: _traits,
}


REHEARSED = "one person, by rules"


class _Before(NamedTuple):
    done: frozenset[str]
    measured: Mapping[str, PerUnit]
    """Measures by memory, over the units in which it asked."""
    observed: frozenset[tuple[str, str, str]]
    """Memory, person and context: a further task asks for nothing of that again."""


def memory_forecast(
    models: Models, giving: PersonGiving, queries: Iterable[Query], folder: Path | None
) -> list[MemoryForecastRow]:
    from drr.papers.pdr.giving import memory_units

    making = giving.making
    if making is None:
        return []
    by_memory: dict[str, dict[str, Unit]] = {}
    for (setting, _), unit in memory_units(giving, making, queries).items():
        by_memory.setdefault(setting.memory_word, {})[unit.key] = unit
    before = _before(folder)
    return [
        _forecast_row(models, making, word, list(units.values()), before) for word, units in by_memory.items()
    ]


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


def _forecast_row(
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
    from drr.llm.factory import Models
    from drr.llm.meter import Meter
    from drr.llm.models import ModelSettings
    from drr.llm.names import OFFLINE
    from drr.papers.pdr.context import tokens_of
    from drr.papers.pdr.memory.base import ROLE, MemoryDesk
    from drr.papers.pdr.memory.registry import memory_kind
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
