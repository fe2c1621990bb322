"""A check that a task needs each of its sources. A model answers without one of them, and without any, and
may not know what stood there.

Accused is a value that the answer tells exactly although its source was left out. What the model does not tell with everything before
it is no fault of the task by itself: it is listed beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from drr.env.drawer.problems import FileProblem
from drr.llm.prompts import Prompts, fence
from drr.papers.dr3.making.checking import FileTaskProblem, StoredTask
from drr.papers.dr3.quality.material import document_of
from drr.papers.dr3.truth import TaskFact
from drr.wording.told_values import ToldValue
from langchain_core.messages import BaseMessage, HumanMessage

ROLE, PROMPT = "task_reader", "without_source"
NOTHING, EVERYTHING = "", "*"
"""Left out: nothing, which shows what the model can tell at all; everything, the closed book."""
LEFT_OUT, CLOSED_BOOK = "left_out", "closed_book"
VERSION = "1"
_FILE_CHARS, _PAGE_CHARS = 8_000, 12_000


class UntoldFact(NamedTuple):
    """A fact that the model did not give with all sources at hand."""

    task: str
    fact: str
    value: str


def conditions(task: StoredTask) -> list[str]:
    """List what is left out, one after the other."""
    return [NOTHING, *_documents(task), EVERYTHING]


def messages(prompts: Prompts, task: StoredTask, without: str) -> list[BaseMessage]:
    material, question = _material(task, without) or "(nothing)", task.question
    return [
        HumanMessage(
            prompts.fill(
                PROMPT,
                today=question.today,
                question=fence(question.query, "question"),
                material=fence(material, "material"),
            )
        )
    ]


def problems_without(task: StoredTask, answers: Mapping[str, str]) -> Iterator[FileTaskProblem]:
    """`answers` by what was left out."""
    for name, held in _documents(task).items():
        rest = f"{task.question.query}\n{_material(task, name)}"
        for fact in _told(held, answers[name]):
            if _told([fact], rest):
                continue  # the same value stands elsewhere, of something else
            yield FileTaskProblem(
                task.name,
                LEFT_OUT,
                f"{name}: left out, and its fact {fact.id} ({fact.value}) is told all the same",
            )
    for fact in _told(task.truth.facts, answers[EVERYTHING]):
        yield FileTaskProblem(
            task.name, CLOSED_BOOK, f"without any source fact {fact.id} ({fact.value}) is told all the same"
        )


def untold(task: StoredTask, answers: Mapping[str, str]) -> list[UntoldFact]:
    """List the facts that the answer does not give. A fact counts as given if it is so in part, hedged or rounded."""
    answer, facts = answers[NOTHING], task.truth.facts
    return [
        UntoldFact(task.name, one.id, one.value) for one in facts if not ToldValue(one.value).places(answer)
    ]


def _material(task: StoredTask, without: str) -> str:
    kept = [] if without == EVERYTHING else [name for name in _documents(task) if name != without]
    return "\n\n".join(f"{name}:\n{_content(task, name)}" for name in kept)


def _documents(task: StoredTask) -> dict[str, list[TaskFact]]:
    """Files and pages by name, with the required facts that stand there."""
    found: dict[str, list[TaskFact]] = {}
    for fact in task.truth.facts:
        for place in fact.places:
            found.setdefault(document_of(place.address), []).append(fact)
    return dict(sorted(found.items()))


def _told(facts: Sequence[TaskFact], answer: str) -> list[TaskFact]:
    return [fact for fact in facts if any(one.exact for one in ToldValue(fact.value).places(answer))]


def _content(task: StoredTask, name: str) -> str:
    for page in task.pages:
        if page.url == name:
            return f"{page.title}\n{page.text[:_PAGE_CHARS]}"
    try:
        content = task.drawer.content(name)
    except FileProblem as problem:
        return problem.message
    if content.picture is None:
        return "\n".join(part.text for part in content.parts())[:_FILE_CHARS]
    shown = [place.quote for fact in _documents(task)[name] for place in fact.places if place.quote]
    return "(a picture, which shows:) " + "; ".join(shown)
