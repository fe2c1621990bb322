"""Extracts the claims of a report by rules: every statement, cited or not, with its place and its sources.

One extraction serves precision and recall, so both are about the same claims. A claim is a sentence, a list item or a table row,
with the citations in its scope.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from drr.citations.parse import Citations, Marker
from drr.eval.evidence.citing_links import names_citing, only_points, words_of
from drr.eval.evidence.passages import plain


@dataclass(frozen=True, slots=True)
class Claim:
    id: str
    text: str
    """The statement without citation marks."""
    quote: str
    """The original words, `report[start:end]`."""
    start: int
    end: int
    urls: tuple[str, ...]
    """Canonical addresses of the citations in its scope."""
    section_level: bool = False
    """True if the citation is above or below a group of statements, not inside this one."""


_HOLD = "\ue000"
_CITED = rf"{_HOLD}*+(?:(?:[,;][ ]?|[ ]){_HOLD}++)*"
"""A run of citations, matched as a whole, because a sentence never ends inside it."""
_SENTENCE_END = re.compile(
    rf"(?:(?<![.!?…])[.!?…]++[\"'”’)*_]*+[ ]?{_CITED}[.]?(?=\s++[\"'“‘(*_\[]*+[A-Z0-9$\u4e00-\u9fff{_HOLD}]|\s*+$)"
    rf"|[。！？]+[”’」』）]*{_HOLD}*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|vs|approx|no|inc|ltd|co|corp|mr|mrs|ms|dr|st|mt|jr|sr|fig|vol|oz|lb|lbs|ft|in|dept|est|u\.s|a\.m|p\.m)|^\s*\d{1,3})\.$",
    re.I,
)
_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"[\s>]*+(?:[-*+•·‣▪–]|\d{1,3}[.)]|\[[ xX]\])\s+")
_HEADING = re.compile(r"[\s>]*+#{1,6}\s")
_BOLD_ONLY = re.compile(r"[\s>]*+(?:\*\*|__)[^*_]+(?:\*\*|__)[:：]?\s*$")
_TABLE_RULE = re.compile(r"[\s:|-]+")
_DECORATION = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)|^[^\S\n]*+>+\s?|^[^\S\n]*+#{1,6}\s+", re.M)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_FIGURE = re.compile(r"\d")
_META = re.compile(
    r"(?:written by rules\b|here(?:'s| is| are)\b|i(?:'ll| will| can| have|'ve| would| recommend you)\b|let me\b|let's\b|below\b|this (?:report|guide|section|plan|answer)\b|in this\b"
    r"|as requested\b|note that this\b|i hope\b|feel free\b|if you(?:'d| would) like\b|thank)",
    re.I,
)
_OF_BEFORE = re.compile(r"(?:It|Its|This|They|Their)\b")
"""Opening of a sentence that refers to the subject of the sentence before."""
_LABEL_ONLY = re.compile(r"(?:sources?|references?|citations?|see also|来源|参考)\W*$", re.I)
_BAR = re.compile(r"(?<!\\)\|")
_EMPTY_BRACKETS = re.compile(
    r"[(（\[](?:[;,，、\s]|and\b|see\b|also\b|via\b|per\b|from\b|cf\.|according to\b|(?:sources?|refs?)\b:?|:)*+[)）\]]",
    re.I,
)


@dataclass(slots=True)
class _Block:
    kind: str
    """Kind: text, item, row, title, heading or cluster (citations alone)."""
    start: int
    end: int
    header: tuple[str, ...] = ()


def silent_sections(body: str, claims: Collection[Claim]) -> list[str]:
    """List the headings of sections in which no claim was found."""
    heads = [line for line in _LINE.finditer(body) if _HEADING.match(line[0])]
    ends = [*(line.start() for line in heads[1:]), len(body)]
    return [
        head[0].strip("#> \t")
        for head, end in zip(heads, ends, strict=False)
        if body[head.end() : end].strip() and not any(head.start() <= one.start < end for one in claims)
    ]


def extract_by_rules(report: str, citations: Citations) -> list[Claim]:
    """Return the sentences, list items and table rows that are claims, each with the citations in its scope."""
    kept = _without_markers(citations.body, citations.markers)
    statements = _Statements(report, kept, citations.markers)
    for block in _Blocks(kept, kept):
        statements.take(block)
    return statements.claims


@dataclass(frozen=True, slots=True)
class ReportSentence:
    """A sentence, list item, table row or heading, whether a claim or not; its original words are `report[start:end]`."""

    text: str
    """Text without citation marks; of a row with the names of its columns."""
    start: int
    end: int
    kind: str
    """Kind: text, item, row, title or heading."""
    block: int
    """Number of its block in the report; the sentences of one paragraph share it."""
    urls: tuple[str, ...]


def sentences_of(report: str, citations: Citations) -> list[ReportSentence]:
    """List the sentences in the order of the report, without sentences that only cite."""
    kept, markers = _without_markers(citations.body, citations.markers), citations.markers
    starts = [marker.start for marker in markers]
    found: list[ReportSentence] = []
    for number, block in enumerate(_Blocks(kept, report)):
        whole = block.kind in ("heading", "row", "title")
        for start, end in [(block.start, block.end)] if whole else _sentences(kept, block):
            own = markers[bisect_left(starts, start) : bisect_left(starts, end)]
            edges = " " if block.kind == "row" else " |,;-–—"
            text = _words_of_span(report, start, end, own, edges, _citing(block.header))
            shown = _row_text(text, block.header) if block.kind == "row" else text
            if shown and block.kind != "cluster":
                found.append(ReportSentence(shown, start, end, block.kind, number, _urls(own)))
    return found


def refers_to_previous(text: str) -> bool:
    """Tell whether a statement refers to the statement right before it."""
    return _OF_BEFORE.match(text) is not None


def claims_citing(report: str, citations: Citations) -> list[ReportSentence]:
    """Return the sentences without citation that refer to a sentence right before with one address, each with that address."""
    found: list[ReportSentence] = []
    before: tuple[str, ...] = ()
    block = -1
    for one in sentences_of(report, citations):
        if one.urls or one.block != block or not refers_to_previous(one.text):
            before = one.urls if len(one.urls) == 1 else ()
        elif before:
            found.append(replace(one, urls=before))
        block = one.block
    return found


class _Statements:
    """Collects claims block by block, with the citations of earlier blocks that may apply to the next."""

    def __init__(self, report: str, text: str, markers: list[Marker]) -> None:
        self.claims: list[Claim] = []
        self._report = report
        self._held = text
        self._markers = markers
        self._starts = [marker.start for marker in markers]
        self._pending: list[int] = []
        """Indexes of claims since the last heading, to which a cluster of citations below them applies."""
        self._block = 0
        """Index of the first claim in the last block."""
        self._title_urls: tuple[str, ...] = ()
        """Addresses cited in the title above, which apply to the items of its list."""

    def take(self, block: _Block) -> None:
        markers = self._markers_within(block.start, block.end)
        if block.kind == "cluster":
            bare = all(marker.form == "bare" for marker in markers)
            self._cite_pending(_urls(markers), since=self._block if bare else 0)
        elif block.kind == "heading":
            self._begin(markers)
        elif block.kind == "title":
            self._begin(markers)
            if self._title_urls and _FIGURE.search(
                _words_of_span(self._report, block.start, block.end, markers)
            ):
                self._state(block)
        else:
            if block.kind == "text":
                self._title_urls = ()
            self._state(block)

    def _begin(self, markers: list[Marker]) -> None:
        self._pending = []
        self._title_urls = _urls(markers)

    def _cite_pending(self, urls: tuple[str, ...], since: int) -> None:
        """Give pending claims these addresses. A bare address on a line of its own applies to the block above, a cluster to all since the heading."""
        for index in self._pending:
            if index < since:
                continue
            claim = self.claims[index]
            if not claim.urls:
                self.claims[index] = replace(claim, urls=urls, section_level=bool(urls))

    def _state(self, block: _Block) -> None:
        self._block = len(self.claims)
        for start, end in _sentences(self._held, block):
            own = self._markers_within(start, end)
            if block.kind == "row":
                # The cells beyond its table's columns are blanked in the text, and are no part of the row.
                _, shown = _trim_span(self._held, start, end)
                end = shown if _BAR.search(self._report, shown, end) else end
                text = _row_text(
                    _words_of_span(self._report, start, end, own, " ", _citing(block.header)), block.header
                )
            else:
                text = _words_of_span(self._report, start, end, own)
            if not _is_claim(text):
                if only_points(text) and len(self.claims) > self._block:
                    self._cite_pending(_urls(own), since=len(self.claims) - 1)
                continue
            cited = _urls(own)
            inherited = not cited and block.kind == "item" and bool(self._title_urls)
            urls = self._title_urls if inherited else cited
            self._pending.append(len(self.claims))
            name = f"c{len(self.claims) + 1}"
            self.claims.append(Claim(name, text, self._report[start:end], start, end, urls, inherited))

    def _markers_within(self, start: int, end: int) -> list[Marker]:
        return self._markers[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


def _without_markers(body: str, markers: list[Marker]) -> str:
    """Replace every citation by placeholders of equal length, so that no sentence ends inside one."""
    parts: list[str] = []
    position = 0
    for marker in markers:
        if marker.start < position:
            continue
        parts += [body[position : marker.start], _HOLD * (marker.end - marker.start)]
        position = marker.end
    parts.append(body[position:])
    return "".join(parts)


class _Blocks:
    """Groups lines into blocks: a paragraph, a list item with its further lines, a table row under its header."""

    def __init__(self, text: str, heads: str) -> None:
        self._held = text
        self._heads = heads
        """Text from which a table's head is read: one with its links where their words count."""
        self._current: _Block | None = None
        self._header: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[_Block]:
        kept = self._held
        last_end = 0
        lines = [match.span() for match in _LINE.finditer(kept)]
        for (start, end), after in pairwise([*lines, (0, 0)]):
            line = kept[start:end]
            parted = kept.count("\n", last_end, start) > 1
            last_end = end
            if parted or line.isspace():
                yield from self._close_block()
            if line.isspace():
                continue
            if parted:
                self._header = ()
            yield from self._read(line, start, _is_table_rule(kept[slice(*after)]))
        yield from self._close_block()

    def _read(self, line: str, start: int, before_rule: bool) -> Iterator[_Block]:
        end = start + len(line)
        kind = _table_kind(line, in_table=bool(self._header), before_rule=before_rule) or _kind(line)
        if kind == "text" and self._current is not None:
            self._current.end = end
            return
        yield from self._close_block()
        begin = start + len(line) - len(line.lstrip())
        if kind == "row":
            yield _Block(kind, begin, end, self._header)
        elif kind != "table_rule":
            self._header = _cells(plain(self._heads[start:end])) if kind == "table_head" else ()
        if kind == "item":
            bullet = _BULLET.match(line)
            self._current = _Block(kind, start + (bullet.end() if bullet else 0), end)
        elif kind == "text":
            self._current = _Block(kind, begin, end)
        elif kind in ("title", "heading", "cluster"):
            yield _Block(kind, begin, end)

    def _close_block(self) -> Iterator[_Block]:
        if self._current is not None:
            yield self._current
        self._current = None


