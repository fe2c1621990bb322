"""Computes the cost of systems, memories and judges, and compares each variant's cost with its quality."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from drr.app.report.contrasts import ByQuery
from drr.app.report.material import ReportData
from drr.app.report.tables import Cell, Heading, Table, headings, rows_under
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.rows import cost_part
from drr.eval.stats.intervals import COUNTED, Statistic, VRow, mean
from drr.eval.stats.question import AskedQuestion

NOTE = (
    "Undominated: going by the averages, every variant that is at least as good costs more. Where intervals overlap, chance may "
    "have decided that."
)


class CostPoint(NamedTuple):
    variant: str
    cost: Statistic
    unit: str
    """Unit of the cost: `dollars`, or `tokens` where a price is unknown or everything is free."""
    quality: VRow
    on_front: bool = False
    """True where no other variant is at most as expensive and at least as good, and better in cost or quality."""


def cost_points(material: ReportData) -> list[CostPoint]:
    """Return each variant's cost and overall quality; empty where ratings or costs are unknown."""
    costs = {variant: dollars(answers) for variant, answers in material.variants.items()}
    # One unit for all: dollars of one system do not compare with tokens of another.
    priced = all(v.value and not v.n_unscored for v in costs.values())
    if not priced:
        costs = {variant: tokens(material, variant) for variant in material.variants}
    found = [
        CostPoint(variant, cost, "dollars" if priced else "tokens", quality)
        for variant, cost in costs.items()
        if (quality := material.document["metrics"][variant].get("overall")) is not None
    ]
    front = pareto_front([(point.cost.value, point.quality["value"]) for point in found])
    return [
        point._replace(on_front=here)
        for point, here in zip(found, front, strict=True)
        if point.cost.value is not None
    ]


def dollars(answers: Sequence[Answer]) -> Statistic:
    """Return the mean cost of an answer in dollars. An answer counts as unscored unless the price of every model used is known."""
    spent: dict[AskedQuestion, list[float | None]] = defaultdict(list)
    for answer in answers:
        spent[answer.asked].append(_spent(answer))
    return mean(spent, ends=COUNTED)


def _spent(answer: Answer) -> float | None:
    parts = [role.get("cost_usd") for role in answer.usage.values()]
    known = [float(part) for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def tokens(material: ReportData, variant: str) -> Statistic:
    read: ByQuery = material.per_report("input_tokens").get(variant, {})
    written: ByQuery = material.per_report("output_tokens").get(variant, {})
    return mean(
        {query: list(map(_added, trials, written[query])) for query, trials in read.items()},
        ends=COUNTED,
    )


def _added(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def pareto_front(
    points: Sequence[tuple[float | None, float | None]], *, is_lower_better: bool = False
) -> list[bool]:
    """Tell of each pair of cost and quality whether no other pair dominates it. Equal pairs are all in the front."""
    sign = 1 if is_lower_better else -1
    # As infinity, an unknown cost beats no known one.
    places = [None if q is None else (inf if cost is None else cost, sign * q) for cost, q in points]
    known = [one for one in places if one is not None]
    return [
        own is not None and not any(o[0] <= own[0] and o[1] <= own[1] and o != own for o in known)
        for own in places
    ]


def cost_table(material: ReportData) -> Table | None:
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

    columns = headings(f"{points[0].unit} per answer", "overall quality", "undominated")
    notes = [NOTE if by_price else NOTE + free]
    drawn = {p.variant for p in points}
    if left := [name for name in material.variants if name not in drawn]:
        notes.append(f"Not here, for want of a known cost or a grade: {', '.join(left)}.")
    return Table("cost-quality", "Cost against quality", columns, rows, notes, material.banner)


MEASURED_NOTE = (
    "Means with their 95 % interval. A memory system reads the data of each person only once, so its cost does not grow with agents, budgets or questions. "
    "The cost of judging includes every judgement that was paid for. A cost is unknown, and not 0, if nobody metered it or its price is not known."
)


_MEASURED = (
    Heading("tokens", "tokens", "Read and written by models; embedded texts are none.", digits=0),
    Heading("calls", "calls", "Calls of models.", digits=1),
    Heading("seconds", "seconds", "Of the wall clock; of a judge those of its model.", digits=3),
    Heading("dollars", "usd", "Unknown where a price is, or what a server embedded.", digits=4),
)


def measured_cost(material: ReportData) -> Table | None:
    """Return the table of what agents, memories and judges of each system cost. Judgements that systems share have rows of their own."""
    cost = cost_part(material.document)
    if cost is None:
        return None
    lines: list[tuple[str, Mapping[str, object]]] = []
    notes = [MEASURED_NOTE]
    for system, own in cost["systems"].items():
        parts = {
            "agent, an answer": own["agent"],
            "memory observes, a person": own.get("build"),
            "memory recalls, a question": own.get("recall"),
            "judge, an answer": own.get("judge"),
        }
        lines += [(f"{system}: {name}", row) for name, row in parts.items() if row is not None]
        if own["failed"]:
            usd = own["failed_usd"]
            spent = "dollars that are unknown" if usd is None else f"${usd:.4f}"
            notes.append(
                f"{system}: {own['failed']} answers failed: they count 0 in the reward and in pass^k, and are in no other mean; they took {spent}."
            )
    for task, whole in cost["shared"].items():
        name = f"judge, {task.replace('_', ' ')}, in all"
        cells = {
            "tokens": Cell(whole["tokens"], digits=0),
            "calls": Cell(whole["calls"], digits=0),
            "seconds": Cell(whole["seconds"], digits=1),
            "usd": Cell(whole["usd"], digits=4),
        }
        lines.append((name, cells))
    if not lines:
        return None
    rows = rows_under(_MEASURED, lines)
    return Table("cost", "Measured cost", _MEASURED, rows, notes, material.banner)
