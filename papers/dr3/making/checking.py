"""The objections of code to a task on disk. They concern its form, its sizes, its facts at their places, its question, its checklist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from drr.citations.files import file_place
from drr.env.drawer.drawer import Drawer
from drr.env.drawer.form import FileProblem
from drr.env.errors import DrrError
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.papers.dr3.asking import checklist, question
from drr.papers.dr3.corpus.pool import COUNTER, token_count
from drr.papers.dr3.form import (
    CORPUS,
    DRAWER,
    MANIFEST,
    SCHEMA,
    CorpusPage,
    CorpusSizes,
    FileQuestion,
    read_question,
    read_sizes,
)
from drr.papers.dr3.making.manifest import TaskSetManifest, read_manifest, set_hash, task_hash
from drr.papers.dr3.quality.filters import FILTERS
from drr.papers.dr3.quality.material import Catalogue, stored_material
from drr.papers.dr3.truth import TaskTruth, read_truth

NEAR = 0.02
"""Greatest relative distance of a corpus from its size."""


class FileTaskProblem(NamedTuple):
    task: str
    check: str
    told: str


class UntoldFact(NamedTuple):
    """A fact that the model did not give with all sources at hand."""

    task: str
    fact: str
    value: str


@dataclass
class AnsweredTasks:
    """The results of answering."""

    code: int = 0
    asked: int = 0
    """Tasks of which every answer is there."""
    problems: list[FileTaskProblem] = field(default_factory=list)
    untold: list[UntoldFact] = field(default_factory=list)

    def document(self) -> JsonObject:
        refused: dict[str, int] = {}
        for check, _ in {(one.check, one.task): None for one in self.problems}:
            refused[check] = refused.get(check, 0) + 1
        bad = {one.task for one in self.problems}
        return {
            "funnel": {"asked": self.asked, "refused": refused, "kept": self.asked - len(bad)},
            "untold_with_all": [one._asdict() for one in self.untold],
        }


@dataclass(frozen=True)
class StoredTask:
    """A task as it lies on disk, read when it is asked for."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def question(self) -> FileQuestion:
        return read_question(self.folder)

    @cached_property
    def truth(self) -> TaskTruth:
        return read_truth(self.folder)

    @cached_property
    def sizes(self) -> CorpusSizes:
        return read_sizes(self.folder)

    @cached_property
    def lines(self) -> list[bytes]:
        return read_file(self.folder / CORPUS).splitlines(keepends=True)

    @cached_property
    def pages(self) -> list[CorpusPage]:
        return [page for _, page in rows_of(self.folder / CORPUS, CorpusPage, "pages", SCHEMA)]

    @cached_property
    def drawer(self) -> Drawer:
        return Drawer(self.folder / DRAWER, self.question.files)

    @property
    def is_made(self) -> bool:
        """Tell whether it was made by us: an imported task was made by other rules."""
        return self.truth.intent != "other"


def check_tasks(
    folders: list[Path], catalogue: Catalogue | None = None
) -> Iterator[tuple[str, list[FileTaskProblem]]]:
    """Each task with what is wrong with it; a task that cannot be read has that one problem. With a shop's catalogue also whether
    a product says a fact."""
    manifest = read_manifest(folders[0].parent) if folders else None
    hashes = manifest.hashes if manifest else {}
    yield from _of_set(folders, manifest)
    for folder in folders:
        task = StoredTask(folder)
        try:
            found = list(problems_of(task, catalogue))
        except (DrrError, OSError) as error:
            found = [FileTaskProblem(task.name, "form", str(error).splitlines()[0])]
        if manifest is not None and not found and task_hash(folder) != hashes.get(task.name):
            text = (
                "is not what its manifest says was written"
                if task.name in hashes
                else "is not in its manifest"
            )
            found = [FileTaskProblem(task.name, "changed", text)]
        yield task.name, found


def _of_set(
    folders: list[Path], manifest: TaskSetManifest | None
) -> Iterator[tuple[str, list[FileTaskProblem]]]:
    """Tasks that the manifest has and the folder has not, where all of the folder is looked at."""
    if manifest is None or len(folders) == 1 < len(manifest.hashes):
        return
    if manifest.complete and set_hash(manifest.hashes) != manifest.content_hash:
        text = "its content hash is not that of its tasks"
        yield MANIFEST, [FileTaskProblem(MANIFEST, "changed", text)]
    for name in sorted(set(manifest.hashes) - {folder.name for folder in folders}):
        yield name, [FileTaskProblem(name, "missing", "the manifest has it, the folder has not")]


def problems_of(task: StoredTask, catalogue: Catalogue | None = None) -> Iterator[FileTaskProblem]:
    """The filters look only at a task whose form holds, and only at those made by us."""
    sound = True
    for name, check in CHECKS.items():
        for text in check(task):
            sound = False
            yield FileTaskProblem(task.name, name, text)
    if sound and task.is_made:
        material = stored_material(task.folder, catalogue)
        for name, refuse in FILTERS.items():
            for text in refuse(material):
                yield FileTaskProblem(task.name, name, text)


