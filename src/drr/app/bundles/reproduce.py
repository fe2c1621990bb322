"""Runs a drawn part of a bundle's questions again, by the agent itself, and tests the difference of the figures."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.app.bundles.answers import all_contained
from drr.app.bundles.findings import Reproduced
from drr.app.bundles.regrade import judged_before
from drr.app.bundles.verifier import VerifyTerms, sign_file, verify
from drr.app.judge.judge_plan import JudgePlan, paper_options
from drr.app.judge.run import judge
from drr.app.notices import notice
from drr.app.report.contrasts import graded_metrics
from drr.app.study.outcome import conclude
from drr.app.study.run import run
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import Count, RunTerms, option
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.eval.evidence.answers import asked_of, questions
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics import families_with, metric_name, metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.compare import ValueTable
from drr.eval.stats.differences import (
    detectable_difference,
    is_settled,
    paired,
    pooled_sd,
    unpaired,
    with_holm,
)
from drr.eval.stats.question import AskedQuestion
from drr.eval.tasks.judgements import Judged
from drr.querygen.files import write_queries
from drr.study.bundle.parcel import unpacked
from drr.study.bundle.restore import plain_config, restore_study
from drr.study.form import naming_errors
from drr.study.study import Study

FEWEST = 10
"""Fewest questions of a sample: a test over fewer hardly shows any difference."""
Values = Mapping[AskedQuestion, Sequence[float | None]]


class ReproducePlan(RunTerms):
    """The request of a reproduction: the agent that runs again, the draw, and the terms of the run."""

    bundle: Path
    agent: str
    """The agent as for `drr run --variants`."""
    sample: Count = option("call", "questions drawn (default 30)", "N", 30)
    seed: int | None = option("call", "draws them (default: a random one, which is told)", "S", type=int)
    variant: str | None = option("call", "the system of the bundle (default: its only one)", "NAME")
    by: str | None = option("call", "the figure that is compared (default: the one that ranks)", "METRIC")
    shop: str | None = option("call", "the shop that was asked about", "SHOP")
    questions: Path | None = option("call", "the set with its truth (default: the bundle's)", "FILE")
    fresh: Path | None = option("call", "ask about this shop of `drr shop make` instead", "DIR")
    out: Path | None = option("call", "the new run (default: FILE-again); a second call continues it", "DIR")
    sign: Path | None = option("call", "sign the result with your key", "KEY", flag="--with")
    dry_run: bool = option("call", "say what the draw can show; run nothing", None, False)

    @property
    def folder(self) -> Path:
        return self.out or Path(f"{self.bundle.stem}-again")


class _Stated(NamedTuple):
    """The part of a bundle that is reproduced."""

    root: str
    variant: str
    metric: Metric
    values: Values
    asked: Mapping[str, Query]
    request: StudyPlan
    """The bundle's request of answers."""
    judge: str | None
    """Judge of the metric; `None` where code computes it."""
    what: str
    """Groups of judging tasks behind the metric's figures."""


class DrawnQuestions(NamedTuple):
    """The questions to ask again, and the smallest difference that they can show."""

    root: str
    """Root hash of the bundle."""
    queries: Sequence[Query]
    seed: int
    could_show: float | None
    line: str


def reproduce(plan: ReproducePlan) -> tuple[DrawnQuestions, Reproduced | None]:
    """Draw questions of a bundle, run its agent on them again, and compare.

    There is no result of a dry run, and none where answers are missing. Raises `DrrError` for a bundle that contradicts itself.
    """
    shop = None if plan.fresh else plan.shop
    found = verify(
        plan.bundle, VerifyTerms(shop=shop, questions=plan.questions, named_settings=plan.named_settings)
    )
    for fault in found.failed:
        raise DrrError(f"{plan.bundle}: {fault['check']}: {fault['where']} {fault['what']}")
    with naming_errors("the bundle"):
        stated = _read(plan)
    if stated.judge not in (None, resolve(dict(plan.named_settings)).settings.model_for("judge")):
        raise Misuse(
            f"{stated.metric.label} is by the judge {stated.judge}: give --model-judge {stated.judge}"
        )
    draw = _draw_questions(plan, stated)
    notice(draw.line)
    if plan.dry_run:
        return draw, None
    summary, _ = run(_request(plan, stated))
    conclude(summary, plan.folder / "study", command=f"bundle reproduce {plan.bundle} ...")
    if summary.left or summary.stopped:
        return draw, None
    result = _compare_with_stated(plan, stated, draw)
    if plan.sign is not None:
        sign_file(plan.bundle, stated.root, plan.sign, "reproducer", result)
    return draw, result


