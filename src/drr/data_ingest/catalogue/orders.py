"""Reads orders into columns. A row without product, user or date, or with an unusable number, goes to quarantine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeVar

import numpy as np
from drr.data_ingest.catalogue.columns import UnreadCells
from drr.data_ingest.catalogue.mapping import MappedFile
from drr.data_ingest.catalogue.people import People
from drr.data_ingest.catalogue.rows import Batch
from drr.data_ingest.catalogue.values import Cell, all_texts, first_numbers, moment_of, text_of, whole_of
from drr.data_ingest.packing import I64, U64, row_hashes
from drr.data_ingest.quarantine import Quarantine
from drr.env.entities import ORDER_STATUSES, RECORDED_STATUSES
from drr.env.errors import DrrError
from drr.wording.excerpt import many
from numpy.typing import NDArray

FIELDS = ("id", "product", "user", "date", "quantity", "status")
_KINDS = (np.int64, np.int64, np.int64, np.int32, np.int8, np.uint64, np.int64)
"""Product, user, time, quantity, status, hash of the order's number, and the line."""
_MOST = 1_000_000
"""Most pieces of one order."""
_SAMPLE = 1_000
_REFUSED, _SHOP = "refused_product", "unknown_product"
"""Rows that are no bad ones: shops keep orders of what they no longer list."""
_EMPTY, _UNREADABLE = -2, -3
_MONTHS = _FEW = 12
_NAMED, _CUT, _WORD = 5, 30, '"WORD"'
"""Most words that an error repeats, and most letters of each."""
_CODES: Mapping[str, int] = {name: k for k, name in enumerate(RECORDED_STATUSES)}
Key = TypeVar("Key")


def _read_cells(cells: Sequence[Key], read: Callable[[Key], int]) -> I64:
    """Return the value of each cell, as read by `read`. Equal cells are read once."""
    known = {cell: read(cell) for cell in set(cells)}
    return np.fromiter(map(known.__getitem__, cells), np.int64, len(cells))


class OrderForms:
    """Forms in which a file writes dates and statuses. Raises `DrrError` for dates with two readings and for words of no known meaning."""

    def __init__(self, mapped: MappedFile, language: str | None) -> None:
        self._language = language
        means: dict[str, str] = {**{name: name for name in ORDER_STATUSES}, **mapped.table.statuses}
        self._any = [means.get(name) for name in mapped.columns["status"]]
        self._words = {word.casefold(): status for word, status in means.items()}
        self._form = mapped.table.dates
        doubtful, strange = dict[str, tuple[int, int]](), dict[str, int]()
        for batch in mapped.batches(("date", "status")):
            if not self._form and not isinstance(batch.cells["date"], np.ndarray):
                texts = dict.fromkeys(all_texts(batch.cells["date"]))
                doubtful |= {text: pair for text in texts if (pair := first_numbers(text))}
            words = _texts(batch.cells.get("status", ()))
            if not _CODES.keys() >= {*map(self._status, {*words})}:
                for line, word in zip(batch.lines, map(self._status, words), strict=True):
                    strange.setdefault(word, line)
        days, months = (sum(one[k] > _MONTHS for one in doubtful.values()) for k in (0, 1))
        self._day_first = days > 0
        if doubtful and self._day_first == (months > 0):
            raise DrrError(
                f"{mapped.name}: {_with_two_readings(doubtful)} has two readings, and {many(days, 'date')} can only have the day first, {months} "
                'only the month; say in the mapping: [orders] dates = "%d/%m/%Y" or "%m/%d/%Y"'
            )
        if unknown := {line: word for word, line in strange.items() if word not in _CODES}:
            raise _unknown_statuses(mapped.name, unknown)

    def _status(self, texts: tuple[str, ...]) -> str:
        """Return a row's status, from the first cell that has one, or a word that the mapping does not explain."""
        for text, means in zip(map(str.casefold, texts), self._any, strict=True):
            if text and (status := means or self._words.get(text, text)):
                return status
        return "Unknown"

    def codes(self, cells: Sequence[tuple[Cell, ...]]) -> I64:
        return _read_cells(_texts(cells), lambda texts: _CODES[self._status(texts)])

    def times(self, cells: Sequence[Cell]) -> I64:
        if isinstance(cells, np.ndarray):
            return np.where(cells < 0, _EMPTY, cells)
        return _read_cells(all_texts(cells), self._time)

    def _time(self, text: str) -> int:
        moment = moment_of(text, self._form, self._day_first, self._language)
        return _EMPTY if not text else _UNREADABLE if moment is None else moment


def _with_two_readings(dates: Mapping[str, tuple[int, int]]) -> str:
    """Return the first date that may have the day or the month first, else the first of all."""
    return next((text for text, pair in dates.items() if max(pair) <= _MONTHS), next(iter(dates)))


