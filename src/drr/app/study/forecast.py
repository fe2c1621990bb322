"""Forecasts the calls, tokens and cost of a study: from its own finished units, else from answers played by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.app.study.person import NOBODY, ForecastOrigin, ForecastTotal, MemoryForecastRow, PerUnit
from drr.app.study.specs import agent_in
from drr.app.study.worlds import can_have_reach
from drr.app.terminal import Column, table
from drr.env.json_object import JsonObject
from drr.env.person_setting import Setting, system_of
from drr.env.query import Query
from drr.env.reach import system_with_reach
from drr.study.unit import Unit

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.app.study.answers import AnswerWork
    from drr.llm.factory import Models

PLAYED = {
    "plan-to-function": PerUnit(2, 5_750, 970),
    "plan-to-function+ws": PerUnit(12, 13_650, 3_220),
    "react": PerUnit(7, 34_000, 1_050),
    "react+ws": PerUnit(27, 53_500, 5_550),
    "hybrid-react": PerUnit(16, 43_100, 1_950),
    "hybrid-react+ws": PerUnit(36, 60_800, 6_450),
}
"""The mean use of one answer where nothing of this study is known: a question of the demo played by hand, with tools called at once and one by one."""


class ForecastRow(ForecastOrigin, ForecastTotal):
    """Forecast for one variant: units asked for and left, and the use of those left; `None` where unknown."""

    variant: str
    units: int
    left: int


class RunForecast(ForecastTotal):
    """The document of `drr run --dry-run --json`. Its calls, tokens and cost are of the answers alone."""

    schema: int
    units: int
    done: int
    left: int
    models: dict[str, str]
    price_date: str | None
    variants: list[ForecastRow]
    memories: list[MemoryForecastRow]
    """Forecasts of the memories that are built before anybody answers."""
    total: ForecastTotal
    """Sum over answers and memories."""


class SystemBase(NamedTuple):
    """The base of a system's forecast: the average use of one answer, and the source of that figure."""

    per_unit: PerUnit | None
    source: str | None


def forecast(
    answering: AnswerWork,
    units: list[Unit],
    folder: Path | None,
    queries: Iterable[Query] = (),
    *,
    retry_failed: bool = False,
    limit: int | None = None,
) -> RunForecast:
    """Forecast the work that `drr run` would do now. Units that failed for good count only with `retry_failed`, and at most `limit` units count."""
    models = answering.models
    looked = _looked_up(units, folder, answering, retry_failed=retry_failed)
    open_units = looked.left[:limit]
    counts = Counter(str(unit.spec["variant"]) for unit in units)
    left = Counter(str(unit.spec["variant"]) for unit in open_units)
    rows = []
    for name, variant in answering.variants.items():
        for setting in answering.person_facts.settings:
            for reach in (one for one in answering.reaches if can_have_reach(one, variant)):
                system = system_with_reach(system_of(name, setting), reach)
                given_tokens = _given_tokens(
                    answering, setting, [unit for unit in units if unit.spec["variant"] == system]
                )
                base = _base(system, variant, setting, looked.measured, given_tokens)
                own = answering.models_of(variant)
                rows.append(_row(own, system, counts[system], left[system], base))
    memories = answering.person_facts.forecast(queries, folder)
    answers = _total(rows)
    remembering = ["memory"] if any(row["from"] != NOBODY for row in memories) else []
    roles = dict.fromkeys(["agent", "summariser", *answering.roles, *remembering])
    casts = [answering.models_of(variant) for variant in answering.variants.values()]
    named = {role: list(dict.fromkeys(cast.name_of(role) for cast in casts)) for role in roles}
    named |= {role: [models.name_of(role)] for role in remembering}
    dates = [date for name in named["agent"] if (date := models.prices.date_of(name))]
    return {
        "schema": 1,
        "units": len(units),
        "done": looked.done,
        "left": len(open_units),
        "models": {role: ", ".join(names) for role, names in named.items()},
        "price_date": min(dates, default=None),
        "variants": rows,
        **answers,
        "memories": memories,
        "total": _total([*rows, *memories]),
    }


def _given_tokens(answering: AnswerWork, setting: Setting, units: Sequence[Unit]) -> int | None:
    """Return the average number of tokens about the person that go with a question; `None` without units. For a memory it is the most that may be recalled."""
    found = [answering.person_facts.given_tokens(setting, unit.spec.get("person_id")) for unit in units]
    return round(sum(found) / len(found)) if found else None


