"""The request of a judging: one model for the command line and for Python, with the options of papers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol, Self

from drr.app.commands.parser import name_usual
from drr.app.console import add_setting_options
from drr.app.models.setup import SETTINGS
from drr.app.study.terms import Count, Options, PooledTerms, TracedTerms, Words, add_options, option, switch
from drr.env.errors import DrrError, Misuse
from drr.env.files import write_file
from drr.env.plugins import papers
from drr.eval.judging.difference import judged_before
from drr.eval.judging.read import judging_of, read_judged
from drr.eval.tasks.desk import TOGETHER, JudgingContext
from drr.eval.tasks.key_points import (
    POINTS,
    OwnPoints,
    document,
    keep_points,
    kept_points,
    points_of,
    read_points,
)
from drr.eval.tasks.registry import tasks
from drr.eval.tasks.relative import keep_reference, kept_reference
from drr.study.study import Study
from pydantic import Field

if TYPE_CHECKING:
    from drr.eval.evidence.answers import Answer


_RELATIVE = "relative"


class JudgingChoices(NamedTuple):
    """The judging choices given now, else those that the study keeps."""

    points: OwnPoints
    reference: str | None
    of_papers: Mapping[str, Mapping[type, Any]]
    """Choices of each paper's tasks, by the paper's module."""

    def apply_to(self, desk: JudgingContext) -> None:
        desk.own_points, desk.reference = self.points, self.reference
        desk.choices = {kind: one for own in self.of_papers.values() for kind, one in own.items()}

    def keep(self, study: Study, plan: JudgePlan) -> None:
        """Store the choices given now in the study, until others are given."""
        for module in paper_choices():
            module.keep(study, plan.of_papers[module.__name__], self.of_papers[module.__name__])
        if plan.points is not None:
            keep_points(study, self.points)
        if plan.reference is not None:
            keep_reference(study, plan.reference)


def judging_choices(
    study: Study, desk: JudgingContext, answers: list[Answer], plan: JudgePlan, what: list[str]
) -> JudgingChoices:
    # Asked before anything is judged: a wrong path must not show itself after the calls are paid.
    if plan.export_points is not None and not plan.export_points.absolute().parent.is_dir():
        raise Misuse(f"--export-points {plan.export_points}: there is no such folder; make it first")
    if plan.points is None:
        points = kept_points(study)
    else:
        points = read_points(plan.points, {wish.id for wish in desk.all_questions()})
    # What was paid for is not judged anew unless somebody asks.
    if not plan.renew and (before := judged_before(study, desk, tasks(what))):
        raise Misuse(
            f"{study.folder}: an earlier version judged it ({', '.join(before)}), and its figures stay in the report;"
            " --renew judges anew, with new calls"
        )
    known = sorted({answer.variant for answer in answers})
    named = f"name one of {', '.join(known) or 'none yet'}"
    if plan.reference is not None and plan.reference not in known:
        raise Misuse(f"--reference {plan.reference}: no answer in this study is by it; {named}")
    reference = plan.reference or kept_reference(study)
    if _RELATIVE in what and reference is None:
        raise Misuse(
            f"--what relative: no --reference says whose reports the others are graded against; {named}"
        )
    return JudgingChoices(
        points,
        reference,
        {
            name: one.chosen(study, desk, plan.of_papers[name], what)
            for one in paper_choices()
            if (name := one.__name__)
        },
    )


def export_points(study: Study, desk: JudgingContext, path: Path) -> int:
    """Write the key points that count under this desk's judge into a file, question by question; return their number."""
    judged = read_judged(study, judging_of(desk, [POINTS]), answers=list(desk.answers.values()))
    found = {wish.id: points_of(judged, wish.id) for wish in desk.all_questions()}
    rows = {query_id: one.rows for query_id, one in found.items() if one is not None and one.rows}
    try:
        write_file(path, document(rows))
    except OSError as error:
        raise DrrError(f"{path}: cannot be written ({error.strerror}); name another file") from error
    return sum(map(len, rows.values()))


