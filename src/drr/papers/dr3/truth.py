"""The truth of a file task: facts with their places, kinds of pages, recorded changes, the checklist.

No agent and no judge sees it: `papers.dr3.world`, which runs use, does not import this module (a test checks that).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from drr.env.files import Id
from drr.env.jsonl import document_of
from drr.env.query import Review
from drr.papers.dr3.form import SCHEMA, TRUTH, FrozenRow
from pydantic import Field, model_validator

Intent = Literal[
    "replace_under_warranty",
    "refill",
    "fit_into_space",
    "compare_with_owned",
    "return_or_keep",
    "own_files",
    "other",
]
"""Intent of the question. The first five are those of the built-in tasks; `other` is that of imported tasks, where no intent is known."""
Category = Literal["content", "evidence", "analysis", "comparison", "conclusion"]
"""Category of a point of a checklist."""
PageKind = Literal["supportive", "distractor", "noise"]
ChangeKind = Literal["outdated", "other_period", "one_sided", "wrong_figure", "other_model"]
"""Kind of false statement. `other_period`: terms for purchases of a later time, or figures of a later version of the product."""
MOST_WORDS = 12
PAGE_ACTIONS = ("confirm", "refute")
"""Actions of a reviewer on a proposed kind, as the history of the review has them."""


class FactPlace(FrozenRow):
    """The place of a fact: an address that a report can cite, and the words that state it."""

    address: str
    """Address such as `file://receipt-1.pdf#page=2`, `file://budget.xlsx#cell=Rooms!B4`, `file://sketch.png#region=40,60,220,90`, or a page's."""
    quote: str | None = None
    """Words of the place, exactly as they stand; in a picture, the text drawn in it."""
    names: str | None = None
    """Words of the file that name the fact's subject; only for files that this program made."""


class TaskFact(FrozenRow):
    """A fact that the answer needs. It is stored as a sentence, so no insight has to be extracted from a text."""

    id: Id
    subject: str = Field(min_length=1)
    """Subject, as both the sources and a report would name it."""
    attribute: str = Field(min_length=1)
    """Attribute of the subject, e.g. `warranty term`, `width`, `price paid`."""
    value: str = Field(min_length=1)
    """Value as written, e.g. `36 months`, `$41.99`, `58 cm`."""
    text: str = Field(min_length=1)
    """The fact as one sentence of at most twelve words."""
    source: Literal["file", "page"]
    places: tuple[FactPlace, ...] = ()
    modality: Literal["text", "table", "picture"] = "text"
    made: bool = True
    """False for an imported insight, which may be longer, and whose `value` is its whole text."""

    @model_validator(mode="after")
    def _is_short(self) -> TaskFact:
        if self.made and len(self.text.split()) > MOST_WORDS:
            raise ValueError(f"a fact has at most {MOST_WORDS} words; this one is longer: {self.text!r}")
        return self


class StatementChange(FrozenRow):
    """The change of a statement that turns a copy of a supportive page into a distractor."""

    kind: ChangeKind
    fact: Id
    before: str
    after: str | None = None
    """The false value; `None` if the statement was left out. A different subject stands before it (`A Mini: 9 oz`), and the month
    from which it applies stands after it if it is for other purchases (`21 months, sold from June 2021`)."""

    @property
    def stated(self) -> str | None:
        """Return the false value alone, as the page states it."""
        if self.after is None:
            return None
        value = self.after.partition(", sold from ")[0]
        return value.rpartition(": ")[2] if self.kind == "other_model" else value


class KnownPage(FrozenRow):
    """A supportive page with its facts, or a distractor with its change. Every other page of a corpus is noise."""

    url: str
    kind: PageKind
    facts: tuple[Id, ...] = ()
    made_from: str | None = None
    change: StatementChange | None = None
    trust: int | None = Field(None, exclude_if=lambda value: value is None)
    """Quality of the source from 0 (hearsay) to 3; only for pages that this program made."""
    as_of: str | None = Field(None, exclude_if=lambda value: value is None)
    """Month since which the page's statement applies, if the page says so, e.g. `March 2018`."""


