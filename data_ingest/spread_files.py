"""The driver's end of reading raw files: who reads what, and which category must be read again without products of earlier ones."""

from __future__ import annotations

import numpy as np
from drr.data_ingest.ids import Ids
from drr.data_ingest.packing import I64
from drr.data_ingest.spread_plan import SpreadPlan
from drr.data_ingest.spread_reading import CategoryRead, ItemCodes
from drr.env.jobs import GivenJob, JobPart, Jobs
from drr.env.progress import Progress


class CategoryReads:
    """`begin` once; then each category is `settled`, in their order."""

    def __init__(self, plan: SpreadPlan, jobs: Jobs) -> None:
        self._plan, self._jobs = plan, jobs
        self._reads: list[GivenJob] = []
        """Of each category."""
        self._spans: list[list[GivenJob]] = []
        """Of each category: what its reading is given, where others read its files."""

    def begin(self, progress: Progress) -> None:
        shares: dict[GivenJob, int] = {}
        """Of the bytes."""
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
        """In the order in which they are handed on, with the bytes that each reads for the others."""
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
        """Without products that earlier categories `kept`: joined or read once more where it met some, which is rare."""
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
        """Of a range of users, what each category left of it."""
        return [
            JobPart(read, 1 + count + number)
            for read, count in zip(self._reads, self._plan.parts, strict=True)
        ]
