"""Turns raw files into a shop: category by category, then users, orders and a check of the row counts."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from tempfile import TemporaryFile, gettempdir
from typing import IO

import numpy as np
from drr.data_ingest.blocks import BLOCK
from drr.data_ingest.duplicates import ROW
from drr.data_ingest.metadata import Spot, read_metadata
from drr.data_ingest.order_draw import OrderDraw
from drr.data_ingest.orders import order_ids, profiles, sort_rows, statuses, user_table
from drr.data_ingest.packing import I64, Ids
from drr.data_ingest.products import VERSION as TEXT_VERSION
from drr.data_ingest.products import make_product, parse_stored
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.recipe import FilePair, Recipe
from drr.data_ingest.review_rows import ReviewTexts
from drr.data_ingest.reviews import Interactions, Reviews, read_reviews
from drr.data_ingest.sample import is_sample
from drr.env.content import OrderColumns, SlipRow, UserRow, as_of_from
from drr.env.entities import Product
from drr.env.errors import DrrError, NoPlaceForShop, disk_of
from drr.env.progress import Progress, collector_off
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Input, Manifest, ShopWriter, shop_writer
from numpy.typing import NDArray

DEFAULT_MEMORY = 1 << 30


@dataclass(frozen=True)
class ReadingOptions:
    """The way that files are read. It does not influence the shop."""

    folder: Path | None
    """The folder for temporary files."""
    memory: int = DEFAULT_MEMORY
    """Most bytes in memory for the columns of one review file; the rest goes to a temporary file."""
    block: int = BLOCK
    """Bytes read at once."""


@dataclass
class GatheredFiles:
    """Everything read from the raw files."""

    ids: Ids = field(default_factory=Ids)
    spots: dict[int, tuple[Spot, str]] = field(default_factory=dict)
    """The place of each product's row, and its category, by product code."""
    interactions: list[tuple[I64, Interactions]] = field(default_factory=list)
    """Each category's product codes, and its interactions, whose items are positions among these codes."""
    inputs: list[Input] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


def gather_category(
    pair: FilePair,
    recipe: Recipe,
    gathered: GatheredFiles,
    quarantine: Quarantine,
    spool: IO[bytes],
    texts: ReviewTexts,
    reading: ReadingOptions,
    progress: Progress,
) -> None:
    ids = gathered.ids
    with progress.stage(f"{pair.category}: reviews", pair.reviews.stat().st_size, "bytes") as stage:
        reviews = read_reviews(
            pair.reviews,
            recipe,
            ids,
            quarantine,
            budget=reading.memory,
            folder=reading.folder,
            block=reading.block,
            stage=stage,
        )
    try:
        tally = reviews.tally(recipe.since_ms, first=recipe.pick == "review-prefix")
        before = set(gathered.spots)
        with progress.stage(f"{pair.category}: products", pair.meta.stat().st_size, "bytes") as stage:
            meta = read_metadata(
                pair.meta, recipe, ids, quarantine, tally, before, spool, stage, reading.block
            )
        kept = np.array(sorted(meta.kept), np.int64)
        since = recipe.since_ms if recipe.orders == "since" else None
        found = reviews.of_items(kept, since)
        if texts.wanted:
            texts.add(pair.reviews, reviews.lines_of_items(kept, since), reading.block)
    finally:
        reviews.columns.discard()
    gathered.interactions.append((kept, found))
    gathered.spots.update((code, (spot, pair.category)) for code, spot in meta.kept.items())
    gathered.inputs += [reviews.input, meta.input]
    _count(gathered, reviews, len(found.item))
    rows, notes = gathered.rows, gathered.notes
    rows["metadata"] += meta.rows
    rows["metadata_duplicates"] += meta.duplicates
    rows["metadata_not_selected"] += meta.not_selected
    rows["metadata_quarantined"] += meta.quarantined
    for kind, repairs in (("reviews", reviews.repairs), ("products", meta.repairs)):
        notes[f"{kind}_with_lone_surrogates"] += repairs.surrogates
        notes[f"{kind}_with_nul"] += repairs.nul


def _count(gathered: GatheredFiles, reviews: Reviews, orders: int) -> None:
    rows = gathered.rows
    rows["reviews"] += reviews.rows
    rows["duplicates"] += reviews.duplicates
    rows["quarantined"] += reviews.quarantined
    rows["not_selected"] += reviews.kept_rows - orders
    gathered.notes["reviews_read_by_parser"] += reviews.parsed


def in_text_order(codes: I64, ids: Ids) -> I64:
    if not len(codes) or int(codes.min()) >= 0:
        return np.sort(codes)  # they sort as the text does
    texts = ids.item_texts(codes)
    return codes[sorted(range(len(codes)), key=texts.__getitem__)]


BATCH = 5_000
"""Users or orders passed to the writer at once."""
_ROW_ON_DISK = 60
"""Fewest compressed bytes of a review row, for estimating how many rows a file may hold."""
_MARGIN = 16 << 20


