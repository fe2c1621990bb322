"""One page of the sandbox as a document, and what all its writers share."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypedDict


class Doc(TypedDict):
    url: str
    title: str
    text: str
    date: str
    kind: str
    topics: list[str]
    injection: bool


def doc(
    host: str, slug: str, title: str, date: str, text: str, kind: str, topics: Sequence[str], folder: str = ""
) -> Doc:
    path = f"{folder}/{slug}" if folder else slug
    return {
        "url": f"https://{host}/{path}",
        "title": title,
        "text": text.strip(),
        "date": date,
        "kind": kind,
        "topics": list(topics),
        "injection": False,
    }


def slug(text: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def day(seed: str, year: int) -> str:
    """A day of the year that depends on the page alone."""
    number = int(sha256(seed.encode()).hexdigest()[:8], 16)
    return f"{year}-{number % 12 + 1:02d}-{number // 12 % 28 + 1:02d}"
