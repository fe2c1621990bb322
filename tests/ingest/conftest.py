"""A raw folder with every oddity, and the ingest as one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import Recipe, find_pairs
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import Manifest

from tests.ingest.raw import messy_metas, messy_reviews, product_id, write_pair

CATEGORIES = ("Baby_Products", "Pet_Supplies")
Ingest = Callable[..., Manifest]


@pytest.fixture(scope="session")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("messy")
    for seed, category in enumerate(CATEGORIES):
        products = [product_id(seed * 100 + n) for n in range(40)] + [
            "b00lower", "X", "9780316769", "Ünïcode-id",
        ]  # fmt: skip
        products.append(product_id(1))  # of the first category, so the second may not have it again
        write_pair(folder, category, messy_reviews(seed, products, 800), messy_metas(seed, products))
    return folder


@pytest.fixture
def run_ingest(tmp_path: Path) -> Ingest:
    def run(
        raw: Path, shop: str = "shop", categories: tuple[str, ...] = CATEGORIES, **options: Any
    ) -> Manifest:
        of_job = {name: options.pop(name) for name in ("memory", "block", "free") if name in options}
        options = {"max_bad": 0.5, "min_reviews": 3, **options}
        job = Job(
            shop=str(tmp_path / shop),
            pairs=find_pairs(raw, categories, chosen=True),
            recipe=Recipe(categories=categories, **options),
            quarantine=tmp_path / f"{shop}.quarantine.jsonl",
            **of_job,
        )
        return ingest(job, Settings(), Quiet())

    return run