@dataclass(frozen=True)
class Job:
    """The settings of an ingest that do not influence the shop, beside the recipe."""

    shop: str
    pairs: list[FilePair]
    recipe: Recipe
    quarantine: Path
    memory: int = DEFAULT_MEMORY
    """Most bytes in memory for the columns of one review file; the rest goes to a temporary file beside the shop."""
    block: int = BLOCK
    """Bytes read at once."""
    created: str | None = None
    replace: bool = True
    draw: OrderDraw | None = None
    """The draws of a made shop's orders; the manifest names their axes."""
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free


def ingest(job: Job, settings: Settings, progress: Progress) -> Manifest:
    """Run an ingest and return the manifest. The shop is published whole at the end, or not at all."""
    folder = work_folder(job.shop)
    with (
        disk_of(folder or gettempdir()),
        shop_writer(job.shop, settings, replace=job.replace) as writer,
        Quarantine(job.quarantine, job.recipe.max_bad) as quarantine,
        TemporaryFile(dir=folder) as spool,
        ReviewTexts(folder, wanted=job.recipe.keep_reviews) as texts,
        collector_off(),
    ):
        _check_room_for_reading(job, folder)
        gathered, reading = GatheredFiles(), ReadingOptions(folder, job.memory, job.block)
        for pair in job.pairs:
            gather_category(pair, job.recipe, gathered, quarantine, spool, texts, reading, progress)
        check_chosen(job.recipe, len(gathered.spots), gathered.rows["metadata"])
        codes = in_text_order(np.array(sorted(gathered.spots), np.int64), gathered.ids)
        user, item, time = _joined(gathered, codes)
        check_orders(len(codes), len(item))
        users = user_table(user, gathered.ids)
        _check_room_for_writing(job, folder, len(codes), len(users.codes), len(item))
        with progress.stage("products", len(codes), "products") as stage:
            products = _products(codes, gathered, spool)
            written = writer.write_products(products_with_progress(products, stage.advance))
        gathered.rows["products"] = written
        hashes = gathered.ids.user_hashes(users.codes)
        with progress.stage("users", len(users.codes), "users") as stage:
            batches = _users(users.codes, hashes, gathered)
            written = writer.write_users(batches_with_progress(batches, stage.advance))
        item_hashes = gathered.ids.item_hashes(codes)

        def content(row: int) -> tuple[str, str]:
            at = users.position[row : row + 1]
            return (
                gathered.ids.user_texts(users.codes[at])[0],
                gathered.ids.item_texts(codes[item[row : row + 1]])[0],
            )

        numbers = order_ids(hashes[users.position], item_hashes[item], time, content)
        order = sort_rows(users.position, time, numbers)
        status = statuses(job.recipe.statuses, job.recipe.seed, numbers, time)
        columns = [c[order] for c in (numbers, item, users.position, time, np.ones_like(time), status)]
        slips: Mapping[int, SlipRow] = {}
        if job.draw is not None:
            columns, slips = job.draw.drawn(columns, hashes, gathered.ids.item_texts(codes))
        with progress.stage("orders", len(order), "orders") as stage:
            gathered.rows["orders"] = writer.write_orders(order_batches(columns, stage.advance, slips))
        _keep(texts, writer, numbers, progress)
        check_row_counts(gathered.rows)
        quarantine.flush()
        return writer.publish(manifest_of(job, gathered, quarantine.counts, int(time.max()), written))


def work_folder(shop: str) -> Path | None:
    """Return the folder for temporary files, on the shop's disk; `None` for a shop on servers."""
    if shop.startswith(SERVERS):
        return None
    parent = Path(shop).absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NoPlaceForShop(f"{shop}: cannot be written ({error.strerror}); choose another place") from error
    return parent


def _keep(texts: ReviewTexts, writer: ShopWriter, numbers: I64, progress: Progress) -> None:
    if texts.wanted:
        with progress.stage("reviews", len(numbers), "reviews") as stage:
            texts.write(writer, numbers, stage.advance)


def _joined(gathered: GatheredFiles, codes: I64) -> Interactions:
    """Join all interactions; items become positions among all products."""
    order = np.argsort(codes)
    ascending = codes[order]
    parts = [
        found._replace(item=order[np.searchsorted(ascending, kept)][found.item])
        for kept, found in gathered.interactions
    ]
    gathered.interactions.clear()
    return Interactions(*(np.concatenate(c) for c in zip(*parts, strict=True)))


def _products(codes: I64, gathered: GatheredFiles, spool: IO[bytes]) -> Iterator[Product]:
    for code in codes.tolist():
        spot, category = gathered.spots[code]
        spool.seek(spot.offset)
        yield make_product(parse_stored(spool.read(spot.size)), category, gathered.notes)


