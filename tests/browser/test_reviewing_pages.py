"""Marks of reviewers in a real browser: by keys, over a reload, with the server away, and from disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.eval.judging.marks import ReviewMark, read_marks
from drr.study.study import Study
from playwright.sync_api import Page, expect

from tests.browser.conftest import drr, imported
from tests.browser.test_annotate_page import press
from tests.browser.test_viewer_pages import PAYLOADS, fits, serious, served, unfolded, ways

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two answers; one cites what it says, the other what its source does not say and calls itself hostile things."""
    home = tmp_path_factory.mktemp("reviewed")
    url = "http://birds.example/feeding"
    page = "Black oil sunflower seed suits cardinals. Place feeders ten feet from shrubs. " * 3
    texts = {
        "calm": "Black oil sunflower seed suits cardinals [1].\n\nPlace feeders ten feet from shrubs [1].",
        "hostile": f"Nyjer socks attract goldfinches in Antarctica {PAYLOADS[1]} [1].",
    }
    rows = [
        {"id": name, "system": name, "query": f"What do cardinals eat? {name}", "evidence": [{"url": url, "type": "web", "text": page}],
         "report_markdown": f"# Feeders\n\n{text}\n\n## Sources\n\n[1] Feeding: {url}\n"}
        for name, text in texts.items()
    ]  # fmt: skip
    return imported(home, rows, "faithfulness,rules")


@pytest.fixture
def study(made: Path) -> Iterator[Path]:
    """Nobody has marked anything in it yet."""
    yield made
    shutil.rmtree(made / "review", ignore_errors=True)


def open_report(page: Page, index: str, name: str = "calm") -> None:
    page.goto(index)
    page.locator("tr", has_text=f"cardinals eat? {name}").locator("td a").first.click()
    expect(page.locator("aside[data-marking=yes]")).to_be_attached()


def told(study: Path) -> list[ReviewMark]:
    with Study.open(study) as opened:
        return read_marks(opened)


def pressed(page: Page) -> list[str]:
    return page.locator(".evidence:target .review [aria-pressed=true]").all_inner_texts()


def test_a_verdict_is_marked_by_keys_and_the_mark_is_there_again(page: Page, study: Path) -> None:
    with served(study) as home:
        open_report(page, home + "?token=token")
        expect(page.locator("#reviewing")).to_have_text("marks are saved as reviewer")
        press(page, "rjr")
        expect(page.locator(".evidence:target [aria-pressed=true]")).to_have_text("verdict is right r")
        press(page, "jw")
        expect(page.locator(".evidence:target .review")).to_contain_text("it should be")
        page.keyboard.press("3")
        expect(page.locator(".evidence:target [aria-pressed=true]")).to_have_count(2)
        page.reload()
        expect(page.locator(".evidence:target [aria-pressed=true]")).to_have_text(
            ["verdict is wrong w", "none 3"]
        )
        found = told(study)
        marks = [(one.of, one.shown, one.label) for one in found]
        assert marks == [("verdict", "full", "full"), ("verdict", "full", "none")]
        assert {one.reviewer for one in found} == {"reviewer"}
        page.keyboard.press("w")
        expect(page.locator(".evidence:target [aria-pressed=true]")).to_have_count(0)
        assert [one.label for one in told(study)] == ["full"]


def test_a_rule_is_marked_where_the_focus_is(page: Page, study: Path) -> None:
    with served(study) as home:
        open_report(page, home + "?token=token")
        row = page.locator("tr[data-mark=rule]").first
        row.get_by_role("button", name="rule is wrong").focus()
        press(page, "1w")
        expect(row.get_by_role("button", name="rule is wrong")).to_have_attribute("aria-pressed", "true")
        expect(row.get_by_role("button", name="rule is wrong")).to_be_focused()
        page.goto(home + "index.html")
        expect(page.locator("main")).to_contain_text("reviewer 1 rule finding (1 wrong)")
    assert [(one.of, one.says, one.should) for one in told(study)] == [("rule", "wrong", None)]


def test_a_mark_that_the_server_did_not_take_is_not_shown_as_made(page: Page, study: Path) -> None:
    with served(study) as home:
        open_report(page, home + "?token=token")
    press(page, "jw")
    expect(page.locator(".evidence:target .review .trouble")).to_contain_text("not saved")
    expect(page.locator(".evidence:target [aria-pressed=true]")).to_have_count(0)
    assert told(study) == []


def test_marks_of_a_folder_come_in_as_a_file(page: Page, study: Path, tmp_path: Path) -> None:
    drr("view", study, "--static", tmp_path / "pages", "--quiet")
    index = (tmp_path / "pages" / "index.html").as_uri()
    open_report(page, index)
    expect(page.locator("#reviewing")).to_be_empty()
    press(page, "j2")
    expect(page.locator("#reviewing")).to_contain_text("1 mark is kept in this browser")
    open_report(page, index, "hostile")
    press(page, "jr")
    for _ in range(2):  # also after the page was loaded again
        expect(page.locator("#reviewing")).to_contain_text("2 marks are kept in this browser")
        page.reload()
    page.get_by_role("button", name="Save marks as a file").click()
    expect(page.locator("#reviewer")).to_be_focused()
    page.keyboard.type("cat w/r")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save marks as a file").click()
    assert download.value.suggested_filename == "marks-cat-w-r.jsonl"
    file = tmp_path / "marks.jsonl"
    download.value.save_as(file)
    drr("view", study, "--import", file)
    assert [(one.reviewer, one.says, one.label) for one in told(study)] == [
        ("cat-w-r", "wrong", "partial"), ("cat-w-r", "right", "none")
    ]  # fmt: skip


def test_marking_has_no_serious_finding_at_any_width_in_either_scheme(page: Page, study: Path) -> None:
    with served(study) as home:
        open_report(page, home + "?token=token", "hostile")
        press(page, "jw")
        unfolded(page)
        for _ in ways(page):
            assert serious(page) == []
            assert fits(page)
