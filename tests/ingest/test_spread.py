"""An ingest cut into jobs makes what one process makes: same hash, same manifest, same quarantine; without servers or a cluster."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest import orders, spread_plan
from drr.data_ingest.blocks import BlockReader, ByteSpan
from drr.data_ingest.ingest import Job as IngestJob
from drr.data_ingest.recipe import Recipe, find_pairs
from drr.data_ingest.spread import SpreadIngest
from drr.data_ingest.spread_bench import IngestBench
from drr.data_ingest.spread_plan import plan_of, spans_of
from drr.env.content import ContentHash
from drr.env.entities import Product
from drr.env.errors import DrrError
from drr.env.jobs import GivenJob, JobPart, SharedWord
from drr.env.progress import Quiet
from drr.env.shop import Manifest

from tests.ingest.conftest import CATEGORIES, Ingest

pytestmark = pytest.mark.long


class JobsHere:
    """Done at once, last given first read: everything goes through a pickle, as on its way to another machine."""

    def __init__(self, bench: IngestBench) -> None:
        self._bench = bench
        self._left: dict[GivenJob, bytes] = {}

    def give(self, job: GivenJob) -> GivenJob:
        words = pickle.loads(pickle.dumps([self._word(word) for word in job.words]))
        left = getattr(self._bench, job.method)(*words)
        assert not job.parts or len(left) == 1 + job.parts
        self._left[job] = pickle.dumps(left)
        return job

    def _word(self, word: Any) -> Any:
        return self.part(word) if isinstance(word, JobPart) else getattr(word, "held", word)

    def share(self, value: Any) -> SharedWord:
        return SharedWord(value)

    def answer(self, job: GivenJob) -> Any:
        left = pickle.loads(self._left[job])
        return left[0] if job.parts else left

    def ended(self, jobs: Iterable[GivenJob]) -> Iterator[GivenJob]:
        yield from reversed(list(jobs))

    def part(self, part: JobPart) -> Any:
        return pickle.loads(self._left[part.job])[1 + part.number]

    def drop(self, job: GivenJob) -> None:
        answer = self.answer(job)
        self._left[job] = pickle.dumps((answer,))


class Nothing:
    """Stores nothing."""

    writes = False

    def write_products(self, products: Sequence[Product], *, known: bool) -> Counter[str]:
        raise AssertionError

    def write(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None:
        raise AssertionError

    def wait(self) -> None: ...


class Told:
    """What the driver would publish."""

    def __init__(self) -> None:
        self.hashed = ContentHash()

    def stored(self, name: str) -> str | None:
        return None

    def record(self, name: str, digest: str) -> None: ...

    def add_words(self, words: Counter[str], categories: Counter[str]) -> None: ...

    def publish(self, manifest: Manifest) -> Manifest:
        return manifest.model_copy(update={"content_hash": self.hashed.digest(manifest.as_of)})


def spread(raw: Path, folder: Path, space: int = orders.ID_SPACE, **recipe: Any) -> Manifest:
    given = Recipe(categories=CATEGORIES, **{"max_bad": 0.5, "min_reviews": 3, **recipe})
    pairs = find_pairs(raw, CATEGORIES, chosen=True)
    plan = plan_of(pairs, given, memory=1 << 16, block=4096)
    job = IngestJob("servers:x", pairs, given, folder / "spread.jsonl")
    jobs = JobsHere(IngestBench(plan, Nothing(), space))
    return SpreadIngest(job, plan, jobs, Told(), space=space).run(Quiet())


def same(here: Manifest, there: Manifest) -> None:

    for name in [
        "as_of",
        "content_hash",
        "counts",
        "recipe",
        "inputs",
        "rows",
        "quarantined",
        "notes",
        "origin",
    ]:
        assert getattr(here, name) == getattr(there, name), name


@pytest.mark.parametrize(
    "recipe",
    [
        {},
        {"pick": "top", "max_products": 9, "statuses": "varied"},
        {"pick": "review-prefix", "orders": "since", "min_reviews": 0},
    ],
    ids=str,
)
def test_the_jobs_of_many_make_the_shop_of_one(
    messy: Path, run_ingest: Ingest, tmp_path: Path, recipe: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread_plan, "_PART_PRODUCTS", 5)
    monkeypatch.setattr(spread_plan, "_PART_BYTES", 4_000)
    monkeypatch.setattr(spread_plan, "_RANGES_A_SLICE", 3)
    same(run_ingest(messy, block=4096, **recipe), spread(messy, tmp_path, **recipe))
    assert (tmp_path / "spread.jsonl").read_bytes() == (tmp_path / "shop.quarantine.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("span", "recipe"),
    [
        (40_960, {"pick": "review-prefix", "orders": "since", "min_reviews": 0}),
        (200_000, {"pick": "top", "max_products": 9}),
    ],
    ids=str,
)
def test_plain_files_that_many_read_by_spans_make_the_shop_of_one(
    messy_plain: Path,
    run_ingest: Ingest,
    tmp_path: Path,
    span: int,
    recipe: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spread_plan, "_SPAN_BYTES", span)
    plan = plan_of(find_pairs(messy_plain, CATEGORIES, chosen=True), Recipe(categories=CATEGORIES), 1, 4096)
    assert all(len(reviews) > 2 for _, reviews in plan.spans)
    same(run_ingest(messy_plain, block=4096, **recipe), spread(messy_plain, tmp_path, **recipe))
    assert (tmp_path / "spread.jsonl").read_bytes() == (tmp_path / "shop.quarantine.jsonl").read_bytes()


def test_spans_of_a_file_are_read_in_the_blocks_of_the_whole(tmp_path: Path) -> None:
    chance = random.Random(5)
    lines = [b"x" * chance.choice([0, 1, 7, 30, 200]) for _ in range(120)]
    (path := tmp_path / "lines.jsonl").write_bytes(b"\n".join(lines))

    def blocks(span: ByteSpan | None) -> list[tuple[int, bytes]]:
        with BlockReader(path, size=16, span=span) as reader:
            return [(block.at, bytes(block.data)) for block in reader]

    whole = blocks(None)
    for each in (16, 48, 1600):
        spans = spans_of(path.stat().st_size, each)
        assert [block for span in spans for block in blocks(span)] == whole


def test_what_cannot_be_split_is_read_by_one(messy: Path, messy_plain: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(spread_plan, "_SPAN_BYTES", 4_096)

    def spans(raw: Path, **recipe: Any) -> Any:
        pairs = find_pairs(raw, CATEGORIES[:1], chosen=True)
        return plan_of(pairs, Recipe(categories=CATEGORIES[:1], **recipe), 1, 4_096).spans

    assert spans(messy) == (((), ()),), "a gzip stream"
    ((meta, reviews),) = spans(messy_plain, limit_reviews=500)
    assert meta and reviews == ()


def test_ids_and_addresses_that_occur_twice_are_settled_as_by_one(
    messy: Path, run_ingest: Ingest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(orders.order_ids.__kwdefaults__, "space", 6_000)
    monkeypatch.setattr(orders, "_SUFFIX_LENGTH", 2)
    few = orders._pick
    monkeypatch.setattr(
        orders, "_pick", lambda hashes, number, size: few(hashes, number, size) * (number > 3)
    )
    one, many = run_ingest(messy, block=4096), spread(messy, tmp_path, space=6_000)
    assert one.notes["emails_drawn_again"] > 10
    same(one, many)


def test_what_nobody_can_make_a_shop_of_is_said_as_by_one(messy: Path, tmp_path: Path) -> None:
    with pytest.raises(DrrError, match="no product qualifies: none of"):
        spread(messy, tmp_path, min_reviews=10_000)
    with pytest.raises(DrrError, match=r"Baby_Products.*rows cannot be read .*see .*spread.jsonl"):
        spread(messy, tmp_path, max_bad=0.0)
