"""The cost of each judge of a study, in all and for each question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from drr.eval.agreement.rows import JudgeCost
from drr.study.study import Study


def judge_costs(study: Study, query_of: Mapping[str, str]) -> dict[str, JudgeCost]:
    """Sum the cost of every judgement that was paid for, also those that no longer count. `query_of` has the question of each answer."""
    spent: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    tokens: dict[str, int] = defaultdict(int)
    queries: dict[str, set[str]] = defaultdict(set)
    for record in study.ledger.records.bills("judgement"):
        fields = record.key_fields
        judge = str(fields.get("judge", ""))
        queries[judge].update(
            query_of[key] for key in fields.values() if isinstance(key, str) and key in query_of
        )
        if record.usage:
            spent[judge][str(fields["task"])].append(record.cost_usd)
            tokens[judge] += sum(
                (one["input_tokens"] or 0) + (one["output_tokens"] or 0) for one in record.usage.values()
            )
    return {judge: _cost(spent[judge], len(queries[judge]), tokens[judge]) for judge in sorted(queries)}


def _cost(spent: Mapping[str, list[float | None]], queries: int, tokens: int) -> JudgeCost:
    by_task = {task: _sum(costs) for task, costs in sorted(spent.items())}
    usd = _sum(list(by_task.values()))
    return {
        "usd": usd,
        "usd_per_query": usd / queries if usd is not None and queries else None,
        "queries": queries,
        "tokens": tokens,
        "by_task": by_task,
    }


def _sum(costs: list[float | None]) -> float | None:
    """Unknown where one part is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
