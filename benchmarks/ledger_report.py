"""Two hundred reports of `ledger` over the wire by a careless and by a hostile model, held against the rules of `drr judges check`.

    python -m benchmarks.ledger_report               # both, a few minutes
    python -m benchmarks.ledger_report hostile       # one of them

Everything is a user's: `drr run` in a process of its own, the real Anthropic client, the sample shop, fifty of the built-in questions four
times each. The same model answers Hybrid-ReAct and ReAct on the same questions, for what they cost to read. A report is checked with the
shop, its shopper, its question and all that its tools returned. What no scripted model can tell is how a real one fares.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.eval.checks import RULES, check_report
from drr.eval.checks.results import Check
from drr.eval.evidence.answers import Answer, read_answers
from drr.eval.tasks.rules import check_subject
from drr.study.study import Study

from benchmarks.ledger_models import LedgerModel
from benchmarks.results import machine, record, table
from benchmarks.wire_study import Site, begun, ended, site
from tests.wire import Wire

QUESTIONS, TRIALS, BESIDE = 50, 4, 20
GOALS = ("fabricated_citation", "in_catalogue", "name_matches_id", "price", "rating", "total")
"""The rules that say whether an address, a title, a price, a rating or a sum is wrong."""
MODELS = {
    "careless": LedgerModel(faults=0.0, seed=24),
    "hostile": LedgerModel(faults=0.0, slips=0.0, seed=24, hostile=True),
}


class Checked(NamedTuple):
    """The outcome of one study's reports."""

    reports: int
    failed: Counter[str]
    """By rule."""
    passed: Counter[str]
    wrong: int
    """Reports in which a rule of `GOALS` fails."""
    told: list[str]
    recorded: int
    """Citations that the run itself recorded as fabricated."""


def variant_reports(
    site: Site, study: Path, model: LedgerModel, variant: str, questions: int, trials: int
) -> list[str]:
    """List what finished at first, and after one `drr run --retry-failed`."""
    with Wire(model) as wire:
        asked = ("--queries", str(site.queries(questions)), "--variants", variant, "--trials", str(trials))
        begun(site, study, wire, asked).wait()
        first = ended(study).told["units"]
        if first.get("failed"):
            begun(site, study, wire, ("--retry-failed",)).wait()
    then = ended(study).told["units"]
    return [f"{units['done']} of {units['total']}" for units in (first, then)]


def checked(site: Site, folder: Path) -> Checked:
    settings = resolve(None).settings
    failed, passed = Counter[str](), Counter[str]()
    wrong = recorded = reports = 0
    told: list[str] = []
    with open_shop(str(site.shop), settings) as shop, Study.open(folder, read_only=True) as study:
        for answer in read_answers(study):
            checks = check_report(check_subject(answer, shop, shop.shop_url))
            reports += 1
            recorded += len(answer.record.result.get("fabricated", ()))
            found = {name for name, check in checks.items() if check.status == "fail"}
            failed.update(found)
            passed.update(name for name, check in checks.items() if check.status == "pass")
            wrong += bool(found & set(GOALS))
            told += [f"{answer.label}: {name}: {_why(checks[name], answer)}" for name in sorted(found)]
    return Checked(reports, failed, passed, wrong, told, recorded)


def _why(check: Check, answer: Answer) -> str:
    (start, end), why = check.findings[0]
    around = answer.report[max(0, start - 60) : end + 60].replace("\n", "⏎")
    return f"{why} >> {around[:400]}"


def input_tokens(folder: Path) -> float:
    with Study.open(folder, read_only=True) as study:
        return mean(
            sum(role["input_tokens"] for role in one.usage.values()) for one in study.records("answer")
        )


def part(site: Site, name: str) -> list[str]:
    model = MODELS[name]
    study = site.folder / f"ledger-{name}"
    done, again = variant_reports(site, study, model, "ledger", QUESTIONS, TRIALS)
    found = checked(site, study)
    costs = {"ledger": input_tokens(study)}
    for variant in ("react", "hybrid-react"):
        beside = site.folder / f"{variant}-{name}"
        variant_reports(site, beside, model, variant, BESIDE, 1)
        costs[variant] = input_tokens(beside)
    for line in found.told:
        print(line)
    row = (
        name,
        done,
        again,
        found.recorded,
        f"{found.reports - found.wrong} of {found.reports}",
        f"{found.reports - len(_broken(found))} of {found.reports}",
        f"{costs['ledger']:,.0f}",
        f"{costs['ledger'] / costs['react']:.2f}",
        f"{costs['ledger'] / costs['hybrid-react']:.2f}",
    )
    head = (
        *("model", "finished", "after a retry", "citations recorded as fabricated"),
        *("reports with no wrong address, title, price, rating or sum", "reports that no rule fails"),
        *("input tokens of a report", "of ReAct's", "of Hybrid-ReAct's"),
    )
    rules = [
        (
            rule,
            found.passed[rule],
            found.failed[rule],
            found.reports - found.passed[rule] - found.failed[rule],
        )
        for rule in RULES
    ]
    asked = ", ".join(
        f"{what} {count}" for what, count in sorted(model.done.items()) if what.startswith("form")
    )
    return [
        table(head, [row]),
        table(("rule", "pass", "fail", "unverifiable"), rules),
        f"Forms asked for: {asked}.",
    ]


def _broken(found: Checked) -> set[str]:
    return {line.partition(": ")[0] for line in found.told}


def main(chosen: Sequence[str]) -> int:
    with site() as made:
        for name in chosen or MODELS:
            started = time.monotonic()
            text = "\n\n".join(part(made, name))
            took = f"{time.monotonic() - started:.0f} s"
            told = "Scripted models: how a real one fares is not measured here."
            record(f"Reports with filled-in figures, {name} model", f"{told} {machine()}, {took}\n\n{text}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
