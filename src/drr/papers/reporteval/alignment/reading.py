"""Judges one half of the labels by one version of the prompt, and shows the results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple, cast

from drr.eval.asking.judge import JudgeName, KeptAnswers
from drr.eval.tasks.desk import JudgingContext
from drr.papers.reporteval.alignment.figures import (
    AlignFigures,
    AlignmentWork,
    JudgedThing,
    Run,
    align_figures,
    by_side,
    ten_largest_distances,
)
from drr.papers.reporteval.alignment.store import JudgeAlignment, PromptVersion
from drr.plugin import moment, number, table, with_interval


class VersionReading(NamedTuple):
    run: Run
    rows: Sequence[JudgedThing]
    """Judged items of dev; empty for the test half, whose figures show no items."""
    sides: dict[str, AlignFigures]
    banner: str | None
    complete: bool


def read_half(
    alignment: JudgeAlignment, version: PromptVersion, arguments: argparse.Namespace
) -> tuple[VersionReading, int]:
    """Judge one half and return the result and exit code. The test half is compared with experts only when all of it was judged."""
    from drr.env.errors import DrrError
    from drr.plugin import check_run, conclude, desk_of, models_of, need_judge, run_units, settings_beside

    study, task, test = alignment.study, alignment.task, bool(arguments.test)
    settings = settings_beside(study, arguments).model_copy(update={"prompts": version.folder})
    need_judge(settings)
    models = models_of(settings)
    check_run(arguments, models, ["judge"], study)
    desk = desk_of(settings, models, None)
    dev = alignment.dev()
    items = alignment.test(arguments.labels) if test else dev
    work = AlignmentWork(task, desk, items, KeptAnswers(study))
    summary = run_units(arguments, study, work.units(), work.work, models, "labelled things")
    rows = work.things(study)
    judged = {row.item.id for row in rows if row.word is not None}
    complete = len(judged) == len(items) and not summary.left
    code = conclude(summary, study.folder, "judges align run")
    if test and not complete:
        raise DrrError(
            "the test half is not judged to its end, so nothing of it was read; the same command continues"
        )
    figures, half = align_figures(rows, task.ends), "test" if test else "dev"
    now, judge = moment(), desk.judge.shown
    read = {"version": version.number, "hash": version.hash, "judge": judge, "half": half}
    run = cast(Run, {**read, "at": now, "items": len(items), "figures": figures})
    if complete:
        alignment.record(run)
    sides = by_side(rows, task.ends)
    return VersionReading(run, [] if test else rows, sides, desk.banner, complete), code


def kept_things(alignment: JudgeAlignment, run: Run) -> list[JudgedThing]:
    """Return the judged items behind a result on dev, without calls; empty if the version's prompt was changed since."""
    from drr.env.settings import Settings
    from drr.eval.asking.rules import is_rules
    from drr.offline.judge import RulesJudge
    from drr.plugin import prompts_of

    version = alignment.version(run["version"])
    if version.hash != run["hash"]:
        return []
    by_rules = is_rules(run["judge"])
    judge = JudgeName("offline" if by_rules else run["judge"], run["judge"], by_rules)
    settings = Settings(prompts=version.folder)
    shop_url = alignment.study.config.get("settings", {}).get("shop_url") or settings.shop_url
    desk = JudgingContext(judge, judge, None, shop_url, prompts_of(settings, "eval"), stand_in=RulesJudge())
    kept = KeptAnswers(alignment.study)
    return AlignmentWork(alignment.task, desk, alignment.dev(), kept).things(alignment.study)


def things_text(run: Run, rows: Sequence[JudgedThing]) -> str:
    lines = [
        [f"{one.item.name}, {one.side}", *(number(value, 2) for value in (one.judge, one.people, one.apart)), one.unit[:12]]
        for one in rows
    ]  # fmt: skip
    head = f"v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}"
    shown = table([head, "judge", "experts", "apart", "unit"], lines)
    return f"{shown}\n\nThe mean of `apart` is MAD. What the judge was asked and said: `drr study trace STUDY UNIT --full`"


_HEAD = ("MAD", "of the range", "bias", "PCA", "chance", "same order", "chance", "Spearman")
_SHOWN = 240


def _cells(name: str, one: AlignFigures) -> list[str]:
    return [
        name, with_interval(one["mad"], 2), number(one["mad_of_range"], 3), with_interval(one["bias"], 2),
        with_interval(one["pca"], 2), number(one["pca"]["chance"], 2), with_interval(one["rank"], 2),
        number(one["rank"]["chance"], 2), with_interval(one["spearman"], 2),
    ]  # fmt: skip


def reading_text(alignment: JudgeAlignment, reading: VersionReading) -> str:
    run, folder, task = reading.run, alignment.study.folder, alignment.task.name
    head = f"{task}, v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}: {run['items']} things"
    sides = reading.sides if len(reading.sides) > 1 else {}
    rows = [_cells("all", run["figures"]), *(_cells(side, one) for side, one in sides.items())]
    parts = [reading.banner, table([head, *_HEAD], rows)]
    if not run["figures"]["pca"]["n"]:
        parts.append("PCA and the order are of two things of one question, and no question here has two.")
    if apart := ten_largest_distances(reading.rows):
        parts.append("The farthest from the experts:")
        parts += [_disagreement_text(place, one) for place, one in enumerate(apart, 1)]
    if not reading.complete:
        parts.append(
            "Some things were not judged yet: this is no reading of the version; the same command continues."
        )
    elif reading.rows:
        which = f"{folder} --task {task} --version {run['version']}"
        parts.append(f"What each number is made of, thing by thing: `drr judges align show {which}`")
    parts.append(ends_text(alignment))
    return "\n\n".join(part for part in parts if part)


def _disagreement_text(place: int, thing: JudgedThing) -> str:
    one = thing.disagreement()
    texts = {"judge": one["judge_says"], **one["texts"]}
    shown = {name: " ".join(text.split()) for name, text in texts.items()}
    cut = [f"{name}: {t if len(t) <= _SHOWN else f'{t[:_SHOWN]} ...'}" for name, t in shown.items()]
    head = f"{place}. {one['item']}, {one['side']}: the judge {one['judge']:g}, the experts {one['people']:g}"
    return "\n   ".join([head, cut[0], *one["people_say"], *cut[1:]])


def ends_text(alignment: JudgeAlignment) -> str:
    times = len(alignment.on_test())
    read = f"test read {times} time{'' if times == 1 else 's'}"
    goes_on = f"goes on: the interval of MAD does not lie under {alignment.state['target']:g} yet"
    return f"{alignment.ended or goes_on}; {read}"


def status_text(alignment: JudgeAlignment) -> str:
    """Return the split, the last version, every result and whether it goes on, as text."""
    row, last = alignment.row(), alignment.versions()[-1]
    state = "was run" if alignment.was_run(last) else "was not run yet"
    low, high = alignment.task.ends
    lines = [
        f"{row['task']}: {row['dev']} things on dev, {row['test']} on test, split by question, sealed {row['seal'][:12]}",
        f"scale {low:g} to {high:g}, target: MAD under {row['target']:g}",
        f"v{last.number} ({last.hash}) {state}: {last.folder}",
    ]
    rows = [
        [f"v{run['version']} ({run['hash']})", alignment.prompt_maker(run), run["judge"], run["half"],
         *_cells("", run["figures"])[1:8]]
        for run in alignment.state["runs"]
    ]  # fmt: skip
    shown = [table(["version", "made by", "judge", "half", *_HEAD[:7]], rows)] if rows else []
    return "\n\n".join(["\n".join(lines), *shown, ends_text(alignment)])
