"""Checks that a task needs each of its sources: a model answers without one source, and without any.

A value that the answer states exactly although its source was left out is a problem. A value that the model does not state with all
sources given is not a problem of the task; it is only listed. The answers are units of a study beside the tasks, and their cost is
shown before any is asked for.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from drr.env.drawer.form import FileProblem
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.llm.factory import Models
from drr.llm.meter import Tokens
from drr.llm.names import OFFLINE
from drr.llm.prompts import Prompts, fence
from drr.papers.dr3.making.checking import FileTaskProblem
from drr.papers.dr3.making.task_files import StoredTask
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.value_forms import StatedValue
from drr.plugin import check_run, conclude, models_of, prompts_of, run_units
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from langchain_core.messages import BaseMessage, HumanMessage

ROLE, PROMPT = "task_reader", "without_source"
NOTHING, EVERYTHING = "", "*"
"""Two conditions. No source left out shows what the model can state at all; every source left out is the closed book."""
LEFT_OUT, CLOSED_BOOK = "left_out", "closed_book"
VERSION = "1"
_FILE_CHARS, _PAGE_CHARS = 8_000, 12_000
_WRITTEN = 300
"""Tokens assumed for each answer in the estimate of cost; an answer of 200 words is asked for."""


class UntoldFact(NamedTuple):
    """A fact that the model did not state although it had all sources."""

    task: str
    fact: str
    value: str


@dataclass
class AnsweredTasks:
    code: int = 0
    asked: int = 0
    """Number of tasks for which every answer is complete."""
    problems: list[FileTaskProblem] = field(default_factory=list)
    untold: list[UntoldFact] = field(default_factory=list)

    def document(self) -> JsonObject:
        refused: dict[str, int] = {}
        for check, _ in {(one.check, one.task): None for one in self.problems}:
            refused[check] = refused.get(check, 0) + 1
        bad = {one.task for one in self.problems}
        return {
            "funnel": {"asked": self.asked, "refused": refused, "kept": self.asked - len(bad)},
            "untold_with_all": [one._asdict() for one in self.untold],
        }


def source_conditions(task: StoredTask) -> list[str]:
    """List the conditions by the source left out: none, each one, all."""
    return [NOTHING, *task.documents(), EVERYTHING]


def messages(prompts: Prompts, task: StoredTask, without: str) -> list[BaseMessage]:
    filled = prompts.fill(
        PROMPT,
        today=task.question.today,
        question=fence(task.question.query, "question"),
        material=fence(_material(task, without) or "(nothing)", "material"),
    )
    return [HumanMessage(filled)]


def problems_without(task: StoredTask, answers: Mapping[str, str]) -> Iterator[FileTaskProblem]:
    """Yield the facts that are stated without their source; `answers` are keyed by the source left out."""
    for name, facts in task.documents().items():
        rest = f"{task.question.query}\n{_material(task, name)}"
        for fact in _found_in(facts, answers[name]):
            if _found_in([fact], rest):
                continue  # the same value is stated elsewhere about another subject
            text = f"{name}: left out, and its fact {fact.id} ({fact.value}) is told all the same"
            yield FileTaskProblem(task.name, LEFT_OUT, text)
    for fact in _found_in(task.truth.facts, answers[EVERYTHING]):
        text = f"without any source fact {fact.id} ({fact.value}) is told all the same"
        yield FileTaskProblem(task.name, CLOSED_BOOK, text)


def facts_not_stated(task: StoredTask, answers: Mapping[str, str]) -> list[UntoldFact]:
    """List the facts that the answer with all sources does not state. Stated in part, hedged or rounded counts as stated."""
    answer, facts = answers[NOTHING], task.truth.facts
    return [
        UntoldFact(task.name, one.id, one.value) for one in facts if not StatedValue(one.value).places(answer)
    ]


def _material(task: StoredTask, without: str) -> str:
    kept = [] if without == EVERYTHING else [name for name in task.documents() if name != without]
    return "\n\n".join(f"{name}:\n{_source_text(task, name)}" for name in kept)


def _found_in(facts: Sequence[TaskFact], answer: str) -> list[TaskFact]:
    return [fact for fact in facts if any(one.exact for one in StatedValue(fact.value).places(answer))]


def _source_text(task: StoredTask, name: str) -> str:
    for page in task.pages:
        if page.url == name:
            return f"{page.title}\n{page.text[:_PAGE_CHARS]}"
    try:
        content = task.drawer.content(name)
    except FileProblem as problem:
        return problem.message
    if content.picture is None:
        return "\n".join(part.text for part in content.parts())[:_FILE_CHARS]
    shown = [place.quote for fact in task.documents()[name] for place in fact.places if place.quote]
    return "(a picture, which shows:) " + "; ".join(shown)


class _Question(NamedTuple):
    task: StoredTask
    without: str
    asked: list[BaseMessage]
    unit: Unit


def answered_tasks(
    arguments: argparse.Namespace, settings: Settings, tasks: Sequence[StoredTask]
) -> AnsweredTasks:
    """Ask a model about the tasks that pass all other checks, and return the problems found."""
    models, prompts = models_of(settings), prompts_of(settings, "papers/dr3")
    model = models.name_of(ROLE)
    if model == OFFLINE:
        raise Misuse("--model offline: rules answer no question of a task; give --model PROVIDER:MODEL")
    if not tasks:
        return AnsweredTasks()
    questions = [
        _question_of(settings, model, task, without, messages(prompts, task, without))
        for task in tasks
        for without in source_conditions(task)
    ]
    folder = arguments.file.resolve()
    folder = folder.with_name(f"{folder.name}.check")
    config = {"run": {"what": "tasks check", "model": model}, "settings": {"shop_url": settings.shop_url}}
    by_key = {one.unit.key: one for one in questions}

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        context.replaying()
        answer = await context.models.role(ROLE).reply(by_key[context.unit.key].asked)
        return Outcome({}, {"answer": answer.text})

    with Study.create(folder, config) as study:  # type: ignore[arg-type]
        check_run(arguments, models, (ROLE,), study)
        _say_cost(models, [one for one in questions if _answer(study, one.unit) is None])
        units = [one.unit for one in questions]
        summary = run_units(arguments, study, units, work, models, "answering without a source")
        found = _read_answers(study, questions)
    again = shlex.join(["papers", "tasks", "check", str(arguments.file), "--model", arguments.model])
    found.code = conclude(summary, folder, command=again)
    return found


def _say_cost(models: Models, missing: Sequence[_Question]) -> None:
    if not missing:
        return
    tokens = sum(len(message.text) for one in missing for message in one.asked) // 4
    price = models.prices.of(models.name_of(ROLE))
    cost = "its price is not known"
    if price is not None:
        usd = price.cost(Tokens(tokens, _WRITTEN * len(missing))) / 1e12
        cost = f"about ${usd:,.2f} by list prices of {models.prices.date_of(models.name_of(ROLE))}"
    print(
        f"drr: {len(missing):,} questions to {models.name_of(ROLE)}, about {tokens:,} tokens in and"
        f" {_WRITTEN * len(missing):,} out: {cost}",
        file=sys.stderr,
    )


def _question_of(
    settings: Settings, model: str, task: StoredTask, without: str, asked: list[BaseMessage]
) -> _Question:
    fields = {
        "what": "task check",
        "version": VERSION,
        "task": task.name,
        "without": without,
        "asked": sha256("\0".join(message.text for message in asked).encode()).hexdigest(),
        "model": model,
        "max_tokens": settings.model_max_tokens,
    }
    left = {NOTHING: "with all", EVERYTHING: "closed book"}.get(without, f"without {without}")
    return _Question(task, without, asked, Unit("generation", fields, {}, f"{task.name} · {left}"))


def _answer(study: Study, unit: Unit) -> str | None:
    record = study.record(unit.key)
    return study.text(record, "answer") if record is not None and record.done else None


def _read_answers(study: Study, questions: Sequence[_Question]) -> AnsweredTasks:
    by_task: dict[str, dict[str, str | None]] = {}
    tasks = {one.task.name: one.task for one in questions}
    for one in questions:
        by_task.setdefault(one.task.name, {})[one.without] = _answer(study, one.unit)
    found = AnsweredTasks()
    for name, answers in by_task.items():
        whole = {without: text for without, text in answers.items() if text is not None}
        if len(whole) == len(answers):
            found.asked += 1
            found.problems += problems_without(tasks[name], whole)
            found.untold += facts_not_stated(tasks[name], whole)
    return found
