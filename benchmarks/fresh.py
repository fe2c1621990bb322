"""Fresh shops: marginals beside those of the real files, and the gates that every shop must pass.

python -m benchmarks.fresh marginals [--seed 7] [--size small]
python -m benchmarks.fresh gates [--seed 0] [--seeds 5]
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from drr.app.making import make_shop
from drr.app.training.environment import Environment
from drr.app.training.proving import leaks, oracle, played
from drr.app.training.tricks import TRICKS, Play
from drr.data_ingest.fresh import SIZES, ShopAxes
from drr.env.checkable import finds
from drr.env.entities import Product
from drr.env.progress import Quiet
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop

from benchmarks.results import record, table

# Quantiles of the real files, by share of rows: prices of Health_and_Household, average ratings of all products,
# ratings of Beauty's products, titles of four categories (the middle of the ranges told).
PRICES = {.01: 4.16, .05: 6.89, .1: 8.04, .25: 11.99, .5: 19.77, .75: 32.95, .9: 57.99, .95: 85.16, .99: 208.44}  # fmt: skip
STARS = {0.25: 3.7, 0.5: 4.2, 0.75: 4.6}
RATINGS = {0.5: 20.0, 0.75: 78.0}
TITLES = {0.5: 122.0, 0.9: 191.0}
# Users with at least n orders: the shifted Pareto that was fitted to Pet_Supplies, k = 1.83 and a = 2.19.
ORDERS = {1 - (1 + n / 1.83) ** -2.19: float(n) for n in (1, 2, 3, 5, 10, 20)}
# Shares of rows that lack a field, by file; empty lists count as lacking.
LACKING = {
    "price": {"All_Beauty": 0.843, "Office_Products": 0.597, "Health_and_Household": 0.585, "Patio_Lawn_and_Garden": 0.57, "Home_and_Kitchen": 0.49},
    "store": {"All_Beauty": 0.101, "Beauty_and_Personal_Care": 0.048, "Patio_Lawn_and_Garden": 0.016},
    "categories": {"All_Beauty": 1.0, "Office_Products": 0.107, "Pet_Supplies": 0.09},
    "description": {"All_Beauty": 0.83, "Office_Products": 0.406, "Home_and_Kitchen": 0.45},
    "features": {"All_Beauty": 0.85, "Office_Products": 0.225},
}  # fmt: skip
SETTINGS = resolve({}, environ={}).settings


def distance(values: Sequence[float], real: dict[float, float]) -> float:
    """Compute the Kolmogorov-Smirnov distance at the quantiles that are known: both sides of a step count."""
    known = np.sort(np.array(values))
    gaps = []
    for share, at in real.items():
        low, high = (np.searchsorted(known, at, side) / len(known) for side in ("left", "right"))
        gaps.append(max(low - share, share - high, 0.0))
    return float(max(gaps))


def told(values: Sequence[float], shares: Sequence[float]) -> str:
    return " / ".join(f"{np.quantile(values, share):.4g}" for share in shares)


def marginals(shop: Shop) -> list[list[str]]:
    products = list(shop.store.iter_products())
    orders = list(shop.store.iter_orders())
    of_user = list(Counter(one.user_id for one in orders).values())
    pairs = Counter((one.user_id, one.product_id) for one in orders)
    again = sum(count - 1 for count in pairs.values()) / len(orders)

    def quantiles(name: str, values: Sequence[float], real: dict[float, float], note: str) -> list[str]:
        shown = " / ".join(f"{value:g}" for value in real.values())
        return [name, shown, told(values, list(real)), f"{distance(values, real):.3f}", note]

    def lacking(field: str) -> list[str]:
        real = LACKING[field]
        lacks = [
            (p.category, len(p.categories) < 2 if field == "categories" else not getattr(p, field))
            for p in products
        ]  # an ingest fills an empty path
        own = {name: fmean(lack for category, lack in lacks if category == name) for name in real}
        gap = max(abs(own[name] - share) for name, share in real.items())
        shown = [" / ".join(f"{one:.2f}" for one in shares) for shares in (real.values(), own.values())]
        return [f"{field} missing", *shown, f"{gap:.3f}", f"shares of {', '.join(real)}; largest gap"]

    prices = [p.price for p in products if p.price]
    stars = [p.average_rating for p in products if p.average_rating is not None]
    ratings = [float(p.rating_number) for p in products if p.rating_number is not None]
    return [
        quantiles("price", prices, PRICES, "1 to 99 of a hundred, Health_and_Household"),
        quantiles("average rating", stars, STARS, "quartiles, all products"),
        quantiles("ratings", ratings, RATINGS, "median and third quartile, Beauty"),
        quantiles("title length", [float(len(p.title)) for p in products], TITLES, "median, 90 of a hundred"),
        quantiles("orders of a user", [float(n) for n in of_user], ORDERS, "fit to Pet_Supplies"),
        *map(lacking, LACKING),
        ["bought again", "about .003", f"{again:.3f}", f"{abs(again - 0.003):.3f}", "share of orders"],
        ["details of a product", "mean 3.6 to 11.7", f"{fmean(len(p.details) for p in products):.1f}", "-", "mean"],
        ["category depth", "2 to 7, mostly 4", depths(products), "-", "depth: share"],
    ]  # fmt: skip


def depths(products: Sequence[Product]) -> str:
    counts = Counter(len(p.categories) for p in products)
    return ", ".join(f"{depth}: {count / len(products):.2f}" for depth, count in sorted(counts.items()))


SHOP = ShopAxes(products=200, users=80, reviews=2_600, kinds=14, pages=12, questions=4)
LONG = 8
"""Words from which a sentence counts that recurs."""


class SeedResult(NamedTuple):
    seed: int
    same: bool
    """Made twice, the same bytes came out."""
    good: list[float]
    middling: list[float]
    poor: list[float]
    leaks: int
    sentences: list[str]

    @property
    def ordered(self) -> bool:
        return fmean(self.good) > fmean(self.middling) > fmean(self.poor)


def middling(query: Query, play: Play) -> None:
    """Answer as the oracle does, all points but the last."""
    truth = query.checkable
    assert truth is not None
    fewer = {"facts": truth.facts[:-1]} if truth.facts else {"needs": truth.needs[:-1]}
    less = truth.model_copy(update=fewer)
    if finds(less):
        oracle(query.model_copy(update={"checkable": less}), play)
    else:
        poor(query, play)


def poor(query: Query, play: Play) -> None:
    TRICKS[0].play(play)


def seed_result(seed: int, place: Path) -> SeedResult:
    first, again = (make_shop(seed, SHOP, place / name, SETTINGS, Quiet()) for name in ("a", "b"))
    files = [(place / name / "queries.jsonl").read_bytes() for name in ("a", "b")]
    queries = read_queries(place / "a" / "queries.jsonl")
    own = resolve({"sandbox": place / "a" / "web"}, environ={}).settings
    paid: dict[str, list[float]] = {"good": [], "middling": [], "poor": []}
    shown = 0
    with Environment(place / "a" / "shop", queries, settings=own) as env:
        for query in queries:
            for name, player in (("good", oracle), ("middling", middling), ("poor", poor)):
                shown += sum(1 for _ in leaks(played(env, query, player), query))
                paid[name].append(env.state["reward"])
    told = [one for query in queries for one in sentences(query.query)]
    return SeedResult(seed, first == again and files[0] == files[1], **paid, leaks=shown, sentences=told)


def sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for one in re.split(r"(?<=[.?!]) ", re.sub(r"^\d+\. ", "", line)):
            if len(one.split()) >= LONG:
                yield one


def gates(first: int, count: int) -> list[list[str]]:
    found = []
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as place:
            found.append(seed_result(seed, Path(place)))
            if found[-1].good != [1.0] * len(found[-1].good) or not found[-1].ordered:
                print(found[-1]._replace(sentences=[]), flush=True)
    good = [one for result in found for one in result.good]
    times = Counter(one for result in found for one in result.sentences)
    again = sum(n for n in times.values() if n > 1) / max(1, times.total())
    solved = sum(one == 1.0 for one in good)
    return [
        ["questions that the oracle solves", f"{solved} of {len(good)}", "all"],
        ["shops made twice with the same bytes", f"{sum(r.same for r in found)} of {count}", "all"],
        ["ids shown before a tool returned them", str(sum(r.leaks for r in found)), "0"],
        [
            "seeds on which three agents keep their order",
            f"{sum(r.ordered for r in found)} of {count}",
            "95 %",
        ],
        ["sentences of eight words and more that recur", f"{again:.2%} of {times.total():,}", "2 %"],
        [
            "mean pay, good / middling / poor",
            " / ".join(
                f"{fmean(map(fmean, pay)):.2f}"
                for pay in zip(*((r.good, r.middling, r.poor) for r in found), strict=True)
            ),
            "-",
        ],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("marginals", "gates"))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", choices=tuple(SIZES), default="small")
    parser.add_argument("--seeds", type=int, default=5, help="shops of the gates")
    arguments = parser.parse_args()
    if arguments.part == "gates":
        rows = gates(arguments.seed, arguments.seeds)
        head = f"`python -m benchmarks.fresh gates --seed {arguments.seed} --seeds {arguments.seeds}`"
        shops = f"{arguments.seeds} shops of {SHOP.products} products, {SHOP.questions} questions each"
        record("Fresh shops: gates", f"{head}: {shops}.\n\n" + table(("gate", "found", "asked for"), rows))
        return
    with tempfile.TemporaryDirectory() as place:
        axes = SIZES[arguments.size].model_copy(update={"questions": 0})
        make_shop(arguments.seed, axes, Path(place) / "made", SETTINGS, Quiet())
        with open_shop(f"{place}/made/shop", SETTINGS) as shop:
            rows = marginals(shop)
    head = f"`python -m benchmarks.fresh marginals --seed {arguments.seed} --size {arguments.size}`"
    record(
        "Fresh shops: marginals",
        f"{head}: marginals beside the real files. K-S is the largest gap at the quantiles and shares that are known.\n\n"
        + table(("marginal", "real", "fresh", "K-S", "of what"), rows),
    )


if __name__ == "__main__":
    main()
