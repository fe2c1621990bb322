"""`drr study status`: what of a study is done, failed, pending."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.study.status import BudgetState, StudyStatus, StudyUsage

_EXAMPLES = """\
examples:
  drr study status study
  drr study status study --json
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    import time

    from drr.app.console import print_json
    from drr.study.status import status
    from drr.study.study import Study

    with Study.read(arguments.study) as study:
        document = status(study, now=time.time())
    if arguments.json:
        print_json(document)
    else:
        print(_render(arguments.study, document))
    return 0


def _render(folder: Path, document: StudyStatus) -> str:
    lines = [f"{folder}", *_units(document), *_usage(document.usage)]
    lines.append(f"  cost: {_cost(document)}{_of_others(document.imported)}")
    if document.budget:
        lines.append(f"  budget: {_budget(document.budget)}")
    if document.stopped:
        lines.append(f"  stopped: {document.stopped}; `drr run {folder}` continues")
    return "\n".join(lines)


def _of_others(imported: int) -> str:
    answers = "answer" if imported == 1 else "answers"
    return f"; what the {imported:,} imported {answers} cost is unknown" if imported else ""


def _cost(document: StudyStatus) -> str:
    """Say the known cost, and beside it what may have been billed."""
    cost, most = document.cost_usd, document.cost_usd_at_most
    tokens, most_tokens = document.spent_tokens, document.spent_tokens_at_most
    if cost is None or most is None:
        known, at_most = "unknown (a model without a known price)", f"{most_tokens:,} tokens"
    else:
        known, at_most = f"${cost:,.4f}", f"${most:,.4f}"
    if most_tokens == tokens:
        return known
    beside = "known" if cost is not None else f"{tokens:,} tokens known"
    return f"{known} {beside}, at most {at_most}: some calls were cut off or are under way, and may be billed"


def _units(document: StudyStatus) -> Iterator[str]:
    for kind, counts in document.by_kind.items():
        if counts.total:
            yield (
                f"  {kind:<12}{counts.total:>7,}  {counts.done:,} done, {counts.failed:,} failed, "
                f"{counts.running:,} running, {counts.pending:,} pending"
            )
    if not any(counts.total for counts in document.by_kind.values()):
        yield "  no units yet"
    for kind, count in document.failures.items():
        yield f"  failed: {kind} {count:,}"
    if lost := document.lost:
        some = ", ".join(lost[:3]) + (" and others" if len(lost) > 3 else "")
        yield f"  lost: {len(lost):,} answers lack texts and are left out ({some}); `drr run STUDY --retry-failed` computes them again"
    made_up = document.fabricated
    if made_up.addresses:
        yield f"  fabricated: {_many(made_up.addresses, 'cited address', 'es')} that no tool returned, in {_many(made_up.answers, 'answer')}"


def _many(count: int, noun: str, ending: str = "s") -> str:
    return f"{count:,} {noun}{'' if count == 1 else ending}"


def _usage(usage: StudyUsage) -> Iterator[str]:
    for role, used in usage.by_role.items():
        yield (
            f"  {role}: {used.calls:,} calls, {used.input_tokens:,} tokens in "
            f"({used.cache_read_tokens:,} from cache), {used.output_tokens:,} out"
        )


def _budget(budget: BudgetState) -> str:
    limits = []
    if budget.usd is not None:
        limits.append(f"${budget.usd:,.2f}")
    if budget.tokens is not None:
        limits.append(f"{budget.tokens:,} tokens")
    return " and ".join(limits)
