"""The requests to the model for a task of found pages. It proposes search paths, kinds of pages and the question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drr.citations.files import file_place
from drr.llm.prompts import Prompts, fence
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.found.proposals import ProposedTerm
from drr.papers.dr3.truth import TaskFact
from langchain_core.messages import BaseMessage, HumanMessage

ROLE = "task_writer"
FOLDER = Path(__file__).parent.parent / "prompts"
TERMS, PAGE, QUESTION = "found_terms", "found_page", "found_question"
_PAGE_CHARS = 12_000
"""Of a page, in one request; a sentence behind them is proposed by nobody."""


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
    told = "\n".join(f"- {one}" for one in refused)
    return [
        HumanMessage(
            prompts.fill(
                QUESTION,
                **_about(case),
                names=", ".join(file.name for file in case.files),
                pages=fence("\n".join(f"- {fact.text}" for fact in required), "pages"),
                terms=fence("\n".join(one.term for one in terms if one.role == "signal"), "terms"),
                refused=f"\nA question before this one was refused:\n{fence(told, 'refused')}"
                if told
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
        "files": fence("\n".join(_said(fact) for fact in case.of("file")), "files"),
    }


def _said(fact: TaskFact) -> str:
    place = file_place(fact.places[0].address) if fact.places else None
    return f"- {place.name if place else 'a file'}: {fact.text}"
