"""The requests to a model for a task of found pages, and what code accepts of its proposals. Nothing is accepted that does not stand in the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from drr.citations.files import file_place
from drr.env.text import fold
from drr.llm.prompts import Prompts, fence
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.known import stands_in
from drr.papers.dr3.form import CorpusPage, FrozenRow
from drr.papers.dr3.truth import MOST_WORDS, PageKind, TaskFact
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import Field

MOST_TERMS = 6
"""Most terms of each role; the paper has ten in all."""
_LEAST_WORDS, _LONGEST_WORDS = 3, 5
_QUOTED_WORDS = 4
"""Fewer would be found by chance."""


class ProposedTerm(FrozenRow):
    term: str = Field(min_length=1, max_length=120)
    role: Literal["signal", "noise"]


class SearchPaths(FrozenRow):
    terms: list[ProposedTerm] = Field(max_length=30)


class FoundStatement(FrozenRow):
    """What a page states, with the sentence that states it."""

    subject: str = Field(min_length=1, max_length=120)
    attribute: str = Field(min_length=1, max_length=120)
    value: str = Field(min_length=1, max_length=80)
    quote: str = Field(min_length=1, max_length=600)


class ProposedPage(FrozenRow):
    kind: PageKind
    statement: FoundStatement | None = None
    """`null` for noise."""
    why: str = Field(max_length=300)


class ProposedQuestion(FrozenRow):
    query: str = Field(min_length=1, max_length=2_000)
    how: list[str] = Field(min_length=1, max_length=8)
    """Steps that combine the facts into the answer, part by part."""


def kept_terms(paths: SearchPaths, values: list[str]) -> list[ProposedTerm]:
    """Keep the terms of three to five words, each once, that say no value of a file. Keep as many as a task takes."""
    found: dict[str, ProposedTerm] = {}
    for one in paths.terms:
        term = " ".join(one.term.casefold().split())
        many = sum(other.role == one.role for other in found.values())
        stands = any(stands_in(value, fold(term)) for value in values)
        if _LEAST_WORDS <= len(term.split()) <= _LONGEST_WORDS and many < MOST_TERMS and not stands:
            found.setdefault(term, one.model_copy(update={"term": term}))
    return list(found.values())


def refusal_of(one: ProposedPage, text: str) -> str | None:
    """Say why a proposal is put aside: `form`, `quotation`, `long`; `None` where it may stand."""
    statement = one.statement
    if one.kind == "noise":
        return None
    if statement is None:
        return "form"
    quote = found_quote(statement.quote, text)
    if quote is None:
        return "quotation"
    if one.kind == "distractor":
        return None
    plain = fold(quote)
    named = fold(statement.subject).split() and fold(statement.subject) in plain
    if not named or statement.value not in quote or not stands_in(statement.value, plain):
        return "quotation"
    return "long" if len(fact_text(statement).split()) > MOST_WORDS else None


def found_quote(quote: str, text: str) -> str | None:
    """The quotation as it stands in the page, where only white space may differ."""
    words = quote.split()
    if len(words) < _QUOTED_WORDS:
        return None
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    match = pattern.search(text)
    return match[0] if match else None


def fact_text(statement: FoundStatement) -> str:
    return f"{statement.subject}: {statement.attribute} {statement.value}."


ROLE = "task_writer"
FOLDER = Path(__file__).parent.parent / "prompts"
TERMS, PAGE, QUESTION = "found_terms", "found_page", "found_question"
_PAGE_CHARS = 12_000
"""Characters of a page in one request; no sentence behind them is proposed."""


def terms_messages(prompts: Prompts, case: TaskCase) -> list[BaseMessage]:
    return [HumanMessage(prompts.fill(TERMS, **_about(case)))]


def page_messages(prompts: Prompts, case: TaskCase, page: CorpusPage) -> list[BaseMessage]:
    text = f"{page.title}\n{page.url}\n\n{page.text[:_PAGE_CHARS]}"
    return [HumanMessage(prompts.fill(PAGE, **_about(case), page=fence(text, "page")))]


def question_messages(
    prompts: Prompts,
    case: TaskCase,
    required: Sequence[TaskFact],
    terms: Sequence[ProposedTerm],
    refused: Sequence[str],
) -> list[BaseMessage]:
    """`refused`: what spoke against the question before, for another one."""
    reasons = "\n".join(f"- {one}" for one in refused)
    return [
        HumanMessage(
            prompts.fill(
                QUESTION,
                **_about(case),
                names=", ".join(file.name for file in case.files),
                pages=fence("\n".join(f"- {fact.text}" for fact in required), "pages"),
                terms=fence("\n".join(one.term for one in terms if one.role == "signal"), "terms"),
                refused=f"\nA question before this one was refused:\n{fence(reasons, 'refused')}"
                if reasons
                else "",
            )
        )
    ]


def _about(case: TaskCase) -> dict[str, str]:
    return {
        "intent": case.intent.replace("_", " "),
        "today": case.today.isoformat(),
        "thing": case.thing.name,
        "seller": case.seller,
        "rival": f" It is weighed against: {case.rival.name}." if case.rival else "",
        "files": fence("\n".join(_line_of(fact) for fact in case.of("file")), "files"),
    }


def _line_of(fact: TaskFact) -> str:
    place = file_place(fact.places[0].address) if fact.places else None
    return f"- {place.name if place else 'a file'}: {fact.text}"
