"""The viewer's pages of tasks with files, beside a study or alone, and inserts for the study's own pages."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.env.errors import DrrError
from drr.env.files import file_name
from drr.env.progress import Progress
from drr.eval.metrics import metrics
from drr.papers.dr3.form import holds_tasks
from drr.papers.dr3.judging.rows import (
    FactLabel,
    PointLabel,
    depth_of,
    fact_labels,
    point_labels,
    span_of,
    words_of,
)
from drr.papers.dr3.judging.truths import known_place
from drr.papers.dr3.viewer.drawers import Values
from drr.papers.dr3.viewer.shelf import TaskShelf
from drr.plugin import (
    STATIC,
    EntryReader,
    Frame,
    FramePlace,
    Inserts,
    MarkedSpan,
    ReportView,
    ShownEntry,
    StudyPart,
    View,
    guarded,
    is_own_shop,
    marked_html,
    offer_shop,
    part,
    remember_shop,
    viewer_folder,
)
from drr.study.study import Study

if TYPE_CHECKING:
    from markupsafe import Markup
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route


POINT_STATES = {True: "met", False: "not met", None: "unknown"}
STATES = ("found", "in part", "missed", "unknown")
_NOWHERE = {"link": None, "crop": None, "passage": None}
_LOST = {
    True: "lost in writing: a tool of the run gave it",
    False: "lost in search: no tool of the run gave it",
    None: "",
}


def facts_in(
    report: str, labels: Sequence[FactLabel], known: Mapping[str, Values], judge: str | None
) -> list[Values]:
    """Return the values of each fact label. `known` holds the facts as the folder has them now; a fact that changed since judging is shown without it."""
    return [_label_values(report, label, known.get(label.row["id"]), judge or "a judge") for label in labels]


def counted(facts: Iterable[Values]) -> str:
    """Return the counts of states in words, e.g. `3 found, 1 missed, 1 contradicted`."""
    own = list(facts)
    wrong = sum(bool(fact["repeated"]) for fact in own)
    return _state_counts(STATES, (fact["state"] for fact in own)) + (
        f", {wrong} contradicted" if wrong else ""
    )


def _state_counts(names: Iterable[str], states: Iterable[str]) -> str:
    counts = Counter(states)
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name])


def _label_values(report: str, label: FactLabel, known: Values | None, judge: str) -> Values:
    row, score = label.row, label.score
    if known is not None and (known["fact"].text, known["fact"].value) != (row["text"], row["value"]):
        known = None
    changed = {} if known is None else {one["url"]: one for one in known["falsified"]}
    repeated = [
        {
            "change": one,
            "words": words_of(report, [one["start"], one["end"]]),
            "statement": next((changed[url] for url in one["pages"] if url in changed), None),
        }
        for one in row["repeated"]
    ]
    recorded = [{"label": one["address"], "quote": one["quote"], **_NOWHERE} for one in row["places"]]
    return {
        "row": row,
        "state": "unknown" if score is None else STATES[0 if score >= 1 else 1 if score > 0 else 2],
        "by": "by rule" if label.by_rule else f"by {judge}",
        "reason": label.reason,
        "words": label.words(report),
        "lost": _LOST[label.met] if score == 0 else "",
        "places": recorded if known is None else known["places"],
        "repeated": repeated,
    }


def points_in(
    report: str, labels: Sequence[PointLabel], facts: Sequence[Values], judge: str | None
) -> Values | None:
    """Return the values of the checklist's points, with who decided each, and counts in words; `None` without points."""
    known = {fact["row"]["id"]: fact for fact in facts}
    points: list[Values] = [
        {
            "row": label.row,
            "state": POINT_STATES[label.met],
            "by": _decided_by(label, judge or "a judge"),
            "reason": label.verdict["reason"] if label.verdict else "",
            "words": words_of(report, span_of(label.verdict)),
            "facts": [known[name] for name in label.row["facts"] if name in known],
        }
        for label in labels
    ]
    text = _state_counts(POINT_STATES.values(), (point["state"] for point in points))
    return {"points": points, "text": text} if points else None


def _decided_by(label: PointLabel, judge: str) -> str:
    if label.row["facts"]:
        return f"by its facts, {', '.join(label.row['facts'])}"
    return f"by {judge}" if label.verdict and label.verdict["reason"] else "no judge was asked"


OWNERS = (
    "What is true of these tasks, for their owner: whoever is to answer or to judge them must not see it."
)
BESIDE = "tasks.html"
"""Name of the index of tasks when it stands beside a study."""
SHOWN_CHANGES = 3
"""Number of changes of each fact shown before the reader opens the rest."""
FIGURES = ("dr3_ir_sc", "dr3_ir_uf", "dr3_cc", "dr3_contradicted", "dr3_search_loss", "dr3_writing_loss")
"""Figures of each answer that the page of its task shows."""
KINDS = ("t", "d", "n")
"""Folders of pages: tasks, documents of known kind, noise."""
DRAWN = "f"
_MISSING = "no such page of these tasks"


