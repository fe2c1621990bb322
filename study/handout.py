"""The choice of the unit to begin next: first what was stopped under way, then the order asked for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence

from drr.study.admission import Admission, CostGroup
from drr.study.ledger import Ledger
from drr.study.unit import Assignment, Unit

_ROUNDS = 2
"""Rounds of as many units as are in flight at once: these are the last ones."""


class LongestFirst:
    """An order by the mean of the finished units of the same variant, or of the same task of judging. Unknown is taken to be long."""

    def __init__(self, ledger: Ledger, units: Sequence[Unit], size: int) -> None:
        self._ledger = ledger
        self._groups = {unit.key: CostGroup.of(unit) for unit in units}
        self._last = _ROUNDS * size
        self._done = False

    def settle(self, waiting: deque[str], begun: set[str]) -> None:
        """Once, when no more are left than the last ones; those that were stopped under way stay in front."""
        if self._done or len(waiting) > self._last:
            return
        seconds = {
            CostGroup(kind, name): mean
            for kind in {group.kind for group in self._groups.values()}
            for name, mean in self._ledger.records.mean_seconds(kind)
        }
        if not seconds:
            return
        self._done = True
        longest = max(seconds.values())
        order = sorted(waiting, key=lambda key: (key not in begun, -seconds.get(self._groups[key], longest)))
        waiting.clear()
        waiting.extend(order)


class Handout:
    """A handout of units while there is room for `size` in flight, `limit` in all, and money."""

    def __init__(
        self,
        ledger: Ledger,
        keys: Sequence[str],
        holder: str,
        admission: Admission,
        *,
        size: Callable[[], int],
        limit: int | None = None,
        order: LongestFirst | None = None,
    ) -> None:
        self.in_flight = 0
        self.unaffordable: str | None = None
        """Why nothing more is given though there is more: each would cost more than is left."""
        self._ledger = ledger
        self._holder = holder
        self._admission = admission
        self._size = size
        self._limit = limit
        self._begun = 0
        self._order = order
        self._stopped_before = stopped = ledger.saved.under_way(keys)
        self._waiting = deque(sorted(keys, key=lambda key: key not in stopped))
        self._stopped = False
        self._changed = asyncio.Event()

    @property
    def limit_reached(self) -> bool:
        return self._limit is not None and self._begun >= self._limit

    def stop(self) -> None:
        """Give nothing more."""
        self._stopped = True
        self._changed.set()

    def ended(self) -> None:
        """One that was given is on disk."""
        self.in_flight -= 1
        self._changed.set()

    async def assignments(self) -> AsyncIterator[Assignment]:
        while self._waiting and not (self._stopped or self.limit_reached):
            if self._order is not None:
                self._order.settle(self._waiting, self._stopped_before)
            if (room := self._room()) and (chosen := self._admission.choose(self._waiting, room)):
                for key in chosen:
                    self._waiting.remove(key)
                self._ledger.under_way.begin(self._holder, chosen)
                for assignment in self._ledger.assignments(chosen):
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
                self.unaffordable = self._admission.refusal(self._waiting)
                return

    def _room(self) -> int:
        room = max(0, self._size() - self.in_flight)
        return room if self._limit is None else min(room, self._limit - self._begun)
