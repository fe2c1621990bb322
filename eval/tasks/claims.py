"""Claims of a report: every statement, cited or not, with its words, its place and the sources it may lean on.

One extraction serves precision and recall, so both rest on the same claims. By rule, a claim is a sentence, a list item
or a table row with the citations in its scope; with a model, code accepts only what it finds in the report.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from drr.citations.addresses import canonical_url
from drr.citations.parse import Citations, Marker
from drr.llm.prompts import fence
from drr.llm.role import RoleModel
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field


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


@dataclass(slots=True)
class Extraction:
    claims: list[Claim]
    rejects: dict[str, int] = field(default_factory=dict)
    """What a model named that the report does not hold: `quote_not_found`, `url_not_cited`, `duplicate`."""


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


class _Found(BaseModel):
    model_config = ConfigDict(extra="forbid")

    quote: str = Field(description="the exact words of the report, copied character by character")
    claim: str = Field(description="one complete sentence that says what is claimed")
    sources: list[str] = Field(description="URLs from the list given, empty if the report cites none here")


class _FoundClaims(BaseModel):
    model_config = ConfigDict(extra="forbid")

    claims: list[_Found]


CHUNK_WORDS = 6_000
PROMPT = Path(__file__).parents[1] / "prompts" / "claims.md"


async def extract_with_model(
    report: str, citations: Citations, model: RoleModel, *, prompt: str | None = None
) -> Extraction:
    """The model's claims, as far as the report holds them. Failures of the model (`ModelFailure`) are the caller's."""
    if model.rule_written:
        return Extraction(extract_by_rules(report, citations))
    instructions = prompt if prompt is not None else PROMPT.read_text(encoding="utf-8")
    sources = "\n".join(
        f"{', '.join(f'[{number}]' for number in source.numbers) or '-'} {source.url}"
        for source in citations.sources
    )
    extraction = Extraction([])
    seen: set[tuple[int, int, str]] = set()
    for start, end in chunks(citations.body):
        messages = [
            SystemMessage(instructions),
            HumanMessage(
                f"Sources the report cites:\n{fence(sources or '(none)', 'sources')}\n\n{fence(report[start:end], 'report')}"
            ),
        ]
        answer = await model.structured(messages, _FoundClaims)
        for found in answer.claims:
            _accept(found, report, (start, end), citations, extraction, seen)
    extraction.claims.sort(key=lambda claim: (claim.start, claim.end))
    extraction.claims = [
        Claim(f"c{n}", c.text, c.quote, c.start, c.end, c.urls, c.section_level)
        for n, c in enumerate(extraction.claims, 1)
    ]
    return extraction


def chunks(body: str, words: int = CHUNK_WORDS) -> list[tuple[int, int]]:
    """Stretches of at most so many words, cut between paragraphs where there are any. Nothing is lost."""
    count = 0
    spans: list[tuple[int, int]] = []
    start = 0
    paragraph = 0
    for match in re.finditer(r"\S+|\n\s*\n", body):
        if match[0].isspace():
            paragraph = match.end()
            continue
        count += 1
        if count > words:
            cut = paragraph if paragraph > start else match.start()
            spans.append((start, cut))
            count = len(body[cut : match.end()].split())
            start = cut
    if body[start:].strip():
        spans.append((start, len(body)))
    return spans


def _accept(
    found: _Found,
    report: str,
    chunk: tuple[int, int],
    citations: Citations,
    extraction: Extraction,
    seen: set[tuple[int, int, str]],
) -> None:
    span = locate(found.quote, report, *chunk)
    if span is None:
        extraction.rejects["quote_not_found"] = extraction.rejects.get("quote_not_found", 0) + 1
        return
    known = {source.url for source in citations.sources}
    urls = tuple(dict.fromkeys(canonical_url(url) for url in found.sources))
    if not known.issuperset(urls):
        extraction.rejects["url_not_cited"] = extraction.rejects.get("url_not_cited", 0) + 1
        return
    text = " ".join(found.claim.split())
    key = (*span, text.casefold())
    if key in seen or not text:
        extraction.rejects["duplicate"] = extraction.rejects.get("duplicate", 0) + 1
        return
    seen.add(key)
    start, end = span
    near = {marker.url for marker in citations.markers if start <= marker.start <= end + 12}
    extraction.claims.append(
        Claim("", text, report[start:end], start, end, urls, bool(urls) and not near.intersection(urls))
    )


def locate(quote: str, report: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the quote stands in the report, white space aside."""
    words = quote.split()
    if not words:
        return None
    at = report.find(quote.strip(), start, end)
    if at >= 0:
        return at, at + len(quote.strip())
    match = re.compile(r"\s+".join(re.escape(word) for word in words)).search(report, start, end)
    return match.span() if match else None
