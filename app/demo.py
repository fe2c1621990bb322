"""`make demo`: from raw files to a judged report, by the commands a user would type, each shown before it runs."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from pathlib import Path

from drr.app.cli import main
from drr.env.query import Query

MARK = ".drr-demo"
ASKED = 4
"""Questions of the built-in set that the demo answers."""


def demo(folder: Path) -> int:
    """Goes on where an earlier call stopped; `folder` is made here or is our own."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        print(f"{folder} is not empty and not a demo of ours: move it away", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    raw, shop = folder / "raw", folder / "shop"
    print(
        "No language model takes part: rules stand in for the agents and the judge, so that nothing needs a key."
    )
    if not (shop / "manifest.json").is_file():
        made = _drr(
            "An invented sample in the form of Amazon Reviews 2023.", "sample", raw, "--quiet"
        ) or _drr(
            "The shop: products, users and their orders, by the same ingest that takes the real data.",
            *("ingest", raw, "--shop", shop, "--quiet"),
        )
        if made != 0:
            return made
    feeder = ("squirrel-proof bird feeder", "--max-price", "60", "--limit", "3")
    looked = _drr("The shop answers.", "shop", "search", shop, *feeder)
    if looked != 0:
        return looked
    queries = _questions(folder)
    questions = [json.loads(line) for line in queries.read_text(encoding="utf-8").splitlines()]
    user = ("--user", questions[0]["user_id"], "--args", "{}")
    told = _drr(
        "One of the nine tools that an agent has.",
        "tools",
        "call",
        "get_user_statistics",
        "--shop",
        shop,
        *user,
    )
    if told != 0:
        return told
    print(f"\n{len(questions)} shoppers ask:")
    for question in questions:
        print(textwrap.fill(question["query"], 110, initial_indent="  - ", subsequent_indent="    "))
    return _drr(
        "Six variants of an agent answer each question; the answers are judged; tables, figures and pages are made.",
        *("reproduce", "--shop", shop, "--queries", queries, "--out", folder / "study", "--quiet"),
    )


def _questions(folder: Path) -> Path:
    """The first of the built-in set, one of each shopper."""
    from drr.querygen.builtin import builtin_queries

    path = folder / "queries.jsonl"
    chosen: dict[str, Query] = {}
    for query in builtin_queries():
        chosen.setdefault(query.user_id, query)
    lines = [query.model_dump_json(exclude_none=True) for query in list(chosen.values())[:ASKED]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _drr(why: str, *words: str | Path) -> int:
    given = [str(word) for word in words]
    print(f"\n{why}\n$ drr {shlex.join(given)}", flush=True)
    return main(given)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m drr.app.demo", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("demo"))
    raise SystemExit(demo(parser.parse_args().folder))
