"""Reads a folder of tasks with files, truth and all, into what their pages show. For the owner: no agent and no judge comes here."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import RLock

from drr.citations.files import FilePlace, cell_range, file_place
from drr.env.drawer.drawer import DrawnPage
from drr.env.drawer.form import FileProblem, ending
from drr.env.errors import DrrError
from drr.env.files import file_name
from drr.env.query import Review
from drr.papers.dr3.folders import FileTask, open_tasks
from drr.papers.dr3.form import TRUTH, CorpusSizes, corpus_pages, read_sizes
from drr.papers.dr3.making.manifest import read_manifest
from drr.papers.dr3.truth import PageKind, TaskFact, TaskTruth, read_truth
from drr.papers.dr3.viewer.corpus import CorpusReader
from drr.papers.dr3.viewer.drawers import DrawerPaper, evidence_in, facts_in
from drr.papers.dr3.viewer.facts import passage_around, words_at
from drr.papers.dr3.viewer.model import (
    CorpusSizeView,
    DocumentView,
    FactView,
    NoiseView,
    PlaceView,
    TaskEntry,
    TaskFileView,
    TaskSetView,
    TaskView,
)

_OPEN, _DRAWN = 4, 64
KINDS: tuple[PageKind, ...] = ("supportive", "distractor", "noise")


class OpenTask:
    """One task, its parts read when they are asked for."""

    def __init__(self, name: str, task: FileTask) -> None:
        self.name, self.task = name, task
        self.truth: TaskTruth = read_truth(task.folder)
        self.sizes: CorpusSizes = read_sizes(task.folder)
        self._drawn: OrderedDict[tuple[int, int], DrawnPage] = OrderedDict()

    @cached_property
    def corpus(self) -> CorpusReader:
        return CorpusReader(self.name, list(corpus_pages(self.task.folder)), self.sizes, self.truth)

    @cached_property
    def entry(self) -> TaskEntry:
        return _entry(self.name, self.task, self.truth, self.sizes)

    @cached_property
    def files(self) -> tuple[TaskFileView, ...]:
        return tuple(self._file(number) for number in range(1, len(self.task.question.files) + 1))

    def drawn(self, number: int, page: int, words: Sequence[str] = ()) -> DrawnPage:
        """Kept for the browser, which asks for what the page has just named."""
        if not words and (number, page) in self._drawn:
            return self._drawn[number, page]
        made = self.task.drawer.drawn(self.task.question.files[number - 1], page, words)
        self._drawn[number, page] = made
        while len(self._drawn) > _DRAWN:
            self._drawn.popitem(last=False)
        return made

    def image_name(self, number: int, page: int) -> str:
        """Files by their numbers: a name may be a path, if a stranger wrote it."""
        photo = ending(self.task.question.files[number - 1]) in ("jpg", "jpeg")
        return f"{self.name}-{number}-{page}.{'jpg' if photo else 'png'}"

    def _file(self, number: int) -> TaskFileView:
        name, drawer = self.task.question.files[number - 1], self.task.drawer
        try:
            size = len(drawer.bytes_of(name))
        except FileProblem:
            size = None
        paper = DrawerPaper(
            number,
            name,
            facts_in(name, self.truth.facts),
            lambda page, words: self.drawn(number, page, words),
            lambda page: f"../f/{self.image_name(number, page)}",
        )
        return paper.view(lambda: drawer.content(name), size)

    def fact(self, fact: TaskFact) -> FactView:
        of_page = fact.source == "page"
        return FactView(
            fact,
            tuple(self._place(one.address, one.quote) for one in fact.places),
            tuple(self.corpus.right(fact)) if of_page else (),
            tuple(self.corpus.falsified(fact)) if of_page else (),
        )

    @cached_property
    def evidence(self) -> dict[str, FactView]:
        """Map by fact, with links as a page of the viewer has them that is not the task's own."""
        return {fact.id: self._evidence(self.fact(fact)) for fact in self.truth.facts}

    def _evidence(self, view: FactView) -> FactView:
        right = {one.url: one.passage for one in view.right}
        places = []
        for one in view.places:
            away = one.link is not None and one.link.startswith("#")
            link = f"../t/{self.name}.html{one.link}" if away else one.link
            found = replace(one, link=link, passage=right.get(one.address))
            places.append(self._in_file(view.fact, found))
        return replace(view, places=tuple(places))

    def _in_file(self, fact: TaskFact, found: PlaceView) -> PlaceView:
        place = file_place(found.address)
        file = None if place is None else next((one for one in self.files if one.name == place.name), None)
        if place is None or file is None:
            return found
        crop, passage = evidence_in(file, fact.id, place)
        if crop is None and passage is None and file.sheets:
            text = self.task.drawer.content(file.name).at(place) or ""
            span = words_at(text, fact.value)
            passage = None if span is None else passage_around(text, span)
        return replace(found, crop=crop, passage=passage)

    def _place(self, address: str, quote: str | None) -> PlaceView:
        place = file_place(address)
        if place is None:
            return PlaceView(address, self.corpus.title(address) or address, self.corpus.link(address), quote)
        names = self.task.question.files
        number = names.index(place.name) + 1 if place.name in names else None
        return PlaceView(address, place_label(place), None if number is None else f"#file-{number}", quote)

    def view(self) -> TaskView:
        truth, corpus = self.truth, self.corpus
        shown = {"supportive", "distractor", "noise"} & {*(page.kind for page in truth.pages), "noise"}
        return TaskView(
            entry=self.entry,
            truth=truth,
            today=self.task.question.today,
            facts=tuple(map(self.fact, truth.facts)),
            files=self.files,
            sizes=tuple(_size(name, self.sizes, truth) for name in self.sizes.sizes),
            kinds=tuple(kind for kind in KINDS if kind in shown),
            noise_pages=corpus.noise_pages,
            noise=len(corpus.noise),
            reviewed=tuple(_decisions(truth.review)),
            proposals=tuple(corpus.proposals),
        )


