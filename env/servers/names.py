"""The names of things on the servers: database NAME, index NAME-products, and a version at the end of each.

NAME.manifest                        one document `current` (the manifest and the version it speaks of), one `load`
NAME.users_V, .products_V, .orders_V the records of version V
NAME-products-V                      the index of version V; NAME-products is an alias of the current one
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from drr.env.errors import Misuse
from drr.env.shop import SERVERS

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}")
RESERVED = {"admin", "local", "config"}
KINDS = ("products", "users", "orders")
COLLECTIONS = (*KINDS, "reviews")
"""Of a version; the last only where reviews are kept."""
MANIFEST = "manifest"
CURRENT, LOAD = "current", "load"
VERSION = re.compile(r"v[0-9a-f]{12}")


@dataclass(frozen=True)
class Names:
    shop: str

    @property
    def alias(self) -> str:
        return f"{self.shop}-products"

    def index(self, version: str) -> str:
        return f"{self.shop}-products-{version}"

    def version_of_index(self, index: str) -> str | None:
        head, _, version = index.rpartition("-")
        return version if head == self.alias and VERSION.fullmatch(version) else None


def collection(kind: str, version: str) -> str:
    return f"{kind}_{version}"


def version_of_collection(name: str) -> str | None:
    kind, _, version = name.partition("_")
    return version if kind in COLLECTIONS and VERSION.fullmatch(version) else None


def names_of(spec: str) -> Names:
    name = spec.removeprefix(SERVERS)
    if not _NAME.fullmatch(name) or name in RESERVED:
        raise Misuse(
            f"{spec}: a shop on servers is called servers:NAME, NAME in lower case letters, digits, - and _, "
            "at most 48, the first a letter"
        )
    return Names(name)
