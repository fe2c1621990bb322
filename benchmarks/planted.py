"""Planted errors: are the rule checks right about reports whose one error is known, and silent about clean ones?

python -m benchmarks.planted [--mutations 1000] [--clean 320] [--seed 7] [--shop SHOP]
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

from drr.citations.parse import canonical_url
from drr.env.entities import Product, User
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject, urls_in
from drr.eval.checks.results import Check
from drr.wording.states import STATES

from benchmarks.planted_by_hand import REPORTS
from benchmarks.planted_errors import KINDS, World
from benchmarks.planted_reports import FORMS, LAYOUTS, Case, short_title, write_case
from benchmarks.results import record, table


@contextmanager
def sample_shop(given: Path | None = None) -> Iterator[Shop]:
    """The sample shop by the real ingest, or the one at hand."""
    settings = resolve({}, environ={}).settings
    if given is not None:
        with open_shop(str(given), settings) as shop:
            yield shop
        return
    from drr.app.cli import main

    with tempfile.TemporaryDirectory() as folder:
        raw, shop_folder = Path(folder, "raw"), Path(folder, "shop")
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            assert main(["data", "sample", str(raw), "--seed", "7"]) == 0
            assert main(["data", "ingest", str(raw), "--shop", str(shop_folder)]) == 0
        with open_shop(str(shop_folder), settings) as shop:
            yield shop


@dataclass
class Scene:
    """The shop as the reports draw on it."""

    shop: Shop
    users: list[User]
    products: list[Product]
    """With a price, a rating and a plain title."""
    rng: random.Random

    @classmethod
    def of(cls, shop: Shop, seed: int) -> Scene:
        priced = [
            product
            for product in shop.store.iter_products()
            if product.price and product.price > 3 and product.average_rating is not None and product.rating_number
            and len(short_title(product).split()) >= 3 and short_title(product).isascii()
        ]  # fmt: skip
        users = list(shop.store.iter_users())
        with_history = [user for user in users if shop.store.orders(user.user_id, limit=5).total >= 5]
        return cls(shop, with_history, priced, random.Random(seed))

    def several(self, count: int) -> list[Product]:
        """Products whose names do not run into each other."""
        chosen: list[Product] = []
        while len(chosen) < count:
            product = self.rng.choice(self.products)
            if all(short_title(product).split()[0] != short_title(other).split()[0] for other in chosen):
                chosen.append(product)
        return chosen

    def case(self, layout: str, form: str) -> Case:
        return write_case(
            self.shop,
            self.rng.choice(self.users),
            self.several(self.rng.randrange(3, 6)),
            layout,
            form,
            self.rng,
        )

    def by_hand(self, template: str) -> Case:
        products = self.several(3)
        user = self.rng.choice(self.users)
        store = self.shop.store
        order, bought = next(
            (order, product)
            for order in store.orders(user.user_id, limit=200).items
            if (product := store.product(order.product_id)) is not None
        )
        statistics = store.statistics(user.user_id)
        assert statistics is not None
        a, b, c = (_shown(product) for product in products)
        prices = [round((product.price or 0) * 100) for product in products]

        def money(cents: int) -> str:
            return f"{cents / 100:,.2f}"

        report = template.format(
            a=a, b=b, c=c, ab=money(prices[0] + prices[1]), abc=money(sum(prices)), aa=money(2 * prices[0]),
            aab=money(2 * prices[0] + prices[1]), left=money(200_000 - prices[0] - prices[1]),
            u=SimpleNamespace(id=user.user_id, first=user.first_name, city=user.address.city, state=STATES[user.address.state]),
            o=SimpleNamespace(id=order.order_id, date=order.order_date[:10], name=short_title(bought)),
            s=SimpleNamespace(orders=statistics.orders),
        )  # fmt: skip
        return Case(
            report,
            "What should I get for my home? My budget is $2,000.",
            user,
            "by hand",
            "various",
            products,
            urls_in(report),
        )


def _shown(product: Product) -> SimpleNamespace:
    price = product.price or 0.0
    return SimpleNamespace(
        name=short_title(product), price=f"{price:,.2f}", whole=f"{round(price):,}", stars=product.average_rating,
        count=f"{product.rating_number:,}", url=product.product_url,
    )  # fmt: skip


def check(case: Case, shop: Shop) -> dict[str, Check]:
    return check_report(
        Subject(
            case.report,
            query=case.query,
            user_id=case.user.user_id,
            shop=shop,
            returned=frozenset(canonical_url(url) for url in case.returned),
        )
    )


@dataclass
class Outcome:
    clean: Counter[str] = field(default_factory=Counter)
    """Reports per layout."""
    alarms: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(layout, rule) -> clean reports that the rule failed."""
    alarmed: Counter[str] = field(default_factory=Counter)
    """Clean reports per layout that any rule failed."""
    planted: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(layout, rule, kind)"""
    caught: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def run(shop: Shop, *, mutations: int, clean: int, seed: int) -> Outcome:
    """`clean` reports in every layout and form and by hand; then `mutations` of those that were written by rule."""
    scene = Scene.of(shop, seed)
    outcome = Outcome()
    cases = [scene.case(LAYOUTS[n % 4], FORMS[n // 4 % 5]) for n in range(clean - len(REPORTS))]
    by_hand = [scene.by_hand(template) for template in REPORTS]
    for case in [*cases, *by_hand]:
        outcome.clean[case.layout] += 1
        failed = [(name, found) for name, found in check(case, shop).items() if found.status == "fail"]
        outcome.alarmed[case.layout] += bool(failed)
        for name, found in failed:
            outcome.alarms[case.layout, name] += 1
            outcome.examples[f"false alarm {name}"].append(
                f"{case.layout}/{case.form}: {[one.why for one in found.findings[:2]]}\n{case.report}"
            )
    titles = {product.product_id: short_title(product) for product in scene.products}
    world = World(shop, scene.users, titles, random.Random(seed + 1))
    kinds = sorted(KINDS)
    planted = attempt = 0
    while planted < mutations and attempt < mutations * 30:
        kind = kinds[attempt % len(kinds)]
        rule, plant = KINDS[kind]
        attempt += 1
        for case in world.rng.sample(cases, min(25, len(cases))):
            wrong = plant(case, world)
            if wrong is not None and (wrong.report, wrong.query) != (case.report, case.query):
                break
        else:
            continue
        planted += 1
        found = check(wrong, shop)[rule]
        outcome.planted[case.layout, rule, kind] += 1
        if found.findings:
            outcome.caught[case.layout, rule, kind] += 1
        else:
            outcome.examples[f"missed {kind}"].append(
                f"{case.layout}/{case.form} {found}\n{wrong.query}\n{wrong.report}"
            )
    return outcome


def share(part: float, whole: float) -> str:
    return f"{part}/{whole} ({part / whole:.1%})" if whole else "-"


def _sum(counter: Counter[tuple[str, str, str]], place: int, name: str) -> int:
    return sum(count for key, count in counter.items() if key[place] == name)


def report(outcome: Outcome) -> str:
    reports, mutations = outcome.clean.total(), outcome.planted.total()
    layouts = [*LAYOUTS, "by hand"]
    by_layout = [
        [
            name,
            share(_sum(outcome.caught, 0, name), _sum(outcome.planted, 0, name)),
            share(outcome.alarmed[name], outcome.clean[name]),
        ]
        for name in layouts
    ]
    return (
        f"{mutations:,} planted errors of {len(KINDS)} kinds that rules promise to find, in reports of four layouts and five citation "
        f"forms, made by code; {reports} clean reports, {len(REPORTS)} of them by hand. Layouts that say prices and totals in running text "
        "(prose, phases) are left to a judge there. The reports are ours: they show that a rule works, and not what others write.\n\n"
        + table(
            ["layout", "found", "clean reports accused"],
            [
                *by_layout,
                ["all", share(outcome.caught.total(), mutations), share(outcome.alarmed.total(), reports)],
            ],
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=1_000)
    parser.add_argument("--clean", type=int, default=340)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--show", help="print examples whose label begins with this")
    parser.add_argument("--dry", action="store_true", help="do not record")
    arguments = parser.parse_args()
    with sample_shop(arguments.shop) as shop:
        outcome = run(shop, mutations=arguments.mutations, clean=arguments.clean, seed=arguments.seed)
    text = report(outcome)
    if arguments.dry:
        print(text)
    else:
        record("Planted errors", text)
    if arguments.show is not None:
        for label, examples in outcome.examples.items():
            if label.startswith(arguments.show):
                print(f"--- {label} ({len(examples)})\n{examples[0][:3500]}\n")


if __name__ == "__main__":
    main()
