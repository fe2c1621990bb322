"""What of a study is done, failed, pending, running; what it used and cost. The form is a fixed face."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from drr.llm.meter import dollars
from drr.study.spend import Spending
from drr.study.study import Study
from drr.study.unit import KINDS

_SUMS = (
    "calls",
    "retries",
    "unmetered",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
)


def status(study: Study, *, now: float) -> dict[str, Any]:
    """`units` counts the answers. A unit that an earlier configuration asked for does not count."""
    running = study.ledger.leases.running(now)
    by_kind = {kind: dict.fromkeys(("total", "done", "failed", "pending", "running"), 0) for kind in KINDS}
    failures: Counter[str] = Counter()
    for unit in study.ledger.units.standings():
        counts = by_kind[unit.kind]
        counts["total"] += 1
        if unit.status == "done":
            counts["done"] += 1
        elif unit.key in running:
            counts["running"] += 1
        elif unit.status is None or (unit.status == "over_budget" and unit.transient):
            counts["pending"] += 1
        else:
            counts["failed"] += 1
            failures[unit.reason or unit.status] += 1
    spending = study.ledger.accounts.total()
    return {
        "schema": 1,
        "units": by_kind["answer"],
        "by_kind": by_kind,
        "failures": dict(sorted(failures.items())),
        "stopped": next(filter(None, (study.ledger.meta(f"stopped:{kind}") for kind in KINDS)), None),
        "usage": _usage(study),
        "cost_usd": None if spending.unpriced else dollars(spending.cost),
        "spent_tokens": spending.tokens,
        "budget": _budget(study, spending),
    }


def _usage(study: Study) -> dict[str, Any]:
    """Of the units on record, by role; what failed tries and killed processes used is in `cost_usd` and `spent_tokens`."""
    roles: dict[str, dict[str, Any]] = {}
    for usage in study.ledger.records.usages():
        for role, used in usage.items():
            row = roles.setdefault(role, {**dict.fromkeys(_SUMS, 0), "seconds": 0.0, "cost_usd": 0.0})
            for name in _SUMS:
                row[name] += used[name]
            row["seconds"] = round(row["seconds"] + used["seconds"], 3)
            known = row["cost_usd"] is not None and used["cost_usd"] is not None
            row["cost_usd"] = round(row["cost_usd"] + used["cost_usd"], 12) if known else None
    total: dict[str, Any] = {name: sum(row[name] for row in roles.values()) for name in _SUMS}
    return {**total, "by_role": dict(sorted(roles.items()))}


def _budget(study: Study, spending: Spending) -> dict[str, Any] | None:
    told = study.ledger.meta("budget")
    limit = json.loads(told) if told else {}
    if limit.get("cost") is None and limit.get("tokens") is None:
        return None
    return {
        "usd": dollars(limit["cost"]),
        "tokens": limit["tokens"],
        "spent_usd": None if spending.unpriced else dollars(spending.cost),
        "spent_tokens": spending.tokens,
    }
