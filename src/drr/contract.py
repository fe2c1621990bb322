"""The contract of papers and extras: the classes that declare one, with the type of each part.

A `plugin.py` derives from `Paper` and from the parts that its paper has, or from `Extra`. What is named (a world, a task, a format) is known
without loading it. A method, or a function beside a name, imports what it returns within itself, so that the command line stays quick.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from drr.env.plugins import AnyExtra, AnyPaper
from drr.env.plugins import JudgingTask as JudgingTask
from drr.env.plugins import Placed as Placed

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from drr.agents.architecture import Architecture as Architecture
    from drr.agents.architecture import Run as Run
    from drr.app.annotate.annotation_plan import BlindPair as BlindPair
    from drr.app.commands.canaries import PaperCanaries as PaperCanaries
    from drr.app.commands.table import CommandModule as CommandModule
    from drr.app.commands.table import CommandRow as CommandRow
    from drr.app.commands.tasks import TaskActions as TaskActions
    from drr.app.judge.judge_plan import PaperChoices as PaperChoices
    from drr.app.papers.steps import PaperSteps as PaperSteps
    from drr.app.report.of_papers import ReportParts as ReportParts
    from drr.app.study.person import PersonFactsModule as PersonFactsModule
    from drr.app.study.spans import Spans as Spans
    from drr.app.study.spans import SpanTerms as SpanTerms
    from drr.app.study.worlds import TaskFolders as TaskFolders
    from drr.app.viewer.of_papers import StudyPart as StudyPart
    from drr.env.world import Site as Site
    from drr.env.world import SourceKind as SourceKind
    from drr.env.world import WorldResources as WorldResources
    from drr.eval.agreement.corrected import LabelledFigure as LabelledFigure
    from drr.eval.agreement.corrected import PeoplesLabels as PeoplesLabels
    from drr.eval.evidence.imported import ReadReports as ReadReports
    from drr.eval.foreign.form import Format as Format
    from drr.eval.labels import Label as Label
    from drr.eval.metrics.base import Family as Family
    from drr.eval.metrics.document import JudgedStudy as JudgedStudy
    from drr.eval.metrics.document import PrintedFigures as PrintedFigures
    from drr.eval.stats.aggregate import ProtocolSums as ProtocolSums
    from drr.eval.tasks.desk import Task as Task
    from drr.eval.tasks.judgements import Judged as Judged
    from drr.eval.tasks.protocol import Ask as Ask
    from drr.llm.secrets import Redactor as Redactor
    from drr.offline.judge import Rules as Rules
    from drr.study.pools import Pool as Pool
    from drr.study.pools import PoolOrder as PoolOrder
    from drr.study.study import Study as Study
    from drr.tools.mcp import Face as Face

_Part = TypeVar("_Part")
Lazy = Callable[[], _Part]
"""A function that imports what it returns."""


class Agents:
    """The world of a paper's questions, its agents, and what they are told of a person."""

    worlds: Mapping[str, Lazy[Callable[[Site], AbstractContextManager[WorldResources]]]] = {}
    """Worlds by the name that `--world` takes."""
    kinds: Mapping[str, Lazy[Callable[..., SourceKind]]] = {}
    """Kinds of sources by name; each is called with the `Holdings`."""

    def architectures(self) -> Sequence[Architecture]:
        return ()

    def graphs(self) -> Mapping[str, Callable[[], Any]]:
        """Return functions that make the graphs of the paper's agents, by name, for drawing them."""
        return {}

    def persons(self) -> PersonFactsModule | None:
        """Return the module that makes the text about a person for each setting."""
        return None

    def task_folders(self) -> TaskFolders | None:
        """Return the module of the paper's tasks, if these are folders."""
        return None


