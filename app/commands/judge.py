"""`drr judge`: judges the reports of a study; what is judged already is never judged again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.judging_choices import JudgingChoices
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.env.web.base import Page
    from drr.eval.evidence.answers import Answer
    from drr.eval.judging.difference import JudgingDifference
    from drr.eval.judging.plan import JudgeOptions
    from drr.eval.judging.run import Ran
    from drr.eval.tasks.desk import Desk
    from drr.extras.otel.spans import Spans, SpanTerms
    from drr.llm.factory import Models
    from drr.study.pool import Pool
    from drr.study.study import Study

_EXAMPLES = """\
The judge is the model of --judge, else the setting model_judge, else the study's model. Without a key it is `offline`:
surface rules, which try the machinery out and measure nothing. A new judge or a changed prompt adds judgements beside
the old ones. `--profile paper` computes the paper's own protocol beside ours, labelled "as printed".

examples:
  drr judge study
  drr judge study --judge anthropic:claude-sonnet-5-5 --budget 40 --dry-run
  drr judge study --what pairwise --variants react,hybrid-react
  drr judge study --repeat 3                   # judge again, for the stability of the judge
  drr judge study --diff                       # what changed between the last two judgings
  drr judge study --what points --export-points points.jsonl    # key points of each question, before any is scored
  drr judge study --what mistakes --judge anthropic:claude-sonnet-5-5   # proofread against the shop's records, twice
  drr judge study --what recall --points points.jsonl           # how many of them each report has
  drr judge study --what relative --reference react             # grades against react's reports, both orders
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.judging_choices import add_judging_options, paper_choices
    from drr.eval.tasks.registry import groups

    usual = groups(usual=True)
    further = "".join(f"{line}\n" for module in paper_choices() for line in module.EXAMPLES)
    parser.epilog = _EXAMPLES + further
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument(
        "--what",
        default=",".join(usual),
        metavar="KINDS",
        help=f"with commas, of {', '.join(groups())} (default: {', '.join(usual)})",
    )
    add_judging_options(parser)


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from drr.app.judging import open_study, study_settings, study_shop, variants_held
    from drr.app.models import models_of
    from drr.app.studies import budget_of, check_models, despite_losses, unit_cap_of
    from drr.eval.judging.plan import check_rules
    from drr.extras.otel.spans import span_terms, spans_of

    otel = span_terms(arguments.otel, text=arguments.otel_text)
    with open_study(arguments.study) as study:
        if arguments.diff is not None:
            return _diff(study, arguments)
        arguments.variants = variants_held(study, arguments.variants)
        options = _options(arguments, study)
        settings = study_settings(study, arguments)
        models = models_of(settings)
        if not arguments.dry_run:
            check_models(
                models, ("judge", "claim_extractor"), budget_of(arguments, study), unit_cap_of(arguments)
            )
        with study_shop(study, settings, arguments.shop) as shop:

            def judged() -> int:
                desks = _desks(study, arguments, options, settings, models, shop)
                check_rules(desks[0], options)
                chosen = _chosen(study, desks, arguments, options)
                if arguments.dry_run:
                    return _dry_run(study, desks, models, options, arguments.json)
                chosen.keep(study, arguments)
                pools = [_pool(study, desk, arguments, settings, otel) for desk in desks]
                with spans_of(otel, models) as spans:
                    return asyncio.run(_judge(study, desks, pools, models, spans, options, arguments))

            return despite_losses(study, judged)


def _options(arguments: argparse.Namespace, study: Study) -> JudgeOptions:
    from drr.app.studies import budget_of, unit_cap_of
    from drr.env.errors import Misuse
    from drr.eval.judging.plan import JudgeOptions
    from drr.eval.tasks.registry import groups
    from drr.eval.tasks.support import BATCH_MOST

    what = [word.strip() for word in arguments.what.split(",") if word.strip()]
    wrong = [word for word in what if word not in groups()]
    if wrong or not what:
        raise Misuse(
            f"--what {arguments.what!r}: {', '.join(wrong) or 'nothing'} cannot be judged; use {', '.join(groups())}"
        )
    if arguments.unknown and not arguments.refetch:
        raise Misuse("--unknown: says what --refetch may ask for; give both")
    if arguments.batch > BATCH_MOST:
        raise Misuse(
            f"--batch {arguments.batch}: at most {BATCH_MOST} claims fit one call without losing some"
        )
    return JudgeOptions(
        what,
        arguments.variants.split(",") if arguments.variants else None,
        budget_of(arguments, study),
        unit_cap_of(arguments),
        arguments.units,
        arguments.retry_failed,
        arguments.limit,
    )


