"""The declaration of the ReportEval paper: all that it adds to the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drr import contract
from drr.contract import JudgingTask, Placed

if TYPE_CHECKING:
    from drr.contract import (
        Ask,
        CommandModule,
        CommandRow,
        Family,
        Format,
        JudgedStudy,
        PaperChoices,
        PaperSteps,
        PrintedFigures,
        ReportParts,
        Rules,
        Task,
    )
    from drr.papers.reporteval.sums import ReportEvalSums
    from drr.papers.reporteval.viewer import GradePages


def _format() -> Format:
    from drr.papers.reporteval.foreign import REPORTEVAL

    return REPORTEVAL


def _align() -> CommandModule:
    from drr.papers.reporteval.commands import align

    return align


class ReportEvalJudging(contract.Judging):
    tasks = (JudgingTask("reporteval", "grades"), JudgingTask("reporteval", "repetition"))
    besides = {"reporteval": ("faithfulness", "citations")}  # support is summed from verdicts on citations
    ruled = ("grades", "repetition")

    def task(self, name: str) -> Task[Any]:
        if name == "grades":
            from drr.papers.reporteval.judging.grades import GRADES_TASK

            return GRADES_TASK
        from drr.papers.reporteval.judging.repetition import REPETITION_TASK

        return REPETITION_TASK

    def asks(self, protocol: str) -> Mapping[str, Ask]:
        from drr.papers.reporteval.judging.forms import ASKS

        return ASKS

    def rules(self) -> Rules:
        from drr.papers.reporteval.judging.rules import RULES

        return RULES

    def choices(self) -> PaperChoices:
        from drr.papers.reporteval.judging import choosing

        return choosing


class ReportEvalFigures(contract.Figures):
    metrics = (
        Placed("support", after="fact"),
        Placed("grades", before="quality", tasks=("grades", "repetition")),
    )
    headline = "re_overall"
    leads = {"reporteval": ("re_support", "re_strong")}
    document = "alignment"

    def family(self, name: str) -> Family:
        if name == "support":
            from drr.papers.reporteval import support

            return support
        from drr.papers.reporteval import metrics

        return metrics

    def document_part(self, about: JudgedStudy) -> object | None:
        from drr.papers.reporteval.alignment import document_part

        return document_part(about)

    def printed(self) -> PrintedFigures:
        from drr.papers.reporteval.metrics import AS_PRINTED

        return AS_PRINTED


class ReportEvalForeign(contract.Foreign):
    formats = {"reporteval": _format}
    sums = {"reporteval": "ReportEval's grades, repetition and support"}

    def protocol(self, name: str) -> type[ReportEvalSums]:
        from drr.papers.reporteval.sums import ReportEvalSums

        return ReportEvalSums


class ReportEvalPages(contract.Pages):
    traces = ()

    def report(self) -> ReportParts:
        from drr.papers.reporteval.report import PARTS

        return PARTS

    def viewer(self) -> type[GradePages]:
        from drr.papers.reporteval.viewer import GradePages

        return GradePages


class ReportEvalCommands(contract.Commands):
    examples = {
        "study import": ("  drr study import study qwen-reports.jsonl --format reporteval --system qwen",)
    }
    reproduces = True

    def rows(self) -> Sequence[CommandRow]:
        from drr.plugin import CommandRow

        line = "brings a judge near to experts: new, run, show, status, edit"
        return (CommandRow("judges align", _align, line, summaries=("new",)),)

    def steps(self) -> PaperSteps:
        from drr.papers.reporteval import reproduction

        return reproduction


class ReportEval(contract.Paper):
    name = "reporteval"
    title = "ReportEval"
    judging = ReportEvalJudging()
    figures = ReportEvalFigures()
    foreign = ReportEvalForeign()
    pages = ReportEvalPages()
    commands = ReportEvalCommands()


PAPER = ReportEval()
