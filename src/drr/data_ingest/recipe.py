"""Defines the choices of an ingest: which files of Amazon-Reviews-2023, where they lie, and how they are used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_args

from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject

ALL = (
    "All_Beauty",
    "Toys_and_Games",
    "Cell_Phones_and_Accessories",
    "Industrial_and_Scientific",
    "Gift_Cards",
    "Musical_Instruments",
    "Electronics",
    "Handmade_Products",
    "Arts_Crafts_and_Sewing",
    "Baby_Products",
    "Health_and_Household",
    "Office_Products",
    "Digital_Music",
    "Grocery_and_Gourmet_Food",
    "Sports_and_Outdoors",
    "Home_and_Kitchen",
    "Subscription_Boxes",
    "Tools_and_Home_Improvement",
    "Pet_Supplies",
    "Video_Games",
    "Kindle_Store",
    "Clothing_Shoes_and_Jewelry",
    "Patio_Lawn_and_Garden",
    "Unknown",
    "Books",
    "Automotive",
    "CDs_and_Vinyl",
    "Beauty_and_Personal_Care",
    "Amazon_Fashion",
    "Magazine_Subscriptions",
    "Software",
    "Health_and_Personal_Care",
    "Appliances",
    "Movies_and_TV",
)
EIGHT = (
    "Baby_Products",
    "Beauty_and_Personal_Care",
    "Health_and_Household",
    "Home_and_Kitchen",
    "Office_Products",
    "Patio_Lawn_and_Garden",
    "Pet_Supplies",
    "Tools_and_Home_Improvement",
)
"""The paper's nine phrases read as file names; 8 x 10,000 is its 80k."""
TEN = (*EIGHT, "All_Beauty", "Health_and_Personal_Care")
"""The eight categories and two more: the paper's example product is of All_Beauty."""
NAMED_SETS = {"ten": TEN, "eight": EIGHT}
PRESENT = "all"
"""The word for every category that lies in the folder."""


def parse_categories(text: str) -> tuple[str, ...] | None:
    """Return the categories in a `--categories` value, in official order; `None` for all that are present."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if words == [PRESENT]:
        return None
    chosen: set[str] = set()
    for word in words:
        chosen.update(NAMED_SETS.get(word.casefold()) or (_official(word),))
    if not chosen:
        raise Misuse("--categories: names nothing; give `ten`, `eight`, `all` or names such as Pet_Supplies")
    return in_official_order(chosen)


def in_official_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=ALL.index))


def _official(word: str) -> str:
    by_key = {_key(name): name for name in ALL}
    found = by_key.get(_key(word))
    if found:
        return found
    near = [by_key[key] for key in get_close_matches(_key(word), by_key, 3, 0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"the 34 names are {', '.join(sorted(ALL))}"
    raise Misuse(f"--categories: no category {word!r}; {hint}")


def _key(name: str) -> str:
    """Return a key under which `Pet Supplies`, `pet-supplies` and `Pet_Supplies` are one name; `&` is `and`."""
    words = (
        name.casefold().replace("&", " and ").replace(",", " ").replace("_", " ").replace("-", " ").split()
    )
    return " ".join(words)


Pick = Literal["meta-prefix", "review-prefix"]
Orders = Literal["all", "since"]
Statuses = Literal["delivered", "varied"]


@dataclass(frozen=True)
class Recipe:
    """The choices of an ingest. The defaults are the literal reading of the paper's Algorithm 1, whose actual choices are unknown."""

    categories: tuple[str, ...] = TEN
    max_products: int = 10_000
    """Most products of each category."""
    min_reviews: int = 5
    since: str = "2019-01-01"
    pick: Pick = "meta-prefix"
    seed: int = 7
    orders: Orders = "all"
    statuses: Statuses = "delivered"
    limit_reviews: int | None = None
    """Most lines read of each review file."""
    max_bad: float = 0.01
    """The share of a file's rows that may be unreadable."""
    keep_reviews: bool = False
    """True to keep titles, texts and ratings of reviews too; no tool shows them."""

    def __post_init__(self) -> None:
        for name, least in (("max_products", 1), ("min_reviews", 0), ("seed", 0)):
            if getattr(self, name) < least:
                raise Misuse(f"--{name.replace('_', '-')} {getattr(self, name)}: must be at least {least}")
        if self.limit_reviews is not None and self.limit_reviews < 1:
            raise Misuse(f"--limit-reviews {self.limit_reviews}: must be at least 1")
        if not 0 <= self.max_bad <= 1:
            raise Misuse(f"--max-bad {self.max_bad}: is a share between 0 and 1, such as 0.01")
        for name, kind in (("pick", Pick), ("orders", Orders), ("statuses", Statuses)):
            if getattr(self, name) not in get_args(kind):
                raise Misuse(f"--{name} {getattr(self, name)}: choose one of {', '.join(get_args(kind))}")
        try:
            date.fromisoformat(self.since)
        except ValueError:
            raise Misuse(f"--since {self.since}: is no date; write it like 2019-01-01") from None

    @property
    def since_ms(self) -> int:
        start = datetime.combine(date.fromisoformat(self.since), datetime.min.time(), UTC)
        return int(start.timestamp() * 1000)

    def document(self) -> JsonObject:
        """Return the recipe as a document, without unused options. A shop without reviews keeps the recipe that it always had."""
        document = {**asdict(self), "categories": list(self.categories)}
        if not self.keep_reviews:
            del document["keep_reviews"]
        return document


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
    """Return a pair for each category, in official order; `None` means all present. `chosen`: the user named the categories."""
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
        for paths in (metas[name], reviews[name]):
            if len(paths) > 1:
                raise DrrError(f"{paths[0]} and {paths[1]}: two files of one category; move one of them away")
            _refuse_pointer(paths[0])
    return [FilePair(name, metas[name][0], reviews[name][0]) for name in in_official_order(categories)]


def _files(raw: Path) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
    """Find all files of each category. If there are two, the right one cannot be known."""
    metas: dict[str, list[Path]] = {}
    reviews: dict[str, list[Path]] = {}
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
                    if path.is_file():
                        found.setdefault(name, []).append(path)
    return metas, reviews


def _refuse_pointer(path: Path) -> None:
    """Raise an error for a Git LFS pointer. A clone of the hub without its large files has a few lines of text in place of each."""
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


def _refuse_missing(
    raw: Path, name: str, metas: dict[str, list[Path]], reviews: dict[str, list[Path]]
) -> None:
    if name in metas or name in reviews:
        there = (metas.get(name) or reviews[name])[0]
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
