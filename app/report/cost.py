"""The cost of a variant beside how good it is, and which variants no other one beats in both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from drr.app.report.material import ByQuery, Material
from drr.app.report.tables import Cell, Table, headings
from drr.eval.evidence.answers import Answer
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.intervals import COUNTED, V, VRow, mean

NOTE = (
    "Undominated: no other variant is at most as dear and at least as good by these means; intervals that overlap "
    "may turn that round."
)


class CostPoint(NamedTuple):
    variant: str
    cost: V
    unit: str
    """`dollars`, or `tokens` where a price is unknown or everything is free."""
    quality: VRow
    on_front: bool = False
    """No other variant is at most as dear and at least as good, and better in one of both."""


def cost_points(material: Material) -> list[CostPoint]:
    """Each variant's cost and overall quality; empty where there are no ratings or nothing is known of the cost."""
    costs = {variant: _dollars(answers) for variant, answers in material.variants.items()}
    priced = all(v.value and not v.n_unscored for v in costs.values())
    if not priced:
        costs = {variant: _tokens(material, variant) for variant in material.variants}
    found = [
        CostPoint(variant, cost, "dollars" if priced else "tokens", quality)
        for variant, cost in costs.items()
        if (quality := material.document["metrics"][variant].get("overall")) is not None
    ]
    return [
        point._replace(on_front=_undominated(point, found)) for point in found if point.cost.value is not None
    ]


def _dollars(answers: Sequence[Answer]) -> V:
    """Sum the dollars of an answer only where the price of every model in it is known."""
    spent: dict[AskedQuestion, list[float | None]] = defaultdict(list)
    for answer in answers:
        spent[answer.asked].append(_spent(answer))
    return mean(spent, ends=COUNTED)


def _spent(answer: Answer) -> float | None:
    parts = [role.get("cost_usd") for role in answer.usage.values()]
    known = [float(part) for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _tokens(material: Material, variant: str) -> V:
    read: ByQuery = material.per_report("input_tokens").get(variant, {})
    written: ByQuery = material.per_report("output_tokens").get(variant, {})
    return mean(
        {query: list(map(_sum, trials, written[query])) for query, trials in read.items()}, ends=COUNTED
    )


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def _undominated(point: CostPoint, among: Sequence[CostPoint]) -> bool:
    own = _place(point)
    if own is None:
        return False
    others = [place for p in among if (place := _place(p)) is not None]
    return not any(o[0] <= own[0] and o[1] <= own[1] and o != own for o in others)


def _place(point: CostPoint) -> tuple[float, float] | None:
    """Cost and lack of quality, both better when lower; `None` where the quality is unknown."""
    quality = point.quality["value"]
    if quality is None:
        return None
    return inf if point.cost.value is None else point.cost.value, -quality


def cost_table(material: Material) -> Table | None:
    points = cost_points(material)
    if not points:
        return None
    by_price = points[0].unit == "dollars"
    digits = 4 if by_price else 0
    rows = [
        (
            p.variant,
            [Cell.of(p.cost.document(), digits), Cell.of(p.quality), Cell("yes" if p.on_front else "no")],
        )
        for p in points
    ]
    free = " Tokens stand for cost, because a price is unknown or the model is free."

    def each(answer: Answer) -> list[str]:
        tokens = (material.value(answer, f"{way}_tokens") for way in ("input", "output"))
        cost, quality = _spent(answer) if by_price else _sum(*tokens), material.value(answer, "overall")
        return [
            "–" if cost is None else f"{cost:,.{digits}f}",
            "–" if quality is None else f"{quality:.2f}",
            "",
        ]

    columns = headings(f"{points[0].unit} per answer", "overall quality", "undominated")
    notes = [NOTE if by_price else NOTE + free]
    return Table("cost-quality", "Cost against quality", columns, rows, notes, material.banner, each=each)
