"""`drr papers tasks drawer`: cases become tasks until there are as many as asked for. What a filter refuses is counted and replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import orjson
from drr.env.errors import DrrError, Misuse
from drr.env.progress import Progress
from drr.env.shop import Shop
from drr.papers.dr3.asking import question
from drr.papers.dr3.asking.checklist import written_checklist
from drr.papers.dr3.asking.question import written_question
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.build import Corpora, corpora
from drr.papers.dr3.corpus.pool import COUNTER, PAGES, PagePool, build_pool
from drr.papers.dr3.drawer.writer import WrittenDrawer, write_drawer
from drr.papers.dr3.form import CORPUS, MANIFEST, SIZES, CorpusSizes, FileQuestion, is_task, task_folders
from drr.papers.dr3.making.manifest import (
    VERSION,
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
from drr.papers.dr3.planning.files import modality_of
from drr.papers.dr3.planning.planner import cases
from drr.papers.dr3.quality.filters import refusal
from drr.papers.dr3.quality.material import Catalogue, catalogue_of, made_material
from drr.papers.dr3.truth import TaskTruth, read_truth

_OF_WORDS = ("exposure", "novelty_question", "sense_question")


class GateRefusal(NamedTuple):
    name: str
    """Name of the filter."""
    of_words: bool
    """True where another wording of the question may pass it."""


def refused_by(text: str, files: Iterable[str], corpora: Corpora, catalogue: Catalogue) -> GateRefusal | None:
    """`None` where no filter refuses it."""
    if not question.FEWEST <= len(text.split()) <= question.MOST:
        return GateRefusal("words", of_words=True)
    found = refusal(made_material(text, files, corpora, catalogue))
    if found is None:
        return None
    by_question = found.filter == "guidance" and found.text.startswith("the question")
    return GateRefusal(found.filter, of_words=by_question or found.filter in _OF_WORDS)


_REWORDINGS, _REDRAWS, _OWN_INTENT = 24, 48, 24
"""Questions tried for one case; cases tried for one number, each of another shopper or product, and so many of them of the intent that the number has."""
_STEP = 1_000_003
"""Between the seeds of a number's first case and its next."""


@dataclass
class CaseStreams:
    """Cases by seed, each drawn as far as it was needed."""

    shop: Shop
    seed: int
    """Seed of the set: the intent of a number does not change with the case, unless many were refused."""
    open: dict[int, Iterator[TaskCase]] = field(default_factory=dict)
    drawn: dict[int, list[TaskCase]] = field(default_factory=dict)

    def case(self, seed: int, number: int, order: int) -> TaskCase:
        stream = self.open.setdefault(seed, cases(self.shop, seed, order=order))
        found = self.drawn.setdefault(seed, [])
        while len(found) <= number:
            found.append(next(stream))
        return found[number]

    def drawer(self, number: int, attempt: int, task_id: str) -> WrittenDrawer:
        """Write the drawer of the case that a number has at its first try, its second, ..."""
        seed = self.seed + attempt * _STEP
        case = self.case(seed, number, self.seed if attempt < _OWN_INTENT else seed)
        return write_drawer(replace(case, task_id=task_id))


def generate_tasks(
    shop: Shop,
    out: Path,
    count: int,
    sizes: Mapping[str, int],
    seed: int,
    progress: Progress,
    *,
    pages: int = PAGES,
) -> TaskSetManifest:
    """Every task is on disk before the next is begun; the same call goes on where it stopped."""
    begin_set(
        out,
        TaskSetManifest(seed=seed, shop_hash=shop.manifest.content_hash, sizes=dict(sizes), counter=COUNTER),
    )
    with progress.stage("tasks", count, "tasks") as stage:
        missing = [n for n in range(count) if not is_task(out / f"{n + 1:03d}")]
        stage.advance(count - len(missing))
        if missing:
            stage.note("writing pages")
            pool = build_pool(shop.store.iter_products(), seed, pages)
            streams = CaseStreams(shop, seed)
            before: set[str] = set()
            for number in range(max(missing) + 1):
                task_id = f"{number + 1:03d}"
                if number not in missing:
                    before |= _first_titles(out / task_id)
                    continue
                stage.note(task_id)
                task, titles = _task(streams, pool, number, task_id, sizes, seed, before)
                write_task(out, task, partial(remember, out, task_id))
                before |= titles
                stage.advance()
    return finish_set(out)


