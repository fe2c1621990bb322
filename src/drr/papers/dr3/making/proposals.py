"""The requests to a model when a task is made, and the checks of the model's proposals.

A proposal is accepted only if the file or the page contains its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from drr.env.drawer.content import FileContent
from drr.env.text import folded_text
from drr.llm.prompts import Prompts, fence
from drr.papers.dr3.form import CorpusPage, FrozenRow
from drr.papers.dr3.making.ranking import contains_value
from drr.papers.dr3.making.task_files import document_of, folded_content
from drr.papers.dr3.truth import MOST_WORDS, FactPlace, PageKind, TaskFact
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import Field

ROLE = "task_writer"
FACTS, TERMS, PAGE, QUESTION = "file_facts", "found_terms", "found_page", "found_question"
MOST_TERMS, MOST_OF_FILE = 6, 3
"""Limits: terms of each role (the paper has ten in all), and facts of one file."""
_LEAST_WORDS, _LONGEST_WORDS = 3, 5
_QUOTED_WORDS = 4
"""Least number of words in a quotation; fewer words would be found in a page by chance."""
_FILE_CHARS, _PAGE_CHARS = 20_000, 12_000
"""Limits on the characters of a file and of a page in one request; the rest is not sent."""


class ProposedFact(FrozenRow):
    """A statement of a text, with the words that make it."""

    subject: str = Field(min_length=1, max_length=120)
    attribute: str = Field(min_length=1, max_length=120)
    value: str = Field(min_length=1, max_length=80)
    quote: str = Field(min_length=1, max_length=600)

    @property
    def text(self) -> str:
        return f"{self.subject}: {self.attribute} {self.value}."

    @property
    def about(self) -> tuple[str, str]:
        """Return the folded subject and attribute; a task has one value for each such pair."""
        return folded_text(self.subject), folded_text(self.attribute)

    @property
    def is_short(self) -> bool:
        return len(self.text.split()) <= MOST_WORDS

    def fact(self, name: str, source: Literal["file", "page"], place: FactPlace) -> TaskFact:
        return TaskFact(
            id=name, subject=self.subject, attribute=self.attribute, value=self.value, text=self.text,
            source=source, places=(place,),
        )  # fmt: skip


class ProposedFacts(FrozenRow):
    facts: list[ProposedFact] = Field(max_length=20)


class ProposedTerm(FrozenRow):
    term: str = Field(min_length=1, max_length=120)
    role: Literal["signal", "noise"]


class SearchPaths(FrozenRow):
    terms: list[ProposedTerm] = Field(max_length=30)


class ProposedPage(FrozenRow):
    kind: PageKind
    statement: ProposedFact | None = None
    """The fact that the page states; `null` for noise."""
    why: str = Field(max_length=300)


class ProposedQuestion(FrozenRow):
    query: str = Field(min_length=1, max_length=2_000)
    how: list[str] = Field(min_length=1, max_length=8)
    """Steps that combine the facts into the answer, part by part."""


def found_quote(quote: str, text: str, least: int = _QUOTED_WORDS) -> str | None:
    """Return a quotation exactly as the text has it; `None` if it is missing or too short. White space may differ."""
    words = quote.split()
    if len(words) < least:
        return None
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    match = pattern.search(text)
    return match[0] if match else None


def kept_facts(proposed: Mapping[str, ProposedFacts], contents: Mapping[str, FileContent]) -> list[TaskFact]:
    """Return the facts that code finds in their own file and in no other file."""
    texts = {name: folded_content(content) for name, content in contents.items()}
    found: dict[tuple[str, str], TaskFact] = {}
    for name, answer in proposed.items():
        own = 0
        for one in answer.facts:
            place = _place_in(contents[name], one)
            again = one.about in found or any(fact.value == one.value for fact in found.values())
            if place is None or own == MOST_OF_FILE or again or folded_text(one.subject) not in texts[name]:
                continue
            if not any(contains_value(one.value, text) for other, text in texts.items() if other != name):
                found[one.about] = one.fact(f"f{len(found) + 1}", "file", place)
                own += 1
    return list(found.values())


def _place_in(content: FileContent, one: ProposedFact) -> FactPlace | None:
    if not one.is_short:
        return None
    for part in content.parts():
        quote = found_quote(one.quote, part.text, least=1)
        if (
            quote is not None
            and one.value in " ".join(quote.split())
            and contains_value(one.value, folded_text(quote))
        ):
            return FactPlace(address=part.place.address, quote=quote)
    return None


def kept_terms(paths: SearchPaths, values: Iterable[str]) -> list[ProposedTerm]:
    """Return the usable terms, up to the limit. A term has three to five words, and no value of a file in it."""
    found: dict[str, ProposedTerm] = {}
    known = list(values)
    for one in paths.terms:
        term = " ".join(one.term.casefold().split())
        many = sum(other.role == one.role for other in found.values())
        stands = any(contains_value(value, folded_text(term)) for value in known)
        if _LEAST_WORDS <= len(term.split()) <= _LONGEST_WORDS and many < MOST_TERMS and not stands:
            found.setdefault(term, one.model_copy(update={"term": term}))
    return list(found.values())


def refusal_of(one: ProposedPage, text: str) -> str | None:
    """Return why a proposal is put aside: `form`, `quotation` or `long`; `None` if the proposal is accepted."""
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
    plain = folded_text(quote)
    named = folded_text(statement.subject).split() and folded_text(statement.subject) in plain
    if not named or statement.value not in quote or not contains_value(statement.value, plain):
        return "quotation"
    return None if statement.is_short else "long"


class TaskRequests:
    """The requests to the model about the files of one task."""

    def __init__(self, prompts: Prompts, today: str) -> None:
        self._prompts, self._today = prompts, today

    def of_file(self, content: FileContent) -> list[BaseMessage]:
        parts = [f"[{part.place.fragment or 'the whole'}]\n{part.text}" for part in content.parts()]
        text = f"{content.name}\n\n" + "\n\n".join(parts)[:_FILE_CHARS]
        return [HumanMessage(self._prompts.fill(FACTS, file=fence(text, "file")))]

    def of_terms(self, facts: Sequence[TaskFact], refused: str) -> list[BaseMessage]:
        reasons = [refused] if refused else []
        return self._request_about(
            TERMS, facts, refused=_refused_reasons("Terms before these led to nothing", reasons)
        )

    def of_page(self, facts: Sequence[TaskFact], page: CorpusPage) -> list[BaseMessage]:
        text = f"{page.title}\n{page.url}\n\n{page.text[:_PAGE_CHARS]}"
        return self._request_about(PAGE, facts, page=fence(text, "page"))

    def of_question(
        self,
        facts: Sequence[TaskFact],
        required: Sequence[TaskFact],
        terms: Sequence[ProposedTerm],
        refused: Sequence[str],
    ) -> list[BaseMessage]:
        """Build the request for a question; `refused` lists the objections to the question before."""
        names = dict.fromkeys(document_of(fact.places[0].address) for fact in facts)
        return self._request_about(
            QUESTION,
            facts,
            names=fence(", ".join(names), "names"),
            pages=fence("\n".join(f"- {fact.text}" for fact in required), "pages"),
            terms=fence("\n".join(one.term for one in terms if one.role == "signal"), "terms"),
            refused=_refused_reasons("A question before this one was refused", refused),
        )

    def _request_about(self, prompt: str, facts: Sequence[TaskFact], **more: str) -> list[BaseMessage]:
        lines = (f"- {document_of(fact.places[0].address)}: {fact.text}" for fact in facts)
        files = fence("\n".join(lines), "files")
        return [HumanMessage(self._prompts.fill(prompt, today=self._today, files=files, **more))]


def _refused_reasons(lead: str, reasons: Sequence[str]) -> str:
    text = "\n".join(f"- {one}" for one in reasons)
    return f"\n{lead}:\n{fence(text, 'refused')}" if text else ""
