"""The built-in questions of the sample shop. A language model wrote and checked them one by one against the records; rules wrote a few."""

from __future__ import annotations

from pathlib import Path

from drr.env.query import Query, read_queries

FILE = Path(__file__).parent / "queries.jsonl"
SEED = 7
"""The seed of the shop (`drr data sample`) and of the sample of users."""
COMMANDS = (
    "drr data sample raw --seed 7",
    "drr data ingest raw --shop shop",
    "drr queries generate --shop shop --out queries.jsonl --users 24 --per-user 3 --seed 7",
)
"""Commands that make the shop, and its rule-written questions (`rule_written`), in an empty folder."""


def builtin_queries() -> list[Query]:
    return read_queries(FILE)
