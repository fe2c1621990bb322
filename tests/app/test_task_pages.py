"""The page of a task with files says what its folder says, marks each fact where it stands, and is for the owner alone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.env.drawer.drawer import SHARED
from drr.papers.dr3.form import TRUTH, json_document
from drr.papers.dr3.judging.rows import depth_of, fact_labels, point_labels
from drr.papers.dr3.truth import FoundRecord, KnownPage, PageProposal, read_truth
from drr.papers.dr3.viewer.drawers import Values
from drr.papers.dr3.viewer.pages import TaskFolder, TaskFolderPages, facts_in, points_in
from drr.papers.dr3.viewer.shelf import TaskShelf
from drr.papers.dr3.viewer.texts import FactSpan, facts_marked
from drr.study.study import Study
from starlette.testclient import TestClient

from tests.commands import Drr
from tests.entering import entered
from tests.filetasks.made import FACTS, PAGES, QUERY, RIGHT, WRONG, write_known_task
from tests.tampering import rewrite

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    write_known_task(folder / "007")
    write_known_task(folder / "008", "a task & more")
    return folder


@pytest.fixture(scope="module")
def shelf(tasks: Path) -> TaskShelf:
    return TaskShelf(tasks)


@pytest.fixture(scope="module")
def view(shelf: TaskShelf) -> Values:
    found = shelf.shown("t", "007")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def browser(shelf: TaskShelf) -> TestClient:
    client = TestClient(TaskFolder(shelf).site("token", 8765), base_url="http://127.0.0.1:8765")
    entered(client, "token")
    return client


def test_every_fact_is_marked_where_it_stands_right_beside_falsified(view: Values, shelf: TaskShelf) -> None:
    files = {file["name"]: file for file in view["files"]}
    assert {name: file["facts"] for name, file in files.items() if file["facts"]} == {
        "manual.pdf": ["f1"], "budget.xlsx": ["f2"], "orders 2022.csv": ["f3"], "slip.png": ["f4"],
        "seller.eml": ["f5"], "saved.html": ["f6"], "notes.md": ["f7"],
    }  # fmt: skip
    for name, fact in (("seller.eml", "f5"), ("saved.html", "f6"), ("notes.md", "f7")):
        assert held(files[name]["text"]) == [(FACTS[fact][2], fact)]
    cells = [
        (sheet["name"], row["number"], letter, cell["text"], cell["facts"])
        for name in ("budget.xlsx", "orders 2022.csv")
        for sheet in files[name]["sheets"]
        for row in sheet["rows"]
        for letter, cell in zip(sheet["columns"], row["cells"], strict=True)
        if cell["facts"]
    ]
    assert cells == [("Living room", 2, "B", "58 cm", ["f2"]), ("", 2, "C", "49.00", ["f3"])]
    assert files["slip.png"]["image"]["boxes"] == [("f4", (40, 60, 220, 90))]
    page = files["manual.pdf"]["pages"][1]
    assert (page["number"], page["facts"]) == (2, ["f1"]) and held(page["text"]) == [(FACTS["f1"][2], "f1")]
    fact = next(one for one in view["facts"] if one["fact"].id == "p1")
    (right,), (changed, left_out) = fact["right"], fact["falsified"]
    for one, words in ((right, "every 4 weeks"), (changed, "every 9 weeks")):
        assert [one["passage"].text[a:b] for a, b in one["passage"].spans] == [words]
    assert changed["change"] == "outdated"
    assert (left_out["change"], left_out["passage"], left_out["after"]) == ("one sided", None, None)
    document = shelf.shown("d", changed["link"].rpartition("/")[2].removesuffix(".html"))
    assert document is not None and document["sizes"] == ["1k", "2k"]
    assert (document["page"].url, document["kind"]) == (WRONG[0], "distractor")
    assert (document["source"]["page"].url, document["source"]["kind"]) == (RIGHT[0], "supportive")
    noise = shelf.shown("n", "007-1")
    assert noise is not None
    assert [(one["page"].url, one["kind"], one["sizes"]) for one in noise["documents"]] == [
        ("https://news.example/tea-fair", "noise", ["2k"])
    ]


def held(html: str) -> list[tuple[str, str]]:
    """What is marked in a text, with the fact that is named behind it."""
    found = re.findall(
        r'<mark class="held">(.*?)</mark> <a class="fact" href="#fact-(\w+)">', html, re.DOTALL
    )
    return [(" ".join(words.split()), fact) for words, fact in found]


def test_a_long_text_is_shown_from_its_beginning_and_around_its_facts() -> None:
    text = "a " * 10_000 + "the value" + " b" * 10_000
    html = facts_marked(text, [FactSpan(20_000, 20_009, "f1"), FactSpan(20_004, 20_009, "f<2")])
    assert '<mark class="held">the value</mark> <a class="fact" href="#fact-f1">' in html
    assert "f&lt;2" in html and html.startswith("a a") and len(html) < 14_000
    assert "\n[7,400 characters]\n" in html and html.endswith("\n[19,400 characters more]")


def test_a_pdf_page_is_an_image_with_the_line_of_its_fact(view: Values, browser: TestClient) -> None:
    pytest.importorskip("pypdfium2", reason="the extra pdf-pages is not installed")
    page = next(file for file in view["files"] if file["name"] == "manual.pdf")["pages"][1]
    assert [fact for fact, _ in page["image"]["boxes"]] == ["f1"]
    html = browser.get("/t/007.html").text
    assert html.count("<rect") == 2 and page["image"]["link"] in html
    drawn = browser.get(page["image"]["link"].removeprefix(".."))
    assert drawn.headers["content-type"] == "image/png" and drawn.content.startswith(b"\x89PNG")


def test_the_page_of_a_task_is_for_the_owner(browser: TestClient, view: Values, shelf: TaskShelf) -> None:
    html = browser.get("/t/007.html").text
    assert len(html) < 60_000
    said = ("replace under warranty", "must not see it", "kettle limescale citric acid", "tea fair stalls monday", "States the term",
            "36 months from the day of purchase", "2 by exposure", "unreviewed", "850 of 2,000", "asked on 2024-03-01")  # fmt: skip
    assert [words for words in said if words not in html] == []
    assert re.findall(
        r"<td>(?:\d+ of )?[\d, of]+</td><td>(\d)</td><td>(\d)</td><td>(\d)</td><td>(\d)</td>", html
    ) == [("3", "1", "2", "0"), ("4", "1", "2", "1")]
    index = browser.get("/index.html").text
    assert "must not see it" in index and index.count("replace under warranty") == 4
    assert "PDF, XLSX, CSV, EML, HTML, MD, PNG, JPG" in index
    other = re.search(r't/(~[0-9a-f]+)\.html">a task &amp; more', index)
    assert other is not None and browser.get(f"/t/{other[1]}.html").status_code == 200
    stranger = TestClient(TaskFolder(shelf).site("token", 8765), base_url="http://127.0.0.1:8765")
    for address in ("/index.html", "/t/007.html", "/d/007-1.html", "/f/007-7-1.png"):
        assert stranger.get(address).status_code == 403
        served = browser.get(address)
        assert served.status_code == 200 and "script-src 'self'" in served.headers["content-security-policy"]


@pytest.mark.parametrize(
    "address",
    ["/t/009.html", "/t/..%2F007.html", "/d/007-0.html", "/d/007-99.html", "/d/007.html", "/n/007-2.html", "/f/007-1-0.png",
     "/f/007-1-9.png", "/f/007-99-1.png", "/f/007-8-1.png", "/f/007-6-1.png", "/f/truth.json", "/f/..%2Ftruth.json", "/d/007-².html",
     "/f/007-1-x.png", "/f/007-1-1.jpg", "/007/truth.json"],
)  # fmt: skip
def test_nothing_else_is_served(browser: TestClient, address: str) -> None:
    assert browser.get(address).status_code == 404


def test_the_folder_of_pages_is_whole(tasks: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("view", tasks, "--static", tmp_path / "pages", "--quiet")
    pages = sorted((tmp_path / "pages").rglob("*.html"))
    assert len(pages) == 1 + 2 * (1 + 3 + 1)
    for page in pages:
        html = page.read_text()
        assert "must not see it" in html and "Content-Security-Policy" in html
        for link in re.findall(r'(?:href|src)="([^"#]+)', html):
            if not link.startswith(("data:", "http")):
                assert (page.parent / link).exists(), f"{page}: {link}"


def test_pages_without_the_extra_are_text(
    tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pypdfium2.py").write_text("raise ImportError('not installed')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    SHARED.close()
    try:
        view = TaskShelf(tasks).shown("t", "007")
    finally:
        SHARED.close()
    assert view is not None
    manual = view["files"][0]
    assert "pdf-pages" in manual["note"]
    assert [page["image"] for page in manual["pages"]] == [None] * 4 and held(manual["pages"][1]["text"])


def test_what_is_gone_or_broken_is_named(tmp_path: Path, drr: Drr) -> None:
    write_known_task(tmp_path / "tasks" / "007")
    write_known_task(tmp_path / "tasks" / "008", "008")
    (tmp_path / "tasks" / "008" / "truth.json").write_text("{}")
    shelf = TaskShelf(tmp_path / "tasks")
    assert shelf.readable() == ["007"] and shelf.shown("t", "008") is None
    assert ["truth.json" in (entry["problem"] or "") for entry in shelf.set()["entries"]] == [False, True]
    drr.out("view", tmp_path / "tasks", "--static", tmp_path / "pages", "--quiet")
    assert drr.err("view", tmp_path / "tasks", "--judge", "rules-2").count("\n") == 1
    folder = write_known_task(tmp_path / "007")
    (folder / "files" / "budget.xlsx").write_bytes(b"no workbook")
    (folder / "files" / "notes.md").unlink()
    view = TaskShelf(folder).shown("t", "007")
    assert view is not None
    problems = {file["name"]: file["problem"] for file in view["files"] if file["problem"]}
    assert problems.keys() == {"budget.xlsx", "notes.md"} and "not there" in problems["notes.md"]


def test_found_pages_say_what_a_model_took_them_for_and_what_a_person_said(tmp_path: Path, drr: Drr) -> None:
    folder = write_known_task(tmp_path / "007")
    truth = read_truth(folder)
    of_kind = {"supportive": PAGES[0], "distractor": PAGES[2], "noise": PAGES[3]}
    proposals = tuple(
        PageProposal.model_validate({"url": url, "kind": kind, "quote": text.strip(), "why": f"as {kind}"})
        for kind, (url, _, text) in of_kind.items()
    )
    pages = (truth.pages[0], KnownPage(url=WRONG[0], kind="distractor"))
    history = [
        {"action": "confirm", "page": RIGHT[0], "reviewer": "Ada"},
        {"action": "refute", "page": PAGES[3][0], "reviewer": "Ada"},
    ]
    found = FoundRecord(
        model="kind-model", web="serper", proposals=proposals, pages={"read": 4, "too_short": 1}
    )
    review = truth.review.model_copy(update={"history": history})
    changed = truth.model_copy(update={"pages": pages, "found": found, "review": review})
    (folder / TRUTH).write_bytes(json_document(changed))
    drr.out("view", folder, "--static", tmp_path / "pages", "--quiet")
    html = (tmp_path / "pages" / "t" / "007.html").read_text()
    standings = ("confirmed", "not confirmed", "refuted")
    assert (
        tuple(re.findall(r'<span class="tag [a-z]+">((?:not )?confirmed|refuted)</span>', html)) == standings
    )
    assert "as kind-model took them" in html and "too short 1" in html and "confirm, https" in html
    assert "1 found page not confirmed" in (tmp_path / "pages" / "index.html").read_text()
    shelf = TaskShelf(folder)
    shown = [shelf.shown(kind, name) for kind, name in shelf.pages("007") if kind == "d"]
    assert [(one["page"].url, one["kind"], one["proposal"]["standing"]) for one in shown if one] == [
        (proposal.url, proposal.kind, standing)
        for proposal, standing in zip(proposals, standings, strict=True)
    ]
    assert all(one is not None and len(one["spans"]) == 1 for one in shown)
    for link in re.findall(r'href="\.\./(d/[^"#]+)', html):
        assert (tmp_path / "pages" / link).is_file()


AGENT = """
async def reader(query, tools, model, budget):
    await next(tool for tool in tools if tool.name == "list_files").ainvoke({})
    return '''# The kettle

The warranty of the kettle lasts 36 months [1]. In the kettle limescale is removed with citric acid every 9 weeks [2].

## Sources
[1] Manual: file://manual.pdf#page=2
[2] Care: https://old.example/kettle-limescale
'''


