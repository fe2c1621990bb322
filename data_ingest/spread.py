"""An ingest shared by workers. They read categories and store pieces; this driver joins and hashes.

What comes out is what one process makes, to the byte. Three things need all files at once and are settled here without holding
all rows: a product belongs to the first category that keeps it; users and orders are cut into ranges of user ids, so that each
range is sorted by itself; order ids and e-mail addresses that occur twice are looked for slice by slice of their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from drr.data_ingest.ingest import (
    GatheredFiles,
    check_chosen,
    check_orders,
    in_text_order,
    manifest_of,
    verify,
)
from drr.data_ingest.ingest import Job as IngestJob
from drr.data_ingest.orders import ID_SPACE, ClashingRow, candidates, redrawn
from drr.data_ingest.packing import I64, Ids
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.spread_bench import CategoryRead, Clashes, ItemCodes, ItemTable, RangeMet
from drr.data_ingest.spread_plan import SpreadPlan
from drr.env.copy import PiecesSink
from drr.env.jobs import GivenJob, JobPart, Jobs, SharedWord
from drr.env.progress import Progress, Quiet
from drr.env.shop import Manifest

_DRAWS = (4, 64, 4096)
"""Draws of a row that lost its own id before all are asked again whether they are free."""


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
                    (table, dict(tries or {}), *self._parts(number)),
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
        """Settle how often users drew their address again. Also by range the rows with another order id than their first."""
        tries: dict[str, int] = {}
        while True:
            users, rows = self._twins(table, tries)
            # Of those with one address all but the first draw again.
            again = [text for same in users.values() for text in sorted(same)[1:]]
            if not again:
                return tries, self._redrawn(rows)
            for user in again:
                tries[user] = tries.get(user, 0) + 1
            self.meet(table, Quiet(), tries)

    def _asked(self, method: str, words: Mapping[int, Iterable[Any]], name: str) -> dict[int, Any]:
        """Ask for one job for each number; all are given before the first is waited for."""
        given = {n: self._jobs.give(GivenJob(method, tuple(own), name=name)) for n, own in words.items()}
        return {number: self._jobs.answer(job) for number, job in given.items()}

    def _slice(self, number: int) -> list[JobPart]:
        return [JobPart(job, number) for job in self._met]

    def _twins(
        self, table: SharedWord, tries: Mapping[str, int]
    ) -> tuple[dict[int, list[str]], dict[int, list[ClashingRow]]]:
        """Find the users of each address that occurs twice, and by range the rows of such order ids."""
        slices = {number: self._slice(number) for number in range(self._plan.slices)}
        clashes: dict[int, Clashes] = {}
        for found in self._asked("clashes", slices, "comparing ids").values():
            for number, more in found.items():
                known = clashes.get(number, Clashes([], []))
                clashes[number] = Clashes(known.addresses + more.addresses, known.ids + more.ids)
        words = {
            number: (table, dict(tries), wanted, *self._parts(number))
            for number, wanted in sorted(clashes.items())
        }
        users: dict[int, list[str]] = {}
        rows: dict[int, list[ClashingRow]] = {}
        for number, (people, own) in self._asked("twins", words, "comparing equal ids").items():
            rows[number] = own
            for one in people:
                users.setdefault(one.address, []).append(one.user_id)
        return users, rows

    def _redrawn(self, rows: Mapping[int, list[ClashingRow]]) -> dict[int, dict[int, int]]:
        """Rows are numbered through for this, in the order of their ranges."""
        places = [(number, one) for number in sorted(rows) for one in rows[number]]
        through = [one._replace(row=at) for at, (_, one) in enumerate(places)]
        found: dict[int, dict[int, int]] = {}
        for at, given in self._drawn(through).items():
            number, one = places[at]
            found.setdefault(number, {})[one.row] = given
        return found

    def _drawn(self, rows: list[ClashingRow]) -> dict[int, int]:
        slices = self._plan.slices
        for draws in _DRAWS if rows else ():
            asked = {n for one in rows for n in islice(candidates(one.base, self._space), draws)}
            words = {
                number: (sorted(n for n in asked if n % slices == number), *self._slice(number))
                for number in range(slices)
            }
            there = {n for ids in self._asked("taken", words, "drawing other ids").values() for n in ids}
            free = {number: number in there for number in asked}
            try:
                return redrawn(rows, free.__getitem__, space=self._space)
            except KeyError:
                continue  # more draws were needed than were asked for
        if rows:
            raise AssertionError("no free order id")
        return {}


class CategoryReads:
    """`begin` once; then each category is `settled`, in their order."""

    def __init__(self, plan: SpreadPlan, jobs: Jobs) -> None:
        self._plan, self._jobs = plan, jobs
        self._reads: list[GivenJob] = []
        """The reading of each category."""
        self._spans: list[list[GivenJob]] = []
        """Jobs that read files for each category; none where it reads them itself."""

    def begin(self, progress: Progress) -> None:
        shares: dict[GivenJob, int] = {}
        """Bytes that each job reads."""
        for number, sizes in enumerate(self._plan.sizes):
            spanned = self._give_spans(number)
            self._spans.append(list(spanned))
            self._reads.append(self._jobs.give(self._read(number, None)))
            shares |= {**spanned, self._reads[-1]: sum(sizes) - sum(spanned.values())}
        done = 0
        with progress.stage("reading", sum(shares.values()), "bytes") as stage:
            for job in self._jobs.ended(list(shares)):
                rows = 0
                if job in self._reads:
                    done += 1
                    stage.note(f"{done} of {len(self._reads)} categories")
                    read: CategoryRead = self._jobs.answer(job)
                    rows = int(read.rows["reviews"] + read.rows["metadata"])
                stage.advance(shares[job], rows)

    def _give_spans(self, number: int) -> dict[GivenJob, int]:
        """List the spans in their order of distribution, with the bytes that each reads for the others."""
        given: dict[GivenJob, int] = {}
        category = self._plan.pairs[number].category
        for kind, spans in enumerate(self._plan.spans[number]):
            if spans:
                given[GivenJob("hash_file", (number, kind), 1, name=f"hashing {category}")] = 0
            for place, span in enumerate(spans):
                name = f"reading {category}, span {place + 1}"
                given[GivenJob("read_span", (number, kind, place), 1, name=name)] = span.end - span.first
        for job in given:
            self._jobs.give(job)
        return given

    def _read(self, number: int, taken: ItemCodes | None) -> GivenJob:
        parts = 1 + self._plan.parts[number] + self._plan.ranges
        words = (number, taken, *(JobPart(job, 0) for job in self._spans[number]))
        return GivenJob("gather", words, parts, name=f"reading {self._plan.pairs[number].category}")

    def settled(self, number: int, kept: list[I64], ids: Ids) -> CategoryRead:
        """Settle a category without products that earlier ones `kept`. Joined or read once more where it met some, which is rare."""
        read: CategoryRead = self._jobs.answer(self._reads[number])
        if number:
            every: ItemCodes = self._jobs.part(JobPart(self._reads[number], 0))
            before = np.concatenate(kept)
            if np.isin(ids.adopted_items(*every), before).any():
                self._jobs.drop(self._reads[number])
                taken = ItemCodes(before, ids.odd_items(before))
                self._reads[number] = self._jobs.give(self._read(number, taken))
                read = self._jobs.answer(self._reads[number])
        for job in self._spans[number]:
            self._jobs.drop(job)
        return read

    def product_lines(self, number: int, part: int) -> JobPart:
        return JobPart(self._reads[number], 1 + part)

    def of_range(self, number: int) -> list[JobPart]:
        """List for a range of users what each category left of it."""
        return [
            JobPart(read, 1 + count + number)
            for read, count in zip(self._reads, self._plan.parts, strict=True)
        ]


_AHEAD = 64
"""Jobs that are given before what the first of them left is asked for: what waits for its turn to be hashed is bounded."""


class SpreadIngest:
    """One ingest; `run` once."""

    def __init__(
        self, job: IngestJob, plan: SpreadPlan, jobs: Jobs, sink: PiecesSink, *, space: int = ID_SPACE
    ) -> None:
        self._job, self._plan, self._jobs, self._sink, self._space = job, plan, jobs, sink, space
        self._gathered = GatheredFiles()
        self._reads = CategoryReads(plan, jobs)
        self._kept: list[I64] = []
        """Each category's kept products in the order of its interactions, as codes of this driver's table."""
        self._firsts: list[list[int]] = []

    def run(self, progress: Progress) -> Manifest:
        job = self._job
        with Quarantine(job.quarantine, job.recipe.max_bad) as quarantine:
            self._gather(quarantine, progress)
            gathered = self._gathered
            codes = in_text_order(np.concatenate(self._kept), gathered.ids)
            check_chosen(job.recipe, len(codes), gathered.rows["metadata"])
            table = self._table(codes)
            ranges = UserRanges(self._plan, self._jobs, self._reads.of_range, self._space)
            met = ranges.meet(table, progress)
            orders = sum(one.orders for one in met)
            check_orders(len(codes), orders)
            tries, other_ids = ranges.settle(table)
            self._products(codes, progress)
            gathered.rows["products"] = len(codes)
            newest = max(one.newest for one in met)
            users = self._orders(table, met, tries, other_ids, newest, progress)
            gathered.rows["orders"] = orders
            gathered.notes["emails_drawn_again"] += len(tries)
            self._sink.hashed.add_moment(newest)
            verify(gathered.rows)
            quarantine.flush()
            return self._sink.publish(manifest_of(job, gathered, quarantine.counts, newest, users))

    def _gather(self, quarantine: Quarantine, progress: Progress) -> None:
        self._reads.begin(progress)
        for number in range(len(self._plan.pairs)):
            read = self._reads.settled(number, self._kept, self._gathered.ids)
            self._adopt(number, read, quarantine)

    def _adopt(self, number: int, read: CategoryRead, quarantine: Quarantine) -> None:
        gathered, pair = self._gathered, self._plan.pairs[number]
        quarantine.add(read.bad_lines, read.bad)
        quarantine.take(pair.reviews.name, read.rows["quarantined"], read.rows["reviews"])
        quarantine.take(pair.meta.name, read.rows["metadata_quarantined"], read.rows["metadata"])
        gathered.inputs += read.inputs
        gathered.rows += read.rows
        gathered.notes += read.notes
        self._kept.append(gathered.ids.adopted_items(*read.kept))
        self._firsts.append(read.firsts)

    def _table(self, codes: I64) -> SharedWord:
        order = np.argsort(codes)
        ascending = codes[order]
        places = [order[np.searchsorted(ascending, kept)] for kept in self._kept]
        return self._jobs.share(ItemTable(codes, self._gathered.ids.odd_items(codes), places))

    def _products(self, codes: I64, progress: Progress) -> None:
        """Each category's parts in the order of their ids; from these the one order of the shop."""
        order = np.argsort(codes)
        ascending = codes[order]
        places = [np.sort(order[np.searchsorted(ascending, kept)]) for kept in self._kept]
        owner = np.empty(len(codes), np.int64)
        for number, at in enumerate(places):
            owner[at] = number
        due = sorted(
            (int(at[first]) if first < len(at) else len(codes), number, part)
            for number, (at, firsts) in enumerate(zip(places, self._firsts, strict=True))
            for part, first in enumerate(firsts)
        )
        with progress.stage("products", len(codes), "products") as stage:
            stored = self._given([self._product_job(number, part) for _, number, part in due])
            waiting: dict[int, Iterator[bytes]] = {}
            for number in range(len(places)):
                waiting[number] = iter(())
            hashed = self._sink.hashed
            for first in range(0, len(codes), 1_000):
                rows = []
                for number in owner[first : first + 1_000].tolist():
                    row = next(waiting[number], None)
                    while row is None:
                        self._take_products(next(stored), waiting)
                        row = next(waiting[number], None)
                    rows.append(row)
                hashed.add_bytes("products", b",".join(rows) + b",", len(rows))
                stage.advance(len(rows))
            for job in stored:
                self._take_products(job, waiting)

    def _product_job(self, number: int, part: int) -> GivenJob:
        name = f"products-{number}-{part}"
        lines = self._reads.product_lines(number, part)
        return GivenJob("products", (number, self._sink.stored(name), lines), 1, name=name)

    def _take_products(self, job: GivenJob, waiting: dict[int, Iterator[bytes]]) -> None:
        answer = self._jobs.answer(job)
        number = int(job.words[0])
        self._sink.record(job.name, answer.digest)
        self._sink.add_words(answer.words, Counter({self._plan.pairs[number].category: answer.rows}))
        self._gathered.notes += answer.notes
        blob, ends = self._jobs.part(JobPart(job, 0))
        waiting[number] = _chained(waiting[number], _cut(blob, ends))
        self._jobs.drop(job)

    def _given(self, work: list[GivenJob]) -> Iterator[GivenJob]:
        """Yield the jobs in their order, each when its turn is; so many are under way."""
        left = iter(work)
        given = [self._jobs.give(job) for job in islice(left, _AHEAD)]
        while given:
            yield given.pop(0)
            given += [self._jobs.give(job) for job in islice(left, 1)]

    def _orders(
        self,
        table: SharedWord,
        met: list[RangeMet],
        tries: Mapping[str, int],
        other_ids: Mapping[int, dict[int, int]],
        newest: int,
        progress: Progress,
    ) -> int:
        firsts = np.cumsum([0, *(one.users for one in met)]).tolist()
        work = []
        for number in range(self._plan.ranges):
            name = f"orders-{number}"
            stored = self._sink.stored(name)
            words: tuple[Any, ...] = (
                table,
                firsts[number],
                dict(tries),
                other_ids.get(number, {}),
                newest,
                stored,
            )
            work.append(GivenJob("orders", (*words, *self._reads.of_range(number)), 2, name=name))
        hashed = self._sink.hashed
        with progress.stage("users and orders", sum(one.orders for one in met), "orders") as stage:
            for number, job in enumerate(self._given(work)):
                self._sink.record(job.name, self._jobs.answer(job).digest)
                hashed.add_bytes("users", self._jobs.part(JobPart(job, 0)), met[number].users)
                hashed.add_bytes("orders", self._jobs.part(JobPart(job, 1)), met[number].orders)
                self._jobs.drop(job)
                stage.advance(met[number].orders)
        return int(firsts[-1])


def _cut(blob: bytes, ends: I64) -> Iterator[bytes]:
    first = 0
    for end in ends.tolist():
        yield blob[first:end]
        first = end


def _chained(before: Iterator[bytes], after: Iterator[bytes]) -> Iterator[bytes]:
    yield from before
    yield from after