class JudgePlan(PooledTerms, TracedTerms):
    """The request of a judging of a study. `None` keeps the study's own choice, or else the default."""

    study: Path
    what: Words | None = None
    """Groups of judging tasks, with commas between; `None` means the usual ones."""
    shop: Words | None = option("key", "default: the shop the study was run on", "SHOP")
    variants: Words | None = option("units", "those that meet in pairs (default: the +ws variants)", "NAMES")
    pairs: Literal["reference", "all"] = option(
        "units", "each variant meets the reference (default), or every two meet, one dimension in a call", None, "reference")  # fmt: skip
    batch: Annotated[int, Field(gt=0, le=TOGETHER)] = option(
        "key", f"most claims in one call (default: {TOGETHER})", "N", TOGETHER
    )
    repeat: Count = option(
        "units", "judge a sample of the reports K times, to measure how much the judge varies (default: 1). The sample holds at least five reports, and enough of them for at least 20 judgements in each task", "K", 1)  # fmt: skip
    refetch: bool = switch("key", "hold claims against the cited pages as they read now")
    unknown: bool = switch("key", "with --refetch: ask also for addresses that no tool returned")
    renew: bool = switch("key", "by today's version, where an earlier one judged before; asks anew")
    points: Path | None = option(
        "source", "key points that people wrote, JSONL; kept with the study, in the place of those made for these questions (default: a model makes them)", "FILE")  # fmt: skip
    export_points: Path | None = option(
        "call", "write the key points that count as such a file (default: none)", "FILE"
    )
    reference: str | None = option(
        "key", "compare every other variant with this one, in the tasks pairwise and relative (default: the first variant). The study keeps it for later calls", "VARIANT")  # fmt: skip
    of_papers: dict[str, Options] = Field({}, exclude=True)
    """Options of the papers' tasks, by the paper's module."""

    @classmethod
    def of(cls, arguments: argparse.Namespace, **more: Any) -> Self:
        own = {one.__name__: one.OPTIONS.of(arguments) for one in paper_choices()}
        return super().of(arguments, of_papers=own, **more)


class PaperChoices(Protocol):
    """The interface of a paper's module whose judging tasks depend on options, or on choices that a study keeps."""

    __name__: str

    @property
    def EXAMPLES(self) -> Sequence[str]: ...
    @property
    def OPTIONS(self) -> type[Options]: ...

    def chosen(
        self, study: Study, desk: JudgingContext, options: Any, what: Sequence[str]
    ) -> Mapping[type, Any]:
        """Return the choices given now, else those the study keeps, by type (`JudgingContext.chosen`)."""

    def keep(self, study: Study, options: Any, chosen: Mapping[type, Any]) -> None:
        """Store the choices given now in the study, until others are given."""


def paper_choices() -> list[PaperChoices]:
    found: list[PaperChoices | None] = [paper.judging.choices() for paper in papers()]
    return [choices for choices in found if choices is not None]


def paper_options(given: Mapping[str, object]) -> dict[str, Options]:
    """Return the options of papers' tasks with these values; raise `Misuse` for an unknown name."""
    kinds = {module.__name__: module.OPTIONS for module in paper_choices()}
    known = [name for kind in kinds.values() for name in kind.model_fields]
    if unknown := sorted(given.keys() - set(known)):
        raise Misuse(f"no choice of a paper is called {', '.join(unknown)}; there are {', '.join(known)}")
    return {place: kind.of(argparse.Namespace(**given)) for place, kind in kinds.items()}


_USUAL = (
    *("--what", "--judge", "--shop", "--variants", "--base-url", "--budget", "--dry-run", "--repeat"),
    *("--diff", "--refetch", "--retry-failed", "--pool", "--json", "--quiet"),
)
"""Options that the short help shows; `--help-all` shows the others."""


def add_judging_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that judges a study."""
    add = parser.add_argument
    name_usual(parser, *_USUAL)
    add(
        "--judge",
        dest="model_judge",
        metavar="MODEL",
        help="who judges, e.g. anthropic:claude-sonnet-5-5 (default: the setting model_judge, else the study's model)",
    )
    add_options(parser, JudgePlan)
    for module in paper_choices():
        add_options(parser, module.OPTIONS)
    add(
        "--diff",
        nargs="*",
        metavar="ID",
        help="compare two judgings (default: the last two of one protocol); judges nothing",
    )
    add("--dry-run", action="store_true", help="say calls, tokens and cost; call nothing")
    add("--json", action="store_true", help="print one JSON document")
    own = (
        "base_url_judge",
        "judge_window",
        "model_claim_extractor",
        "prompts",
        "web",
        "sandbox",
        "web_record",
        "shop_url",
        "language",
    )
    add_setting_options(parser, *SETTINGS, *own)
