"""The viewer in a real browser: from claim to passage, by keyboard, from disk, with hostile reports, readable by machines."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from axe_playwright_python.sync_playwright import Axe
from drr.app.pages.serve import STATIC, path_of_token
from drr.app.report.failing import FoundError
from drr.app.viewer.model import (
    Actor,
    CallView,
    Conversation,
    JudgeVerdicts,
    Passage,
    ProductCard,
    ReportView,
    ShownEntry,
    ShownFinding,
    SourceView,
    TimedMessage,
    VerdictEvidence,
)
from drr.app.viewer.parts import conversations
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages, texts_script
from drr.app.viewer.site import site
from drr.citations.parse import parse
from drr.eval.checks.results import CheckRow
from drr.eval.foreign.summary import ForeignValue
from drr.eval.metrics.base import Metric
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import JudgedClaim, VerdictRow
from drr.eval.stats.question import Comparison
from drr.eval.tasks.judgements import Judged, MistakeRow, Verdict
from drr.eval.tasks.key_points import PointRow, PointSupport, PointVerdictRow
from drr.papers.dr3.judging.rows import FACTS, PlaceRow, RepeatedRow, RequiredFactRow
from drr.papers.dr3.viewer.pages import TaskFolderPages
from drr.papers.pdr.judging.choices import owner_ids
from drr.papers.pdr.judging.rows import CriterionRow, open_rubric
from drr.papers.pdr.judging.violations import VIOLATIONS, violations_of
from drr.papers.pdr.person import Attribute
from drr.papers.pdr.viewer import CaseSide, CriterionView, PersonCase, PersonPages, case_page
from drr.papers.reporteval.judging.grades import GRADES, REPETITION, RepetitionRow
from drr.papers.reporteval.viewer import GradePages
from drr.study.study import Study
from playwright.sync_api import Page, expect

from tests.app.test_one_more_family import second_judge
from tests.browser.conftest import drr, imported, serving
from tests.cases import cases
from tests.entering import other_server
from tests.tampering import tampered

pytestmark = pytest.mark.browser
PAYLOADS = cases("browser", "test_viewer_pages_PAYLOADS")


KEY = "k" * 16
HOSTILE = "hostile $\\frac{ 鳥 [a](javascript:alert(1)) " + PAYLOADS[1]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, one calm and one hostile in every text it controls."""
    home = tmp_path_factory.mktemp("viewer")
    url = "http://birds.example/feeding"
    page = "Sunflower seed suits cardinals. Place feeders ten feet from shrubs. " * 5
    calm = f"# Feeders\n\nSunflower seed suits cardinals [1].\n\nPlace feeders ten feet from shrubs [1].\n\n## Sources\n\n[1] Feeding: {url}\n"
    hostile = "\n\n".join(f"Sunflower seed suits cardinals {payload} [1]." for payload in PAYLOADS)
    hostile += f"\n\n## Sources\n\n[1] {PAYLOADS[0]}: {url}\n"
    rows = [
        {"id": "a", "system": "calm", "query": "What do cardinals eat?", "report_markdown": calm,
         "evidence": [{"url": url, "type": "web", "text": page}]},
        {"id": "b", "system": HOSTILE, "query": "What do cardinals eat?", "report_markdown": hostile,
         "evidence": [{"url": url, "type": "web", "text": page + " ".join(PAYLOADS)}]},
        {"id": "c", "system": "calm", "query": "Seeds " + PAYLOADS[0] + PAYLOADS[2], "report_markdown": calm},
    ]  # fmt: skip
    return imported(home, rows, "faithfulness,quality")


@contextmanager
def served(study: Path) -> Iterator[str]:
    """Serve a study once it is measured: an index opened before that loads itself again in the midst of a test."""
    with Study.open(study) as opened:
        reader = Reader(opened)
        unmeasured, deadline = reader.measured_study, time.monotonic() + 60
        with serving(lambda port: site(reader, "token", port)) as port:
            while reader.measured_study is unmeasured:
                assert time.monotonic() < deadline, "the study was not measured within a minute"
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}{path_of_token('token')}/"


def open_calm(page: Page, index: str) -> None:
    page.goto(index)
    page.locator("tr", has_text="What do cardinals eat?").locator("td a").first.click()
    expect(page.locator("body[data-ready=yes]")).to_be_attached()


def walk_claims(page: Page) -> None:
    page.locator("main.report mark").first.click()
    shown = page.locator("section.evidence:target")
    expect(shown).to_be_visible()
    expect(shown.locator("blockquote.passage")).to_contain_text("Sunflower seed suits cardinals")
    expect(shown.locator("blockquote.passage mark").first).to_be_visible()
    assert "#claim-" in page.url
    first = page.url
    page.keyboard.press("j")
    expect(shown.locator("h2")).to_contain_text("ten feet")
    assert page.url != first
    page.keyboard.press("k")
    hint = page.locator("#keys kbd").first
    expect(hint).to_be_hidden()
    page.keyboard.press("?")
    expect(hint).to_be_visible()
    page.keyboard.press("?")
    expect(hint).to_be_hidden()
    expect(shown.locator("h2")).to_contain_text("Sunflower")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)


