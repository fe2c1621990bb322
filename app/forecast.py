"""What a study is going to take: measured in the study itself where it has finished units, else as the paper measured it."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from drr.persons.setting import system_of

if TYPE_CHECKING:
    from drr.app.answers import Answering
    from drr.llm.factory import Models
    from drr.study.unit import Unit

# Input and output tokens per query: Table 5 of the paper. Calls: what the form of each architecture takes for the tool
# calls that the paper counted (section 5); with page summaries one more for each page read.
PAPER = {
    "plan-to-function": (2, 34_200, 2_300),
    "plan-to-function+ws": (9, 68_100, 6_600),
    "react": (11, 198_900, 2_900),
    "react+ws": (18, 227_700, 7_200),
    "hybrid-react": (26, 461_900, 15_800),
    "hybrid-react+ws": (38, 591_900, 24_400),
}


ForecastRow = TypedDict(
    "ForecastRow",
    {
        "variant": str,
        "units": int,
        "left": int,
        "from": str | None,
        "calls": int | None,
        "input_tokens": int | None,
        "output_tokens": int | None,
        "cost_usd": float | None,
    },
)
"""Of one variant: units asked for, units left, and what these will take; `None` where nothing tells."""


class RunForecast(TypedDict):
    """The document of `drr run --dry-run --json`."""

    schema: int
    units: int
    done: int
    left: int
    models: dict[str, str]
    price_date: str | None
    variants: list[ForecastRow]
    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class PerUnit(NamedTuple):
    calls: float
    input_tokens: float
    output_tokens: float


def forecast(
    answering: Answering,
    units: list[Unit],
    folder: Path | None,
    *,
    retry_failed: bool = False,
    limit: int | None = None,
) -> RunForecast:
    """Of what `drr run` would compute now: not what failed for good, unless that is asked for, and no more than `limit`."""
    models = answering.models
    looked = _looked_up(units, folder, models.name_of("agent"))
    ended = looked.done if retry_failed else looked.done | looked.failed
    open_units = [unit for unit in units if unit.key not in ended][:limit]
    counts = Counter(str(unit.spec["variant"]) for unit in units)
    left = Counter(str(unit.spec["variant"]) for unit in open_units)
    settings = answering.giving.settings
    systems = [system_of(name, setting) for name in answering.variants for setting in settings]
    rows = [
        _row(models, system, counts[system], left[system], looked.measured.get(system)) for system in systems
    ]
    known = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    roles = dict.fromkeys(["agent", "summariser", *answering.roles])
    return {
        "schema": 1,
        "units": len(units),
        "done": sum(unit.key in looked.done for unit in units),
        "left": len(open_units),
        "models": {role: models.name_of(role) for role in roles},
        "price_date": models.prices.date_of(models.name_of("agent")),
        "variants": rows,
        "calls": _sum([row["calls"] for row in rows]),
        "input_tokens": _sum([row["input_tokens"] for row in rows]),
        "output_tokens": _sum([row["output_tokens"] for row in rows]),
        "cost_usd": sum(known) if len(known) == len(rows) else None,
    }


class _Looked(NamedTuple):
    done: set[str]
    failed: set[str]
    """For good."""
    measured: dict[str, PerUnit]


def _looked_up(units: list[Unit], folder: Path | None, model: str) -> _Looked:
    from drr.study.study import Study

    if folder is None:
        return _Looked(set(), set(), {})
    used: defaultdict[str, list[PerUnit]] = defaultdict(list)
    with Study.open(folder) as study:
        done: set[str] = set()
        failed = set(study.ledger.units.failed_among(unit.key for unit in units))
        for record in study.records("answer"):
            (failed if study.lost(record) else done).add(record.key)
            if record.key_fields.get("models", {}).get("agent") != model:
                continue
            by_role = record.usage.values()
            used[str(record.spec.get("variant"))].append(
                PerUnit(
                    sum(role["calls"] for role in by_role),
                    sum(role["input_tokens"] for role in by_role),
                    sum(role["output_tokens"] for role in by_role),
                )
            )
    means = {
        name: PerUnit(*(sum(values) / len(all_) for values in zip(*all_, strict=True)))
        for name, all_ in used.items()
    }
    return _Looked(done, failed, means)


def _row(models: Models, system: str, total: int, left: int, measured: PerUnit | None) -> ForecastRow:
    from drr.llm.meter import dollars

    paper = PAPER.get(system.replace("+profile", ""))
    per_unit = measured or (PerUnit(*paper) if paper else None)
    row = ForecastRow(
        {
            "variant": system,
            "units": total,
            "left": left,
            "from": "this study" if measured else "the paper's Table 5" if per_unit else None,
            "calls": None,
            "input_tokens": None,
            "output_tokens": None,
            "cost_usd": None,
        }
    )
    if per_unit is not None:
        calls, written, answered = (round(value * left) for value in per_unit)
        price = models.prices.of(models.name_of("agent"))
        # One tier is assumed: single prompts stay far below the length from which a model costs more.
        cost = None if price is None else dollars(written * price.input + answered * price.output)
        row |= {"calls": calls, "input_tokens": written, "output_tokens": answered, "cost_usd": cost}
    return row


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def render(document: RunForecast) -> str:
    from drr.app.terminal import Column, table

    every: ForecastRow = {
        "variant": "all",
        "units": document["units"],
        "left": document["left"],
        "from": None,
        "calls": document["calls"],
        "input_tokens": document["input_tokens"],
        "output_tokens": document["output_tokens"],
        "cost_usd": document["cost_usd"],
    }
    columns = ["variant", "units", "left", "calls", "input tok", "output tok", "cost"]
    lines = [
        table([*columns, Column("per unit from", 1)], [_cells(row) for row in (*document["variants"], every)])
    ]
    date = document["price_date"]
    models = document["models"]
    lines.append("models: " + ", ".join(f"{role} {name}" for role, name in models.items()))
    lines.append(
        f"prices: list prices of {date}, nothing read from a cache"
        if date
        else f"prices: none known for {models['agent']}; give --price-file to know the cost"
    )
    return "\n".join(lines)


def _cells(row: ForecastRow) -> list[str]:
    counts = (row["calls"], row["input_tokens"], row["output_tokens"])
    shown = ["unknown" if count is None else f"{count:,}" for count in counts]
    cost = "unknown" if row["cost_usd"] is None else f"${row['cost_usd']:,.2f}"
    return [row["variant"], f"{row['units']:,}", f"{row['left']:,}", *shown, cost, row["from"] or ""]
