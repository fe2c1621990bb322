"""The yield of a category's raw files: its reviews read, its products chosen, and their interactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from drr.data_ingest.blocks import BLOCK
from drr.data_ingest.ids import Ids
from drr.data_ingest.metadata import Spot, read_metadata
from drr.data_ingest.packing import I64
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.raw_files import FilePair
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.review_texts import ReviewTexts
from drr.data_ingest.reviews import Interactions, Reviews, read_reviews
from drr.data_ingest.spans import WHOLE, SpannedPair, joined_metadata, joined_reviews
from drr.env.progress import Progress
from drr.env.shop import Input

DEFAULT_MEMORY = 1 << 30


@dataclass(frozen=True)
class FileReading:
    """The way that files are read. It has no say in what comes out."""

    folder: Path | None
    """Of temporary files."""
    memory: int = DEFAULT_MEMORY
    """Bytes for the columns of one review file; what does not fit goes to a temporary file."""
    block: int = BLOCK
    """Bytes read at once."""


@dataclass
class GatheredFiles:
    """Everything that the raw files gave."""

    ids: Ids = field(default_factory=Ids)
    spots: dict[int, tuple[Spot, str]] = field(default_factory=dict)
    """By product code: where its row lies, and its category."""
    interactions: list[tuple[I64, Interactions]] = field(default_factory=list)
    """Product codes of each category, and its interactions with positions among them for items."""
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
    reading: FileReading,
    progress: Progress,
    *,
    taken: Set[int] | None = None,
    spanned: SpannedPair = WHOLE,
) -> I64:
    """The product of every metadata row. `taken`: of earlier categories, where not gathered; `spanned`: what others read."""
    ids = gathered.ids
    with progress.stage(f"{pair.category}: reviews", pair.reviews.stat().st_size, "bytes") as stage:
        if spanned.reviews is not None:
            where = (reading.memory, reading.folder)
            reviews = joined_reviews(pair.reviews, spanned.reviews, ids, quarantine, *where)
        else:
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
        before = set(gathered.spots) if taken is None else set(taken)
        with progress.stage(f"{pair.category}: products", pair.meta.stat().st_size, "bytes") as stage:
            if spanned.meta is not None:
                meta = joined_metadata(pair.meta, spanned.meta, recipe, ids, quarantine, tally, before, spool)
            else:
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
    return meta.every


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
