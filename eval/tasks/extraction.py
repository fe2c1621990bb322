"""The task of extracting claims, by rule or with a model. Of a model's claims only those found in the report are kept."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from drr.citations.addresses import host_of
from drr.citations.parse import Citations, canonical_url
from drr.env.progress import read_in_time
from drr.env.world import is_paged
from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import FoundClaim, FoundClaims
from drr.eval.asking.judge import Examiner
from drr.eval.asking.safety import visible_report
from drr.eval.evidence.answers import Answer, AnswerEvidence
from drr.eval.evidence.claims import (
    Claim,
    ReportSentence,
    claims_citing,
    extract_by_rules,
    refers_to_previous,
    silent_sections,
)
from drr.eval.tasks.citation_rows import ClaimRow, ClaimsResult
from drr.eval.tasks.desk import EXTRACTOR, Estimate, JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Claims, Judged, JudgingRun
from drr.llm.failures import ModelFailure
from drr.llm.prompts import fence
from drr.study.unit import Outcome, Record, Unit
from langchain_core.messages import HumanMessage, SystemMessage

CHUNK_WORDS = 6_000
TRIES = 3


@dataclass(slots=True)
class Extraction:
    claims: list[Claim]
    rejects: Counter[str] = field(default_factory=Counter)
    """Number of rejected claims of a model by reason: `quote_not_found`, `url_not_cited`, `duplicate`."""


class ExtractionTask(Task[Answer]):
    name = "claims"
    version = 10
    subject = "answer"
    role = EXTRACTOR
    metrics = ("faithfulness",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Add the shop and its address to the versions, because they decide which sources there are and of which type."""
        shop = "" if desk.shop is None else desk.shop.manifest.content_hash
        shop_mark = text_id(f"{host_of(desk.shop_url)} {shop}")[:8]
        return {
            f"{self.name}/{mode}": f"{desk.version(self.version, self.role, _prompt(desk, mode))}-{shop_mark}"
            for mode in desk.protocol.modes
        }

    def part(self, fields: Mapping[str, Any]) -> str:
        return f"{self.name}/{fields['mode']}"

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        for mode in desk.protocol.modes:
            fields = {"mode": mode, "answer": about.key, "report": text_id(about.report)}
            spec = {"answer": about.key, "mode": mode}
            yield self.unit(desk, f"claims \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        citations = await read_in_time(answer.report, lambda: desk.citations(answer.report))
        if judge.rule_written:
            found = await read_in_time(answer.report, lambda: extract_by_rules(answer.report, citations))
            extraction = Extraction(found)
        else:
            prompt = desk.prompts[_prompt(desk, spec["mode"])].text
            extraction = await _persistently(answer, citations, judge, prompt)
        rows = claim_rows(extraction, citations, desk.book(answer))
        if spec["mode"] == "cited":
            rows = [row for row in rows if row["urls"]]
        result: ClaimsResult = {
            "claims": rows,
            "rejects": dict(extraction.rejects),
            "by_rule": judge.rule_written,
            "silent": silent_sections(citations.body, extraction.claims),
        }
        if not judge.rule_written and not any(claim.urls for claim in extraction.claims):
            result["untaken"] = citations.resolvable_count
        return Outcome({**result})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        claims = record.result["claims"] if record.done and not self.lacks(record) else None
        rejects, silent = record.result.get("rejects", {}), record.result.get("silent", ())
        found = Claims(record.key, claims, rejects, record.reason, silent)
        judged.claims.setdefault(fields["mode"], {})[fields["answer"]] = found

    def lacks(self, record: Record) -> bool:
        """Tell whether the model's claims cite nothing although the report has citations. Such an extraction says nothing about the report."""
        return bool(record.result.get("untaken"))

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        """Tell whether an extraction is part of this judging run. A repetition judges the same claims as the first run."""
        return bool(
            fields["protocol"] == judging.protocol
            and fields["judge"] == judging.extractor
            and not fields["repeat"]
            and fields["version"] == judging.versions.get(self.part(fields))
        )

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        if desk.judge_of(self.role).rule_written:
            return None
        return Estimate(len(desk.answer(unit.spec["answer"]).report) + 2500, 1800)

    def guess(self, desk: JudgingContext, about: Answer, judged: Judged) -> None:
        """Enter the claims that rules find, where none are known."""
        if judged.checked_claims(about) is None:
            citations = desk.citations(about.report)
            extraction = Extraction(extract_by_rules(about.report, citations))
            rows = claim_rows(extraction, citations, desk.book(about))
            judged.claims.setdefault(desk.protocol.checked, {})[about.key] = Claims("", rows, {})


EXTRACTION = ExtractionTask()


def _prompt(desk: JudgingContext, mode: str) -> str:
    ask = desk.protocol.ask(f"claims/{mode}", "claims")
    assert ask is not None
    return ask.prompt


async def _persistently(answer: Answer, citations: Citations, judge: Examiner, prompt: str) -> Extraction:
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
    for start, end in chunks(citations.body):
        request = f"Sources the report cites:\n{listed}\n\n{fence(visible_report(report[start:end], cited), 'report')}"
        messages = (SystemMessage(prompt), HumanMessage(request))
        answer = await judge.answer(Asking("claims", FoundClaims, messages, about=about))
        for found in answer.claims:
            _accept(found, report, (start, end), citations, extraction, seen)
    extraction.claims.sort(key=lambda claim: (claim.start, claim.end))
    extraction.claims = [replace(claim, id=f"c{n}") for n, claim in enumerate(extraction.claims, 1)]
    return extraction


def claim_rows(extraction: Extraction, citations: Citations, book: AnswerEvidence) -> list[ClaimRow]:
    """Build the rows of distinct claims. Repeating a claim makes a report neither better cited nor better supported."""
    leant = claims_citing(book.answer.report, citations)
    behind = [one for one in leant if not is_paged(book.type_of(one.urls[0]))]
    extraction.claims = [_leant(claim, behind) for claim in extraction.claims]
    found = distinct_claims(extraction.claims)
    if len(found) < len(extraction.claims):
        extraction.rejects["repeated"] = len(extraction.claims) - len(found)
    blanket = [(d.start, d.end) for d in citations.defects if d.kind == "blanket_range"]
    return [_row(claim, blanket, citations, book) for claim in found]


def _leant(claim: Claim, behind: Sequence[ReportSentence]) -> Claim:
    """Return a claim without citations with those of the sentence that it continues, if that cites a record."""
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
    chunk: tuple[int, int],
    citations: Citations,
    extraction: Extraction,
    seen: set[tuple[int, int, str]],
) -> None:
    span = locate(found.quote, report, *chunk)
    if span is None:
        extraction.rejects["quote_not_found"] += 1
        return
    known = {source.url for source in citations.sources}
    urls = tuple(dict.fromkeys(canonical_url(url) for url in found.sources))
    if not known.issuperset(urls):
        extraction.rejects["url_not_cited"] += 1
        return
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


def locate(quote: str, report: str, start: int, end: int) -> tuple[int, int] | None:
    """Find the span of the quote in the report, whatever its white space."""
    words = quote.split()
    if not words:
        return None
    at = report.find(quote.strip(), start, end)
    if at >= 0:
        return at, at + len(quote.strip())
    match = re.compile(r"\s+".join(re.escape(word) for word in words)).search(report, start, end)
    return match.span() if match else None
