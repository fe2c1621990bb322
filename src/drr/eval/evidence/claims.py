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
from drr.eval.asking.seen import seen_text
from drr.eval.evidence.blocks import (
    HOLD,
    BlocksOfReport,
    ReportBlock,
    is_bold_name,
    section_heads,
    undecorated,
)
from drr.eval.evidence.citing_links import names_citing, only_points, words_of
from drr.eval.evidence.claim_owners import (
    OpenItems,
    begins_another,
    has_below,
    has_name,
    is_labelled,
    names_its_source,
    urls_of,
)


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


_CITED = rf"{HOLD}*+(?:(?:[,;][ ]?|[ ]){HOLD}++)*"
"""A run of citations, matched as a whole, because a sentence never ends inside it."""
_SENTENCE_END = re.compile(
    rf"(?:(?<![.!?…])[.!?…]++[\"'”’)*_]*+[ ]?{_CITED}[.]?(?=\s++[\"'“‘(*_\[]*+[A-Z0-9$\u4e00-\u9fff{HOLD}]|\s*+$)"
    rf"|[。！？]+[”’」』）]*{HOLD}*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|vs|approx|no|inc|ltd|co|corp|mr|mrs|ms|dr|st|mt|jr|sr|fig|vol|oz|lb|lbs|ft|in|dept|est|u\.s|a\.m|p\.m)|^\s*\d{1,3})\.$",
    re.I,
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_FIGURE = re.compile(r"\d")
_META = re.compile(
    r"(?:written by rules\b|here(?:'s| is| are)\b|i(?:'ll| will| can| have|'ve| would| recommend you)\b|let me\b|let's\b|below\b|this (?:report|guide|section|plan|answer)\b|in this\b"
    r"|as requested\b|note that this\b|i hope\b|feel free\b|if you(?:'d| would) like\b|thank)",
    re.I,
)
_OF_BEFORE = re.compile(r"(?:It|Its|This|They|Their)\b")
"""Opening of a sentence that refers to the subject of the sentence before."""
_BAR = re.compile(r"(?<!\\)\|")
_EMPTY_BRACKETS = re.compile(
    r"[(（\[](?:[;,，、\s]|and\b|see\b|also\b|via\b|per\b|from\b|cf\.|according to\b|(?:sources?|refs?)\b:?|:)*+[)）\]]",
    re.I,
)


def silent_sections(body: str, claims: Collection[Claim]) -> list[str]:
    """List the headings of sections in which no claim was found."""
    heads = [*section_heads(body), (len(body), len(body))]
    return [
        body[low:high].strip("#> \t")
        for (low, high), (end, _) in pairwise(heads)
        if body[high:end].strip() and not any(low <= one.start < end for one in claims)
    ]


def extract_by_rules(report: str, citations: Citations) -> list[Claim]:
    """Return the sentences, list items and table rows that are claims, each with the citations in its scope."""
    kept = _without_markers(citations.body, citations.markers)
    statements = _Statements(report, kept, citations.markers)
    for block, below in pairwise([*BlocksOfReport(kept, kept), None]):
        if block is not None:
            statements.take(block, below)
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
    for number, block in enumerate(BlocksOfReport(kept, report)):
        whole = block.kind in ("heading", "row", "title")
        for start, end in [(block.start, block.end)] if whole else _sentences(kept, block):
            own = markers[bisect_left(starts, start) : bisect_left(starts, end)]
            edges = " " if block.kind == "row" else " |,;-–—"
            text = _words_of_span(report, start, end, own, edges, _citing(block.header))
            shown = _row_text(text, block.header) if block.kind == "row" else text
            if shown and block.kind != "cluster":
                found.append(ReportSentence(shown, start, end, block.kind, number, urls_of(own)))
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
        """Addresses cited in the title above, which apply to the items and labelled lines below it."""
        self._led = False
        """True if a link on a line of its own is the title of what stands below, so that the next such link is too."""
        self._items = OpenItems(text)
        self._above = ""
        """The last block with a citation, which may repeat its thing's name below."""

    def take(self, block: ReportBlock, below: ReportBlock | None) -> None:
        markers = self._markers_within(block.start, block.end)
        if markers:
            self._above = self._report[block.start : block.end]
        self._items.leave(block)
        if block.kind == "cluster":
            self._take_cluster(block, markers, below)
        elif block.kind in ("heading", "title"):
            self._begin(markers)
            if (
                block.kind == "title"
                and self._title_urls
                and _FIGURE.search(_words_of_span(self._report, block.start, block.end, markers))
            ):
                self._state(block, ())
        else:
            self._state(block, self._given_to(block, markers))
        if block.kind == "item":
            if self._is_closed_by(block, markers):
                self._cite_pending(urls_of(markers), since=self._block)
            self._items.open(
                block, markers, self._block, named=is_bold_name(self._held[block.start : block.end])
            )

    def _begin(self, markers: list[Marker], *, led: bool = False) -> None:
        self._pending, self._led = [], led
        self._title_urls = urls_of(markers)

    def _given_to(self, block: ReportBlock, markers: list[Marker]) -> tuple[str, ...]:
        """Return the addresses that the item, link or heading above gives to statements without citation."""
        of_item = self._items.given_to(block)
        labelled = is_labelled(self._held[block.start : block.end])
        is_led = labelled and names_its_source(markers) and urls_of(markers) != (of_item or self._title_urls)
        if is_led or (
            block.kind != "row" and begins_another(self._held[block.start : block.end], self._above)
        ):
            self._title_urls = of_item = ()
            self._items.end_of_what_is_given()
        is_apart = self._led and block.parted and bool(self._pending)  # as the sum of all things is
        if block.kind == "text" and of_item is None and (is_apart or not labelled):
            self._title_urls = ()
        if block.kind == "row" or (labelled and has_name(self._held[block.start : block.end])):
            return ()
        return self._title_urls if of_item is None else of_item

    def _is_closed_by(self, block: ReportBlock, markers: list[Marker]) -> bool:
        """Tell whether all citations of an item stand behind its last full stop. They cite the item then, not its last sentence."""
        words = self._held[block.start : block.end].rstrip(f"{HOLD} ,;\t")
        return (
            bool(markers) and markers[0].start >= block.start + len(words) and words[-1:] in (*".!?\u3002",)
        )

    def _take_cluster(self, block: ReportBlock, markers: list[Marker], below: ReportBlock | None) -> None:
        """Let citations alone cite what stands above, or be the subject of what stands below. A link that may be either does neither."""
        item, named = self._items.innermost, names_its_source(markers) and self._items.is_bare(block)
        if block.bulleted and has_below(block, below):
            self._items.open(block, markers, len(self.claims), named=True)
        elif item is not None and (block.bulleted or block.indent > item.indent):
            beside = below is not None and below.bulleted and below.indent == block.indent
            if not named or (self._block == item.first and not beside):
                self._cite_pending(urls_of(markers), since=item.first)
            if not named and not item.urls:
                item.urls = urls_of(markers)
        elif named and not block.bulleted and self._leads(block, below):
            self._items.clear()
            self._begin(markers, led=True)
        # Marks alone below statements are their sources; a link that names a thing may begin the next one.
        elif not named:
            self._cite_pending(urls_of(markers), since=0)
        elif not block.bulleted and (
            markers[0].form == "bare"
            or not block.parted
            or below is None
            or below.kind in ("heading", "title")
        ):
            self._cite_pending(urls_of(markers), since=self._block)

    def _leads(self, block: ReportBlock, below: ReportBlock | None) -> bool:
        """Tell whether a link on a line of its own is about the lines below. It is the first of its section, or labels follow it."""
        if self._led or not self._pending:
            return True
        follows = below is not None and below.kind in ("item", "text")
        return bool(block.parted and below and follows and is_labelled(self._held[below.start : below.end]))

    def _cite_pending(self, urls: tuple[str, ...], since: int) -> None:
        """Give pending claims from this index on these addresses, if they have none."""
        for index in self._pending:
            if index < since:
                continue
            claim = self.claims[index]
            if not claim.urls:
                self.claims[index] = replace(claim, urls=urls, section_level=bool(urls))

    def _state(self, block: ReportBlock, given: tuple[str, ...]) -> None:
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
                    self._cite_pending(urls_of(own), since=len(self.claims) - 1)
                continue
            cited = urls_of(own)
            inherited = not cited and bool(given)
            self._pending.append(len(self.claims))
            name = f"c{len(self.claims) + 1}"
            place = self._report[start:end], start, end
            self.claims.append(Claim(name, text, *place, cited or given, inherited))

    def _markers_within(self, start: int, end: int) -> list[Marker]:
        return self._markers[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


def _without_markers(body: str, markers: list[Marker]) -> str:
    """Replace every citation by placeholders of equal length, so that no sentence ends inside one."""
    parts: list[str] = []
    position = 0
    for marker in markers:
        if marker.start < position:
            continue
        parts += [body[position : marker.start], HOLD * (marker.end - marker.start)]
        position = marker.end
    parts.append(body[position:])
    return "".join(parts)


def _sentences(text: str, block: ReportBlock) -> Iterator[tuple[int, int]]:
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


def _words_of_span(
    report: str,
    start: int,
    end: int,
    markers: list[Marker],
    edges: str = " |,;-–—",
    citing: Collection[int] = (),
) -> str:
    """Return the words of a span without citation marks. Link texts that are part of the sentence stay."""
    text = undecorated(seen_text(words_of(report, start, end, markers, citing))[0])
    text = _EMPTY_BRACKETS.sub("", text)
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
