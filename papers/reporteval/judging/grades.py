"""The task of grading a report on five sides in one call, 0-4, the reasons before the numbers. The judge sees the question and the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast, get_args

from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk, Estimate, Task, text_id
from drr.eval.tasks.judgements import Judged
from drr.llm.prompts import Prompts
from drr.papers.reporteval.judging.forms import ReportGrades
from drr.study.unit import Outcome, Record, Unit

GRADES, REPETITION = "grades", "repetition"
"""The two tasks, and where a judging keeps what they found."""
ReportSide = Literal["comprehensiveness", "coherence", "clarity", "insightfulness", "overall"]
SIDES: tuple[ReportSide, ...] = get_args(ReportSide)


class ReportGradeRow(TypedDict):
    grade: int | None
    reason: str
    """The judge's, or why there is no grade."""


class RepeatedWords(TypedDict):
    """The words common to both passages, quoted by the judge and found by code."""

    first: str
    second: str


class PairSaid(TypedDict):
    """The verdict on a pair of passages after its quotations were looked up."""

    score: int | None
    """`None` if quotations bear out none."""
    explanation: str
    repetitions: list[RepeatedWords]
    unfounded: list[str]
    """Quotations that their passage does not hold."""
    reason: str
    """Reason why there is no score."""


class RepetitionRow(PairSaid):
    """The same with its place in a report."""

    place: list[int]
    """Numbers of the report's two passages, from 0."""
    summary: bool
    """One of them stands in a summary, where a report repeats itself on purpose."""
    stands_for: float
    """Number of the report's pairs that it stands for."""
    heads: list[str]


ReportGradeRows = Mapping[ReportSide, ReportGradeRow]


def report_grades_of(judged: Judged, answer: str) -> ReportGradeRows | None:
    """`None` where the report was not graded yet."""
    return cast("ReportGradeRows | None", judged.others.get(GRADES, {}).get(answer))


def repetition_of(judged: Judged, answer: str) -> Sequence[RepetitionRow] | None:
    """`None` where no pair was judged yet."""
    return cast("Sequence[RepetitionRow] | None", judged.others.get(REPETITION, {}).get(answer))


class GradesTask(Task[Answer]):
    name = GRADES
    subject = "answer"
    metrics = ("reporteval",)

    def versions(self, desk: Desk) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        """Plan the units. The key names the texts and not the prompt made of them: that would cost a
        rendering of every report whenever it is looked for."""
        if desk.protocol.ask(self.name) is not None:
            fields = {"answer": about.key, "question": text_id(about.query), "shown": text_id(about.report)}
            yield self.unit(desk, f"grades \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        prompt = desk.protocol.asks[self.name].prompt
        asking = grades_asking(desk.prompts, prompt, answer.query, answer.report, (answer.key,))
        graded = await judge.answer(asking)
        return Outcome({"grades": {side: getattr(graded, side).model_dump() for side in SIDES}})

    def read(self, record: Record, judged: Judged) -> None:
        """All five or none: they are one answer."""
        why = f"{record.reason}: {record.message}"
        failed = {side: ReportGradeRow(grade=None, reason=why) for side in SIDES}
        rows = record.result["grades"] if record.done else failed
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = rows

    def estimate(self, desk: Desk, unit: Unit) -> Estimate:
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