class TaskFolderPages(StudyPart):
    """The part of DR3-Eval in a study's viewer."""

    def __init__(self, reader: EntryReader, tasks: Path | None = None) -> None:
        super().__init__(reader, tasks)
        self.show(shelf_of(reader.study, tasks))

    def show(self, shelf: TaskShelf | None) -> None:
        """Show the tasks of a shelf beside the study; `None` shows none."""
        self._shelf, self.for_owners = shelf, shelf is not None
        self._names = frozenset(() if shelf is None else shelf.readable())
        self.place = None if shelf is None else FramePlace("tasks", BESIDE, "Tasks")

    @classmethod
    def of_folder(cls, place: Path) -> TaskFolder | None:
        return TaskFolder(TaskShelf(place)) if holds_tasks(place) else None

    def on_index(self, entries: Sequence[ShownEntry]) -> Inserts:
        from markupsafe import Markup

        return (
            {"told": Markup(' <a href="tasks.html">The tasks</a>, with what is true of them.')}
            if self._names
            else {}
        )

    def on_query(self, reports: Sequence[ReportView]) -> Inserts:
        from markupsafe import Markup

        name = self._task_of(reports[0].entry)
        line = Markup(
            '<p><a href="../t/{}.html">The task</a>: its files, its corpus, and what is true of it.</p>'
        )
        return {} if name is None else {"task": line.format(name)}

    def on_report(self, report: ReportView) -> Inserts:
        from markupsafe import Markup

        name, labels = self._task_of(report.entry), fact_labels(report.judged, report.key) or ()
        known = self._shelf.evidence(name) if self._shelf and name and labels else {}
        facts = facts_in(report.report, labels, known, report.verdicts.judge)
        points = point_labels(report.judged, report.key) or ()
        checklist = points_in(report.report, points, facts, report.verdicts.judge)
        depth = depth_of(report.judged, report.key)
        values = {"facts": facts, "counted": counted(facts), "checklist": checklist, "depth": depth}
        found = {"before_quality": part("dr3/answer.html", r=report, **values)}
        if name is not None:
            found["path"] = Markup(' / <a href="../t/{}.html">task</a>').format(name)
        if facts:
            found["link_before_quality"] = Markup('<li><a href="#facts">Facts</a></li>')
        return found

    def _task_of(self, entry: ShownEntry) -> str | None:
        """Return the name of the task page of an answer; `None` if the answer is of no readable task."""
        return next((name for name in map(file_name, _tasks_of(entry)) if name in self._names), None)

    def routes(self, frame: Frame) -> Sequence[Route]:
        return () if self._shelf is None else self._pages_beside(self._shelf, frame).routes()

    def write(self, frame: Frame, view: View, draft: Path, progress: Progress) -> int:
        return 0 if self._shelf is None else self._pages_beside(self._shelf, frame).write(draft, progress)

    def _pages_beside(self, shelf: TaskShelf, frame: Frame) -> TaskPages:
        return TaskPages(shelf, replace(frame, about=str), BESIDE, self.reader.entries)


def _tasks_of(entry: ShownEntry) -> list[str]:
    """List the ids that an answer's task may have: from its question, and from the question's id before the size."""
    return [*filter(None, (entry.task,)), entry.query_id.partition("@")[0]]


def shelf_of(study: Study, given: Path | None) -> TaskShelf | None:
    """Find the tasks behind a study, if they still exist and this user vouched for them.

    `None` for a study without file tasks. A study whose tasks are gone can be read without them, and a message says so.
    """
    named = known_place(study)
    if given is not None:
        remember_shop(study.folder, str(given.resolve()))
        return TaskShelf(given)
    if named is None:
        return None
    offer_shop(study.folder, named, None, "--tasks")
    beside = study.folder.resolve().parent / named
    for place in dict.fromkeys([Path(named), beside]):
        if is_own_shop(study.folder, str(place)) and holds_tasks(place):
            try:
                return TaskShelf(place)
            except DrrError as error:
                print(f"drr: {error}", file=sys.stderr)
    print(
        f"drr: the tasks {named} are not at hand, so their pages are missing; --tasks FOLDER says where they are now",
        file=sys.stderr,
    )
    return None


