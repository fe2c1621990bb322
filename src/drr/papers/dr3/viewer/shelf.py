"""Reads a folder of tasks, truth included, for the viewer's templates. It is for the owner: no agent and no judge uses it."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock

from drr.citations.files import FilePlace, cell_range, file_place
from drr.env.drawer.drawer import DrawnPage
from drr.env.drawer.form import FileProblem, file_extension
from drr.env.errors import DrrError
from drr.env.files import file_name
from drr.papers.dr3.folders import FileTask, open_tasks
from drr.papers.dr3.form import TRUTH, read_sizes
from drr.papers.dr3.making.manifest import read_manifest
from drr.papers.dr3.truth import TaskFact, read_truth
from drr.papers.dr3.viewer.corpus import TaskCorpus
from drr.papers.dr3.viewer.drawers import NOTHING, DrawerPaper, Values, facts_of, names_of
from drr.papers.dr3.viewer.texts import value_at

_OPEN, _DRAWN = 4, 64


class OpenTask(TaskCorpus):
    """A task, the parts of which are read on first use."""

    def __init__(self, name: str, task: FileTask) -> None:
        super().__init__(name, task)
        self._drawn: OrderedDict[tuple[int, int], DrawnPage] = OrderedDict()

    def view(self) -> Values:
        shown = {page.kind for page in self.truth.pages} | {"noise"}
        return {
            "name": self.name,
            "question": self.question,
            "truth": self.truth,
            "made": self.truth.intent != "other",
            "facts": [self._fact(one) for one in self.truth.facts],
            "files": self.files,
            "sizes": self.sizes,
            "kinds": [kind for kind in ("supportive", "distractor", "noise") if kind in shown],
            "noise_pages": self.noise_pages,
            "noise": len(self.noise),
            "proposals": [self.proposal(one) for one in self.proposed.values()],
        }

    @cached_property
    def files(self) -> list[Values]:
        return [self._file(number, name) for number, name in enumerate(self.question.files, 1)]

    @cached_property
    def _papers(self) -> dict[str, DrawerPaper | FileProblem]:
        return {name: self._paper(number, name) for number, name in enumerate(self.question.files, 1)}

    def _paper(self, number: int, name: str) -> DrawerPaper | FileProblem:
        try:
            content = self.task.drawer.content(name)
        except FileProblem as problem:
            return problem
        return DrawerPaper(
            content,
            facts_of(name, self.truth.facts),
            lambda page, words: self.drawn(number, page, words),
            lambda page: f"../f/{self.image_name(number, page)}",
        )

    def _file(self, number: int, name: str) -> Values:
        paper = self._papers[name]
        try:
            size = len(self.task.drawer.bytes_of(name))
        except FileProblem:
            size = None
        facts = names_of(facts_of(name, self.truth.facts))
        head = {"number": number, "name": name, "bytes": size, "facts": facts}
        if isinstance(paper, FileProblem):
            problem = paper.message.removeprefix(f"{name}: ")
            return {**NOTHING, **head, "label": "not read", "problem": problem}
        return {**head, "label": paper.content.label, **paper.values()}

    def drawn(self, number: int, page: int, words: Sequence[str] = ()) -> DrawnPage:
        """Return a drawn page or picture. It is cached, as the browser asks for it right after the page that names it."""
        if not words and (number, page) in self._drawn:
            return self._drawn[number, page]
        made = self.task.drawer.drawn(self.question.files[number - 1], page, words)
        self._drawn[number, page] = made
        while len(self._drawn) > _DRAWN:
            self._drawn.popitem(last=False)
        return made

    def image_name(self, number: int, page: int) -> str:
        """Return the name of an image. Files go by number, as a hostile file name could be a path."""
        photo = file_extension(self.question.files[number - 1]) in ("jpg", "jpeg")
        return f"{self.name}-{number}-{page}.{'jpg' if photo else 'png'}"

    def _fact(self, fact: TaskFact) -> Values:
        right = [
            self.statement(page, value_at(page.text, one.quote, fact.value))
            for one in fact.places
            if fact.source == "page" and (page := self.page(one.address)) is not None
        ]
        changed = [
            self.changed_statement(one)
            for one in self.truth.pages
            if one.change and one.change.fact == fact.id and fact.source == "page" and one.url in self.places
        ]
        places = [self._place(one.address, one.quote) for one in fact.places]
        return {"fact": fact, "places": places, "right": right, "falsified": changed}

    def _place(self, address: str, quote: str | None) -> Values:
        place, names = file_place(address), self.question.files
        if place is None:
            page = self.page(address)
            label, link = page.title if page else address, self.link(address)
        else:
            label = place_label(place)
            link = f"#file-{names.index(place.name) + 1}" if place.name in names else None
        return {"address": address, "label": label, "link": link, "quote": quote}

    @cached_property
    def evidence(self) -> dict[str, Values]:
        """Return the places and statements of each fact by its id, with links for pages other than the task's own."""
        found = {}
        for fact in self.truth.facts:
            shown = self._fact(fact)
            passages = {one["url"]: one["passage"] for one in shown["right"]}
            shown["places"] = [self._fact_values(fact, one, passages) for one in shown["places"]]
            found[fact.id] = shown
        return found

    def _fact_values(self, fact: TaskFact, shown: Values, passages: Mapping[str, object]) -> Values:
        link, place = shown["link"], file_place(shown["address"])
        if link is not None and link.startswith("#"):
            link = f"../t/{self.name}.html{link}"
        paper = None if place is None else self._papers.get(place.name)
        crop, passage = None, passages.get(shown["address"])
        if place is not None and isinstance(paper, DrawerPaper):
            crop, passage = paper.evidence(fact, place)
        return {**shown, "link": link, "crop": crop, "passage": passage}