def begin_set(out: Path, wanted: TaskSetManifest) -> None:
    """The folder is new, or holds tasks of the same set, each of them as it was written."""
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
        ("shop", wanted.shop_hash[:12], had.shop_hash[:12]),
        ("sizes", ",".join(wanted.sizes), ",".join(had.sizes)),
        ("version", VERSION, had.version),
        ("pages", _pages_of(wanted), _pages_of(had)),
    ):
        if now != before:
            raise Misuse(
                f"{out}: holds tasks of {what} {before}, not {now}; name a new folder, or ask for the same"
            )
    changed = changed_tasks(out, had)
    if changed:
        raise Misuse(
            f"{out / changed[0]}: is not what was written there ({len(changed)} such tasks; `drr papers tasks check {out}` lists them)."
            " Put it back, or remove its folder and it is made again"
        )
    write_manifest(out, had.model_copy(update={"complete": False}))


def _pages_of(manifest: TaskSetManifest) -> str:
    """Say in words how its pages came to be."""
    found = manifest.found
    if found is None:
        return "made by rules"
    frozen = f" ({found.web_hash[:12]})" if found.web_hash else ""
    prompts = "".join(digest[:4] for digest in found.prompts.values())
    return f"found by {found.web}{frozen}, {found.per_term} a term, with {found.model}, prompts {prompts}, version {found.version}"


def changed_tasks(out: Path, manifest: TaskSetManifest) -> list[str]:
    """List the tasks that lie there and are not what the manifest says, or that it does not know."""
    folders = [one for one in out.iterdir() if is_task(one) and not one.name.startswith(".")]
    return sorted(one.name for one in folders if _hash(one) != manifest.hashes.get(one.name))


def _hash(folder: Path) -> str | None:
    try:
        return task_hash(folder)
    except (DrrError, OSError):
        return None


def remember(out: Path, task_id: str, hidden: Path) -> None:
    """Remember the task on disk before it appears there. Anything that lies there without having been
    remembered was put there by somebody else."""
    had, (whole, shown) = read_manifest(out), task_hashes(hidden)
    if had is not None:
        hashes = {**had.hashes, task_id: whole}
        write_manifest(out, had.model_copy(update={"hashes": hashes, "shown": {**had.shown, task_id: shown}}))


def _task(
    streams: CaseStreams,
    pool: PagePool,
    number: int,
    task_id: str,
    sizes: Mapping[str, int],
    seed: int,
    before: Collection[str],
) -> tuple[WrittenTask, set[str]]:
    """Make a task, with the titles of its smallest size: a later task is dealt other pages."""
    refused: Counter[str] = Counter()
    catalogue = catalogue_of(streams.shop)
    for attempt in range(_REDRAWS):
        drawer = streams.drawer(number, attempt, task_id)
        found = corpora(drawer.case, seed, sizes, pool, written_question(drawer.case), attempt, before)
        for wording in range(_REWORDINGS):
            text = written_question(drawer.case, wording)
            reason = refused_by(text, drawer.files, found, catalogue)
            if reason is None:
                return _written(drawer, found, text, seed, streams.shop, refused), found.first_titles
            refused[reason.name] += 1
            if not reason.of_words:
                break
    reasons = ", ".join(f"{name} {times}" for name, times in refused.most_common())
    raise DrrError(
        f"task {task_id}: every candidate was refused ({reasons}); another --seed, or a shop with more products, gives others"
    )


