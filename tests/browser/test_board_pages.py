"""A board in a real browser: choices hide rows and points, hostile names do nothing, and machines can read it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from drr.app.board.page import SCRIPTS, BoardPages
from drr.app.pages.serve import STATIC, STYLES
from playwright.sync_api import Page, expect

from tests.boards import bundle, crowd, system
from tests.cases import cases

pytestmark = pytest.mark.browser
EVIL = " ".join(cases("browser", "test_viewer_pages_PAYLOADS"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("board")
    evil = replace(system(bundle(EVIL), 0.6, variant=EVIL, model=EVIL), made_by=EVIL)
    systems = [*crowd(40, 1000), evil]
    bundles = [*(one.bundle for one in systems), bundle("bad", failed=EVIL)]
    for file, page in BoardPages(bundles, systems).pages().items():
        (home / file).parent.mkdir(exist_ok=True)
        (home / file).write_text(page, encoding="utf-8")
    (home / "static").mkdir()
    for name in (*STYLES, *SCRIPTS):
        shutil.copyfile(STATIC / name, home / "static" / name)
    return home


def test_choices_hide_rows_and_points(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    rows, points = page.locator("#choose ~ * tbody tr:visible"), page.locator(".chart a:visible")
    expect(rows).to_have_count(41)
    expect(points).to_have_count(41)
    page.get_by_label("architecture").select_option(label="dr3")
    expect(rows).to_have_count(6)
    expect(points).to_have_count(6)
    expect(page.locator("#chosen")).to_have_text("6 of 41 shown")
    page.get_by_label("architecture").select_option(label="all")
    page.get_by_label("model").select_option(label="provider0:model-0")
    expect(rows).to_have_count(2)
    page.get_by_label("bundle").select_option(label="consistent")
    expect(rows).to_have_count(1)
    expect(points).to_have_count(1)
    for by in ("model", "bundle"):
        page.get_by_label(by).select_option(label="all")
    page.get_by_role("button", name="cost").first.click()
    shown = [float(text.replace(",", "")) for text in page.locator("tbody tr td[data-of=cost] > :first-child:visible").all_inner_texts()]  # fmt: skip
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize("width", [1440, 390])
def test_pages_fit_and_can_be_read_by_machines(page: Page, site: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("index.html", "bundles.html", *(f"s/{next((site / 's').iterdir()).name}", f"b/{next((site / 'b').iterdir()).name}")):  # fmt: skip
        page.goto((site / path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    page.goto((site / "index.html").as_uri())
    row = page.locator("#choose ~ * tbody tr").first
    assert row.locator("td .bar:visible").count() == 2, "figure and cost keep their intervals"


def test_hostile_names_do_nothing(page: Page, site: Path) -> None:
    for path in [site / "index.html", site / "bundles.html", *site.glob("[sb]/*")]:
        page.goto(path.as_uri())
        assert page.locator("body :is(img, iframe, style, script), [onload], [onerror]").count() == 0
        assert page.locator('a[href^="javascript"], a[href^="data"]').count() == 0
