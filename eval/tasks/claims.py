"""Claims of a report: every statement, cited or not, with its words, its place and the sources it may lean on.

One extraction serves precision and recall, so both rest on the same claims. By rule, a claim is a sentence, a list item
or a table row with the citations in its scope.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from drr.citations.parse import Citations, Marker


@dataclass(frozen=True, slots=True)
class Claim:
    id: str
    text: str
    """The statement without its markers."""
    quote: str
    """`report[start:end]`."""
    start: int
    end: int
    urls: tuple[str, ...]
    """Canonical, of the citations in its scope."""
    section_level: bool = False
    """The citation stands over or under a group of statements, not in this one."""


_HOLD = "\ue000"
_SENTENCE_END = re.compile(
    rf"(?:[.!?…]+[\"'”’)*_]*[ ]?{_HOLD}*(?:[,;]?[ ]?{_HOLD}+)*[.]?(?=\s+[\"'“‘(*_\[]*[A-Z0-9$\u4e00-\u9fff{_HOLD}]|\s*$)"
    rf"|[。！？]+[”’」』）]*{_HOLD}*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|vs|approx|no|inc|ltd|co|corp|mr|mrs|ms|dr|st|mt|jr|sr|fig|vol|oz|lb|lbs|ft|in|dept|est|u\.s|a\.m|p\.m)|^\s*\d{1,3})\.$",
    re.I,
)
_BULLET = re.compile(r"[\s>]*(?:[-*+•·‣▪–]|\d{1,3}[.)]|\[[ xX]\])\s+")
_HEADING = re.compile(r"[\s>]*#{1,6}\s")
_BOLD_ONLY = re.compile(r"[\s>]*(?:\*\*|__)[^*_]+(?:\*\*|__)[:：]?\s*$")
_TABLE_RULE = re.compile(r"\s*\|?[\s:|-]*-{2,}[\s:|-]*\|?\s*$")
_DECORATION = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)|^\s*>+\s?|^\s*#{1,6}\s+", re.M)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_FIGURE = re.compile(r"\d")
_META = re.compile(
    r"(?:written by rules\b|here(?:'s| is| are)\b|i(?:'ll| will| can| have|'ve| would| recommend you)\b|let me\b|let's\b|below\b|this (?:report|guide|section|plan|answer)\b|in this\b"
    r"|as requested\b|note that this\b|i hope\b|feel free\b|if you(?:'d| would) like\b|thank)",
    re.I,
)
_LABEL_ONLY = re.compile(r"(?:sources?|references?|citations?|see also|来源|参考)\s*[:：]?\W*$", re.I)
_EMPTY_BRACKETS = re.compile(r"[(（\[]\s*(?:[;,，、\s]|and|see|via|source:?)*\s*[)）\]]", re.I)


@dataclass(slots=True)
class _Block:
    kind: str
    """text, item, row, title, heading, cluster"""
    start: int
    end: int
    header: tuple[str, ...] = ()


def extract_by_rules(report: str, citations: Citations) -> list[Claim]:
    """Sentences, list items and table rows, each with the citations in its scope."""
    held = _held(citations.body, citations.markers)
    starts = [marker.start for marker in citations.markers]
    claims: list[Claim] = []
    pending: list[int] = []
    title_urls: tuple[str, ...] = ()
    for block in _blocks(held):
        markers = _within(citations.markers, starts, block.start, block.end)
        urls = _urls(markers)
        if block.kind in ("heading", "title"):
            pending = []
            title_urls = urls
            if block.kind == "heading" or not (urls and _says_something(report, block, markers)):
                continue
        if block.kind == "cluster":
            for index in pending:
                if not claims[index].urls:
                    claims[index] = _with_urls(claims[index], urls)
            continue
        if block.kind == "text":
            title_urls = ()
        for start, end in _sentences(held, block):
            own = _within(citations.markers, starts, start, end)
            text = _plain(report, start, end, own)
            if block.kind == "row":
                text = _row_text(text, block.header)
            if not _is_claim(text, block.kind):
                continue
            cited = _urls(own)
            inherited = not cited and block.kind == "item" and bool(title_urls)
            pending.append(len(claims))
            claims.append(
                Claim(
                    f"c{len(claims) + 1}",
                    text,
                    report[start:end],
                    start,
                    end,
                    title_urls if inherited else cited,
                    inherited,
                )
            )
    return claims


def _held(body: str, markers: list[Marker]) -> str:
    """The body with every citation replaced by as many placeholders, so that no sentence ends inside one."""
    parts: list[str] = []
    position = 0
    for marker in markers:
        if marker.start < position:
            continue
        parts += [body[position : marker.start], _HOLD * (marker.end - marker.start)]
        position = marker.end
    parts.append(body[position:])
    return "".join(parts)


def _blocks(held: str) -> Iterator[_Block]:
    current: _Block | None = None
    header: tuple[str, ...] = ()
    last_end = 0
    lines = [match.span() for match in re.finditer(r"[^\n]+", held)]
    for index, (start, end) in enumerate(lines):
        line = held[start:end]
        parted = held.count("\n", last_end, start) > 1 if start - last_end < 10_000 else True
        last_end = end
        if current and (parted or line.isspace()):
            yield current
            current = None
        if line.isspace():
            continue
        body_start = start + len(line) - len(line.lstrip())
        following = held[slice(*lines[index + 1])] if index + 1 < len(lines) else ""
        if parted:
            header = ()
        kind = _kind(
            line, in_table=bool(header), before_rule="|" in line and _TABLE_RULE.match(following) is not None
        )
        if kind == "text" and current is not None:
            current.end = end
            continue
        if current:
            yield current
            current = None
        if kind == "table_rule":
            continue
        if kind == "table_head":
            header = _cells(line)
            continue
        if kind == "row":
            yield _Block("row", body_start, end, header)
            continue
        header = ()
        if kind == "item":
            bullet = _BULLET.match(line)
            current = _Block("item", start + bullet.end() if bullet else body_start, end)
        elif kind == "text":
            current = _Block("text", body_start, end)
        else:
            yield _Block(kind, body_start, end)
    if current:
        yield current


def _kind(line: str, *, in_table: bool, before_rule: bool) -> str:
    if before_rule:
        return "table_head"
    if "|" in line and _TABLE_RULE.match(line):
        return "table_rule"
    if "|" in line and (in_table or line.lstrip().startswith("|")):
        return "row"
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


def _sentences(held: str, block: _Block) -> Iterator[tuple[int, int]]:
    if block.kind in ("row", "title"):
        yield block.start, block.end
        return
    start = block.start
    for match in _SENTENCE_END.finditer(held, block.start, block.end):
        end = match.end()
        if _ABBREVIATION.search(held[max(start, match.start() - 8) : match.start() + 1]) and end < block.end:
            continue
        if end > start:
            yield _trimmed(held, start, end)
        start = end
    if held[start : block.end].strip():
        yield _trimmed(held, start, block.end)


def _trimmed(held: str, start: int, end: int) -> tuple[int, int]:
    while start < end and held[start].isspace():
        start += 1
    while end > start and held[end - 1].isspace():
        end -= 1
    return start, end


def _within(markers: list[Marker], starts: list[int], start: int, end: int) -> list[Marker]:
    return markers[bisect_left(starts, start) : bisect_left(starts, end)]


def _urls(markers: list[Marker]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(marker.url for marker in markers if marker.url is not None))


def _with_urls(claim: Claim, urls: tuple[str, ...]) -> Claim:
    return Claim(claim.id, claim.text, claim.quote, claim.start, claim.end, urls, bool(urls))


def _plain(report: str, start: int, end: int, markers: list[Marker]) -> str:
    """The words of a stretch: link texts stay where they are part of the sentence, markers go."""
    parts: list[str] = []
    position = start
    for marker in markers:
        if marker.start < position:
            continue
        parts.append(report[position : marker.start])
        enclosed = report[marker.start - 1 : marker.start] in ("(", "（")
        if (
            marker.form in ("link", "html")
            and not enclosed
            and not marker.id.startswith(("http://", "https://"))
        ):
            parts.append(marker.id)
        position = max(position, marker.end)
    parts.append(report[position:end])
    text = _DECORATION.sub("", "".join(parts))
    text = _EMPTY_BRACKETS.sub("", text).replace("\\$", "$")
    text = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))
    return text.strip(" |,;-–—")


def _row_text(text: str, header: tuple[str, ...]) -> str:
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    if header and len(header) == len(cells):
        return "; ".join(
            f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True) if cell
        )
    return "; ".join(cell for cell in cells if cell)


def _says_something(report: str, block: _Block, markers: list[Marker]) -> bool:
    return _FIGURE.search(_plain(report, block.start, block.end, markers)) is not None


def _is_claim(text: str, kind: str) -> bool:
    """A statement that could be checked: not a question, a lead-in, a label or talk about the report itself."""
    words = _WORD.findall(text)
    cjk = sum("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" for c in text)
    if text.endswith(("?", "？", ":", "：")):
        return False
    if cjk >= 6:
        return True
    if len(words) < 2 or (len(words) < 3 and not _FIGURE.search(text)):
        return False
    return not _META.match(text)