def _first_titles(folder: Path) -> set[str]:
    least = min(
        one.pages for one in CorpusSizes.model_validate_json((folder / SIZES).read_bytes()).sizes.values()
    )
    with (folder / CORPUS).open("rb") as lines:
        return {str(orjson.loads(line)["title"]) for line in islice(lines, least)}


def _written(
    drawer: WrittenDrawer, found: Corpora, text: str, seed: int, shop: Shop, refused: Counter[str]
) -> WrittenTask:
    case = drawer.case
    return WrittenTask(
        question=FileQuestion(
            task_id=case.task_id,
            query=text,
            today=case.today.isoformat(),
            files=tuple(drawer.files),
            user_id=case.user_id,
            rule_written=True,
        ),
        files=drawer.files,
        lines=found.lines,
        sizes=found.sizes,
        truth=TaskTruth(
            task_id=case.task_id,
            intent=case.intent,
            theme=case.theme,
            seed=seed,
            shop_hash=shop.manifest.content_hash,
            facts=found.facts,
            pages=found.known,
            terms=found.terms,
            checklist=written_checklist(case),
            sizes=found.truths,
            counter=found.sizes.counter,
            answer=tuple(part.how for part in case.couplings),
            refused=dict(refused),
            invented=case.invented,
        ),
    )


def finish_set(out: Path, *, complete: bool = True) -> TaskSetManifest:
    """Counted from what lies on disk, so that it holds for tasks of earlier runs too."""
    had = read_manifest(out)
    if had is None:
        raise DrrError(
            f"{out / MANIFEST}: was taken away while the tasks were written; run the same command again"
        )
    manifest = had.model_copy(update={**counted(out, had), "complete": complete})
    write_manifest(out, manifest)
    return manifest


def counted(out: Path, had: TaskSetManifest) -> dict[str, object]:
    """The hashes are those that were remembered when each was written."""
    folders = task_folders(out)
    truths = [read_truth(folder) for folder in folders]
    refused: Counter[str] = Counter()
    for truth in truths:
        refused.update(truth.refused)
    names = [[path.name for path in sorted((folder / "files").iterdir())] for folder in folders]
    hashes = {folder.name: had.hashes[folder.name] for folder in folders}
    mixed = sum(len({modality_of(name) for name in one}) > 1 for one in names)
    return {
        "tasks": len(folders),
        "intents": dict(sorted(Counter(truth.intent for truth in truths).items())),
        "themes": dict(sorted(Counter(truth.theme for truth in truths).items())),
        "files": dict(sorted(Counter(Path(name).suffix[1:] for one in names for name in one).items())),
        "files_per_task": round(sum(map(len, names)) / len(folders), 2),
        "multimodal": round(mixed / len(folders), 3),
        "funnel": TaskFunnel(
            generated=len(folders) + refused.total(), refused=dict(sorted(refused.items())), kept=len(folders)
        ),
        "hashes": hashes,
        "shown": {folder.name: had.shown[folder.name] for folder in folders if folder.name in had.shown},
        "content_hash": set_hash(hashes),
        "found": had.found and found_counts(had.found, truths),
    }


def found_counts(found: FoundSet, truths: Sequence[TaskTruth]) -> FoundSet:
    pages: Counter[str] = Counter()
    for truth in truths:
        pages.update(truth.found.pages if truth.found else {})
    unconfirmed = sum(bool(truth.open_proposals()) for truth in truths)
    return found.model_copy(update={"pages": dict(sorted(pages.items())), "unconfirmed": unconfirmed})


def recount(out: Path) -> TaskSetManifest | None:
    """Count again after a review. `None` where no manifest is, or nothing in it hangs on reviews."""
    had = read_manifest(out)
    if had is None or had.found is None:
        return None
    truths = [read_truth(folder) for folder in task_folders(out)]
    manifest = had.model_copy(update={"found": found_counts(had.found, truths)})
    write_manifest(out, manifest)
    return manifest
