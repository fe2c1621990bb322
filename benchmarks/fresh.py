"""Fresh shops: ten marginals beside those of the real files, and the gates that every shop must pass.

python -m benchmarks.fresh marginals [--seed 7] [--size small]
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from drr.app.making import make_shop
from drr.data_ingest.fresh import SIZES
from drr.env.entities import Product
from drr.env.progress import Quiet
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
SETTINGS = resolve({}, environ={}).settings


def distance(values: Sequence[float], real: dict[float, float]) -> float:
    """Compute the Kolmogorov-Smirnov distance at the quantiles that are known: both sides of a step count."""
    known = np.sort(np.array(values))
    gaps = []
    for share, at in real.items():
        low, high = (np.searchsorted(known, at, side) / len(known) for side in ("left", "right"))  # type: ignore[call-overload]
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

    def share(name: str, real: str, found: float) -> list[str]:
        return [name, real, f"{found:.3f}", "-", "share of rows"]

    prices = [p.price for p in products if p.price]
    stars = [p.average_rating for p in products if p.average_rating is not None]
    ratings = [float(p.rating_number) for p in products if p.rating_number is not None]
    return [
        quantiles("price", prices, PRICES, "1 to 99 of a hundred, Health_and_Household"),
        quantiles("average rating", stars, STARS, "quartiles, all products"),
        quantiles("ratings", ratings, RATINGS, "median and third quartile, Beauty"),
        quantiles("title length", [float(len(p.title)) for p in products], TITLES, "median, 90 of a hundred"),
        quantiles("orders of a user", [float(n) for n in of_user], ORDERS, "fit to Pet_Supplies"),
        share("price missing", ".49 to .84", fmean(p.price is None for p in products)),
        share("brand missing", "often", fmean("Brand" not in p.details for p in products)),
        share("bought again", "about .003", again),
        ["details of a product", "mean 3.6 to 11.7", f"{fmean(len(p.details) for p in products):.1f}", "-", "mean"],
        ["category depth", "2 to 7, mostly 4", depths(products), "-", "depth: share"],
    ]  # fmt: skip


def depths(products: Sequence[Product]) -> str:
    counts = Counter(len(p.categories) for p in products)
    return ", ".join(f"{depth}: {count / len(products):.2f}" for depth, count in sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("marginals",))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", choices=tuple(SIZES), default="small")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        axes = SIZES[arguments.size].model_copy(update={"questions": 0})
        make_shop(arguments.seed, axes, Path(place) / "made", SETTINGS, Quiet())
        with open_shop(f"{place}/made/shop", SETTINGS) as shop:
            rows = marginals(shop)
    head = f"`python -m benchmarks.fresh marginals --seed {arguments.seed} --size {arguments.size}`"
    record(
        "Fresh shops: marginals",
        f"{head}: ten marginals beside the real files. K-S is the largest gap at the quantiles that are known.\n\n"
        + table(("marginal", "real", "fresh", "K-S", "of what"), rows),
    )


if __name__ == "__main__":
    main()
