"""The commands on tasks with files: make, check, show, review, import and export."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from drr.env.errors import Misuse, wrong_field
from drr.papers.dr3.folders import left_out
from drr.papers.dr3.form import MANIFEST, is_rejected, is_task, task_folders
from drr.papers.dr3.making.card import write_card
from drr.papers.dr3.making.checking import check_tasks, is_unconfirmed
from drr.papers.dr3.making.layout import LOST, dr3_folders, export_task, import_task
from drr.papers.dr3.making.manifest import (
    TaskSetManifest,
    clear_parts,
    day_of,
    parse_task_sizes,
    read_manifest,
    write_task,
)
from drr.papers.dr3.making.review import review_proposals, review_tasks
from drr.papers.dr3.making.sets import update_manifest
from drr.papers.dr3.making.task_files import StoredTask
from drr.papers.dr3.task_text import asked_text, heading, truth_text
from drr.plugin import flowed, moment, notice, print_result, progress_of, reviewer_of, say, settings_of
from pydantic import ValidationError


def make(arguments: argparse.Namespace) -> int:
    """Write the built-in tasks, or make tasks from a person's own files."""
    sizes, settings, code = parse_task_sizes(arguments.sizes), settings_of(arguments).settings, 0
    if arguments.files is None:
        for option in ("web", "model", "seed", "today"):
            if getattr(arguments, option) is not None:
                raise Misuse(
                    f"--{option}: goes with --files FOLDER; the tasks that come with the program are as they are"
                )
        from drr.papers.dr3.making.builtin_tasks import write_given

        manifest = write_given(arguments.out, arguments.n, sizes, progress_of(arguments))
    else:
        from drr.papers.dr3.making.units import make_found_set

        found, code = make_found_set(arguments, settings, sizes)
        if found is None:
            return code
        manifest = found
    write_card(arguments.out, manifest)
    document = manifest.model_dump(exclude={"schema_version"})
    print_result(arguments, {"folder": str(arguments.out), **document}, *_set_lines(arguments.out, manifest))
    return code


def _set_lines(out: Path, manifest: TaskSetManifest) -> list[str]:
    funnel, found, digest = manifest.funnel, manifest.found, (manifest.content_hash or "")[:12]
    refused = _counts_text(funnel.refused) or "none"
    lines = [
        f"{out}: {manifest.tasks} tasks, {manifest.files_per_task} files each, {digest}",
        f"  intents: {_counts_text(manifest.intents)}",
        f"  files: {_counts_text(manifest.files)}; {manifest.multimodal:.0%} of the tasks with several modalities",
        f"  sizes: {', '.join(manifest.sizes)} ({manifest.counter})",
        f"  candidates: {funnel.generated} made, {refused} refused, {funnel.kept} kept",
    ]
    if found is None:
        return [*lines, f"next: drr papers tasks check {out}; drr papers tasks show {out}/001"]
    return [
        *lines,
        f"  pages: {_counts_text(found.pages)}; {found.web}, judged by {found.model}",
        f"  {_unconfirmed_text(found.unconfirmed)}",
        f"next: drr papers tasks review {out} --reviewer NAME",
    ]


def _unconfirmed_text(count: int) -> str:
    tasks = "1 task" if count == 1 else f"{count} tasks"
    return f"{tasks} with kinds of pages that no person confirmed"


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def check(arguments: argparse.Namespace) -> int:
    folders = task_folders(arguments.file)
    if read_manifest(folders[0].parent) is None:
        notice(f"{folders[0].parent}: has no {MANIFEST}, so nothing could be compared with what was written")
    found = dict(check_tasks(folders))
    answered = None
    if arguments.model is not None:
        from drr.papers.dr3.making.source_need import answered_tasks

        settings = settings_of(arguments).settings
        sound = [StoredTask(one) for one in folders if not found[one.name]]
        answered = answered_tasks(arguments, settings, sound)
        for problem in answered.problems:
            found[problem.task].append(problem)
    problems = [one for rows in found.values() for one in rows]
    bad = sum(map(bool, found.values()))
    unconfirmed = [one.name for one in folders if is_unconfirmed(one)]
    document = {
        "tasks": len(found),
        "failed": bad,
        "by_check": Counter(one.check for one in problems),
        "problems": [one.document() for one in problems],
        "unconfirmed": unconfirmed,
        **({"answering": answered.document()} if answered else {}),
    }
    lines = [f"{one.task}: {one.check}: {one.told}" for one in problems]
    for fact in answered.untold if answered else ():
        lines.append(f"{fact.task}: with all sources the model did not tell fact {fact.fact} ({fact.value})")
    if unconfirmed:
        some = "1 task has" if len(unconfirmed) == 1 else f"{len(unconfirmed)} tasks have"
        lines.append(f"{some} kinds of pages that no person confirmed: {', '.join(unconfirmed)}")
    lines.append(f"{len(found) - bad} of {len(found)} tasks pass every check")
    print_result(arguments, document, *lines)
    return 1 if problems else answered.code if answered else 0


