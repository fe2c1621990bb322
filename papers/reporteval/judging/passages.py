"""The passages of a report that are held against each other: paragraphs with their heading, lists and tables whole.

As printed they are sections of the second level, by the rule of the published code, of which only its counts are of interest here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from unicodedata import east_asian_width

from drr.citations.parse import parse
from drr.eval.checks.mentions import TextLine, layout
from drr.eval.tasks.protocol import PassageForm
from drr.wording.vocabulary import Wordbook, vocabulary

SHORTEST = 200
"""Characters of a passage, its heading aside; as the published code has it, the heading counts there. One that is as wide as two counts
for two: a paragraph of Chinese or Japanese says as much in half as many."""
_WHOLE_BOLD = re.compile(r"\s*(?:\*\*[^*\n]{1,160}\*\*|__[^_\n]{1,160}__)\s*+:?\s*+$")
_LABEL = re.compile(r"\s*(?:\*\*|__)([^*_\n]{1,80}?)[:：.]?(?:\*\*|__)\s*[:：]?")
_SECTION = re.compile(r"^## .*$", re.M)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_FEWEST_PARAGRAPHS = 3
"""A report with so many or fewer is not judged by the published code."""
_LEADS_IN = (":", "：")
_RULED = re.compile(r"\s*+(?:={3,}+|-{3,}+)\s*+$")
"""Under a line of its own, that line is a heading."""
_DIVIDER = re.compile(r"\s*+(?:(?:-\s*+){3,}+|(?:\*\s*+){3,}+|(?:_\s*+){3,}+|={3,}+\s*+)$")
_LONGEST_HEADING = 120
_LONGEST_CAPITALS = 60
_FEWEST_CAPITALS = 4
_ENDS = ".!?;,…。"
"""Ends of a sentence, which a heading lacks."""
_AS_BOLD = 7
"""The depth of a heading that has no mark of its depth."""
_LIST, _TABLE, _PROSE = "list", "table", "prose"


@dataclass(frozen=True)
class ReportPassage:
    """`report[start:end]` is its text."""

    start: int
    end: int
    heading: str
    """The line over it, with its marks; empty where there is none."""
    text: str
    summary: bool = False
    """It stands where a report says again, on purpose, what it says elsewhere."""

    @property
    def shown(self) -> str:
        return f"{self.heading}\n\n{self.text}" if self.heading else self.text


@lru_cache(maxsize=64)
def passages_of(report: str, form: PassageForm = "paragraphs") -> tuple[ReportPassage, ...]:
    return tuple(_sections(report) if form == "sections" else _paragraphs(report))


@dataclass(frozen=True)
class _Block:
    kind: str
    start: int
    end: int
    over: tuple[TextLine, ...]
    """The headings that it stands under, outermost first."""


def _paragraphs(report: str) -> Iterator[ReportPassage]:
    """Lists of references are no part of the text; code is none either."""
    for block in _joined(_blocks(layout(parse(report).body).lines), report):
        text = report[block.start : block.end].strip("\n")
        if _width(text.strip()) < SHORTEST:
            continue
        heading = block.over[-1].text.strip() if block.over else ""
        label = _LABEL.match(text) if block.kind == _PROSE else None
        names = [one.text for one in block.over] + ([label[1]] if label else [])
        yield ReportPassage(block.start, block.end, heading, text, any(map(SUMMARIES.is_summary, names)))


def _blocks(lines: Sequence[TextLine]) -> Iterator[_Block]:
    over, own, kind = list[TextLine](), list[TextLine](), _PROSE
    for line, below in zip_longest(lines, lines[1:]):
        level = _heading_level(line, below, first=not own or line.after_blank)
        divides = level is None and line.kind == "text" and _DIVIDER.match(line.text) is not None
        if own and (level is not None or divides or not _goes_on(kind, own, line)):
            yield _Block(kind, own[0].start, own[-1].end, tuple(over))
            own = []
        if level is not None:
            over = [*(one for one in over if (one.level or _AS_BOLD) < level), replace(line, level=level)]
        elif not divides:
            kind = kind if own else _kind(line)
            own.append(line)
    if own:
        yield _Block(kind, own[0].start, own[-1].end, tuple(over))


def _heading_level(line: TextLine, below: TextLine | None, *, first: bool) -> int | None:
    """Find the level of a heading: with marks before it, in bold, ruled off below, or in capitals. `first`: it begins a block."""
    if line.kind == "heading":
        return line.level
    if _WHOLE_BOLD.match(line.text):
        return _AS_BOLD
    if line.kind != "text" or not first:
        return None
    text = line.text.strip()
    titled = len(text) <= _LONGEST_HEADING and text[-1] not in _ENDS and not _DIVIDER.match(text)
    if titled and below is not None and not below.after_blank and _RULED.match(below.text):
        return 1 if "=" in below.text else 2
    return _AS_BOLD if titled and _in_capitals(text) else None


def _in_capitals(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    short = len(text) <= _LONGEST_CAPITALS and len(letters) >= _FEWEST_CAPITALS
    return short and all(sign.isupper() for sign in letters)


def _kind(line: TextLine) -> str:
    if line.is_row:
        return _TABLE
    return _LIST if line.kind == "item" else _PROSE


def _goes_on(kind: str, own: Sequence[TextLine], line: TextLine) -> bool:
    """Tell whether a line belongs to the block above it. What is set in, or stands right below an item, is the item's."""
    here = _kind(line)
    if kind == _TABLE:
        return here == _TABLE and line.table == own[0].table
    if kind == _LIST:
        return here == _LIST or (here == _PROSE and (line.indent > 0 or not line.after_blank))
    return here == _PROSE and not line.after_blank


