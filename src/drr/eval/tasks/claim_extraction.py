"""Takes the claims out of a report, by rules or with a model, and builds their rows."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from drr.citations.parse import Citations, canonical_url
from drr.env.world import is_paged
from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import FoundClaim, FoundClaims
from drr.eval.asking.judge import Examiner
from drr.eval.asking.safety import block_with, visible_report
from drr.eval.evidence.answers import Answer, AnswerEvidence
from drr.eval.evidence.claims import (
    Claim,
    ReportSentence,
    claims_citing,
    refers_to_previous,
)
from drr.eval.evidence.quotations import locate
from drr.eval.tasks.citation_rows import ClaimRow
from drr.llm.failures import ModelFailure
from drr.llm.prompts import fence
from langchain_core.messages import HumanMessage, SystemMessage

CHUNK_WORDS = 6_000
TRIES = 3


@dataclass(slots=True)
class Extraction:
    claims: list[Claim]
    rejects: Counter[str] = field(default_factory=Counter)
    """Number of rejected claims of a model by reason, `quote_not_found` or `duplicate`; `url_not_cited` counts dropped addresses."""


async def extract_in_tries(answer: Answer, citations: Citations, judge: Examiner, prompt: str) -> Extraction:
    """Extract the claims, up to three times where the model's answer cannot be read. Then the failure is raised."""
    for _ in range(TRIES - 1):
        try:
            return await extract_with_model(answer.report, citations, judge, prompt, about=(answer.key,))
        except ModelFailure as failure:
            if failure.kind != "malformed":
                raise
    return await extract_with_model(answer.report, citations, judge, prompt, about=(answer.key,))


async def extract_with_model(
    report: str, citations: Citations, judge: Examiner, prompt: str, *, about: tuple[str, ...] = ()
) -> Extraction:
    """Return the model's claims that the report holds. Raises `ModelFailure` where the model fails."""
    sources = "\n".join(
        f"{', '.join(f'[{number}]' for number in source.numbers) or '-'} {source.url}"
        for source in citations.sources
    )
    listed = fence(sources or "(none)", "sources")
    cited = {source.url for source in citations.sources}
    extraction = Extraction([])
    seen: set[tuple[int, int, str]] = set()
    shown = visible_report(report, cited)
    is_same = shown == report  # offsets in what was set anew are not those of the report
    for start, end in (chunks(citations.body) if is_same else []) or chunks(shown):
        request = f"Sources the report cites:\n{listed}\n\n{fence(shown[start:end], 'report')}"
        messages = (SystemMessage(prompt), HumanMessage(request))
        answer = await judge.answer(Asking("claims", FoundClaims, messages, about=about))
        for found in answer.claims:
            place = (start, end) if is_same else (0, len(report))
            span: tuple[int, int] | None = locate(found.quote, report, *place)
            if span is None and not is_same and locate(found.quote, shown, start, end):
                span = block_with(found.quote, report)
            _accept(found, report, span, citations, extraction, seen)
    extraction.claims.sort(key=lambda claim: (claim.start, claim.end))
    extraction.claims = [replace(claim, id=f"c{n}") for n, claim in enumerate(extraction.claims, 1)]
    return extraction


def claim_rows(extraction: Extraction, citations: Citations, book: AnswerEvidence) -> list[ClaimRow]:
    """Build the rows of distinct claims. Repeating a claim makes a report neither better cited nor better supported."""
    leant = claims_citing(book.answer.report, citations)
    # Records alone: what a page says of a thing is not the thing, and the next words may be the writer's.
    behind = [one for one in leant if not is_paged(book.type_of(one.urls[0]))]
    extraction.claims = [_with_citations_before(claim, behind) for claim in extraction.claims]
    found = distinct_claims(extraction.claims)
    if len(found) < len(extraction.claims):
        extraction.rejects["repeated"] = len(extraction.claims) - len(found)
    blanket = [(d.start, d.end) for d in citations.defects if d.kind == "blanket_range"]
    return [_row(claim, blanket, citations, book) for claim in found]


def _with_citations_before(claim: Claim, behind: Sequence[ReportSentence]) -> Claim:
    """Give a claim without citations the citations of the sentence that it continues, if that sentence cites a record."""
    if claim.urls:
        return claim
    at = bisect_right(behind, claim.start, key=lambda one: one.start) - 1
    return replace(claim, urls=behind[at].urls) if at >= 0 and claim.start < behind[at].end else claim


def distinct_claims(claims: Sequence[Claim]) -> list[Claim]:
    """Keep the first of equal claims, with the sources of all. Claims that continue a sentence about different things are not equal."""
    found: dict[tuple[str, ...], Claim] = {}
    for claim in claims:
        words = (
            " ".join(claim.text.casefold().split()),
            *(claim.urls if refers_to_previous(claim.text) else ()),
        )
        known = found.setdefault(words, claim)
        if known is not claim:
            found[words] = replace(known, urls=tuple(dict.fromkeys((*known.urls, *claim.urls))))
    return list(found.values())


def _row(
    claim: Claim, blanket: Sequence[tuple[int, int]], citations: Citations, book: AnswerEvidence
) -> ClaimRow:
    """Build the row of a claim. A marker for more than ten sources names none of them and counts as no citation."""
    urls = list(claim.urls)
    inside = [span for span in blanket if claim.start <= span[0] < claim.end + 12]
    if inside:
        named = {
            m.url
            for m in citations.markers
            if claim.start <= m.start < claim.end + 12 and (m.start, m.end) not in inside
        }
        urls = [url for url in urls if url in named]
    return {
        "id": claim.id,
        "text": claim.text,
        "quote": claim.quote,
        "start": claim.start,
        "end": claim.end,
        "urls": urls,
        "section_level": claim.section_level,
        "blanket": bool(inside),
        "resolved": any(book.resolves(url) for url in urls),
        "types": sorted({book.type_of(url) for url in urls}),
    }


def chunks(body: str, words: int = CHUNK_WORDS) -> list[tuple[int, int]]:
    """Split the text into spans of at most so many words, between paragraphs where possible. Nothing is left out."""
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
    found: FoundClaim,
    report: str,
    span: tuple[int, int] | None,
    citations: Citations,
    extraction: Extraction,
    seen: set[tuple[int, int, str]],
) -> None:
    if span is None:
        extraction.rejects["quote_not_found"] += 1
        return
    known = {source.url for source in citations.sources}
    urls = tuple(dict.fromkeys(canonical_url(url) for url in found.sources))
    if lost := [url for url in urls if url not in known]:
        extraction.rejects["url_not_cited"] += len(lost)
        urls = tuple(url for url in urls if url in known)
    text = " ".join(found.claim.split())
    key = (*span, text.casefold())
    if key in seen or not text:
        extraction.rejects["duplicate"] += 1
        return
    seen.add(key)
    start, end = span
    near = {marker.url for marker in citations.markers if start <= marker.start <= end + 12}
    extraction.claims.append(
        Claim("", text, report[start:end], start, end, urls, bool(urls) and not near.intersection(urls))
    )
