"""A task is a kind of judging. Its subject, what must be judged before it, and how it is planned, done and read.

One task is one file here and one line in the registry. Nothing else knows tasks by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Generic, Literal, TypeVar

from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import JUDGE, Desk, Wish
from drr.eval.tasks.judged import Judged, Judging
from drr.study.unit import Outcome, Record, Unit

About = Literal["query", "answer", "pair", "claim-source", "passage-pair"]
"""A query is there before any answer; claims and passages are those of one answer, and are planned with it."""
Pair = tuple[Answer, Answer]
Planned = TypeVar("Planned", Wish, Answer, Pair)


@dataclass(frozen=True)
class Estimate:
    """The estimate of one unit, at most one call as a rule."""

    characters: int
    """Sent."""
    output_tokens: int
    calls: int = 1


class Task(ABC, Generic[Planned]):
    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised by hand when its answers are read otherwise or its code decides otherwise; kept answers are then read again."""
    subject: ClassVar[About]
    needs: ClassVar[tuple[str, ...]] = ()
    """Tasks whose judgements must be there before it can be planned."""
    role: ClassVar[str] = JUDGE
    """Whose model is asked."""
    asks: ClassVar[bool] = True
    """Whether any judge is asked; without, code alone decides."""
    by_rules: ClassVar[bool] = True
    """Without, rules that stand in for a judge are not asked: what code finds is all that is known."""
    metrics: ClassVar[tuple[str, ...]] = ()
    """The families of metrics it feeds."""

    @abstractmethod
    def versions(self, desk: Desk) -> Mapping[str, str]:
        """Map the task's name, or its name and part (`rating/depth`), to the version of prompts and rules that a key and a judging have."""

    @abstractmethod
    def plan(self, desk: Desk, about: Planned, judged: Judged) -> Iterable[Unit]:
        """The units of one query, answer or pair; `judged` holds what the tasks it needs have found."""

    @abstractmethod
    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """One unit, from its spec."""

    @abstractmethod
    def read(self, record: Record, judged: Judged) -> None:
        """Enter what a unit that ended says, or that it failed."""

    def lacks(self, record: Record) -> bool:
        """Tell whether a done unit lacks a part of its answer: `--retry-failed` judges it again."""
        return False

    @abstractmethod
    def estimate(self, desk: Desk, unit: Unit) -> Estimate | None:
        """`None` where no model is asked."""

    def guess(self, desk: Desk, about: Planned, judged: Judged) -> None:
        """Enter, for a forecast, what this task may find, so that the tasks that need it can be planned."""
        return

    def part(self, fields: Mapping[str, Any]) -> str:
        """Name which of its `versions` a unit's key has."""
        return self.name

    def belongs(self, fields: Mapping[str, Any], judging: Judging) -> bool:
        """Tell whether a unit with such key fields is part of this judging."""
        return bool(
            fields["protocol"] == judging.protocol
            and fields["judge"] == judging.judge
            and fields["repeat"] == judging.repeat
            and fields["version"] == judging.versions.get(self.part(fields))
        )

    def counts(self, record: Record, judged: Judged) -> bool:
        """Tell whether what it needed still stands, now that the tasks before it are read."""
        return True

    def settle(self, judged: Judged) -> None:
        """Settle after all of its units were read."""
        return

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None] | None:
        """Map label and item to what a second judging can be compared with; `None` where nothing can."""
        return None

    def unit(self, desk: Desk, label: str, fields: Mapping[str, Any], spec: Mapping[str, Any]) -> Unit:
        """A unit under this desk's judge, protocol, prompts and repetition."""
        own = {
            "task": self.name,
            "protocol": desk.protocol.name,
            "judge": desk.judge_of(self.role).shown,
            "schema": SCHEMA,
            "repeat": desk.repeat,
            **fields,
        }
        if self.name not in desk.versions:
            desk.versions[self.name] = self.versions(desk)
        own["version"] = desk.versions[self.name][self.part(own)]
        return Unit("judgement", own, {"task": self.name, **spec}, label)


def text_id(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
