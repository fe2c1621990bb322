"""The truth of a file task, by construction: facts with their places, kinds of pages, recorded changes, the checklist.

No agent and no judge is given a byte of it: the world of file tasks does not import this module (a test holds that).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from drr.env.files import Id
from drr.env.jsonl import document_of
from drr.env.query import Review
from drr.papers.dr3.form import SCHEMA, TRUTH, CorpusSize, CorpusSizes, FrozenRow
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
"""The first five are those of the tasks that come with the program. `other`: of an imported task, where nobody named one."""
Category = Literal["content", "evidence", "analysis", "comparison", "conclusion"]
"""The category of a point of a checklist."""
PageKind = Literal["supportive", "distractor", "noise"]
ChangeKind = Literal["outdated", "other_period", "one_sided", "wrong_figure", "other_model"]
"""`other_period`: terms for purchases of a later time than this one, or figures of a later make than that of the thing at hand."""
MOST_WORDS = 12
PAGE_ACTIONS = ("confirm", "refute")
"""Actions of a reviewer on a proposed kind, in the history of the review."""


class FactPlace(FrozenRow):
    """The place of a fact: an address that a report can cite, and the words that state it."""

    address: str
    """`file://receipt-1.pdf#page=2`, `file://budget.xlsx#cell=Rooms!B4`, `file://sketch.png#region=40,60,220,90`, or a page's."""
    quote: str | None = None
    """Words of the place as they stand; in a picture, its drawn text."""
    names: str | None = None
    """The words of the file that say of what it is the fact; of places that we wrote."""


class TaskFact(FrozenRow):
    """One thing that must be known: it is the insight, so nobody has to extract one."""

    id: Id
    subject: str = Field(min_length=1)
    """Subject, as both the sources and a report would name it."""
    attribute: str = Field(min_length=1)
    """`warranty term`, `width`, `price paid`."""
    value: str = Field(min_length=1)
    """Value as written: `36 months`, `$41.99`, `58 cm`."""
    text: str = Field(min_length=1)
    """One sentence of at most twelve words."""
    source: Literal["file", "page"]
    places: tuple[FactPlace, ...] = ()
    modality: Literal["text", "table", "picture"] = "text"
    made: bool = True
    """False for an imported insight: it keeps its length, and `value` is its text."""

    @model_validator(mode="after")
    def _is_short(self) -> TaskFact:
        if self.made and len(self.text.split()) > MOST_WORDS:
            raise ValueError(f"a fact has at most {MOST_WORDS} words; this one is longer: {self.text!r}")
        return self


class StatementChange(FrozenRow):
    """The change that makes a distractor of a supportive page."""

    kind: ChangeKind
    fact: Id
    before: str
    after: str | None = None
    """`None` where the statement was left out. The value, with the subject before it where that is another (`A Mini: 9 oz`), and with the
    month behind it where it holds for purchases of another time (`21 months, sold from June 2021`)."""

    @property
    def stated(self) -> str | None:
        """The value alone, as the page says it."""
        if self.after is None:
            return None
        value = self.after.partition(", sold from ")[0]
        return value.rpartition(": ")[2] if self.kind == "other_model" else value


class KnownPage(FrozenRow):
    """A supportive page with its facts, or a distractor with its change; every other page of a corpus is noise."""

    url: str
    kind: PageKind
    facts: tuple[Id, ...] = ()
    made_from: str | None = None
    change: StatementChange | None = None
    trust: int | None = Field(None, exclude_if=lambda value: value is None)
    """Quality of the source (from 0 to 3), 0 where it states hearsay; only for made pages."""
    as_of: str | None = Field(None, exclude_if=lambda value: value is None)
    """The month since which its statement holds, where it says that: `March 2018`."""


class SearchTerm(FrozenRow):
    """A search term of three to five words."""

    term: str
    role: Literal["signal", "noise"]
    facts: tuple[Id, ...] = ()
    """Facts of the pages that it leads to."""