class Judging:
    """The tasks that a paper gives to judges, and what judges are compared with."""

    tasks: Sequence[JudgingTask] = ()
    besides: Mapping[str, Sequence[str]] = {}
    """Words of `--what` that another word of `--what` implies."""
    ruled: Collection[str] = ()
    """The tasks that `rules` answer."""
    agreement: Mapping[str, Mapping[str, float]] = {}
    """The printed figures of how well judges agree with people, by name."""

    def task(self, name: str) -> Task[Any]:
        """Return the task of a name in `tasks`."""
        raise LookupError(name)

    def asks(self, protocol: str) -> Mapping[str, Ask]:
        """Return the questions of the paper's tasks under a judging protocol, in the form of `JudgingProtocol.asks`."""
        return {}

    def rules(self) -> Rules:
        """Return the rules that answer in place of a judge model."""
        return {}

    def choices(self) -> PaperChoices | None:
        """Return the module with the choices of the paper's tasks."""
        return None

    def canaries(self) -> PaperCanaries | None:
        return None

    def labels(self, judged: Judged, judge: str) -> Iterable[Label]:
        """Return the judge's verdicts as labels."""
        return ()

    def corrected(self, judged: Judged, labels: PeoplesLabels) -> Iterable[LabelledFigure]:
        """Return the figures that people's labels can correct."""
        return ()

    def scored_reports(
        self, study: Study, judge: str | None, variants: Collection[str] | None
    ) -> Sequence[BlindPair] | None:
        """Return reports for people to score by criteria; `None` where the paper has no criteria."""
        return None


class Figures:
    """The metrics of a paper and its part of a study's document."""

    metrics: Sequence[Placed] = ()
    headline: str = ""
    """The name of the paper's lead metric."""
    document: str = ""
    """The key of the paper's part of a study's document."""

    def family(self, name: str) -> Family:
        """Return the family of metrics of a name in `metrics`."""
        raise LookupError(name)

    def document_part(self, about: JudgedStudy) -> object | None:
        """Return the part under the key `document`; `None` where the study has nothing of the paper."""
        return None

    def printed(self) -> PrintedFigures | None:
        """Return the figures by the definitions printed in the paper."""
        return None


class Foreign:
    """Files and rows that the paper's own program writes and reads."""

    formats: Mapping[str, Lazy[Format]] = {}
    """The benchmark's file formats, by the name that `--format` takes."""
    sums: Mapping[str, str] = {}
    """Protocols of `drr papers aggregate` by name, each with one line of help."""

    def protocol(self, name: str) -> type[ProtocolSums[Any]]:
        """Return the class that sums by a protocol of `sums`."""
        raise LookupError(name)


class Pages:
    """Additions to reports and to the pages of a study."""

    traces: Sequence[str] | None = None
    """Values of a study's plan and files in its folder that only the paper's studies have. Reports and pages of studies without any, and without
    a judged task or a world of the paper, do not load it. `None`: they always do.
    """
    templates: str = "templates"
    """The place of the templates of its pages in the paper's folder."""

    def report(self) -> ReportParts | None:
        return None

    def viewer(self) -> type[StudyPart] | None:
        return None


class Commands:
    """The commands of a paper, and its additions to everybody's commands."""

    examples: Mapping[str, Sequence[str]] = {}
    """Example lines for the help of commands."""
    reproduces: bool = False
    """True if `drr papers reproduce` knows the paper: `steps` are its own."""

    def rows(self) -> Sequence[CommandRow]:
        return ()

    def task_actions(self) -> TaskActions | None:
        """Return the module that carries out `drr papers tasks`."""
        return None

    def steps(self) -> PaperSteps:
        """Return the module that carries out `drr papers reproduce`."""
        raise LookupError


class Paper(AnyPaper):
    """Everything that a paper brings; a part that it lacks stays as it is here."""

    agents: Agents = Agents()
    judging: Judging = Judging()
    figures: Figures = Figures()
    foreign: Foreign = Foreign()
    pages: Pages = Pages()
    commands: Commands = Commands()


class Extra(AnyExtra):
    """An extra: the connection to other authors' software."""

    pools: Mapping[str, Callable[[PoolOrder], Pool]] = {}
    """Pools by the name that `--pool` takes."""
    faces: Mapping[str, Lazy[Callable[[], Face]]] = {}
    """Faces by the name that `drr tools mcp --face` takes."""
    variants: Mapping[str, Callable[[str], Architecture]] = {}
    """Variants by the word before the colon; each function takes the whole name."""
    agents: Mapping[str, Callable[[Any], tuple[Callable[[], Run], tuple[str, ...]] | None]] = {}
    """Loaders for agents of other packages in files. Each takes the file's object and returns how to load it and its prompts, or `None`."""
    spans: Mapping[str, Callable[[SpanTerms, Redactor], Spans]] = {}
    """Recorders of spans, by the option of a run."""
    logs: Mapping[str, Callable[[Path, str | None, str | None], ReadReports]] = {}
    """Readers of other harnesses' logs, by the ending of the file. Each takes path, system and scorer."""
    clusters: Mapping[str, Callable[[], str | None]] = {}
    """Lines of `drr env doctor` by name. Each names the cluster of this machine, or returns `None`."""
