"""The choice of the unit to begin next. What was stopped under way, what is missing in the order asked for, then what others gave up."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence

from drr.env.progress import Stage
from drr.study.admission import Admission, CostGroup
from drr.study.leases import Moment
from drr.study.ledger import Ledger
from drr.study.unit import Assignment, ClaimTerms, Unit

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
    """A handout that claims units while there is room for `size` in flight, `limit` in all, and money."""

    def __init__(
        self,
        ledger: Ledger,
        keys: Sequence[str],
        terms: ClaimTerms,
        admission: Admission,
        stage: Stage,
        *,
        size: Callable[[], int],
        limit: int | None = None,
        order: LongestFirst | None = None,
    ) -> None:
        self.in_flight = 0
        self.unaffordable: str | None = None
        """Why nothing more is given though there is more: each would cost more than is left."""
        self._ledger = ledger
        self._terms = terms
        self._admission = admission
        self._stage = stage
        self._size = size
        self._limit = limit
        self._begun = 0
        self._order = order
        self._under_way = begun = set(ledger.saved.under_way(keys))
        self._waiting = deque(sorted(keys, key=lambda key: key not in begun))
        self._held: list[str] = []
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
        while not self._over:
            if self._order is not None:
                self._order.settle(self._waiting, self._under_way)
            if (room := self._room()) and (asked := self._admission.choose(self._waiting, room)):
                claimed = self._claim(asked)
                for key, assignment in zip(claimed, self._ledger.assignments(claimed), strict=True):
                    if self._stopped:
                        return
                    self._admission.begun(key)
                    self.in_flight += 1
                    self._begun += 1
                    yield assignment
            elif self.in_flight:
                await self._change()
            elif elsewhere := len(self._held) or len(self._admission.elsewhere()):
                self._stage.note(f"waiting for {elsewhere} units of another process")
                await self._change(self._terms.poll_s)
                self._look_again()
            else:
                self._admission.look_again()
                if not self._admission.choose(self._waiting, 1):
                    self.unaffordable = self._admission.refusal(self._waiting)
                    return

    @property
    def _over(self) -> bool:
        return self._stopped or self.limit_reached or not (self._waiting or self._held)

    def _room(self) -> int:
        room = max(0, self._size() - self.in_flight)
        return room if self._limit is None else min(room, self._limit - self._begun)

    async def _change(self, seconds: float | None = None) -> None:
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    def _claim(self, asked: Sequence[str]) -> list[str]:
        for key in asked:
            self._waiting.remove(key)
        terms = self._terms
        claimed = self._ledger.leases.claim(
            terms.holder,
            asked,
            now=Moment(terms.wall(), terms.steady()),
            seconds=terms.lease_s,
            retry_failed=terms.retry_failed,
        )
        self._held += claimed.leased
        settled = len(asked) - len(claimed.taken) - len(claimed.leased)
        if settled:
            self._stage.advance(settled)
        return claimed.taken

    def _look_again(self) -> None:
        """Units that another process ended are done with; those whose holder died are taken over."""
        now, seconds = Moment(self._terms.wall(), self._terms.steady()), self._terms.lease_s
        self._ledger.leases.free(self._terms.holder, now, seconds)
        ended = self._ledger.units.ended_among(self._held)
        running = self._ledger.leases.running(now, seconds)
        self._stage.advance(len(ended))
        left = [key for key in self._held if key not in ended]
        self._waiting.extend(key for key in left if key not in running)
        self._held = [key for key in left if key in running]
        self._admission.look_again()