def test_a_click_or_a_deep_link_shows_the_passage(page: Page, study: Path) -> None:
    with served(study) as home:
        open_calm(page, home + "?token=token")
        walk_claims(page)
        page.goto(page.url.split("#")[0] + "#claim-c2")
        expect(page.locator("section.evidence:target h2")).to_contain_text("ten feet")
        expect(page.locator("mark.on").first).to_be_visible()
        page.locator('#filters button[data-verdict="full"]').click()
        assert page.locator("main.report mark.full.dim").count() == 0
        page.locator("#dimension").select_option("depth")
        expect(page.locator("tr[data-dimension]:visible")).to_have_count(1)
        page.locator("header a", has_text="question").click()
        expect(page.locator("article.side:visible")).to_have_count(2)
        page.locator("#left-choice").select_option(index=1)
        expect(page.locator("article.side:visible")).to_have_count(1)


def test_the_folder_opens_from_disk(page: Page, study: Path, tmp_path: Path) -> None:
    drr("view", study, "--static", tmp_path / "pages", "--quiet")
    open_calm(page, (tmp_path / "pages" / "index.html").as_uri())
    walk_claims(page)
    page.locator("#find").wait_for(state="detached")
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.locator("#find").fill("seeds")
    expect(page.locator("#units tbody tr:visible")).to_have_count(1)


def unfolded(page: Page) -> None:
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


def is_harmless(page: Page, drawn: str = "svg", *others: str) -> None:
    """Nothing live stands in the body, and no address leads to a script; of drawings only those that are ours."""
    live = ("img", "iframe", drawn, "style", "script", "meta")
    handlers = ("[onload]", "[onerror]", "[ontoggle]")
    assert page.locator(", ".join([*(f"body {one}" for one in live), *handlers, *others])).count() == 0
    assert page.locator('a[href^="javascript"], a[href^="data"]').count() == 0


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_hostile_reports_do_nothing_and_load_nothing(page: Page, study: Path) -> None:
    with served(study) as home:
        page.goto(home + "?token=token")
        with Study.open(study) as opened:
            entries = Reader(opened).entries()
        paths = [f"{kind}.html" for one in entries for kind in (f"r/{one.key}", f"q/{one.query_id}")]
        for path in ["index.html", *dict.fromkeys(paths)]:
            page.goto(home + path)
            expect(page.locator("body[data-ready=yes]")).to_be_attached()
            is_harmless(page, "svg:not(.bar)")
            assert "49" not in page.locator("h1").first.inner_text()


def test_an_answer_leads_from_its_errors_to_their_places_and_back(page: Page, hostile: list[Path]) -> None:
    answer = next(one for one in hostile if one.parent.name == "r")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(answer.as_uri())
        expect(page.locator("body[data-ready=yes]")).to_be_attached()
        page.locator("#filters a.none").click()
        expect(page.locator("#wrong")).to_be_in_viewport()
        page.locator(".card.wrong a").first.click()
        wrong = page.locator("main mark.wrong:target")
        expect(wrong).to_be_in_viewport()
        wrong.locator("a").first.click()
        expect(page.locator(".card.wrong:target")).to_be_in_viewport()


def hostile_fact(name: str, text: str) -> RequiredFactRow:
    """Contradicted by a page whose address is hostile, too."""
    evil = " ".join(PAYLOADS)
    return RequiredFactRow(
        id=name, source="page", subject=evil, attribute=evil, value=PAYLOADS[0], text=text, modality="text",
        places=[PlaceRow(address="javascript:alert(1)", quote=evil)], score=0.5, reason=evil, spans=[[0, 30]],
        repeated=[RepeatedRow(kind="outdated", value=evil, pages=["javascript:alert(1)", evil], start=0, end=40)], met=True,
    )  # fmt: skip


def hostile_judged() -> Judged:
    """What tasks of papers found in an answer to a question of nobody's."""
    evil = " ".join(PAYLOADS)
    passages: RepetitionRow = {
        "place": [0, 1], "summary": False, "stands_for": 1.0, "heads": [evil, evil], "score": 3, "explanation": evil,
        "repetitions": [{"first": evil, "second": evil}], "unfounded": [],
    }  # fmt: skip
    judged = Judged(None, [])
    judged.others[GRADES] = {KEY: {evil: {"grade": 3, "reason": evil}}}
    judged.others[REPETITION] = {KEY: [passages]}
    judged.others[FACTS] = {KEY: {"facts": [hostile_fact("f1", evil)], "points": []}}
    judged.others[VIOLATIONS] = {KEY: [{"kind": evil, "why": evil}]}
    (owner,) = owner_ids(None, evil, None, {})
    rubric = open_rubric(judged, owner)
    rubric.criteria["DEIN"] = [hostile_criterion()]
    return judged


def hostile_criterion() -> CriterionRow:
    said = dict.fromkeys(("id", "criterion", "explanation", "origin"), " ".join(PAYLOADS))
    return cast("CriterionRow", {**said, "weight": 0.5})


