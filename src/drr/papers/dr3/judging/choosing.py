"""The options of `drr judge` for tasks with files, and their storage in the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drr.eval.tasks.desk import JudgingContext
from drr.plugin import Options, notice, option
from drr.study.study import Study

EXAMPLES = (
    "  drr judge study --what dr3                                    # tasks with files: required facts found, what distractors did (docs/file-tasks.md)",
)


class FileTaskOptions(Options):
    """The options of `drr judge` for tasks with files."""

    tasks: Path | None = option(
        "source", "for --what dr3: the tasks with files that were asked (default: those of the run); kept with the study", "DIR")  # fmt: skip


OPTIONS = FileTaskOptions


def chosen(
    study: Study, desk: JudgingContext, options: FileTaskOptions, what: Sequence[str]
) -> Mapping[type, Any]:
    if "dr3" not in what:
        return {}
    from drr.papers.dr3.judging.truths import KnownTasks, tasks_place, truths_of
    from drr.papers.dr3.task_folders import say_unconfirmed

    place = tasks_place(study, options.tasks)
    say_unconfirmed(place)
    found, strange = truths_of(place, desk.answers.values())
    if strange:
        notice(
            f"{len(strange):,} answers are of no task in {place} and have no figures of dr3: {', '.join(strange[:3])}"
        )
    return {KnownTasks: KnownTasks(found)}


def keep(study: Study, options: FileTaskOptions, chosen: Mapping[type, Any]) -> None:
    if options.tasks is not None:
        from drr.papers.dr3.judging.truths import keep_tasks_place
        from drr.plugin import remember_shop

        remember_shop(study.folder, str(options.tasks.resolve()))
        keep_tasks_place(study, options.tasks)
