"""Stores labels on disk, one line per choice, written at once. The last line for a pair and dimension counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from drr.app.annotate.annotation_plan import AnnotationPlan, Annotator, BlindPair
from drr.app.console import write_lines
from drr.app.pages.line_file import LineFile
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject, parsed
from drr.env.small_files import DOCUMENT, read_within
from drr.eval.labels import rating_id
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Choice = Literal["left", "right", "tie", "both_bad"]
Score = Annotated[int, Field(strict=True, ge=0, le=10)]
"""Score of a report under one criterion."""


class Mark(BaseModel):
    """A choice of an annotator on the page, not yet tied to systems. A `choice` of `None` withdraws the last choice."""

    model_config = ConfigDict(extra="forbid")

    pair: str
    dimension: str
    choice: Choice | Score | None
    seconds: float | None = Field(None, ge=0, le=1e6, allow_inf_nan=False)
    at: float | None = Field(None, ge=0, le=1e14, allow_inf_nan=False)
    """Time of the choice in ms by the annotator's own clock; the later of two marks counts."""


class Notebook:
    """The file of one annotator's marks, which only grows."""

    def __init__(self, folder: Path, plan: AnnotationPlan, annotator: Annotator) -> None:
        self.path = folder / f"marks-{annotator.name}.jsonl"
        self._file = LineFile(self.path)
        self._plan, self._annotator = plan, annotator
        self._shown = {turn.pair: turn.shown_first for turn in annotator.turns}

    def accepts(self, mark: Mark) -> bool:
        return mark.pair in self._shown and is_asked(mark, self._plan)

    def add(self, mark: Mark) -> None:
        """Write a mark to disk at once, before the page is told that the mark is saved."""
        self._file.add(mark.model_dump_json())

    def marks(self) -> dict[tuple[str, str], Mark]:
        """Return the current marks by pair and dimension, without withdrawn marks."""
        return {key: mark for key, mark in self.last().items() if mark.choice is not None}

    def last(self) -> dict[tuple[str, str], Mark]:
        """Return the last mark for each pair and dimension, including marks that withdraw a choice."""
        return {(mark.pair, mark.dimension): mark for mark in self._lines() if self.accepts(mark)}

    def _lines(self) -> Iterator[Mark]:
        for number, line in enumerate(self._file.lines(), 1):
            try:
                yield Mark.model_validate_json(line)
            except ValidationError as error:
                where = f"{self.path}, line {number}"
                raise DrrError(f"{where}: not a mark; mend or remove the line") from error

    def labels(self) -> Iterator[JsonObject]:
        """Yield the marks as label lines for `drr judges agreement`. A is `answer_a`, whichever side it was shown on."""
        for (name, dimension), mark in sorted(self.marks().items()):
            pair = self._plan.pair(name)
            if pair is not None and mark.choice is not None:
                line = label_of(pair, dimension, mark.choice, self._shown[name])
                line |= {"judge": self._annotator.name, "seconds": mark.seconds}
                yield line | ({"sample": self._plan.sample.model_dump()} if self._plan.sample else {})


def is_asked(mark: Mark, plan: AnnotationPlan) -> bool:
    """Return whether the plan asks for this kind of mark. A mark is a score under a criterion, or a side of a pair."""
    pair = plan.pair(mark.pair)
    fits = mark.choice is None or isinstance(mark.choice, int) == bool(pair and pair.criteria)
    offered = plan.both_bad or mark.choice != "both_bad"
    return fits and offered and mark.dimension in plan.asked(mark.pair)


def label_of(
    pair: BlindPair, dimension: str, choice: Choice | int, shown_first: Literal["a", "b"]
) -> JsonObject:
    """Return the exported label of a pair, or of a report under the criterion that `dimension` names."""
    if isinstance(choice, int):
        asked = next(one for one in pair.criteria if one.id == dimension)
        return {
            "id": rating_id(pair.query_id, pair.system_a, pair.trial),
            "query": pair.query,
            "answer": pair.answer_a,
            "dimension": asked.dimension,
            "criterion": asked.id,
            "criterion_text": asked.text,
            "label": choice,
        }
    left, right = ("A", "B") if shown_first == "a" else ("B", "A")
    return {
        "id": pair.label_id,
        "query": pair.query,
        "answer_a": pair.answer_a,
        "answer_b": pair.answer_b,
        "system_a": pair.system_a,
        "system_b": pair.system_b,
        "shown_first": shown_first,
        "dimension": dimension,
        "label": {"left": left, "right": right}.get(choice, choice),
    }


def notebooks(folder: Path, plan: AnnotationPlan) -> dict[str, Notebook]:
    return {person.name: Notebook(folder, plan, person) for person in plan.annotators}


def export(folder: Path, plan: AnnotationPlan, path: Path) -> int:
    """Write all annotators' labels into one file and return their number."""
    rows = [label for book in notebooks(folder, plan).values() for label in book.labels()]
    return write_lines(path, rows)


def merge(folder: Path, plan: AnnotationPlan, files: Iterable[Path]) -> dict[str, int]:
    """Add the marks of files that offline pages saved, and return the number of new marks by annotator. All files are read before anything is written.

    Known marks are not added again, and no mark is replaced by an older one: files may come twice and in any order.
    """
    books = notebooks(folder, plan)
    added: dict[str, int] = {}
    for name, marks in [_read_saved_marks(file, plan) for file in files]:
        last = books[name].last()
        added.setdefault(name, 0)
        for mark in marks:
            known = last.get((mark.pair, mark.dimension))
            if known is None:
                is_news = mark.choice is not None
            else:
                is_news = mark != known and (mark.at is None or known.at is None or mark.at > known.at)
            if is_news:
                books[name].add(mark)
                added[name] += 1
    return added


def _read_saved_marks(file: Path, plan: AnnotationPlan) -> tuple[str, list[Mark]]:
    """Return the annotator's name and the marks of one file that the page's Save button wrote."""
    try:
        document = parsed(read_within(file, DOCUMENT))
        name, sheet = document["annotator"], document["plan"]
        marks = [Mark.model_validate(mark) for mark in document["marks"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Misuse(
            f"{file}: not a saved bundle ({error}); give the file that the page's Save button wrote"
        ) from error
    person = next((person for person in plan.annotators if person.name == name), None)
    if person is None:
        names = ", ".join(person.name for person in plan.annotators)
        raise Misuse(f"{file}: annotator {name!r} is not in this plan ({names})")
    if person.sheet != sheet:
        raise Misuse(
            f"{file}: made for another plan, in which left and right may be the other way round; was the plan drawn anew?"
        )
    pairs = {turn.pair for turn in person.turns}
    for mark in marks:
        if mark.pair not in pairs or not is_asked(mark, plan):
            raise Misuse(f"{file}: pair {mark.pair}, dimension {mark.dimension} is not in this plan")
    return name, marks
