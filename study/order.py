"""The order of a run's last units. Those that are expected to take longest first, so that none is waited for alone.

Until then the order is the one asked for, by which a study that stops early has compared like with like.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from drr.study.admission import CostGroup
from drr.study.ledger import Ledger
from drr.study.unit import Unit

_ROUNDS = 2
"""Of as many units as are in flight at once: so many are the last ones."""


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