def hostile_view() -> ReportView:
    """A report in which every text that comes from outside is hostile."""
    evil = " ".join(PAYLOADS)
    entry = ShownEntry(KEY, "q-1", evil, evil, 0, "done", evil, 3, False, {"fp": 0.5}, ("full",), (evil,))
    passage = Passage(evil, ((0, 20),))
    addresses = ("javascript:alert(1)", evil)
    said_alone = CitationVerdict(
        *(evil, evil, evil, 0, evil, evil, evil, evil, evil),
        "full",
        "full",
        None,
        True,
        evil,
        evil,
        evil,
        evil,
        None,
    )
    verdict: VerdictRow = {
        "claim_id": "c1", "type": evil, "against": "page", "status": "full", "reason": evil, "spans": [],
        "sources": [{"url": one, "status": evil, "sha256": None, "passages": []} for one in addresses],
    }  # fmt: skip
    point = cast("PointRow", dict.fromkeys(("id", "text", "weight", "origin"), evil))
    match: PointVerdictRow = {
        "support": cast("PointSupport", evil),
        "reason": evil,
        "by": "judge",
        "span": [0, 40],
    }
    claim = JudgedClaim(
        "c1", text=evil, end=len(PAYLOADS[0]), urls=["javascript:alert(1)"], verdicts={evil: verdict}
    )
    evidence = VerdictEvidence([passage], [evil], dict.fromkeys(addresses, (said_alone, passage)))
    graded = {evil: Verdict(3, evil), "depth": Verdict[int](None, None, evil)}
    judged = JudgeVerdicts(evil, False, evil, [claim], {evil: evidence}, graded)
    rule: CheckRow = {"status": cast("Any", evil), "value": evil, "spans": [], "evidence": [evil]}
    steps = [
        {"kind": one, "of": evil, "number": 1, "started_at": 0.1, "seconds": 0.1} for one in ("model", "page")
    ]
    source = SourceView(1, "javascript:alert(1)", evil, evil, (evil,), "0" * 64, evil, (1, 2))
    call = CallView(1, evil, evil, "api", evil, evil, evil, 0.5, 0.1)
    block, call_made = {"type": "thinking", "thinking": evil}, {"name": evil, "args": {evil: evil}}
    message = TimedMessage(
        {
            "role": evil,
            "text": evil,
            "blocks": [block],
            "tool_calls": [call_made],
            "name": evil,
            "status": "error",
        }
    )
    figure = Metric("pqr_p", evil, evil, None, unit=evil)
    wrong: MistakeRow = {"start": 0, "end": 9, "words": evil, "why": evil, "instead": evil, "defence": evil}
    usage = {evil: {"calls": evil, "model": evil, "input_tokens": 1, "output_tokens": 1, "seconds": 0.1}}
    return ReportView(
        entry, evil, evil, evil, usage, None, 1.0, judged, [replace(judged, judge=PAYLOADS[0])], (source,), (Actor(evil, (call,)),),
        {evil: rule}, (ShownFinding("wrong-1", evil, evil, ((0, 9), (2, 30)), passage),), [point], {evil: match}, ((figure, 0.5),),
        foreign=(ForeignValue(title=evil, judge=evil, source=evil, label=evil, scale=evil, value=None, failed=evil),),
        notes=(evil,), missing_shop=evil, conversations=(Conversation(evil, 1, 2, 3, (message,)),), steps=steps, products=(ProductCard("javascript:alert(1)", evil, 1.0, 2.0, 3, evil, True),), citations=parse(evil),
        mistakes={"mistakes": [wrong], "acquitted": [wrong], "open": [wrong], "statements": 3, "unread": 1, "unweighed": 0, "unshown": 0},
        judged=hostile_judged(), key=KEY,
    )  # fmt: skip


def hostile_case() -> tuple[PersonCase, list[PersonCase], list[CaseSide], list[str]]:
    """Persons, systems and reports of the same kind."""
    view, evil = hostile_view(), " ".join(PAYLOADS)
    other = replace(view, entry=replace(view.entry, key="m" * 16, person=PAYLOADS[0]))
    known = Attribute.model_construct(id=evil, block=evil, statement=evil, basis=evil, evidence=(), names=())
    criteria = [CriterionView("GOAL", hostile_criterion(), (3, None), evil)]
    violations = violations_of(view.judged, KEY) or ()
    sides = [CaseSide(evil, {evil: [known]}, one, criteria, violations, evil) for one in (view, other)]
    systems = [PersonCase("n" * 16, evil, evil, ()), PersonCase("o" * 16, evil, PAYLOADS[0], ())]
    return systems[0], systems, sides, [evil]


