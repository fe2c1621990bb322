"""The built-in questions of the sample shop, made by `drr queries generate` and checked by code; nobody reviewed them."""

from __future__ import annotations

from pathlib import Path

from drr.env.query import Query, read_queries

FILE = Path(__file__).parent / "queries.jsonl"
SEED = 7
"""Of the shop (`drr sample`) and of the sample of users."""
COMMANDS = (
    "drr sample raw --seed 7",
    "drr ingest raw --shop shop",
    "drr queries generate --shop shop --out queries.jsonl --users 24 --per-user 3 --seed 7",
)
"""What makes the file again, byte for byte, in an empty folder."""


def builtin_queries() -> list[Query]:
    return read_queries(FILE)
