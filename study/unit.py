"""A unit of work, what its work function hands back, and the record that stays."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from drr.llm.meter import UsageRow

Kind = Literal["answer", "generation", "judgement"]
KINDS: tuple[Kind, ...] = ("answer", "generation", "judgement")
Status = Literal["done", "failed", "over_budget"]
WAY = "way:"
"""Names of saved texts that lead a stopped unit back to where it was start so; of no use once it is done."""

OF_ANSWERS = ("answer", "first", "second")
"""Fields of a judgement's spec that name the answers it is about."""
LEFT_OUT = "left_out"
"""Why a judgement that was done stands open again: the judge had left out a part of what it was asked."""


def canonical_json(value: Any) -> str:
    """One text for equal values: sorted keys, no spaces, no NaN. What it cannot say exactly it refuses."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # half a character stays a JSON escape


@dataclass(frozen=True)
class Unit:
    """`key_fields` is everything that decides the result; `spec` is what the work function needs.

    Both are plain data, so that a worker in any process can be handed a unit.
    """

    kind: Kind
    key_fields: Mapping[str, Any]
    spec: Mapping[str, Any]
    label: str
    """Name for people, e.g. `q-1a2b · react+ws · 0`."""

    @cached_property
    def key(self) -> str:
        text = canonical_json({"kind": self.kind, **self.key_fields})
        return sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a finished unit: a JSON result, and texts by name (report, transcript, evidence) kept as blobs.

    Facts of the wall clock belong into `result` under the keys `seconds`, `started_at`, `finished_at` and nowhere else:
    the canonical export leaves exactly these out.
    """

    result: Mapping[str, Any]
    blobs: Mapping[str, str | bytes] = field(default_factory=dict)


class UnitFailure(Exception):
    """Raised by work that failed in a way it can name. `kind` is counted by `status`; what was gathered is kept."""

    def __init__(
        self, kind: str, message: str, *, transient: bool = False, outcome: Outcome | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.transient = transient
        self.outcome = outcome


@dataclass(frozen=True)
class Assignment:
    """A unit as a worker is handed it."""

    unit: Unit
    retried: bool = False
    """It failed before, and its record is still there."""
    saved: Mapping[str, bytes] = field(default_factory=dict)
    """Work saved when it was stopped, by name."""
    failed_for_good: bool = False
    """Its failure was none that passes by itself."""
    left_out: bool = False
    """It was done, but without all that was asked: what was answered then is not read again."""


@dataclass(frozen=True)
class Saved:
    """A text that a unit under way has got, and that must outlive its process. Plain data, without a secret of the worker's."""

    key: str
    name: str
    text: bytes


@dataclass(frozen=True)
class Finished:
    """A worker's report of a unit that ended. Plain data; holds no secret of the worker's, and nothing is kept yet."""

    key: str
    status: Status
    reason: str | None
    """The kind of failure; `None` when done."""
    message: str | None
    transient: bool
    result: Mapping[str, Any]
    texts: Mapping[str, bytes]
    """Texts to keep as blobs, by name."""
    usage: Mapping[str, UsageRow]
    """Keyed by role."""
    cost: int | None
    """Picodollars; `None` is unknown."""
    seconds: float
    started_at: float
    finished_at: float
    fatal: bool = False
    """Every other unit would fail the same way."""

    @classmethod
    def lost(cls, key: str, how: str) -> Finished:
        """Report a unit whose workers died, so that nobody else can."""
        now = time.time()
        return cls(key, "failed", "worker_lost", how, True, {}, {}, {}, None, 0.0, now, now)


@dataclass(frozen=True)
class Record:
    """The ledger's record of a unit that ended. Times are recorded and never enter a key."""

    key: str
    kind: Kind
    label: str
    key_fields: Mapping[str, Any]
    spec: Mapping[str, Any]
    status: Status
    reason: str | None
    """The kind of failure; `None` when done."""
    message: str | None
    transient: bool
    attempts: int
    result: Mapping[str, Any]
    blobs: Mapping[str, str]
    """Name to content hash."""
    usage: Mapping[str, UsageRow]
    """Keyed by role."""
    cost_usd: float | None
    """`None` is unknown."""
    seconds: float
    started_at: float
    finished_at: float

    @property
    def done(self) -> bool:
        return self.status == "done"

    @property
    def made_elsewhere(self) -> bool:
        """An answer that another system gave: the ledger knows only what taking it in took."""
        return bool(self.key_fields.get("imported"))

    @property
    def making_seconds(self) -> float | None:
        """Return the seconds that it took to make; `None` is unknown."""
        return None if self.made_elsewhere else self.seconds

    @property
    def is_metered(self) -> bool:
        """Tell whether its usage is known: an answer that asked no model of ours may have asked its own."""
        return bool(self.usage) or self.kind != "answer"

    @property
    def making_usd(self) -> float | None:
        """Return its cost, as far as calls of models report theirs; `None` is unknown."""
        return self.cost_usd if self.is_metered else None


def is_about(record: Record, answers: Collection[str]) -> bool:
    """Tell whether a judgement is about one of these answers."""
    return bool(answers) and any(record.spec.get(name) in answers for name in OF_ANSWERS)