def show(arguments: argparse.Namespace) -> int:
    tasks = [StoredTask(one) for one in task_folders(arguments.file)]
    parts = [{"question": one.question, "truth": one.truth} for one in tasks]
    rows = [{name: row.model_dump(mode="json") for name, row in own.items()} for own in parts]
    lines: list[str] = []
    if not arguments.json and (len(tasks) == 1 or is_task(arguments.file)):
        lines = [f"{asked_text(tasks[0])}\n\n{truth_text(tasks[0])}"]
    elif not arguments.json:
        lines = [f"{one.name}  {heading(one.truth)}  {', '.join(one.question.files)}" for one in tasks]
    print_result(arguments, {"tasks": rows}, *map(flowed, lines))
    return 0


def review(arguments: argparse.Namespace) -> int:
    name, again = reviewer_of(arguments), arguments.again
    folders = task_folders(arguments.file)
    if review_proposals(folders, name, input, say, moment, again=again):

        def asked(folder: Path) -> str:
            return asked_text(StoredTask(folder))

        def truth(folder: Path) -> str:
            return truth_text(StoredTask(folder))

        tally = review_tasks(folders, name, input, say, moment, asked, truth, again=again)
        counts = f"{tally.accepted} accepted, {tally.rejected} rejected now; {tally.left} left"
        print(f"\n{arguments.file}: {counts}", file=sys.stderr)
    manifest = update_manifest(folders[0].parent)
    if manifest is not None and manifest.found is not None:
        write_card(folders[0].parent, manifest)
        print(f"{arguments.file}: {_unconfirmed_text(manifest.found.unconfirmed)}", file=sys.stderr)
    return 0


def import_tasks(arguments: argparse.Namespace) -> int:
    today, now = arguments.today and day_of(arguments.today), day_of(None)
    folders = dr3_folders(arguments.file)
    taken = [one.name for one in folders if is_task(arguments.out / one.name)]
    if taken:
        raise Misuse(f"{arguments.out / taken[0]}: is there already; name a new folder")
    arguments.out.mkdir(parents=True, exist_ok=True)
    clear_parts(arguments.out)
    sentences: dict[str, list[str]] = {}
    for folder in folders:
        try:
            task, notes = import_task(folder, today, now)
        except ValidationError as error:
            raise Misuse(f"{folder}: {wrong_field(error)}") from error
        write_task(arguments.out, task)
        sentences[folder.name] = list(notes)
        for note in notes:
            notice(f"{folder.name}: {note}")
    print_result(
        arguments,
        {"folder": str(arguments.out), "tasks": len(folders), "notes": sentences},
        f"{arguments.out}: {len(folders)} tasks; whose other pages are distractors nobody recorded, so they count as noise",
    )
    return 0


def write_out(arguments: argparse.Namespace) -> int:
    found = task_folders(arguments.file)
    rejected = [folder.name for folder in found if is_rejected(folder)]
    folders = [folder for folder in found if folder.name not in rejected]
    for number, folder in enumerate(folders, 1):
        export_task(folder, arguments.out, number)
    if rejected:
        notice(left_out(arguments.file, rejected))
    print_result(
        arguments,
        {"folder": str(arguments.out), "tasks": len(folders), "rejected": rejected, "lost": LOST},
        f"{arguments.out}: {len(folders)} tasks in DR3-Eval's layout, which has no room for {LOST}",
    )
    return 0