reader.roles = ("agent",)
"""


@pytest.fixture(scope="module")
def study(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that was run on the tasks, offline: an agent of the user's and one of ours; looked at for facts."""
    home = tmp_path_factory.mktemp("answered")
    (home / "agent.py").write_text(AGENT)
    variants = f"{home / 'agent.py'}:reader,react"
    words = ("--tasks", tasks, "--sizes", "1k,2k", "--variants", variants, "--model", "offline", "--quiet")
    assert main(["run", str(home / "study"), *map(str, words)]) == 0
    assert main(["judge", str(home / "study"), "--judge", "offline", "--what", "dr3", "--quiet"]) == 0
    return home / "study"


def test_a_report_shows_each_fact_beside_its_place(study: Path, tasks: Path) -> None:
    with Study.open(study) as opened:
        reader = Reader(opened)
        entry = next(one for one in reader.entries() if "reader" in one.variant and one.query_id == "007@1k")
        view = reader.report(entry.key)
        assert view is not None
        own, shelf = reader.papers["dr3"], TaskShelf(tasks)
        assert isinstance(own, TaskFolderPages)
        pages = StudyPages("study", served=False, papers=[own])
        own.show(shelf)
        html = pages.report(view)
        own.show(None)
        bare, depth = pages.report(view), depth_of(view.judged, view.key)
    facts, points = fact_labels(view.judged, view.key), point_labels(view.judged, view.key)
    assert depth is not None and facts is not None and points is not None
    found = facts_in(view.report, facts, shelf.evidence("007"), view.verdicts.judge)
    by_id = {one["row"]["id"]: one for one in found}
    assert list(by_id) == list(FACTS)
    assert by_id["f1"]["state"] == "found"
    assert by_id["f1"]["words"] == "The warranty of the kettle lasts 36 months [1]."
    assert {name for name, one in by_id.items() if one["state"] == "missed"} == set(FACTS) - {"f1", "f7"}
    assert by_id["f7"]["state"] == "unknown", "code cannot look for a value that is no figure"
    assert by_id["f2"]["lost"] == "lost in search: no tool of the run gave it"
    (repeated,) = by_id["p1"]["repeated"]
    assert (repeated["change"]["kind"], repeated["change"]["value"]) == ("outdated", "every 9 weeks")
    assert repeated["statement"]["url"] == WRONG[0]
    (cell,), (region,), (page,) = (by_id[name]["places"] for name in ("f2", "f4", "p1"))
    assert cell["passage"].text[slice(*cell["passage"].spans[0])] == "58 cm"
    assert region["crop"]["part"] == (0, 36, 260, 114) and page["passage"] is not None
    assert "Facts of the task: 1 found, 6 missed, 1 unknown, 1 contradicted" in html and "<svg" in html
    checklist = points_in(view.report, points, found, view.verdicts.judge)
    assert checklist is not None and f"Checklist: {checklist['text']}" in html and 'id="checklist"' in bare
    decided = next(point for point in checklist["points"] if point["facts"])
    assert f'<a href="#fact-{decided["facts"][0]["row"]["id"]}">' in html
    assert f"Depth: {depth['grade']} of 10" in html and depth["reason"] in html
    assert "contradicted" in bare and "<svg" not in bare and "../t/" not in bare


