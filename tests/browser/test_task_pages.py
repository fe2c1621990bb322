"""The pages of tasks with files in a real browser: facts marked where they stand, from disk, with hostile tasks, readable by machines."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.citations.files import file_address
from drr.papers.dr3.form import CORPUS, QUESTION, TRUTH, FileQuestion, corpus_pages, json_document, json_line
from drr.papers.dr3.judging.rows import FACTS
from drr.papers.dr3.truth import FactPlace, TaskTruth, read_truth
from drr.papers.dr3.viewer.pages import TaskFolderPages
from drr.papers.dr3.viewer.shelf import TaskShelf
from drr.study.study import Study
from playwright.sync_api import Page, expect

from tests.browser.conftest import drr
from tests.browser.test_viewer_pages import (
    PAYLOADS,
    fits,
    hostile_fact,
    hostile_view,
    serious,
    unfolded,
    ways,
)
from tests.drawer.hostile import manual
from tests.filetasks.made import QUERY, WRONG, write_known_task

pytestmark = pytest.mark.browser
EVIL = " ".join(PAYLOADS)
NAMED = "<img src=x onerror=alert(1)> \"'onload=alert(1).{}"
"""A name that a file may have."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("tasks")
    write_known_task(home / "tasks" / "007")
    write_known_task(home / "tasks" / "008", "008")
    drr("view", home / "tasks", "--static", home / "pages", "--quiet")
    return home / "pages"


def hostile_task(folder: Path) -> None:
    """A task in which every text is hostile: names and contents of files, pages, facts, terms, checklist, review."""
    write_known_task(folder, PAYLOADS[1])
    table = StringIO()
    csv.writer(table).writerows([["a", "b"], [EVIL, PAYLOADS[0]]])
    contents = {
        "md": EVIL.encode(),
        "csv": table.getvalue().encode(),
        "html": f"<p>{EVIL}</p>".encode(),
        "eml": f"From: a@b.example\nSubject: {PAYLOADS[0]}\n\n{EVIL}\n".encode(),
        "pdf": manual([PAYLOADS[0], "\n".join(PAYLOADS)]),
    }
    for ending, data in contents.items():
        (folder / "files" / NAMED.format(ending)).write_bytes(data)
    names = tuple(NAMED.format(ending) for ending in (*contents, "xlsx", "mp4"))
    question = FileQuestion(task_id=PAYLOADS[1], query=EVIL, today="2024-03-01", files=names)
    (folder / QUESTION).write_bytes(json_document(question))
    found = [
        page.model_copy(update={"title": EVIL, "text": f"{EVIL}\n\n{page.text}\n\n{EVIL}"})
        for page in corpus_pages(folder)
    ]
    (folder / CORPUS).write_bytes(b"".join(map(json_line, found)))
    truth = read_truth(folder)
    at = {"pdf": "page=1", "csv": "row=2"}
    places = [
        FactPlace(address=file_address(name, at.get(name.rpartition(".")[2], "")), quote=PAYLOADS[0])
        for name in names
    ]
    places += [
        FactPlace(address="javascript:alert(1)", quote=EVIL),
        FactPlace(address=found[0].url, quote=PAYLOADS[0]),
    ]
    changes = {"text": EVIL, "value": PAYLOADS[0], "subject": EVIL, "places": tuple(places), "made": False}
    bad = truth.model_copy(
        update={
            "theme": EVIL,
            "facts": tuple(fact.model_copy(update=changes) for fact in truth.facts),
            "pages": tuple(
                page.model_copy(update={"change": page.change and page.change.model_copy(update={"before": EVIL, "after": PAYLOADS[0]})})
                for page in truth.pages
            ),
            "terms": tuple(term.model_copy(update={"term": EVIL}) for term in truth.terms),
            "checklist": tuple(point.model_copy(update={"id": PAYLOADS[1], "requirement": EVIL}) for point in truth.checklist),
            "answer": (EVIL,),
            "invented": (EVIL,),
            "refused": {EVIL: 1},
            "counter": EVIL,
            "review": truth.review.model_copy(update={"status": "rejected", "history": [{"action": "reject", "reviewer": EVIL, "reason": EVIL}]}),
        }
    )  # fmt: skip
    assert isinstance(bad, TaskTruth)
    (folder / TRUTH).write_bytes(json_document(bad))


def write_hostile_report(tasks: Path, folder: Path) -> None:
    """One on this task, with its facts beside their places."""
    shelf, view = TaskShelf(tasks), hostile_view()
    truth = read_truth(next(tasks.iterdir()))
    facts = [hostile_fact(fact.id, fact.text) for fact in truth.facts]
    view.judged.others[FACTS] = {view.key: {"facts": facts, "points": []}}
    of_task = replace(view, entry=replace(view.entry, task=PAYLOADS[1]))
    with Study.create(folder.with_name("study"), {}) as study:
        own = TaskFolderPages(Reader(study))
        own.show(shelf)
        html = StudyPages(EVIL, served=False, papers=[own]).report(of_task)
    assert html.count('<svg class="crop"') >= 1 and html.count("../t/~") > 5
    folder.mkdir()
    (folder / "evil.html").write_text(html, encoding="utf-8")