class SearchTerm(FrozenRow):
    """A search term of three to five words."""

    term: str
    role: Literal["signal", "noise"]
    facts: tuple[Id, ...] = ()
    """Facts of the pages that the term leads to."""


class ChecklistPoint(FrozenRow):
    """A requirement of the checklist for reports on a task."""

    id: Id
    requirement: str
    category: Category
    decided_by: Literal["rule", "judge"]
    facts: tuple[Id, ...] = ()
    """Facts whose values a rule looks for to decide the point."""


class PageProposal(FrozenRow):
    """A model's proposal of the kind of a found page, with a sentence of the page. It counts as true once a person confirms it."""

    url: str
    kind: PageKind
    quote: str | None = None
    why: str


class FoundRecord(FrozenRow):
    """The origin of a task's found pages: model, web, proposals and counts."""

    model: str
    web: str
    proposals: tuple[PageProposal, ...]
    """Proposals for the pages of the corpus that a model read. Pages that only noise terms led to are noise by rule."""
    pages: dict[str, int]
    """Count of pages read, and of pages left out by reason."""


class SizeTruth(FrozenRow):
    target: int
    tokens: int
    counts: dict[PageKind, int]
    sha256: str


class TaskTruth(FrozenRow):
    schema_version: int = SCHEMA
    task_id: Id
    intent: Intent
    theme: str
    seed: int
    shop_hash: str
    facts: tuple[TaskFact, ...]
    """Required facts: without any one of them the question cannot be answered."""
    pages: tuple[KnownPage, ...]
    terms: tuple[SearchTerm, ...]
    checklist: tuple[ChecklistPoint, ...]
    sizes: dict[str, SizeTruth]
    counter: str
    answer: tuple[str, ...] = ()
    """Steps that combine the facts, part by part, with each result."""
    refused: dict[str, int] = Field(default_factory=dict)
    """Number of earlier candidates for this task that each filter refused, by the filter's name."""
    invented: tuple[str, ...] = ()
    """Details that were invented because the shop's records lack them, e.g. `serial numbers`."""
    found: FoundRecord | None = Field(None, exclude_if=lambda found: found is None)
    """Origin of the pages, for tasks with found pages."""
    review: Review = Field(default_factory=Review)

    @model_validator(mode="after")
    def _names_what_is_there(self) -> TaskTruth:
        ids = [fact.id for fact in self.facts]
        if len(set(ids)) < len(ids):
            raise ValueError("two facts have one id")
        named = {
            *(id_ for page in self.pages for id_ in page.facts),
            *(page.change.fact for page in self.pages if page.change),
            *(id_ for term in self.terms for id_ in term.facts),
            *(id_ for check in self.checklist for id_ in check.facts),
        }
        if strange := sorted(named - set(ids)):
            raise ValueError(f"there is no fact {strange[0]}")
        return self

    def judged_pages(self) -> dict[str, str]:
        """Map each address to a person's latest decision on the proposed kind: `confirm` or `refute`."""
        entries = [entry for entry in self.review.history if entry.get("action") in PAGE_ACTIONS]
        return {str(entry["page"]): str(entry["action"]) for entry in entries}

    @property
    def is_refuted(self) -> bool:
        """Tell whether a person refuted the proposed kind of any page."""
        return "refute" in self.judged_pages().values()

    def open_proposals(self) -> list[PageProposal]:
        """List the proposals that no person has confirmed or refuted."""
        judged = self.judged_pages()
        return [one for one in (self.found.proposals if self.found else ()) if one.url not in judged]

    def of(self, source: Literal["file", "page"]) -> list[TaskFact]:
        return [fact for fact in self.facts if fact.source == source]


def read_truth(folder: Path) -> TaskTruth:
    return document_of(folder / TRUTH, TaskTruth, SCHEMA)
