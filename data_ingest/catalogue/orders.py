"""Reads orders into columns. A row without product, user or date, or with an unusable number, goes to quarantine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from drr.data_ingest.catalogue.batches import Batch, StatusWords
from drr.data_ingest.catalogue.mapping import MappedFile, OrderMap
from drr.data_ingest.catalogue.people import People
from drr.data_ingest.catalogue.values import Cell, all_texts, moment_of, text_of, whole_of
from drr.data_ingest.packing import I64, U64, mix
from drr.data_ingest.quarantine import Quarantine
from drr.env.entities import RECORDED_STATUSES
from numpy.typing import NDArray

_MOST = 1_000_000
"""Most pieces of one order."""
_REASONS = (
    "", "no_product", "no_user", "user_unusable", "no_date", "date_unreadable", "date_out_of_range", "quantity_unusable",
    "unknown_product",
)  # fmt: skip
_AT = {reason: k for k, reason in enumerate(_REASONS)}
_SHOP = "unknown_product"
"""A row that is no bad one: shops keep orders of what they no longer list."""


FIELDS = ("id", "product", "user", "date", "quantity", "status")


class CatalogueOrders:
    """The orders of all files, in columns. `product` is a position among the products, `user` a code of `People`."""

    def __init__(self, products: Mapping[str, int], people: People, latest_ms: int) -> None:
        self._products, self._people, self._latest = products, people, latest_ms
        self._parts: list[tuple[NDArray[Any], ...]] = [tuple(np.empty(0, kind) for kind in _KINDS)]
        self._files: list[tuple[str, int]] = [("", 0)]
        self.notes: Counter[str] = Counter()

    def add(
        self, mapped: MappedFile, day_first: bool, status: StatusWords, batch: Batch, quarantine: Quarantine
    ) -> None:
        """Add the orders of a batch."""
        columns, reasons = self._columns(mapped, batch, day_first, status)
        for k in np.flatnonzero(reasons).tolist():
            reason = _REASONS[reasons[k]]
            quarantine.put(int(batch.lines[k]), reason, bad=reason != _SHOP)
        good = reasons == 0
        lines = np.asarray(batch.lines, np.int64)
        self._parts.append(tuple(column[good] for column in (*columns, lines)))
        self._files.append((mapped.name, int(np.count_nonzero(good))))

    def _columns(
        self, mapped: MappedFile, batch: Batch, day_first: bool, status: StatusWords
    ) -> tuple[tuple[NDArray[Any], ...], NDArray[np.int8]]:
        table, cells, count = mapped.table, batch.cells, len(batch.lines)
        assert isinstance(table, OrderMap)
        people, reasons = self._people, np.zeros(count, np.int8)

        def refuse(mask: Any, reason: str) -> None:
            reasons[np.asarray(mask, np.bool_) & (reasons == 0)] = _AT[reason]

        products = all_texts(cells["product"])
        users = all_texts(cells["user"])
        product = np.fromiter((self._products.get(one, -1) for one in products), np.int64, count)
        time = _times(cells["date"], table.dates, day_first)
        quantity = _quantities(cells.get("quantity"), count, self.notes)
        refuse([not one for one in products], "no_product")
        refuse([not one for one in users], "no_user")
        refuse([not people.takes(one) for one in users], "user_unusable")
        refuse(time == _EMPTY, "no_date")
        refuse(time == _UNREADABLE, "date_unreadable")
        refuse((time < 0) | (time > self._latest), "date_out_of_range")
        refuse((quantity < 1) | (quantity > _MOST), "quantity_unusable")
        refuse(product < 0, "unknown_product")
        fine = (reasons == 0).tolist()
        user = np.fromiter(
            (people.code(one) if ok else 0 for one, ok in zip(users, fine, strict=True)), np.int64, count
        )
        numbers = all_texts(cells.get("id") or [""] * count)
        order = np.fromiter((people.hash_of(one) if one else 0 for one in numbers), np.uint64, count)
        known = map(status.code, cells["status"]) if "status" in cells else [_NO_STATUS] * count
        state = np.fromiter(known, np.int8, count)
        return (product, user, time, quantity.astype(np.int32), state, order), reasons

    def close(self, quarantine: Quarantine) -> tuple[NDArray[Any], ...]:
        """Return all columns without copies. A copy has the same user and product, and the same order number or else time."""
        *columns, lines = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        self._parts.clear()
        product, user, time, _, _, order = columns
        same = np.where(order != 0, order, time.view(np.uint64))
        key: U64 = mix(product.view(np.uint64), user.view(np.uint64), same)
        ranked = np.argsort(key, kind="stable")
        copies = np.sort(ranked[1:][key[ranked][1:] == key[ranked][:-1]])
        ends = np.cumsum([size for _, size in self._files])
        for k in copies.tolist():
            quarantine.begin(self._files[int(np.searchsorted(ends, k, "right"))][0])
            quarantine.put(int(lines[k]), "order_twice")
        kept = np.ones(len(key), np.bool_)
        kept[copies] = False
        return tuple(column[kept] for column in columns)


_KINDS = (np.int64, np.int64, np.int64, np.int32, np.int8, np.uint64, np.int64)
"""Product, user, time, quantity, status, hash of the order's number, and the line."""
_EMPTY, _UNREADABLE = -2, -3
_NO_STATUS = RECORDED_STATUSES.index("Unknown")


def _times(cells: Sequence[Cell], form: str | None, day_first: bool) -> I64:
    if isinstance(cells, np.ndarray):
        return np.where(cells < 0, _EMPTY, cells)
    found = []
    for cell in cells:
        moment = moment_of(cell, form, day_first)
        found.append(moment if moment is not None else _UNREADABLE if text_of(cell) else _EMPTY)
    return np.array(found, np.int64)


def _quantities(cells: Sequence[Cell] | None, count: int, notes: Counter[str]) -> I64:
    """Return the numbers of pieces. A row that tells none is one piece, which is counted; one that cannot be read is 0."""
    if cells is None:
        notes["orders_taken_as_one_piece"] += count
        return np.ones(count, np.int64)
    texts = all_texts(cells)
    notes["orders_taken_as_one_piece"] += texts.count("")
    values = {text: whole_of(text) or 0 if text else 1 for text in set(texts)}
    return np.fromiter(map(values.__getitem__, texts), np.int64, count)
