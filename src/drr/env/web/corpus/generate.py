"""Makes the sandbox's documents from fact tables, templates and hand-written pages.

A template is a page as `drr web build` takes it, with the names of facts in braces. Facts missing from the tables are computed here.
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.web.sandbox import DOCUMENTS, MANIFEST, SandboxManifest, build_sandbox

FOLDER = Path(__file__).parent
_RANKERS = ("topten-picks.example", "dealhound.example", "bestly-reviews.example", "gear-crowd.example")
_BRANDS = ("Primora", "Zentek", "Ultrahaus", "Nordvik", "Everplus", "Kordiva", "Maxellence", "Trufab", "Halcyo")  # fmt: skip
_FORUMS = ("askaround-board.example", "thread-town.example")
_POSTERS = ("mossy_hat", "BigLarry61", "quietcorner", "nanaof5", "torque_fan", "userunknown", "pinecone22")
_FEEDERS = (
    (("Woodpecker", "Nuthatch"), "a suet cage"),
    (("Goldfinch", "Siskin", "Redpoll"), "a fine-mesh tube with nyjer"),
    (("Junco", "Sparrow", "Towhee", "Dove"), "a low tray or bare ground with white millet"),
    (("Bluebird",), "a cup of mealworms"),
)
"""Bird feeders, by a word of the names of the birds that use them."""


def write(target: Path) -> SandboxManifest:
    """Write `documents.jsonl` and `sandbox.json` to `target`, by the same code that `drr web build` runs."""
    with tempfile.TemporaryDirectory() as scratch:
        source, built = Path(scratch, "source"), Path(scratch, "built")
        shutil.copytree(FOLDER / "pages", source)
        built.mkdir()
        for number, page in enumerate(_pages()):
            (source / f"{number}.md").write_text(page, encoding="utf-8")
        manifest = build_sandbox(source, built)
        for name in (DOCUMENTS, MANIFEST):
            (target / name).write_bytes((built / name).read_bytes())
    return manifest


def _pages() -> Iterator[str]:
    """Yield each page as text: pages about places first, then guides, then misleading pages."""
    birds, distractors = _facts("birds"), _facts("distractors")
    for state, row in birds["states"].items():
        yield _page("state", row, **_state(birds, state, row))
    for row in _facts("regions")["region"]:
        yield _page("pollen", row, date=_day(row["slug"], 2022))
        yield _page("calendar", row, date=_day("calendar" + row["slug"], 2021))
    for row in _facts("guides")["guide"]:
        yield _page("guide", row, **_guide(row))
    for number, row in enumerate(distractors["ranking"]):
        yield _page("ranking", row, **_ranking(number, row["thing"]))
    for row in distractors["outdated"]:
        year, title = row["year"], row["title"]
        more = {"fee": year % 40 + 3, "raised": year % 700 + 120}
        yield _page("outdated", row, slug=_slug(title), date=_day(title, year), **more)
    for number, row in enumerate(distractors["thread"]):
        yield _page("thread", row, **_thread(number, row))
    for row in distractors["near"]:
        yield _page("near", row, slug=_slug(row["title"]), date=_day(row["title"], 2019))
    for row in _facts("noise")["page"]:
        yield _page("noise", row)


def _facts(name: str) -> JsonObject:
    return tomllib.loads((FOLDER / "facts" / f"{name}.toml").read_text(encoding="utf-8"))


def _page(template: str, row: Mapping[str, Any], **more: object) -> str:
    text = (FOLDER / "templates" / f"{template}.md").read_text(encoding="utf-8")
    return text.format_map({**row, "topics": ", ".join(row.get("topics", ())), **more})


def _slug(text: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _day(seed: str, year: int) -> str:
    """Return a day of the year that depends only on the seed."""
    number = int(sha256(seed.encode()).hexdigest()[:8], 16)
    return f"{year}-{number % 12 + 1:02d}-{number // 12 % 28 + 1:02d}"


def _state(birds: JsonObject, state: str, row: JsonObject) -> JsonObject:
    region = birds["regions"][row["region"]]
    guests = [*row["specials"], *region["species"]]
    wanted = ["a hopper or tray with black oil sunflower"]
    wanted += [feeder for words, feeder in _FEEDERS if any(word in bird for bird in guests for word in words)]
    return {
        "state": state,
        "slug": _slug(state),
        "date": _day(state, 2022),
        "foods": _table(["Bird", "Offer"], [[name, birds["species"][name]] for name in guests]),
        "feeders": "To serve all of them you want " + ", ".join(wanted[:-1]) + f" and {wanted[-1]}.",
        "water": region["water"],
        "plants": ", ".join(region["plants"]),
        "hummingbirds": _hummingbirds(state, row),
    }


def _hummingbirds(state: str, row: JsonObject) -> str:
    if row["arrives"].startswith("none"):
        return f"Do not hang a nectar feeder in {state}: {row['arrives'].removeprefix('none: ')}."
    if row["arrives"].startswith("resident"):
        return (
            f"The {row['hummingbird']} Hummingbird is {row['arrives']} in {state} and {row['leaves']}. Keep a feeder up all year "
            "and warm it on frosty mornings. One part white sugar to four parts water, without dye."
        )
    return (
        f"{row['hummingbird']} Hummingbird in {state}. Arrives: {row['arrives']}. Leaves: {row['leaves']}. Hang the feeder a week before "
        "the first arrive and leave it two weeks after you saw the last. One part white sugar to four parts water, without dye."
    )


def _guide(guide: JsonObject) -> JsonObject:
    columns, rows = guide["columns"], guide["rows"]
    ends = "\n".join(
        f"- {row[0]}: "
        + "; ".join(f"{name.lower()} {cell}" for name, cell in zip(columns[1:], row[1:], strict=True) if name)
        for row in (rows[0], rows[-1])
    )
    # Rows that begin with a number are steps of a scale; others are things beside one another.
    scale = all(row[0][0].isdigit() for row in rows)
    return {
        "table": _table(columns, rows),
        "sections": "\n\n".join(f"## {heading}\n\n{text}" for heading, text in guide["sections"]),
        "ends": ends,
        "in_words": "The two ends of the table in words:"
        if scale
        else "The first and the last row in words:",
        "between": "In between, take the next larger figure. " if scale else "",
    }


def _ranking(number: int, thing: str) -> JsonObject:
    year, host = 2020 + number % 4, _RANKERS[number % 4]
    brands = [_BRANDS[(number + place) % len(_BRANDS)] for place in range(4)]
    places = (
        f"{place}. **{brand} {thing[:1].upper() + thing[1:]} {'Pro' if place == 1 else 'Plus'} {100 * (number % 7 + place)}** - "
        f"score {9.9 - 0.2 * place:.1f} of 10. [See today's price](https://{host}/go/{number}{place})"
        for place, brand in enumerate(brands, 1)
    )
    return {
        "host": host,
        "slug": _slug(thing),
        "year": year,
        "date": _day(thing, year),
        "shown": 9 + number % 5,
        "places": "\n".join(places),
        "first": brands[0],
        "second": brands[1],
    }


def _thread(number: int, row: JsonObject) -> JsonObject:
    title, posts = row["title"], row["posts"]
    shown = (
        f"**{_poster(number + place)}** wrote, {'to open the thread' if place == 0 else f'{place * 3} hours later'}:\n\n{post}"
        + (" (Seen this in two places, so it must be true.)" if place == 2 else "")
        for place, post in enumerate(posts)
    )
    return {
        "host": _FORUMS[number % 2],
        "number": 4100 + number * 13,
        "slug": _slug(title),
        "date": _day(title, 2017 + number % 6),
        "count": len(posts),
        "views": number * 37 + 212,
        "shown": "\n\n".join(shown),
        "last": _poster(number + 5),
        "older": number + 14,
    }


def _poster(number: int) -> str:
    return _POSTERS[number % len(_POSTERS)]
