"""The versions of a shop that lie on the servers: which are there, which is shown, and removing the others.

A version is a set of collections and an index. One manifest document names the version that is shown; an alias follows it.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict, cast

from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.connect import Servers
from drr.env.servers.load import Load
from drr.env.servers.names import (
    COLLECTIONS,
    CURRENT,
    LOAD,
    MANIFEST,
    Names,
    collection,
    version_of_collection,
)
from pymongo import WriteConcern


class ShownVersion(TypedDict):
    """The document that makes a version the one which is opened; its values as `drr.env.servers.documents.safe` writes them."""

    version: str
    manifest: JsonObject
    categories: JsonObject
    lexicon: NotRequired[bytes]
    """Shops of before have none."""
    weights: NotRequired[bytes]
    """Of the offline embedder, where there are vectors of it."""


class Versions:
    def __init__(self, servers: Servers, names: Names) -> None:
        self._servers = servers
        self._names = names
        self._database = servers.mongo[names.shop]

    def shown(self) -> ShownVersion | None:
        """The manifest document, or `None` where no shop of this name is shown."""
        return cast("ShownVersion | None", self._database[MANIFEST].find_one({"_id": CURRENT}))

    def show(self, document: ShownVersion) -> None:
        """Show a version. The swap is the update of this one document, acknowledged by most of a replica set,
        so that no fail-over undoes it."""
        there = self._database.get_collection(MANIFEST, write_concern=WriteConcern("majority", j=True))
        there.replace_one({"_id": CURRENT}, {**document}, upsert=True)

    def check_alias(self) -> None:
        """`ShopError` where an index bears the name that is to be the shop's alias."""
        indices, alias = self._servers.search.indices, self._names.alias
        if indices.exists(index=alias) and not indices.exists_alias(name=alias):
            raise ShopError(
                f"servers:{self._names.shop}: an index is called {alias}, which is to be this shop's alias; "
                "give another name, or remove that index"
            )

    def drop(self, version: str) -> None:
        for kind in COLLECTIONS:
            self._database.drop_collection(collection(kind, version))
        self._servers.search.indices.delete(index=self._names.index(version), ignore_unavailable=True)

    def sweep(self, loading: str, shown: str | None) -> None:
        """Remove what interrupted loads and swaps left; point the alias where it belongs."""
        for version in self._there() - {loading, shown}:
            self.drop(version)
        if shown is not None:
            self.point_alias(shown)

    def tidy(self, shown: str) -> None:
        """Finish a swap that was cut off behind its one update; where there is nothing to do, nothing is written."""
        kept = self._database[MANIFEST].find_one({"_id": LOAD})
        known = {shown, kept and kept["version"]}
        ended = kept is None or kept["version"] != shown
        if ended and self._there() <= known and self._aliased() == [self._names.index(shown)]:
            return
        try:
            load = Load(self._servers.mongo, self._names)
        except ShopError:
            return  # Whoever loads now tidies.
        try:
            self.sweep(load.version, shown)
        finally:
            load.release() if load.continued else load.end()
            load.leave()

    def point_alias(self, version: str) -> None:
        indices = self._servers.search.indices
        wanted = self._names.index(version)
        if not indices.exists(index=wanted):
            return
        others = [name for name in self._aliased() if name != wanted]
        actions: list[JsonObject] = [{"add": {"index": wanted, "alias": self._names.alias}}]
        actions += [{"remove": {"index": name, "alias": self._names.alias}} for name in others]
        indices.update_aliases(actions=actions)

    def _aliased(self) -> list[str]:
        indices, alias = self._servers.search.indices, self._names.alias
        return list(indices.get_alias(name=alias)) if indices.exists_alias(name=alias) else []

    def _there(self) -> set[str]:
        found = {version_of_collection(name) for name in self._database.list_collection_names()}
        indices = self._servers.search.indices.get(
            index=f"{self._names.alias}-v*", expand_wildcards="all", features="aliases"
        )
        found |= {self._names.version_of_index(name) for name in indices}
        return {version for version in found if version is not None}
