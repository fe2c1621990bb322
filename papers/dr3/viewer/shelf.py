"""Reads a folder of tasks with files, truth and all, for the templates of their pages. For the owner: no agent and no judge comes here."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock

from drr.citations.files import FilePlace, cell_range, file_place
from drr.env.drawer.drawer import DrawnPage
from drr.env.drawer.form import FileProblem, ending
from drr.env.errors import DrrError
from drr.env.files import file_name
from drr.papers.dr3.folders import FileTask, open_tasks
from drr.papers.dr3.form import TRUTH, CorpusPage, corpus_pages, read_sizes
from drr.papers.dr3.making.manifest import read_manifest
from drr.papers.dr3.truth import KnownPage, PageProposal, TaskFact, read_truth
from drr.papers.dr3.viewer.drawers import NOTHING, DrawerPaper, Values, held_in, names_of
from drr.papers.dr3.viewer.texts import FactSpan, Place, passage_around, value_at, words_at

_OPEN, _DRAWN = 4, 64
NOISE_TOGETHER = 25
"""Pages of noise that share a page of the viewer."""
_STANDINGS = {"confirm": "confirmed", "refute": "refuted"}


class OpenTask:
    """One task, its parts read when they are asked for. A page of its corpus is known by its place in the largest size."""

    def __init__(self, name: str, task: FileTask) -> None:
        self.name, self.task, self.question = name, task, task.question
        self.truth, self.sizes = read_truth(task.folder), read_sizes(task.folder)
        self._known = {page.url: page for page in self.truth.pages}
        self._proposed = {one.url: one for one in (self.truth.found.proposals if self.truth.found else ())}
        self._drawn: OrderedDict[tuple[int, int], DrawnPage] = OrderedDict()

    @cached_property
    def _pages(self) -> list[CorpusPage]:
        return list(corpus_pages(self.task.folder))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {page.url: number for number, page in enumerate(self._pages, 1)}

    @cached_property
    def known(self) -> list[int]:
        """Supportive pages, then distractors, by their numbers."""
        pages = [one for one in self.truth.pages if one.url in self._places and one.kind != "noise"]
        return [
            number for _, number in sorted((one.kind != "supportive", self._places[one.url]) for one in pages)
        ]

    @property
    def documents(self) -> list[int]:
        """List those with a page of their own: of known kind, or proposed."""
        proposed = [self._places[url] for url in self._proposed if url in self._places]
        return list(dict.fromkeys([*self.known, *proposed]))

    @cached_property
    def noise(self) -> list[int]:
        known = set(self.known)
        return [number for number in range(1, len(self._pages) + 1) if number not in known]

    @property
    def noise_pages(self) -> int:
        return -(-len(self.noise) // NOISE_TOGETHER)

    def _link(self, url: str) -> str | None:
        """Link from a page of the viewer one folder deep."""
        number = self._places.get(url)
        return None if number is None else f"../d/{self.name}-{number}.html"

    def _page(self, url: str) -> CorpusPage | None:
        number = self._places.get(url)
        return None if number is None else self._pages[number - 1]

    def view(self) -> Values:
        shown = {page.kind for page in self.truth.pages} | {"noise"}
        return {
            "name": self.name,
            "question": self.question,
            "truth": self.truth,
            "made": self.truth.intent != "other",
            "facts": [self._fact(one) for one in self.truth.facts],
            "files": self.files,
            "sizes": self.sizes.sizes,
            "kinds": [kind for kind in ("supportive", "distractor", "noise") if kind in shown],
            "noise_pages": self.noise_pages,
            "noise": len(self.noise),
            "proposals": [self._proposal(one) for one in self._proposed.values()],
        }

    # The drawer ----------------------------------------------------------------------------------------------------

    @cached_property
    def files(self) -> list[Values]:
        return [self._file(number) for number in range(1, len(self.question.files) + 1)]

    @cached_property
    def _papers(self) -> dict[str, DrawerPaper | FileProblem]:
        return {name: self._paper(number) for number, name in enumerate(self.question.files, 1)}

    def _paper(self, number: int) -> DrawerPaper | FileProblem:
        name = self.question.files[number - 1]
        try:
            content = self.task.drawer.content(name)
        except FileProblem as problem:
            return problem
        return DrawerPaper(
            name,
            content,
            held_in(name, self.truth.facts),
            lambda page, words: self.drawn(number, page, words),
            lambda page: f"../f/{self.image_name(number, page)}",
        )

    def _file(self, number: int) -> Values:
        name = self.question.files[number - 1]
        paper = self._papers[name]
        try:
            size = len(self.task.drawer.bytes_of(name))
        except FileProblem:
            size = None
        head = {
            "number": number,
            "name": name,
            "bytes": size,
            "facts": names_of(held_in(name, self.truth.facts)),
        }
        if isinstance(paper, FileProblem):
            return {
                **NOTHING,
                **head,
                "label": "not read",
                "problem": paper.message.removeprefix(f"{name}: "),
            }
        return {**head, "label": paper.content.label, **paper.values()}

    def drawn(self, number: int, page: int, words: Sequence[str] = ()) -> DrawnPage:
        """Kept for the browser, which asks for what the page has just named."""
        if not words and (number, page) in self._drawn:
            return self._drawn[number, page]
        made = self.task.drawer.drawn(self.question.files[number - 1], page, words)
        self._drawn[number, page] = made
        while len(self._drawn) > _DRAWN:
            self._drawn.popitem(last=False)
        return made

    def image_name(self, number: int, page: int) -> str:
        """Files by their numbers: a name may be a path, if a stranger wrote it."""
        photo = ending(self.question.files[number - 1]) in ("jpg", "jpeg")
        return f"{self.name}-{number}-{page}.{'jpg' if photo else 'png'}"

    # Facts ---------------------------------------------------------------------------------------------------------

    def _fact(self, fact: TaskFact) -> Values:
        right = [
            self._statement(page, value_at(page.text, one.quote, fact.value))
            for one in fact.places
            if fact.source == "page" and (page := self._page(one.address)) is not None
        ]
        changed = [
            self._changed(one)
            for one in self.truth.pages
            if one.change and one.change.fact == fact.id and fact.source == "page" and one.url in self._places
        ]
        places = [self._place(one.address, one.quote) for one in fact.places]
        return {"fact": fact, "places": places, "right": right, "falsified": changed}

    def _place(self, address: str, quote: str | None) -> Values:
        place, names = file_place(address), self.question.files
        if place is None:
            page = self._page(address)
            label, link = page.title if page else address, self._link(address)
        else:
            label = place_label(place)
            link = f"#file-{names.index(place.name) + 1}" if place.name in names else None
        return {"address": address, "label": label, "link": link, "quote": quote}

    @cached_property
    def evidence(self) -> dict[str, Values]:
        """Map by fact, with links as a page of the viewer has them that is not the task's own."""
        return {fact.id: self._evidence(self._fact(fact)) for fact in self.truth.facts}

    def _evidence(self, shown: Values) -> Values:
        passages = {one["url"]: one["passage"] for one in shown["right"]}
        places = []
        for one in shown["places"]:
            link, place = one["link"], file_place(one["address"])
            if link is not None and link.startswith("#"):
                link = f"../t/{self.name}.html{link}"
            crop, passage = None, passages.get(one["address"])
            paper = None if place is None else self._papers.get(place.name)
            if place is not None and isinstance(paper, DrawerPaper):
                crop, passage = paper.evidence(shown["fact"], place)
            places.append({**one, "link": link, "crop": crop, "passage": passage})
        return {**shown, "places": places}

    # The corpus ----------------------------------------------------------------------------------------------------

    def document(self, number: int) -> Values | None:
        """A page of the corpus, and beside a distractor the page that it was made from."""
        if not 1 <= number <= len(self._pages):
            return None
        page = self._pages[number - 1]
        known, proposed = self._known.get(page.url), self._proposed.get(page.url)
        change = known.change if known else None
        source = self._places.get(known.made_from or "") if known else None
        return {
            "name": f"{self.name}-{number}",
            "page": page,
            "kind": known.kind if known else "noise",
            "spans": self._spans(page, known, proposed),
            "sizes": [name for name, size in self.sizes.sizes.items() if number <= size.pages],
            "facts": (known.facts or ((change.fact,) if change else ())) if known else (),
            "statement": self._changed(known) if known and change else None,
            "proposal": self._proposal(proposed) if proposed else None,
            "source": None if source is None else self.document(source),
        }

    def noises(self, number: int) -> Values | None:
        """Some of the pages of a corpus that are neither supportive nor distractors."""
        if not 1 <= number <= self.noise_pages:
            return None
        first = (number - 1) * NOISE_TOGETHER
        own = self.noise[first : first + NOISE_TOGETHER]
        place = {"number": number, "of": self.noise_pages, "first": first + 1, "last": first + len(own)}
        return {
            "task": self.name,
            **place,
            "total": len(self.noise),
            "documents": list(map(self.document, own)),
        }

    def _proposal(self, one: PageProposal) -> Values:
        """A model's proposal for a found page, and a person's view of it."""
        page = self._page(one.url)
        standing = _STANDINGS.get(self.truth.judged_pages().get(one.url, ""), "not confirmed")
        title = page.title if page else one.url
        return {"row": one, "title": title, "link": self._link(one.url), "standing": standing}

    def _statement(self, page: CorpusPage, span: Place | None) -> Values:
        """A page that says a fact, or what a recorded change made of it; no passage where its words are not in it."""
        head = {"url": page.url, "title": page.title, "link": self._link(page.url), "date": page.date}
        return {**head, "passage": passage_around(page.text, span), "change": None}

    def _changed(self, known: KnownPage) -> Values:
        page, change = self._page(known.url), known.change
        assert page is not None and change is not None
        words = {"change": change.kind.replace("_", " "), "before": change.before, "after": change.after}
        return {**self._statement(page, words_at(page.text, change.stated)), **words}

    def _spans(
        self, page: CorpusPage, known: KnownPage | None, proposed: PageProposal | None
    ) -> list[FactSpan]:
        """List what a change made, the sentences of facts, else what a model quoted of a found page."""
        if known is not None and known.change is not None:
            marked = [(words_at(page.text, known.change.stated), known.change.fact)]
        elif known is not None and known.facts:
            facts = [one for one in self.truth.facts if one.id in known.facts]
            marked = [(self._sentence(page, fact), fact.id) for fact in facts]
        else:
            marked = [(words_at(page.text, proposed.quote if proposed else None), "quotation")]
        return [FactSpan(*span, name) for span, name in marked if span is not None]

    def _sentence(self, page: CorpusPage, fact: TaskFact) -> Place | None:
        quotes = [one.quote for one in fact.places if one.address == page.url]
        return words_at(page.text, *quotes, fact.value)


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
        return [name for name in self._tasks if self._entry(name)["problem"] is None]

    def set(self) -> Values:
        """All tasks of the folder, and what its manifest says of their making."""
        manifest = read_manifest(self._place)
        return {
            "entries": [self._entry(name) for name in self._tasks],
            "funnel": manifest and manifest.funnel,
        }

    def _entry(self, name: str) -> Values:
        task = self._tasks[name]
        row: Values = {"name": name, "question": task.question, "problem": None}
        try:
            known = {"truth": read_truth(task.folder), "sizes": read_sizes(task.folder).sizes}
            return {
                **row,
                **known,
                "forms": Counter(ending(one).upper() or "?" for one in task.question.files),
            }
        except (DrrError, OSError) as error:
            return {**row, "problem": str(error).splitlines()[0]}

    def task(self, name: str) -> Values | None:
        with self._lock:
            task = self._opened(name)
            return None if task is None else task.view()

    def evidence(self, name: str) -> Mapping[str, Values]:
        """Map each fact to its evidence; nothing where the task cannot be read."""
        with self._lock:
            task = self._opened(name)
            return {} if task is None else task.evidence

    def document(self, name: str) -> Values | None:
        task, number = self._numbered(name)
        with self._lock:
            return None if task is None else task.document(number)

    def noise(self, name: str) -> Values | None:
        task, number = self._numbered(name)
        with self._lock:
            return None if task is None else task.noises(number)

    def documents(self, name: str) -> list[str]:
        """The names of pages that have one of their own, for who writes them all."""
        task = self._opened(name)
        return [] if task is None else [f"{name}-{number}" for number in task.documents]

    def noises(self, name: str) -> list[str]:
        task = self._opened(name)
        return [] if task is None else [f"{name}-{n}" for n in range(1, task.noise_pages + 1)]

    def images(self, name: str) -> list[str]:
        """List those that the task's page names."""
        task = self._opened(name)
        files = [] if task is None else task.files
        shown = [one["image"] for file in files for one in (file, *file["pages"])]
        return [one["link"].rpartition("/")[2] for one in shown if one is not None]

    def image(self, name: str) -> DrawnPage | None:
        """A page of a PDF, or a picture, by the name that its task's page gave it."""
        stem, _, page = name.rpartition(".")[0].rpartition("-")
        task, number = self._numbered(stem)
        if task is None or not page.isascii() or not page.isdigit():
            return None
        if not 1 <= number <= len(task.question.files) or task.image_name(number, int(page)) != name:
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
