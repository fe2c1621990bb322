"""The choices of `drr judge` for key points, the reference and papers' tasks, and how a study keeps them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from drr.app.commands.parser import name_usual
from drr.app.console import add_setting_options
from drr.app.models.setup import SETTINGS
from drr.app.notices import notice
from drr.app.options import PooledTerms, add_span_options, positive_int
from drr.app.study.outcome import add_run_options
from drr.app.study.spans import SpanTerms
from drr.app.study.workers import add_workers_option
from drr.env.errors import DrrError, Misuse
from drr.env.files import write_file
from drr.env.plugins import papers
from drr.eval.judging.read import judging_of, read_judged
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.key_points import OwnPoints, document, keep_points, kept_points, points_of, read_points
from drr.eval.tasks.relative import keep_reference, kept_reference
from drr.study.study import Study

if TYPE_CHECKING:
    from drr.eval.evidence.answers import Answer

_RELATIVE = "relative"


@dataclass(frozen=True, kw_only=True)
class JudgeConfig(PooledTerms):
    """The choices of one call for judging a study. `None` keeps the study's own choice, or else the default."""

    study: Path
    what: str
    """Groups of judging tasks, with commas between."""
    shop: str | None = None
    variants: str | None = None
    """Variants that are compared in pairs, with commas between."""
    batch: int = 1
    """Number of claims in one call."""
    repeat: int = 1
    refetch: bool = False
    """True if claims are checked against the cited pages as they read now."""
    unknown: bool = False
    """True if pages at addresses that no tool returned are fetched, too."""
    renew: bool = False
    """True if today's prompts judge anew where earlier prompts judged."""
    points: Path | None = None
    export_points: Path | None = None
    reference: str | None = None
    own: argparse.Namespace
    """Options of the papers' tasks, by name."""
    otel: SpanTerms | None = None
    given: Mapping[str, object] = field(default_factory=dict)
    """Values of the settings that this call names, by setting."""
    trusted: Sequence[str] = ()
    """Addresses given with `--trust-address`, which this user knows."""


class PaperChoices(Protocol):
    """The interface of a paper's module whose judging tasks depend on options, or on choices that a study keeps."""

    __name__: str
    EXAMPLES: Sequence[str]

    def add_options(self, parser: argparse.ArgumentParser) -> None: ...
    def chosen(
        self, study: Study, desk: JudgingContext, arguments: argparse.Namespace, what: Sequence[str]
    ) -> Mapping[type, Any]:
        """Return the choices given now, else those the study keeps, by type (`JudgingContext.chosen`)."""

    def keep(self, study: Study, arguments: argparse.Namespace, chosen: Mapping[type, Any]) -> None:
        """Store the choices given now in the study, until others are given."""


def paper_choices() -> list[PaperChoices]:
    modules: list[Any] = [import_module(paper.choices) for paper in papers() if paper.choices]
    return modules


def paper_options(given: Mapping[str, object]) -> argparse.Namespace:
    """Return the options of papers' tasks with these values; raise `Misuse` for an unknown name."""
    parser = argparse.ArgumentParser(add_help=False)
    for module in paper_choices():
        module.add_options(parser)
    known = {action.dest: action.type for action in parser._actions}
    if unknown := sorted(given.keys() - known.keys()):
        raise Misuse(f"no choice of a paper is called {', '.join(unknown)}; there are {', '.join(known)}")
    found = parser.parse_args([])
    for name, value in given.items():
        kind = known[name]
        setattr(found, name, kind(value) if callable(kind) and isinstance(value, str) else value)
    return found


class JudgingChoices(NamedTuple):
    """The judging choices given now, else those that the study keeps."""

    points: OwnPoints
    reference: str | None
    of_papers: Mapping[str, Mapping[type, Any]]
    """Choices of each paper's tasks, by the paper's module."""
    earlier: bool
    """True where the study goes on with the earlier prompts that judged it."""

    def settle(self, desk: JudgingContext) -> None:
        from drr.eval.judging.difference import earlier_prompts

        if self.earlier:
            desk.prompts = earlier_prompts()
        desk.own_points, desk.reference = self.points, self.reference
        desk.choices = {kind: one for own in self.of_papers.values() for kind, one in own.items()}

    def keep(self, study: Study, config: JudgeConfig) -> None:
        """Store the choices given now in the study, until others are given."""
        for module in paper_choices():
            module.keep(study, config.own, self.of_papers[module.__name__])
        if config.points is not None:
            keep_points(study, self.points)
        if config.reference is not None:
            keep_reference(study, config.reference)


