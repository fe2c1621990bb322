"""What a study is going to take: measured in the study itself where it has finished units, else as the paper measured it."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.agents.registry import Variant
    from drr.app.answers import AnswerBench
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


def forecast(
    bench: AnswerBench, units: list[Unit], variants: list[Variant], folder: Path | None
) -> dict[str, Any]:
    open_units, measured = _looked_up(units, folder, bench.models.name_of("agent"))
    counts = Counter(str(unit.spec["variant"]) for unit in units)
    left = Counter(str(unit.spec["variant"]) for unit in open_units)
    rows = [
        _row(bench, variant, counts[variant.name], left[variant.name], measured.get(variant.name))
        for variant in variants
    ]
    known = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    return {
        "schema": 1,
        "units": len(units),
        "done": len(units) - len(open_units),
        "left": len(open_units),
        "models": {role: bench.models.name_of(role) for role in ("agent", "summariser")},
        "price_date": bench.models.prices.date_of(bench.models.name_of("agent")),
        "variants": rows,
        "calls": _sum(rows, "calls"),
        "input_tokens": _sum(rows, "input_tokens"),
        "output_tokens": _sum(rows, "output_tokens"),
        "cost_usd": sum(known) if len(known) == len(rows) else None,
    }


def _looked_up(
    units: list[Unit], folder: Path | None, model: str
) -> tuple[list[Unit], dict[str, tuple[float, float, float]]]:
    from drr.study.study import Study

    if folder is None:
        return units, {}
    sums: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    with Study.open(folder) as study:
        done = set()
        for record in study.records("answer"):
            done.add(record.key)
            if record.key_fields["models"]["agent"] != model:
                continue
            used = record.usage.values()
            sums[str(record.spec["variant"])].append(
                (
                    sum(one["calls"] for one in used),
                    sum(one["input_tokens"] for one in used),
                    sum(one["output_tokens"] for one in used),
                )
            )
    means = {
        name: (
            sum(one[0] for one in all_) / len(all_),
            sum(one[1] for one in all_) / len(all_),
            sum(one[2] for one in all_) / len(all_),
        )
        for name, all_ in sums.items()
    }
    return [unit for unit in units if unit.key not in done], means


def _row(
    bench: AnswerBench, variant: Variant, total: int, left: int, measured: tuple[float, float, float] | None
) -> dict[str, Any]:
    from drr.llm.meter import dollars

    per_unit = measured or PAPER.get(variant.name.replace("+profile", ""))
    row: dict[str, Any] = {"variant": variant.name, "units": total, "left": left}
    row["from"] = "this study" if measured else "the paper's Table 5" if per_unit else None
    if per_unit is None:
        return {**row, "calls": None, "input_tokens": None, "output_tokens": None, "cost_usd": None}
    calls, written, answered = (round(value * left) for value in per_unit)
    price = bench.models.prices.of(bench.models.name_of("agent"))
    # One tier is assumed: single prompts stay far below the length from which a model costs more.
    cost = None if price is None else dollars(written * price.input + answered * price.output)
    return {**row, "calls": calls, "input_tokens": written, "output_tokens": answered, "cost_usd": cost}


def _sum(rows: list[dict[str, Any]], name: str) -> int | None:
    values = [row[name] for row in rows]
    return None if None in values else sum(values)


def render(document: dict[str, Any]) -> str:
    def shown(value: float | None, money: bool = False) -> str:
        return "unknown" if value is None else f"${value:,.2f}" if money else f"{value:,}"

    head = f"{'variant':<24}{'units':>7}{'left':>7}{'calls':>9}{'input tok':>14}{'output tok':>12}{'cost':>11}  per unit from"
    lines = [head]
    for row in [*document["variants"], {**document, "variant": "all", "from": None}]:
        lines.append(
            f"{row['variant']:<24}{row['units']:>7,}{row['left']:>7,}{shown(row['calls']):>9}"
            f"{shown(row['input_tokens']):>14}{shown(row['output_tokens']):>12}{shown(row['cost_usd'], True):>11}"
            f"  {row['from'] or ''}".rstrip()
        )
    date = document["price_date"]
    models = document["models"]
    lines.append(f"models: agent {models['agent']}, summariser {models['summariser']}")
    lines.append(
        f"prices: list prices of {date}, nothing read from a cache"
        if date
        else f"prices: none known for {models['agent']}; give --price-file to know the cost"
    )
    return "\n".join(lines)
