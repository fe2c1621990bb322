"""An ingest that is killed, or cut into jobs: the old shop or a whole new one, the same that one process makes."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from drr.app.cli import main
from drr.data_ingest import orders, spread_plan
from drr.data_ingest.blocks import BlockReader, ByteSpan
from drr.data_ingest.ingest import Job as IngestJob
from drr.data_ingest.recipe import Recipe, find_pairs
from drr.data_ingest.spread import SpreadIngest
from drr.data_ingest.spread_bench import IngestBench
from drr.data_ingest.spread_plan import plan_of, spans_of
from drr.env.content import ContentHash
from drr.env.embedded import writer
from drr.env.entities import Product
from drr.env.errors import DrrError
from drr.env.jobs import GivenJob, JobPart, SharedWord
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import Manifest, check_shop, open_shop

from benchmarks.results import record, table
from tests.ingest.conftest import CATEGORIES, Ingest
from tests.ingest.raw import messy_reviews, meta, product_id, write_pair

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
        if isinstance(word, SharedWord):
            return word.value
        return self.part(word) if isinstance(word, JobPart) else word

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
        "as_of", "content_hash", "counts", "recipe", "inputs", "rows", "quarantined", "notes", "origin",
    ]:  # fmt: skip
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


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    products = [product_id(n) for n in range(300)]
    write_pair(
        folder, "Pet_Supplies", messy_reviews(1, products, 6000), [meta(parent_asin=p) for p in products]
    )
    return folder


def arguments(raw: Path, shop: Path, seed: int) -> list[str]:
    given = f"--shop {shop} --replace --categories all --max-bad 1 --seed {seed} --quiet --statuses varied"
    return ["data", "ingest", str(raw), *given.split()]


def kill_at_random(raw: Path, tmp_path: Path, times: int, seed: int) -> set[int]:
    """Recipes' seeds of the shops that were found after each kill."""
    rng = random.Random(seed)
    shop = tmp_path / "shop"
    assert main(arguments(raw, shop, 0)) == 0
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "drr.app.cli", *arguments(raw, shop, 0)], check=True, timeout=120)
    whole = time.monotonic() - start
    found = set()
    last = 0
    for attempt in range(1, times + 1):
        process = subprocess.Popen(
            [sys.executable, "-m", "drr.app.cli", *arguments(raw, shop, attempt)], start_new_session=True
        )
        try:
            process.wait(rng.uniform(0.1, 1.1) * whole)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        finished = process.wait() == 0
        with open_shop(str(shop), Settings()) as opened:
            now = opened.manifest.recipe["seed"]
        assert now in (last, attempt)
        assert now == attempt or not finished
        assert list(check_shop(str(shop), Settings())) == []
        last = now
        found.add(now)
    assert main(arguments(raw, shop, times + 1)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop", "shop.quarantine.jsonl"]
    return found


def test_five_kills(raw: Path, tmp_path: Path) -> None:
    kill_at_random(raw, tmp_path, 5, 1)


@pytest.mark.endurance
def test_fifty_kills(raw: Path, tmp_path: Path) -> None:
    found = kill_at_random(raw, tmp_path, 50, 2)
    new = len(found - {0})
    assert 0 < new < 50  # both outcomes were seen
    record(
        "Endurance: killed ingests",
        table(
            ("kills at random moments", "old shop intact", "new shop whole", "anything else"),
            [(50, 50 - new, new, 0)],
        ),
    )


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "drr: interrupted\n"), (signal.SIGTERM, 143, "drr: ended by SIGTERM\n")],
)
def test_a_signal_leaves_the_old_shop_and_nothing_else(
    raw: Path, tmp_path: Path, number: signal.Signals, code: int, said: str
) -> None:
    shop = tmp_path / "shop"
    assert main(arguments(raw, shop, 0)) == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "drr.app.cli", *arguments(raw, shop, 1)], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(
        p.name.startswith(".shop.new-") for p in tmp_path.iterdir()
    ):
        time.sleep(0.005)
    process.send_signal(number)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (code, said)
    with open_shop(str(shop), Settings()) as opened:
        assert opened.manifest.recipe["seed"] == 0
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_signal_on_any_line_of_the_beginning_leaves_nothing(tmp_path: Path) -> None:
    """An interrupt is raised on the first line that the writer runs, then on the second, until it gets through."""
    step, through = 0, False

    def hit(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if event == "line" and frame.f_code.co_filename == writer.__file__:
            left -= 1
            if not left:
                raise KeyboardInterrupt
        return hit

    while not through:
        step += 1
        left = step
        before = sys.gettrace()
        sys.settrace(hit)
        try:
            with writer.shop_writer(str(tmp_path / "shop"), Settings()):
                sys.settrace(before)
                through = True
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        assert list(tmp_path.iterdir()) == []
    assert step > 20