def _desks(
    study: Study,
    arguments: argparse.Namespace,
    options: JudgeOptions,
    settings: Settings,
    models: Models,
    shop: Shop | None,
) -> list[Desk]:
    """Ours; under `--profile paper` the paper's beside it; one more for each repetition."""
    from dataclasses import replace

    from drr.app.judging import desk_of
    from drr.env.errors import DrrError, Misuse
    from drr.eval.evidence.answers import questions, read_answers
    from drr.eval.tasks.protocol import AS_PRINTED

    answers = read_answers(study)
    if not answers and study.losses:
        raise DrrError(
            f"{study.folder}: all its finished answers lack texts; `drr run {study.folder} --retry-failed`"
        )
    if not answers and options.need_answers:
        raise DrrError(
            f"{study.folder}: holds no finished answer; `drr run` or `drr study import` makes some"
        )
    unknown = set(arguments.variants.split(",") if arguments.variants else ()) - {a.variant for a in answers}
    if unknown:
        known = ", ".join(sorted({a.variant for a in answers}))
        raise Misuse(f"--variants: {', '.join(sorted(unknown))} is not in this study; it has {known}")
    desk = desk_of(settings, models, shop)
    desk.batch = arguments.batch
    if arguments.refetch:
        desk.refetched = _refetched(answers, arguments, settings, shop)
    desks = [desk, *(replace(desk, repeat=k) for k in range(1, arguments.repeat))]
    if settings.profile == "paper":
        desks.append(desk_of(settings, models, shop, AS_PRINTED))
    for one in desks:
        one.questions = questions(study)
        one.add(answers)
    return desks


def _chosen(
    study: Study, desks: list[Desk], arguments: argparse.Namespace, options: JudgeOptions
) -> JudgingChoices:
    """The same for every desk."""
    from drr.app.judging_choices import choices

    found = choices(study, desks[0], list(desks[0].answers.values()), arguments, list(options.what))
    for one in desks:
        found.settle(one)
    return found


def _refetched(
    answers: list[Answer], arguments: argparse.Namespace, settings: Settings, shop: Shop | None
) -> dict[str, Page]:
    """The cited pages as they read now: those that a tool returned, and with `--unknown` all."""
    import asyncio
    import sys

    from drr.citations.addresses import host_of
    from drr.env.web.open import open_web
    from drr.eval.judging.run import cited_pages, refetch

    # Neither the run's snapshots nor its recording: they hold the pages as they were, and nothing is searched for.
    now = settings.model_copy(update={"web_record": None}) if settings.web == "serper" else settings
    web = open_web(now, shop=shop, searching=False)
    pages = cited_pages(answers, frozenset(filter(None, [host_of(settings.shop_url)])))
    if pages.unknown and not arguments.unknown:
        print(
            f"drr: not asked for: {len(pages.unknown):,} of the cited addresses, which no tool returned; `drr judge {arguments.study} --refetch --unknown` asks",
            file=sys.stderr,
        )
    return asyncio.run(refetch(pages, web, unknown=arguments.unknown))


def _pool(
    study: Study, desk: Desk, arguments: argparse.Namespace, settings: Settings, otel: SpanTerms | None
) -> Pool | None:
    from drr.app.judging import desk_document
    from drr.app.workers import pool_of

    document = {**desk_document(study, desk, arguments.shop), "otel": otel}
    return pool_of(arguments, settings, "drr.app.judging:open_workplace", document, judging=True)


async def _judge(
    study: Study,
    desks: list[Desk],
    pools: list[Pool | None],
    models: Models,
    spans: Spans,
    options: JudgeOptions,
    arguments: argparse.Namespace,
) -> int:
    from functools import partial

    from drr.app.console import progress_of
    from drr.eval.judging.run import Ran, judge
    from drr.extras.otel.spans import judgement_span

    total = Ran()
    try:
        for desk, pool in zip(desks, pools, strict=True):
            around, progress = partial(judgement_span, spans), progress_of(arguments)
            ran = await judge(study, desk, models, options, pool=pool, progress=progress, around=around)
            total.add(ran.summary, ran.planned)
            if total.summary.stopped is not None:
                break
    finally:
        await models.aclose()
    return _conclude(study, desks, total, arguments)