def _users(
    codes: NDArray[np.bytes_], hashes: NDArray[np.uint64], gathered: GatheredFiles
) -> Iterator[list[UserRow]]:
    pools = profiles()
    attempts = pools.attempts(hashes)
    gathered.notes["emails_drawn_again"] += int(np.count_nonzero(attempts))
    for first in range(0, len(codes), BATCH):
        part = slice(first, first + BATCH)
        yield pools.rows(gathered.ids.user_texts(codes[part]), hashes[part], attempts[part])


def order_batches(
    columns: list[I64], advance: Callable[[int], None], slips: Mapping[int, SlipRow] | None = None
) -> Iterator[OrderColumns]:
    for first in range(0, len(columns[0]), BATCH):
        batch = OrderColumns(*(c[first : first + BATCH] for c in columns))  # type: ignore[arg-type]
        if slips:
            there = columns[0][first : first + BATCH].tolist()
            batch = batch._replace(slips={one: slips[one] for one in there if one in slips})
        yield batch
        advance(len(batch.order_id))


def products_with_progress(products: Iterator[Product], advance: Callable[[int], None]) -> Iterator[Product]:
    for product in products:
        yield product
        advance(1)


def batches_with_progress(
    batches: Iterator[list[UserRow]], advance: Callable[[int], None]
) -> Iterator[list[UserRow]]:
    for batch in batches:
        yield batch
        advance(len(batch))


def check_chosen(recipe: Recipe, products: int, rows: int) -> None:
    if not products:
        raise DrrError(
            f"no product qualifies: none of {rows:,} has {recipe.min_reviews} reviews since "
            f"{recipe.since}; lower --min-reviews or set an earlier --since"
        )


def check_orders(products: int, orders: int) -> None:
    if not orders:
        raise DrrError(
            f"no review became an order: none of the {products:,} products that were kept has a review in what was "
            "read. Read more with a larger --limit-reviews or --max-products, or keep reviewed ones only with "
            "--min-reviews 1"
        )


def check_row_counts(rows: Counter[str]) -> None:
    """Check that no row was lost: each became an order or was counted as something else."""
    for total, parts in (
        ("reviews", ("orders", "duplicates", "not_selected", "quarantined")),
        ("metadata", ("products", "metadata_duplicates", "metadata_not_selected", "metadata_quarantined")),
    ):
        found = sum(rows[part] for part in parts)
        if found != rows[total]:
            listed = ", ".join(f"{part} {rows[part]:,}" for part in parts)
            raise DrrError(
                f"{rows[total]:,} rows of {total} were read but {found:,} are accounted for ({listed}); this is a bug, "
                "no shop was written: please report it"
            )


def manifest_of(
    job: Job, gathered: GatheredFiles, quarantined: Counter[str], newest: int, users: int
) -> Manifest:
    rows = {name: gathered.rows[name] for name in _ROWS}
    folder = job.pairs[0].reviews.parent
    notes = gathered.notes + Counter({name: gathered.rows[name] for name in _METADATA})
    return Manifest(
        backend="",
        as_of=as_of_from(newest),
        content_hash="",
        counts={"products": gathered.rows["products"], "users": users, "orders": rows["orders"]},
        recipe=job.recipe.document() | ({} if job.draw is None else {"axes": dict(job.draw.axes)}),
        inputs=gathered.inputs,
        rows=rows,
        quarantined=dict(sorted(quarantined.items())),
        notes=dict(sorted(notes.items())),
        versions={
            "drr": version("deepresearch-retail"),
            "faker": version("faker"),
            "product_text": TEXT_VERSION,
            "python": python_version(),
        },
        created=job.created,
        origin="sample" if is_sample(folder, [one.sha256 for one in gathered.inputs]) else None,
    )


_ROWS = ("reviews", "orders", "duplicates", "not_selected", "quarantined")
"""The counts of review rows, the first being the sum of the others. Counts of metadata rows are among the notes."""
_METADATA = ("metadata", "metadata_duplicates", "metadata_not_selected", "metadata_quarantined")


def _check_room_for_reading(job: Job, folder: Path | None) -> None:
    """Check the disk for the columns of the largest review file, if these may not fit into memory."""
    most = max(
        pair.reviews.stat().st_size // (_ROW_ON_DISK if pair.reviews.suffix == ".gz" else 330)
        for pair in job.pairs
    )
    spill = most * ROW.itemsize
    _check_room(job, folder, _MARGIN + (spill if spill > job.memory else 0))


def _check_room_for_writing(job: Job, folder: Path | None, products: int, users: int, orders: int) -> None:
    if not job.shop.startswith(SERVERS):
        _check_room(job, folder, _MARGIN + products * 4_000 + users * 330 + orders * 80)


def _check_room(job: Job, folder: Path | None, needed: int) -> None:
    place = folder or Path.cwd()
    free = job.free(place)
    if free < needed:
        raise DrrError(
            f"{place}: has {free / 1e6:,.0f} MB free and about {needed / 1e6:,.0f} MB are needed; make room there, or "
            "write the shop to another disk"
        )
