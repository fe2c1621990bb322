"""The shapes of what judgements leave in the ledger."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from drr.eval.stats.faithfulness import Status

Against = Literal["page", "seen"]


class ClaimRow(TypedDict):
    """A claim of a report; `report[start:end]` is its quote."""

    id: str
    text: str
    quote: str
    start: int
    end: int
    urls: list[str]
    section_level: bool
    blanket: bool
    """Cited with a marker for more sources than anybody means."""
    resolved: bool
    """Whether an address it cites is a source."""
    types: list[str]


class HeldClaim(TypedDict):
    """What of a claim is needed to hold it against its sources."""

    id: str
    text: str
    urls: list[str]


class ClaimsResult(TypedDict):
    claims: list[ClaimRow]
    rejects: dict[str, int]
    by_rule: bool


class SpanRow(TypedDict):
    url: str
    sha256: str | None
    start: int
    end: int


class SourceRow(TypedDict):
    url: str
    status: str
    sha256: str | None
    passages: list[list[int]]


class VerdictRow(TypedDict):
    """What is known of one claim held against its sources of one type."""

    claim_id: str
    type: str
    against: Against
    status: Status
    reason: str
    by: NotRequired[str]
    """`judge`, `rule`, or `rule over judge`."""
    judged: NotRequired[str]
    """What the judge said where a rule overruled it."""
    quote_not_found: NotRequired[str]
    sources: list[SourceRow]
    spans: list[SpanRow]


class AddressVerdict(VerdictRow):
    """What is known of one claim held against one address, where it cites several of the same type."""

    without: Status | None
    """What the claim's other sources of the type say together, where it was asked."""


class RatingResult(TypedDict):
    rating: int
    justification: str


class PreferenceResult(TypedDict):
    winner: Literal["first", "second", "tie"]
    """By its place in the prompt."""
    justification: str


class FailureRow(TypedDict):
    label: str
    start: int
    end: int


class FailuresResult(TypedDict):
    failures: list[FailureRow]
    unfounded: list[str]
    """Labels whose example the report does not hold."""


class CheckRow(TypedDict):
    """One rule's answer."""

    status: Literal["pass", "fail", "unverifiable"]
    value: object
    spans: list[list[int]]
    evidence: list[str]
