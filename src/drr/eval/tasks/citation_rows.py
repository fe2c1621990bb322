"""Builds one row for each claim and cited address: the verdict on the address, and whether it is needed.

Say the judge finds that a claim's three addresses together support all of it:

    A alone: partial                       supports
    B alone: none; without B: partial      needed, as B supports only beside the others
    C alone: none; without C: full         irrelevant
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NotRequired, TypedDict

from drr.citations.addresses import canonical_url
from drr.env.world import is_paged
from drr.eval.evidence.answers import Answer
from drr.eval.stats.citations import CitationVerdict, is_needed
from drr.eval.stats.faithfulness import (
    STATUSES,
    UNREADABLE,
    AddressVerdict,
    JudgedClaim,
    SourceRow,
    Status,
    VerdictRow,
)
from drr.eval.stats.question import grouped


class CitingClaim(TypedDict):
    """The part of a claim that is needed to compare the claim with its sources."""

    id: str
    text: str
    urls: list[str]


class ClaimRow(CitingClaim):
    """A claim of a report; `quote` is `report[start:end]`."""

    quote: str
    start: int
    end: int
    section_level: bool
    blanket: bool
    """True if a citation marker of the claim names more sources than anybody can mean."""
    resolved: bool
    """True if a cited address is a source of the report."""
    types: list[str]


class ClaimsResult(TypedDict):
    claims: list[ClaimRow]
    rejects: dict[str, int]
    by_rule: bool
    silent: NotRequired[list[str]]
    """Headings of sections in which no claim was found; earlier judgings lack this key."""
    untaken: NotRequired[int]
    """Number of citation marks in the report, where none of a model's claims cites anything."""


class RatingResult(TypedDict):
    rating: int
    justification: str


class PreferenceResult(TypedDict):
    winner: Literal["first", "second", "tie"]
    """Winner by place in the prompt."""
    justification: str


class FailureRow(TypedDict):
    label: str
    start: int
    end: int


class FailuresResult(TypedDict):
    failures: list[FailureRow]
    unfounded: list[str]
    """Labels whose example is not in the report; they count as unknown unless another example shows them."""


Addresses = Mapping[tuple[str, str], AddressVerdict]
"""Verdicts on single addresses, keyed by (claim, address)."""
_STATUS: Mapping[str, Status] = {str(status): status for status in STATUSES}


