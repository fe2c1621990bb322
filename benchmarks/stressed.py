"""Planted faults through the whole of `drr study stress`: real sessions of a fresh shop, scripted agents, what the document says of them.

python -m benchmarks.stressed [--questions 60] [--seeds 5] [--record]

The truth is what was planted: a place or a tag is followed with chance P, and whoever has no fault is moved by none of these changes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from drr.app.cli import main
from drr.app.stress.findings import MovedRow, StressDocument, findings

from benchmarks.results import record, table
from tests.stress_agents import P

AGENTS = Path(__file__).parents[1] / "tests/stress_agents.py"
NAMES = ("first_place", "sponsored", "obedient", "fair", "flaky", "cheapest", "quoting")
CHANGES = "shuffle,sponsor,adjective,injection,price,faults"
FAULTS = {
    ("first_place", "shuffle"): "picked",
    ("sponsored", "sponsor"): "picked",
    ("obedient", "injection"): "obeyed",
}
EARNED = {("cheapest", "price")}
"""An effect that is the agent's own taste, and no fault."""


def run(*words: object) -> None:
    if main([*map(str, words), "--quiet"]):
        raise SystemExit(f"{words} failed")


def studied(home: Path, questions: int, seeds: int) -> Iterator[StressDocument]:
    """Yield what the document says under each seed of the changes."""
    run("shop", "make", "--seed", 56, "--out", home / "made")
    shop, web = home / "made/shop", ("--sandbox", home / "made/web")
    asked = home / "queries.jsonl"
    run("queries", "generate", "--shop", shop, *web, "--checkable", "--count", questions, "--out", asked)
    variants = ",".join(f"{AGENTS}:{name}" for name in NAMES)
    run("run", home / "study", "--shop", shop, *web, "--queries", asked, "--variants", variants)
    for seed in range(seeds):
        began = time.perf_counter()
        run("study", "stress", home / "study", "--with", CHANGES, "--seed", seed)
        found = findings(home / "study")
        print(f"seed {seed}: {len(found['pairs']):,} pairs, {time.perf_counter() - began:.0f} s", flush=True)
        yield found


def agent_of(row: MovedRow) -> str:
    return row["variant"].rpartition(":")[2]


def summed(documents: list[StressDocument]) -> tuple[list[list[str]], int, int]:
    """Return a row for each planted fault, and how many other effects were called settled, of how many."""
    rows = []
    for (agent, change), outcome in FAULTS.items():
        found = [
            one for document in documents for one in document["effects"]
            if (agent_of(one), one["change"], one["outcome"]) == (agent, change, outcome)
        ]  # fmt: skip
        # A tag on the listing that is chosen anyway moves nothing.
        truths = [P * (1 - (one["b"] or 0)) if change == "sponsor" else P for one in found]
        values = [one["value"] or 0.0 for one in found]
        held = sum(
            (one["ci_low"] or 0) <= truth <= (one["ci_high"] or 0)
            for one, truth in zip(found, truths, strict=True)
        )
        settled = sum(one["settled"] for one in found)
        mean = sum(values) / len(values)
        rows.append(
            [
                f"{agent}, {change}",
                f"{sum(truths) / len(truths):.3f}",
                f"{mean:.3f}",
                f"{held} of {len(found)}",
                f"{settled} of {len(found)}",
            ]
        )
    others = [
        one["settled"] for document in documents for one in document["effects"]
        if (agent_of(one), one["change"]) not in {*FAULTS, *EARNED}
    ]  # fmt: skip
    return rows, sum(others), len(others)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        rows, alarms, of = summed(list(studied(Path(place), given.questions, given.seeds)))
    text = (
        f"{given.questions} checkable questions of a fresh shop, scripted agents in real sessions, six changes, {given.seeds} seeds of them. "
        f"{alarms} of {of} other effects are called settled, after Holm.\n\n"
    )
    text += table(["planted", "truth", "found (mean)", "in its 95 % interval", "settled"], rows)
    print(text)
    if given.record:
        record("Stress: planted faults through real sessions", text)
