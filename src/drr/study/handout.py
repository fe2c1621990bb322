"""Chooses the units to begin next: first those that were stopped before, then the others in the requested order. The last ones may go longest first."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence

from drr.study.admission import Admission, CostGroup
from drr.study.ledger import Ledger
from drr.study.unit import Assignment, Unit

_ROUNDS = 2
"""The number of rounds of units, at full capacity, that count as the last ones.

By then most groups have known durations. Before that, the requested order is kept, so that a run cut short holds whole questions.
"""


class Handout:
    """Hands out units while fewer than `size` are running, fewer than `limit` have begun, and the budget allows it."""

    def __init__(
        self,
        ledger: Ledger,
        units: Sequence[Unit],
        holder: str,
        admission: Admission,
        *,
        size: int,
        limit: int | None = None,
        longest_first: bool = False,
    ) -> None:
        self.in_flight = self._begun = 0
        self.unaffordable: str | None = None
        """The reason why the waiting units cannot begin: each would cost more than the rest of the budget."""
        self._ledger, self._holder, self._admission = ledger, holder, admission
        self._size, self._limit = size, limit
        self._longest_first = longest_first
        """True while the last units are still to be ordered by their expected duration."""
        self._units = {unit.key: unit for unit in units}
        # Stopped units come first: their saved answers are paid for and used again.
        self._stopped_before = stopped = ledger.saved.under_way(self._units)
        self.waiting = deque(sorted(self._units, key=lambda key: key not in stopped))
        self._stopped = False
        self._changed = asyncio.Event()

    def order_last_units(self) -> None:
        """Order the last units once: first the units that were stopped before, then the longest.

        The expected duration is the mean of the finished units of the same variant or task of judging. A long unit that begins late would end alone. An unknown one may be long, so it counts as the longest.
        """
        if not self._longest_first or len(self.waiting) > _ROUNDS * self._size:
            return
        groups = {key: CostGroup.of(self._units[key]) for key in self.waiting}
        seconds = {
            CostGroup(kind, name): mean
            for kind in {group.kind for group in groups.values()}
            for name, mean in self._ledger.records.mean_seconds(kind)
        }
        if seconds:
            self._longest_first, longest = False, max(seconds.values())
            before = self._stopped_before
            order = {key: (key not in before, -seconds.get(group, longest)) for key, group in groups.items()}
            self.waiting = deque(sorted(self.waiting, key=order.__getitem__))

    @property
    def limit_reached(self) -> bool:
        return self._limit is not None and self._begun >= self._limit

    def stop(self) -> None:
        """Hand out no more units."""
        self._stopped = True
        self._changed.set()

    def ended(self) -> None:
        """Count a unit whose record is on disk as no longer running."""
        self.in_flight -= 1
        self._changed.set()

    async def assignments(self) -> AsyncIterator[Assignment]:
        while self.waiting and not (self._stopped or self.limit_reached):
            self.order_last_units()
            if (room := self._room()) and (chosen := self._admission.choose(self.waiting, room)):
                for key in chosen:
                    self.waiting.remove(key)
                self._ledger.under_way.begin(self._holder, chosen)
                for assignment in self._ledger.assignments(chosen):
                    # The run may have been stopped while a worker took the unit before this one.
                    if self._stopped:
                        return
                    self._admission.begun(assignment.unit.key)
                    self.in_flight += 1
                    self._begun += 1
                    yield assignment
            elif self.in_flight:
                self._changed.clear()
                await self._changed.wait()
            else:
                self.unaffordable = self._admission.refusal(self.waiting)
                return

    def _room(self) -> int:
        room = max(0, self._size - self.in_flight)
        return room if self._limit is None else min(room, self._limit - self._begun)
