"""Finds the pairs of raw files, in the official layout or in one flat folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drr.data_ingest.categories import ALL, TEN, in_official_order
from drr.env.errors import DrrError, Misuse

SUFFIXES = (".jsonl.gz", ".jsonl")
DOWNLOAD = (
    "get the missing files by `drr data get` (raw/review_categories/X.jsonl.gz, raw/meta_categories/"
    "meta_X.jsonl.gz)"
)

_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class FilePair:
    """The two files of one category."""

    category: str
    meta: Path
    reviews: Path


def find_pairs(raw: Path, categories: tuple[str, ...] | None, *, chosen: bool) -> list[FilePair]:
    """A pair for each category, in official order; `None` is all that are there. `chosen`: the user named them, they are not the default."""
    if not raw.exists():
        raise Misuse(f"{raw}: there is no such folder; give the one that holds the Amazon-2023 files")
    if not raw.is_dir():
        raise Misuse(f"{raw}: is a file; give the folder that holds the Amazon-2023 files")
    metas, reviews = _files(raw)
    if not metas and not reviews:
        raise Misuse(
            f"{raw}: holds no Amazon-2023 file (X.jsonl.gz and meta_X.jsonl.gz, flat or under raw/review_categories "
            "and raw/meta_categories); get them by `drr data get`, or make some with `drr data sample`"
        )
    if categories is None:
        categories = tuple({*metas, *reviews})
    elif not chosen:
        _refuse_partial_default(raw, set(metas) & set(reviews), set(metas) | set(reviews))
    for name in in_official_order(categories):
        if name not in metas or name not in reviews:
            _refuse_missing(raw, name, metas, reviews)
        for path in (metas[name], reviews[name]):
            _refuse_twin(path)
            _refuse_pointer(path)
    return [FilePair(name, metas[name], reviews[name]) for name in in_official_order(categories)]


def _files(raw: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    metas: dict[str, Path] = {}
    reviews: dict[str, Path] = {}
    for base in (raw / "raw", raw):
        for name in ALL:
            for folder, stem, found in (
                (base / "meta_categories", f"meta_{name}", metas),
                (base / "meta_categories", name, metas),  # the hub's first upload
                (base / "review_categories", name, reviews),
                (base, f"meta_{name}", metas),
                (base, name, reviews),
            ):
                for suffix in SUFFIXES:
                    path = folder / (stem + suffix)
                    if name not in found and path.is_file():
                        found[name] = path
    return metas, reviews


def _refuse_twin(path: Path) -> None:
    """Both spellings of one name: which of them is meant, nobody knows."""
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    both = [path.with_name(stem + suffix) for suffix in SUFFIXES]
    if all(one.is_file() for one in both):
        raise DrrError(f"{both[0]} and {both[1]}: two files of one name; move one of them away")


def _refuse_pointer(path: Path) -> None:
    """A hub's clone without its large files has a few lines of text in place of each."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_POINTER))
    except OSError:
        return  # said better by the one who reads it
    if start == _POINTER:
        raise DrrError(
            f"{path}: is a Git LFS pointer and not the file itself; run `git lfs pull` in that folder"
        )


def _refuse_partial_default(raw: Path, paired: set[str], seen: set[str]) -> None:
    missing = [name for name in TEN if name not in seen]
    if not missing:
        return
    have = in_official_order(paired)
    here = f"--categories {','.join(have)}" if have else "--categories"
    raise Misuse(
        f"{raw}: has {len(TEN) - len(missing)} of the ten default categories; missing: {', '.join(missing)}; "
        f"load what is there with `{here}`, or {DOWNLOAD}"
    )


def _refuse_missing(raw: Path, name: str, metas: dict[str, Path], reviews: dict[str, Path]) -> None:
    if name in metas or name in reviews:
        there = metas.get(name) or reviews[name]
        lost = f"{name}.jsonl.gz" if name in metas else f"meta_{name}.jsonl.gz"
        raise DrrError(
            f"{there}: its pair {lost} is missing in {raw}; a category needs its reviews and its metadata: download "
            "it, or leave the category out with --categories"
        )
    have = in_official_order(set(metas) & set(reviews))
    raise Misuse(
        f"{raw}: has no file of {name}; there are {', '.join(have) or 'no complete pairs'}; choose among them with "
        f"--categories, or {DOWNLOAD}"
    )
