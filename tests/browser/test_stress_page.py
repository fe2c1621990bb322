"""The page of changes in a real browser: charts first, and machines can read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from drr.app.stress.findings import StressDocument, StressPair
from drr.app.stress.page import write
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


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
def test_the_page_fits_and_can_be_read_by_machines(page: Page, stress: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(stress.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_chart_of_a_change_stands_first_and_the_glossary_is_folded(page: Page, stress: Path) -> None:
    page.goto(stress.as_uri())
    expect(page.get_by_text("Results in another order: react keeps its picks in 1 of 2.")).to_be_in_viewport()
    expect(page.locator(".changes rect")).to_have_count(2)
    expect(page.locator(".changes rect.none")).to_have_count(0)
    expect(page.locator("#reading dl")).to_be_hidden()
    page.locator("#reading summary").click()
    expect(page.locator("#reading dl")).to_be_visible()
