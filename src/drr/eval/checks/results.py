"""The result of a rule: a status, the facts that are wrong, and how they are stored. A rule never raises and asks no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypedDict

from drr.wording.currency import Currency

Status = Literal["pass", "fail", "remark", "unverifiable"]
"""`remark`: something is untidy, and nothing is wrong."""
Unknown = Literal[
    "absent", "prose", "unrecorded", "shop", "user", "question", "calls", "given_up", "limit_not_understood"
]
"""Reason why a rule cannot decide, in one word. The report says nothing of the kind, or says it only in running text, which is not read;
the record lacks the fact; no shop, user, question or tool calls were given; or the rule is given up.
"""
Span = tuple[int, int]


class CheckRow(TypedDict):
    """The result of a rule as it is stored and printed."""

    status: Status
    value: Any
    spans: list[list[int]]
    evidence: list[str]


_RECORD = "; record: "


class Accusation(NamedTuple):
    """One fact that is wrong."""

    span: Span
    fault: str
    """Words of the report, or the fault in them."""
    record: str | None = None
    """Value that the record has instead; `None` where no record does."""

    @property
    def why(self) -> str:
        """Return the words that are stored and shown."""
        return f"{self.fault}{_RECORD}{self.record}" if self.record is not None else self.fault

    def in_currency(self, currency: Currency) -> Accusation:
        record = self.record and currency.from_dollars(self.record)
        return self._replace(fault=currency.from_dollars(self.fault), record=record)

    @classmethod
    def stored(cls, span: Sequence[int], why: str) -> Accusation:
        """Return the accusation of a stored verdict, which keeps one text of it."""
        fault, *record = why.split(_RECORD, 1)
        return cls((span[0], span[1]), fault, *record)


@dataclass(frozen=True)
class Check:
    """The result of one rule. `unverifiable` never counts as a pass, and `remark` never as a failure."""

    status: Status
    value: Any = None
    findings: tuple[Accusation, ...] = ()
    remarks: tuple[str, ...] = ()
    decided: frozenset[Span] = frozenset()
    """Places in the report that the rule found right or wrong."""

    def as_written(self, stood: Sequence[Span], numbers: Mapping[str, str]) -> Check:
        """Return the result with its places and numbers as the report has them. `stood` tells where each character was."""
        findings = tuple(
            one._replace(span=place_as_written(one.span, stood), fault=_with_numbers(one.fault, numbers))
            for one in self.findings
        )
        return replace(
            self, findings=findings, decided=frozenset(place_as_written(one, stood) for one in self.decided)
        )

    def in_currency(self, currency: Currency) -> Check:
        """Return the result of a report that was read as dollars, with its amounts in the shop's currency."""
        findings = tuple(one.in_currency(currency) for one in self.findings)
        is_cost = isinstance(self.value, Mapping) and "total" in self.value
        return replace(
            self, findings=findings, value={**self.value, **currency.fields} if is_cost else self.value
        )

    def document(self) -> CheckRow:
        return {
            "status": self.status,
            "value": self.value,
            "spans": [list(one.span) for one in self.findings],
            "evidence": [*(one.why for one in self.findings), *self.remarks],
        }


def _with_numbers(fault: str, numbers: Mapping[str, str]) -> str:
    for order_id, number in numbers.items():
        fault = fault.replace(order_id, number)
    return fault


def place_as_written(span: Span, stood: Sequence[Span]) -> Span:
    start, end = span
    return stood[start][0], stood[end - 1][1] if start < end else stood[start][0]


def unverifiable(why: Unknown) -> Check:
    """Return the result of a rule that cannot decide, with the reason in one word."""
    return Check("unverifiable", remarks=(why,))


@dataclass
class Tally:
    """Collects the facts that a rule finds; one wrong fact makes the rule fail."""

    passed: int = 0
    unknown: int = 0
    """Number of facts that the record lacks."""
    findings: dict[Span, Accusation] = field(default_factory=dict)
    decided: set[Span] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    """Beginnings of the places that were compared, whatever came of it."""

    def ok(self, place: Span | None = None) -> None:
        self.passed += 1
        if place is not None:
            self.decided.add(place)

    def count_unknown(self) -> None:
        self.unknown += 1

    def fail(self, span: Span, fault: str, place: Span | None = None, record: str | None = None) -> None:
        """Enter a wrong fact; each place counts once. `place` is that of the fact, where `span` is a whole sentence."""
        self.findings.setdefault(span, Accusation(span, fault, record))
        self.decided.add(place or span)

    def compare(self, span: Span, holds: bool | None, fault: str, record: str | None = None) -> None:
        """Enter a fact that holds, does not hold (`fault` gives the reason), or is not in the record (`None`)."""
        self.read.add(span[0])
        if holds is None:
            self.count_unknown()
        elif holds:
            self.ok(span)
        else:
            self.fail(span, fault, record=record)

    def check(self, nothing: Unknown = "absent", *, found: Status = "fail", **value: Any) -> Check:
        """Return the result of all facts: `found` where some are wrong; `nothing` is the reason where there are none."""
        counts = {
            "checked": self.passed + len(self.findings),
            "failed": len(self.findings),
            "unverifiable": self.unknown,
            **value,
        }
        findings = tuple(self.findings[span] for span in sorted(self.findings))
        # No fact, no pass: else a report that says nothing to check would be praised.
        status: Status = found if findings else "pass" if self.passed else "unverifiable"
        remarks = ("unrecorded" if self.unknown else nothing,) if status == "unverifiable" else ()
        return Check(status, counts, findings, remarks, frozenset(self.decided))
