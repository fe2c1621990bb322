"""The part of a unit's key that identifies the search of a shop."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from drr.env.languages import is_unknown_language
from drr.env.manifest import indexed_language
from drr.env.search.compounds import VERSION as COMPOUNDS_VERSION
from drr.env.search.compounds import WORDS_VERSION
from drr.env.search.read_query import LIMITS_VERSION
from drr.env.shop import HYBRID_VERSION, SEARCH_VERSION, Shop
from drr.env.text import text_version
from drr.wording.currency import DOLLARS


class SearchKey(TypedDict):
    name: str
    version: str
    vectors: NotRequired[str]
    """Embedder and hash of the vectors, if the search is `hybrid`."""
    words: NotRequired[str]
    """The version of words, compounds and fields, if the shop is not searched as an English one."""
    limits: NotRequired[str]
    """The version of reading price limits, if the shop sells in another currency than dollars, or in another language than English."""


def search_key(shop: Shop) -> SearchKey | None:
    """Return the key of a shop's search; `None` for `plain` in English, which was once the only one."""
    name, language = shop.catalog.search_name, indexed_language(shop.manifest)
    if name == "plain" and language is None:
        return None
    key: SearchKey = {"name": name, "version": SEARCH_VERSION}
    if name == "hybrid":
        key["version"] = HYBRID_VERSION
        key["vectors"] = shop.manifest.versions["vectors"]
    if name != "plain" and shop.manifest.searched_in != DOLLARS:
        key["limits"] = LIMITS_VERSION
    if language is not None:
        key["words"] = (
            f"{text_version(language)}.{COMPOUNDS_VERSION}.{shop.manifest.versions.get('fields', '')}"
        )
    elif is_unknown_language(shop.manifest.searched_in.language):
        key["words"] = WORDS_VERSION
    return key
