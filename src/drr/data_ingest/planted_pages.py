"""Writes the web pages about single products of a made shop: makers' data sheets, tests, price lists of other shops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from random import Random
from typing import Any, Literal

from drr.data_ingest.fresh import invented_names, templates
from drr.data_ingest.sample_products import load_vocabulary
from drr.env.web.sandbox import Document

Shape = Literal["sheet", "test", "outlet"]
_OLDER = 1 / 3
"""The share of pages that have an older edition."""


@dataclass
class TablePage:
    """A page with a table of products, which is filled row by row."""

    url: str
    title: str
    day: date
    intro: str
    after: str
    older: TablePage | None = None
    columns: dict[str, None] = field(default_factory=dict)
    rows: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def put(self, name: str, cells: Mapping[str, str]) -> None:
        self.columns.update(dict.fromkeys(cells))
        self.rows[name] = cells

    def document(self, *, newest: bool) -> Document:
        body = ([name, *(cells.get(one, "-") for one in self.columns)] for name, cells in self.rows.items())
        table = [["", *self.columns], ["---"] * (1 + len(self.columns)), *body]
        lines = ["| " + " | ".join(cells) + " |" for cells in table]
        return Document(
            url=self.url,
            title=self.title,
            text="\n".join([self.intro, "", *lines, "", self.after]),
            date=self.day.isoformat(),
            kind="supportive" if newest else "distractor",
        )


class PlantedPages:
    """The pages of a shop by shape and key. Each is drawn from the seed and its key alone, so rows may come in any order."""

    def __init__(self, seed: int) -> None:
        self._seed, self._pages = seed, dict[tuple[str, ...], TablePage]()

    def page(self, shape: Shape, *key: str, host: str = "", **slots: str) -> TablePage:
        """Return a page. Pages with the same `host` lie on one host, and those with the same key are one page."""
        found = self._pages.get((shape, *key))
        if found is None:
            found = self._pages[(shape, *key)] = self._drawn(shape, key, host, slots)
        return found

    def documents(self) -> list[Document]:
        """Return the pages that have rows."""
        pages = list(self._pages.values())
        older = (page.older for page in pages if page.older is not None and page.older.rows)
        return list(
            chain(
                (page.document(newest=True) for page in pages if page.rows),
                (page.document(newest=False) for page in older),
            )
        )

    def _drawn(self, shape: Shape, key: tuple[str, ...], host: str, slots: Mapping[str, str]) -> TablePage:
        words = templates()["planted"][shape]
        names = invented_names(Random(f"planted:{self._seed}:{shape}:{host or '|'.join(key)}"))
        place = next(names)
        rng = Random(f"planted:{self._seed}:{shape}:{'|'.join(key)}")
        day = date(rng.randint(*words["years"]), rng.randint(1, 8), rng.randint(14, 28))
        author = " ".join(_two(rng))
        known = {"place": place, "author": author, "count": str(rng.randint(2, 400)), **slots}
        page = _written(words, known, day)
        if "older" in words and rng.random() < _OLDER:
            page.older = _written(words, known, day.replace(year=day.year - rng.randint(*words["older"])))
        return page


def _two(rng: Random) -> tuple[str, str]:
    names = invented_names(rng)
    return next(names), next(names)


def _written(words: Mapping[str, Any], slots: Mapping[str, str], day: date) -> TablePage:
    month = load_vocabulary().general["months"][day.month - 1]
    known = {**slots, "month": month, "year": day.year}
    title = str(words["title"]).format_map(known)
    host = _slug(str(words["host"]).removesuffix(".example").format_map(known))
    intro, after = (" ".join(one.format_map(known) for one in words[part]) for part in ("intro", "after"))
    return TablePage(f"https://{host}.example/{_slug(title)}", title, day, intro, after)


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
