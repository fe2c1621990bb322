"""Writes the sample shop's raw files, in the official Amazon-2023 form. The same numbers and seed give the same bytes."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypedDict

import orjson
from drr.data_ingest.sample_text import ShopperTruth
from drr.env.errors import Misuse, disk_of
from drr.env.files import read_file
from drr.env.json_object import JsonObject, parsed
from drr.env.progress import Progress
from drr.env.small_files import DOCUMENT

if TYPE_CHECKING:
    from drr.data_ingest.sample_products import Vocabulary

MARKER, TRUTH = "sample.json", "truth.jsonl.gz"
"""The file that says that `drr data sample` wrote the folder, with its numbers and files, and the file of the shoppers' true interests."""


@dataclass(frozen=True)
class SamplePlan:
    products: int = 1500
    users: int = 400
    reviews: int = 24_000
    """Rows in the review files, exact duplicates included."""
    seed: int = 7

    def __post_init__(self) -> None:
        from drr.data_ingest.sample_reviews import DUPLICATES

        for name in ("products", "users", "reviews"):
            if getattr(self, name) < 1:
                raise Misuse(f"--{name} {getattr(self, name)}: must be at least 1")
        if self.seed < 0:
            raise Misuse(f"--seed {self.seed}: must not be negative")
        if self.reviews - round(DUPLICATES * self.reviews) < self.users:
            raise Misuse(
                f"--reviews {self.reviews} is too few for --users {self.users}: every shopper writes at least one, and "
                f"{DUPLICATES:.1%} of the rows are duplicates"
            )


class WrittenSample(TypedDict):
    """The contents of a sample folder, as recorded in the folder."""

    written_by: str
    plan: JsonObject
    """The fields of the `SamplePlan`."""
    rows: dict[str, int]
    duplicates: int
    categories: dict[str, int]
    """The number of reviews in each category."""
    files: list[str]
    sha256: dict[str, str]
    """The hash of each file, by which an ingest checks that the shop holds nothing else."""


def write_sample(
    folder: Path, plan: SamplePlan, progress: Progress, vocabulary: Vocabulary | None = None
) -> WrittenSample:
    """Write the files unseen and publish them whole; a folder with other contents is left alone.

    `vocabulary` replaces the sample's own.
    """
    from drr.data_ingest.sample_products import load_vocabulary

    _refuse_foreign(folder)
    hidden = folder.parent / f".{folder.name}.part-{os.getpid()}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _clear_leftovers(folder)
        hidden.mkdir()
        with disk_of(folder):
            written = _write(hidden, plan, progress, vocabulary or load_vocabulary())
            (hidden / MARKER).write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
            _swap(hidden, folder)
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise Misuse(f"{folder}: cannot be written ({error.strerror}); choose another place") from error
    finally:
        if hidden.exists():
            shutil.rmtree(hidden, ignore_errors=True)
    return written


