"""Tools called by hand: whose session, in which shop, with which web; and a small shop where none is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.tools.base import ToolContext


@contextmanager
def tool_context(
    place: str, user: str | None, settings: Settings, *, open_access: bool = False
) -> Iterator[ToolContext]:
    """A session of a user in the shop at `place`, with the web of the settings."""
    from drr.env.shop import open_shop

    with open_shop(place, settings) as shop:
        yield context_in(shop, user, settings, open_access=open_access, place=place)


def context_in(
    shop: Shop, user: str | None, settings: Settings, *, open_access: bool = False, place: str | None = None
) -> ToolContext:
    """The same in a shop that is open; `Misuse` for a user whom it does not have."""
    from drr.app.shop_text import say_search
    from drr.env.errors import Misuse
    from drr.env.session import Session
    from drr.env.web.open import open_web
    from drr.tools.base import context_for

    spec = shop.spec if place is None else place
    say_search(spec, shop, settings)
    if user is not None and shop.store.user(user) is None:
        example = shop.store.sample_users(1, seed=7)
        hint = f"one of its users is {example[0]}" if example else "it has no users"
        raise Misuse(f"--user {user}: no such user in {spec}; {hint}")
    web = open_web(settings, shop=shop, searching=False)
    return context_for(Session(shop, user, open_access=open_access), web, top_k=settings.web_top_k)


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

    from drr.data_ingest.ingest import Job, ingest
    from drr.data_ingest.recipe import TEN, Recipe, find_pairs
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