def _conclude(study: Study, desks: list[Desk], ran: Ran, arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.console import print_json
    from drr.app.judged import told_of
    from drr.app.judging_choices import export_points
    from drr.app.studies import conclude
    from drr.eval.judging.read import has_figures
    from drr.eval.metrics.document import study_document
    from drr.eval.tasks.protocol import AS_PRINTED

    told = {"planned": ran.planned, "left": ran.summary.left, "stopped": ran.summary.stopped}
    judge = desks[0].judge.shown
    if not has_figures(study, judge):
        if arguments.json:
            print_json({"schema": 1, "metrics": {}, "run": told})
        code = conclude(ran.summary, study.folder, "judge")
        print(
            f"drr: {study.folder}: what pages read now stands beside what was frozen; `drr judge {study.folder}` judges that",
            file=sys.stderr,
        )
        return code
    document = study_document(study, judge)
    if arguments.export_points is not None:
        count = export_points(study, desks[0], arguments.export_points)
        print(f"{arguments.export_points}: {count} key points", file=sys.stderr)
    if arguments.json:
        print_json({**document, "run": told})
    else:
        print(told_of(document))
    code = conclude(ran.summary, study.folder, "judge")
    found = {"this judging": document["coverage"]["invalid_because"]}
    if "as_printed" in document and any(desk.protocol is AS_PRINTED for desk in desks):
        found["the judging as the paper prints it"] = document["as_printed"]["coverage"]["invalid_because"]
    for which, because in found.items():
        if because:
            print(
                f"drr: {study.folder}: {which} is invalid ({'; '.join(because)}); `drr study trace {study.folder}` tells the"
                " cause, --retry-failed judges again",
                file=sys.stderr,
            )
            code = code or 1
    return code


def _dry_run(study: Study, desks: list[Desk], models: Models, options: JudgeOptions, as_json: bool) -> int:
    from drr.app.console import print_json
    from drr.app.terminal import table
    from drr.eval.judging.plan import combined, forecast

    whole = combined([forecast(study, desk, models, options) for desk in desks])
    if as_json:
        print_json(whole)
        return 0
    rows = [
        [name, f"{row['calls']:,}", f"{row['input_tokens']:,}", f"{row['output_tokens']:,}"]
        for name, row in [*whole["tasks"].items(), ("all", whole)]
    ]
    print(
        table(
            [f"{whole['judge']}, {whole['answers']} answers", "calls", "input tokens", "output tokens"], rows
        )
    )
    cost = (
        "unknown price"
        if whole["cost_usd"] is None
        else f"about ${whole['cost_usd']:,.2f} (prices of {whole['price_date']})"
    )
    print(f"cost: {cost}")
    return 0


def _diff(study: Study, arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.env.errors import Misuse
    from drr.eval.judging.difference import difference, last_two
    from drr.eval.judging.read import judgings, read_judged

    known = judgings(study)
    names = arguments.diff or [judging.id for judging in last_two(known)]
    by_id = {judging.id: judging for judging in known}
    if len(names) != 2 or not by_id.keys() >= set(names):
        listing = ", ".join(f"{j.id} ({j.judge}, {j.protocol}, repeat {j.repeat})" for j in known) or "none"
        raise Misuse(
            f"--diff needs two judgings of this study, of one protocol or named as --diff ID ID; it has {listing}"
        )
    old, new = (read_judged(study, by_id[name]) for name in names)
    document = difference(old, new)
    if arguments.json:
        print_json(document)
        return 0
    if document["warning"]:
        print(f"Warning: {document['warning']}.\n")
    _print_changes(document)
    if not any(row["both"] for row in document["tasks"].values()):
        print(f"{names[0]} and {names[1]} judged nothing in common; --diff ID ID compares two others of:")
        print("\n".join(f"  {judging.id} ({judging.judge}, {judging.protocol})" for judging in known))
    return 0


def _print_changes(document: JudgingDifference) -> None:
    for task, row in document["tasks"].items():
        print(f"{task}: {row['changed']} of {row['both']} changed")
        for change in row["changes"][:20]:
            print(f"  {change['answer']} {change['item']}: {change['old']} -> {change['new']}")
        if len(row["changes"]) > 20:
            print(f"  and {len(row['changes']) - 20} more; --json lists them all")
