"""Writes a set of tasks to a folder: begins or continues, adds tasks, counts. A task's hash is recorded before the task appears."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from drr.env.drawer.form import media_of
from drr.env.errors import DrrError, Misuse
from drr.papers.dr3.form import DRAWER, MANIFEST, is_task, task_folders
from drr.papers.dr3.making.manifest import (
    FoundSet,
    TaskFunnel,
    TaskSetManifest,
    WrittenTask,
    clear_parts,
    read_manifest,
    set_hash,
    task_hash,
    task_hashes,
    write_manifest,
    write_task,
)
from drr.papers.dr3.truth import TaskTruth, read_truth

_MODALITIES = {"picture": "picture", "xlsx": "table", "csv": "table"}
"""Modality by kind of file; all other kinds are text."""


def begin_set(out: Path, wanted: TaskSetManifest) -> None:
    """Begin or continue a set in a folder. The folder is empty, or holds unchanged tasks of the same set."""
    if out.exists() and not out.is_dir():
        raise Misuse(f"{out}: is a file; name a new folder")
    if out.is_dir() and any(out.iterdir()):
        _continue(out, wanted)
    else:
        out.mkdir(parents=True, exist_ok=True)
        write_manifest(out, wanted)
    clear_parts(out)


def _continue(out: Path, wanted: TaskSetManifest) -> None:
    had = read_manifest(out)
    if had is None:
        raise Misuse(f"{out}: not empty and not written by `drr papers tasks drawer`; name a new folder")
    for what, now, before in (
        ("seed", wanted.seed, had.seed),
        ("sizes", ",".join(wanted.sizes), ",".join(had.sizes)),
        ("version", wanted.version, had.version),
        ("files and pages", _origin(wanted), _origin(had)),
    ):
        if now != before:
            raise Misuse(
                f"{out}: holds tasks of {what} {before}, not {now}; name a new folder, or ask for the same"
            )
    if changed := changed_tasks(out, had):
        raise Misuse(
            f"{out / changed[0]}: is not what was written there ({len(changed)} such tasks; `drr papers tasks check {out}` lists them)."
            " Put it back, or remove its folder and it is made again"
        )
    write_manifest(out, had.model_copy(update={"complete": False}))


def _origin(manifest: TaskSetManifest) -> str:
    """Describe in words where the files and pages of a set come from."""
    found = manifest.found
    if found is None:
        return "that come with the program"
    frozen = f" ({found.web_hash[:12]})" if found.web_hash else ""
    prompts = "".join(digest[:4] for digest in found.prompts.values())
    files = f"files {(found.files or 'of a shop')[:12]}"
    return f"{files}, found by {found.web}{frozen}, {found.per_term} a term, with {found.model}, prompts {prompts}, version {found.version}"


def changed_tasks(out: Path, manifest: TaskSetManifest) -> list[str]:
    """List the tasks in the folder that differ from the manifest, or that the manifest lacks."""
    folders = [one for one in out.iterdir() if is_task(one) and not one.name.startswith(".")]
    return sorted(one.name for one in folders if _hash(one) != manifest.hashes.get(one.name))


def _hash(folder: Path) -> str | None:
    try:
        return task_hash(folder)
    except (DrrError, OSError):
        return None


def add_task(out: Path, task: WrittenTask) -> None:
    """Write a task, with its hashes recorded first. A task without recorded hashes was put there by somebody else."""

    def remember(hidden: Path) -> None:
        had, (whole, shown) = read_manifest(out), task_hashes(hidden)
        if had is not None:
            name = task.question.task_id
            update = {"hashes": {**had.hashes, name: whole}, "shown": {**had.shown, name: shown}}
            write_manifest(out, had.model_copy(update=update))

    write_task(out, task, remember)


def finish_set(out: Path, *, complete: bool = True) -> TaskSetManifest:
    """Complete the manifest of a set and return it. Counts are taken from the disk, so they include tasks of earlier runs."""
    had = read_manifest(out)
    if had is None:
        raise DrrError(
            f"{out / MANIFEST}: was taken away while the tasks were written; run the same command again"
        )
    manifest = had.model_copy(update={**_set_counts(out, had), "complete": complete})
    write_manifest(out, manifest)
    return manifest


def _set_counts(out: Path, had: TaskSetManifest) -> dict[str, object]:
    """Return the counts of a set by field of the manifest. The hashes are those recorded when each task was written."""
    folders = task_folders(out)
    truths = [read_truth(folder) for folder in folders]
    refused: Counter[str] = Counter()
    for truth in truths:
        refused.update(truth.refused)
    names = [[path.name for path in sorted((folder / DRAWER).iterdir())] for folder in folders]
    hashes = {folder.name: had.hashes[folder.name] for folder in folders}
    kinds = [{_MODALITIES.get(media_of(name) or "", "text") for name in one} for one in names]
    return {
        "tasks": len(folders),
        "intents": dict(sorted(Counter(truth.intent for truth in truths).items())),
        "themes": dict(sorted(Counter(truth.theme for truth in truths).items())),
        "files": dict(sorted(Counter(Path(name).suffix[1:] for one in names for name in one).items())),
        "files_per_task": round(sum(map(len, names)) / len(folders), 2),
        "multimodal": round(sum(len(one) > 1 for one in kinds) / len(folders), 3),
        "funnel": TaskFunnel(
            generated=len(folders) + refused.total(), refused=dict(sorted(refused.items())), kept=len(folders)
        ),
        "hashes": hashes,
        "shown": {folder.name: had.shown[folder.name] for folder in folders if folder.name in had.shown},
        "content_hash": set_hash(hashes),
        "found": had.found and _found_counts(had.found, truths),
    }


def _found_counts(found: FoundSet, truths: list[TaskTruth]) -> FoundSet:
    pages: Counter[str] = Counter()
    for truth in truths:
        pages.update(truth.found.pages if truth.found else {})
    unconfirmed = sum(bool(truth.open_proposals()) for truth in truths)
    return found.model_copy(update={"pages": dict(sorted(pages.items())), "unconfirmed": unconfirmed})


def update_manifest(out: Path) -> TaskSetManifest | None:
    """Update and return the manifest after a review; `None` if there is none, or nothing in it depends on reviews."""
    had = read_manifest(out)
    if had is None or had.found is None:
        return None
    truths = [read_truth(folder) for folder in task_folders(out)]
    manifest = had.model_copy(update={"found": _found_counts(had.found, truths)})
    write_manifest(out, manifest)
    return manifest
