"""Orders the questions of a set by measured failure: the easiest first, in five levels of one size.

    drr run scripted --queries q.jsonl --shop shop --variants examples/baselines/lines.py:lines,examples/baselines/parser.py:parser
    drr judges regrade scripted --out scored.jsonl
    python -m benchmarks.levels q.jsonl scored.jsonl

Questions that fail alike stand in the order of their precision. The file of questions is written anew.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from drr.env.query import Query, read_queries
from drr.querygen.files import write_queries

LEVELS = 5


def precision(query: Query) -> int:
    axes = query.checkable and query.checkable.axes
    return axes.precision if axes else 0


def ordered(queries: list[Query], rewards: dict[str, list[float]]) -> list[Query]:
    """The questions, those first whose mean reward is highest."""
    missing = [query.id for query in queries if not rewards.get(query.id)]
    if missing:
        raise SystemExit(
            f"{len(missing)} questions have no reward, {missing[0]} first; run the scripted agents on all"
        )
    return sorted(queries, key=lambda query: (-fmean(rewards[query.id]), precision(query), query.id))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("questions", type=Path)
    words.add_argument("scored", type=Path)
    given = words.parse_args()
    rewards: dict[str, list[float]] = defaultdict(list)
    agents: dict[str, list[float]] = defaultdict(list)
    for line in given.scored.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rewards[row["query"]["id"]].append(row["reward"])
        agents[row["agent"]].append(row["reward"])
    queries = ordered(read_queries(given.questions), rewards)
    write_queries(given.questions, queries)
    for level in range(LEVELS):
        own = queries[level * len(queries) // LEVELS : (level + 1) * len(queries) // LEVELS]
        print(
            f"level {level + 1}: {len(own)} questions, mean reward {fmean(fmean(rewards[one.id]) for one in own):.3f}"
        )
    for name, values in agents.items():
        print(f"{name}: {fmean(values):.3f} on {len(values)} questions")


if __name__ == "__main__":
    main()