def test_pages_of_study_and_tasks_lead_to_each_other(study: Path, tmp_path: Path, drr: Drr) -> None:
    pages = tmp_path / "pages"
    drr.out("view", study, "--static", pages, "--quiet")
    assert 'href="tasks.html"' in (pages / "index.html").read_text()
    assert 't/007.html"' in (pages / "tasks.html").read_text()
    task = (pages / "t" / "007.html").read_text()
    answers = re.findall(r'href="\.\./(r/[0-9a-f]+\.html)">\d+ words', task)
    assert len(answers) == 4 and re.findall(r"<td>([12]k)</td>", task) == ["1k", "2k"] * 2
    assert "IR pages" in task and ">14.3<" in task
    for answer in answers:
        assert 'href="../t/007.html"' in (pages / answer).read_text()
    assert "other words" not in task


def test_a_study_without_its_tasks_says_so(study: Path, tasks: Path, tmp_path: Path, drr: Drr) -> None:
    moved, pages = tmp_path / "study", tmp_path / "pages"
    shutil.copytree(study, moved)
    plan = moved / "study.toml"
    rewrite(plan, plan.read_text().replace(str(tasks), str(tmp_path / "gone")))
    assert "--tasks FOLDER says where" in drr.err("view", moved, "--static", pages, "--quiet", code=0)
    assert not (pages / "tasks.html").exists() and "tasks.html" not in (pages / "index.html").read_text()
    drr.out("view", moved, "--static", pages, "--tasks", tasks, "--quiet")
    assert (pages / "t" / "007.html").is_file()


