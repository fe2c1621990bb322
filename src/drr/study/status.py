"""The status of a study: units done, failed, pending and running, with usage and cost. Its JSON form stays stable."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from drr.env.errors import DrrError
from drr.env.files import read_file
from drr.env.tool_calls import refused_calls
from drr.llm.activity import AS_JSON, FILE
from drr.llm.meter import SummedUsage, dollars
from drr.study.form import naming_errors, of
from drr.study.spend import Account
from drr.study.study import Study
from drr.study.unit import KINDS, Record

IN_PROCESS = "in_process"
"""The ledger's note of agents written in Python that ran as part of this program."""


@dataclass
class UnitCounts:
    total: int = 0
    done: int = 0
    failed: int = 0
    pending: int = 0
    running: int = 0


@dataclass
class RoleUsage(SummedUsage):
    seconds: float = 0.0
    cost_usd: float | None = 0.0
    """The cost in dollars; `None` where a model without a known price was called."""


@dataclass
class StudyUsage(SummedUsage):
    by_role: dict[str, RoleUsage] = field(default_factory=dict)


@dataclass(frozen=True)
class BudgetState:
    """The limits of a study's budget (`None` for no limit) and its spending. Dollars are unknown where a model has no price."""

    usd: float | None
    tokens: int | None
    spent_usd: float | None
    spent_usd_at_most: float | None
    """The spending that is compared with the limit."""
    spent_tokens: int
    spent_tokens_at_most: int


@dataclass(frozen=True)
class FabricatedCount:
    """The number of cited addresses that no tool returned, and of finished answers with any."""

    addresses: int
    answers: int


@dataclass(frozen=True)
class RefusedCount:
    """The number of calls that no tool accepted, for example for malformed arguments, and of finished answers with any."""

    calls: int
    answers: int


@dataclass(frozen=True)
class FirstFailure:
    """The first unit that failed for a reason, with its key and its message."""

    key: str
    message: str


@dataclass(frozen=True)
class StudyStatus:
    """The document of `drr study status --json`."""

    schema: int
    units: UnitCounts
    by_kind: dict[str, UnitCounts]
    failures: dict[str, int]
    first_failures: dict[str, FirstFailure]
    fabricated: FabricatedCount
    refused: RefusedCount
    unjudged: int
    """Finished answers that no judge was asked about, beside others that were judged."""
    lost: list[str]
    """Answers, counted as done, that lack texts and are left out by every reader: by label."""
    stopped: str | None
    in_process: str | None
    """Agents written in Python that `--in-process` ran as part of this program, where they see its memory."""
    usage: StudyUsage
    imported: int
    """Answers that were made elsewhere: what making them took is unknown and in no sum here."""
    uncounted: int
    """Answers, failed and earlier ones too, of agents that asked no model through this program: what these asked on their own is in no sum here."""
    uncounted_aside: int
    """Answers among them that are set aside: of earlier configurations."""
    cost_usd: float | None
    """Cost of answers that came; `None` where a model without a known price was called."""
    cost_usd_at_most: float | None
    """Cost with possible further bills: requests in flight, and those without a known end."""
    spent_tokens: int
    spent_tokens_at_most: int
    budget: BudgetState | None


_STALE_S = 15.0


def doing_in(folder: Path) -> str:
    """Return a sentence on the model calls of a study's run; empty where none goes on."""
    file = folder / FILE
    try:
        written_at, activity = file.stat().st_mtime, AS_JSON.validate_json(read_file(file, most=1000))
    except (OSError, DrrError, ValueError):
        return ""
    text = activity.text(written_at) if time.time() - written_at < _STALE_S else ""
    return text and f"A run goes on: {text}."


