"""Findings as text for a fresh conversation: the way in which long work goes on without editing a transcript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from drr.env.json_object import JsonObject
from drr.llm.prompts import fence

QUESTION, PROBLEM, RESULTS, REPORTS = (
    "# Question",
    "# Sub-problem",
    "# Results",
    "# Reports of the researchers",
)
NOTHING = "Nothing was found."
SHORTENED = " [… shortened]"


class Piece(NamedTuple):
    """One titled block of evidence."""

    title: str
    text: str
    label: str


def call_title(number: int, name: str, arguments: JsonObject) -> str:
    given = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    return f"Call {number}: {name} {given}"


def dossier(kind: str, task: str, heading: str, pieces: Sequence[Piece], limit: int) -> str:
    """The question (or sub-problem) with everything found on it, at most about `limit` characters of findings."""
    texts = shorten([piece.text for piece in pieces], limit)
    blocks = [
        f"## {piece.title}\n{fence(text, piece.label)}" for piece, text in zip(pieces, texts, strict=True)
    ]
    body = "\n\n".join(blocks) or NOTHING
    return f"{kind}\n{task}\n\n{heading}\n\n{body}\n"


def shorten(texts: Sequence[str], limit: int) -> list[str]:
    """The texts with the longest cut to one common length, so that all together keep within the limit."""
    if sum(map(len, texts)) <= limit:
        return list(texts)
    left, waiting = limit, sorted(map(len, texts))
    share = 0
    for done, length in enumerate(waiting):
        share = left // (len(waiting) - done)
        if length > share:
            break
        left -= length
    return [text if len(text) <= share else text[:share] + SHORTENED for text in texts]
