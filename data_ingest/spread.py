"""An ingest by many: workers read categories and store pieces, this driver joins what must be joined and hashes what they tell.

What comes out is what one process makes, to the byte. Three things need all files at once and are settled here without holding
all rows: a product belongs to the first category that keeps it; users and orders are cut into ranges of user ids, so that each
range is sorted by itself; order ids and e-mail addresses that occur twice are looked for slice by slice of their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from drr.data_ingest.gathering import GatheredFiles, in_text_order
from drr.data_ingest.ingest import Job as IngestJob
from drr.data_ingest.ingest import check_chosen, check_orders, manifest_of, verify
from drr.data_ingest.orders import ID_SPACE
from drr.data_ingest.packing import I64
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.spread_bench import ItemTable, RangeMet
from drr.data_ingest.spread_files import CategoryReads
from drr.data_ingest.spread_plan import SpreadPlan
from drr.data_ingest.spread_ranges import UserRanges
from drr.data_ingest.spread_reading import CategoryRead
from drr.env.jobs import GivenJob, JobPart, Jobs, SharedWord
from drr.env.pieces import PiecesSink
from drr.env.progress import Progress
from drr.env.shop import Manifest

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
        """Of each category, in the order in which its interactions count them; codes of this driver's table."""
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
        """In their order, each when its turn is; so many are under way."""
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
