"""What a person must not be offered is told where records decide it, and nothing is told where they do not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drr.env.entities import Product
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop, open_shop, shop_writer
from drr.eval.checks.base import Subject
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import JudgeOptions, judge
from drr.papers.pdr.judging.choices import PqrChoices
from drr.papers.pdr.judging.violations import violations, violations_of
from drr.papers.pdr.metrics import pqr as metrics
from drr.papers.pdr.person import Attribute, Ground, Person
from drr.study.study import Study

from tests.eval.nursery import answer, desk, offline, put
from tests.tools.small_shop import PRODUCTS, USERS

FEEDER, SEED, BITES, BISCUITS = "B0BN7FLXLV", "B0SEED0001", "B0BITES001", "B0BISCUIT1"
URL = "http://ecommerce.example"
ANNA = Person(
    person_id="p-anna",
    attributes=(
        Attribute(
            id="goods-feeders",
            block="goods",
            statement="owns feeders already",
            basis="records",
            evidence=(Ground(order_id="1", product_id=FEEDER),),
        ),
        Attribute(id="needs-nuts", block="needs", statement="is allergic to peanuts", basis="stated"),
        Attribute(
            id="needs-air",
            block="needs",
            statement="needs indoor air free of corn and pollen",
            basis="records",
        ),
    ),
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    spec, settings = str(tmp_path_factory.mktemp("violations") / "shop"), Settings(shop_url=URL)
    seed = next(one for one in PRODUCTS if one.product_id == SEED)
    products = [
        *PRODUCTS,
        _like(
            seed, BITES, "Crunchy trail bites for hikers", 8.5, {"Ingredients": "Corn, roasted peanuts, salt"}
        ),
        _like(
            seed,
            BISCUITS,
            "Soft oat biscuits for hikers",
            6.5,
            {"Ingredients": "Oats. Made without peanuts."},
        ),
    ]
    with shop_writer(spec, settings, replace=True) as writer:
        writer.write_products(sorted(products, key=lambda one: one.product_id))
        writer.write_users([USERS])
        writer.publish(
            Manifest(
                backend="",
                as_of="2022-06-20",
                content_hash="",
                counts={"products": len(products), "users": 3, "orders": 0},
            )
        )
    with open_shop(spec, settings) as opened:
        yield opened


def _like(one: Product, product_id: str, title: str, price: float, details: dict[str, str]) -> Product:
    return one.model_copy(
        update={"product_id": product_id, "title": title, "price": price, "details": details}
    )


def plan(*rows: tuple[str, str, str], more: str = "") -> str:
    lines = [f"| [{name}]({URL}/{product_id}) | ${price} |" for name, product_id, price in rows]
    total = sum(float(price) for *_, price in rows)
    return "\n".join(
        [more, "", "| item | price |", "| --- | --- |", *lines, f"| **Total** | **${total:.2f}** |"]
    )


FEEDERS = ("Panorama wild bird feeder", FEEDER, "19.99")
SEEDS = ("Black oil sunflower seed", SEED, "12.49")
SNACK = ("Crunchy trail bites", BITES, "8.50")
OATS = ("Soft oat biscuits", BISCUITS, "6.50")


def told(
    shop: Shop, report: str, query: str = "Plan a corner for birds.", person: Person | None = ANNA
) -> list[tuple[str, str | None, str | None]]:
    about = Subject(report, query=query, shop=shop, shop_urls=(URL,))
    return [(row["kind"], row.get("product"), row.get("attribute")) for row in violations(about, person)]


def test_what_is_owned_already(shop: Shop) -> None:
    assert told(shop, plan(FEEDERS, SEEDS)) == [("owned", FEEDER, "goods-feeders")]


@pytest.mark.parametrize(
    ("report", "query"),
    [
        (plan(SEEDS, OATS), "Plan a corner for birds."),
        (plan(FEEDERS, SEEDS), "I want a second bird feeder beside mine."),
        (plan(FEEDERS, SEEDS, more=f"You bought the [Panorama wild bird feeder]({URL}/{FEEDER}) in June 2022; take one more."), "Plan a corner for birds."),
        (f"Your [Panorama wild bird feeder]({URL}/{FEEDER}) costs $19.99.", "Plan a corner for birds."),
        (plan(SEEDS, OATS, more=f"Unlike the [Panorama wild bird feeder]({URL}/{FEEDER}), $19.99, these are used up."), "Plan a corner for birds."),
    ],
    ids=["another", "wished", "knowingly", "no plan", "only compared"],
)  # fmt: skip
def test_what_is_not_certain_is_not_told(shop: Shop, report: str, query: str) -> None:
    assert told(shop, report, query) == []


def test_what_the_person_or_the_wish_rules_out(shop: Shop) -> None:
    both = plan(SNACK, OATS)
    assert told(shop, both) == [("ruled_out", BITES, "needs-nuts")], (
        "free of a thing is no allergy, and without it is not with it"
    )
    assert told(shop, both, "Snacks without corn, please.", person=None) == [("ruled_out", BITES, None)]
    assert told(shop, both, person=None) == []


async def test_they_stand_beside_p_with_the_broken_limits(study: Study, shop: Shop) -> None:
    """`answer` asks under $100."""
    dear = ("Stone bird bath", "B0BATH0001", "64.50")
    await put(
        study,
        answer("a", "good", plan(SEEDS, OATS)),
        answer("a", "bad", plan(dear, FEEDERS, SNACK, SEEDS)),
    )
    line = '{"id": "q-a", "query": "What of a, under $100?", "user_id": "U1", "person_id": "p-anna"}'
    (study.folder / "queries.jsonl").write_text(line, encoding="utf-8")
    models = offline()
    made = desk(study, models, shop, choices={PqrChoices: PqrChoices({"p-anna": ANNA}, rounds=1)})
    await judge(study, made, models, JudgeOptions(["pqr"]))
    judged = read_judged(study, choose(study))
    bad, good = judged.answers
    found = violations_of(judged, bad.key)
    assert found is not None
    assert [row["kind"] for row in found] == ["owned", "ruled_out", "limit"]
    assert found[2]["why"].startswith("Total: $105.48; limit: $100.00")
    assert metrics.per_report(judged, bad)["pqr_violations"] == 3.0
    assert metrics.per_report(judged, good)["pqr_violations"] == 0.0
