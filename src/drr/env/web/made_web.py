"""Finds the web that was made with a shop, and questions that another web cannot answer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import orjson
from drr.citations.addresses import path_steps
from drr.env.embedded.layout import MANIFEST
from drr.env.errors import DrrError
from drr.env.files import at_home
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Shop
from drr.env.small_files import DOCUMENT, read_within
from drr.env.web.base import WebSearch
from drr.env.web.open import sandbox_of
from drr.env.web.sandbox import MANIFEST as WEB_MANIFEST

MADE = "made.json"
"""The file that `drr shop make` writes beside a shop and its web."""


def with_own_web(settings: Settings, shop: str | None) -> Settings:
    """Return the settings; where none names a web, the web that was made with the shop is added.

    A study that exists already keeps its own web, which is why this is no part of opening one.
    """
    if shop is None or shop.startswith(SERVERS) or settings.web != "sandbox" or settings.sandbox is not None:
        return settings
    places = (at_home(shop).absolute(), at_home(shop).resolve())  # a link has its own neighbours
    own = next(filter(None, map(_web_beside, places)), None)
    return settings.model_copy(update={"sandbox": own})


def with_web_of_study(settings: Settings, shop: str | None, *, is_new: bool) -> Settings:
    """Return the settings with the shop's own web, for a new study and for one that was moved."""
    if is_new:
        return with_own_web(settings, shop)
    if settings.sandbox is None or settings.sandbox.is_dir():
        return settings
    moved = with_own_web(settings.model_copy(update={"sandbox": None}), shop)
    return settings if moved.sandbox is None else moved


def _web_beside(shop: Path) -> Path | None:
    """Return the web that was made with a shop; `None` for a shop that has the one in the box. Raise `DrrError` for a web that was replaced."""
    web, file = shop.with_name("web"), shop.with_name(MADE)
    if not (file.is_file() and web.is_dir()):
        return None
    made = _stated_hashes(file)
    if "shop" in made and made["shop"] != _stated_hashes(shop / MANIFEST).get("content_hash"):
        return None  # another shop lies in the same folder
    if "web" in made and made["web"] != _stated_hashes(web / WEB_MANIFEST).get("content_hash"):
        raise DrrError(
            f"{web}: is not the web that was made with {shop}; make them again, or name one (--sandbox)"
        )
    return web


def _stated_hashes(file: Path) -> JsonObject:
    """Return the object in a file that states hashes; it is empty where there is no such file."""
    try:
        found = orjson.loads(read_within(file, DOCUMENT))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def question_outside(queries: Iterable[Query], shop: Shop, web: WebSearch) -> str | None:
    """Return a sentence about a question whose answer stands on a page that this web lacks, else `None`."""
    box = sandbox_of(web)
    if box is None:
        return None
    own = (shop.shop_url, "user://")
    for query in queries:
        truth = query.checkable
        pages = [url for fact in truth.facts if fact.kind == "page" for url in fact.sources] if truth else []
        points = [url for point in truth.points for url in point.sources] if truth else []
        for url in (*pages, *(one for one in points if not one.startswith(own))):
            if box.document(url) is None and not _names_product(url, shop):
                return (
                    f"question {query.id}: its page {url} is not in this web, so nobody can answer it; "
                    "name the web that was made with the shop (sandbox)"
                )
    return None


def _names_product(url: str, shop: Shop) -> bool:
    """Tell whether an address is that of a product, under whatever address the shop was said to live."""
    steps = path_steps(url)
    return bool(steps) and shop.store.product(steps[-1]) is not None