@dataclass(frozen=True)
class JudgedCitations:
    """The judgements on one answer's citations, with their judge and protocol."""

    answer: Answer
    support: Collection[VerdictRow]
    addresses: Addresses
    judge: str
    protocol: str
    claims: Mapping[str, JudgedClaim]
    """The claims with their verdicts by type and by all types together."""
    rests: Mapping[str, VerdictRow]
    """Verdicts on claims by all their sources but one, by the name of the set."""

    def rows(self, claims: Iterable[ClaimRow]) -> list[CitationVerdict]:
        by_claim = grouped((one["claim_id"], one) for one in self.support if one["against"] == "page")
        scopes: dict[tuple[str, ...], str] = {}
        return [
            row
            for claim in claims
            for row in self._of_claim(claim, _scope(claim, scopes), by_claim.get(claim["id"], ()))
        ]

    def _of_claim(
        self, claim: ClaimRow, scope: str, verdicts: Sequence[VerdictRow]
    ) -> Iterator[CitationVerdict]:
        """Yield the rows of a claim in the order of its citations, whatever the order of the verdicts."""
        make = partial(
            CitationVerdict,
            answer=self.answer.key,
            variant=self.answer.variant,
            query=self.answer.query_id,
            trial=self.answer.trial,
            claim=claim["id"],
            text=claim["text"],
            scope=scope,
            judge=self.judge,
            protocol=self.protocol,
        )
        known = {one["url"]: one for verdict in verdicts for one in self._of_set(claim["id"], verdict)}
        failed = next((verdict for verdict in verdicts if not verdict["sources"]), None)
        for url in claim["urls"]:
            yield make(**(known[url] if url in known else self._without_set(claim, url, failed)))

    def _of_set(self, claim: str, verdict: VerdictRow) -> Iterator[dict[str, Any]]:
        """Yield the verdicts on all sources of one type. Addresses with the same text share its verdict, and none of them counts as needed."""
        verdicts: dict[str, VerdictRow | AddressVerdict | None] = {}
        for source in filter(_is_read, verdict["sources"]):
            text = str(source["sha256"])
            verdicts[text] = self.addresses.get((claim, source["url"])) or verdicts.get(text)
        # One text is the whole set, so the verdict on the set is the verdict on it.
        if len(verdicts) == 1:
            verdicts = dict.fromkeys(verdicts, verdict)
        types = self.claims[claim].page
        elsewhere = Counter(status for t, status in types.items() if t != verdict["type"])
        alone = Counter(one and one["status"] for one in verdicts.values()) + elsewhere
        addresses = Counter(str(source["sha256"]) for source in verdict["sources"] if _is_read(source))
        for source in verdict["sources"]:
            own = verdicts.get(str(source["sha256"])) if _is_read(source) else None
            needed = None
            if own is not None and own["status"] == "none":
                # Of two addresses with one text, either can go and nothing is lost.
                shared = addresses[str(source["sha256"])] > 1
                of_address = self.addresses.get((claim, source["url"]))
                without = of_address.get("without") if of_address and len(types) == 1 else None
                rest = self.rests.get(
                    set_without(claim, verdict["type"], self.claims[claim].urls, source["url"])
                )
                needed = not shared and is_needed(
                    alone, self.claims[claim].whole, rest["status"] if rest else without
                )
            yield self._of_source(verdict, source, own, needed)

    def _of_source(
        self, verdict: VerdictRow, source: SourceRow, verdict_row: VerdictRow | None, needed: bool | None
    ) -> dict[str, Any]:
        """Return the verdict on a source. `verdict_row` is the verdict on its text; an unreadable source keeps its own status."""
        if verdict_row is not None:
            status: Status | None = verdict_row["status"]
        else:
            status = None if _is_read(source) else _STATUS.get(source["status"], "empty")
        unread = status is not None and verdict_row is None
        is_source = status not in UNREADABLE or self._is_source(source["url"], verdict["type"])
        if not is_source and not is_paged(verdict["type"]):
            status, needed = "none", False  # its keeper was asked, and has no such record
        reason = verdict["reason"] if unread and len(verdict["sources"]) == 1 else ""
        spans = verdict_row["spans"] if verdict_row else ()
        return {
            "url": source["url"],
            "type": verdict["type"],
            "status": status,
            "together": verdict["status"],
            "needed": needed,
            "is_source": is_source,
            "reason": verdict_row["reason"] if verdict_row else reason,
            "by": verdict_row.get("by") if verdict_row else "rule" if unread else None,
            "sha256": source["sha256"],
            "passages": tuple((start, end) for start, end in source["passages"]),
            "spans": tuple((one["start"], one["end"]) for one in spans if one["sha256"] == source["sha256"]),
        }

    def _without_set(self, claim: ClaimRow, url: str, failed: VerdictRow | None) -> dict[str, Any]:
        """Return the verdict on an address whose type has no verdict, or only a failed verdict."""
        own = self.addresses.get((claim["id"], url))
        verdict = own or failed
        types = claim.get("types") or [""]
        needed = None
        if own is not None and own["status"] == "none":
            others = [self.addresses.get((claim["id"], one)) for one in claim["urls"]]
            alone: Counter[Status | None]
            alone = Counter(one["status"] for one in others if one is not None and one["type"] == own["type"])
            needed = is_needed(alone, None)
        return {
            "url": url,
            "type": own["type"] if own else types[0] if len(types) == 1 else "",
            "status": verdict and verdict["status"],
            "together": failed and failed["status"],
            "needed": needed,
            "is_source": True,
            "reason": verdict["reason"] if verdict else "",
            "by": verdict.get("by") if verdict else None,
            "sha256": None,
        }

    def _is_source(self, url: str, source_type: str) -> bool:
        """Tell whether an unreadable address is a source of the report. Only a web address can be: one that a tool returned, or any in an imported report."""
        return is_paged(source_type) and (self.answer.imported or url in self._returned)

    @cached_property
    def _returned(self) -> set[str]:
        return {canonical_url(row["url"]) for row in self.answer.record.result.get("sources", ())}


def set_without(claim: str, source_type: str, urls: Sequence[str], url: str) -> str:
    """Name the set of a claim's sources without this address."""
    return f"{claim}-{source_type}.{urls.index(url) + 1}-without"


def _scope(claim: ClaimRow, scopes: dict[tuple[str, ...], str]) -> str:
    """Name the scope of a claim's citations. Several addresses below a group of statements belong to the group, because nobody can tell which is for which."""
    if not claim.get("section_level") or len(claim["urls"]) < 2:
        return claim["id"]
    return scopes.setdefault(tuple(claim["urls"]), claim["id"])


def _is_read(source: SourceRow) -> bool:
    """Tell whether any part of the source was shown."""
    return source["status"] == "ok" and bool(source["passages"])