def test_reports_of_others_on_the_tasks_stand_beside_them_too(tasks: Path, tmp_path: Path, drr: Drr) -> None:
    said = "The warranty of the kettle lasts 36 months."
    row = {"id": "a", "system": "theirs", "query": QUERY, "query_id": "007@1k", "report_markdown": said}
    (tmp_path / "reports.jsonl").write_text(json.dumps(row) + "\n")
    study, pages = str(tmp_path / "study"), tmp_path / "pages"
    drr.out("import", study, tmp_path / "reports.jsonl")
    drr.out("judge", study, "--judge", "offline", "--what", "dr3", "--tasks", tasks, "--quiet")
    drr.out("view", study, "--static", pages, "--quiet")
    (answer,) = re.findall(r'href="\.\./(r/[^"]+\.html)">\d+ words', (pages / "t" / "007.html").read_text())
    report = (pages / answer).read_text()
    assert "Facts of the task: 1 found" in report and 'href="../t/007.html"' in report


def test_no_page_of_an_annotator_leads_to_the_truth(study: Path, tmp_path: Path, drr: Drr) -> None:
    words = ("--annotators", "1", "--pairs", "1", "--bundle", str(tmp_path / "bundle"))
    drr.out("annotate", study, *words)
    texts = [path.read_text(errors="replace") for path in (tmp_path / "bundle").rglob("*") if path.is_file()]
    assert texts
    for told in ("t/007", "tasks.html", "What is true of", "must not see it", "kettle limescale citric acid", "from the day of purchase"):  # fmt: skip
        assert not [text for text in texts if told in text]
