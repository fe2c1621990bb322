"""Splits a report into passages to compare: paragraphs with their heading, and whole lists and tables.

In the printed form they are second-level sections, by the rule of the published code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from unicodedata import east_asian_width

from drr.citations.parse import parse
from drr.eval.checks.mentions import TextLine, body_lines
from drr.eval.tasks.protocol import PassageForm
from drr.wording.vocabulary import Wordbook, vocabulary

SHORTEST = 200
"""Least number of characters of a passage, without its heading; the published code counts the heading. A wide character counts as
two: Chinese and Japanese need half as many characters."""
_WHOLE_BOLD = re.compile(r"\s*(?:\*\*[^*\n]{1,160}\*\*|__[^_\n]{1,160}__)\s*+:?\s*+$")
_LABEL = re.compile(r"\s*(?:\*\*|__)([^*_\n]{1,80}?)[:：.]?(?:\*\*|__)\s*[:：]?")
_SECTION = re.compile(r"^## .*$", re.M)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_FEWEST_PARAGRAPHS = 3
"""Number of paragraphs up to which the published code does not judge a report."""
_LEADS_IN = (":", "：")
_RULED = re.compile(r"\s*+(?:={3,}+|-{3,}+)\s*+$")
"""Pattern of a line that makes the line above it a heading."""
_DIVIDER = re.compile(r"\s*+(?:(?:-\s*+){3,}+|(?:\*\s*+){3,}+|(?:_\s*+){3,}+|={3,}+\s*+)$")
_LONGEST_HEADING = 120
_LONGEST_CAPITALS = 60
_FEWEST_CAPITALS = 4
_ENDS = ".!?;,…。"
"""Signs that end a sentence, but no heading."""
_AS_BOLD = 7
"""Depth of a heading without a mark of its depth."""
_LIST, _TABLE, _PROSE = "list", "table", "prose"


@dataclass(frozen=True)
class ReportPassage:
    """A passage; its text is `report[start:end]`."""

    start: int
    end: int
    heading: str
    """Heading line over the passage, with its marks; empty if there is none."""
    text: str
    summary: bool = False
    """True if the passage is in a section that repeats other parts on purpose."""

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
    """Headings over the block, outermost first."""


def _paragraphs(report: str) -> Iterator[ReportPassage]:
    """Yield the paragraphs, lists and tables of a report that are long enough, without its list of references and code."""
    for block in _join_blocks(_blocks(body_lines(parse(report).body)), report):
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
    """Return the level of a heading: marked, in bold, underlined or in capitals; `None` for other lines. `first`: the line begins a block."""
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
    """Tell whether a line continues the block above it. Indented lines, and lines right below an item, belong to the item."""
    here = _kind(line)
    if kind == _TABLE:
        return here == _TABLE and line.table == own[0].table
    if kind == _LIST:
        return here == _LIST or (here == _PROSE and (line.indent > 0 or not line.after_blank))
    return here == _PROSE and not line.after_blank


def _join_blocks(blocks: Iterable[_Block], report: str) -> Iterator[_Block]:
    """Join a short line that ends in a colon with the list or table after it."""
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
    """Yield sections by the published rule. First and last are dropped, then those with `https` and short ones,
    then the first and last of the rest again. Text before the first heading is a section of its own."""
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
        """Tell whether a heading names a summary, without regard to decoration, leading numbers and a final colon."""
        if len(heading) > _LONGEST:
            return False
        bare = _DECORATION.sub("", heading).replace("\u2019", "'").strip(" \t\r:：.—–-")
        bare = " ".join(_ORDINAL.sub("", bare).split())
        return self._summary.fullmatch(bare) is not None


SUMMARIES = SummaryReader(vocabulary("summaries"))