def _joined(blocks: Iterable[_Block], report: str) -> Iterator[_Block]:
    """A short line that ends in a colon belongs to the list or table that it leads in."""
    lead: _Block | None = None
    for block in blocks:
        if lead is not None and block.kind != _PROSE and block.over == lead.over:
            yield _Block(block.kind, lead.start, block.end, block.over)
            lead = None
            continue
        if lead is not None:
            yield lead
        text = report[block.start : block.end].rstrip(" \t*_")
        leads = block.kind == _PROSE and _width(text) < SHORTEST and text.endswith(_LEADS_IN)
        lead = block if leads else None
        if not leads:
            yield block
    if lead is not None:
        yield lead


def _width(text: str) -> int:
    return len(text) + (0 if text.isascii() else sum(east_asian_width(sign) in "WF" for sign in text))


def _sections(report: str) -> Iterator[ReportPassage]:
    """Yield sections by the published rule: without the first and last, those with `https`, and short ones.
    And of the rest without the first and last again. It cuts what stands before the first heading as a
    section of its own."""
    heads = list(_SECTION.finditer(report))
    paragraphs = [one for one in _PARAGRAPHS.split(report.strip()) if one.strip()]
    if not heads or len(paragraphs) <= _FEWEST_PARAGRAPHS:
        return
    ends = [one.start() for one in heads[1:]] + [len(report)]
    cut = [(one[0], one.end(), end) for one, end in zip(heads, ends, strict=True)]
    if heads[0].start() > 0:
        cut.insert(0, ("", 0, heads[0].start()))
    found = [ReportPassage(at, end, heading, report[at:end].strip()) for heading, at, end in cut[1:-1]]
    texts = [(one, f"{one.heading}\n{one.text}") for one in found]
    yield from [one for one, text in texts if "https" not in text and len(text) >= SHORTEST][1:-1]


_DECORATION = re.compile(r"[*_#`\\]+|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]")
_ORDINAL = re.compile(
    r"^(?:\d{1,3}(?:\.\d{1,3})*[.)、:：]?|[ivxIVX]{1,5}[.)]|[一二三四五六七八九十]{1,3}[、.．])\s*"
)
_LONGEST = 80
_LANGUAGES = ("names", "german", "french", "spanish", "italian", "portuguese", "dutch", "chinese", "japanese")


class SummaryReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        name = rf"(?:(?:{some('ranks')})\s){{0,3}}(?:{some(*_LANGUAGES)})"
        self._summary = re.compile(rf"{name}(?:\s(?:{some('joins')})\s{name}){{0,2}}", re.I)

    def is_summary(self, heading: str) -> bool:
        """Decoration, numbers in front and a colon behind aside."""
        if len(heading) > _LONGEST:
            return False
        bare = _DECORATION.sub("", heading).replace("\u2019", "'").strip(" \t\r:：.—–-")
        bare = " ".join(_ORDINAL.sub("", bare).split())
        return self._summary.fullmatch(bare) is not None


SUMMARIES = SummaryReader(vocabulary("summaries"))
