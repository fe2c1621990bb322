"""A fresh shop: the same seed gives the same, another gives nothing of it, and nothing stands in the templates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest.fresh import (
    ShopAxes,
    fresh_pages,
    fresh_vocabulary,
    invented_names,
    plural_noun,
    templates,
)
from drr.data_ingest.sample_products import load_vocabulary
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.querygen.composing import QuestionMaker
from drr.querygen.drawing import cells

from tests.commands import Drr

AXES = "products = 120\nusers = 40\nreviews = 1500\nkinds = 10\npages = 12\nquestions = 3\n"


def made(drr: Drr, folder: Path, seed: int, axes: str = AXES) -> Any:
    file = folder.with_suffix(".toml")
    file.write_text(axes)
    return drr.json("shop", "make", "--seed", seed, "--axes", file, "--out", folder)


def test_a_seed_makes_the_shop_web_and_questions_that_it_made_when_sets_were_frozen_and_all_hold(
    drr: Drr, tmp_path: Path
) -> None:
    known = made(drr, tmp_path / "a", 5, AXES)
    hashes = [str(known[part])[:12] for part in ("shop", "web", "questions")]
    assert hashes == ["f22ac15bd1b5", "9a2453ecd716", "a758c2ffe7e1"]
    assert known["counts"]["products"] == 120
    assert json.loads((tmp_path / "a" / "made.json").read_text())["shop"] == known["shop"]
    shop = tmp_path / "a" / "shop"
    drr.out("shop", "check", shop)
    checked = ("queries", "check", tmp_path / "a" / "queries.jsonl", "--shop", shop)
    drr.out(*checked, "--sandbox", tmp_path / "a" / "web")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.toml"]


def facts_of(seed: int) -> set[str]:
    """Makers, values, names of models and figures of the web."""
    axes = ShopAxes(products=100)
    words = fresh_vocabulary(seed, axes)
    values = {
        value
        for kind in words.types
        for one in kind.attributes.values()
        for value in one
        if not value[0].isdigit()
    }
    figures = {f"{cell.row}/{cell.column}" for page in fresh_pages(seed, words, axes) for cell in cells(page)}
    styles = {style for kind in words.types for style in kind.styles}
    return values | figures | styles | {maker for one in words.categories for maker in one.brands}


def test_another_seed_has_no_fact_of_the_first_and_the_templates_hold_none() -> None:
    first, second = facts_of(1), facts_of(2)
    assert len(first) > 400
    assert len(first & second) < 0.02 * len(first)
    written = json.dumps(templates())
    assert not [fact for fact in first if fact in written]
    assert [kind.price for kind in fresh_vocabulary(1, ShopAxes()).types] != [
        kind.price for kind in fresh_vocabulary(2, ShopAxes()).types
    ]


@pytest.mark.long
def test_a_chain_leads_from_an_order_over_its_spare_part_to_a_rule_on_a_web_page(
    drr: Drr, tmp_path: Path
) -> None:
    sizes = "products = 300\nusers = 40\nreviews = 1500\nkinds = 48\npages = 40\nquestions = 0\n"
    made(drr, tmp_path / "a", 5, sizes)
    settings = resolve({"sandbox": tmp_path / "a" / "web"}, environ={}).settings
    with open_shop(str(tmp_path / "a" / "shop"), settings) as shop:
        maker = QuestionMaker(shop, open_web(settings, shop=shop))
        made_of = (query for query in map(maker.make, range(200)) if query.checkable)
        query, fact = next((q, f) for q in made_of for f in q.checkable.facts if f.anchor)
        row, page, tools = fact.subjects[1], fact.sources[0], [step.tool for step in query.checkable.plan]
        assert row not in query.query
        assert query.checkable.axes.hops >= 4
        chain = ["get_user_orders", "get_product_details", "product_catalog_search", "web_search"]
        assert set(chain) <= set(tools)
        other = next(c for c in maker.cells if c.page.url == page and c.row != row)
        wrong = fact.model_copy(update={"subjects": [page, other.row, other.column], "value": other.value})
        truth = query.checkable.model_copy(update={"facts": [wrong]})
        spoiled = query.model_copy(update={"checkable": truth})
        assert "no spare part of this row" in (maker.checker.check(spoiled)["unambiguous"].message or "")


def test_a_page_is_no_older_than_its_month_and_names_its_own_row() -> None:
    axes = ShopAxes(products=100)
    pages = fresh_pages(3, fresh_vocabulary(3, axes), axes)
    months = dict(zip(load_vocabulary().general["months"], range(1, 13), strict=True))
    for page in pages:
        for month, number in months.items():
            assert f" {month} 20" not in page.title or page.date is None or int(page.date[5:7]) >= number
        maker, others, _ = page.title.partition(" and others: ")
        assert not others or f"| {maker} |" in page.text


def test_real_kinds_have_the_words_of_the_sample_and_other_makers() -> None:
    sample = {one.name: one for one in load_vocabulary().types}
    words = fresh_vocabulary(7, ShopAxes(real_kinds=True))
    assert len(words.types) == 60
    assert all(
        one.attributes == sample[one.name].attributes and one.path[-1] == one.name for one in words.types
    )
    assert not {maker for one in words.categories for maker in one.brands} & {
        maker for one in load_vocabulary().categories for maker in one.brands
    }
    names = {one.name for one in words.types}
    pages = fresh_pages(7, words, ShopAxes(real_kinds=True))
    assert {cell.row for page in pages for cell in cells(page)} & names
    assert "real_kinds" not in ShopAxes().model_dump()


def test_names_are_coined_once_each() -> None:
    import random

    names = invented_names(random.Random(3))
    drawn = [next(names) for _ in range(5000)]
    assert len(set(drawn)) == 5000


def test_axes_decide_what_is_unknown_and_what_conflicts(drr: Drr, tmp_path: Path) -> None:
    known = "unknown_price = 0.0\nunknown_brand = 0.0\nconflicts = 1.0\n"
    made(drr, tmp_path / "a", 6, AXES.replace("questions = 3", "questions = 0") + known)
    with open_shop(str(tmp_path / "a" / "shop"), resolve({}, environ={}).settings) as shop:
        products = list(shop.store.iter_products())
    assert sum(p.price is None for p in products) < 6
    both = [p for p in products if p.store and "Brand" in p.details]
    assert len(both) > 80
    assert all(p.store != p.details["Brand"] for p in both)


@pytest.mark.long
def test_a_shop_of_large_kinds_gives_questions_of_every_level(drr: Drr, tmp_path: Path) -> None:
    sizes = "products = 500\nusers = 40\nreviews = 1500\nkinds = 7\npages = 6\nquestions = 5\n"
    assert made(drr, tmp_path / "a", 5, sizes + "curriculum = true\n")["counts"]["questions"] == 5


def test_what_is_not_sold_is_named_as_what_is(drr: Drr, tmp_path: Path) -> None:
    """A thing of the shop with a word that another kind bears: a name alone does not tell that it is missing."""
    made(drr, tmp_path / "a", 5, AXES.replace("questions = 3", "questions = 0"))
    settings = resolve({"sandbox": tmp_path / "a" / "web"}, environ={}).settings
    with open_shop(str(tmp_path / "a" / "shop"), settings) as shop:
        sold = {tuple(p.categories[-2:]) for p in shop.store.iter_products()}
        absent = [tuple(kind) for kind, _ in QuestionMaker(shop, open_web(settings, shop=shop)).absent]
    assert absent
    assert not sold.intersection(absent)
    things = {kind[0] for kind in sold}
    assert all(thing in things and name.endswith(f" {thing}") for thing, name in absent)


@pytest.mark.parametrize(
    "thing, several", [("Trellis", "Trellises"), ("Treat Pouch", "Treat Pouches"), ("Rack", "Racks")]
)
def test_several_things_have_their_plural(thing: str, several: str) -> None:
    assert plural_noun(thing) == several


@pytest.mark.parametrize(
    ("axes", "wrong"),
    [("product = 5", "product: no such key"), ("products = 5", "greater than"), ("products", "not TOML")],
)
def test_axes_that_make_no_sense_are_refused(drr: Drr, tmp_path: Path, axes: str, wrong: str) -> None:
    file = tmp_path / "axes.toml"
    file.write_text(axes)
    assert wrong in drr.err("shop", "make", "--seed", 1, "--axes", file, "--out", tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    assert "not empty" in drr.err("shop", "make", "--seed", 1, "--out", tmp_path / "full")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["axes.toml", "full"]
