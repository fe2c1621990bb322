"""The declaration of the ReportEval paper: all that it adds to the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drr import contract
from drr.contract import JudgingTask, Placed


def _format() -> contract.Format:
    from drr.papers.reporteval.foreign import REPORTEVAL

    return REPORTEVAL


def _align() -> contract.CommandModule:
    from drr.papers.reporteval.commands import align

    return align


class ReportEvalJudging(contract.Judging):
    tasks = (JudgingTask("reporteval", "grades"), JudgingTask("reporteval", "repetition"))
    besides = {"reporteval": ("faithfulness", "citations")}  # support is summed from verdicts on citations
    ruled = ("grades", "repetition")

    def task(self, name: str) -> contract.Task[Any]:
        if name == "grades":
            from drr.papers.reporteval.judging.grades import GRADES_TASK

            return GRADES_TASK
        from drr.papers.reporteval.judging.repetition import REPETITION_TASK

        return REPETITION_TASK

    def asks(self, protocol: str) -> Mapping[str, contract.Ask]:
        from drr.papers.reporteval.judging.forms import ASKS

        return ASKS

    def rules(self) -> contract.Rules:
        from drr.papers.reporteval.judging.rules import RULES

        return RULES

    def choices(self) -> contract.PaperChoices:
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

    def family(self, name: str) -> contract.Family:
        if name == "support":
            from drr.papers.reporteval import support

            return support
        from drr.papers.reporteval import metrics

        return metrics

    def document_part(self, about: contract.JudgedStudy) -> object | None:
        from drr.papers.reporteval.alignment import document_part

        return document_part(about)

    def printed(self) -> contract.PrintedFigures:
        from drr.papers.reporteval.metrics import AS_PRINTED

        return AS_PRINTED


class ReportEvalForeign(contract.Foreign):
    formats = {"reporteval": _format}
    sums = {"reporteval": "ReportEval's grades, repetition and support"}

    def protocol(self, name: str) -> type[contract.ProtocolSums[Any]]:
        from drr.papers.reporteval.sums import ReportEvalSums

        return ReportEvalSums


class ReportEvalPages(contract.Pages):
    traces = ()

    def report(self) -> contract.ReportParts:
        from drr.papers.reporteval.report_tables import PARTS

        return PARTS

    def viewer(self) -> type[contract.StudyPart]:
        from drr.papers.reporteval.viewer import GradePages

        return GradePages


class ReportEvalCommands(contract.Commands):
    examples = {
        "study import": ("  drr study import study qwen-reports.jsonl --format reporteval --system qwen",)
    }
    reproduces = True

    def rows(self) -> Sequence[contract.CommandRow]:

        from drr.plugin import CommandRow

        line = "brings a judge near to experts: new, run, show, status, edit"
        return (CommandRow("judges align", _align, line, summaries=("new",)),)

    def steps(self) -> contract.PaperSteps:
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