class TaskShelf:
    """A folder of tasks, read as it is on disk; safe for several threads."""

    def __init__(self, place: Path) -> None:
        self.name = place.resolve().name
        self._place = place
        self._tasks = {file_name(task_id): task for task_id, task in open_tasks(place).items()}
        self._open: OrderedDict[tuple[str, int], OpenTask] = OrderedDict()
        self._lock = RLock()

    def readable(self) -> list[str]:
        """List the names of the tasks that have a page."""
        return [name for name in self._tasks if self._entry(name)["problem"] is None]

    def set(self) -> Values:
        """Return the values of the index: all tasks of the folder, and the counts of candidates in its manifest."""
        manifest = read_manifest(self._place)
        return {"entries": list(map(self._entry, self._tasks)), "funnel": manifest and manifest.funnel}

    def _entry(self, name: str) -> Values:
        task = self._tasks[name]
        row: Values = {"name": name, "question": task.question, "problem": None}
        try:
            known = {"truth": read_truth(task.folder), "sizes": read_sizes(task.folder).sizes}
        except (DrrError, OSError) as error:
            return {**row, "problem": str(error).splitlines()[0]}
        return {
            **row,
            **known,
            "forms": Counter(file_extension(one).upper() or "?" for one in task.question.files),
        }

    def shown(self, kind: str, name: str) -> Values | None:
        """Return the values of a page. Its kind is task (`t`), page of the corpus (`d`) or noise (`n`)."""
        task, number = (self._open_task(name), 0) if kind == "t" else self._task_and_number(name)
        with self._lock:
            if task is None:
                return None
            if kind == "t":
                return task.view()
            return task.document(number) if kind == "d" else task.noises(number)

    def evidence(self, name: str) -> Mapping[str, Values]:
        """Map each fact of a task to its evidence; empty if the task cannot be read."""
        with self._lock:
            task = self._open_task(name)
            return {} if task is None else task.evidence

    def pages(self, name: str) -> list[tuple[str, str]]:
        """List the viewer's pages of a task by kind and name, for writing them all."""
        task = self._open_task(name)
        return [] if task is None else task.pages()

    def images(self, name: str) -> list[str]:
        """List the names of the images that the task's page shows."""
        task = self._open_task(name)
        files = [] if task is None else task.files
        shown = [one["image"] for file in files for one in (file, *file["pages"])]
        return [one["link"].rpartition("/")[2] for one in shown if one is not None]

    def image(self, name: str) -> DrawnPage | None:
        """Return a drawn page of a PDF, or a picture, by the name in the task's page; `None` without one."""
        stem, _, page = name.rpartition(".")[0].rpartition("-")
        task, number = self._task_and_number(stem)
        if task is None or not page.isascii() or not page.isdigit():
            return None
        if not 1 <= number <= len(task.question.files) or task.image_name(number, int(page)) != name:
            return None
        with self._lock:
            try:
                return task.drawn(number, int(page))
            except FileProblem:
                return None

    def _task_and_number(self, name: str) -> tuple[OpenTask | None, int]:
        task, _, number = name.rpartition("-")
        if not number.isascii() or not number.isdigit() or len(number) > 6:
            return None, 0
        return self._open_task(task), int(number)

    def _open_task(self, name: str) -> OpenTask | None:
        """Return an opened task. The last few are cached, and read again after a review. `None` for a task that cannot be read."""
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


def place_label(place: FilePlace) -> str:
    """Return a place in words for readers, e.g. `receipt.pdf, page 2`."""
    if place.box is None:
        return place.name
    if place.kind == "cell":
        return f"{place.name}, {place.sheet + ' ' if place.sheet else ''}{cell_range(place.box)}"
    if place.kind == "region":
        return f"{place.name}, marked region"
    last = "" if place.box.bottom == place.box.top else f" to {place.box.bottom}"
    return f"{place.name}, {place.kind} {place.box.top}{last}"
