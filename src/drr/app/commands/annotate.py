"""The command `drr judges annotate`: the blind A/B page, its bundles, and the labels made with them."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.annotate import labels
from drr.app.annotate.annotation_plan import (
    NAME,
    AnnotationPlan,
    BlindReport,
    load,
    make_criteria_plan,
    make_plan,
    save,
)
from drr.app.annotate.page import bundle
from drr.app.annotate.site import own_listener, site
from drr.app.console import print_result, write_lines
from drr.app.judge.desk import ShopperProfiles, desk_of, settings_beside, study_shop
from drr.app.models.setup import models_of
from drr.app.options import port_number, positive_int
from drr.app.study.trust import offer_shop
from drr.env.errors import Misuse
from drr.env.files import make_folder, owner_only_mode, write_file
from drr.env.person_setting import agent_of
from drr.env.plugins import papers
from drr.env.trust import BY_PATH, is_known, remember_vouched, vouched_entries

if TYPE_CHECKING:
    from drr.app.annotate.annotation_plan import BlindPair
    from drr.study.study import Study


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        "examples:\n  drr judges annotate study --annotators 2 --pairs 21\n  drr judges annotate study --bundle bundles\n"
        "  drr judges annotate study --import labels-ann.json --export labels.jsonl\n"
        "  drr judges annotate study --sample 60 --seed 7                                   # pairs by lot, for `drr report --labels`\n"
        "  drr judges annotate study --task criteria --sample 30                            # reports under their criteria, 0-10\n"
        "  drr judges annotate study --sample 150 --task support --export sheet.jsonl       # claims to label by hand\n\n"
        "The pairs are drawn once, on the first call, and kept in STUDY/annotation. Labels feed `drr judges agreement`."
    )
    add("study", type=Path, metavar="STUDY", help="the folder of the study")
    add("--annotators", help="how many, or their names with commas between (default 2)")
    add("--pairs", type=int, help="how many comparisons (default 21)")
    add("--variants", help="only these, with commas between (default: those with page summaries)")
    add(
        "--profile",
        choices=("default", "paper"),
        help="`paper` asks as the paper did, without `both bad` (default: the study's)",
    )
    add("--seed", type=int, help="draws pairs, order and sides (default 7)")
    add("--sample", type=positive_int, metavar="N", help="draw N by lot, so that labels can correct a judge")
    add(
        "--task",
        choices=("pairwise", "criteria", "support", "rating"),
        default="pairwise",
        help="pairs (default), or reports under the criteria of their persons, 0-10 each; with --sample a sheet of claims or of reports,"
        " written by --export",
    )
    add("--shop", help="where the study's shop lies now, if not where it was")
    add("--judge", help="with --task support, rating: whose judgements are drawn from")
    add(
        "--port",
        type=port_number,
        default=0,
        help="loopback port (default: the plan's own, drawn when it is first served)",
    )
    add("--bundle", type=Path, metavar="DIR", help="write one file per annotator that works from disk")
    add("--import", dest="merge", type=Path, nargs="+", metavar="FILE", help="take in saved labels")
    add("--export", type=Path, metavar="FILE", help="write all labels as JSONL")
    add("--json", action="store_true", help="one JSON document: the addresses, or what was written")


def run(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    if arguments.task not in ("pairwise", "criteria"):
        return _sheet(arguments)
    folder = arguments.study / "annotation"
    if arguments.task == "criteria":
        folder = folder / "criteria"
    with Study.read(arguments.study) as study:
        plan = _plan(study, folder, arguments)
    document: dict[str, object] = {}
    lines: list[str] = []
    if arguments.merge:
        new = labels.merge(folder, plan, arguments.merge)
        document["new_labels"] = new
        lines += [f"{name}: {count} new labels" for name, count in new.items()]
    if arguments.export:
        count = labels.export(folder, plan, arguments.export)
        document |= {"file": str(arguments.export), "labels": count}
        lines.append(f"{arguments.export}: {count} labels")
    if arguments.bundle:
        written = document["bundles"] = dict[str, int]()
        make_folder(arguments.bundle, owner_only_mode(0o777))
        for annotator in plan.annotators:
            path = arguments.bundle / f"{annotator.name}.html"
            write_file(path, bundle(plan, annotator), owner_only_mode(0o666))
            written[str(path)] = len(annotator.turns)
        lines += [f"{path}: {count} pairs" for path, count in written.items()]
        lines.append("each saves its labels to a download; take them in with --import FILE ...")
    if document:
        print_result(arguments, document, *lines)
    else:
        place = str(folder.resolve())
        if not is_known(arguments.study) and not vouched_entries(arguments.study).has("plan", place):
            plan.renew()  # somebody else made the plan, and knows its tokens and its port
            save(plan, folder)
            remember_vouched(arguments.study, "plan", {place: BY_PATH})
        _serve(plan, folder, arguments)
    return 0


def _plan(study: Study, folder: Path, arguments: argparse.Namespace) -> AnnotationPlan:
    plan = load(folder)
    if plan is not None:
        _say_what_is_fixed(plan, folder, arguments)
        return plan
    if arguments.sample is not None and arguments.pairs is not None:
        raise Misuse("--sample draws pairs by lot and --pairs spreads them evenly: give one of them")
    count = arguments.sample or (21 if arguments.pairs is None else arguments.pairs)
    if count < 1:
        raise Misuse("--pairs must be at least 1")
    names = _names(arguments.annotators or "2")
    if not 0 < len(names) == len({name for name in names if re.fullmatch(NAME, name)}):
        raise Misuse(
            "--annotators is a number, or different names of letters, digits, - and _ with commas between"
        )
    seed = 7 if arguments.seed is None else arguments.seed
    if arguments.task == "criteria":
        plan = _criteria_plan(study, names, count, seed, arguments)
    else:
        profile = arguments.profile or study.config.get("settings", {}).get("profile")
        plan = make_plan(
            _reports(study, arguments.variants, arguments.shop),
            annotators=names,
            pairs=count,
            seed=seed,
            by_lot=arguments.sample is not None,
            both_bad=profile != "paper",
        )
    save(plan, folder)
    if len(plan.pairs) < count:
        what = "reports" if arguments.task == "criteria" else "comparisons"
        notice = f"{len(plan.pairs)} {what} are all that this study has; {count} were asked for"
        print(notice, file=sys.stderr if arguments.json else sys.stdout)
    return plan


def _criteria_plan(
    study: Study, names: list[str], count: int, seed: int, arguments: argparse.Namespace
) -> AnnotationPlan:
    variants = arguments.variants.split(",") if arguments.variants else None
    for paper in papers():
        reports: Sequence[BlindPair] | None = paper.judging.scored_reports(study, arguments.judge, variants)
        if reports is not None:
            return make_criteria_plan(reports, annotators=names, count=count, seed=seed)
    raise Misuse("--task criteria: no paper is here that scores by criteria")


def _names(words: str) -> list[str]:
    if words.isdigit():
        return [f"annotator-{n + 1}" for n in range(int(words))]
    return [word.strip() for word in words.split(",")]


_FEWER = ("--pairs", "--sample")


def _sheet(arguments: argparse.Namespace) -> int:
    """Write lines to be labelled, in the form that `drr report --labels` and `drr judges calibrate` read. Return the exit code."""
    from drr.app.annotate.sheets import under_random_names
    from drr.eval.agreement.samples import (
        draw_places,
        rated_reports,
        rating_sheet,
        support_places,
        support_sheet,
    )
    from drr.eval.judging.read import choose_judging, read_judged
    from drr.study.study import Study

    if arguments.sample is None or arguments.export is None:
        raise Misuse(f"--task {arguments.task}: say how many, and where to: --sample N --export FILE")
    who = (arguments.annotators or "").strip()
    with Study.read(arguments.study) as study:
        judged = read_judged(study, choose_judging(study, arguments.judge))
        supports = arguments.task == "support"
        places = support_places(judged) if supports else rated_reports(judged)
        if not places:
            raise Misuse(
                f"{arguments.study}: nothing to draw from; `drr judge {arguments.study}` judges it first"
            )
        chosen, sample = draw_places(
            places, arguments.sample, 7 if arguments.seed is None else arguments.seed
        )
        if supports:
            settings = settings_beside(study, arguments)
            with study_shop(study, settings, arguments.shop) as shop:
                desk = desk_of(settings, models_of(settings), shop)
                lines = support_sheet(judged, desk, chosen, sample, who)
        else:
            lines = rating_sheet(judged, chosen, sample, who)
    lines = under_random_names(arguments.study / "annotation", lines)
    write_lines(arguments.export, lines)
    print_result(
        arguments,
        {"file": str(arguments.export), "drawn": sample.drawn, "population": sample.population},
        f"{arguments.export}: {sample.drawn:,} of {sample.population:,} drawn by lot (seed {sample.seed});"
        ' fill in "label" and "judge" of each line, then `drr report STUDY --labels FILE`',
    )
    return 0


def _say_what_is_fixed(plan: AnnotationPlan, folder: Path, arguments: argparse.Namespace) -> None:
    """Raise `Misuse` for an option that differs from the plan. Pairs and sides were drawn once, and no option may be ignored silently."""
    known = {
        "--pairs": (arguments.pairs, len(plan.pairs)),
        "--sample": (arguments.sample, plan.sample.drawn if plan.sample else "pairs spread evenly"),
        "--seed": (arguments.seed, plan.seed),
        "--annotators": (
            arguments.annotators and _names(arguments.annotators),
            [person.name for person in plan.annotators],
        ),
        "--variants": (
            arguments.variants and sorted(arguments.variants.split(",")),
            sorted({name for pair in plan.pairs for name in (pair.system_a, pair.system_b) if name}),
        ),
    }
    for option, (given, drawn) in known.items():
        # Fewer pairs than asked for were drawn where the study had no more.
        if given and given != drawn and not (option in _FEWER and isinstance(drawn, int) and given > drawn):
            shown = ", ".join(drawn) if isinstance(drawn, list) else drawn
            raise Misuse(
                f"{folder / 'plan.json'} was drawn with {option} {shown}; leave the option out to go on with it, "
                f"or move {folder} away to draw anew"
            )


def _reports(study: Study, variants: str | None, shop: str | None) -> list[BlindReport]:
    from drr.eval.evidence.answers import read_answers

    answers = read_answers(study)
    present = sorted({answer.variant for answer in answers})
    summarised = [name for name in present if agent_of(name).endswith("+ws")]
    wanted = variants.split(",") if variants else summarised if len(summarised) > 1 else present
    unknown = sorted(set(wanted) - set(present))
    if unknown:
        raise Misuse(f"no answers by {', '.join(unknown)}; this study has {', '.join(present) or 'none'}")
    offer_shop(study.folder, study.config.get("run", {}).get("shop"), shop)
    profiles = ShopperProfiles(study, shop)
    return [
        BlindReport(
            query_id=answer.query_id,
            query=answer.query,
            profile=profiles.text(answer.user_id),
            system=answer.variant,
            trial=answer.trial,
            text=answer.report,
        )
        for answer in answers
        if answer.variant in wanted
    ]


def _serve(plan: AnnotationPlan, folder: Path, arguments: argparse.Namespace) -> None:
    from drr.app.pages.serve import run

    listener, notice = own_listener(plan, folder, arguments.port)
    port = listener.getsockname()[1]
    if notice is not None:
        print(notice, file=sys.stderr)
    at = f"http://127.0.0.1:{port}/?token="
    annotators = {one.name: at + one.token for one in plan.annotators}
    lines = [f"{name}: {address}" for name, address in annotators.items()]
    lines += [f"owner: {at}{plan.owner_token}", "Ctrl-C stops; every label is on disk as it is made."]
    print_result(arguments, {"annotators": annotators, "owner": at + plan.owner_token}, *lines)
    sys.stdout.flush()
    run(site(plan, folder, port), listener)
