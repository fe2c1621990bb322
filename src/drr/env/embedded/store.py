"""Reads records from the shop's SQLite file. It is read-only, and each thread of each process has its own connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import nsmallest
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson
from drr.env.content import SlipRow, slip_of
from drr.env.embedded.layout import Connections
from drr.env.entities import (
    ORDER_STATUSES,
    RECORDED_STATUSES,
    KeptReview,
    Order,
    OrderStatus,
    Product,
    User,
    bound_ms,
    iso_from_ms,
    product_address,
)
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.search.read_query import Lexicon
from drr.env.shop import IdKind, Manifest, OrderPage
from drr.env.statistics import Purchase, UserStatistics, user_statistics
from drr.env.text import is_text, nearest, person_key, sample_key
from pydantic import TypeAdapter

_ORDERS = TypeAdapter(list[Order])
_NAMES = ("user_id", "email", "first_name", "last_name", "phone_number", "address1", "city", "state", "zip", "country", "account_status")  # fmt: skip
_USER = f"select id, {', '.join(_NAMES[1:])} from user"
USER_ROWS = _USER + " order by k"
_ORDER = (
    "o.id, p.id, o.ts, o.quantity, o.status{} from purchase o cross join product p on p.k = o.product_k{}"
)
SLIP = ", ".join(f"s.{name}" for name in SlipRow._fields)
_REVIEW = (
    "select r.id, u.id, p.id, o.ts, r.rating, r.title, r.text from {} join product p on p.k = o.product_k "
    "join user u on u.k = o.user_k"
)
_OF_USER = _REVIEW.format("purchase o join review r on r.id = o.id") + (
    " where o.user_k = (select k from user where id = ?) order by o.ts desc, o.id"
)
_EVERY = _REVIEW.format("review r cross join purchase o on o.id = r.id") + " order by r.id"
_TABLES = {"product": "product", "user": "user", "order": "purchase"}


def has_slips(database: sqlite3.Connection) -> bool:
    return database.execute("select 1 from sqlite_master where name = 'slip'").fetchone() is not None


def _order_query(database: sqlite3.Connection) -> str:
    """Return the columns of an order and the tables behind them, with those of slips where the shop has any."""
    slips = (f", {SLIP}", " left join slip s on s.id = o.id") if has_slips(database) else ("", "")
    return _ORDER.format(*slips)


def lookup_key(*parts: str) -> int:
    """Return a checksum of a name or e-mail address. It is small enough for a cheap index; rows that match are compared in full."""
    return crc32(person_key(*parts).encode("utf-8", "surrogatepass"))


class EmbeddedStore:
    def __init__(self, folder: Path, path: Path, manifest: Manifest, shop_url: str) -> None:
        self._folder, self._manifest = folder, manifest
        self._url = shop_url
        self._connections = Connections(folder, path, manifest.content_hash)

    @property
    def database(self) -> sqlite3.Connection:
        return self._connections.own

    @property
    def whole(self) -> sqlite3.Connection:
        return self._connections.unhurried

    def close(self) -> None:
        self._connections.close()

    def _product(self, product_id: str, doc: bytes) -> Product:
        try:
            fields = orjson.loads(doc)
            fields["product_id"] = product_id
            fields["product_url"] = product_address(self._url, product_id)
            return Product.model_validate(fields)
        except (TypeError, ValueError) as error:
            raise ShopError(
                f"{self._folder}: the record of product {product_id} is damaged; ingest again with --replace"
            ) from error

    def product(self, product_id: str) -> Product | None:
        if not is_text(product_id):
            return None
        row = self.database.execute("select id, doc from product where id = ?", (product_id,)).fetchone()
        return None if row is None else self._product(*row)

    def products(self, product_ids: Sequence[str]) -> list[Product]:
        found = (self.product(product_id) for product_id in product_ids)
        return [product for product in found if product is not None]

    def user(self, user_id: str) -> User | None:
        if not is_text(user_id):
            return None
        row = self.database.execute(_USER + " where id = ?", (user_id,)).fetchone()
        return None if row is None else _user(row)

    def find_users(
        self, *, email: str | None = None, name: tuple[str, str] | None = None, limit: int = 50
    ) -> list[User]:
        conditions: list[str] = []
        keys: list[int] = []
        if email is not None:
            conditions.append("email_key = ?")
            keys.append(lookup_key(email))
        if name is not None:
            conditions.append("name_key = ?")
            keys.append(lookup_key(*name))
        if not conditions:
            return []
        found: list[User] = []
        for row in self.database.execute(f"{_USER} where {' and '.join(conditions)} order by k", keys):
            if len(found) >= limit:
                break
            if email is not None and person_key(row[1]) != person_key(email):
                continue
            if name is not None and person_key(row[2], row[3]) != person_key(*name):
                continue
            found.append(_user(row))
        return found

    def order(self, order_id: str) -> Order | None:
        key = _order_key(order_id)
        if key is None:
            return None
        row = self.database.execute(
            f"select u.id, {self._order} join user u on u.k = o.user_k where o.id = ?", (key,)
        ).fetchone()
        return None if row is None else Order.model_validate(_order_fields(row[0], row[1:]))

    def orders(
        self,
        user_id: str,
        *,
        status: OrderStatus | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> OrderPage:
        if offset < 0 or (limit is not None and limit < 0):
            raise ValueError("limit and offset are not negative")
        if not is_text(user_id):
            return OrderPage([], 0)
        where, values = _order_filter(user_id, status, since, until)
        execute = self.database.execute
        most = -1 if limit is None else limit
        rows = execute(
            f"select {self._order}{where} order by o.ts desc, o.id limit ? offset ?",
            (*values, most, offset),
        ).fetchall()
        if (rows or offset == 0) and (limit is None or len(rows) < limit):
            total = offset + len(rows)
        else:
            total = execute(f"select count(*) from purchase o{where}", values).fetchone()[0]
        return OrderPage(_ORDERS.validate_python([_order_fields(user_id, row) for row in rows]), total)

    def statistics(self, user_id: str) -> UserStatistics | None:
        if not is_text(user_id):
            return None
        execute = self.database.execute
        user = execute("select k from user where id = ?", (user_id,)).fetchone()
        if user is None:
            return None
        rows = execute(
            "select o.ts, o.quantity, o.status, p.price, p.category, p.store from purchase o "
            "join product p on p.k = o.product_k where o.user_k = ?",
            user,
        ).fetchall()
        return user_statistics(
            user_id,
            [Purchase(ts, n, RECORDED_STATUSES[status], *rest) for ts, n, status, *rest in rows],
            self._manifest.as_of,
        )

    def reviews(self, user_id: str) -> list[KeptReview]:
        kept = self._manifest.reviews is not None and is_text(user_id)
        return [_review(row) for row in self.database.execute(_OF_USER, (user_id,))] if kept else []

    def iter_reviews(self) -> Iterator[KeptReview]:
        if self._manifest.reviews is not None:
            yield from map(_review, self.whole.execute(_EVERY))

    def near(self, kind: IdKind, key: str, limit: int = 3) -> list[str]:
        table = _TABLES[kind]
        value: Any = key
        if not is_text(key):
            return []
        if kind == "order":
            digits = "".join(c for c in key if c.isascii() and c.isdigit())[:16]
            if not digits:
                return []
            value = int(digits.ljust(16, "0"))
        execute = self.database.execute
        after = execute(f"select id from {table} where id >= ? order by id limit ?", (value, limit))
        found = [row[0] for row in after]
        before = execute(f"select id from {table} where id < ? order by id desc limit ?", (value, limit))
        found += [row[0] for row in before]
        return nearest(key, [f"{k:016d}" if kind == "order" else k for k in found], limit)

    def iter_products(self) -> Iterator[Product]:
        for row in self.whole.execute("select id, doc from product order by k"):
            yield self._product(*row)

    def iter_users(self) -> Iterator[User]:
        for row in self.whole.execute(USER_ROWS):
            yield _user(row)

    def iter_orders(self) -> Iterator[Order]:
        rows = self.whole.execute(
            f"select u.id, {self._order} join user u on u.k = o.user_k order by o.user_k, o.ts desc, o.id"
        )
        while batch := rows.fetchmany(1000):
            yield from _ORDERS.validate_python([_order_fields(row[0], row[1:]) for row in batch])

    @cached_property
    def _order(self) -> str:
        return _order_query(self.database)

    def sample_users(self, count: int, *, seed: int, min_orders: int = 1) -> list[str]:
        with self._connections.unmapped() as connection:
            if min_orders <= 0:
                rows = connection.execute("select id from user")
            else:
                rows = connection.execute(
                    "select id from user where k in "
                    "(select user_k from purchase group by user_k having count(*) >= ?)",
                    (min_orders,),
                )
            keyed = ((sample_key(seed, user_id), user_id) for (user_id,) in rows)
            return [user_id for _, user_id in nsmallest(max(count, 0), keyed)]

    def lexicon(self) -> Lexicon:
        """Return the lexicon of words that name products; shops of earlier versions have an empty one."""
        return self._lexicon

    @cached_property
    def _lexicon(self) -> Lexicon:
        row = self.database.execute("select value from meta where name = 'lexicon'").fetchone()
        return Lexicon(row[0] if row else b"")

    def category_counts(self) -> dict[str, int]:
        """Return the number of products in each category. It is the first real read, so a damaged file is found when the shop is opened."""
        try:
            rows = self.database.execute("select value from meta where name = 'categories'").fetchone()
            counts: dict[str, int] = orjson.loads(rows[0])
        except (sqlite3.Error, TypeError, ValueError) as error:
            self.close()
            raise ShopError(
                f"{self._folder}: its database is damaged ({error}); ingest again with --replace"
            ) from error
        return counts


def _order_filter(
    user_id: str, status: OrderStatus | None, since: str | None, until: str | None
) -> tuple[str, list[Any]]:
    where = " where o.user_k = (select k from user where id = ?)"
    values: list[Any] = [user_id]
    if status is not None:
        where += " and o.status = ?"
        values.append(ORDER_STATUSES.index(status))
    if since is not None:
        where += " and o.ts >= ?"
        values.append(bound_ms(since))
    if until is not None:
        where += " and o.ts < ?"
        values.append(bound_ms(until))
    return where, values


def _order_key(order_id: str) -> int | None:
    if len(order_id) != 16 or not (order_id.isascii() and order_id.isdigit()):
        return None
    return int(order_id)


def _order_fields(user_id: str, row: tuple[Any, ...]) -> JsonObject:
    order_id, product_id, ts, quantity, status, *slip = row
    found = {} if all(one is None for one in slip) else {"slip": slip_of(SlipRow(*slip))}
    return {
        **found,
        "order_id": f"{order_id:016d}",
        "product_id": product_id,
        "user_id": user_id,
        "order_date": iso_from_ms(ts),
        "quantity": quantity,
        "order_status": RECORDED_STATUSES[status],
    }


def _user(row: tuple[Any, ...]) -> User:
    *person, status = zip(_NAMES, row, strict=True)
    return User.model_validate(dict([*person[:5], ("address", dict(person[5:])), status]))


def _review(row: tuple[Any, ...]) -> KeptReview:
    order_id, user_id, product_id, ts, rating, title, text = row
    return KeptReview(
        order_id=f"{order_id:016d}",
        user_id=user_id,
        product_id=product_id,
        date=iso_from_ms(ts),
        rating=rating,
        title=title,
        text=text,
    )