@pytest.fixture(scope="module")
def hostile(study: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Every kind of page with all of its parts, each text that comes from outside hostile."""
    with Study.open(study) as opened:
        papers = [of_paper(Reader(opened)) for of_paper in (PersonPages, GradePages, TaskFolderPages)]
        shown = hostile_pages(StudyPages(PAYLOADS[0], served=False, papers=papers))
    assert all(f'id="{part}"' in shown["r/a.html"] for part in ("criteria", "grades", "repetition", "facts"))
    home = tmp_path_factory.mktemp("hostile")
    shutil.copytree(STATIC, home / "static")
    for name, text in shown.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    return [home / name for name in shown]


def hostile_pages(pages: StudyPages) -> dict[str, str]:
    evil, view = " ".join(PAYLOADS), hostile_view()
    asked = [replace(view.entry, person=one, key=one[0] * 16, task=PAYLOADS[0]) for one in (PAYLOADS[0], "p")]
    failed = replace(
        view, entry=replace(view.entry, status="failed", words=None), verdicts=JudgeVerdicts(None), others=()
    )
    return {
        "index.html": pages.index([*asked, failed.entry], None, 0, evil),
        "errors.html": pages.errors(
            [replace(view.entry, errors=[FoundError(evil, evil, [(0, 1)], evil)])], None
        ),
        "q/a.html": pages.query(
            [view, view], [Comparison("q-1", "depth", PAYLOADS[1], PAYLOADS[0], "a", "a")]
        ),
        "c/a.html": case_page(pages.frame, *hostile_case()),
        "r/a.html": pages.report(view),
        "r/b.html": pages.report(failed),
        "x/a.html": pages.transcript(view),
        "p/a.html": pages.page("0" * 64, view.report),
    }


def test_no_text_from_outside_is_run(page: Page, hostile: list[Path]) -> None:
    """Cases, judges, failed answers and all folds open, at every width in both schemes."""
    for file in hostile:
        page.goto(file.as_uri() + ("#claim-c1" if file.parent.name == "r" else ""))
        expect(page.locator("body[data-ready=yes]")).to_be_attached()
        unfolded(page)
        is_harmless(page, "svg:not(.gantt, .bar)")
        for _ in ways(page):
            assert serious(page) == [], file
            assert fits(page), file


def test_the_report_folder_opens_from_disk_and_is_harmless(page: Page, study: Path, tmp_path: Path) -> None:
    drr("report", study, "--out", tmp_path / "report")
    page.goto((tmp_path / "report" / "index.html").as_uri())
    expect(page.locator("#board th", has_text="hostile").first).to_be_visible()
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    expect(page.locator("#faithfulness th", has_text="hostile").first).to_be_visible()
    assert page.locator("main img:not([src^='figures/'])").count() == 0
    assert page.locator("body script, body svg:not(.bar, .failing svg)").count() == 0
    assert serious(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(page)
    first = page.locator("#faithfulness tbody td").first.bounding_box()
    assert first is not None
    assert first["x"] < 300, "names of systems leave room for their figures"
    behind = sorted((tmp_path / "report" / "answers").iterdir())
    assert len(behind) == 4, "two systems, their difference, and errors"
    for file in behind:
        page.goto(file.as_uri())
        expect(page.locator("main h1")).to_be_visible()
        is_harmless(page, "svg:not(.bar)")
        assert serious(page) == [], file
        assert fits(page), file


def test_the_index_is_sifted_by_measure_verdict_and_source_type(page: Page, study: Path) -> None:
    with served(study) as home:
        page.goto(home + "?token=token")
        expect(page.locator("#measure")).to_be_visible(timeout=15_000)
        unit = page.locator("tr", has_text="What do cardinals eat?").locator(".unit a").first
        expect(page.locator("#legend")).to_contain_text("faithfulness")
        expect(unit).to_have_text(re.compile(r"^[01]\.\d\d$"))
        expect(page.locator("#units .tag", has_text="no error")).to_have_count(0)
        expect(page.locator("#units small", has_text="No language model")).to_have_count(0)
        page.locator("#measure").select_option(label="depth")
        expect(unit).to_have_text(re.compile(r"^\d+$"))
        everything = page.locator("#units tbody tr:visible").count()
        page.locator("#more").evaluate("fold => fold.open = true")
        page.locator("#verdict-full").check()
        assert 0 < page.locator("#units tbody tr:visible").count() < everything
        page.locator("#type-web").check()
        expect(page.locator("#units tbody tr:visible").first).to_be_visible()


def test_find_finds_variants_statuses_and_the_whole_question(page: Page, tmp_path: Path) -> None:
    def entry(number: int, variant: str, status: str = "done", reason: str | None = None) -> ShownEntry:
        query = f"Which feeder {number}? " + "And another word. " * 20 + f"The last is zebra{number}."
        return ShownEntry(f"{number}{variant}", f"q{number}", query, variant, 0, status, reason, 9, False)

    entries = [entry(n, variant) for n, variant in ((1, "react"), (1, "react+ws"), (2, "react+ws"))]
    entries.insert(2, entry(2, "react", "failed", "refused"))
    shutil.copytree(STATIC, tmp_path / "static")
    (tmp_path / "index.html").write_text(
        StudyPages("s", served=False).index(entries, None, 0), encoding="utf-8"
    )
    page.goto((tmp_path / "index.html").as_uri())
    rows, units = page.locator("#units tbody tr:visible"), page.locator("#units .unit:visible")
    expect(units).to_have_count(4)
    expect(page.locator("#hits")).to_be_hidden()
    for words, answers in {
        "react+ws": 2, "done": 3, "refused": 1, "failed react": 1, "zebra2": 2, "ZEBRA1 react+ws": 1
    }.items():  # fmt: skip
        page.locator("#find").fill(words)
        expect(units).to_have_count(answers)
        expect(page.locator("#hits")).to_contain_text(f"{answers} of 4 answers")
    page.locator("#find").fill("giraffe")
    expect(rows).to_have_count(0)
    expect(page.locator("#hits")).to_contain_text("no answer has all of this")
    page.locator("#find").fill("")
    expect(units).to_have_count(4)


def matrix(folder: Path, questions: int, variants: int) -> str:
    """Write an index of one figure an answer, worse from question to question and from variant to variant."""
    names = ["plan-to-function+ws", "hybrid-react+ws", "hybrid-react", "plan-to-function"]
    entries = [
        ShownEntry(
            f"{q}-{v}", f"q{q}", f"Question {q}? " + "What is it good for? " * 9, f"{names[v % 4]}-{v}", 0, "done", None, 9,
            True, {"fp": (q + 1) / (questions + v), "depth": 10.0 - q}, ("full", "none")[q % 2 :], ("web",), cost=0.5,
        )
        for q in range(questions) for v in range(variants)
    ]  # fmt: skip
    shutil.copytree(STATIC, folder / "static")
    (folder / "index.html").write_text(
        StudyPages("s", served=False).index(entries, None, 0), encoding="utf-8"
    )
    return (folder / "index.html").as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_matrix_of_eight_variants_is_whole_on_a_desk(page: Page, tmp_path: Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(matrix(tmp_path, 12, 8))
    over = page.locator(".scroll").evaluate_all("all => all.map(e => e.scrollWidth - e.clientWidth)")
    assert over == [0, 0]
    heads = [box for one in page.locator("#units thead th").all() if (box := one.bounding_box())]
    assert len(heads) == 9
    cut = page.evaluate(
        "[...document.querySelectorAll('#units th, #units td')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    assert cut == 0 and serious(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390 and serious(page) == []


def test_a_head_sorts_the_matrix_and_means_follow_what_is_shown(page: Page, tmp_path: Path) -> None:
    page.goto(matrix(tmp_path, 4, 2))
    first = page.locator("#units tbody tr").first
    page.locator("#units th.variant .head").first.click()
    expect(first).to_contain_text("Question 3?")
    page.locator("#units th.variant .head").first.click()
    expect(first).to_contain_text("Question 0?")
    page.locator("#units th.variant .head").first.click()
    expect(first).to_contain_text("Question 0?")
    means, bars = page.locator("#standing td b"), page.locator("#standing svg:visible")
    expect(means.nth(1)).to_have_text("0.62")
    expect(bars).to_have_count(2)
    of_fp = bars.first.inner_html()
    page.locator("#measure").select_option(label="depth")
    assert bars.first.inner_html() != of_fp
    page.locator("#measure").select_option(label="faithfulness")
    assert bars.first.inner_html() == of_fp, "as it was drawn without the script"
    page.locator("#find").fill("question 3?")
    expect(means.nth(1)).to_have_text("1.00")
    expect(bars).to_have_count(0)
    page.locator("#measure").select_option(label="depth")
    expect(means.nth(1)).to_have_text("7.00")
    page.locator("#find").fill("")
    page.locator("#more").evaluate("fold => fold.open = true")
    page.locator("#verdict-full").check()
    expect(page.locator("#units tbody tr:visible")).to_have_count(2)


def sift_answers(page: Page, index: str) -> None:
    """Words of what was read, in no question and no report; thresholds; order; the address."""
    page.goto(index)
    units = page.locator("#units .unit:visible")
    everything = units.count()
    page.locator("#find").fill("hopper dense")
    expect(units).to_have_count(0)
    page.locator("#more").evaluate("fold => fold.open = true")
    page.locator("#deep").check()
    expect(units).to_have_count(everything)
    expect(page.locator("#hits")).to_have_text(f"{everything} of {everything} answers")
    page.locator("#find").fill("birdbaths heated")
    expect(units).to_have_count(everything)
    page.locator("#find").fill("giraffe")
    expect(units).to_have_count(0)
    page.locator("#find").fill("")
    page.locator("#more").evaluate("fold => fold.open = true")
    page.locator("#least").fill("2")
    expect(units).to_have_count(0)
    page.locator("#least").fill("0")
    expect(units).to_have_count(everything)
    expect(page.locator("#standing td.mean b").first).to_have_text(re.compile(r"^[01]\.\d\d$"))


def test_answers_are_found_by_what_was_read(page: Page, pair: Path, tmp_path: Path) -> None:
    drr("view", pair, "--static", tmp_path / "pages", "--quiet")
    sift_answers(page, (tmp_path / "pages" / "index.html").as_uri())
    with served(pair) as home:
        page.goto(home + "?token=token")
        expect(page.locator("#measure")).to_be_visible(timeout=20_000)
        page.locator("#units th.variant .head").first.click()
        page.locator("#find").fill("third")
        page.wait_for_url(lambda url: "order=1-down" in url and "find=third" in url)
        page.reload()
        expect(page.locator("#units .unit:visible")).to_have_count(1)
        expect(page.locator("#units th.variant").first).to_have_attribute("aria-sort", "descending")
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.locator("#units tbody td a").first.click()
    expect(page.locator("main.report, .split")).not_to_have_count(0)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.keyboard.press("]")
    expect(page.locator("#before")).to_be_attached()
    page.locator(".aside-nav a", has_text="Transcript").click()
    expect(page.locator("main.transcript")).to_be_visible()


def test_a_transcript_is_sifted_by_words_tool_and_error(page: Page, tmp_path: Path) -> None:
    long = "\n".join(f"{n}. a line about feeders" for n in range(12)) + " zebra"
    calls = (
        CallView(1, "agent", "find", "api", '{"words": "seed"}', long, None, 1.0, 3.0),
        CallView(2, "agent", "look", "refused", '{"at": "seed"}', "Not run", "not_allowed", None, None),
    )
    view = replace(hostile_view(), conversations=tuple(conversations([], (), [Actor("agent", calls)])),
                   actors=(Actor("agent", calls),))  # fmt: skip
    shutil.copytree(STATIC, tmp_path / "static")
    (tmp_path / "x").mkdir()
    (tmp_path / "x/a.html").write_text(StudyPages("s", served=False).transcript(view), encoding="utf-8")
    (tmp_path / "x/a.js").write_text(texts_script(view), encoding="utf-8")
    page.goto((tmp_path / "x/a.html").as_uri())
    calls_shown, fold = page.locator(".call:visible"), page.locator("#call-1 details")
    expect(calls_shown).to_have_count(2)
    expect(page.locator("#call-1 summary")).to_contain_text("0. a line about feeders")
    expect(page.locator("#call-1 summary")).to_contain_text("12 lines")
    expect(page.locator("#call-2")).to_contain_text("not allowed")
    expect(page.locator("#call-2 pre")).to_have_text("Not run")
    expect(fold).not_to_have_attribute("open", "")
    page.locator("#trace-words").fill("zebra")
    expect(calls_shown).to_have_count(1)
    expect(fold).to_have_attribute("open", "")
    expect(page.locator("#trace-hits")).to_have_text(re.compile("^1 of 3 "))
    page.locator("#trace-words").fill("")
    expect(calls_shown).to_have_count(2)
    page.locator("#trace-tool").select_option("find")
    expect(calls_shown).to_have_count(1)
    page.locator("#trace-tool").select_option("")
    page.locator("#trace-failed").check()
    expect(page.locator("#call-2")).to_be_visible()
    expect(calls_shown).to_have_count(1)
    page.locator("#trace-failed").uncheck()
    page.locator("#trace-open").check()
    expect(fold).to_have_attribute("open", "")
    for _ in ways(page):
        assert serious(page) == [] and fits(page)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three answers to one question that make the same claims in another order, and one claim each of their own."""
    home = tmp_path_factory.mktemp("pair")
    texts = {
        "http://birds.example/seed": "Black oil sunflower seed suits northern cardinals best.",
        "http://birds.example/place": "Place hopper feeders ten feet from dense shrubs.",
        "http://birds.example/water": "Heated birdbaths keep water open in January.",
    }
    said = [
        "Black oil sunflower seed suits northern cardinals [1].",
        "Place hopper feeders ten feet from shrubs [2].",
    ]
    own = "Heated birdbaths keep water open [3]."
    listed = "\n\n## Sources\n\n" + "\n".join(f"[{n}] {url}" for n, url in enumerate(texts, 1)) + "\n"
    evidence = [{"url": url, "type": "web", "text": text} for url, text in texts.items()]
    words = ("considerations", "---", "unbreakable")
    wide = "\n".join("|" + "|".join([word] * 14) + "|" for word in words)
    reports = {"first": [*said, own], "second": said[::-1], "third": said[:1]}
    rows = [
        {"id": name, "system": name, "query": "What do cardinals need?", "evidence": evidence,
         "report_markdown": "# Cardinals\n\n" + "\n\n".join(parts) + "\n\n" + wide + listed}
        for name, parts in reports.items()
    ]  # fmt: skip
    return imported(home, rows, "faithfulness")


def compare_claims(page: Page) -> None:
    left, right = page.locator("article.side:visible").nth(0), page.locator("article.side:visible").nth(1)
    left.locator("mark", has_text="sunflower").click()
    drawer = page.locator("#drawer")
    expect(left.locator("mark.on")).to_contain_text(["sunflower"])
    expect(drawer).to_be_in_viewport()
    mark, box = left.locator("mark.on").first.bounding_box(), drawer.bounding_box()
    assert mark is not None and box is not None and 0 <= mark["y"] < mark["y"] + mark["height"] <= box["y"]
    expect(right.locator("mark.on")).to_contain_text(["sunflower"])
    expect(drawer.locator(".evidence:visible")).to_have_count(2)
    expect(drawer.locator("blockquote.passage:visible").first).to_contain_text("Black oil sunflower seed")
    left.locator("mark", has_text="birdbaths").click()
    expect(right.locator("mark.on")).to_have_count(0)
    expect(drawer.locator(".evidence:visible")).to_have_count(1)
    expect(drawer).to_contain_text("unknown")
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()


def test_two_answers_are_compared_claim_by_claim(page: Page, pair: Path, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1200, "height": 500})
    with served(pair) as home:
        page.goto(home + "?token=token")
        page.locator("#units tbody th a").click()
        compare_claims(page)
        page.locator("#right-choice").select_option(label="third, trial 0")
        assert "left=" in page.url and "right=" in page.url
        page.reload()
        expect(page.locator("#right-choice option:checked")).to_have_text("third, trial 0")
        sides = page.locator("article.side:visible > h2")
        expect(sides).to_have_text([re.compile(f"^{name}, trial 0") for name in ("first", "third")])
        page.locator("article.side:visible mark", has_text="birdbaths").click()
        page.reload()
        expect(page.locator("#drawer .evidence:visible h2")).to_contain_text("birdbaths")
    drr("view", pair, "--static", tmp_path / "pages", "--quiet")
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.locator("#units tbody th a").click()
    compare_claims(page)
    page.locator("#right-choice").select_option(label="third, trial 0")
    page.reload()
    expect(page.locator("#right-choice option:checked")).to_have_text("third, trial 0")


