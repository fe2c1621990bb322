"""Makes fresh shops from a seed: catalogue, people and orders, web pages, and questions that code can check."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import orjson
from drr.data_ingest.fresh import ShopAxes, fresh_pages, fresh_vocabulary, plan_of
from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import Recipe, find_pairs
from drr.data_ingest.sample import write_sample
from drr.env.errors import Misuse, disk_of
from drr.env.files import read_file
from drr.env.progress import Progress
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.web.open import MADE, ShopWeb
from drr.env.web.sandbox import open_sandbox, write_sandbox
from drr.querygen.composing import checkable_questions
from drr.querygen.files import write_queries
from drr.querygen.service import service_questions


class MadeShop(TypedDict):
    """The contents of `made.json`: the seed and axes of a shop, and the counts and hashes of the result."""

    schema: int
    seed: int
    axes: dict[str, int | float | bool | None]
    counts: dict[str, int]
    """Numbers of products, users and orders of the shop, of web pages, and of questions."""
    shop: str
    web: str
    questions: str


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
    write_sample(raw, plan_of(seed, axes), progress, vocabulary)
    pairs = find_pairs(raw, None, chosen=True)
    recipe = Recipe(
        categories=tuple(pair.category for pair in pairs),
        max_products=axes.products,
        min_reviews=0,
        seed=seed,
    )
    shop_folder = str(folder / "shop")
    manifest = ingest(Job(shop_folder, pairs, recipe, raw / "quarantine.jsonl"), settings, progress)
    shutil.rmtree(raw)
    web = write_sandbox(fresh_pages(seed, vocabulary, axes), folder / "web")
    with open_shop(shop_folder, settings) as shop:
        sandbox = ShopWeb(open_sandbox(folder / "web"), settings.shop_url, shop.store)
        if axes.talks:
            questions = service_questions(shop, sandbox, seed, axes.questions)
        else:
            questions = checkable_questions(shop, sandbox, seed, axes.questions, curriculum=axes.curriculum)
    write_queries(folder / "queries.jsonl", questions)
    counts = {**manifest.counts, "pages": web["documents"], "questions": len(questions)}
    return {
        "schema": 1,
        "seed": seed,
        "axes": axes.model_dump(),
        "counts": counts,
        "shop": manifest.content_hash,
        "web": web["content_hash"],
        "questions": sha256(read_file(folder / "queries.jsonl")).hexdigest(),
    }