def _refuse_foreign(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise Misuse(f"{folder}: is a file; name a new folder")
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    if not present:
        return
    try:
        known = set(parsed(read_file(folder / MARKER, DOCUMENT))["files"]) | {MARKER}
    except (OSError, ValueError, KeyError, TypeError):
        raise Misuse(f"{folder}: not empty and not written by `drr data sample`; name a new folder") from None
    foreign = sorted(present - known)
    if foreign:
        raise Misuse(
            f"{folder}: holds {foreign[0]}, which `drr data sample` did not write; move it away or name a new folder"
        )


def _clear_leftovers(folder: Path) -> None:
    """Remove leftovers of killed runs beside the folder; files of live runs stay."""
    for left in folder.parent.glob(f".{folder.name}.part-*"):
        number = left.name.rpartition("-")[2]
        if number == str(os.getpid()) or (number.isdecimal() and not _is_running(int(number))):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _swap(hidden: Path, folder: Path) -> None:
    old = folder.parent / f".{folder.name}.old-{os.getpid()}"
    if folder.exists():
        folder.rename(old)
    hidden.rename(folder)
    if old.exists():
        shutil.rmtree(old)


def _write(folder: Path, plan: SamplePlan, progress: Progress, vocabulary: Vocabulary) -> WrittenSample:
    from drr.data_ingest.sample_meta import meta_line, meta_rows
    from drr.data_ingest.sample_products import make_products
    from drr.data_ingest.sample_reviews import DUPLICATES, SampleReviews, make_shoppers
    from drr.data_ingest.sample_text import make_pools

    names, duplicates = [one.category for one in vocabulary.categories], round(DUPLICATES * plan.reviews)
    products = make_products(vocabulary, plan.products, plan.reviews, plan.seed)
    shoppers = make_shoppers(plan.users, plan.reviews - duplicates, plan.seed)
    reviews = SampleReviews(vocabulary, products, shoppers, make_pools(vocabulary, plan.seed), duplicates)
    files: list[str] = []
    by_category = dict.fromkeys(names, 0)

    (folder / "raw" / "review_categories").mkdir(parents=True)
    (folder / "raw" / "meta_categories").mkdir()
    with ExitStack() as stack, progress.stage("reviews", plan.reviews) as stage:
        squeezer = stack.enter_context(ThreadPoolExecutor(1))
        streams = []
        for name in names:
            files.append(f"raw/review_categories/{name}.jsonl.gz")
            streams.append(stack.enter_context(_gzip(folder / files[-1])))
        pending: Future[None] | None = None
        for parts in reviews.stretches():
            if pending is not None:
                pending.result()
            pending = squeezer.submit(_write_parts, streams, [(place, lines) for place, _, lines in parts])
            for place, rows, _ in parts:
                by_category[names[place]] += rows
                stage.advance(rows)
        if pending is not None:
            pending.result()
    files.append(_write_truth(folder, reviews.voices.truths))
    with progress.stage("products", plan.products) as stage:
        for position, name in enumerate(names):
            files.append(f"raw/meta_categories/meta_{name}.jsonl.gz")
            with _gzip(folder / files[-1]) as stream:
                block: list[bytes] = []
                for row in meta_rows(vocabulary, position, products, reviews.heard, plan.seed):
                    block.append(meta_line(row))
                    if len(block) == 1000:
                        stream.write(b"".join(block))
                        stage.advance(len(block))
                        block = []
                stream.write(b"".join(block))
                stage.advance(len(block))
    return {
        "written_by": "drr data sample",
        "plan": asdict(plan),
        "rows": {
            "reviews": sum(by_category.values()),
            "products": len(products),
            "users": len(shoppers.counts),
        },
        "duplicates": duplicates,
        "categories": by_category,
        "files": sorted(files),
        "sha256": {name: _digest(folder / name) for name in sorted(files)},
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def is_sample(raw: Path, hashes: Iterable[str]) -> bool:
    """Tell whether `drr data sample` wrote all files with these hashes, by its marker in or above the folder."""
    for folder in (raw, *raw.resolve().parents[:2]):
        try:
            marker = parsed(read_file(folder / MARKER, DOCUMENT))
            known = set(marker["sha256"].values())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        return known.issuperset(hashes)
    return False


def _write_truth(folder: Path, truths: Iterable[ShopperTruth]) -> str:
    with _gzip(folder / TRUTH) as stream:
        for truth in truths:
            stream.write(orjson.dumps(truth) + b"\n")
    return TRUTH


def read_truth(raw: Path) -> dict[str, tuple[str, ...]]:
    """Read each shopper's true interests from a sample folder; they serve only to measure methods for persons."""
    try:
        with gzip.open(raw / TRUTH) as stream:
            rows = [orjson.loads(line) for line in stream]
        return {row["user_id"]: tuple(row["interests"]) for row in rows}
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise Misuse(
            f"{raw}: has no {TRUTH} of `drr data sample` that can be read ({error}); write the sample again"
        ) from error


def _write_parts(streams: list[BinaryIO], parts: list[tuple[int, bytes]]) -> None:
    for place, lines in parts:
        streams[place].write(lines)


@contextmanager
def _gzip(path: Path) -> Iterator[BinaryIO]:
    """Open a gzip file without name or time in it, so that equal content gives an equal file."""
    from isal import igzip

    with path.open("wb") as raw:
        make: Any = igzip.IGzipFile
        with make(filename="", mode="wb", compresslevel=1, fileobj=raw, mtime=0) as stream:
            yield stream