class TaskShelf:
    """A folder of tasks, read as it stands; safe for several threads."""

    def __init__(self, place: Path) -> None:
        self.name = place.resolve().name
        self._place = place
        self._tasks = {file_name(task_id): task for task_id, task in open_tasks(place).items()}
        self._open: OrderedDict[tuple[str, int], OpenTask] = OrderedDict()
        self._lock = RLock()

    def readable(self) -> list[str]:
        """The tasks that have a page."""
        return [name for name in self._tasks if self._entry(name).problem is None]

    def set(self) -> TaskSetView:
        entries = tuple(self._entry(name) for name in self._tasks)
        manifest = read_manifest(self._place)
        if manifest is None:
            return TaskSetView(entries)
        return TaskSetView(
            entries, manifest.funnel.generated, manifest.funnel.kept, dict(manifest.funnel.refused)
        )

    def task(self, name: str) -> TaskView | None:
        with self._lock:
            task = self._opened(name)
            return None if task is None else task.view()

    def evidence(self, name: str) -> Mapping[str, FactView]:
        """Map each fact to its evidence; nothing where the task cannot be read."""
        with self._lock:
            task = self._opened(name)
            return {} if task is None else task.evidence

    def document(self, name: str) -> DocumentView | None:
        task, number = self._numbered(name)
        with self._lock:
            return None if task is None else task.corpus.document(number)

    def noise(self, name: str) -> NoiseView | None:
        task, number = self._numbered(name)
        with self._lock:
            return None if task is None else task.corpus.noise_view(number)

    def documents(self, name: str) -> list[str]:
        """The names of pages that have one of their own, for who writes them all."""
        task = self._opened(name)
        return [] if task is None else [f"{name}-{number}" for number in task.corpus.shown_alone]

    def noises(self, name: str) -> list[str]:
        task = self._opened(name)
        return [] if task is None else [f"{name}-{n}" for n in range(1, task.corpus.noise_pages + 1)]

    def images(self, name: str) -> list[str]:
        """List those that the task's page names."""
        task = self._opened(name)
        if task is None:
            return []
        shown = [one for file in task.files for one in (file.image, *(page.image for page in file.pages))]
        return [one.link.rpartition("/")[2] for one in shown if one is not None]

    def image(self, name: str) -> DrawnPage | None:
        """A page of a PDF, or a picture, by the name that its task's page gave it."""
        stem, _, page = name.rpartition(".")[0].rpartition("-")
        task, number = self._numbered(stem)
        if task is None or not page.isascii() or not page.isdigit():
            return None
        if not 1 <= number <= len(task.task.question.files) or task.image_name(number, int(page)) != name:
            return None
        with self._lock:
            try:
                return task.drawn(number, int(page))
            except FileProblem:
                return None

    def _numbered(self, name: str) -> tuple[OpenTask | None, int]:
        task, _, number = name.rpartition("-")
        if not number.isascii() or not number.isdigit() or len(number) > 6:
            return None, 0
        return self._opened(task), int(number)

    def _opened(self, name: str) -> OpenTask | None:
        """Open the last few, and anew when a review has changed one. `None` for one that the index shows with its problem."""
        task = self._tasks.get(name)
        if task is None:
            return None
        with self._lock:
            try:
                key = (name, (task.folder / TRUTH).stat().st_mtime_ns)
                if key not in self._open:
                    self._open[key] = OpenTask(name, task)
            except (DrrError, OSError):
                return None
            self._open.move_to_end(key)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
            return self._open[key]

    def _entry(self, name: str) -> TaskEntry:
        task = self._tasks[name]
        try:
            return _entry(name, task, read_truth(task.folder), read_sizes(task.folder))
        except (DrrError, OSError) as error:
            reason = str(error).splitlines()[0]
            return TaskEntry(name, task.question.task_id, task.question.query, problem=reason)


def _entry(name: str, task: FileTask, truth: TaskTruth, sizes: CorpusSizes) -> TaskEntry:
    question = task.question
    return TaskEntry(
        name=name,
        task_id=question.task_id,
        query=question.query,
        intent=truth.intent.replace("_", " "),
        theme=truth.theme.replace("_", " "),
        forms=tuple(Counter(ending(one).upper() or "?" for one in question.files).items()),
        file_facts=len(truth.of("file")),
        page_facts=len(truth.of("page")),
        sizes=tuple(sizes.sizes),
        refused=sum(truth.refused.values()),
        review=truth.review.status,
        unconfirmed=len(truth.open_proposals()),
    )


def place_label(place: FilePlace) -> str:
    """A place as people say it."""
    if place.box is None:
        return place.name
    if place.kind == "cell":
        return f"{place.name}, {place.sheet + ' ' if place.sheet else ''}{cell_range(place.box)}"
    if place.kind == "region":
        return f"{place.name}, marked region"
    last = "" if place.box.bottom == place.box.top else f" to {place.box.bottom}"
    return f"{place.name}, {place.kind} {place.box.top}{last}"


def _size(name: str, sizes: CorpusSizes, truth: TaskTruth) -> CorpusSizeView:
    own, known = sizes.sizes[name], truth.sizes.get(name)
    counts = {} if known is None else {str(kind): number for kind, number in known.counts.items()}
    return CorpusSizeView(name, own.tokens, own.tokens if known is None else known.target, own.pages, counts)


def _decisions(review: Review) -> Iterable[str]:
    for row in review.history:
        words = [str(row[key]) for key in ("action", "page", "reviewer", "at", "reason") if row.get(key)]
        yield ", ".join(words)
