"""A shop whose ids have another form than `B0...`, and lists of sources that name its products by these ids alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drr.citations.addresses import canonical_url
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop, open_shop, shop_writer
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject

from tests.agents.garden import USERS, product

BOOK, JAR = "0316769487", "SKU-1234"
HOME = "http://books.example"
REPORT = "The novel of the orchard costs $8.99 [1]. The glass jar is $14.50 [2].\n\n{}\n"
LISTS = ["[1] {} \u00b7 [2] {}", "## Sources\n\n[1] {}\n[2] {}"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    spec, settings = str(tmp_path_factory.mktemp("ids") / "shop"), Settings(shop_url=HOME)
    products = [product(BOOK, "The Orchard: a novel", 8.99), product(JAR, "Glass jar with a lid", 14.5)]
    with shop_writer(spec, settings) as writer:
        writer.write_products(products)
        writer.write_users([USERS])
        writer.write_orders([])
        writer.publish(Manifest(backend="", as_of="2022-06-20", content_hash="", counts={"products": 2}))
    with open_shop(spec, settings) as opened:
        yield opened


def statuses(shop: Shop, report: str, returned: tuple[str, ...] = (BOOK, JAR)) -> dict[str, str]:
    seen = frozenset(canonical_url(f"{HOME}/{one}") for one in returned)
    return {name: one.status for name, one in check_report(Subject(report, shop=shop, returned=seen)).items()}


@pytest.mark.parametrize("listed", LISTS)
def test_ids_that_the_shop_holds_are_sources_of_any_form(shop: Shop, listed: str) -> None:
    found = statuses(shop, REPORT.format(listed.format(BOOK, JAR)))
    for rule in ("citation_hygiene", "in_catalogue", "fabricated_citation", "price"):
        assert found[rule] == "pass", rule


@pytest.mark.parametrize("listed", LISTS)
def test_what_is_wrong_there_is_found(shop: Shop, listed: str) -> None:
    right = REPORT.format(listed.format(BOOK, JAR))
    assert statuses(shop, right.replace("$8.99", "$18.99"))["price"] == "fail"
    assert statuses(shop, right, returned=(JAR,))["fabricated_citation"] == "fail"
    assert statuses(shop, right.replace(BOOK, "0316769488"))["citation_hygiene"] == "fail"


def test_a_shop_says_which_of_some_words_are_ids(shop: Shop) -> None:
    assert shop.held(["2021", JAR, "", "sku-1234", BOOK]) == {BOOK, JAR}
