"""Finds the shop of persons if none is named. It is found by its content hash, beside the persons' file or in the working folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file

if TYPE_CHECKING:
    from drr.papers.pdr.person import Person

_LOOKED_AT = 500
"""Limit on the manifests read in one folder."""
_LARGEST = 1_000_000


def shop_of(persons: Iterable[Person], file: Path, given: str | None) -> str:
    """Return the given shop, else the one shop with the persons' content hash, and print its name. Raise `Misuse`
    if there is none, or if this user never named it before."""
    from drr.plugin import is_own_shop

    if given is not None:
        return given
    hashes, here = {person.shop_hash for person in persons}, Path.cwd()
    places = dict.fromkeys((file.resolve().parent, here)) if len(hashes) == 1 and None not in hashes else ()
    for manifest in (one for place in places for one in islice(_manifests(place), _LOOKED_AT)):
        if _hash_of(manifest) in hashes:
            shop = manifest.parent
            shown = shop.relative_to(here) if shop.is_relative_to(here) else shop
            if not is_own_shop(file, str(shop)):
                why = f"is of the shop {shown}, which you have not named before; --shop {shown}"
                raise Misuse(f"{file}: {why}")
            print(f"drr: {file}: of the shop {shown}, which has their content", file=sys.stderr)
            return str(shown)
    why = "give the shop of these persons with --shop; it lies neither beside the file nor here"
    raise Misuse(f"{file}: {why}")


def _manifests(place: Path) -> Iterator[Path]:
    """Yield the manifests of shops in a folder, and one level deeper, e.g. `demo/shop`."""
    yield from sorted(place.glob("*/manifest.json"))
    yield from place.glob("*/*/manifest.json")


def _hash_of(manifest: Path) -> object:
    try:
        raw = json.loads(read_file(manifest, _LARGEST))
    except (OSError, DrrError, ValueError):
        return None
    return raw.get("content_hash") if isinstance(raw, dict) else None
