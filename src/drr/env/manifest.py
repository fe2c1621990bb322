"""Seals manifests when a backend writes them, and refuses them on reading if too new, damaged or changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson
from drr.env.content import ContentHash, ReviewsKept, as_of_from
from drr.env.errors import ShopError, wrong_field
from drr.env.languages import LANGUAGES
from drr.env.search.fields import VERSION as FIELDS_VERSION
from drr.env.search.fields import fields_version
from drr.env.search.searching import has_vectors
from drr.env.settings import Settings
from drr.env.shop import SCHEMA, Manifest, SearchName
from drr.env.text import VERSION, text_version
from pydantic import ValidationError

AGAIN = "ingest again with --replace"
_NAMED = 3
_LANGUAGES = {text_version(language): language for language in (None, *LANGUAGES)}
"""The language of an index, by the version of its text."""


def parse_manifest(raw: Any, where: str) -> Manifest:
    if not isinstance(raw, dict) or not isinstance(raw.get("schema_version"), int):
        raise ShopError(f"{where}: is not the manifest of a shop; give a shop made by `drr data ingest`")
    if raw["schema_version"] > SCHEMA:
        raise ShopError(
            f"{where}: was made by a newer version (schema {raw['schema_version']}, this one reads {SCHEMA}); "
            "update drr"
        )
    try:
        manifest = Manifest.model_validate(raw)
    except ValidationError as error:
        raise ShopError(f"{where}: is damaged ({wrong_field(error)}); {AGAIN}") from error
    missing = [kind for kind in ("products", "users", "orders") if kind not in manifest.counts]
    if missing:
        raise ShopError(f"{where}: is damaged (its manifest counts no {missing[0]}); {AGAIN}")
    return manifest


def check_tokenizer(manifest: Manifest, where: str) -> None:
    version = manifest.versions.get("text")
    if version not in _LANGUAGES:
        raise ShopError(
            f"{where}: its index was made by tokenizer {version}, this drr has {VERSION}; {AGAIN}"
        )


def indexed_language(manifest: Manifest) -> str | None:
    """Return the language of the index's stems; `None` for English. Before its language was known, a shop was indexed as English."""
    return _LANGUAGES.get(manifest.versions.get("text", VERSION))


def search_of(manifest: Manifest, settings: Settings) -> SearchName:
    """Return the search that the settings ask for, or `plain` if the shop's index lacks fields. Those of version 1 are searched in every language."""
    if not has_fields(manifest) and manifest.versions.get("fields") != FIELDS_VERSION:
        return "plain"
    return (
        "fields" if settings.search == "hybrid" and not has_vectors(manifest, settings) else settings.search
    )


def has_fields(manifest: Manifest) -> bool:
    return manifest.versions.get("fields") == fields_version(indexed_language(manifest))


def with_seal(manifest: Manifest) -> Manifest:
    """Return the manifest with its seal, a hash that reveals any later change."""
    return manifest.model_copy(update={"seal": _seal(manifest)})


def completed_manifest(
    manifest: Manifest,
    where: str,
    undone: str,
    found: ContentHash,
    reviews: ReviewsKept | None,
    **rest: object,
) -> Manifest:
    """Return the manifest completed with the counts and hashes of the written shop, and `rest`. Raises `ShopError` if they contradict the manifest."""
    as_of = manifest.as_of or as_of_from(found.last_order_ms)
    digest = found.digest(as_of)
    if manifest.content_hash not in ("", digest):
        raise ShopError(
            f"{where}: what was written is not what the manifest says "
            f"(content hash {digest[:12]}, manifest {manifest.content_hash[:12]}); {undone}"
        )
    if manifest.reviews not in (None, reviews):
        raise ShopError(f"{where}: the reviews that were written are not those of the manifest; {undone}")
    own = {"as_of": as_of, "content_hash": digest, "counts": dict(found.counts), "reviews": reviews}
    return manifest.model_copy(update={**own, **rest})


def named(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")


def lost_orders(kind: str, order_ids: Sequence[str]) -> Iterator[str]:
    """Yield one sentence if any orders refer to a missing record of this kind."""
    if order_ids:
        yield f"{len(order_ids):,} orders have no {kind}: {named(order_ids)}."


def check_counts(manifest: Manifest, there: Mapping[str, int]) -> Iterator[str]:
    for kind, count in there.items():
        if count != manifest.counts[kind]:
            yield f"There are {count:,} {kind} and the manifest says {manifest.counts[kind]:,}."


def check_content(manifest: Manifest, found: ContentHash) -> Iterator[str]:
    """Yield a sentence for each way in which the records that were read differ from the manifest."""
    if found.digest(manifest.as_of) != manifest.content_hash:
        yield "Products, users and orders are not those that were written: their content hash is not the manifest's."
    try:
        today = as_of_from(found.last_order_ms)
    except ValueError:
        yield "The last order has a date that no calendar knows."
        return
    if found.last_order_ms is not None and manifest.as_of != today:
        yield f"The manifest's as_of is {manifest.as_of}, and the day after the last order is {today}."


def changed_manifest(manifest: Manifest) -> str | None:
    """Return a sentence if the manifest was changed since it was published, else `None`."""
    if manifest.seal in (None, _seal(manifest)):
        return None
    return "The manifest is not what was written: its recipe or another part of its text was changed."


def _seal(manifest: Manifest) -> str:
    text = orjson.dumps(manifest.model_dump(mode="json", exclude={"seal"}), option=orjson.OPT_SORT_KEYS)
    return sha256(text).hexdigest()