@pytest.fixture(scope="module")
def judged_twice(pair: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second judge finds no support where the first finds all of it."""
    folder = tmp_path_factory.mktemp("twice") / "study"
    shutil.copytree(pair, folder)
    second_judge(folder)
    with tampered(folder / "ledger.sqlite") as ledger:
        ledger.execute(
            """UPDATE records SET result = replace(result, '"status":"full"', '"status":"none"') WHERE key LIKE 'second-%'"""
        )
    return folder


def test_two_judges_of_one_answer_are_compared(page: Page, judged_twice: Path, tmp_path: Path) -> None:
    drr("view", judged_twice, "--static", tmp_path / "pages", "--judge", "rules-2", "--quiet")
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.locator("#units tbody td a").first.click()
    expect(page.locator("aside[data-marking=yes]")).to_be_attached()
    page.keyboard.press("j")
    expect(page.locator(".evidence:target .others")).to_contain_text("none second")
    page.get_by_role("link", name="Claim by claim").click()
    assert "left=" in page.url and ".second" in page.url
    expect(page.locator("#left-choice option:checked")).to_contain_text("judged by rules-2")
    expect(page.locator("#right-choice option:checked")).to_contain_text("judged by second")
    sides = page.locator("#differs tr", has_text="claims").locator("[data-side]:visible")
    left, right = (sides.nth(n).locator("[data-key]:visible").all_inner_texts() for n in (0, 1))
    assert left != right
    expect(page.locator("#alike")).to_contain_text("The same in both: ")
    changes = page.locator("#changes")
    told = changes.locator("summary")  # as many as the rules call full, whatever their weights
    expect(told).to_have_text(re.compile(r"^4 claims .* [1-4] of them with another verdict$"))
    changes.locator("summary").click()
    changes.locator("a").first.click()
    verdicts = page.locator("#drawer .evidence:visible > h2 > .tag")
    expect(verdicts).to_have_text(["full", "none"])
    page.reload()
    expect(page.locator("#right-choice option:checked")).to_contain_text("judged by second")


def test_two_trials_of_one_system_are_compared(page: Page, tmp_path: Path) -> None:
    """One trial says what its source says, the other what it does not."""
    url, query = "http://birds.example/feeding", "What do cardinals eat?"
    seen = [{"url": url, "type": "web", "text": "Black oil sunflower seed suits cardinals best. " * 5}]
    said = ("Black oil sunflower seed suits cardinals best", "Nyjer socks attract goldfinches in Antarctica")
    rows = [
        {"id": str(trial), "system": "calm", "query": query, "trial": trial, "evidence": seen,
         "report_markdown": f"# Feeding\n\nCardinals come to black oil sunflower seed [1].\n\n{text} [1].\n\n## Sources\n\n[1] Feeding: {url}\n"}
        for trial, text in enumerate(said)
    ]  # fmt: skip
    with served(imported(tmp_path, rows, "faithfulness")) as home:
        page.goto(home + "?token=token")
        page.locator("#units tbody th a").click()
        sides = page.locator("article.side:visible > h2")
        expect(sides).to_have_text([re.compile(f"^calm, trial {trial}") for trial in (0, 1)])
        page.wait_for_load_state()  # the page's script listens to its choices
        page.locator("#left-choice").select_option(label="calm, trial 1")
        page.locator("#right-choice").select_option(label="calm, trial 0")
        keys = [page.locator(f"#{side}-choice").input_value() for side in ("left", "right")]
        assert keys[0] != keys[1]
        for side, key in zip(("left", "right"), keys, strict=True):
            expect(page).to_have_url(re.compile(f"{side}={key}"))
        page.reload()
        left, right = (page.locator(f"#side-{key}") for key in keys)
        boxes = [side.bounding_box() for side in (left, right)]
        assert boxes[0] is not None and boxes[1] is not None and boxes[0]["x"] < boxes[1]["x"]
        expect(left).to_contain_text("Nyjer socks")
        expect(right).not_to_contain_text("Nyjer socks")
        left.locator("mark", has_text="Nyjer socks").click()
        expect(page.locator("#drawer .evidence:visible")).to_have_count(1)
        left.locator("mark", has_text="Cardinals come").click()
        expect(right.locator("mark.on")).to_contain_text(["Cardinals come"])


def test_figures_that_differ_stand_above_the_answers_and_lead_to_their_places(
    page: Page, tmp_path: Path
) -> None:
    """Totals, other prices and days by the readers of rules; what both state is no difference, and no word is marked."""
    query = "What should I buy?"
    reports = {
        "first": "A lamp costs $12.50 and a shade $3.00.\n\nYou bought one on 2023-01-02.\n\nTotal: $15.50",
        "second": "A lamp costs $12.50 and a shade $4.00.\n\nYou bought one on 2023-01-03.\n\nTotal: $16.50",
    }
    rows = [{"id": name, "system": name, "query": query, "report_markdown": f"# {name}\n\n{text}\n"}
            for name, text in reports.items()]  # fmt: skip
    drr("view", imported(tmp_path, rows, "rules"), "--static", tmp_path / "pages", "--quiet")
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.locator("#units tbody th a").click()
    expect(page.locator("body[data-ready=yes]")).to_be_attached()
    for head, own in {"prices": ("$3.00", "$4.00"), "totals": ("$15.50", "$16.50"),
                      "dates": ("2023-01-02", "2023-01-03")}.items():  # fmt: skip
        row = page.locator("#differs tr", has=page.get_by_role("rowheader", name=head, exact=True))
        assert row.locator("[data-key]:visible").all_inner_texts() == [*own]
    expect(page.locator("#alike")).to_contain_text("prices $12.50")
    table, side = page.locator("#differs table").bounding_box(), page.locator(".side").first.bounding_box()
    assert table is not None and side is not None and table["y"] + table["height"] < side["y"]
    expect(page.locator("#words")).not_to_be_checked()
    assert page.evaluate("!CSS.highlights.has('differs')")
    page.locator("#words").check()
    assert page.evaluate("CSS.highlights.get('differs').size") > 0
    page.get_by_role("link", name="$16.50").click()
    expect(page.locator("article.side mark:target")).to_have_text("$16.50")
    for _ in ways(page):
        assert serious(page) == [] and fits(page)


def test_many_facts_are_shown_once_somebody_asks(page: Page, tmp_path: Path) -> None:
    text = ", ".join(f"${n}.00" for n in range(1, 10))
    rows = [{"id": name, "system": name, "query": "What is it?", "report_markdown": f"# {name}\n\n{own}\n"}
            for name, own in (("first", text), ("second", "$1.00"))]  # fmt: skip
    drr("view", imported(tmp_path, rows, "rules"), "--static", tmp_path / "pages", "--quiet")
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    page.locator("#units tbody th a").click()
    expect(page.locator("#differs [data-key]:visible")).to_have_count(4)
    page.get_by_role("button", name="4 more").click()
    expect(page.locator("#differs [data-key]:visible")).to_have_count(8)
    other = page.locator("#differs tr", has_text="prices").locator("td[data-none^=only]").last
    assert other.evaluate("one => getComputedStyle(one, '::before').content") == '"only what both have: 1"'
    expect(page.get_by_role("button", name="more")).to_have_count(0)


def serious(page: Page) -> list[tuple[str, str]]:
    found = Axe().run(page).response["violations"]
    return [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in ("serious", "critical")]


def test_served_pages_have_no_serious_finding_and_fit_a_phone(page: Page, study: Path) -> None:
    with served(study) as home:
        open_calm(page, home + "?token=token")
        report = page.url
        page.locator("header a", has_text="question").click()
        for url in (report, report + "#claim-c1", page.url, home + "index.html"):
            page.set_viewport_size({"width": 1280, "height": 720})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(url)
                assert serious(page) == []
            page.set_viewport_size({"width": 390, "height": 800})
            assert fits(page)


WIDTHS = (1440, 1024, 390)


def ways(page: Page) -> Iterator[None]:
    """Every width in both colour schemes."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            yield


def test_no_page_has_a_finding_at_any_width(page: Page, pair: Path, tmp_path: Path) -> None:
    drr("report", pair, "--out", tmp_path / "report")
    drr("view", pair, "--static", tmp_path / "pages", "--quiet")
    files = [tmp_path / "report" / "index.html", tmp_path / "pages" / "index.html"]
    files += [sorted((tmp_path / "pages" / kind).glob("*.html"))[0] for kind in "qrxp"]
    for file in files:
        page.goto(file.as_uri())
        unfolded(page)
        marks = page.locator("mark[data-claim]:visible")
        if marks.count():
            marks.first.click()
        for _ in ways(page):
            assert serious(page) == [], file


def test_every_claim_is_reached_by_tab_and_opened_by_enter(page: Page, pair: Path) -> None:
    with served(pair) as home:
        page.goto(home + "?token=token")
        page.locator("#units tbody td a").first.click()
        expect(page.locator("body[data-ready=yes]")).to_be_attached()
        claims = {mark.get_attribute("data-claim") for mark in page.locator("mark[data-claim]").all()}
        stops = {mark.get_attribute("data-claim") for mark in page.locator("mark[tabindex='0']").all()}
        assert claims and stops == claims
        assert page.locator("mark[tabindex='0']").count() == len(claims)
        reached = set()
        page.locator("main.report").focus()
        for _ in range(20):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.dataset.claim"))
        assert claims <= reached
        page.locator("mark[tabindex='0']").nth(1).focus()
        page.keyboard.press("Enter")
        expect(page.locator("section.evidence:target")).to_be_visible()


BRIGHTNESS = """([before, behind]) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (colours) => {
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [dim, bright] = [light([behind]), light([behind, before])].sort((a, b) => a - b);
    return (bright + 0.05) / (dim + 0.05);
}"""


def test_what_find_promises_can_be_read_and_icons_ask_nobody(page: Page, pair: Path, tmp_path: Path) -> None:
    drr("report", pair, "--out", tmp_path / "report")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with served(pair) as home:
        page.goto(home + "?token=token")
        for _ in ways(page):
            colours = page.evaluate(
                """() => { const field = document.getElementById("find"), own = getComputedStyle(field, "::placeholder");
                return [own.color, getComputedStyle(field).backgroundColor, own.opacity]; }"""
            )
            assert colours[2] == "1" and page.evaluate(BRIGHTNESS, colours[:2]) >= 4.5
        for url in (page.url, (tmp_path / "report" / "index.html").as_uri()):
            page.goto(url)
            icon = page.locator("link[rel=icon]").get_attribute("href") or ""
            assert icon.startswith("data:image/svg+xml")
    assert not [url for url in asked if "favicon" in url]


def test_who_has_only_a_keyboard_reaches_everything(page: Page, study: Path) -> None:
    with served(study) as home:
        open_calm(page, home + "?token=token")
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
        places = " ".join(reached)
        wanted = ("index.html <summary data-verdict data-type", "<main <aside #source-1")
        assert [part for part in " ".join(wanted).split() if part not in places] == []
        page.keyboard.press("j")
        page.locator("button.back").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("mark.on").first).to_be_in_viewport()


def test_the_cookie_of_our_pages_stays_at_their_port(page: Page, study: Path) -> None:
    with served(study) as home, other_server() as (address, heard):
        page.goto(home + "?token=token")
        expect(page.locator("main")).to_be_visible()
        for path in ("/", "/index.html"):
            page.goto(address + path)
        assert len(heard) >= 2 and not any(heard)
        page.goto(home)
        expect(page.locator("main")).to_be_visible()
