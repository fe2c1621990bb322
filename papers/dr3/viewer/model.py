"""The page of a task with files as plain values: read from its folder once, drawn by templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from drr.app.viewer.model import Passage
from drr.citations.files import Box
from drr.papers.dr3.truth import PageProposal, TaskFact, TaskTruth


class FactSpan(NamedTuple):
    """The span in a text of a fact's words."""

    start: int
    end: int
    fact: str


@dataclass(frozen=True)
class MarkedText:
    """A text of a file, or the stretches of it that are shown, with its facts."""

    text: str
    spans: tuple[FactSpan, ...] = ()


@dataclass(frozen=True)
class MarkedImage:
    """A page or picture as we drew it. Boxes are in its own measure, which need not be that of the pixels."""

    link: str
    width: int | None = None
    height: int | None = None
    """Unknown until it is drawn."""
    boxes: tuple[tuple[str, Box], ...] = ()
    """Boxes of each fact."""


@dataclass(frozen=True)
class FilePageView:
    number: int
    text: MarkedText
    image: MarkedImage | None = None
    facts: tuple[str, ...] = ()


class SheetCell(NamedTuple):
    text: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class SheetRow:
    number: int
    cells: tuple[SheetCell, ...]
    skipped: int = 0
    """Rows before it that are not shown."""


@dataclass(frozen=True)
class SheetView:
    name: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    more_columns: int
    more_rows: int


@dataclass(frozen=True)
class TaskFileView:
    """One file of the drawer; `problem` says why nothing of it can be shown."""

    number: int
    name: str
    label: str
    bytes: int | None
    facts: tuple[str, ...] = ()
    problem: str | None = None
    note: str | None = None
    pages: tuple[FilePageView, ...] = ()
    more_pages: int = 0
    sheets: tuple[SheetView, ...] = ()
    text: MarkedText | None = None
    image: MarkedImage | None = None


@dataclass(frozen=True)
class StatementView:
    """A page of the corpus that says a fact, or what a recorded change made of it."""

    url: str
    title: str
    link: str
    date: str | None
    passage: Passage | None
    """`None` where the statement was left out, or its words are not in the page."""
    change: str | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True)
class ImageCrop:
    """The part of a drawn page around a fact."""

    image: MarkedImage
    part: Box


@dataclass(frozen=True)
class PlaceView:
    """The place of a fact, in words and as a link on these pages."""

    address: str
    label: str
    link: str | None
    quote: str | None
    crop: ImageCrop | None = None
    """Part of the page or picture, to lay beside the report's words."""
    passage: Passage | None = None


@dataclass(frozen=True)
class FactView:
    fact: TaskFact
    places: tuple[PlaceView, ...]
    right: tuple[StatementView, ...] = ()
    """Pages that state the fact."""
    falsified: tuple[StatementView, ...] = ()
    """Statements of recorded changes."""


@dataclass(frozen=True)
class CorpusSizeView:
    name: str
    tokens: int
    target: int
    pages: int
    counts: Mapping[str, int]


@dataclass(frozen=True)
class ProposalView:
    """A model's proposal for a found page, and a person's view of it."""

    row: PageProposal
    title: str
    link: str | None
    standing: str
    """`confirmed`, `refuted`, `not confirmed`."""


@dataclass(frozen=True)
class DocumentView:
    """A page of the corpus, and beside a distractor the page that it was made from."""

    name: str
    title: str
    url: str
    date: str | None
    kind: str
    text: str
    spans: tuple[FactSpan, ...]
    sizes: tuple[str, ...]
    facts: tuple[str, ...] = ()
    statement: StatementView | None = None
    proposal: ProposalView | None = None
    source: DocumentView | None = None


@dataclass(frozen=True)
class NoiseView:
    """Some of the pages of a corpus that are neither supportive nor distractors."""

    task: str
    number: int
    count: int
    """Number of such pages of the viewer."""
    first: int
    last: int
    total: int
    documents: tuple[DocumentView, ...]


@dataclass(frozen=True)
class TaskEntry:
    """A task in the index; `problem` says why it has no page."""

    name: str
    task_id: str
    query: str
    intent: str = ""
    theme: str = ""
    forms: tuple[tuple[str, int], ...] = ()
    file_facts: int = 0
    page_facts: int = 0
    sizes: tuple[str, ...] = ()
    refused: int = 0
    review: str = ""
    unconfirmed: int = 0
    """Kinds of found pages that are a model's word alone."""
    problem: str | None = None


@dataclass(frozen=True)
class TaskView:
    entry: TaskEntry
    truth: TaskTruth
    today: str
    facts: tuple[FactView, ...]
    files: tuple[TaskFileView, ...]
    sizes: tuple[CorpusSizeView, ...]
    kinds: tuple[str, ...]
    noise_pages: int
    noise: int
    reviewed: tuple[str, ...]
    """Earlier decisions, in words."""
    proposals: tuple[ProposalView, ...] = ()

    @property
    def made(self) -> bool:
        """Tell whether we made the task; of an imported one places and changes are not recorded."""
        return self.truth.intent != "other"


@dataclass(frozen=True)
class TaskSetView:
    """All tasks of a folder, and what its manifest says of their making."""

    entries: tuple[TaskEntry, ...]
    generated: int | None = None
    kept: int | None = None
    refused: Mapping[str, int] | None = None
