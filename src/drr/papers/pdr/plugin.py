"""The declaration of the PDR-Bench paper: all that it adds to the program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from drr import contract
from drr.contract import JudgingTask, Placed


def _format() -> contract.Format:
    from drr.papers.pdr.foreign import PDR

    return PDR


def _persons() -> contract.CommandModule:
    from drr.papers.pdr.commands import persons

    return persons


def _context() -> contract.CommandModule:
    from drr.papers.pdr.commands import context

    return context


def _criteria() -> contract.CommandModule:
    from drr.papers.pdr.commands import criteria

    return criteria


class PdrAgents(contract.Agents):
    def persons(self) -> contract.PersonFactsModule:
        from drr.papers.pdr import person_settings

        return person_settings


class PdrJudging(contract.Judging):
    tasks = (
        JudgingTask("criteria", "criteria"), JudgingTask("pqr", "scores"), JudgingTask("pqr", "violations"),
        JudgingTask("swap", "swap"), JudgingTask("swap", "adoption"),
    )  # fmt: skip
    # R is summed from verdicts on citations; the swap needs the scores under own criteria
    besides = {"pqr": ("faithfulness", "citations"), "swap": ("pqr",)}
    ruled = ("criteria", "scores", "swap")
    agreement = {"PDR-Bench, best judge": {"pca": 0.43, "mard": 1.40}}

    def task(self, name: str) -> contract.Task[Any]:
        if name == "criteria":
            from drr.papers.pdr.judging.making import CRITERIA_TASK

            return CRITERIA_TASK
        if name == "scores":
            from drr.papers.pdr.judging.scoring import SCORES_TASK

            return SCORES_TASK
        if name == "violations":
            from drr.papers.pdr.judging.violations import VIOLATIONS_TASK

            return VIOLATIONS_TASK
        from drr.papers.pdr.judging.swap import ADOPTION_TASK, SWAP_TASK

        return {"swap": SWAP_TASK, "adoption": ADOPTION_TASK}[name]

    def asks(self, protocol: str) -> Mapping[str, contract.Ask]:
        from drr.papers.pdr.judging.forms import AS_PRINTED, OURS

        return {"ours": OURS, "paper": AS_PRINTED}.get(protocol, {})

    def rules(self) -> contract.Rules:
        from drr.papers.pdr.judging.rules import RULES

        return RULES

    def choices(self) -> contract.PaperChoices:
        from drr.papers.pdr.judging import choices

        return choices

    def canaries(self) -> contract.PaperCanaries:
        from drr.papers.pdr import canaries

        return canaries

    def labels(self, judged: contract.Judged, judge: str) -> Iterable[contract.Label]:
        from drr.papers.pdr.labels import labels_of

        return labels_of(judged, judge)

    def corrected(
        self, judged: contract.Judged, labels: contract.PeoplesLabels
    ) -> Iterable[contract.LabelledFigure]:
        from drr.papers.pdr.labels import figures_of

        return figures_of(judged, labels)

    def scored_reports(
        self, study: contract.Study, judge: str | None, variants: Collection[str] | None
    ) -> Sequence[contract.BlindPair]:
        from drr.papers.pdr.labels import scored_reports

        return scored_reports(study, judge, variants)


class PdrFigures(contract.Figures):
    metrics = (
        Placed("reliability", before="fact"), Placed("pqr", before="quality", tasks=("scores", "violations")),
        Placed("swap", before="effort", tasks=("scores", "swap", "adoption")), Placed("attributes", before="effort"),
    )  # fmt: skip
    headline = "pqr_p"
    leads = {"pqr": ("pqr_r",)}
    document = "settings"

    def family(self, name: str) -> contract.Family:
        if name == "reliability":
            from drr.papers.pdr.metrics import reliability

            return reliability
        if name == "attributes":
            from drr.papers.pdr.metrics import attributes

            return attributes
        if name == "swap":
            from drr.papers.pdr.metrics import swap

            return swap
        from drr.papers.pdr.metrics import pqr

        return pqr

    def document_part(self, about: contract.JudgedStudy) -> object | None:
        from drr.papers.pdr.metrics import document_part

        return document_part(about)

    def printed(self) -> contract.PrintedFigures:
        from drr.papers.pdr.metrics.pqr import AS_PRINTED

        return AS_PRINTED


class PdrForeign(contract.Foreign):
    formats = {"pdr": _format}
    sums = {
        "pqr": "PDR-Bench's P or Q from the scores of criteria",
        "pqr-r": "PDR-Bench's R: factual accuracy and citation coverage",
        "swap": "reports under other persons' criteria: delta, CFA_min, A_min",
    }

    def protocol(self, name: str) -> type[contract.ProtocolSums[Any]]:
        from drr.papers.pdr.sum_rows import CriteriaSwapSums, PqrSums, ReliabilitySums

        found: dict[str, type[contract.ProtocolSums[Any]]] = {
            "pqr": PqrSums,
            "pqr-r": ReliabilitySums,
            "swap": CriteriaSwapSums,
        }
        return found[name]


class PdrPages(contract.Pages):
    traces = ("contexts", "settings", "persons.jsonl", "criteria.jsonl")

    def report(self) -> contract.ReportParts:
        from drr.papers.pdr.report_tables import PARTS

        return PARTS

    def viewer(self) -> type[contract.StudyPart]:
        from drr.papers.pdr.viewer import PersonPages

        return PersonPages


class PdrCommands(contract.Commands):
    examples = {
        "study import": (
            "  drr study import study raw_data/my-agent.jsonl --format pdr --queries queries150_en.jsonl",
        )
    }
    reproduces = True

    def rows(self) -> Sequence[contract.CommandRow]:

        from drr.plugin import CommandRow

        files = ("import", "export")
        return (
            CommandRow("papers persons", _persons, "persons of a shop's shoppers: build, show, check, stats", summaries=files),
            CommandRow("papers context", _context, "what an assistant could have gathered of persons: build, check"),
            CommandRow("papers criteria", _criteria, "what PQR scores by: list, show, export, import", summaries=files),
        )  # fmt: skip

    def task_actions(self) -> contract.TaskActions:
        from drr.papers.pdr import wish_actions

        return wish_actions

    def steps(self) -> contract.PaperSteps:
        from drr.papers.pdr import reproduction

        return reproduction


class Pdr(contract.Paper):
    name = "pdr"
    title = "PDR-Bench"
    agents = PdrAgents()
    judging = PdrJudging()
    figures = PdrFigures()
    foreign = PdrForeign()
    pages = PdrPages()
    commands = PdrCommands()


PAPER = Pdr()
