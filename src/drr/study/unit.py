"""A unit of work, the result that a work function returns for it, and the record that is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from drr.llm.meter import UsageRow, dollars

Kind = Literal["answer", "generation", "judgement"]
KINDS: tuple[Kind, ...] = ("answer", "generation", "judgement")
Status = Literal["done", "failed", "over_budget"]
WAY = "way:"
"""The prefix of saved texts from which a stopped unit continues. They are of no use once the unit is done."""

OF_ANSWERS = ("answer", "first", "second")
"""Fields of a judgement's spec that hold the keys of the judged answers."""
LEFT_OUT = "left_out"
"""The reason why a done judgement is open again: the judge had not answered a part of the request."""


def canonical_json(value: Any) -> str:
    """Return the one JSON text for equal values: sorted keys, no spaces, no NaN. A value without an exact text is an error."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # half a character stays a JSON escape


@dataclass(frozen=True)
class Unit:
    """A unit of work. `key_fields` is all data that decides the result; `spec` is the data that the work function needs.

    Both fields are plain data, so that a worker in any process can run the unit.
    """

    kind: Kind
    key_fields: Mapping[str, Any]
    spec: Mapping[str, Any]
    label: str
    """A name for readers, e.g. `q-1a2b · react+ws · 0`."""

    @cached_property
    def key(self) -> str:
        # Without label and spec: both may change while the result stays, and what was paid for is kept.
        text = canonical_json({"kind": self.kind, **self.key_fields})
        return sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a finished unit: a JSON result, and texts by name (report, transcript, evidence) kept as blobs.

    Times belong into `result` under the keys `seconds`, `started_at`, `finished_at` and nowhere else:
    the canonical export leaves out exactly these keys.
    """

    result: Mapping[str, Any]
    blobs: Mapping[str, str | bytes] = field(default_factory=dict)


class UnitFailure(Exception):
    """An error of a work function with a known cause. `status` counts units by `kind`; the outcome so far is kept."""

    def __init__(
        self, kind: str, message: str, *, transient: bool = False, outcome: Outcome | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.transient = transient
        self.outcome = outcome


@dataclass(frozen=True)
class Assignment:
    """A unit as it is handed to a worker."""

    unit: Unit
    retried: bool = False
    """True where the unit failed before and its record is still there."""
    saved: Mapping[str, bytes] = field(default_factory=dict)
    """Progress saved before the unit was stopped, by name."""
    failed_for_good: bool = False
    """True where the unit failed for a reason that does not pass by itself."""
    left_out: bool = False
    """True where the unit was done with a part of its request unanswered. The earlier answers are not used again."""


@dataclass(frozen=True)
class SavedText:
    """A text of a running unit that must outlive its process. It is plain data without secrets."""

    key: str
    name: str
    text: bytes


@dataclass(frozen=True, kw_only=True)
class EndedUnit:
    """The end of a unit, as a worker reports it and as the ledger keeps it. Its times never enter a key."""

    key: str
    status: Status
    reason: str | None
    """The kind of failure; `None` for a done unit."""
    message: str | None
    transient: bool
    result: Mapping[str, Any]
    usage: Mapping[str, UsageRow]
    """The usage of models by role."""
    cost: int | None
    """The cost in whole picodollars, so that sums are exact; `None` if unknown."""
    seconds: float
    started_at: float
    finished_at: float


@dataclass(frozen=True, kw_only=True)
class FinishedUnit(EndedUnit):
    """A worker's report on a unit that ended. It is plain data without secrets, and not yet stored."""

    texts: Mapping[str, bytes]
    """Texts to store as blobs, by name."""
    fatal: bool = False
    """True where every other unit would fail for the same reason."""

    @classmethod
    def lost(cls, key: str, how: str) -> FinishedUnit:
        """Make the report on a unit whose worker died before it could report."""
        now = time.time()
        return cls(
            key=key, status="failed", reason="worker_lost", message=how, transient=True, result={}, texts={},
            usage={}, cost=None, seconds=0.0, started_at=now, finished_at=now,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Record(EndedUnit):
    """The ledger's record of a unit that ended."""

    kind: Kind
    label: str
    key_fields: Mapping[str, Any]
    spec: Mapping[str, Any]
    attempts: int
    blobs: Mapping[str, str]
    """Hashes of the unit's texts by name."""

    @property
    def cost_usd(self) -> float | None:
        """Return the cost in dollars; `None` if unknown."""
        return dollars(self.cost)

    @property
    def done(self) -> bool:
        return self.status == "done"

    @property
    def made_elsewhere(self) -> bool:
        """Tell whether the answer was imported from another system. The ledger then knows only the effort of the import."""
        return bool(self.key_fields.get("imported"))

    @property
    def making_seconds(self) -> float | None:
        """Return the seconds that the unit took; `None` if unknown."""
        return None if self.made_elsewhere else self.seconds

    @property
    def is_metered(self) -> bool:
        """Tell whether the usage is known. An answer without usage may come from an agent that called models of its own."""
        return bool(self.usage) or self.kind != "answer"

    @property
    def making_usd(self) -> float | None:
        """Return the cost in dollars of the unit's model calls; `None` if unknown."""
        return self.cost_usd if self.is_metered else None


def is_about(record: Record, answers: Collection[str]) -> bool:
    """Tell whether a judgement is about one of these answers."""
    return bool(answers) and any(record.spec.get(name) in answers for name in OF_ANSWERS)