class TaskPages:
    """Draws the pages of tasks. `home` is the index of tasks: the first page, or another name beside a study."""

    def __init__(
        self,
        shelf: TaskShelf,
        frame: Frame,
        home: str = "index.html",
        entries: Callable[[], Sequence[ShownEntry]] = tuple,
    ) -> None:
        """Set up the pages; `entries` returns all answers of the study that the pages stand beside."""
        self._shelf, self._home, self._entries = shelf, home, entries
        self._common = {**frame.values("tasks"), "live": False, "home": home, "banner": OWNERS}

    def _draw(self, name: str, root: str, values: Mapping[str, Any]) -> str:
        return part(f"dr3/{name}.html", root=root, **self._common, **values)

    def index(self) -> str:
        return self._draw("tasks", "", {"tasks": self._shelf.set()})

    def page(self, kind: str, name: str) -> str | None:
        """Draw the page of a task, a document or some noise; `None` if there is no page of this name."""
        found = self._shelf.shown(kind, name)
        if found is None:
            return None
        if kind == "t":
            return self._draw("task", "../", self._of_task(found))
        return self._draw("document" if kind == "d" else "noise", "../", {kind: found, "html": _read})

    def _of_task(self, task: Values) -> Values:
        question, sizes = task["question"], list(task["sizes"])

        def place(one: ShownEntry) -> tuple[str, int, int]:
            return one.variant, sizes.index(one.size) if one.size in sizes else len(sizes), one.trial

        answers = [one for one in self._entries() if question.task_id in _tasks_of(one)]
        return {
            "t": task,
            "answers": sorted(answers, key=place),
            "figures": [metrics()[name] for name in FIGURES if any(name in one.scores for one in answers)],
            "other_words": any(one.query.split() != question.query.split() for one in answers),
            "shown_changes": SHOWN_CHANGES,
            "named": {one.id: one for one in task["truth"].facts},
        }

    def routes(self) -> list[Route]:
        from starlette.responses import HTMLResponse, PlainTextResponse, Response
        from starlette.routing import Route

        def index(request: Request) -> Response:
            return HTMLResponse(self.index())

        def image(request: Request) -> Response:
            drawn = self._shelf.image(request.path_params["name"])
            if drawn is None:
                return PlainTextResponse(_MISSING, 404)
            return Response(drawn.data, 200, None, drawn.mime_type)

        def page(kind: str, request: Request) -> Response:
            try:
                html = self.page(kind, request.path_params["name"])
            except DrrError as error:
                return PlainTextResponse(str(error), 500)
            return PlainTextResponse(_MISSING, 404) if html is None else HTMLResponse(html)

        return [
            Route(f"/{self._home}", index),
            Route(f"/{DRAWN}/{{name:str}}", image),
            *(Route(f"/{kind}/{{name:str}}.html", partial(page, kind)) for kind in KINDS),
        ]

    def write(self, draft: Path, progress: Progress) -> int:
        """Write all pages and images into a folder; return the number of pages. Other parts may write there as well."""
        (draft / self._home).write_text(self.index(), encoding="utf-8")
        for folder in (*KINDS, DRAWN):
            (draft / folder).mkdir()
        count, names = 1, self._shelf.readable()
        with progress.stage("tasks", total=len(names), unit="tasks") as stage:
            for task in names:
                for kind, name in self._shelf.pages(task):
                    html = self.page(kind, name)
                    if html is not None:
                        (draft / kind / f"{name}.html").write_text(html, encoding="utf-8")
                        count += 1
                for image in self._shelf.images(task):
                    drawn = self._shelf.image(image)
                    if drawn is not None:
                        (draft / DRAWN / image).write_bytes(drawn.data)
                stage.advance()
        return count


def _read(document: Values) -> Markup:
    """Return the text of a page as HTML, with the words of its facts marked."""
    from markupsafe import Markup

    kind = "none" if document["kind"] == "distractor" else "full"
    spans = [MarkedSpan(one.start, one.end, one.fact, kind) for one in document["spans"]]
    return Markup(marked_html(document["page"].text, spans))


class TaskFolder(NamedTuple):
    """The pages of a folder of tasks without a study."""

    shelf: TaskShelf

    def _pages(self, *, served: bool) -> TaskPages:
        frame = Frame(self.shelf.name, served, [FramePlace("tasks", "index.html", "Tasks")])
        return TaskPages(self.shelf, frame)

    def site(self, token: str, port: int) -> Starlette:
        from starlette.applications import Starlette
        from starlette.responses import RedirectResponse
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles

        def root(request: Request) -> Response:
            return RedirectResponse("index.html", 303)

        own = self._pages(served=True).routes()
        routes = [Route("/", root), Mount("/static", StaticFiles(directory=STATIC)), *own]
        return guarded(Starlette(routes=routes), lambda: {token}, port)

    def write(self, folder: Path, progress: Progress) -> int:
        with viewer_folder(folder) as draft:
            return self._pages(served=False).write(draft, progress)
