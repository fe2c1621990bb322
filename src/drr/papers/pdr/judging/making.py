"""The judging task that makes criteria for a task and person, and for the task alone. It asks for five samples of the weights,
and the criteria of each dimension. It needs no answer, and no answer is shown to the model that makes criteria.
Criteria given by people replace those made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from typing import Any, cast

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Examiner
from drr.eval.tasks.desk import Estimate, JudgedQuestion, JudgingContext, Task
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.protocol import Ask
from drr.llm.failures import ModelFailure
from drr.papers.pdr.judging.choices import OwnerText, PqrChoices, persons_at, task_id_of
from drr.papers.pdr.judging.forms import (
    FEWEST,
    MOST,
    FoundCriteria,
    FoundCriterion,
    PersonalWeights,
    QualityWeights,
)
from drr.papers.pdr.judging.rows import (
    CRITERIA,
    DIMENSIONS,
    TITLES,
    CriteriaDimension,
    CriteriaOwner,
    CriterionRow,
    Half,
    Rubric,
    WeightsRow,
    open_rubric,
    owners_of,
    rubric_id,
    rubric_of,
)
from drr.study.unit import Outcome, Record, Unit

WEIGHTS = "weights"
"""Name of the part of a rubric that holds the weights; the other parts are named after dimensions."""
SAMPLES = 5
_GUESSED = 10
RULE_WEIGHTS: Mapping[Half, Mapping[str, float]] = {
    "p": {"GOAL": 0.3, "CONT": 0.3, "PRES": 0.1, "ACTI": 0.3},
    "q": {"DEIN": 0.4, "LOGC": 0.3, "CLAR": 0.3},
}
"""Weights without a model. Rules cannot weigh for a single person: presentation counts least, as it varies least between persons."""


class CriteriaTask(Task[JudgedQuestion]):
    name = CRITERIA
    version = 2
    subject = "query"
    metrics = ("pqr",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Return the version, with a hash of persons and criteria, so that no table mixes the criteria of two files."""
        parts = [part for half in DIMENSIONS for part in (half, f"{WEIGHTS}_{half}")]
        prompts = [ask.prompt for part in parts if (ask := _ask(desk, part))]
        if not prompts:
            return {}
        described = [dimension_prompt(name) for names in DIMENSIONS.values() for name in names]
        own, mark = desk.version(self.version, self.role, *prompts, *described), desk.chosen(PqrChoices).mark
        return {self.name: f"{own}-{mark}" if mark else own}

    def plan(self, desk: JudgingContext, about: JudgedQuestion, judged: Judged) -> Iterable[Unit]:
        if desk.repeat or _ask(desk, "p") is None:
            return
        for owner in criteria_owners(desk, about.id, about.query, about.user_id):
            for part in (WEIGHTS, *DIMENSIONS[owner.owner.half]):
                yield self._unit(desk, owner, part)

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        """Leave out further sets of criteria, which studies of before 0.4 may hold."""
        return super().belongs(fields, judging) and not fields["seed"]

    def _unit(self, desk: JudgingContext, about: OwnerText, part: str) -> Unit:
        owner = about.owner
        given = desk.chosen(PqrChoices).given.get(owner)
        asks = given is None and not desk.judge_of(self.role).rule_written
        rows: list[CriterionRow] | None = None
        weights: dict[str, float] | None = None
        if part == WEIGHTS:
            weights = dict(given.weights) if given else None if asks else dict(RULE_WEIGHTS[owner.half])
        elif not asks:
            rows = _criteria_without_model(desk, about, cast(CriteriaDimension, part))
        spec = {
            "answer": owner.label,  # the ledger's index keeps the subject under this name
            "task_id": owner.task_id, "person_id": owner.person_id, "text": about.task, "known": about.known,
            "part": part, "rows": rows, "weights": weights, "asks": asks,
        }  # fmt: skip
        fields = {
            "of": owner.task_id, "person": owner.person_id, "part": part, "seed": 0, "shown": about.shown,
            "given": rubric_id(rows) if rows is not None else weights,
            "prompt": _asking(desk, spec, 0).fingerprint if asks else None,
        }  # fmt: skip
        return self.unit(desk, f"criteria {part} \u00b7 {owner.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        if spec["part"] == WEIGHTS:
            return Outcome({"weights": await _weigh(desk, spec, judge)})
        if not spec["asks"]:
            return Outcome({"rows": spec["rows"]})
        answer = cast(FoundCriteria, await judge.answer(_asking(desk, spec, 0)))
        whole = fsum(one.weight for one in answer.criteria)
        rows = [_row(spec["part"], number, one, whole) for number, one in enumerate(answer.criteria, 1)]
        return Outcome({"rows": rows, "analysis": answer.analysis})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        owner, part = CriteriaOwner(fields["of"], fields["person"]), str(fields["part"])
        rubric = open_rubric(judged, owner)
        rubric.shown = fields["shown"]
        rubric.reasons.pop(part, None)
        if not record.done:
            rubric.reasons[part] = f"{record.reason}: {record.message}"
        if part == WEIGHTS:
            rubric.weights = cast(WeightsRow, record.result["weights"]) if record.done else None
        else:
            found = cast("list[CriterionRow]", record.result["rows"]) if record.done else None
            rubric.criteria[cast(CriteriaDimension, part)] = found

    def finish_reading(self, judged: Judged) -> None:
        """Count units and failures by the rubrics, so that replaced rubrics are not counted again."""
        rubrics = [rubric for owner in owners_of(judged) if (rubric := rubric_of(judged, owner)) is not None]
        if rubrics and self.name in judged.units:
            judged.units[self.name] = sum((one.weights is not None) + len(one.criteria) for one in rubrics)
            judged.failed[self.name] = sum(len(one.reasons) for one in rubrics)

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        if not unit.spec["asks"]:
            return None
        calls, each = (SAMPLES, 400) if unit.spec["part"] == WEIGHTS else (1, 1400)
        sent = 2600 + len(unit.spec["text"]) + len(unit.spec["known"])
        return Estimate(calls * sent, calls * each, calls)

    def guess(self, desk: JudgingContext, about: JudgedQuestion, judged: Judged) -> None:
        for owner in criteria_owners(desk, about.id, about.query, about.user_id) if _ask(desk, "p") else ():
            _fill_rubric(desk, owner, open_rubric(judged, owner.owner))


CRITERIA_TASK = CriteriaTask()


def criteria_owners(
    desk: JudgingContext, query_id: str, text: str, user_id: str | None
) -> Iterator[OwnerText]:
    """Yield the owners of a question's criteria: its task, and its task with the person who asks. Unknown persons are left out."""
    query = desk.questions.get(query_id)
    task_id = task_id_of(query, text)
    constraints = None if query is None else query.constraints
    yield OwnerText(CriteriaOwner(task_id), text, None, constraints)
    person = persons_at(desk).of(query, user_id)
    if person is not None:
        yield OwnerText(CriteriaOwner(task_id, person.person_id), text, person, constraints)


def dimension_prompt(dimension: CriteriaDimension) -> str:
    """Return the name of the prompt file that describes a dimension."""
    return f"pqr_{dimension.lower()}"


def dimension_description(desk: JudgingContext, dimension: CriteriaDimension) -> str:
    return f"**{TITLES[dimension]}**: {' '.join(desk.prompts[dimension_prompt(dimension)].text.split())}"


def about_sections(text: str, known: str) -> list[Section]:
    """Return the sections on task and person that every judge reads; without a person only the task."""
    task = Section("question", text, "The wish:")
    return [task, Section("profile", known, "What is known of the person:")] if known else [task]


def _ask(desk: JudgingContext, part: str) -> Ask | None:
    return desk.protocol.ask(f"{CRITERIA}/{part}")


def _criteria_without_model(
    desk: JudgingContext, about: OwnerText, dimension: CriteriaDimension
) -> list[CriterionRow]:
    """Return the criteria that need no model: those given by people, else those made by rule."""
    given = desk.chosen(PqrChoices).given.get(about.owner)
    if given is not None:
        return list(given.criteria.get(dimension, ()))
    from drr.papers.pdr.judging.by_rule import SHOPPERS, criteria_by_rule

    others = persons_at(desk).others(SHOPPERS) if about.person is not None else []
    return criteria_by_rule(dimension, about, others)


async def _weigh(desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> WeightsRow:
    """Ask for samples of the weights and return their mean. A transient failure ends the unit as usual, and so does the failure of all samples."""
    if not spec["asks"]:
        return {"weights": spec["weights"], "samples": [], "refused": []}
    samples: list[dict[str, float]] = []
    refused: list[str] = []
    for number in range(SAMPLES):
        try:
            answer = await judge.answer(_asking(desk, spec, number))
            samples.append(cast(PersonalWeights, answer).weights)
        except ModelFailure as failure:
            if failure.transient or failure.fatal or (not samples and number + 1 == SAMPLES):
                raise
            refused.append(str(failure))
    mean = {name: fsum(one[name] for one in samples) / len(samples) for name in samples[0]}
    return {"weights": mean, "samples": samples, "refused": refused}


def _row(dimension: str, number: int, found: FoundCriterion, whole: float) -> CriterionRow:
    texts = [" ".join(one.split()) for one in (found.criterion, found.explanation)]
    weight, name = found.weight / whole, f"{dimension.lower()}{number}"
    return {"id": name, "criterion": texts[0], "explanation": texts[1], "weight": weight, "origin": "model"}


def _asking(desk: JudgingContext, spec: Mapping[str, Any], sample: int) -> Asking[Any]:
    part, sections = str(spec["part"]), tuple(about_sections(spec["text"], spec["known"]))
    half: Half = "q" if spec["person_id"] is None else "p"
    if part == WEIGHTS:
        listed = "\n\n".join(
            f"`{name.lower()}` {dimension_description(desk, name)}" for name in DIMENSIONS[half]
        )
        asked, slots = f"{WEIGHTS}_{half}", {"dimensions": listed}
        form: Any = PersonalWeights if half == "p" else QualityWeights
    else:
        asked, form, dimension = half, FoundCriteria, cast(CriteriaDimension, part)
        slots = {"dimension": TITLES[dimension], "described": dimension_description(desk, dimension)}
        slots |= {"fewest": str(FEWEST), "most": str(MOST)}
    system = desk.prompts.fill(desk.protocol.asks[f"{CRITERIA}/{asked}"].prompt, **slots)
    about = (spec["answer"], part, "0", str(sample))
    return Asking(CRITERIA, form, conversation(system, sections), sections, about)


def _fill_rubric(desk: JudgingContext, about: OwnerText, rubric: Rubric) -> None:
    """Fill a rubric with criteria of typical number and length, for a forecast of cost."""
    rubric.shown = about.shown
    rules = about.owner in desk.chosen(PqrChoices).given or desk.judge_of(CRITERIA_TASK.role).rule_written
    for one in DIMENSIONS[about.owner.half]:
        if not rubric.criteria.get(one):
            made = _criteria_without_model(desk, about, one) if rules else None
            some = [
                FoundCriterion(criterion=f"{one} {n} {'x' * 120}", explanation="x" * 160, weight=1)
                for n in range(1, _GUESSED + 1)
            ]
            rubric.criteria[one] = made or [_row(one, n, row, _GUESSED) for n, row in enumerate(some, 1)]
