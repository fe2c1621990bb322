"""What `drr judge` is told of key points, of the reference, of PQR, of ReportEval and of DR3-Eval, and where a study keeps it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from drr.eval.evidence.answers import Answer
    from drr.eval.tasks.desk import Desk
    from drr.eval.tasks.key_points.file import OwnPoints
    from drr.papers.dr3.judging.known import KnownTask
    from drr.papers.pdr.judging.choices import PqrChoices
    from drr.study.study import Study

_RELATIVE, _DR3 = "relative", "dr3"


class JudgingChoices(NamedTuple):
    """As given now, else as the study keeps them."""

    points: OwnPoints
    reference: str | None
    pqr: PqrChoices
    pair_seed: int
    truths: Mapping[str, KnownTask]
    """Of tasks with files, by question; only where `dr3` is asked for."""
    earlier: bool
    """By the prompts that judged the study before."""

    def settle(self, desk: Desk) -> None:
        from drr.eval.judging.earlier import earlier_prompts

        if self.earlier:
            desk.prompts = earlier_prompts()
        from drr.papers.dr3.judging.known import KnownTasks
        from drr.papers.pdr.judging.choices import PqrChoices
        from drr.papers.reporteval.judging.choices import PairSeed

        desk.own_points, desk.reference = self.points, self.reference
        desk.choices = {
            PqrChoices: self.pqr,
            PairSeed: PairSeed(self.pair_seed),
            KnownTasks: KnownTasks(self.truths),
        }

    def keep(self, study: Study, arguments: argparse.Namespace) -> None:
        """What was given now counts until something else is given."""
        from drr.app.vouching import remember_shop
        from drr.eval.tasks.key_points.file import keep_points
        from drr.eval.tasks.relative import keep_reference
        from drr.papers.dr3.judging.truths import keep_tasks_place
        from drr.papers.pdr.judging.choices import KeptChoices
        from drr.papers.reporteval.judging.choices import keep_pair_seed

        if arguments.tasks is not None:
            remember_shop(study.folder, str(arguments.tasks.resolve()))
            keep_tasks_place(study, arguments.tasks)
        if arguments.pair_seed is not None:
            keep_pair_seed(study, arguments.pair_seed)
        if arguments.persons is not None:
            KeptChoices(study).keep_persons(self.pqr.persons)
        if any(given is not None for given in (arguments.rounds, arguments.seeds, arguments.at_once)):
            KeptChoices(study).keep_numbers(self.pqr)
        if arguments.points is not None:
            keep_points(study, self.points)
        if arguments.reference is not None:
            keep_reference(study, arguments.reference)


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
    *("--refetch", "--retry-failed", "--workers", "--json", "--quiet"),
)
"""The options that people use; `--help-all` has the others."""


def add_judging_options(parser: argparse.ArgumentParser) -> None:
    """Of every command that judges a study."""
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import add_span_options, positive_int
    from drr.app.parsing import name_usual
    from drr.app.studies import add_run_options
    from drr.app.workers import add_workers_option

    name_usual(parser, *_USUAL)
    parser.add_argument(
        "--judge",
        dest="model_judge",
        metavar="MODEL",
        help="who judges, e.g. anthropic:claude-sonnet-5-5 (default: the setting model_judge, else the study's model)",
    )
    parser.add_argument("--shop", metavar="SHOP", help="default: the shop the study was run on")
    parser.add_argument(
        "--variants", metavar="NAMES", help="those that meet in pairs (default: the +ws variants)"
    )
    parser.add_argument(
        "--batch",
        type=positive_int,
        default=1,
        metavar="N",
        help="claims in one call, at most 5 (default: 1)",
    )
    parser.add_argument(
        "--repeat",
        type=positive_int,
        default=1,
        metavar="K",
        help="judge 20 units of each task K times, for the stability of the judge (default: 1)",
    )
    parser.add_argument(
        "--refetch", action="store_true", help="hold claims against the cited pages as they read now"
    )
    parser.add_argument(
        "--unknown", action="store_true", help="with --refetch: ask also for addresses that no tool returned"
    )
    parser.add_argument(
        "--diff",
        nargs="*",
        metavar="ID",
        help="compare two judgings (default: the last two of one protocol); judges nothing",
    )
    add_choice_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="say calls, tokens and cost; call nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_run_options(parser)
    add_workers_option(parser)
    add_span_options(parser)
    add_setting_options(
        parser, *SETTINGS, "model_claim_extractor", "prompts", "web", "sandbox", "web_record", "shop_url"
    )


def add_choice_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--renew", action="store_true", help="by today's prompts, where earlier ones judged before; asks anew"
    )
    parser.add_argument(
        "--points",
        type=Path,
        metavar="FILE",
        help="key points that people wrote, JSONL; kept with the study, in the place of those made for these questions (default: a model makes them)",
    )
    parser.add_argument(
        "--export-points",
        type=Path,
        metavar="FILE",
        help="write the key points that count as such a file (default: none)",
    )
    parser.add_argument(
        "--reference",
        metavar="VARIANT",
        help="for --what relative: whose reports the others are graded against; kept with the study (default: none)",
    )
    parser.add_argument(
        "--pair-seed",
        type=int,
        metavar="N",
        help="for --what reporteval: by which pairs of passages are drawn where there are more than 30 (default 0); kept with the study",
    )
    parser.add_argument(
        "--tasks",
        type=Path,
        metavar="DIR",
        help="for --what dr3: the tasks with files that were asked (default: those of the run); kept with the study",
    )
    _add_pqr_options(parser)


def _add_pqr_options(parser: argparse.ArgumentParser) -> None:
    from drr.app.options import positive_int

    parser.add_argument(
        "--persons",
        type=Path,
        metavar="FILE",
        help="for --what pqr: who asks, JSONL (default: made of the shop's records by rule); kept with the study",
    )
    parser.add_argument(
        "--rounds",
        type=positive_int,
        metavar="N",
        help="for --what pqr: each criterion is scored so many times (default 3); kept with the study",
    )
    parser.add_argument(
        "--seeds",
        type=positive_int,
        metavar="N",
        help="for --what pqr: so many sets of criteria for each task and person (default 1; 2 say how much criteria sway the figures);"
        " kept with the study",
    )
    parser.add_argument(
        "--at-once",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="for --what pqr: all dimensions in one call, as published (default: a call for each)",
    )


def choices(
    study: Study, desk: Desk, answers: list[Answer], arguments: argparse.Namespace, what: list[str]
) -> JudgingChoices:
    from drr.env.errors import Misuse
    from drr.eval.tasks.key_points.file import kept_points, read_points
    from drr.eval.tasks.relative import kept_reference
    from drr.papers.reporteval.judging.choices import kept_pair_seed

    if arguments.dry_run and arguments.export_points is not None:
        raise Misuse(
            "--export-points: a dry run makes no points that could be written; leave one of the two out"
        )
    if arguments.export_points is not None and not arguments.export_points.absolute().parent.is_dir():
        raise Misuse(f"--export-points {arguments.export_points}: there is no such folder; make it first")
    if arguments.points is None:
        points = kept_points(study)
    else:
        points = read_points(arguments.points, {wish.id for wish in desk.wishes()})
    known = sorted({answer.variant for answer in answers})
    named = f"name one of {', '.join(known) or 'none yet'}"
    if arguments.reference is not None and arguments.reference not in known:
        raise Misuse(f"--reference {arguments.reference}: no answer in this study is by it; {named}")
    reference = arguments.reference or kept_reference(study)
    if _RELATIVE in what and reference is None:
        raise Misuse(
            f"--what relative: no --reference says whose reports the others are graded against; {named}"
        )
    seed = kept_pair_seed(study) if arguments.pair_seed is None else arguments.pair_seed
    return JudgingChoices(
        points,
        reference,
        _pqr(study, desk, arguments),
        seed,
        _truths(study, desk, arguments.tasks, what),
        not arguments.renew and _goes_on(study, desk),
    )


def _goes_on(study: Study, desk: Desk) -> bool:
    import sys

    from drr.eval.judging.earlier import goes_on_by_earlier

    found = goes_on_by_earlier(study, desk)
    if found:
        told = "goes on by the prompts that judged it before; --renew judges it by today's, with new calls"
        print(f"drr: {study.folder}: {told}", file=sys.stderr)
    return found


def _truths(study: Study, desk: Desk, given: Path | None, what: list[str]) -> Mapping[str, KnownTask]:
    import sys

    from drr.papers.dr3.judging.truths import tasks_place, truths_of

    if _DR3 not in what:
        return {}
    place = tasks_place(study, given)
    found, strange = truths_of(place, desk.answers.values())
    if strange:
        print(
            f"drr: {len(strange):,} answers are of no task in {place} and have no figures of dr3: {', '.join(strange[:3])}",
            file=sys.stderr,
        )
    return found


def _pqr(study: Study, desk: Desk, arguments: argparse.Namespace) -> PqrChoices:
    from drr.papers.pdr.judging.choices import KeptChoices, PqrChoices
    from drr.papers.pdr.judging.kept import given_criteria
    from drr.papers.pdr.judging.owners import check_tasks
    from drr.papers.pdr.person import read_persons

    check_tasks(desk.questions)
    kept = KeptChoices(study)
    persons = kept.persons() if arguments.persons is None else read_persons(arguments.persons)
    rounds, seeds, at_once = kept.numbers()
    return PqrChoices(
        persons,
        given_criteria(study),
        arguments.rounds or rounds,
        arguments.seeds or seeds,
        at_once if arguments.at_once is None else arguments.at_once,
    )


def export_points(study: Study, desk: Desk, path: Path) -> int:
    """Those that count under this desk's judge, question by question. Gives how many."""
    from drr.env.errors import DrrError
    from drr.env.files import write_file
    from drr.eval.judging.read import judging_of, read_judged
    from drr.eval.tasks.key_points.file import document
    from drr.eval.tasks.key_points.rows import points_of

    judged = read_judged(study, judging_of(desk), answers=list(desk.answers.values()))
    found = {wish.id: points_of(judged, wish.id) for wish in desk.wishes()}
    rows = {query_id: one.rows for query_id, one in found.items() if one is not None and one.rows}
    try:
        write_file(path, document(rows))
    except OSError as error:
        raise DrrError(f"{path}: cannot be written ({error.strerror}); name another file") from error
    return sum(map(len, rows.values()))