def _unknown_statuses(name: str, words: Mapping[int, str]) -> DrrError:
    """Return the error about words of a status, by their first lines. Many of them are texts of another column, and are not repeated."""
    lines = sorted(words)
    at = ", ".join(f"{line:,}" for line in lines[:_FEW])
    shown = [
        json.dumps(one[:_CUT], ensure_ascii=not one.isprintable()) for one in map(words.__getitem__, lines)
    ]
    some = f": {', '.join(shown[:_NAMED])}" if len(shown) <= _FEW else ""
    return DrrError(
        f"{name}: {len(lines)} words of the status (first on line {at}) are none of {', '.join(ORDER_STATUSES)}{some}; say what each "
        f'means in the mapping: [orders.statuses] {shown[0] if some else _WORD} = "..."'
    )


def _texts(rows: Sequence[tuple[Cell, ...]]) -> list[tuple[str, ...]]:
    return list(zip(*map(all_texts, zip(*rows, strict=True)), strict=True))


class CatalogueOrders:
    """The orders of all files, in columns. `product` is a position among the products, `user` a code of `People`."""

    def __init__(
        self, products: Mapping[str, int], people: People, latest_ms: int, refused: Set[str] = frozenset()
    ) -> None:
        """`refused` are ids of rows that became no product."""
        self._products, self._people, self._latest, self._refused = products, people, latest_ms, refused
        self._parts: list[tuple[NDArray[Any], ...]] = [tuple(np.empty(0, kind) for kind in _KINDS)]
        self._files: list[tuple[str, int]] = [("", 0)]
        self.notes: Counter[str] = Counter()
        self._cells: dict[str, UnreadCells] = {}
        self.some_numbers = set[str]()
        """Numbers of the first orders, which show the forms that they have."""

    def error(self, mapped: MappedFile) -> DrrError | None:
        """Return the error about a file's columns, or `None`."""
        return self._cells[mapped.name].error() if mapped.name in self._cells else None

    def add(self, mapped: MappedFile, forms: OrderForms, batch: Batch, quarantine: Quarantine) -> None:
        """Add the orders of a batch."""
        cells, count, people = batch.cells, len(batch.lines), self._people
        products, users = all_texts(cells["product"]), all_texts(cells["user"])
        numbers, pieces = (all_texts(cells.get(field, [""] * count)) for field in ("id", "quantity"))
        self.notes["orders_taken_as_one_piece"] += pieces.count("")
        self.some_numbers.update(numbers[: max(0, _SAMPLE - len(self.some_numbers))])
        product = np.fromiter((self._products.get(one, -1) for one in products), np.int64, count)
        time = forms.times(cells["date"])
        quantity = _read_cells(pieces, lambda text: whole_of(text) or 0 if text else 1)
        unusable = (quantity < 1) | (quantity > _MOST)
        seen = self._cells.setdefault(mapped.name, UnreadCells(mapped))
        seen.add_column(
            "quantity", count - pieces.count(""), (pieces[k] for k in np.flatnonzero(unusable).tolist())
        )
        undated = np.flatnonzero(time == _UNREADABLE).tolist()
        seen.add_column("date", int((time != _EMPTY).sum()), (text_of(cells["date"][k]) for k in undated))
        wrong = {
            "no_product": [not one for one in products],
            "no_user": [not one for one in users],
            "user_unusable": [not people.is_usable_id(one) for one in users],
            "no_date": time == _EMPTY,
            "date_unreadable": time == _UNREADABLE,
            "date_out_of_range": (time < 0) | (time > self._latest),
            "quantity_unusable": unusable,
            _REFUSED: [
                k < 0 and one in self._refused for k, one in zip(product.tolist(), products, strict=True)
            ],
            _SHOP: product < 0,
        }
        reasons = np.select([np.array(mask, np.bool_) for mask in wrong.values()], list(wrong), "")
        good = reasons == ""
        for k in np.flatnonzero(~good).tolist():
            quarantine.put(batch.lines[k], str(reasons[k]), bad=reasons[k] not in (_REFUSED, _SHOP))
        user = np.fromiter(
            (people.code(one) if ok else 0 for one, ok in zip(users, good.tolist(), strict=True)),
            np.int64,
            count,
        )
        order = np.fromiter((people.hash_of(one) if one else 0 for one in numbers), np.uint64, count)
        status = forms.codes(cells["status"]) if "status" in cells else np.full(count, _CODES["Unknown"])
        columns = (product, user, time, quantity, status, order, batch.lines)
        self._parts.append(
            tuple(np.asarray(column, kind)[good] for column, kind in zip(columns, _KINDS, strict=True))
        )
        self._files.append((mapped.name, len(self._parts[-1][0])))

    def close(self, quarantine: Quarantine) -> tuple[NDArray[Any], ...]:
        """Return all columns without copies. A copy has the same user and product, and the same order number or else time."""
        *columns, lines = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        self._parts.clear()
        product, user, time, _, _, order = columns
        same = np.where(order != 0, order, time.view(np.uint64))
        key: U64 = row_hashes(product.view(np.uint64), user.view(np.uint64), same)
        ranked = np.argsort(key, kind="stable")
        copies = np.sort(ranked[1:][key[ranked][1:] == key[ranked][:-1]])
        ends = np.cumsum([size for _, size in self._files])
        for k in copies.tolist():
            quarantine.begin(self._files[int(np.searchsorted(ends, k, "right"))][0])
            quarantine.put(int(lines[k]), "order_twice")
        return tuple(np.delete(column, copies) for column in columns)
