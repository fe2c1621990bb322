"""Sentences and clauses of a report's lines, read once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from drr.eval.checks.base import Span
from drr.eval.checks.layout import TextLine, pieces
from drr.eval.checks.measures import MeasureSaid, measures
from drr.wording.dates import DayOfYear, When, dates, days_of_year
from drr.wording.ratings import RATINGS, RatingSaid

SENTENCE_END = re.compile(
    r"[.!?…][\"'”’)*_]{0,4}(?:\s?(?:\[\^?[\w, ]{1,20}\]|【[\d, ]{1,20}】)){0,6}(?=\s{1,8}[^\sa-z])"
)
_ABBREVIATION = re.compile(
    r"\b(?:vs|v|approx|oz|lb|lbs|ft|in|no|inc|etc|e\.g|i\.e|mr|mrs|ms|dr|st|avg|ca|fl|qt|gal|ct|sq)\.$", re.I
)
_CLAUSE_END = re.compile(
    r"[;:][*_]{0,3}\s|,\s|\s[–—-]\s|—|\s(?:and|but|while|whereas|though|although|yet|so|because|against|versus|vs\.?|than|then|or)\s"
)


class Prose:
    """A body by lines, sentences and clauses; whatever is asked for twice is read once."""

    def __init__(self, body: str, lines: Sequence[TextLine], links: Callable[[int, int], bool]) -> None:
        self.body = body
        self._lines = lines
        self._starts = [line.start for line in lines]
        self._in_link = links
        """Whether a place within a stretch is inside a link: no sentence ends there."""
        self._sentences: dict[int, list[Span]] = {}
        self._clauses: dict[Span, list[int]] = {}
        self._measures: dict[Span, list[MeasureSaid]] = {}
        self._ratings: dict[Span, list[RatingSaid]] = {}
        self._dates: dict[Span, list[When]] = {}
        self._days: dict[Span, list[DayOfYear]] = {}

    def line_at(self, position: int) -> TextLine | None:
        index = bisect_right(self._starts, position) - 1
        return self._lines[index] if index >= 0 and position < self._lines[index].end else None

    def prose_line_at(self, position: int) -> TextLine | None:
        """The line of a place, where it is none of a table."""
        line = self.line_at(position)
        return None if line is None or line.is_row else line

    def sentences(self, line: TextLine) -> list[Span]:
        if line.start not in self._sentences:
            self._sentences[line.start] = list(self._split(line))
        return self._sentences[line.start]

    def running(self) -> Iterator[tuple[TextLine, Span]]:
        """Each sentence of running text and of items, with its line."""
        for line in self._lines:
            if not line.is_row and line.kind not in ("elision", "heading"):
                yield from ((line, span) for span in self.sentences(line))

    def _split(self, line: TextLine) -> Iterator[Span]:
        start = line.start

        def is_held(place: int) -> bool:
            return self._in_link(line.start, place)

        for match in SENTENCE_END.finditer(self.body, line.start, line.end):
            before = self.body[max(start, match.start() - 8) : match.start() + 1]
            if not _ABBREVIATION.search(before) and not is_held(match.start()):
                yield from pieces(self.body, start, match.end(), is_held)
                start = match.end()
        if start < line.end:
            yield from pieces(self.body, start, line.end, is_held)

    def sentence_at(self, position: int) -> Span:
        """The sentence around a place of a line that is no row."""
        line = self.line_at(position)
        if line is None:
            return position, position
        spans = self.sentences(line)
        index = bisect_right(spans, (position, len(self.body))) - 1
        return spans[index] if index >= 0 else (line.start, line.end)

    def clause_at(self, position: int) -> Span:
        """The part of the sentence between commas, dashes and conjunctions."""
        sentence = self.sentence_at(position)
        if sentence not in self._clauses:
            ends = [sentence[0], sentence[1]]
            for match in _CLAUSE_END.finditer(self.body, *sentence):
                ends += [match.start(), match.end()]
            self._clauses[sentence] = sorted(ends)
        ends = self._clauses[sentence]
        index = bisect_right(ends, position)
        return ends[max(index - 1, 0)], ends[min(index, len(ends) - 1)]

    def measures(self, span: Span) -> list[MeasureSaid]:
        """Those of a stretch."""
        if span not in self._measures:
            self._measures[span] = list(measures(self.body, *span))
        return self._measures[span]

    def measures_before(self, said: MeasureSaid, span: Span) -> list[MeasureSaid]:
        """Those of its unit that stand before one in a stretch: where they are a thing's own, it is of something else."""
        return [one for one in self.measures(span) if one.unit == said.unit and one.end <= said.begins]

    def dates(self, start: int, end: int) -> list[When]:
        """Those of a stretch, which the readers of orders ask for one after the other."""
        if (start, end) not in self._dates:
            self._dates[start, end] = list(dates(self.body, start, end))
        return self._dates[start, end]

    def days_of_year(self, start: int, end: int) -> list[DayOfYear]:
        """Days without a year of a stretch."""
        if (start, end) not in self._days:
            self._days[start, end] = list(days_of_year(self.body, start, end))
        return self._days[start, end]

    def ratings(self, span: Span) -> list[RatingSaid]:
        """Those of a stretch, each at its place in the body."""
        if span not in self._ratings:
            self._ratings[span] = [
                one._replace(start=one.start + span[0], end=one.end + span[0])
                for one in RATINGS.ratings(self.body[slice(*span)])
            ]
        return self._ratings[span]
