"""Rules on citing: marks lead to sources, tools returned cited pages, and quotations and figures are on them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set

from drr.citations.cited import Defect
from drr.eval.checks.base import PRODUCT_ID, Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import Accusation, Check, Span, Tally, unverifiable
from drr.eval.evidence.claims import Claim
from drr.wording.dates import dates
from drr.wording.figures import HEDGES, NUMBER, number

_SOFT = frozenset(["uncited", "list_without_markers"])
"""Defects that are untidy and not wrong, told as a remark. An entry that says in words where to look, and a mark whose entry is in the text, are treated the same."""
_LEADS = re.compile(
    r"^[ \t>*_-]{0,6}\[?\^?(?P<id>\d+)[\].)](?=[ \t:.]{0,3}[^\n]{0,200}?(?:https?|user)://)"
    r"|\[\^?(?P<beside>\d+)\][ \t]?[:.–—-]?[ \t]?(?:<?(?:https?|user)://|[a-z])",
    re.M,
)
"""An entry with an address, or a mark with an address or a word right behind it."""
_WORDS = re.compile(r"[A-Za-z]{2,}")
_OWN_RECORDS = re.compile(
    r"\b(?:order|orders|account|profile|history|statistics|purchases?|records?|above|linked)\b", re.I
)
_TITLE = 8
"""Most words of an entry that names a source; a longer one is a note."""
_QUOTED = re.compile(r"(?<![\w.,;!?])[“\"](?=\S)([^“”\"\n]{12,300})(?<=\S)[”\"]")
_PROCESS_TEXT = re.compile(
    r"(?:\$\s?)?(?P<n>\d{1,3}(?:,\d{3})+|\d{1,9}(?:\.\d{1,4})?)\s?(?P<unit>%|percent\b)?", re.I
)
_TRIED = 12
"""Most other figures of a claim from which a figure may be computed."""


def citation_hygiene(subject: Subject, mentions: Mentions) -> Check:
    """Check that no mark leads nowhere, no entry is empty and no address is listed twice."""
    citations = subject.citations
    if not citations.markers and not citations.references:
        return unverifiable("absent")
    counts = Counter(defect.kind for defect in citations.defects)
    addressed = any(one.urls for one in citations.references)
    led = {match["id"] or match["beside"] for match in _LEADS.finditer(subject.report)}
    hard = [one for one in citations.defects if not _is_soft(subject.report, one, led, addressed=addressed)]
    soft = [one for one in citations.defects if one not in hard]
    findings = tuple(Accusation((one.start, one.end), _defect_text(one)) for one in hard)
    remarks = tuple(map(_defect_text, soft))[:50]
    return Check("fail" if hard else "pass", dict(counts), findings, remarks)


def _defect_text(one: Defect) -> str:
    return f"{one.kind} {one.id}: {one.detail}".replace(" :", ":")


def _is_soft(report: str, defect: Defect, led: Set[str], *, addressed: bool) -> bool:
    """Tell whether a defect is only untidy, because the report says elsewhere where to look."""
    if defect.kind in _SOFT:
        return True
    if defect.kind == "empty_entry":
        text = report[defect.start : defect.end]
        own = _OWN_RECORDS.search(text) or PRODUCT_ID.search(text)
        return own is not None or (
            len(_WORDS.findall(text)) > 1 and (not addressed or len(_WORDS.findall(text)) > _TITLE)
        )
    return defect.kind == "dangling" and defect.id in led


def fabricated_citation(subject: Subject, mentions: Mentions) -> Check:
    """Check that every cited address was returned by a tool, or is part of a returned file."""
    if subject.returned is None:
        return unverifiable("calls")
    tally = Tally()
    products = {subject.product_id_of(url) for url in subject.returned} - {None}
    for source in subject.citations.sources:
        if subject.was_returned(source.url) or subject.product_id_of(source.url) in products:
            tally.ok()
        else:
            span = (source.inline_spans or source.list_spans or [(0, 0)])[0]
            tally.fail(span, f"Address: {source.url}; no tool returned it")
    total = len(subject.citations.sources)
    return tally.check(share=len(tally.findings) / total if total else None)


def numbers_in_evidence(subject: Subject, mentions: Mentions) -> Check:
    """Check that amounts, shares and quoted words of a claim that cites one page stand on that page."""
    tally = Tally()
    for claim in subject.claims:
        page = _only_page(subject, claim)
        if page is not None:
            verbatim = not subject.is_of_table(claim.urls[0])
            _compare_quotations(tally, subject, claim, page, verbatim=verbatim)
            _compare_figures(tally, subject, claim, page)
    return tally.check("prose")


def _only_page(subject: Subject, claim: Claim) -> str | None:
    """Return the text behind the one address of a claim. The shop's records are left out, because other rules check them."""
    if len(claim.urls) != 1 or claim.section_level:
        return None
    (url,) = claim.urls
    is_record = url.startswith("user://") or subject.is_shop_url(url)
    return None if is_record else subject.text_behind(url)


def _place(subject: Subject, claim: Claim, written: str) -> Span:
    """Return the span of a claim's words in the report. The span is empty where the claim's text differs from the report's."""
    at = subject.report.find(written, claim.start, claim.end)
    return (at, at + len(written)) if at >= 0 else (claim.start, claim.start)


def _compare_quotations(tally: Tally, subject: Subject, claim: Claim, page: str, *, verbatim: bool) -> None:
    for match in _QUOTED.finditer(claim.text):
        quotation = _flat(match[1]).strip(" .,;!?")
        if verbatim and len(quotation.split()) > 2:
            why = f"Quotation: {match[1][:60]!r}; it does not stand in {claim.urls[0]}"
            place = _place(subject, claim, match[0])
            if quotation in _flat(page):
                tally.ok(place)
            else:
                tally.fail((claim.start, claim.end), why, place)


def _compare_figures(tally: Tally, subject: Subject, claim: Claim, page: str) -> None:
    """Look for each amount and share on the page and in the question. It may also follow from the claim's other figures."""
    stated = {number(match["n"]) for match in NUMBER.finditer(page)} | {
        number(one[0]) for one in re.finditer(r"\d+(?:\.\d+)?", page)
    }
    asked = {number(match["n"]) for match in NUMBER.finditer(subject.query or "")}
    beside = [number(match["n"]) for match in NUMBER.finditer(claim.text)]
    for value, written in _figures(claim.text):
        others = [one for one in beside if one != value][:_TRIED]
        place = _place(subject, claim, written)
        if any(_rounds_to(one, value, written) for one in stated | asked):
            tally.ok(place)
        elif others:
            tally.unrecorded()
        else:
            why = f"Figure: {written}; it does not stand in {claim.urls[0]}"
            tally.fail((claim.start, claim.end), why, place)


def _figures(text: str) -> Iterator[tuple[float, str]]:
    """Yield amounts and shares that are stated as exact."""
    taken = [(when.start, when.end) for when in dates(text, 0, len(text))]
    for match in _PROCESS_TEXT.finditer(text):
        exact = match["unit"] or match[0].startswith("$")
        hedged = HEDGES.beside(text, match.start(), match.end())
        if exact and not hedged and not any(low <= match.start() < high for low, high in taken):
            yield number(match["n"]), match[0].strip()


def _rounds_to(known: float, value: float, written: str) -> bool:
    decimals = len(written.rstrip("% percntPERCNT").partition(".")[2])
    half: float = 0.5 * 10**-decimals
    return abs(known - value) <= half + 1e-9


def _flat(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())