def _table_kind(line: str, *, in_table: bool, before_rule: bool) -> str | None:
    if "|" not in line:
        return None
    if before_rule:
        return "table_head"
    if _is_table_rule(line):
        return "table_rule"
    return "row" if in_table or line.lstrip().startswith("|") else None


def _is_table_rule(line: str) -> bool:
    return "--" in line and _TABLE_RULE.fullmatch(line) is not None


def _kind(line: str) -> str:
    if _HEADING.match(line):
        return "heading"
    words = line.replace(_HOLD, "")
    if _BOLD_ONLY.match(words.rstrip()):
        return "title"
    bare = words.strip("[](),;.*_- \t")
    if not bare or (_HOLD in line and _LABEL_ONLY.match(bare)):
        return "cluster"
    return "item" if _BULLET.match(line) else "text"


def _cells(row: str) -> tuple[str, ...]:
    return tuple(_DECORATION.sub("", cell).strip() for cell in row.strip().strip("|").split("|"))


def _sentences(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    if block.kind in ("row", "title"):
        yield block.start, block.end
        return
    start = block.start
    for match in _SENTENCE_END.finditer(text, block.start, block.end):
        end = match.end()
        if _ABBREVIATION.search(text[max(start, match.start() - 8) : match.start() + 1]) and end < block.end:
            continue
        if end > start:
            yield _trim_span(text, start, end)
        start = end
    if text[start : block.end].strip():
        yield _trim_span(text, start, block.end)


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    words = text[start:end].lstrip()
    return end - len(words), end - len(words) + len(words.rstrip())


def _urls(markers: list[Marker]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(marker.url for marker in markers if marker.url is not None))


def _words_of_span(
    report: str,
    start: int,
    end: int,
    markers: list[Marker],
    edges: str = " |,;-–—",
    citing: Collection[int] = (),
) -> str:
    """Return the words of a span without citation marks. Link texts that are part of the sentence stay."""
    text = _DECORATION.sub("", words_of(report, start, end, markers, citing))
    text = _EMPTY_BRACKETS.sub("", text).replace("\\$", "$")
    text = re.sub(r" ([.,;:!?])", r"\1", " ".join(text.split()))
    return text.strip(edges)


def _citing(header: tuple[str, ...]) -> frozenset[int]:
    """Return the indexes of columns that hold only citations."""
    return frozenset(index for index, name in enumerate(header) if names_citing(name))


def _row_text(text: str, header: tuple[str, ...]) -> str:
    cells = [cell.strip(" ,;-–—") for cell in text.strip().removeprefix("|").removesuffix("|").split("|")]
    if header and len(header) == len(cells):
        return "; ".join(
            f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True) if cell
        )
    return "; ".join(cell for cell in cells if cell)


def _is_claim(text: str) -> bool:
    """Tell whether a text can be checked: no question, lead-in, label or remark about the report itself."""
    words = _WORD.findall(text)
    cjk = sum("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" for c in text)
    if text.endswith(("?", "？", ":", "：")):
        return False
    if cjk >= 6:
        return True
    if len(words) < 2 or (len(words) < 3 and not _FIGURE.search(text)):
        return False
    return not _META.match(text)
