"""A report's pages in a real browser: Table 1 whole on a desk and read sideways on a phone, and from each number to its answers."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from drr.env.settings import resolve
from drr.env.shop import open_shop
from playwright.sync_api import Page, expect

from tests.browser.conftest import drr

pytestmark = pytest.mark.browser
VARIANTS = ("react", "react+ws", "plan-to-function+ws", "hybrid-react+ws")
WIDTHS = (1440, 1024, 390)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `report` and `viewer`, of two questions and four systems."""
    home = tmp_path_factory.mktemp("reported")
    drr("data", "sample", home / "raw", "--quiet")
    drr("data", "ingest", home / "raw", "--shop", home / "shop", "--quiet")
    with open_shop(str(home / "shop"), resolve({}, environ={}, file=home / "none").settings) as shop:
        users = shop.store.sample_users(2, seed=1, min_orders=5)
    asked = ("Which bird feeder should I buy?", "Which quiet dog nail grinder?")
    lines = [json.dumps({"query": one, "user_id": user}) for one, user in zip(asked, users, strict=True)]
    (home / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    what = ("--queries", home / "queries.jsonl", "--variants", ",".join(VARIANTS))
    drr("run", home / "study", "--shop", home / "shop", *what)
    drr("judge", home / "study", "--judge", "offline")
    drr("view", home / "study", "--static", home / "viewer")
    drr("report", home / "study", "--out", home / "report")
    return home


def addresses(pages: Path) -> list[str]:
    """Of a difference the page that there is: which of two systems comes first hangs on the figures."""
    report = pages / "report"
    difference = min((report / "answers").glob("*-minus-*.html"))
    return [one.as_uri() for one in (report / "index.html", report / "answers" / "react.html", difference)]


def test_a_report_is_whole_on_a_desk_and_readable_on_a_phone(page: Page, pages: Path) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(addresses(pages)[0])
    page.locator("#topic-faithfulness > summary").click()
    table = page.locator("#faithfulness .scroll").first
    assert table.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    page.set_viewport_size({"width": 390, "height": 844})
    table.evaluate("e => { e.scrollLeft = 9999; }")
    name = page.locator("#faithfulness tbody th").first.bounding_box()
    last = page.locator("#faithfulness tbody tr").first.locator("td").last.bounding_box()
    assert name and last and name["x"] >= 0
    assert last["x"] >= name["x"] + name["width"] - 1 and last["x"] + last["width"] <= 390
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(addresses(pages)[0])
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for image in page.locator("figure img").all():
        image.scroll_into_view_if_needed()
        page.wait_for_function("e => e.complete && e.naturalWidth", arg=image.element_handle())
        shown = image.evaluate("e => e.clientWidth / e.naturalWidth")
        assert shown >= 0.75
    page.goto(addresses(pages)[0])
    page.locator("#differences tbody tr:visible", has_text="minus react").last.locator("td a").first.click()
    assert page.url.endswith("#differences") and " minus " in page.locator("h1").inner_text()
    page.locator("#differences tbody th a").first.click()
    assert "/viewer/q/" in page.url and "left=" in page.url
    asked = parse_qs(urlsplit(page.url).query)
    assert asked["left"] != asked["right"]
    for side in ("left", "right"):
        expect(page.locator(f"#{side}-choice")).to_have_value(*asked[side])


def test_the_first_screen_says_who_leads_and_a_head_sorts_the_board(page: Page, pages: Path) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(addresses(pages)[0])
    for part in ("h1", "#failing figure", "#board table"):
        box = page.locator(part).first.bounding_box()
        assert box and box["y"] + box["height"] <= 900, part
    systems, failed = (page.locator(part).bounding_box() for part in ("#board h2", "#failing h2"))
    assert systems and failed and systems["y"] < failed["y"], "a judged study shows its systems first"
    assert page.locator("#board .scroll").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    expect(page.locator("details.topic[open]")).to_have_count(0)
    rows, head = page.locator("#board tbody tr"), page.locator("#board thead th", has_text="tokens")
    tokens = [float(one.replace(",", "")) for one in rows.locator("td:nth-child(8) a").all_inner_texts()]
    head.locator(".head").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    shown = [float(one.replace(",", "")) for one in rows.locator("td:nth-child(8) a").all_inner_texts()]
    assert shown == sorted(tokens, reverse=True)


def test_both_answers_begin_on_the_first_screen_of_a_desk_one_of_a_phone_and_a_banner_is_one_line(
    page: Page, pages: Path
) -> None:
    compared = min((pages / "viewer" / "q").glob("*.html"))
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(compared.as_uri())
        expect(page.locator("body[data-ready=yes]")).to_be_attached()
        tops = page.locator("article.side:visible").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect().top)"
        )
        assert len(tops) == 2
        assert max(tops) < height - 100 or (width < 1000 and min(tops) < height - 100), width
        for file in (compared, pages / "report" / "index.html", pages / "viewer" / "index.html"):
            page.goto(file.as_uri())
            assert page.locator(".banner").evaluate("e => e.getClientRects()[0].height") < 36, (width, file)


def test_heads_never_overlap_and_no_line_is_made_tall_by_a_note(page: Page, pages: Path) -> None:
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(addresses(pages)[0] + "#tool-calls")
        expect(page.locator("#tool-calls table").first).to_be_visible()
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        over = page.evaluate(
            "[...document.querySelectorAll('table.figures thead th')].filter(e => e.scrollWidth > e.clientWidth + 1)"
            ".map(e => e.textContent)"
        )
        assert over == []
        same = page.locator("#faithfulness td:has(small.same)")
        assert same.count() > 1
        beside = "e => { const [a, b] = [...e.children].map(one => one.getBoundingClientRect()); return b.top < a.bottom; }"
        assert all(cell.evaluate(beside) for cell in same.all())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_of_a_report_has_a_finding(page: Page, pages: Path, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for address in addresses(pages):
        page.goto(address)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        cut = page.evaluate(
            "[...document.querySelectorAll('main td, main th, main p, main h1, main h2, main dd')].filter(e => {"
            " const box = e.closest('.scroll'); const r = e.getBoundingClientRect();"
            " return !box && r.width && (r.right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1); })"
            ".map(e => e.textContent.slice(0, 60))"
        )
        assert cut == [], address
        found = Axe().run(page).response["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == [], address