def status(study: Study) -> StudyStatus:
    """Return the status of a study; its `units` counts the answers. A unit that only an earlier configuration requested does not count."""
    study.look_for_losses()
    running = study.ledger.under_way.keys()
    by_kind: dict[str, UnitCounts] = {kind: UnitCounts() for kind in KINDS}
    failures: Counter[str] = Counter()
    for unit in study.ledger.units.standings():
        counts = by_kind[unit.kind]
        counts.total += 1
        if unit.status == "done":
            counts.done += 1
        elif unit.key in running:
            counts.running += 1
        # A budget's end is no failure: with a larger one the unit goes on.
        elif unit.status is None or (unit.status == "over_budget" and unit.transient):
            counts.pending += 1
        else:
            counts.failed += 1
            failures[unit.reason or unit.status] += 1
    spending = study.ledger.accounts.total()
    uncounted = answers_without_usage(study.records("answer", None, current=False))
    return StudyStatus(
        schema=1,
        units=by_kind["answer"],
        by_kind=by_kind,
        failures=dict(sorted(failures.items())),
        first_failures=_first_failures(study, failures),
        fabricated=_count_fabricated(study),
        refused=_count_refused(study),
        unjudged=study.ledger.units.unjudged(),
        lost=sorted(loss.label for loss in study.losses.values()),
        stopped=next(filter(None, (study.ledger.meta(f"stopped:{kind}") for kind in KINDS)), None),
        in_process=study.ledger.meta(IN_PROCESS),
        usage=_usage(study),
        imported=sum(record.made_elsewhere for record in study.records("answer")),
        uncounted=uncounted,
        uncounted_aside=uncounted - answers_without_usage(study.records("answer", None)),
        cost_usd=None if spending.unpriced else dollars(spending.cost),
        cost_usd_at_most=None if spending.unpriced else dollars(spending.most_cost),
        spent_tokens=spending.tokens,
        spent_tokens_at_most=spending.most_tokens,
        budget=_budget(study, spending),
    )


def answers_without_usage(answers: Iterable[Record]) -> int:
    """Count the answers that were made in this study and have no usage."""
    return sum(not (record.is_metered or record.made_elsewhere) for record in answers)


def _count_fabricated(study: Study) -> FabricatedCount:
    whole = (record for record in study.records("answer") if not study.lost(record))
    with naming_errors("an answer"):
        counts = [len(of(record.result.get("fabricated") or [], list)) for record in whole]
    return FabricatedCount(sum(counts), sum(count > 0 for count in counts))


def _count_refused(study: Study) -> RefusedCount:
    counts = []
    for record in study.records("answer"):
        with naming_errors("an answer"):
            calls = of(record.result.get("tool_calls") or [], list)
            counts.append(len(refused_calls(calls)))
    return RefusedCount(sum(counts), sum(count > 0 for count in counts))


def _first_failures(study: Study, kinds: Collection[str]) -> dict[str, FirstFailure]:
    found: dict[str, FirstFailure] = {}
    for record in study.records(status="failed") if kinds else ():
        if record.reason is not None and record.reason in kinds:
            found.setdefault(record.reason, FirstFailure(record.key, record.message or ""))
    return dict(sorted(found.items()))


def _usage(study: Study) -> StudyUsage:
    """Return the summed usage of the units on record, by role. `cost_usd` and `spent_tokens` include failed tries and killed processes too."""
    roles: dict[str, RoleUsage] = {}
    for usage in study.ledger.records.usages():
        for role, used in usage.items():
            row = roles.setdefault(role, RoleUsage())
            row.add(used)
            row.seconds = round(row.seconds + used["seconds"], 3)
            before, cost = row.cost_usd, used["cost_usd"]
            row.cost_usd = None if before is None or cost is None else round(before + cost, 12)
    whole = StudyUsage(by_role=dict(sorted(roles.items())))
    for row in roles.values():
        whole.add(row)
    return whole


def _budget(study: Study, spending: Account) -> BudgetState | None:
    limit = study.ledger.meta_table("budget")
    if limit.get("cost") is None and limit.get("tokens") is None:
        return None
    with naming_errors("the budget"):
        of(limit["cost"], int, type(None))
        of(limit["tokens"], int, type(None))
    return BudgetState(
        usd=dollars(limit["cost"]),
        tokens=limit["tokens"],
        spent_usd=None if spending.unpriced else dollars(spending.cost),
        spent_usd_at_most=None if spending.unpriced else dollars(spending.most_cost),
        spent_tokens=spending.tokens,
        spent_tokens_at_most=spending.most_tokens,
    )
