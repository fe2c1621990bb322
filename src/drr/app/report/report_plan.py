"""The request of a report: one model for the command line and for Python."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from drr.app.papers.steps import printed_papers
from drr.app.study.terms import Options, option, switch
from drr.env.question_fields import FIELD_NAMES


class ReportPlan(Options):
    """The request of a report: the judge, the labels and the folder to write."""

    out: Path | None = option(
        "call", "index.html, answers behind its leading figures, a paper's tables as md, tex, csv, figures as svg, errors.csv", "DIR")  # fmt: skip
    viewer: str | None = option(
        "call", "where the pages of `drr view --static` lie, seen from --out: each answer behind a number leads there (default: ../viewer, if it is there)", "PLACE")  # fmt: skip
    figures: tuple[Literal["svg", "png", "pdf"], ...] = option(
        "call", "forms of the figures: svg, png, pdf (default: svg)", "FORM", ("svg",), nargs="+")  # fmt: skip
    judge: str | None = option("call", "whose judgements (default: the last by a model, else by rules)")
    paper: str | None = option(
        "call", "put this paper's tables first, numbered as there; its printed figures stand beside them, unless rules wrote or judged", choices=printed_papers)  # fmt: skip
    human: tuple[Path, ...] = option(
        "call", "labels of people (default: those of drr judges annotate)", "FILE", (), nargs="+")  # fmt: skip
    labels: tuple[Path, ...] = option(
        "call", "labels of a part (`drr judges annotate --sample`): each figure beside its estimate that holds the judge's error", "FILE", (), nargs="+")  # fmt: skip
    by: str | None = option("call", f"figures by a field of the question: {FIELD_NAMES}", "FIELD")
    complete_only: bool = switch(
        "call", "leave out answers whose research was broken off because the model failed in the middle")  # fmt: skip
    verdicts: Path | None = option(
        "call", "what each address says of each claim that cites it: CSV for FILE.csv, else JSON lines (docs/judging.md, Citations one by one)", "FILE")  # fmt: skip
