"""Replaces people by invented ones. An id becomes a keyed hash, from which all else is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
from drr.data_ingest.catalogue.mapping import USUAL
from drr.data_ingest.catalogue.rows import Batch
from drr.data_ingest.catalogue.values import is_id, text_of
from drr.data_ingest.ingest import BATCH
from drr.data_ingest.orders import profiles, uniform
from drr.data_ingest.packing import I64, U64
from drr.data_ingest.quarantine import Quarantine
from drr.env.content import UserRow
from drr.env.own_numbers import ID_BYTES, NUMBER_BYTES, id_of

_FIELDS = tuple(USUAL["users"])
"""The id, then the fields of `UserRow` in its order."""


class People:
    """The users of a shop, each by a number, in the order in which their ids were met."""

    def __init__(
        self, key: bytes, *, personal: bool, american: bool = True, regions: Sequence[str] = ()
    ) -> None:
        """`american` tells whether invented people live in American cities. Others live in a region that users' records name, else in
        one of `regions`, else nowhere. A region may have its country behind a comma."""
        self._keyed, self._personal = blake2b(key=key, digest_size=ID_BYTES), personal
        self._numbers = blake2b(key=key, digest_size=NUMBER_BYTES)
        self.codes: dict[str, int] = {}
        self._records: dict[str, UserRow] = {}
        """Records of users as the shop has them; kept only where the owner asked for it."""
        american = american and not regions
        self._regions: Counter[tuple[str, str]] | None = None if personal or american else Counter()
        """Numbers of users by state and country; it is not kept who lives where."""
        self._named = regions
        self.fields = _FIELDS if personal else ("id",) if american else ("id", "state", "country")
        """The fields that are read of users."""

    def code(self, user: str) -> int:
        return self.codes.setdefault(user, len(self.codes))

    def is_usable_id(self, user: str) -> bool:
        """Tell whether a user's id can be used in the shop: kept ids stand in addresses, hashed ids do not."""
        return not self._personal or is_id(user)

    def add(self, seen: set[str], batch: Batch, quarantine: Quarantine) -> None:
        """Add the users of a batch; `seen` are the ids of their file."""
        for k, (line, user) in enumerate(zip(batch.lines, map(text_of, batch.cells["id"]), strict=True)):
            if not user or user in seen or not self.is_usable_id(user):
                quarantine.put(line, "no_id" if not user else "id_twice" if user in seen else "id_unusable")
                continue
            seen.add(user)
            self.code(user)
            if self._regions is not None:
                state, country = (
                    text_of(batch.cells[field][k]) if field in batch.cells else ""
                    for field in ("state", "country")
                )
                self._regions[state, country] += 1
            if self._personal:
                cells = (batch.cells[field][k] if field in batch.cells else "" for field in _FIELDS)
                self._records[user] = UserRow(*map(text_of, cells))

    def hash_of(self, text: str) -> int:
        """Return a number that tells nothing of the text to who lacks the key."""
        hashed = self._numbers.copy()
        hashed.update(text.encode("utf-8", "surrogatepass"))
        return int.from_bytes(hashed.digest(), "big")

    def close(self) -> tuple[list[str], U64, I64]:
        """Return the users' ids in ascending order, the hash of each, and the position of each code."""
        ids, digests = list(self.codes), []
        for user in ids:
            hashed = self._keyed.copy()
            hashed.update(user.encode("utf-8", "surrogatepass"))
            digests.append(hashed.digest())
        if not self._personal:
            ids = list(map(id_of, digests))
        order = sorted(range(len(ids)), key=ids.__getitem__)
        position = np.empty(len(ids), np.int64)
        position[order] = np.arange(len(ids))
        hashes = np.array([int.from_bytes(digests[k][:8], "big") for k in order], np.uint64)
        return [ids[k] for k in order], hashes, position

    def rows(self, ids: Sequence[str], hashes: U64) -> Iterator[list[UserRow]]:
        """Yield the records of all users."""
        pools = profiles()
        attempts = None if self._personal else pools.attempts(hashes)
        for first in range(0, len(ids), BATCH):
            part = slice(first, first + BATCH)
            if attempts is not None:
                yield self._at_home(pools.rows(list(ids[part]), hashes[part], attempts[part]), hashes[part])
            else:
                yield [
                    self._records.get(user) or UserRow(user, *[""] * (len(_FIELDS) - 1)) for user in ids[part]
                ]

    def _at_home(self, rows: list[UserRow], hashes: U64) -> list[UserRow]:
        """Return invented people in the shop's own regions, each drawn as often as users live there."""
        if self._regions is None:
            return rows
        regions = sorted(self._regions)
        if not any(map(any, regions)):
            places = (one.partition(",") for one in self._named)
            regions = [(state.strip(), country.strip()) for state, _, country in places] or [("", "")]
        weights = np.cumsum([self._regions[one] or 1 for one in regions])
        drawn = np.searchsorted(weights / weights[-1], uniform(hashes, 12), side="right").tolist()
        homes = (regions[min(k, len(regions) - 1)] for k in drawn)
        return [
            row._replace(city="", zip="", state=state, country=country)
            for row, (state, country) in zip(rows, homes, strict=True)
        ]
