"""The proposals of a model for a task of found pages, and what code accepts of them. Nothing is accepted that
does not stand in the page."""

from __future__ import annotations

import re
from typing import Literal

from drr.env.text import fold
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.truth import MOST_WORDS, PageKind
from pydantic import BaseModel, ConfigDict, Field

MOST_TERMS = 6
"""Of each role; the paper has ten in all."""
_LEAST_WORDS, _LONGEST_WORDS = 3, 5
_QUOTED_WORDS = 4
"""Fewer would be found by chance."""


class ProposedTerm(BaseModel):
    model_config = ConfigDict(extra="forbid")

    term: str = Field(min_length=1, max_length=120)
    role: Literal["signal", "noise"]


class SearchPaths(BaseModel):
    model_config = ConfigDict(extra="forbid")

    terms: list[ProposedTerm] = Field(max_length=30)


class FoundStatement(BaseModel):
    """What a page states, with the sentence that states it."""

    model_config = ConfigDict(extra="forbid")

    subject: str = Field(min_length=1, max_length=120)
    attribute: str = Field(min_length=1, max_length=120)
    value: str = Field(min_length=1, max_length=80)
    quote: str = Field(min_length=1, max_length=600)


class ProposedPage(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: PageKind
    statement: FoundStatement | None = None
    """`null` for noise."""
    why: str = Field(max_length=300)


class ProposedQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1, max_length=2_000)
    how: list[str] = Field(min_length=1, max_length=8)
    """How the facts combine to the answer, part by part."""


def kept_terms(paths: SearchPaths, values: list[str]) -> list[ProposedTerm]:
    """Keep the terms of three to five words, each once, that say no value of a file. Keep as many as a task takes."""
    found: dict[str, ProposedTerm] = {}
    for one in paths.terms:
        term = " ".join(one.term.casefold().split())
        many = sum(other.role == one.role for other in found.values())
        said = any(stands_in(value, fold(term)) for value in values)
        if _LEAST_WORDS <= len(term.split()) <= _LONGEST_WORDS and many < MOST_TERMS and not said:
            found.setdefault(term, one.model_copy(update={"term": term}))
    return list(found.values())


def refusal_of(one: ProposedPage, text: str) -> str | None:
    """Say why a proposal is put aside: `form`, `quotation`, `long`; `None` where it may stand."""
    said = one.statement
    if one.kind == "noise":
        return None
    if said is None:
        return "form"
    quote = found_quote(said.quote, text)
    if quote is None:
        return "quotation"
    if one.kind == "distractor":
        return None
    plain = fold(quote)
    named = fold(said.subject).split() and fold(said.subject) in plain
    if not named or said.value not in quote or not stands_in(said.value, plain):
        return "quotation"
    return "long" if len(fact_text(said).split()) > MOST_WORDS else None


def found_quote(quote: str, text: str) -> str | None:
    """The quotation as it stands in the page, where only white space may differ."""
    words = quote.split()
    if len(words) < _QUOTED_WORDS:
        return None
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    match = pattern.search(text)
    return match[0] if match else None


def fact_text(said: FoundStatement) -> str:
    return f"{said.subject}: {said.attribute} {said.value}."
