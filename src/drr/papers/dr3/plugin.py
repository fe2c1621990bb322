"""The declaration of the DR3-Eval paper: all that it adds to the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from drr import contract
from drr.contract import JudgingTask, Placed


def _world() -> Callable[[contract.Site], AbstractContextManager[contract.WorldResources]]:
    from drr.papers.dr3.world import open_files

    return open_files


def _files() -> Callable[..., contract.SourceKind]:
    from drr.papers.dr3.folders import FileSources

    return FileSources


def _format() -> contract.Format:
    from drr.papers.dr3.foreign import DR3

    return DR3


class Dr3Agents(contract.Agents):
    worlds = {"files": _world}
    kinds = {"file": _files}

    def architectures(self) -> Sequence[contract.Architecture]:
        from drr.papers.dr3.agent import ARCHITECTURES

        return ARCHITECTURES

    def graphs(self) -> Mapping[str, Callable[[], Any]]:
        from drr.papers.dr3.agent import graph, sub_agents

        return {"dr3": graph.graph, "sub-agent": sub_agents.graph}

    def task_folders(self) -> contract.TaskFolders:
        from drr.papers.dr3 import task_folders

        return task_folders


class Dr3Judging(contract.Judging):
    tasks = [JudgingTask("dr3", name) for name in ("facts", "insights", "following", "depth")]
    besides = {"dr3": ("faithfulness", "citations")}  # FA is summed from verdicts on citations
    ruled = ("depth",)
    agreement = {"DR3-Eval": {"pearson": 0.78, "spearman": 0.73, "pairwise": 0.89}}

    def task(self, name: str) -> contract.Task[Any]:
        if name == "facts":
            from drr.papers.dr3.judging.facts import FACTS_TASK

            return FACTS_TASK
        from drr.papers.dr3.judging.judge_tasks import DEPTH_TASK, FOLLOWING_TASK, INSIGHTS_TASK

        return {"insights": INSIGHTS_TASK, "following": FOLLOWING_TASK, "depth": DEPTH_TASK}[name]

    def asks(self, protocol: str) -> Mapping[str, contract.Ask]:
        if protocol != "ours":
            return {}
        from drr.papers.dr3.judging.forms import OURS

        return OURS

    def rules(self) -> contract.Rules:
        from drr.papers.dr3.judging.forms import RULES

        return RULES

    def choices(self) -> contract.PaperChoices:
        from drr.papers.dr3.judging import choosing

        return choosing

    def labels(self, judged: contract.Judged, judge: str) -> Iterable[contract.Label]:
        from drr.papers.dr3.metrics.document import labels_of

        return labels_of(judged, judge)


class Dr3Figures(contract.Figures):
    metrics = (
        Placed("accuracy", after="fact"),
        Placed("dr3", before="quality", tasks=("facts", "insights", "following", "depth")),
    )
    headline = "dr3_avg"
    document = "dr3"

    def family(self, name: str) -> contract.Family:
        if name == "accuracy":
            from drr.papers.dr3.metrics import accuracy

            return accuracy
        from drr.papers.dr3.metrics import dr3

        return dr3

    def document_part(self, about: contract.JudgedStudy) -> object | None:
        from drr.papers.dr3.metrics import document_part

        return document_part(about)


class Dr3Foreign(contract.Foreign):
    formats = {"dr3": _format}
    sums = {"dr3": "DR3-Eval's six figures and their mean"}

    def protocol(self, name: str) -> type[contract.ProtocolSums[Any]]:
        from drr.papers.dr3.sums import Dr3Sums

        return Dr3Sums


class Dr3Pages(contract.Pages):
    traces = ()
    templates = "viewer/templates"

    def report(self) -> contract.ReportParts:
        from drr.papers.dr3.report_tables import PARTS

        return PARTS

    def viewer(self) -> type[contract.StudyPart]:
        from drr.papers.dr3.viewer.pages import TaskFolderPages

        return TaskFolderPages


class Dr3Commands(contract.Commands):
    examples = {
        "study import": (
            "  drr study import study result/128k/gpt-4.1 --format dr3 --queries datasets_en/query.jsonl",
        )
    }
    reproduces = True

    def task_actions(self) -> contract.TaskActions:
        from drr.papers.dr3 import task_actions

        return task_actions

    def steps(self) -> contract.PaperSteps:
        from drr.papers.dr3 import reproduction

        return reproduction


class Dr3(contract.Paper):
    name = "dr3"
    title = "DR3-Eval"
    needs = ("openpyxl", "pypdf")
    agents = Dr3Agents()
    judging = Dr3Judging()
    figures = Dr3Figures()
    foreign = Dr3Foreign()
    pages = Dr3Pages()
    commands = Dr3Commands()


PAPER = Dr3()
