"""Tools called by hand: whose session, in which shop, with which web; and a small shop where none is given."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.tools.base import ToolContext


@contextmanager
def tool_context(arguments: argparse.Namespace, settings: Settings) -> Iterator[ToolContext]:
    """A session of `--user` in `--shop`, with the web of the settings."""
    from drr.app.shop_text import say_search
    from drr.env.errors import Misuse
    from drr.env.session import Session
    from drr.env.shop import open_shop
    from drr.env.web.open import open_web
    from drr.tools.base import context_for

    with open_shop(arguments.shop, settings) as shop:
        say_search(arguments.shop, shop, settings)
        if arguments.user is not None and shop.store.user(arguments.user) is None:
            example = shop.store.sample_users(1, seed=7)
            hint = f"one of its users is {example[0]}" if example else "it has no users"
            raise Misuse(f"--user {arguments.user}: no such user in {arguments.shop}; {hint}")
        session = Session(shop, arguments.user, open_access=getattr(arguments, "open_access", False))
        web = open_web(settings, shop=shop, searching=False)
        yield context_for(session, web, top_k=settings.web_top_k)


def someone(spec: str, settings: Settings) -> str | None:
    """One of the users with orders, always the same."""
    from drr.env.shop import open_shop

    with open_shop(spec, settings) as shop:
        return next(iter(shop.store.sample_users(1, seed=7, min_orders=3)), None)


@contextmanager
def sample_shop(settings: Settings) -> Iterator[str]:
    """Small and thrown away afterwards: the page shows answers, it does not need a large shop."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from drr.data_ingest.categories import TEN
    from drr.data_ingest.ingest import Job, ingest
    from drr.data_ingest.raw_files import find_pairs
    from drr.data_ingest.recipe import Recipe
    from drr.data_ingest.sample import SamplePlan, write_sample
    from drr.env.progress import Quiet

    with TemporaryDirectory() as name:
        folder = Path(name)
        write_sample(folder / "raw", SamplePlan(products=300, users=120, reviews=6000), Quiet())
        pairs = find_pairs(folder / "raw", TEN, chosen=False)
        recipe = Recipe(categories=tuple(pair.category for pair in pairs))
        spec = str(folder / "sample")
        ingest(Job(spec, pairs, recipe, folder / "quarantine.jsonl"), settings, Quiet())
        yield spec