_USUAL = (
    *(
        "--what",
        "--judge",
        "--shop",
        "--variants",
        "--base-url",
        "--budget",
        "--dry-run",
        "--repeat",
        "--diff",
    ),
    *("--refetch", "--retry-failed", "--pool", "--json", "--quiet"),
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
    add("--shop", metavar="SHOP", help="default: the shop the study was run on")
    add("--variants", metavar="NAMES", help="those that meet in pairs (default: the +ws variants)")
    add(
        "--batch",
        type=positive_int,
        default=1,
        metavar="N",
        help="claims in one call, at most 5 (default: 1)",
    )
    add(
        "--repeat",
        type=positive_int,
        default=1,
        metavar="K",
        help="judge whole reports K times, at least five of them and 20 units of each task, for the stability of the judge (default: 1)",
    )
    add("--refetch", action="store_true", help="hold claims against the cited pages as they read now")
    add("--unknown", action="store_true", help="with --refetch: ask also for addresses that no tool returned")
    add(
        "--diff",
        nargs="*",
        metavar="ID",
        help="compare two judgings (default: the last two of one protocol); judges nothing",
    )
    add_choice_options(parser)
    add("--dry-run", action="store_true", help="say calls, tokens and cost; call nothing")
    add("--json", action="store_true", help="print one JSON document")
    add_run_options(parser)
    add_workers_option(parser)
    add_span_options(parser)
    add_setting_options(
        parser,
        *SETTINGS,
        "base_url_judge",
        "model_claim_extractor",
        "prompts",
        "web",
        "sandbox",
        "web_record",
        "shop_url",
    )


def add_choice_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--renew", action="store_true", help="by today's prompts, where earlier ones judged before; asks anew"
    )
    add(
        "--points",
        type=Path,
        metavar="FILE",
        help="key points that people wrote, JSONL; kept with the study, in the place of those made for these questions (default: a model makes them)",
    )
    add(
        "--export-points",
        type=Path,
        metavar="FILE",
        help="write the key points that count as such a file (default: none)",
    )
    add(
        "--reference",
        metavar="VARIANT",
        help="for --what relative: whose reports the others are graded against; kept with the study (default: none)",
    )
    for module in paper_choices():
        module.add_options(parser)


def choices(
    study: Study, desk: JudgingContext, answers: list[Answer], config: JudgeConfig, what: list[str]
) -> JudgingChoices:
    if config.export_points is not None and not config.export_points.absolute().parent.is_dir():
        raise Misuse(f"--export-points {config.export_points}: there is no such folder; make it first")
    if config.points is None:
        points = kept_points(study)
    else:
        points = read_points(config.points, {wish.id for wish in desk.wishes()})
    known = sorted({answer.variant for answer in answers})
    named = f"name one of {', '.join(known) or 'none yet'}"
    if config.reference is not None and config.reference not in known:
        raise Misuse(f"--reference {config.reference}: no answer in this study is by it; {named}")
    reference = config.reference or kept_reference(study)
    if _RELATIVE in what and reference is None:
        raise Misuse(
            f"--what relative: no --reference says whose reports the others are graded against; {named}"
        )
    return JudgingChoices(
        points,
        reference,
        {one.__name__: one.chosen(study, desk, config.own, what) for one in paper_choices()},
        not config.renew and _goes_on(study, desk),
    )


def _goes_on(study: Study, desk: JudgingContext) -> bool:
    from drr.eval.judging.difference import goes_on_by_earlier

    found = goes_on_by_earlier(study, desk)
    if found:
        warning = "goes on by the prompts that judged it before; --renew judges it by today's, with new calls"
        notice(f"{study.folder}: {warning}")
    return found


def export_points(study: Study, desk: JudgingContext, path: Path) -> int:
    """Write the key points that count under this desk's judge into a file, question by question; return their number."""
    judged = read_judged(study, judging_of(desk), answers=list(desk.answers.values()))
    found = {wish.id: points_of(judged, wish.id) for wish in desk.wishes()}
    rows = {query_id: one.rows for query_id, one in found.items() if one is not None and one.rows}
    try:
        write_file(path, document(rows))
    except OSError as error:
        raise DrrError(f"{path}: cannot be written ({error.strerror}); name another file") from error
    return sum(map(len, rows.values()))
