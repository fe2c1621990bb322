"""Collects the wrong facts that rules found in a report, and every place that states them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.app.report.failing import FoundError, Span, errors_of
from drr.app.viewer.model import Passage, ShownFinding
from drr.app.viewer.parts import passage_of
from drr.citations.parse import Citations
from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import JudgedClaim
from drr.eval.tasks.judgements import Judged

LONGEST = 24
"""Most characters of a figure; a longer text counts as a sentence."""


def findings(
    judged: Judged, answer: Answer, citations: Citations, claims: Sequence[JudgedClaim]
) -> Iterator[ShownFinding]:
    """Yield each wrong fact once, the gravest first, with all its places."""
    right = [(claim.start, claim.end) for claim in claims if claim.status == "full"]
    for number, one in enumerate(errors_of(judged, answer), 1):
        every = sorted({*one.spans, *_other_places(citations, one.spans[0], right)})
        shown = [_with_sign(answer.report, span) for span in every]
        yield ShownFinding(f"wrong-{number}", one.rule, one.why, tuple(shown), line_passage(one), one.record)


def _other_places(citations: Citations, known: Span, right: Sequence[Span]) -> Iterator[Span]:
    """Yield the other places of a wrong figure, in lines that cite a source of its own line.

    A price also counts in a line without citations. Claims that a judge found supported are left out.
    """
    body = citations.body
    figure = body[slice(*known)]
    # A rule names one place of a wrong figure; unmarked elsewhere, it would read as right there.
    if len(figure) > LONGEST or not any(map(str.isdigit, figure)):
        return
    is_price, own = body[: known[0]].endswith("$"), _cited_in_line(citations, known[0])
    at = body.find(figure)
    while at >= 0:
        end = at + len(figure)
        cited = _cited_in_line(citations, at)
        same = is_price if not cited else not own.isdisjoint(cited)
        alike = same and is_price == body[:at].endswith("$") and not _goes_on(body, at, end)
        if alike and not any(low < end and at < high for low, high in (known, *right)):
            yield at, end
        at = body.find(figure, end)


def _goes_on(body: str, start: int, end: int) -> bool:
    """Return whether the stretch is a part of a longer figure."""
    before, after = body[max(0, start - 2) : start], body[end : end + 2]
    return before[-1:].isdigit() or after[:1].isdigit() or _is_rest(before[::-1]) or _is_rest(after)


def _is_rest(text: str) -> bool:
    return text[:1] in (".", ",") and text[1:].isdigit()


def _cited_in_line(citations: Citations, at: int) -> set[str]:
    """Return the addresses that are cited in the line of the offset."""
    body = citations.body
    return {
        one.url
        for one in citations.markers
        if one.url and "\n" not in body[min(one.start, at) : max(one.start, at)]
    }


def _with_sign(report: str, span: Span) -> Span:
    return (span[0] - 1, span[1]) if report[: span[0]].endswith("$") else span


def line_passage(error: FoundError) -> Passage | None:
    """Return the line with an error as a passage, with dots between the cells of a table row.

    `None` where the rule names no place.
    """
    first, last = error.at
    return passage_of(error.line.replace("|", "·"), [error.at], ()) if 0 <= first < last else None
