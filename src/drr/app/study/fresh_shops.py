"""Makes fresh shops from a seed: catalogue, people and orders, web pages, and questions that code can check."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NotRequired, TypedDict

import orjson
from drr.data_ingest.fresh import (
    ORDER_AXES,
    PLANTED_AXES,
    ShopAxes,
    fresh_pages,
    fresh_vocabulary,
    plan_of,
    policy_pages,
)
from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.order_draw import OrderDraw
from drr.data_ingest.planted import Planter
from drr.data_ingest.recipe import Recipe, find_pairs
from drr.data_ingest.sample import write_sample
from drr.data_ingest.shop_policy import editions_of
from drr.env.errors import Misuse, disk_of
from drr.env.files import read_file
from drr.env.progress import Progress
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.web.made_web import MADE
from drr.env.web.open import ShopWeb
from drr.env.web.sandbox import open_sandbox, write_sandbox
from drr.querygen.composing import checkable_questions
from drr.querygen.files import write_lines, write_queries


class MadeShop(TypedDict):
    """The contents of `made.json`: the seed and axes of a shop, and the counts and hashes of the result."""

    schema: int
    seed: int
    axes: dict[str, int | float | bool | str | None]
    counts: dict[str, int]
    """Numbers of products, users and orders of the shop, of web pages, and of questions."""
    shop: str
    web: str
    questions: str
    planted: NotRequired[str]
    """The hash of `planted.jsonl`, where an axis plants something."""


PLANTED = "planted.jsonl"
"""The file with the truth of what was planted, one row a product. It lies beside shop and web, which tell none of it."""


def make_shop(seed: int, axes: ShopAxes, folder: Path, settings: Settings, progress: Progress) -> MadeShop:
    """Make a shop with web and questions in a hidden folder, then move it into place; return its facts. Raise `Misuse` for a folder that is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Misuse(f"{folder}: is there already and not empty; name a new folder")
    hidden = folder.with_name(f".{folder.name}.part-{os.getpid()}")
    try:
        with disk_of(folder):
            hidden.mkdir(parents=True)
            made = _make(seed, axes, hidden, settings, progress)
            (hidden / MADE).write_bytes(orjson.dumps(made, option=orjson.OPT_INDENT_2) + b"\n")
            hidden.replace(folder)
    except (PermissionError, NotADirectoryError) as error:
        raise Misuse(f"{folder}: cannot be written ({error.strerror}); choose another place") from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
    return made


def _make(seed: int, axes: ShopAxes, folder: Path, settings: Settings, progress: Progress) -> MadeShop:
    vocabulary, raw = fresh_vocabulary(seed, axes), folder / "raw"
    planter = Planter(seed, axes)
    draw = _draw(seed, axes, planter)
    if draw is not None:
        vocabulary = replace(vocabulary, planted=planter)
    write_sample(raw, plan_of(seed, axes), progress, vocabulary)
    pairs = find_pairs(raw, None, chosen=True)
    recipe = Recipe(
        categories=tuple(pair.category for pair in pairs),
        max_products=axes.products,
        min_reviews=0,
        seed=seed,
    )
    shop_folder = str(folder / "shop")
    manifest = ingest(
        Job(shop_folder, pairs, recipe, raw / "quarantine.jsonl", draw=draw), settings, progress
    )
    shutil.rmtree(raw)
    pages = [*fresh_pages(seed, vocabulary, axes), *planter.documents()]
    if axes.sells:
        today = date.fromisoformat(manifest.as_of)
        pages += policy_pages(editions_of(manifest.content_hash, axes.sells, today), seed)
    pages.sort(key=lambda page: page.url)
    web = write_sandbox(pages, folder / "web")
    with open_shop(shop_folder, settings) as shop:
        sandbox = ShopWeb(open_sandbox(folder / "web"), settings.shop_url, shop.store)
        questions = checkable_questions(shop, sandbox, seed, axes.questions, curriculum=axes.curriculum)
    write_queries(folder / "queries.jsonl", questions)
    counts = {**manifest.counts, "pages": web["documents"], "questions": len(questions)}
    made: MadeShop = {
        "schema": 1,
        "seed": seed,
        "axes": axes.model_dump(),
        "counts": counts,
        "shop": manifest.content_hash,
        "web": web["content_hash"],
        "questions": sha256(read_file(folder / "queries.jsonl")).hexdigest(),
    }
    if planter.truth:
        write_lines(folder / PLANTED, (orjson.dumps(row).decode() for row in planter.truth))
        made["counts"]["planted"] = len(planter.truth)
        made["planted"] = sha256(read_file(folder / PLANTED)).hexdigest()
    return made


def _draw(seed: int, axes: ShopAxes, planter: Planter) -> OrderDraw | None:
    """Return the draws of orders, or `None` where no axis asks for any."""
    on = {name: share for name in (*ORDER_AXES, *PLANTED_AXES) if (share := getattr(axes, name))}
    return OrderDraw(seed, axes.statuses, axes.cities, planter.sold_as, on) if on else None
