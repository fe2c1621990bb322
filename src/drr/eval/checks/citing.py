"""Rules on citing: marks lead to sources, and tools returned the cited pages."""

from __future__ import annotations

from collections import Counter

from drr.citations.cited import Defect
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import Accusation, Check, Tally, unverifiable

_SOFT = frozenset(["uncited", "list_without_markers"])
"""Defects that are no more than a habit."""


def citation_hygiene(subject: Subject, mentions: Mentions) -> Check:
    """Check that no mark leads nowhere, no entry is empty and no address is listed twice."""
    citations = subject.citations
    if not citations.markers and not citations.references:
        return unverifiable("absent")
    counts = Counter(defect.kind for defect in citations.defects)
    hard = [one for one in citations.defects if one.kind not in _SOFT]
    soft = [one for one in citations.defects if one.kind in _SOFT]
    findings = tuple(Accusation((one.start, one.end), _defect_text(one)) for one in hard)
    remarks = tuple(map(_defect_text, soft))[:50]
    # What is untidy is not false, so it is a remark and breaks no rule.
    return Check("remark" if hard else "pass", dict(counts), findings, remarks)


def _defect_text(one: Defect) -> str:
    return f"{one.kind} {one.id}: {one.detail}".replace(" :", ":")


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
