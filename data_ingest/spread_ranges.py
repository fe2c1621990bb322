"""Users and orders of an ingest by many: rows meet by ranges of user ids, and ids that occur twice are settled over all ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

from drr.data_ingest.orders import ClashingRow, candidates, redrawn
from drr.data_ingest.spread_bench import Clashes, RangeMet
from drr.data_ingest.spread_plan import SpreadPlan
from drr.env.jobs import GivenJob, JobPart, Jobs, SharedWord
from drr.env.progress import Progress, Quiet

_DRAWS = (4, 64, 4096)
"""How many ids a row that lost its own may draw before all are asked again whether they are free."""


class UserRanges:
    """`parts`: of a range, what each category left of it."""

    def __init__(
        self, plan: SpreadPlan, jobs: Jobs, parts: Callable[[int], list[JobPart]], space: int
    ) -> None:
        self._plan, self._jobs, self._parts, self._space = plan, jobs, parts, space
        self._met: list[GivenJob] = []

    def meet(
        self, table: SharedWord, progress: Progress, tries: Mapping[str, int] | None = None
    ) -> list[RangeMet]:
        plan = self._plan
        self._met = [
            self._jobs.give(
                GivenJob(
                    "meet",
                    (table, tries or {}, *self._parts(number)),
                    plan.slices,
                    name=f"joining users, range {number + 1}",
                )
            )
            for number in range(plan.ranges)
        ]
        with progress.stage("joining", plan.ranges, "ranges of users") as stage:
            for _ in self._jobs.ended(self._met):
                stage.advance(1)
        return [self._jobs.answer(job) for job in self._met]

    def settle(self, table: SharedWord) -> tuple[dict[str, int], dict[int, dict[int, int]]]:
        """How often users drew their address again, and by range the rows that have another order id than their first."""
        tries: dict[str, int] = {}
        while True:
            clashes = self._clashes()
            users, rows = self._twins(table, tries, clashes)
            again = _later(users)
            if not again:
                return tries, self._redrawn(rows)
            for user in again:
                tries[user] = tries.get(user, 0) + 1
            self._meet_again(table, tries)

    def _meet_again(self, table: SharedWord, tries: Mapping[str, int]) -> None:
        self.meet(table, Quiet(), dict(tries))

    def _slice_parts(self, number: int) -> list[JobPart]:
        return [JobPart(job, number) for job in self._met]

    def _clashes(self) -> dict[int, Clashes]:
        """By range."""
        given = [
            self._jobs.give(GivenJob("clashes", tuple(self._slice_parts(number)), name="comparing ids"))
            for number in range(self._plan.slices)
        ]
        found: dict[int, Clashes] = {}
        for job in given:
            for number, more in self._jobs.answer(job).items():
                known = found.get(number, Clashes([], []))
                found[number] = Clashes(known.addresses + more.addresses, known.ids + more.ids)
        return found

    def _twins(
        self, table: SharedWord, tries: Mapping[str, int], clashes: Mapping[int, Clashes]
    ) -> tuple[dict[int, list[str]], dict[int, list[ClashingRow]]]:
        given = {
            number: self._jobs.give(
                GivenJob(
                    "twins",
                    (table, dict(tries), wanted, *self._parts(number)),
                    name="comparing equal ids",
                )
            )
            for number, wanted in sorted(clashes.items())
        }
        users: dict[int, list[str]] = {}
        rows: dict[int, list[ClashingRow]] = {}
        for number, job in given.items():
            people, rows[number] = self._jobs.answer(job)
            for one in people:
                users.setdefault(one.address, []).append(one.user_id)
        return users, rows

    def _redrawn(self, rows: Mapping[int, list[ClashingRow]]) -> dict[int, dict[int, int]]:
        """Rows are numbered through for this, in the order of their ranges."""
        places = [(number, one.row) for number in sorted(rows) for one in rows[number]]
        through = [one for number in sorted(rows) for one in rows[number]]
        through = [one._replace(row=at) for at, one in enumerate(through)]
        found: dict[int, dict[int, int]] = {}
        for at, given in self._drawn(through).items():
            number, row = places[at]
            found.setdefault(number, {})[row] = given
        return found

    def _drawn(self, rows: list[ClashingRow]) -> dict[int, int]:
        for draws in _DRAWS if rows else ():
            asked = {n for one in rows for n in islice(candidates(one.base, self._space), draws)}
            held = self._held(asked)
            free = {number: number in held for number in asked}
            try:
                return redrawn(rows, free.__getitem__, space=self._space)
            except KeyError:
                continue  # more draws were needed than were asked for
        if rows:
            raise AssertionError("no free order id")
        return {}

    def _held(self, asked: set[int]) -> set[int]:
        slices = self._plan.slices
        given = [
            self._jobs.give(
                GivenJob(
                    "held",
                    (sorted(n for n in asked if n % slices == number), *self._slice_parts(number)),
                    name="drawing other ids",
                )
            )
            for number in range(slices)
        ]
        return {number for job in given for number in self._jobs.answer(job)}


def _later(users: Mapping[int, list[str]]) -> list[str]:
    """Of those with one address all but the first, who keeps it."""
    return [text for same in users.values() for text in sorted(same)[1:]]
