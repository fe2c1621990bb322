"""What the viewer shows, as plain values: read from a study once, drawn by templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Passage:
    """A stretch of frozen evidence and where in it the support stands."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Verdict:
    """One judgement of one claim against one type of source."""

    judge: str
    source_type: str
    basis: str
    """`page`, `seen`, `record`: what was read."""
    status: str
    reason: str | None
    urls: tuple[str, ...]
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Claim:
    id: str
    text: str
    start: int
    end: int
    urls: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()

    @property
    def status(self) -> str:
        """The weakest verdict: what a reader should look at first. `uncited` where there is nothing to judge."""
        order = ("none", "judge_error", "extract_error", "unreachable", "blocked", "empty", "partial", "full")
        found = {verdict.status for verdict in self.verdicts}
        weakest = next((status for status in order if status in found), None)
        return weakest or ("uncited" if not self.urls else "unscored")

    @property
    def types(self) -> str:
        return " ".join(sorted({verdict.source_type for verdict in self.verdicts}))


@dataclass(frozen=True)
class SourceView:
    number: int
    url: str
    type: str
    title: str | None
    seen: str
    page: str | None
    """Content hash of the frozen page."""
    page_status: str | None
    call: int | None
    """Number of the tool call that brought it."""


@dataclass(frozen=True)
class CallView:
    number: int
    actor: str
    name: str
    kind: str
    arguments: str
    result: str
    error: str | None
    seconds: float


@dataclass(frozen=True)
class Rating:
    judge: str
    dimension: str
    rating: int | None
    justification: str | None
    unscored: str | None


@dataclass(frozen=True)
class RuleView:
    name: str
    status: str
    value: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One unit in the index: light enough for thousands."""

    key: str
    query_id: str
    query: str
    variant: str
    trial: int
    status: str
    reason: str | None
    words: int | None
    fp: float | None
    rule_written: bool


@dataclass(frozen=True)
class ReportView:
    entry: Entry
    report: str
    profile: str
    stop_reason: str | None
    usage: dict[str, dict[str, Any]]
    cost_usd: float | None
    seconds: float | None
    claims: tuple[Claim, ...] = ()
    sources: tuple[SourceView, ...] = ()
    calls: tuple[CallView, ...] = ()
    ratings: tuple[Rating, ...] = ()
    rules: tuple[RuleView, ...] = ()
    notes: tuple[str, ...] = field(default=())