def _read(plan: ReproducePlan) -> _Stated:
    by = None if plan.by is None else metric_name(plan.by)
    with unpacked(plan.bundle) as parcel, restore_study(parcel, None, plain_config(parcel)) as study:
        answers = [one for one in study.records("answer", None) if not one.made_elsewhere]
        names = sorted({str(one.spec["variant"]) for one in answers})
        variant = plan.variant or (names[0] if len(names) == 1 else None)
        if variant not in names:
            raise Misuse(f"--variant: name one system of the bundle: {', '.join(names) or 'it has none'}")
        judging = choose_judging(study)
        judged = read_judged(study, judging)
        ranking = [by] if by else graded_metrics()
        values = ValueTable(judged, families_with(judged, ranking)).values(variant)
        known = [
            one for one in ranking if any(v is not None for row in values.get(one, {}).values() for v in row)
        ]
        if not known:
            raise Misuse(
                f"{plan.bundle}: {variant} has no figure of {', '.join(ranking)}; --by names another"
            )
        metric = metrics([known[0]])[known[0]]
        found = _with_failures(study, judged, variant, metric)
        by_judge = judging.judge if metric.judged and judging is not None else None
        whole = {one.id: one for one in (read_queries(plan.questions) if plan.questions else ())}
        asked = {one.query for one in found}
        return _Stated(
            *(parcel.root, variant, metric, found),
            {name: one for name, one in {**questions(study), **whole}.items() if name in asked},
            StudyPlan.of_study(plan.bundle, parcel.study()["config"]),
            by_judge,
            judged_before(study),
        )


def _with_failures(study: Study, judged: Judged, variant: str, metric: Metric) -> Values:
    """Return the known values, with the worst value for each answer that failed for good. Who fails where it is hard gains nothing."""
    families = families_with(judged, [metric.name]) if judged.answers else []
    values = ValueTable(judged, families).values(variant).get(metric.name, {}) if families else {}
    found = {asked: [x for x in trials if x is not None] for asked, trials in values.items()}
    if metric.range is not None and not any(hasattr(one, "unanswered") for one in families):
        worst, known = metric.range[metric.better == "lower"], questions(study)
        for record in study.records("answer", None):
            if record.spec["variant"] == variant and not (record.done or record.transient):
                asked = asked_of(record.spec, known.get(str(record.spec["query_id"])))
                found.setdefault(asked, []).append(worst)
    return {asked: trials for asked, trials in found.items() if trials}


def _draw_questions(plan: ReproducePlan, stated: _Stated) -> DrawnQuestions:
    """Draw the questions, by the seed of the folder where a run began before, and write them for the run."""
    kept, file = plan.folder / "draw.json", plan.folder / "queries.jsonl"
    pool = read_queries(plan.fresh / "queries.jsonl") if plan.fresh else [*stated.asked.values()]
    size = min(plan.sample, len(pool))
    if size < FEWEST:
        few = f"--sample: {size:,} of {len(pool):,} questions show hardly any difference"
        raise Misuse(f"{few}; at least {FEWEST} are needed, of the bundle or of --fresh")
    seed = plan.seed
    if kept.is_file():
        before = json.loads(read_file(kept))
        if before["bundle"] != stated.root or seed not in (None, before["seed"]):
            raise Misuse(f"{plan.folder}: holds another draw; name a new folder with --out")
        seed = int(before["seed"])
    seed = secrets.randbelow(10**9) if seed is None else seed
    queries = random.Random(seed).sample(sorted(pool, key=lambda one: one.id), size)
    could_show, is_bound = _could_show(stated.values, size, fresh=plan.fresh is not None)
    if not plan.dry_run:
        plan.folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"bundle": stated.root, "seed": seed}), encoding="utf-8")
        write_queries(file, queries)
    mean = np.mean(_means(stated.values))
    least = "unknown" if could_show is None else f"{'at most ' * is_bound}{stated.metric.shown(could_show)}"
    where = "of a shop made anew, where the answers cannot be known" if plan.fresh else f"of {len(pool):,}"
    return DrawnQuestions(
        stated.root,
        queries,
        seed,
        could_show,
        f"{stated.variant}: {stated.metric.label} {stated.metric.shown(float(mean))} in the bundle. {size:,} questions {where}, drawn with"
        f" seed {seed}, show a difference of {least} in four of five cases, and a smaller one seldom",
    )