def _base(
    system: str, variant: Variant, setting: Setting, measured: Mapping[str, PerUnit], known: int | None
) -> SystemBase:
    """Return the base of a system's forecast. Before the system's first answer it is the variant's base under `records`,
    from this study or played by hand, with the given tokens added to every call; unknown under another reach."""
    name = variant.name
    own, records = measured.get(system), measured.get(name)
    if own is not None:
        return SystemBase(own, "this study")
    if system != system_of(name, setting):
        return SystemBase(None, None)
    base = records or PLAYED.get(variant.bare_name.replace("+profile", ""))
    if base is None or known is None:
        return SystemBase(None, None)
    source = f"this study's {name}" if records else "one question played by hand"
    if not known:
        return SystemBase(base, source)
    most = "at most " if setting.kind == "memory" else ""
    more = base._replace(input_tokens=base.input_tokens + base.calls * known)
    return SystemBase(more, f"{source}, {most}{known:,} tokens told in each call")


class _Looked(NamedTuple):
    done: int
    left: list[Unit]
    measured: dict[str, PerUnit]


def _looked_up(
    units: list[Unit], folder: Path | None, answering: AnswerWork, *, retry_failed: bool
) -> _Looked:
    """Return the units that a run computes, and each system's average use of a unit with the variant's present model."""
    from drr.study.run import missing_units
    from drr.study.study import Study

    if folder is None:
        return _Looked(0, units, {})
    used: defaultdict[str, list[PerUnit]] = defaultdict(list)
    with Study.read(folder) as study:
        left = missing_units(study, units, retry_failed=retry_failed)
        done = len(units) - len(missing_units(study, units, retry_failed=True))
        for record in study.records("answer"):
            variant = answering.variants.get(agent_in(record.spec))
            models = answering.models if variant is None else answering.models_of(variant)
            own = record.key_fields.get("models", {}).get("agent")
            if own != models.name_of("agent") or not record.is_metered:
                continue
            spent = [
                (one["calls"], one["input_tokens"], one["output_tokens"]) for one in record.usage.values()
            ]
            used[str(record.spec.get("variant"))].append(
                PerUnit(*map(sum, zip((0, 0, 0), *spent, strict=True)))
            )
    means = {
        name: PerUnit(*(sum(values) / len(all_) for values in zip(*all_, strict=True)))
        for name, all_ in used.items()
    }
    return _Looked(done, left, means)


def _row(models: Models, system: str, total: int, left: int, base: SystemBase) -> ForecastRow:
    from drr.llm.meter import dollars

    row = ForecastRow(
        {"variant": system, "units": total, "left": left, "from": base.source,
         "calls": None, "input_tokens": None, "output_tokens": None, "cost_usd": None}
    )  # fmt: skip
    if base.per_unit is not None:
        calls, written, answered = (round(value * left) for value in base.per_unit)
        price = models.prices.of(models.name_of("agent"))
        # One tier is assumed: single prompts stay far below the length from which a model costs more.
        cost = None if price is None else dollars(written * price.input + answered * price.output)
        row |= {"calls": calls, "input_tokens": written, "output_tokens": answered, "cost_usd": cost}
    return row


def _total(rows: Sequence[ForecastRow | MemoryForecastRow]) -> ForecastTotal:
    from drr.eval.stats.question import known_sum

    return {
        "calls": known_sum([row["calls"] for row in rows]),
        "input_tokens": known_sum([row["input_tokens"] for row in rows]),
        "output_tokens": known_sum([row["output_tokens"] for row in rows]),
        "cost_usd": known_sum([row["cost_usd"] for row in rows]),
    }


def render(document: RunForecast) -> str:
    columns = ["variant", "units", "left", "calls", "input tok", "output tok", "cost"]
    cells = [_cells(row["variant"], row["units"], row) for row in document["variants"]]
    cells += [_cells(f"memory {row['memory']}", row["persons"], row) for row in document["memories"]]
    whole = document["total"]
    left = document["left"] + sum(row["left"] for row in document["memories"])
    units = document["units"] + sum(row["persons"] for row in document["memories"])
    cells.append(_cells("all", units, {**whole, "left": left, "from": None}))
    lines = [table([*columns, Column("per unit from", 1)], cells)]
    if document["memories"]:
        lines.append(
            "memories: a unit is a person, who is observed once and asked for every task; rules answer shorter or longer than a model"
        )
    date = document["price_date"]
    models = document["models"]
    lines.append("models: " + ", ".join(f"{role} {name}" for role, name in models.items()))
    lines.append(
        f"prices: list prices of {date}, nothing read from a cache"
        if date
        else f"prices: none known for {models['agent']}; give --price-file to know the cost"
    )
    return "\n".join(lines)


def _cells(name: str, units: int, row: ForecastRow | MemoryForecastRow | JsonObject) -> list[str]:
    counts = (row["calls"], row["input_tokens"], row["output_tokens"])
    shown = ["unknown" if count is None else f"{count:,}" for count in counts]
    cost = "unknown" if row["cost_usd"] is None else f"${row['cost_usd']:,.2f}"
    return [name, f"{units:,}", f"{row['left']:,}", *shown, cost, row["from"] or ""]
