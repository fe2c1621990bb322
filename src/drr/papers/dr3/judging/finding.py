"""Finds by rule the required facts that a report states: a value and its subject in one sentence, however worded.

A sentence that names no subject has the subject of the sentence before it, of the line that leads into its list, or of its heading.
The result is a lower bound: a fact told without its figure is not found. A distractor's value counts as repeated only where that is
certain: about the same subject, about the same attribute if the value is a common one, and not denied, doubted or taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from drr.citations.addresses import canonical_url
from drr.citations.parse import parse
from drr.eval.evidence.claims import ReportSentence, sentences_of
from drr.eval.evidence.passages import content_stems
from drr.papers.dr3.judging.rows import RepeatedRow, RequiredFactRow, document_id
from drr.papers.dr3.judging.subjects import (
    FACT_WORDS,
    LEADS_IN,
    STRANGER,
    ReportStanding,
    TaskSubjects,
    subject_of_value,
)
from drr.papers.dr3.truth import ChangeKind, KnownPage, TaskFact
from drr.papers.dr3.value_forms import StatedPlace, StatedValue

LONGEST = 4000
"""Limit on the characters of a sentence that are read; the rest of a longer sentence is ignored."""
_SPANS = 5
_BOLD = 7
"""Heading depth of a bold line that serves as a heading."""
_EXTENTS = {
    1.0: "its value and what it is of, in one sentence",
    0.5: "its value stands there in part, or in a sentence that does not say of what",
    0.0: "its value is not told of what it is of",
}
WORDS_ONLY = "only words say it, and no figure or name that code could look for"


@dataclass
class FalseValue:
    """A false value that recorded changes give to one fact, and the pages that state it."""

    kind: ChangeKind
    written: str
    pages: list[str]

    @cached_property
    def value(self) -> StatedValue:
        return StatedValue(self.written)


def false_values(fact: TaskFact, pages: Iterable[KnownPage]) -> list[FalseValue]:
    """Return the false values of a fact, one for each wording. Changes that left a statement out give none."""
    found: dict[str, FalseValue] = {}
    for page in pages:
        change = page.change
        if change is not None and change.fact == fact.id and change.after:
            written = change.after.rpartition(": ")[2] if change.kind == "other_model" else change.after
            found.setdefault(written, FalseValue(change.kind, written, [])).pages.append(page.url)
    return list(found.values())


@dataclass
class ReportFacts:
    """The sentences of one report, and the required facts found in them."""

    report: str
    subjects: TaskSubjects
    facts: Sequence[TaskFact]

    @cached_property
    def sentences(self) -> list[ReportSentence]:
        found = sentences_of(self.report, parse(self.report))
        return [one if len(one.text) <= LONGEST else replace(one, text=one.text[:LONGEST]) for one in found]

    def rows(self, pages: Sequence[KnownPage]) -> Iterator[RequiredFactRow]:
        for fact in self.facts:
            repeated = list(self.repeated(fact, pages))
            score, spans = self.found(fact, settled_otherwise=bool(repeated))
            yield RequiredFactRow(
                id=fact.id,
                source=fact.source,
                subject=fact.subject,
                attribute=fact.attribute,
                value=fact.value,
                text=fact.text,
                modality=fact.modality,
                places=[{"address": place.address, "quote": place.quote} for place in fact.places],
                score=score,
                reason=WORDS_ONLY if score is None else _EXTENTS[score],
                spans=spans,
                repeated=repeated if score is not None else [],
                met=None,
            )

    def found(
        self, fact: TaskFact, *, settled_otherwise: bool = False
    ) -> tuple[float | None, list[list[int]]]:
        """Return the score of a fact and the spans of the sentences that state it. With `settled_otherwise`, statements that the report sets aside do not count."""
        value = StatedValue(fact.value)
        if not fact.made or not value.is_known:
            return None, []
        scored: list[tuple[float, list[int]]] = []
        for number, sentence in enumerate(self.sentences):
            if not (settled_otherwise and self._standing.sets_aside(number)):
                scores = [self._score(number, place, fact) for place in self._stated_places(number, value)]
                scored.append((max(scores, default=0.0), [sentence.start, sentence.end]))
        best = max((score for score, _ in scored), default=0.0)
        return best, [span for score, span in scored if score == best and best > 0][:_SPANS]

    def _stated_places(self, number: int, value: StatedValue) -> list[StatedPlace]:
        """Find the places where a sentence states the value; not those in questions, denials and calculations."""
        text = self.sentences[number].text
        if text.endswith(("?", "？")):
            return []
        return [
            one
            for one in value.places(text)
            if not FACT_WORDS.is_denied(text, one.start) and not FACT_WORDS.is_worked_out(text, one.start)
        ]

    def _score(self, number: int, place: StatedPlace, fact: TaskFact) -> float:
        key, of = self.subjects.of(fact.subject), self._subject_of(number, place)
        if of is None and place.exact and self._is_cited(number, fact, [one.address for one in fact.places]):
            return 1.0
        if of not in (key, None):
            return 0.0
        return 1.0 if place.exact and of == key else 0.5

    def _is_cited(self, number: int, fact: TaskFact, documents: Iterable[str]) -> bool:
        """Tell whether the citation of a sentence without names shows whose value it states. No other fact may have the value in the cited document."""
        cited = set(map(document_id, self.sentences[number].urls)) & set(map(document_id, documents))
        if not cited or FACT_WORDS.is_general(self.sentences[number].text):
            return False
        value, key = StatedValue(fact.value), self.subjects.of(fact.subject)
        if value.is_plain and not _is_about(fact, (), self.sentences[number]):
            return False
        return not any(
            self.subjects.of(one.subject) != key
            and value.places(one.value)
            and cited.intersection(document_id(place.address) for place in one.places)
            for one in self.facts
        )

    def _subject_of(self, number: int, place: StatedPlace) -> str | None:
        text = self.sentences[number].text
        named = subject_of_value(self.subjects.mentions(text), text, place.start, place.end)
        return named or self._carried[number]

    @cached_property
    def _carried(self) -> list[str | None]:
        """Return for each sentence the subject that applies if the sentence names none."""
        return list(map(_CurrentSubject(self.report, self.subjects).then, self.sentences))

    @cached_property
    def _standing(self) -> ReportStanding:
        return ReportStanding(self.sentences)

    def repeated(self, fact: TaskFact, pages: Sequence[KnownPage]) -> Iterator[RepeatedRow]:
        """Yield the false values of a fact that the report repeats; none if the report settles on the true value."""
        others = [StatedValue(one.value) for one in self.facts]
        wrong = [
            one
            for one in false_values(fact, pages)
            if one.value.is_known and not any(other.places(one.written) for other in others)
        ]
        if not wrong or self._is_settled(fact):
            return
        for false in wrong:
            for number, sentence in enumerate(self.sentences):
                places = [one for one in self._stated_places(number, false.value) if one.exact]
                if places and self._is_repeated(fact, false, number, places):
                    start, end = sentence.start, sentence.end
                    yield RepeatedRow(
                        kind=false.kind, value=false.written, pages=false.pages, start=start, end=end
                    )

    def _is_settled(self, fact: TaskFact) -> bool:
        """Tell whether the report states the true value in full, as its own conclusion."""
        value = StatedValue(fact.value)
        return any(
            self._score(number, place, fact) == 1 and self._standing.settles_on(number, place)
            for number in range(len(self.sentences))
            for place in self._stated_places(number, value)
        )

    def _is_repeated(
        self, fact: TaskFact, false: FalseValue, number: int, places: Sequence[StatedPlace]
    ) -> bool:
        sentence, true = self.sentences[number], StatedValue(fact.value)
        if true.places(sentence.text) or not self._standing.is_own(number, true):
            return False
        if STRANGER in {one.key for one in self.subjects.mentions(sentence.text)}:
            return False
        key, of = self.subjects.of(fact.subject), {self._subject_of(number, one) for one in places}
        if key not in of and not (None in of and self._is_cited(number, fact, false.pages)):
            return False
        return not false.value.is_plain or _is_about(fact, false.pages, sentence)


class _CurrentSubject:
    """A tracker of the current subject: of the sentence before, else of the list items, lead-in line or headings above."""

    def __init__(self, report: str, subjects: TaskSubjects) -> None:
        self._report, self._subjects = report, subjects
        self._headings: list[tuple[int, str | None]] = []
        self._items: list[tuple[int, str | None]] = []
        self._lead: str | None = None
        self._last: str | None = None
        self._block, self._named = -1, False

    def then(self, sentence: ReportSentence) -> str | None:
        """Return the subject of the next sentence if the sentence names none, and move on."""
        if sentence.block != self._block:
            self._enter_block(sentence)
        carried = self._last if self._named else self._subject_above(sentence)
        keys = {one.key for one in self._subjects.mentions(sentence.text)}
        if keys:
            self._named, self._last = True, next(iter(keys)) if len(keys) == 1 else None
        if sentence.kind == "text":
            self._lead = (self._last if keys else carried) if sentence.text.endswith(LEADS_IN) else None
        return carried

    def _enter_block(self, sentence: ReportSentence) -> None:
        """Start a new block: update the headings and list items above it."""
        self._block, self._last, self._named = sentence.block, None, False
        if sentence.kind in ("heading", "title"):
            quote = self._report[sentence.start : sentence.end]
            depth = len(quote) - len(quote.lstrip("#")) or _BOLD
            _enter(self._headings, depth, self._subjects.only_one(sentence.text))
            self._lead = None
        if sentence.kind == "item":
            column = sentence.start - self._report.rfind("\n", 0, sentence.start)
            _enter(self._items, column, self._subjects.only_one(sentence.text))
        elif sentence.kind != "row":
            self._items = []

    def _subject_above(self, sentence: ReportSentence) -> str | None:
        above = self._headings[:-1] if sentence.kind in ("heading", "title") else self._headings
        items = [key for _, key in self._items[:-1]] if sentence.kind == "item" else []
        lead = [self._lead] if sentence.kind in ("item", "row") else []
        return next(filter(None, (*reversed(items), *lead, *(key for _, key in reversed(above)))), None)


def _enter(stack: list[tuple[int, str | None]], depth: int, key: str | None) -> None:
    while stack and stack[-1][0] >= depth:
        stack.pop()
    stack.append((depth, key))


def _is_about(fact: TaskFact, pages: Iterable[str], sentence: ReportSentence) -> bool:
    """Tell whether a sentence is about the fact's attribute, or cites one of the pages that state the false value."""
    if set(map(canonical_url, pages)).intersection(sentence.urls):
        return True
    if FACT_WORDS.about(f"{fact.attribute} {fact.text}") & FACT_WORDS.about(sentence.text):
        return True
    own = content_stems(fact.attribute) - content_stems(fact.subject)
    return bool(own & content_stems(sentence.text))