def _means(values: Values) -> list[float]:
    known = ([x for x in trials if x is not None] for trials in values.values())
    return [sum(own) / len(own) for own in known if own]


def _could_show(values: Values, size: int, *, fresh: bool) -> tuple[float | None, bool]:
    """Return the smallest difference that is found in four of five cases, and whether it is a bound alone.

    Two honest runs of one question differ by the variance between its trials. Where each has one, that is at most the whole variance.
    """
    means = _means(values)
    whole = float(np.std(means, ddof=1)) if len(means) > 1 else 0.0
    if fresh:
        return detectable_difference(whole * sqrt(1 / size + 1 / len(means)), size), False
    within, _ = pooled_sd(values.values())
    trials = max(map(len, values.values()))
    error = whole * sqrt(2) if within is None else within * sqrt(1 + 1 / trials)
    return detectable_difference(error / sqrt(size), size), within is None


def _request(plan: ReproducePlan, stated: _Stated) -> StudyPlan:
    """Return the request of the new run: this user's shop and settings, with the limits that the bundle states."""
    fresh, own = plan.fresh, stated.request
    web = {"sandbox": fresh / "web"} if fresh is not None and (fresh / "web").is_dir() else {}
    return StudyPlan(
        **{name: getattr(plan, name) for name in RunTerms.model_fields if name != "named_settings"},
        study=plan.folder / "study",
        shop=str(fresh / "shop") if fresh else plan.shop,
        queries=plan.folder / "queries.jsonl",
        variants=plan.agent,
        trials=1,
        limits=own.limits,
        citation_repair=own.citation_repair,
        references=own.references,
        named_settings={**plan.named_settings, **web},
    )


def _compare_with_stated(plan: ReproducePlan, stated: _Stated, draw: DrawnQuestions) -> Reproduced:
    folder, metric = plan.folder / "study", stated.metric
    if stated.judge is not None:
        judge(
            JudgePlan(
                study=folder,
                what=stated.what,
                of_papers=paper_options({}),
                named_settings=plan.named_settings,
                trust_address=plan.trust_address,
            )
        )
    with Study.read(folder) as study:
        judged = read_judged(study, choose_judging(study, stated.judge))
        records = [*study.records("answer", None)]
        name = str(records[0].spec["variant"])
        again = _with_failures(study, judged, name, metric)
        contained = all_contained(records)
    before = stated.values
    if not plan.fresh:
        drawn = {query.id for query in draw.queries}
        before = {one: trials for one, trials in before.items() if one.query in drawn}
    tested = with_holm({metric: (unpaired if plan.fresh else paired)(again, before, metric.range)})
    row = tested[metric].document()
    if row["value"] is None or row["n"] < FEWEST:
        raise DrrError(
            f"{folder}: {row['n']:,} of the questions have {metric.label} on both sides, too few to compare; `drr study status {folder}` tells why"
        )
    worse = (row["value"] < 0) is (metric.better != "lower")
    return {
        "variant": stated.variant,
        "metric": metric.name,
        "ran": row["n"],
        "asked": len(stated.asked),
        "seed": draw.seed,
        "fresh": plan.fresh is not None,
        "contained": bool(contained),
        "difference": row["value"],
        "ci_low": row["ci_low"],
        "ci_high": row["ci_high"],
        "could_show": draw.could_show,
        "holds": not (worse and is_settled(row)),
    }
