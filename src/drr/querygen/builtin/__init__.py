"""The built-in questions of the sample shop. A language model wrote and checked them one by one against the records; rules wrote a few."""

from __future__ import annotations

from pathlib import Path

from drr.env.query import Query, read_queries

FILE = Path(__file__).parent / "queries.jsonl"
SEED = 7
"""The seed of the shop (`drr data sample`) and of the sample of users."""


def builtin_queries() -> list[Query]:
    return read_queries(FILE)
