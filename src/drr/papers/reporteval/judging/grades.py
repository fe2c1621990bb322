"""The judging task that grades a report on five sides, 0-4, in one call. The judge sees only question and report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast, get_args

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Estimate, JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Judged
from drr.llm.prompts import Prompts
from drr.papers.reporteval.judging.forms import ReportGrades
from drr.study.unit import Outcome, Record, Unit

GRADES, REPETITION = "grades", "repetition"
"""Names of the two judging tasks, under which a judging run stores their results."""
ReportSide = Literal["comprehensiveness", "coherence", "clarity", "insightfulness", "overall"]
SIDES: tuple[ReportSide, ...] = get_args(ReportSide)


class ReportGradeRow(TypedDict):
    grade: int | None
    reason: str
    """Reason of the judge, or why there is no grade."""


class RepeatedWords(TypedDict):
    """The words of two passages that repeat each other, quoted by the judge and found by code."""

    first: str
    second: str


class PassagePairVerdict(TypedDict):
    """The verdict on a pair of passages, after its quotations were looked up."""

    score: int | None
    """Score of the pair; `None` if quotations do not support the judge's score."""
    explanation: str
    repetitions: list[RepeatedWords]
    unfounded: list[str]
    """Quotations that their passage does not contain."""
    reason: str
    """Reason why there is no score."""


class RepetitionRow(PassagePairVerdict):
    """The verdict on a pair, with the place of the pair in its report."""

    place: list[int]
    """Numbers of the two passages in the report, from 0."""
    summary: bool
    """True if one of the passages is in a summary, where a report repeats itself on purpose."""
    stands_for: float
    """Number of the report's pairs that the drawn pair represents."""
    heads: list[str]


ReportGradeRows = Mapping[ReportSide, ReportGradeRow]


def report_grades_of(judged: Judged, answer: str) -> ReportGradeRows | None:
    """Return the grades of a report; `None` if the report was not graded yet."""
    return cast("ReportGradeRows | None", judged.others.get(GRADES, {}).get(answer))


def repetition_of(judged: Judged, answer: str) -> Sequence[RepetitionRow] | None:
    """Return the verdicts on a report's pairs of passages; `None` if no pair was judged yet."""
    return cast("Sequence[RepetitionRow] | None", judged.others.get(REPETITION, {}).get(answer))


class GradesTask(Task[Answer]):
    name = GRADES
    subject = "answer"
    metrics = ("reporteval",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Yield the unit of an answer. Its key names the texts and not the prompt, as hashing the prompt
        would render every report at each plan."""
        if desk.protocol.ask(self.name) is not None:
            fields = {"answer": about.key, "question": text_id(about.query), "shown": text_id(about.report)}
            yield self.unit(desk, f"grades \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        prompt = desk.protocol.asks[self.name].prompt
        asking = grades_asking(desk.prompts, prompt, answer.query, answer.report, (answer.key,))
        graded = await judge.answer(asking)
        return Outcome({"grades": {side: getattr(graded, side).model_dump() for side in SIDES}})

    def read(self, record: Record, judged: Judged) -> None:
        """Store the five grades of a record, or the reason of failure for all five: they come in one answer."""
        why = f"{record.reason}: {record.message}"
        failed = {side: ReportGradeRow(grade=None, reason=why) for side in SIDES}
        rows = record.result["grades"] if record.done else failed
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = rows

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        answer = desk.answer(unit.spec["answer"])
        return Estimate(len(answer.report) + len(answer.query) + 3200, 500)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer.key, side): row["grade"]
            for answer in judged.answers
            for side, row in (report_grades_of(judged, answer.key) or {}).items()
        }


GRADES_TASK = GradesTask()


def grades_asking(
    prompts: Prompts, prompt: str, question: str, report: str, about: tuple[str, ...] = ()
) -> Asking[ReportGrades]:
    sections = (
        Section("question", question, "The question:"),
        Section("answer", report, "The report:", report=True),
    )
    return Asking(GRADES, ReportGrades, conversation(prompts.fill(prompt), sections), sections, about)
