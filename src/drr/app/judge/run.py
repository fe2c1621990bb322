"""Judges a study's reports: computes missing units and sums figures, or only forecasts the cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypedDict, TypeVar

from drr.app.calls import run_to_end
from drr.app.console import progress_of
from drr.app.judge.desk import desk_of, known_variants, open_study, study_settings, study_shop, workplace
from drr.app.judge.judge_plan import JudgePlan, JudgingChoices, export_points, judging_choices
from drr.app.models.setup import models_of
from drr.app.notices import notice
from drr.app.study.outcome import budget_of, check_run, conclude, unit_cap_of, without_lost_answers
from drr.app.study.spans import judgement_span, spans_of
from drr.app.study.workers import desk_facts, pool_of
from drr.citations.addresses import host_of
from drr.env.errors import DrrError, Misuse
from drr.env.powers import Power
from drr.env.query import check_no_talk
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.env.web.base import Page
from drr.env.web.open import open_web
from drr.eval.evidence.answers import Answer, questions, read_answers
from drr.eval.judging.difference import JudgingDifference, difference, last_two
from drr.eval.judging.read import has_figures, judgings, read_judged
from drr.eval.judging.run import (
    Forecast,
    JudgeOptions,
    JudgingResults,
    cited_pages,
    combine_forecasts,
    keep_judgeable,
    refetch,
)
from drr.eval.judging.run import forecast as expected
from drr.eval.metrics.document import study_document
from drr.eval.metrics.rows import StudyDocument
from drr.eval.stats.intervals import VRow
from drr.eval.tasks.desk import JudgingContext, keep_window, kept_window
from drr.eval.tasks.judgements import JudgingRun
from drr.eval.tasks.protocol import AS_PRINTED
from drr.eval.tasks.registry import groups
from drr.llm.factory import Models
from drr.llm.failures import ModelSetupError
from drr.llm.names import OFFLINE
from drr.study.cache import Kept, cached_result, file_states
from drr.study.pools import Pool
from drr.study.run import Summary
from drr.study.study import Study


class JudgeCounts(TypedDict):
    planned: int
    left: int
    stopped: str | None


@dataclass(frozen=True)
class Judgement:
    """The outcome of one call of `judge`, and the state of the judging after it."""

    summary: Summary
    planned: int
    whole: StudyDocument | None
    """Every figure; `None` where pages were read again, which is judged the next time."""
    invalid: Mapping[str, list[str]]
    """Reasons why the figures of a judging do not stand, by judging."""
    exported: int | None = None
    """Number of key points written."""

    @property
    def left(self) -> int:
        """Units that have no verdict yet."""
        return self.summary.left

    @property
    def metrics(self) -> dict[str, dict[str, VRow]]:
        """Return the metrics by variant and name."""
        return {} if self.whole is None else self.whole["metrics"]

    def document(self) -> Mapping[str, object]:
        """Return the form that `drr judge --json` prints."""
        run = JudgeCounts(planned=self.planned, left=self.left, stopped=self.summary.stopped)
        if self.whole is None:
            return {"schema": 1, "metrics": {}, "run": run}
        return {**self.whole, "run": run}


class _Bench(NamedTuple):
    """An open study, with all that judging it takes."""

    study: Study
    options: JudgeOptions
    settings: Settings
    models: Models
    desks: list[JudgingContext]
    chosen: JudgingChoices


Done = TypeVar("Done")


def judge(plan: JudgePlan) -> Judgement:
    """Compute the missing judgements of the study; return the outcome with every figure."""
    return _at_bench(plan, lambda bench: _judged(plan, bench), calls=True)


def forecast(plan: JudgePlan) -> Forecast:
    """Return the forecast of the calls, tokens and cost of `judge`, without calling a model."""
    if plan.export_points is not None:
        raise Misuse(
            "--export-points: a dry run makes no points that could be written; leave one of the two out"
        )

    def whole(bench: _Bench) -> Forecast:
        try:
            return combine_forecasts(
                [expected(bench.study, one, bench.models, bench.options) for one in bench.desks]
            )
        except ModelSetupError as error:
            raise Misuse(str(error)) from error

    return _at_bench(plan, whole, calls=False)


def _at_bench(plan: JudgePlan, work: Callable[[_Bench], Done], *, calls: bool) -> Done:
    """Do this work with the study open, its shop and models ready, and desks set up.

    A forecast writes nothing, so a study that can only be read will do.
    """
    with open_study(plan.study, to_look=not calls) as study:
        if "stress" in study.config.get("run", {}):
            raise Misuse(
                f"{plan.study}: its answers saw a changed shop that no judge has; `drr report {plan.study.parent} --stress`"
                " reads them"
            )
        check_no_talk(questions(study).values())
        options = _options(plan, study, known_variants(study, plan.variants))
        powers: tuple[Power, ...] = ("pay", "run") if plan.refetch else ("pay",)
        settings = study_settings(study, plan.named_settings, plan.trust_address, *powers)
        models = models_of(settings)
        if calls:
            check_run(plan, models, ("judge", "claim_extractor"), study)
        with study_shop(study, settings, plan.shop) as shop:
            # Done again where a lost text shows up: new desks then plan without its answer.
            def done() -> Done:
                desks = _desks(study, plan, options, settings, models, shop)
                # All desks have one judge, so what the first cannot judge leaves the options of all.
                if left_out := keep_judgeable(desks[0], options):
                    notice(
                        f"{plan.study}: not judged: {', '.join(left_out)}; --judge MODEL names who judges them"
                    )
                answers = list(desks[0].answers.values())
                chosen = judging_choices(study, desks[0], answers, plan, list(options.what))
                for desk in desks:
                    chosen.apply_to(desk)
                return work(_Bench(study, options, settings, models, desks, chosen))

            return without_lost_answers(study, done)


def _judged(plan: JudgePlan, bench: _Bench) -> Judgement:
    bench.chosen.keep(bench.study, plan)
    # The window decides what stands in a request; a bundle's reader must plan the same requests again.
    if bench.settings.judge_window is not None:
        keep_window(bench.study, bench.settings.judge_window)
    _say_judge(plan, bench)
    # Planning reads every report; where nothing changed since all was judged, it is skipped.
    whole = Kept(bench.study, "whole", lambda: _asked_for(plan, bench))
    asked, answers = _asked_for(plan, bench), bench.study.ledger.records.stamps("answer")
    if (planned := whole.read(whole.mark())) is not None:
        return _summed_judgement(plan, bench, JudgingResults(planned=planned))
    opener = "drr.app.judge.desk:open_workplace"
    pools = [
        pool_of(plan, bench.settings, opener, workplace(bench.study, desk, plan), judging=True)
        for desk in bench.desks
    ]
    ran = run_to_end(_run(plan, bench, pools))
    # Answers may have come in meanwhile; then what was judged is not the whole.
    same = (asked, answers) == (_asked_for(plan, bench), bench.study.ledger.records.stamps("answer"))
    units = (one for one in bench.study.ledger.units.standings() if one.kind == "judgement")
    if asked and same and ran.summary.stopped is None and all(one.status == "done" for one in units):
        whole.write(whole.mark(), ran.planned)
    return _summed_judgement(plan, bench, ran)


def _asked_for(plan: JudgePlan, bench: _Bench) -> list[str]:
    """Return the facts that decide the plan besides the study; empty where a shop or a page may change unseen."""
    shop = bench.desks[0].shop
    if plan.refetch or (shop is not None and not Path(shop.spec).exists()):
        return []
    given = {name: one for name, one in plan if name != "study"}
    own = (one for options in plan.of_papers.values() for _, one in options)
    files = [one for one in (*given.values(), *own, shop and Path(shop.spec)) if isinstance(one, Path)]
    desks = [[desk_facts(desk), desk.protocol.name, desk.batch, desk.repeat] for desk in bench.desks]
    return [repr(one) for one in (given, bench.settings, desks, file_states(files))]


def _say_judge(plan: JudgePlan, bench: _Bench) -> None:
    """Print which model judges if nobody named one now, and whether it wrote reports that it judges."""
    judge, answers = bench.models.name_of("judge"), bench.desks[0].answers.values()
    if judge == OFFLINE or "model_judge" in plan.named_settings:
        return
    wrote = any(answer.is_by(judge) for answer in answers)
    own = ", which wrote reports of this study: it judges itself" if wrote else ""
    notice(f"{plan.study}: judged by {judge}{own}; --judge names another")


async def _run(plan: JudgePlan, bench: _Bench, pools: list[Pool | None]) -> JudgingResults:
    # Imported here, because this module has a `judge` of its own.
    from drr.eval.judging.run import judge

    total = JudgingResults()
    with spans_of(plan.spans(), bench.models) as spans:
        try:
            for desk, pool in zip(bench.desks, pools, strict=True):
                around, progress = partial(judgement_span, spans), progress_of(plan)
                ran = await judge(
                    bench.study,
                    desk,
                    bench.models,
                    bench.options,
                    pool=pool,
                    progress=progress,
                    around=around,
                )
                total.add(ran.summary, ran.planned)
                if total.summary.stopped is not None:
                    break
        finally:
            await bench.models.aclose()
    return total


def _summed_judgement(plan: JudgePlan, bench: _Bench, ran: JudgingResults) -> Judgement:
    judge = bench.desks[0].judge.shown
    if not has_figures(bench.study, judge):
        return Judgement(ran.summary, ran.planned, None, {})
    document: StudyDocument = cached_result(
        bench.study, "judged", lambda: judge, lambda: study_document(bench.study, judge)
    )
    exported = None
    if plan.export_points is not None:
        exported = export_points(bench.study, bench.desks[0], plan.export_points)
    invalid = {"this judging": document["coverage"]["invalid_because"]}
    if "as_printed" in document and any(desk.protocol is AS_PRINTED for desk in bench.desks):
        invalid["the judging as the paper prints it"] = document["as_printed"]["coverage"]["invalid_because"]
    return Judgement(ran.summary, ran.planned, document, invalid, exported)


def conclude_judging(judgement: Judgement, folder: Path) -> int:
    """Print how the judging ended; return the exit code, 0 if nothing failed and the figures are valid. Raise `DrrError` if a model or the disk failed."""
    code = conclude(judgement.summary, folder, "judge")
    if judgement.whole is None:
        notice(
            f"{folder}: what pages read now stands beside what was frozen; `drr judge {folder}` judges that"
        )
    for which, because in judgement.invalid.items():
        if because:
            notice(
                f"{folder}: {which} is invalid ({'; '.join(because)}); `drr study trace {folder}` tells the"
                " cause, --retry-failed judges again"
            )
            code = code or 1
    return code


class JudgingChanges(NamedTuple):
    """The differences between two judging runs of one study."""

    document: JudgingDifference
    old: str
    new: str
    known: Sequence[JudgingRun]
    """All judging runs of the study."""


def compare_judgings(folder: Path, names: Sequence[str] = ()) -> JudgingChanges:
    """Compare two judging runs by id, or the last two of one protocol; return the differences. Nothing is judged."""
    with open_study(folder, to_look=True) as study:
        known = judgings(study)
        names = list(names) or [judging.id for judging in last_two(known)]
        by_id = {judging.id: judging for judging in known}
        if len(names) != 2 or not by_id.keys() >= set(names):
            listing = (
                ", ".join(f"{j.id} ({j.judge}, {j.protocol}, repeat {j.repeat})" for j in known) or "none"
            )
            raise Misuse(
                f"--diff needs two judgings of this study, of one protocol or named as --diff ID ID; it has {listing}"
            )
        old, new = (read_judged(study, by_id[name]) for name in names)
        return JudgingChanges(difference(old, new), names[0], names[1], known)


def _options(plan: JudgePlan, study: Study, variants: str | None) -> JudgeOptions:
    usual = groups(usual=True) if plan.what is None else plan.what.split(",")
    what = [word.strip() for word in usual if word.strip()]
    wrong = [word for word in what if word not in groups()]
    if wrong or not what:
        raise Misuse(
            f"--what {plan.what!r}: {', '.join(wrong) or 'nothing'} cannot be judged; use {', '.join(groups())}"
        )
    if plan.unknown and not plan.refetch:
        raise Misuse("--unknown: says what --refetch may ask for; give both")
    return JudgeOptions(
        what,
        variants.split(",") if variants else None,
        budget_of(plan, study),
        unit_cap_of(plan),
        plan.units,
        plan.retry_failed,
        plan.limit,
    )


def _desks(
    study: Study,
    plan: JudgePlan,
    options: JudgeOptions,
    settings: Settings,
    models: Models,
    shop: Shop | None,
) -> list[JudgingContext]:
    """Return the desks (all that judging takes): ours, one more for each repetition, and the paper's under `--profile paper`."""
    answers = read_answers(study)
    if not answers and study.losses:
        raise DrrError(
            f"{study.folder}: all its finished answers lack texts; `drr run {study.folder} --retry-failed`"
        )
    if not answers and options.need_answers:
        raise DrrError(
            f"{study.folder}: holds no finished answer; `drr run` or `drr study import` makes some"
        )
    unknown = set(options.variants or ()) - {a.variant for a in answers}
    if unknown:
        known = ", ".join(sorted({a.variant for a in answers}))
        raise Misuse(f"--variants: {', '.join(sorted(unknown))} is not in this study; it has {known}")
    desk = desk_of(settings, models, shop)
    desk.batch, desk.all_pairs = plan.batch, plan.pairs == "all"
    if plan.refetch:
        desk.refetched = _fetch_cited_pages(answers, plan, settings, shop)
    desks = [desk, *(replace(desk, repeat=k) for k in range(1, plan.repeat))]
    if settings.profile == "paper":
        # As printed each claim has its own request, all pairs meet, and pages are as they were kept.
        desks.append(desk_of(settings, models, shop, AS_PRINTED))
    for one in desks:
        one.window = settings.judge_window or kept_window(study)
        one.questions = questions(study)
        one.add(answers)
    return desks


def _fetch_cited_pages(
    answers: list[Answer], plan: JudgePlan, settings: Settings, shop: Shop | None
) -> dict[str, Page]:
    """Return the cited pages as they read now, by address: those that a tool returned, with `--unknown` all."""
    # Neither the run's snapshots nor its recording: they hold the pages as they were, and nothing is searched for.
    now = settings.model_copy(update={"web_record": None}) if settings.web == "serper" else settings
    web = open_web(now, shop=shop, searching=False)
    pages = cited_pages(answers, frozenset(filter(None, [host_of(settings.shop_url)])))
    if pages.unknown and not plan.unknown:
        notice(
            f"not asked for: {len(pages.unknown):,} of the cited addresses, which no tool returned; `drr judge {plan.study} --refetch --unknown` asks"
        )
    return run_to_end(refetch(pages, web, unknown=plan.unknown))