def test_a_hostile_task_does_nothing_and_loads_nothing(page: Page, tmp_path: Path) -> None:
    hostile_task(tmp_path / "tasks" / "evil")
    drr("view", tmp_path / "tasks", "--static", tmp_path / "pages", "--quiet")
    write_hostile_report(tmp_path / "tasks", tmp_path / "pages" / "r")
    shown = sorted((tmp_path / "pages").rglob("*.html"))
    assert len(shown) == 1 + 1 + 3 + 1 + 1
    for path in shown:
        page.goto(path.as_uri())
        expect(page.locator("body[data-ready=yes]")).to_be_attached()
        unfolded(page)
        live = "body iframe, body style, body script, body meta, [onload], [onerror], [ontoggle], svg svg, foreignObject"
        assert page.locator(live).count() == 0, path
        assert page.locator("body img:not([src^='../f/~'])").count() == 0
        assert page.locator("body svg:not(.drawn > svg, .crop)").count() == 0
        assert page.locator('a[href^="javascript"], a[href^="data"]').count() == 0
        text = page.locator("main").inner_text()
        assert "<script>alert(1)</script>" in text and "{{ 7*7 }}" in text


def test_facts_are_marked_where_they_stand_and_lead_back(page: Page, pages: Path) -> None:
    page.goto((pages / "index.html").as_uri())
    page.locator("#find").fill("warranty 008")
    expect(page.locator("#hits")).to_have_text("1 of 2 tasks")
    page.locator("#units tbody tr:visible th a").click()
    expect(page.locator("h1")).to_contain_text("My kettle has begun to leak")
    page.locator("#fact-f1 td a").click()
    assert page.url.endswith("#file-1")
    for fact in ("f5", "f6", "f7"):
        mark = page.locator(f"mark.held:has(+ a[href='#fact-{fact}'])")
        assert mark.count() == 1 and mark.inner_text()
    expect(page.locator("td:has(a[href='#fact-f2']) mark.held")).to_have_text("58 cm")
    slip = page.locator("#file-7 .drawn")
    slip.scroll_into_view_if_needed()
    expect(slip.locator("img")).to_have_js_property("naturalWidth", 320)
    picture, region = slip.locator("img").bounding_box(), slip.locator("rect").bounding_box()
    assert picture is not None and region is not None
    scale = picture["width"] / 320
    assert region["x"] - picture["x"] == pytest.approx(36 * scale, abs=3)
    assert region["y"] - picture["y"] == pytest.approx(56 * scale, abs=3)
    page.locator(".statements a", has_text="an old page").first.click()
    expect(page.locator(".beside article")).to_have_count(2)
    expect(page.locator(".beside article").nth(0).locator("mark").first).to_have_text("every 9 weeks")
    expect(page.locator(".beside article").nth(1).locator("mark").first).to_contain_text("every 4 weeks")


def test_the_line_of_a_fact_is_marked_on_the_page_of_a_pdf(page: Page, pages: Path) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf-pages is not installed")
    page.goto((pages / "t" / "007.html").as_uri())
    drawn = page.locator("#file-1 h4:has-text('Page 2') + .drawn")
    drawn.scroll_into_view_if_needed()
    expect(drawn.locator("img")).to_have_js_property("complete", True)
    assert drawn.locator("img").evaluate("image => image.naturalWidth") > 500
    picture, line_ = drawn.locator("img").bounding_box(), drawn.locator("rect").bounding_box()
    assert picture is not None and line_ is not None
    assert 0.05 < (line_["y"] - picture["y"]) / picture["height"] < 0.2 and line_["height"] < 30


def test_no_serious_finding_and_nothing_beyond_the_screen(page: Page, pages: Path) -> None:
    shown = ["index.html", "t/007.html", "d/007-1.html", "d/007-3.html", "n/007-1.html"]
    for name in shown:
        page.goto((pages / name).as_uri())
        unfolded(page)
        for _ in ways(page):
            assert serious(page) == [], name
            assert fits(page), name


def test_a_reports_facts_beside_their_places_have_no_serious_finding(page: Page, tmp_path: Path) -> None:
    write_known_task(tmp_path / "tasks" / "007")
    said = "The warranty of the kettle lasts 36 months. In the kettle limescale is removed with citric acid every 9 weeks [1]."
    report = f"{said}\n\n## Sources\n[1] Care: {WRONG[0]}\n"
    row = {"id": "a", "system": "theirs", "query": QUERY, "query_id": "007@1k", "report_markdown": report}
    (tmp_path / "reports.jsonl").write_text(json.dumps(row) + "\n")
    drr("import", tmp_path / "study", tmp_path / "reports.jsonl")
    drr(
        "judge",
        tmp_path / "study",
        "--judge",
        "offline",
        "--what",
        "dr3",
        "--tasks",
        tmp_path / "tasks",
        "--quiet",
    )
    drr("view", tmp_path / "study", "--static", tmp_path / "pages", "--quiet")
    page.goto((tmp_path / "pages" / "t" / "007.html").as_uri())
    for _ in ways(page):
        assert serious(page) == []
    page.locator("td a[href^='../r/']").click()
    expect(page.locator("#facts")).to_contain_text("1 found, 6 missed, 1 unknown, 1 contradicted")
    for _ in ways(page):
        assert serious(page) == []
        assert fits(page)
    contradicted = page.locator("#fact-p1")
    expect(contradicted.locator("blockquote", has_text="every 9 weeks")).to_have_count(2)
    contradicted.get_by_role("link", name="Limescale, an old page").click()
    expect(page.locator(".beside article")).to_have_count(2)
