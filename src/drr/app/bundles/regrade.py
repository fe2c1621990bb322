"""Judges a bundle's answers by another judge, and sets both judges' figures side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, cast

from drr.app.bundles.findings import BundleFindings
from drr.app.bundles.verifier import check_hashes
from drr.app.judge.judge_plan import JudgePlan
from drr.app.judge.run import Judgement, judge
from drr.app.notices import notice
from drr.app.report.report_plan import ReportPlan
from drr.app.report.study_report import figures_of
from drr.env.errors import DrrError
from drr.env.files import passing_folder
from drr.eval.judging.read import choose_judging
from drr.eval.metrics import metrics
from drr.eval.stats.intervals import VRow
from drr.eval.tasks.registry import groups, tasks
from drr.study.blobs import Blobs
from drr.study.bundle.parcel import unpacked
from drr.study.bundle.restore import BundleTexts, plain_config, restore_study
from drr.study.study import Study


class TwoFigures(TypedDict):
    """A metric of a system, by the bundle's judge (`before`) and by the judge who judged anew (`now`)."""

    before: VRow | None
    now: VRow | None


class RegradedDocument(TypedDict):
    """The document of `drr bundle regrade --json`."""

    schema: int
    bundle: str
    before: str | None
    """Name of the bundle's judge; `None` where nothing was judged."""
    now: str
    left: int
    """Number of judgements that are still missing."""
    metrics: dict[str, dict[str, TwoFigures]]


def regrade(file: Path, plan: JudgePlan) -> RegradedDocument:
    """Return both judges' figures after judging the bundle's answers again. Only the given shop and judge are used, never addresses from the bundle."""
    with passing_folder("bundle") as place:
        folder = place / "study"
        root = restore(file, folder)
        with Study.read(folder) as study:
            first = choose_judging(study)
            what = plan.what or judged_before(study)
        made = judge(plan.model_copy(update={"study": folder, "what": what}))
        return _compare_figures(folder, root, None if first is None else first.judge, made)


def restore(file: Path, folder: Path) -> str:
    """Restore a bundle's study and texts into a folder; return the bundle's hash. Addresses and paths that it names are left out."""
    with unpacked(file) as parcel:
        found = BundleFindings()
        check_hashes(parcel, found)
        for fault in found.failed:
            raise DrrError(f"{file}: {fault['where']} {fault['what']}; `drr bundle verify` says more")
        with restore_study(parcel, folder, plain_config(parcel)) as study:
            own, texts = Blobs(folder / "blobs"), cast(BundleTexts, study.blobs)
            for digest in texts:
                if digest not in texts.withheld:
                    own.put(texts.get(digest))
            if left := len(texts.withheld):
                notice(f"{left:,} texts are in the bundle as hashes; answers that rest on them are left out")
        return parcel.root


def judged_before(study: Study) -> str:
    """Return the groups of judging tasks that a study has judgements of, with commas between."""
    known = {str(record.key_fields.get("task")) for record in study.records("judgement", None)}
    usual = groups(usual=True)
    return ",".join([word for word in usual if known & tasks([word]).keys()] or usual)


def _compare_figures(folder: Path, root: str, before: str | None, made: Judgement) -> RegradedDocument:
    judge_row = None if made.whole is None else made.whole["judge"]
    if judge_row is None:
        raise DrrError("nothing could be judged; the bundle has no finished answer whose texts are in it")
    with Study.read(folder) as study:
        old = {} if before is None else figures_of(study, ReportPlan(judge=before))[1]["metrics"]
        new = figures_of(study, ReportPlan(judge=judge_row["name"]))[1]["metrics"]
    return {
        "schema": 1,
        "bundle": root,
        "before": before,
        "now": judge_row["name"],
        "left": made.left,
        "metrics": {one: _before_and_now(old.get(one, {}), new.get(one, {})) for one in sorted({*old, *new})},
    }


def _before_and_now(old: Mapping[str, VRow], new: Mapping[str, VRow]) -> dict[str, TwoFigures]:
    judged = [name for name, metric in metrics({*old, *new}).items() if metric.judged]
    return {name: {"before": old.get(name), "now": new.get(name)} for name in sorted(judged)}
