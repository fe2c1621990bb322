"""A talk with a shopper and a page of changes in a real browser: bubbles on their sides, charts first, and machines can read both."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from drr.app.stress.findings import StressDocument, StressPair
from drr.app.stress.page import write
from playwright.sync_api import Page, expect

from tests.browser.conftest import drr

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def talk(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home, shop = tmp_path_factory.mktemp("talk"), sample_home / "shop"
    made = ("--service", "--seed", "5", "--count", "1", "--shop", shop, "--out", home / "t.jsonl")
    drr("queries", "generate", *made)
    words = ("--world", "service", "--shop", shop, "--queries", home / "t.jsonl", "--variants", "react")
    drr("run", home / "study", *words, "--model", "offline", "--quiet")
    drr("view", home / "study", "--static", home / "pages")
    return next((home / "pages" / "r").glob("*.html"))


@pytest.fixture(scope="module")
def stress(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pair: StressPair = {
        "variant": "react", "query_id": "q", "trial": 0, "key": "k", "outcomes": {}, "has_report": True,
        "same_picks": 1.0, "stress": {"change": "shuffle", "seed": 1, "base": "b"},
    }  # type: ignore[typeddict-item]  # fmt: skip
    found: StressDocument = {
        "schema": 1, "study": "s", "answers": 2, "rule_written": 0, "compared": 2, "outdated": 0, "effects": [],
        "outcomes": {}, "changes": {"shuffle": "results in another order"},
        "pairs": [pair, {**pair, "same_picks": 0.0}],
    }  # fmt: skip
    home = tmp_path_factory.mktemp("stress")
    write(found, home)
    return home / "stress.html"


@pytest.mark.parametrize("width", [1440, 390])
def test_both_pages_fit_and_can_be_read_by_machines(page: Page, talk: Path, stress: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for path in (talk, stress):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_the_talk_is_the_page(page: Page, talk: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(talk.as_uri())
    heard, asked = page.locator(".talk .shopper"), page.locator(".talk p.agent")
    expect(asked).to_have_count(3)
    expect(heard).to_have_count(4)
    expect(
        page.locator(".talk small", has_text="shopper").and_(page.locator(":has(+ .shopper)"))
    ).to_have_count(4)
    expect(page.locator(".talk small:has(+ .agent:not(.act))").first).to_have_text("react")
    assert page.locator(".policy li").count() == page.locator(".policy .tag").count()
    left, right = (one.first.bounding_box() for one in (heard, asked))
    assert left and right and left["x"] < right["x"] and left["y"] < 900
    expect(page.locator(".policy .tag").filter(has_not_text="no act tested it")).to_have_count(0)
    expect(page.locator("h1 .tag", has_text="policy")).to_have_text("no act tested the policy")
    expect(page.locator("#keys")).to_have_count(0)
    undone = page.locator(".end del").first
    assert undone.evaluate("one => getComputedStyle(one).textDecorationLine") == "none"
    page.get_by_role("link", name="End state").click()
    expect(page.locator("#end")).to_be_in_viewport()


def test_the_chart_of_a_change_stands_first_and_the_glossary_is_folded(page: Page, stress: Path) -> None:
    page.goto(stress.as_uri())
    expect(page.get_by_text("Results in another order: react keeps its picks in 1 of 2.")).to_be_in_viewport()
    expect(page.locator(".changes rect")).to_have_count(2)
    expect(page.locator(".changes rect.none")).to_have_count(0)
    expect(page.locator("#reading dl")).to_be_hidden()
    page.locator("#reading summary").click()
    expect(page.locator("#reading dl")).to_be_visible()
