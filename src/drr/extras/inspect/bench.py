"""The data of an evaluation by Inspect: the shop, questions and judging options, opened once per process."""

from __future__ import annotations

import atexit
import tempfile
from argparse import Namespace
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import DrrError, Misuse

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.env.world import WorldResources


@dataclass(frozen=True)
class BenchPlan:
    """The requested evaluation as plain data, which is stored in a log so that scorers can be rebuilt."""

    shop: str | None = None
    queries: str | None = None
    what: str = ""
    judge: str | None = None
    study: str | None = None
    budget: float | None = None

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(word.strip() for word in self.what.split(",") if word.strip())


@dataclass(frozen=True, eq=False)
class Bench:
    plan: BenchPlan
    shop: str
    settings: Settings
    realm: WorldResources
    queries: dict[str, Query]


@cache
def bench_of(plan: BenchPlan) -> Bench:
    """Open the shop and questions until the process ends. Several tasks and all scorers of one evaluation share them."""
    from drr.env.query import read_queries
    from drr.env.web.made_web import with_own_web
    from drr.env.world import SHOP, Site, open_realm
    from drr.plugin import settings_of
    from drr.querygen.builtin import builtin_queries

    shop = plan.shop or str(sample_shop())
    named = {"model_judge": plan.judge} if plan.judge else {}
    settings = with_own_web(settings_of(Namespace(**named)).settings, shop)
    if plan.queries is None and plan.shop is not None:
        raise Misuse(
            "-T shop=... needs the questions asked in it: -T queries=FILE (`drr queries generate` writes some)"
        )
    queries = builtin_queries() if plan.queries is None else read_queries(Path(plan.queries))
    stack = ExitStack()
    atexit.register(stack.close)
    realm = stack.enter_context(open_realm(SHOP, Site(settings=settings, shop=shop)))
    realm.check(queries)
    return Bench(plan, shop, settings, realm, {query.id: query for query in queries})


def sample_shop() -> Path:
    """Return the folder of the sample shop of the built-in questions, which is made once for this user."""
    from importlib.metadata import version

    from drr.env.trust import cache_folder
    from drr.plugin import output_of

    place = cache_folder() / f"sample-shop-{version('deepresearch-retail')}"
    if (place / "manifest.json").is_file():
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            output_of("data sample", [f"{folder}/raw", "--quiet", "--json"])
            output_of("data ingest", [f"{folder}/raw", "--shop", f"{folder}/shop", "--quiet", "--json"])
            Path(folder, "shop").rename(place)
    except OSError as error:
        if (place / "manifest.json").is_file():  # another process was quicker
            return place
        raise DrrError(
            f"{place}: the sample shop cannot be made there ({error.strerror}); make one elsewhere (`make demo`)"
            " and name it: -T shop=demo/shop -T queries=demo/queries.jsonl"
        ) from error
    return place