class ChecklistPoint(FrozenRow):
    """One point of the checklist."""

    id: Id
    requirement: str
    category: Category
    decided_by: Literal["rule", "judge"]
    facts: tuple[Id, ...] = ()
    """Facts whose values a rule looks for."""


class PageProposal(FrozenRow):
    """A model's proposal for a found page, with a sentence that stands in it. True once a person confirmed it."""

    url: str
    kind: PageKind
    quote: str | None = None
    why: str


class FoundRecord(FrozenRow):
    """The origin of a task's found pages."""

    model: str
    web: str
    proposals: tuple[PageProposal, ...]
    """Proposals for the pages of the corpus that a model read. Pages that only noise terms led to are noise by rule."""
    pages: dict[str, int]
    """Pages read, and pages left out by reason."""


class SizeTruth(FrozenRow):
    target: int
    tokens: int
    counts: dict[PageKind, int]
    sha256: str


def size_truths(
    targets: Mapping[str, int], ends: Mapping[str, int], pages: Sequence[tuple[PageKind, int, bytes]]
) -> dict[str, SizeTruth]:
    """Count each size of a corpus, whose pages are given in their order with kind, tokens and line."""
    found = {}
    for name, end in ends.items():
        counts = Counter(kind for kind, _, _ in pages[:end])
        found[name] = SizeTruth(
            target=targets[name],
            tokens=sum(tokens for _, tokens, _ in pages[:end]),
            counts={kind: counts[kind] for kind in get_args(PageKind)},
            sha256=sha256(b"".join(line for _, _, line in pages[:end])).hexdigest(),
        )
    return found


def corpus_sizes(counter: str, ends: Mapping[str, int], truths: Mapping[str, SizeTruth]) -> CorpusSizes:
    """Return what agents may know of the sizes."""
    sizes = {name: CorpusSize(pages=ends[name], tokens=one.tokens) for name, one in truths.items()}
    return CorpusSizes(counter=counter, sizes=sizes)


class TaskTruth(FrozenRow):
    schema_version: int = SCHEMA
    task_id: Id
    intent: Intent
    theme: str
    seed: int
    shop_hash: str
    facts: tuple[TaskFact, ...]
    """All are required: without any of them the question cannot be answered."""
    pages: tuple[KnownPage, ...]
    terms: tuple[SearchTerm, ...]
    checklist: tuple[ChecklistPoint, ...]
    sizes: dict[str, SizeTruth]
    counter: str
    answer: tuple[str, ...] = ()
    """Steps that combine the facts, part by part, with each result."""
    refused: dict[str, int] = Field(default_factory=dict)
    """Candidates for this number that a filter refused before, by the filter's name."""
    invented: tuple[str, ...] = ()
    """Inventions where the shop's records are silent, e.g. `serial numbers`."""
    found: FoundRecord | None = Field(None, exclude_if=lambda found: found is None)
    """Present for tasks of found pages."""
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
        """Map each address to a person's last word on a proposed kind: `confirm` or `refute`."""
        entries = [entry for entry in self.review.history if entry.get("action") in PAGE_ACTIONS]
        return {str(entry["page"]): str(entry["action"]) for entry in entries}

    @property
    def is_refuted(self) -> bool:
        """Tell whether a page is not what it was proposed as, as a person says."""
        return "refute" in self.judged_pages().values()

    def open_proposals(self) -> list[PageProposal]:
        """List those that nobody confirmed or refuted."""
        judged = self.judged_pages()
        return [one for one in (self.found.proposals if self.found else ()) if one.url not in judged]

    def of(self, source: Literal["file", "page"]) -> list[TaskFact]:
        return [fact for fact in self.facts if fact.source == source]


def read_truth(folder: Path) -> TaskTruth:
    return document_of(folder / TRUTH, TaskTruth, SCHEMA)
