"""The cut of an ingest into jobs: by files, by ranges of user ids and by parts of products. The same for the same files anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson
from drr.data_ingest.blocks import BLOCK, BlockReader, ByteSpan
from drr.data_ingest.ids import Ids
from drr.data_ingest.raw_files import FilePair
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.review_rows import ReviewRows
from drr.data_ingest.spans import spans_of
from drr.env.errors import DrrError

_RANGE_BYTES = 1 << 30
"""Of review lines, for one range of users."""
_FEWEST, _MOST = 8, 400
_SPAN_BYTES = 256 << 20
"""Of a plain file, for one reader."""
_PART_BYTES = 32 << 20
"""Of metadata lines, for one part of the products."""
_PART_PRODUCTS = 1_000
_MOST_PARTS = 512
_SHRINK = 3.5
"""How much smaller the official files are when compressed."""
_SAMPLED = 100_000
_RANGES_A_SLICE = 8


@dataclass(frozen=True)
class SpreadPlan:
    """Plain data: what every worker is told."""

    pairs: tuple[FilePair, ...]
    sizes: tuple[tuple[int, int], ...]
    """Of metadata and reviews: a worker that finds others reads other files."""
    recipe: Recipe
    bounds: tuple[str, ...]
    """User ids at which ranges begin, but for the first range."""
    parts: tuple[int, ...]
    """Of each category's products."""
    spans: tuple[tuple[tuple[ByteSpan, ...], tuple[ByteSpan, ...]], ...]
    """Of metadata and reviews: what each is read in; none where one worker reads all of it."""
    memory: int
    block: int

    @property
    def ranges(self) -> int:
        return len(self.bounds) + 1

    @property
    def slices(self) -> int:
        """Count the slices of the ids that are compared with all others."""
        return max(1, self.ranges // _RANGES_A_SLICE)

    def digest(self, code: str) -> str:
        """Equal plans cut equal files into equal pieces."""
        names = [(pair.category, pair.meta.name, pair.reviews.name) for pair in self.pairs]
        recipe_parts = [self.recipe.document(), names, self.sizes, self.bounds, self.parts, code]
        return sha256(orjson.dumps(recipe_parts)).hexdigest()

    def check_files(self) -> None:
        """`DrrError` where this machine has not the files that the driver has."""
        for pair, sizes in zip(self.pairs, self.sizes, strict=True):
            for path, size in zip((pair.meta, pair.reviews), sizes, strict=True):
                try:
                    with path.open("rb") as file:
                        file.read(1)
                    here = path.stat().st_size
                except OSError as error:
                    raise DrrError(
                        f"{path}: cannot be read there ({error.strerror}); RAW_DIR must lie on a path that all nodes share"
                    ) from error
                if here != size:
                    raise DrrError(
                        f"{path}: has {here:,} bytes there and {size:,} for the driver; copy it again"
                    )


def plan_of(pairs: list[FilePair], recipe: Recipe, memory: int, block: int = BLOCK) -> SpreadPlan:
    sizes = tuple((pair.meta.stat().st_size, pair.reviews.stat().st_size) for pair in pairs)
    whole = tuple(FilePair(pair.category, pair.meta.absolute(), pair.reviews.absolute()) for pair in pairs)
    lines = sum(_plain_size(pair.reviews.suffix, size) for pair, (_, size) in zip(pairs, sizes, strict=True))
    ranges = min(max(_FEWEST, -int(-lines // _RANGE_BYTES)), _MOST)
    parts = tuple(
        _parts(_plain_size(pair.meta.suffix, size), recipe.max_products)
        for pair, (size, _) in zip(pairs, sizes, strict=True)
    )
    spans = tuple(
        (_spans(pair.meta, size, block, None), _spans(pair.reviews, rest, block, recipe.limit_reviews))
        for pair, (size, rest) in zip(pairs, sizes, strict=True)
    )
    return SpreadPlan(whole, sizes, recipe, _bounds(pairs, ranges), parts, spans, memory, block)


def _spans(path: Path, size: int, block: int, limit: int | None) -> tuple[ByteSpan, ...]:
    """Cut a file into spans. A gzip stream is read from its beginning only; and where the first lines are,
    nobody knows who begins further on."""
    if path.suffix == ".gz" or limit is not None:
        return ()
    return spans_of(size, max(1, _SPAN_BYTES // block) * block)


def _plain_size(suffix: str, size: int) -> float:
    return size * _SHRINK if suffix == ".gz" else size


def _parts(size: float, max_products: int) -> int:
    return min(max(1, -int(-size // _PART_BYTES)), -(-max_products // _PART_PRODUCTS), _MOST_PARTS)


def _bounds(pairs: list[FilePair], ranges: int) -> tuple[str, ...]:
    """Draw bounds from the users at the beginning of each file. Ids are drawn at random, so these are spread as all are."""
    seen: set[str] = set()
    for pair in pairs:
        with BlockReader(pair.reviews) as reader:
            ids = Ids()
            for _, chunk in ReviewRows(reader, ids, lambda number, reason, line: None, _SAMPLED):
                seen.update(ids.user_texts(chunk.user))
                break
    texts = sorted(seen)
    at = sorted({len(texts) * k // ranges for k in range(1, ranges)} - {0})
    return tuple(texts[k] for k in at)
