"""The actions of `drr judges align`: judge a version, hold two side by side, show the history as a curve."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.terminal import number, table, with_interval
from drr.env.bounded import SETTINGS, read_within
from drr.env.files import read_file
from drr.papers.reporteval.align_things import rows_on_dev
from drr.papers.reporteval.alignment.figures import (
    AlignedThing,
    AlignFigures,
    Disagreement,
    Run,
    align_figures,
    by_side,
    judged_things,
    things,
    worst,
)
from drr.papers.reporteval.alignment.kept import JudgeAlignment, PromptVersion, now

if TYPE_CHECKING:
    from drr.eval.tasks.desk import Desk
    from drr.llm.factory import Models

_SHOWN = 240
_BAR = 40


class VersionReading(NamedTuple):
    run: Run
    sides: Mapping[str, AlignFigures]
    apart: Sequence[Disagreement]
    """Disagreements on dev only."""
    things: Sequence[AlignedThing]
    """So are these: what the figures are made of."""
    banner: str | None
    complete: bool


class AlignmentReader:
    """Judges one half by one version."""

    def __init__(
        self, alignment: JudgeAlignment, version: PromptVersion, arguments: argparse.Namespace
    ) -> None:
        self._alignment, self._version, self._arguments = alignment, version, arguments

    def read(self, *, test: bool) -> tuple[VersionReading, int]:
        """The test half is held against what experts said of it only when all of it was judged."""
        from drr.app.studies import conclude, run_units
        from drr.env.errors import DrrError
        from drr.eval.asking.judge import KeptAnswers
        from drr.papers.reporteval.alignment.figures import AlignmentWork

        alignment, study = self._alignment, self._alignment.study
        desk, models = version_desk(alignment, self._version, self._arguments)
        dev = alignment.dev()
        items = alignment.test(self._arguments.labels) if test else dev
        work = AlignmentWork(alignment.task, desk, items, KeptAnswers(study))
        summary = run_units(self._arguments, study, work.units(), work.work, models, "labelled things")
        judgements = work.judgements(study)
        complete = len({item for item, _ in judgements}) == len(items) and not summary.left
        if test and not complete:
            conclude(summary, study.folder, "judges align run")
            raise DrrError(
                "the test half is not judged to its end, so nothing of it was read; the same command continues"
            )
        rows = judged_things(items, judgements)
        run = Run(
            version=self._version.number,
            hash=self._version.hash,
            judge=desk.judge.shown,
            half="test" if test else "dev",
            at=now(),
            items=len(items),
            figures=align_figures(rows, alignment.task.ends),
        )
        if complete:
            alignment.record(run)
        apart = [] if test else worst(rows)
        each = [] if test else things(rows, work.unit_keys())
        code = conclude(summary, study.folder, "judges align run")
        sides = by_side(rows, alignment.task.ends)
        return VersionReading(run, sides, apart, each, desk.banner, complete), code


def version_desk(
    alignment: JudgeAlignment, version: PromptVersion, arguments: argparse.Namespace
) -> tuple[Desk, Models]:
    from drr.app.judging import desk_of, study_settings
    from drr.app.models import models_of
    from drr.app.studies import budget_of, check_models, unit_cap_of
    from drr.app.vouching import given_settings, trusted_addresses

    settings = study_settings(
        alignment.study, given_settings(arguments), trusted_addresses(arguments)
    ).model_copy(update={"prompts": version.folder})
    models = models_of(settings)
    check_models(models, ["judge"], budget_of(arguments, alignment.study), unit_cap_of(arguments))
    return desk_of(settings, models, None), models


def given_text(alignment: JudgeAlignment, source: Path) -> dict[str, str]:
    """Put a file of the user's in the place of the prompt that has its name, else of the first. Its slots are checked."""
    from drr.env.errors import Misuse
    from drr.llm.prompts import Prompt

    name = source.stem if source.stem in alignment.task.prompts else alignment.task.prompts[0]
    try:
        text = read_within(source, SETTINGS).decode("utf-8").strip() + "\n"
    except OSError as error:
        raise Misuse(f"{source}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise Misuse(f"{source}: not UTF-8 at byte {error.start}; save the file as UTF-8") from error
    except ValueError as error:
        raise Misuse(f"{source}: {error}; no prompt is so long") from error
    known = alignment.version(None).folder / f"{name}.md"
    ours, theirs = (Prompt(name, one, known, one).slots for one in (read_file(known).decode(), text))
    if ours != theirs:
        raise Misuse(
            f"{source}: has the slots {', '.join(sorted(theirs)) or 'none'}, needs {', '.join(sorted(ours)) or 'none'}"
        )
    return {name: text}


def proposed(alignment: JudgeAlignment, arguments: argparse.Namespace) -> tuple[dict[str, str], str]:
    """Let a model draft from the last version that was run and where it parts with the experts on dev."""
    from drr.app.studies import conclude, run_units
    from drr.env.errors import DrrError, Misuse
    from drr.eval.asking.judge import KeptAnswers
    from drr.papers.reporteval.alignment.propose import TASK, Proposal
    from drr.study.unit import Unit

    runs = alignment.on_dev()
    if not runs:
        raise Misuse(
            "--propose: no version was run on dev yet; `drr judges align run` shows where it parts with the experts"
        )
    version = alignment.version(runs[-1]["version"])
    alignment.check_unchanged(version)
    desk, models = version_desk(alignment, version, arguments)
    if desk.judge.rule_written:
        raise Misuse("--propose: rules write no prompt; name a model with --judge")
    apart = worst(rows_on_dev(alignment, runs[-1]))
    if not apart:
        raise Misuse("--propose: the judge and the experts part nowhere on dev")
    name = alignment.task.prompts[0]
    work = Proposal(
        desk,
        read_file(version.folder / f"{name}.md").decode(),
        apart,
        alignment.task.ends,
        KeptAnswers(alignment.study),
    )
    fields = {
        "task": TASK,
        "judge": desk.judge.shown,
        "of": alignment.task.name,
        "prompt": work.asking.fingerprint,
    }
    unit = Unit("judgement", fields, {}, f"the next prompt of {alignment.task.name}")
    summary = run_units(arguments, alignment.study, [unit], work.work, models, "a draft")
    record = alignment.study.record(unit.key)
    text = record.result.get("prompt") if record is not None and record.done else None
    if not isinstance(text, str):
        conclude(summary, alignment.study.folder, "judges align edit")
        why = (record.result.get("reason") or record.message) if record is not None else "it was not asked"
        raise DrrError(f"{desk.judge.shown} drafted no prompt that can be used: {why}")
    return {name: text}, desk.judge.shown


def reading_text(alignment: JudgeAlignment, reading: VersionReading) -> str:
    run = reading.run
    head = f"{alignment.task.name}, v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}: {run['items']} things"
    sides = reading.sides if len(reading.sides) > 1 else {}
    rows = [_cells("all", run["figures"]), *(_cells(side, one) for side, one in sides.items())]
    parts = [reading.banner, table([head, *_HEAD], rows)]
    if not run["figures"]["pca"]["n"]:
        parts.append("PCA and the order are of two things of one question, and no question here has two.")
    if reading.apart:
        parts.append("The farthest from the experts:")
        parts += [_disagreement_text(place, one) for place, one in enumerate(reading.apart, 1)]
    if not reading.complete:
        parts.append(
            "Some things were not judged yet: this is no reading of the version; the same command continues."
        )
    elif reading.things:
        folder, task = alignment.study.folder, alignment.task.name
        parts.append(
            f"What each number is made of, thing by thing: `drr judges align show {folder} --task {task} --version {run['version']}`"
        )
    parts.append(_ends(alignment))
    return "\n\n".join(part for part in parts if part)


_HEAD = ("MAD", "of the range", "bias", "PCA", "chance", "same order", "chance", "Spearman")


def _cells(name: str, one: AlignFigures) -> list[str]:
    return [
        name,
        with_interval(one["mad"], 2),
        number(one["mad_of_range"], 3),
        with_interval(one["bias"], 2),
        with_interval(one["pca"], 2),
        number(one["pca"]["chance"], 2),
        with_interval(one["rank"], 2),
        number(one["rank"]["chance"], 2),
        with_interval(one["spearman"], 2),
    ]


def _disagreement_text(place: int, one: Disagreement) -> str:
    lines = [
        f"{place}. {one['item']}, {one['side']}: the judge {one['judge']:g}, the experts {one['people']:g}",
        f"   judge: {_cut(one['judge_says'])}",
        *(f"   {word}" for word in one["people_say"]),
        *(f"   {name}: {_cut(text)}" for name, text in one["texts"].items()),
    ]
    return "\n".join(lines)


def _cut(text: str) -> str:
    text_line = " ".join(text.split())
    return text_line if len(text_line) <= _SHOWN else f"{text_line[:_SHOWN]} ..."


def _ends(alignment: JudgeAlignment) -> str:
    times = len(alignment.on_test())
    read = f"test read {times} time{'' if times == 1 else 's'}"
    goes_on = f"goes on: the interval of MAD does not lie under {alignment.state['target']:g} yet"
    return f"{alignment.ended or goes_on}; {read}"


def status_text(alignment: JudgeAlignment) -> str:
    row = alignment.row()
    last = alignment.versions()[-1]
    state = "was run" if alignment.was_run(last) else "was not run yet"
    low, high = alignment.task.ends
    return "\n".join(
        [
            f"{row['task']}: {row['dev']} things on dev, {row['test']} on test, split by question, sealed {alignment.seal[:12]}",
            f"scale {low:g} to {high:g}, target: MAD under {row['target']:g}",
            f"v{last.number} ({last.hash}) {state}: {last.folder}",
            _ends(alignment),
        ]
    )


def history_text(alignment: JudgeAlignment) -> str:
    rows = [
        [
            f"v{run['version']} ({run['hash']})",
            alignment.state["made"].get(str(run["version"]), "?"),
            run["judge"],
            run["half"],
            *_cells("", run["figures"])[1:8],
        ]
        for run in alignment.state["runs"]
    ]
    if not rows:
        return f"{alignment.task.name}: nothing was run yet\n{_ends(alignment)}"
    shown = table(["version", "made by", "judge", "half", *_HEAD[:7]], rows)
    return "\n\n".join([shown, _curve(alignment), _ends(alignment)])


def _curve(alignment: JudgeAlignment) -> str:
    """MAD on dev, version by version, with its interval; the bar's end is the largest value."""
    runs = alignment.on_dev()
    target = alignment.state["target"]
    mads = [run["figures"]["mad"] for run in runs]
    most = max([target, *(v for mad in mads for v in (mad["value"], mad["ci_high"]) if v is not None)])

    def place(value: float) -> int:
        return round(value / most * (_BAR - 1)) if most else 0

    lines = []
    for run, mad in zip(runs, mads, strict=True):
        bar = [" "] * _BAR
        if mad["ci_low"] is not None and mad["ci_high"] is not None:
            for at in range(max(0, place(mad["ci_low"])), place(mad["ci_high"]) + 1):
                bar[at] = "-"
        bar[place(target)] = "|"
        if mad["value"] is not None:
            bar[place(mad["value"])] = "o"
        lines.append(f"v{run['version']:<3} {''.join(bar)} {number(mad['value'], 2)}")
    return "\n".join([f"MAD on dev (o), its interval (-), the target (|), 0 to {most:.2f}:", *lines])


def comparison_text(document: Mapping[str, Any]) -> str:
    old, new = document["old"], document["new"]
    head = f"{document['task']}, {document['judge']}, dev"
    rows = [_cells(f"v{run['version']} ({run['hash']})", run["figures"]) for run in (old, new)]
    lines_out = (
        f"v{new['version']} deviates by {with_interval(document['difference'], 2)} more than v{old['version']} (below 0: nearer to the experts): "
        f"{document['nearer']} nearer, {document['farther']} farther, {document['same']} the same"
    )
    changed = "\n".join(document["changed"]) or "The prompts are the same."
    return "\n\n".join([table([head, *_HEAD], rows), lines_out, changed])