def _form(task: StoredTask) -> Iterator[str]:
    lying = (
        {path.name for path in (task.folder / DRAWER).glob("*")} if (task.folder / DRAWER).is_dir() else set()
    )
    for name in task.question.files:
        if name not in lying:
            yield f"{name}: the question has this file, the folder has not"
    for name in sorted(lying - set(task.question.files)):
        yield f"{name}: lies in {DRAWER}/, and the question has no such file"
    if task.question.task_id != task.truth.task_id:
        yield f"the question is of task {task.question.task_id}, the truth of {task.truth.task_id}"
    if task.is_made and not 1 <= len(task.question.files) <= 6:
        yield f"{len(task.question.files)} files; a drawer has one to six"


def _sizes(task: StoredTask) -> Iterator[str]:
    """Tokens and hash of every size, as they are counted again here."""
    ends = sorted(task.sizes.sizes.items(), key=lambda item: item[1].pages)
    kinds = {page.url: page.kind for page in task.truth.pages}
    urls = [page.url for page in task.pages]
    if len(set(urls)) < len(urls):
        yield f"the address {Counter(urls).most_common(1)[0][0]} is of two pages"
    supportive = {url for url, kind in kinds.items() if kind == "supportive"}
    for name, size in ends:
        if size.pages > len(task.pages):
            yield f"{name}: {size.pages} pages, the corpus has {len(task.pages)}"
            continue
        yield from _size(task, name, size.pages, kinds)
        if missing := supportive - set(urls[: size.pages]):
            yield f"{name}: lacks the supportive page {min(missing)}"


def _size(task: StoredTask, name: str, end: int, kinds: Mapping[str, str]) -> Iterator[str]:
    truth = task.truth.sizes.get(name)
    if truth is None:
        yield f"{name}: the truth knows no such size"
        return
    tokens = sum(token_count(page.title, page.text) for page in task.pages[:end])
    if task.sizes.counter == COUNTER and tokens != truth.tokens:
        yield f"{name}: holds {tokens:,} tokens, the truth says {truth.tokens:,}"
    if task.is_made and abs(truth.tokens - truth.target) > NEAR * truth.target:
        yield f"{name}: {truth.tokens:,} tokens are not within 2 % of {truth.target:,}"
    counts = Counter(kinds.get(page.url, "noise") for page in task.pages[:end])
    sizes = {kind: number for kind, number in truth.counts.items() if number}
    if dict(counts) != sizes:
        yield f"{name}: holds {dict(sorted(counts.items()))}, the truth says {dict(sorted(sizes.items()))}"
    if sha256(b"".join(task.lines[:end])).hexdigest() != truth.sha256:
        yield f"{name}: its pages are not those that were written"


def _places(task: StoredTask) -> Iterator[str]:
    """Every fact stands where the truth says, as our own readers read it; a picture must have the region."""
    pages = {page.url: page for page in task.pages}
    for fact in task.truth.facts:
        if not task.is_made:
            continue
        if not fact.places:
            yield f"fact {fact.id}: has no place"
        for place in fact.places:
            if fact.source == "page":
                page = pages.get(place.address)
                if page is None or fact.value not in f"{page.title}\n{page.text}":
                    yield f"fact {fact.id}: {place.address} does not say {fact.value!r}"
            else:
                yield from _in_file(task, fact.id, fact.value, place.address)


def _in_file(task: StoredTask, fact: str, value: str, address: str) -> Iterator[str]:
    place = file_place(address)
    if place is None or place.name not in task.question.files:
        yield f"fact {fact}: {address} is in no file of the drawer"
        return
    try:
        content = task.drawer.content(place.name)
    except FileProblem as problem:
        yield f"fact {fact}: {problem.message}"
        return
    if content.picture is not None:
        box = place.box
        if box is None or box.right > content.picture["width"] or box.bottom > content.picture["height"]:
            yield f"fact {fact}: {address} is no region of the picture"
    elif value not in " ".join((content.at(place) or "").split()):
        yield f"fact {fact}: {address} does not say {value!r}"


def _question(task: StoredTask) -> Iterator[str]:
    text = task.question.query
    count = len(text.split())
    if task.is_made and not question.FEWEST <= count <= question.MOST:
        yield f"{count} words; a question has {question.FEWEST} to {question.MOST}"
    for name in task.question.files:
        if task.is_made and name not in text:
            yield f"the question does not name {name}"


def _checklist(task: StoredTask) -> Iterator[str]:
    count = len(task.truth.checklist)
    if task.is_made and not checklist.FEWEST <= count <= checklist.MOST:
        yield f"{count} points; a checklist has {checklist.FEWEST} to {checklist.MOST}"


def is_unconfirmed(folder: Path) -> bool:
    """Tell whether a kind of one of its pages is a model's word alone."""
    try:
        return bool(read_truth(folder).open_proposals())
    except DrrError:
        return False  # `check` says of it what it is


def _kinds(task: StoredTask) -> Iterator[str]:
    """A person's word on a page that a model proposed."""
    for url, action in task.truth.judged_pages().items():
        if action == "refute":
            yield f"{url}: is not what it was proposed as, a reviewer says"


CHECKS: dict[str, Callable[[StoredTask], Iterator[str]]] = {
    "form": _form,
    "sizes": _sizes,
    "places": _places,
    "question": _question,
    "checklist": _checklist,
    "kinds": _kinds,
}
"""Checks of a task by itself; the filters of `drr.papers.dr3.quality` follow."""
