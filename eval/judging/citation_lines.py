"""The table of verdicts as plain rows, for files and programs outside: one for each claim and address it cites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from drr.eval.stats.citations import CitationVerdict
from drr.eval.tasks.judged import Judged


class CitationLine(TypedDict):
    """Unknown is `None`; `docs/judging.md`, Citations one by one, says what each word means."""

    answer: str
    """Its key in the study."""
    variant: str
    query: str
    trial: int
    claim: str
    text: str
    scope: str
    url: str
    type: str
    status: str | None
    together: str | None
    needed: bool | None
    supports: bool | None
    standing: str
    reason: str
    by: str | None
    judge: str
    protocol: str
    sha256: str | None
    passages: list[list[int]]
    spans: list[list[int]]


def citation_lines(judged: Judged) -> Iterator[CitationLine]:
    """Answer by answer, claim by claim."""
    for answer in judged.answers:
        claims = judged.held(answer)
        texts = {claim["id"]: claim["text"] for claim in (claims and claims.claims) or ()}
        place = (answer.variant, answer.query_id, answer.trial)
        for one in judged.citations.get(answer.key) or ():
            yield _line(one, place, texts.get(one.claim, ""))


def _line(one: CitationVerdict, place: tuple[str, str, int], text: str) -> CitationLine:
    variant, query, trial = place
    return {
        "answer": one.answer,
        "variant": variant,
        "query": query,
        "trial": trial,
        "claim": one.claim,
        "text": text,
        "scope": one.scope,
        "url": one.url,
        "type": one.type,
        "status": one.status,
        "together": one.together,
        "needed": one.needed,
        "supports": one.supports,
        "standing": one.standing,
        "reason": one.reason,
        "by": one.by,
        "judge": one.judge,
        "protocol": one.protocol,
        "sha256": one.sha256,
        "passages": [list(place) for place in one.passages],
        "spans": [list(place) for place in one.spans],
    }
