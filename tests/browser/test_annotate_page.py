"""The A/B page in a real browser: by keyboard, over a restart, from disk, with hostile answers, readable by machines."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from drr.app.annotate.annotation_plan import (
    AnnotationPlan,
    BlindPair,
    BlindReport,
    ShownCriterion,
    load,
    make_criteria_plan,
    make_plan,
)
from drr.app.annotate.labels import merge, notebooks
from drr.app.annotate.page import bundle
from drr.app.annotate.site import site
from drr.app.pages.serve import bind
from drr.eval.labels import DIMENSIONS
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import imported, serving
from tests.cases import cases

pytestmark = pytest.mark.browser
PAYLOADS = cases("browser", "PAYLOADS")


@pytest.fixture
def plan() -> AnnotationPlan:
    reports = [
        BlindReport(
            query_id=f"q{number}",
            query=f"Which feeder {number}? {PAYLOADS[0]}",
            profile=f"Lives in Oklahoma {PAYLOADS[5]}",
            system=system,
            trial=1,
            text=f"# {system}\n\n" + "\n\n".join(PAYLOADS) + f"\n\n| a | b |\n|---|---|\n| {number} | 2 |\n",
        )
        for number in range(3)
        for system in ("one", "two")
    ]
    return make_plan(reports, annotators=["ann", "bob"], pairs=3, seed=1)


def served(plan: AnnotationPlan, folder: Path, port: int = 0) -> AbstractContextManager[int]:
    return serving(lambda at: site(plan, folder, at), port)


def open_as(page: Page, port: int, token: str) -> None:
    page.goto(f"http://127.0.0.1:{port}/?token={token}")
    past_practice(page)


def press(page: Page, keys: Iterable[str]) -> None:
    for key in keys:
        page.keyboard.press(key)


def choices(plan: AnnotationPlan, folder: Path, name: str = "ann") -> list[str]:
    """What was kept of an annotator's marks, in the order of their making."""
    return [str(mark.choice) for mark in notebooks(folder, plan)[name].marks().values()]


def saved(page: Page) -> None:
    expect(page.locator("#state")).to_have_text("saved", timeout=8000)


def bundled(page: Page, plan: AnnotationPlan, folder: Path, person: int) -> Path:
    """A bundle, opened from disk at its first pair that counts."""
    file = folder / "bundle.html"
    file.write_text(bundle(plan, plan.annotators[person]), encoding="utf-8")
    page.goto(file.as_uri())
    return file


def downloaded(page: Page, button: Locator, folder: Path) -> tuple[Path, dict[str, Any]]:
    with page.expect_download() as download:
        button.click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file, json.loads(file.read_text(encoding="utf-8"))


def past_practice(page: Page) -> None:
    """To the first pair that counts, where this browser has not seen it yet."""
    expect(page.locator("body[data-ready=yes]")).to_be_attached()
    if page.locator("body.practice").count():
        page.keyboard.press("n")


def test_a_pair_is_judged_by_keyboard(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
        expect(page.locator("#progress")).to_contain_text("0 of 3 pairs, 0 of ")
        told = page.get_by_text("Read the question")
        expect(told).to_be_hidden()
        press(page, "i")
        expect(told).to_be_visible()
        press(page, "i")
        expect(told).to_be_hidden()
        press(page, "1" * len(DIMENSIONS))
        expect(page.locator("#progress")).to_contain_text(f"1 of 3 pairs, 0 of {len(DIMENSIONS)} dimensions")
        press(page, "4u3")
        saved(page)
    assert sorted(choices(plan, tmp_path)) == ["left"] * 7 + ["tie"]
    with served(plan, tmp_path, port):
        open_as(page, port, plan.annotators[0].token)
        expect(page.locator("#progress")).to_contain_text(f"1 of 3 pairs, 1 of {len(DIMENSIONS)} dimensions")
        expect(page.locator('button[data-choice="tie"]')).to_have_attribute("aria-pressed", "true")


def test_marks_made_while_the_server_is_away(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
    press(page, "2")
    expect(page.locator("#state")).to_contain_text("not saved yet")
    with served(plan, tmp_path, port):
        saved(page)
    assert choices(plan, tmp_path) == ["right"]
    press(page, "4u1")
    expect(page.locator("#state")).to_contain_text("3 not saved yet")
    context = page.context
    page.close()
    with served(plan, tmp_path, port):
        again = context.new_page()
        open_as(again, port, plan.annotators[0].token)
        saved(again)
        expect(again.locator(".dimension.done")).to_have_count(2)
    assert sorted(choices(plan, tmp_path)) == ["left", "right"]


@contextmanager
def annotating(study: Path) -> Iterator[tuple[str, str, subprocess.Popen[str]]]:
    """`drr judges annotate` as a person runs it: all that it says, the first annotator's address, and the process to kill."""
    words = ["annotate", str(study), "--annotators", "ann", "--pairs", "2"]
    command = [sys.executable, "-m", "drr.app.cli", *words]
    told = subprocess.PIPE
    with subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT, text=True) as process:
        try:
            said = ""
            for line in process.stdout or ():
                said += line
                if "Ctrl-C" in line:
                    break
            address = re.search(r"^ann: (\S+)", said, re.MULTILINE)
            assert address is not None, said
            yield said, address[1], process
        finally:
            process.kill()


def port_of(address: str) -> int:
    found = re.search(r"127\.0\.0\.1:(\d+)/", address)
    assert found is not None
    return int(found[1])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("annotated")
    rows = [
        {"id": f"{system}-{n}", "system": system, "query": f"Which feeder {n}?", "report_markdown": f"# {n}\n\nOne."}
        for n in range(2)
        for system in ("one", "two")
    ]  # fmt: skip
    return imported(home, rows, "rules")


def test_labels_pressed_after_a_kill_are_sent_later(page: Page, study: Path, tmp_path: Path) -> None:
    with annotating(study) as (_, first, process):
        page.goto(first)
        past_practice(page)
        press(page, "1")
        saved(page)
        process.kill()
        process.wait()
        press(page, "2341")
        expect(page.locator("#state")).to_contain_text("4 not saved yet")
        expect(page.locator(".dimension.unsent")).to_have_count(4)
        unsent = page.get_by_role("button", name="Save the unsent labels as a file")
        _, document = downloaded(page, unsent, tmp_path)
        assert [mark["choice"] for mark in document["marks"]] == ["right", "tie", "both_bad", "left"]
    with annotating(study) as (_, second, _):
        assert second == first
        saved(page)
        expect(page.locator(".dimension.unsent")).to_have_count(0)
        expect(unsent).to_be_hidden()
    plan = load(study / "annotation")
    assert plan is not None
    assert choices(plan, study / "annotation") == ["left", "right", "tie", "both_bad", "left"]


def test_a_plan_whose_port_is_taken_says_where_unsent_labels_wait(study: Path) -> None:
    with annotating(study) as (_, usual, _):
        pass
    with bind(port_of(usual)), annotating(study) as (said, other, _):
        assert port_of(other) != port_of(usual)
        assert f"port {port_of(usual)} " in said and "taken" in said
    with annotating(study) as (said, again, _):
        assert again == usual and "taken" not in said


def test_labels_of_two_pages_are_all_sent(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    other = page.context.new_page()
    with served(plan, tmp_path) as port:
        for one in (page, other):
            open_as(one, port, plan.annotators[0].token)
    press(page, "1")
    press(other, "n2")
    for one in (page, other):
        expect(one.locator("#state")).to_contain_text("1 not saved yet")
    context = page.context
    other.close()
    page.close()
    with served(plan, tmp_path, port):
        again = context.new_page()
        open_as(again, port, plan.annotators[0].token)
        saved(again)
    assert sorted(choices(plan, tmp_path)) == ["left", "right"]


def test_two_annotators_at_once(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    other_context = page.context.browser.new_context()  # type: ignore[union-attr]
    both = (page, other_context.new_page())
    with served(plan, tmp_path) as port:
        for one, person, key in zip(both, plan.annotators, "12", strict=True):
            open_as(one, port, person.token)
            press(one, key)
        for one in both:
            saved(one)
    other_context.close()
    assert [choices(plan, tmp_path, name) for name in ("ann", "bob")] == [["left"], ["right"]]


def test_hostile_answers_load_nothing(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
        expect(page.locator("#left")).to_contain_text("<script>alert(1)</script>")
        expect(page.locator("#left table")).to_be_visible()
        assert page.locator("main img, main iframe, main svg, main script, main style").count() == 0
        assert page.locator('main a[href^="javascript"], main a[href^="data"]').count() == 0


def test_no_serious_accessibility_finding(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    wide = "\n".join("|" + "|".join([word] * 14) + "|" for word in ("considerations", "---", "unbreakable"))
    for pair in plan.pairs:
        pair.answer_a += f"\n\n{wide}\n"
    with served(plan, tmp_path) as port:
        for token in (plan.annotators[0].token, plan.owner_token):
            for width in (1440, 1024, 390):
                page.set_viewport_size({"width": width, "height": 900})
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                    page.goto(f"http://127.0.0.1:{port}/?token={token}")
                    assert page.locator("link[rel=icon]").count() == 1
                    found = Axe().run(page).response["violations"]
                    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def test_tab_and_enter_judge_a_dimension(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
        page.locator('button[data-choice="tie"]').focus()
        press(page, ["Enter"])
        expect(page.locator("#asked")).to_have_text("depth")
        expect(page.locator('button[data-choice="tie"]')).to_be_focused()
        press(page, "i")
        expect(page.locator("#instructions summary")).to_be_focused()
        saved(page)


def test_a_bundle_works_from_disk(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    file = bundled(page, plan, tmp_path, 1)
    past_practice(page)
    press(page, "13u")
    page.goto("about:blank")
    page.goto(file.as_uri())
    expect(page.locator(".dimension.done")).to_have_count(1)
    labels, document = downloaded(page, page.locator("#save"), tmp_path)
    assert (labels.name, document["annotator"]) == ("labels-bob.json", "bob")
    assert sorted(str(mark["choice"]) for mark in document["marks"]) == ["None", "left"], "taken back"
    assert merge(tmp_path, plan, [labels]) == {"bob": 1}


def test_answers_have_most_of_the_height(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    """At 1440 x 900 six tenths of it; on a phone they stand on the first screen."""
    for pair in plan.pairs:
        pair.answer_a += "\n\nAnother line." * 80
    page.set_viewport_size({"width": 1440, "height": 900})
    bundled(page, plan, tmp_path, 0)
    past_practice(page)
    for side in page.locator("section.answer").all():
        box = side.bounding_box()
        assert box is not None and box["height"] >= 0.6 * 900
    press(page, ["ArrowRight", "ArrowRight"])
    sides = page.locator("section.answer")
    sides.evaluate_all("sides => sides.forEach((side) => side.scrollTop = 200)")
    press(page, "n")
    third = page.locator(".dimension").nth(2).inner_text()
    assert page.locator(".dimension[aria-current=true]").inner_text() == third
    assert sides.evaluate_all("sides => sides.map((side) => side.scrollTop)") == [0, 0]
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("scrollTo(0, 900)")
    press(page, "p")
    assert page.evaluate("scrollY") == 0
    box = page.locator("section.answer").first.bounding_box()
    assert box is not None and box["y"] < 844 / 3


def test_practice_comes_first_and_is_not_counted(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    with served(plan, tmp_path) as port:
        address = f"http://127.0.0.1:{port}/?token={plan.annotators[0].token}"
        page.goto(address)
        expect(page.locator("#progress")).to_have_text("practice")
        assert Axe().run(page).violations_count == 0
        press(page, "1")
        page.reload()
        expect(page.locator("#progress")).to_have_text("practice")
        press(page, "1" * len(DIMENSIONS))
        expect(page.locator("#progress")).to_have_text(f"0 of 3 pairs, 0 of {len(DIMENSIONS)} dimensions")
        expect(page.locator(".dimension.done")).to_have_count(0)
        assert sent == []
        page.reload()
        expect(page.locator("#progress")).to_have_text(f"0 of 3 pairs, 0 of {len(DIMENSIONS)} dimensions")
        press(page, "p")
        expect(page.locator("body.practice")).to_be_attached()
    assert choices(plan, tmp_path) == []
    bundled(page, plan, tmp_path, 1)
    press(page, "2" * (len(DIMENSIONS) + 1))
    _, document = downloaded(page, page.locator("#save"), tmp_path)
    assert [(mark["dimension"], mark["choice"]) for mark in document["marks"]] == [("clarity", "right")]
    assert "practice" not in json.dumps(document)


def test_progress_and_pace_are_told(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
        expect(page.locator("#pace")).to_be_empty()
        for _ in DIMENSIONS:
            page.wait_for_timeout(110)
            page.keyboard.press("1")
        expect(page.locator("#progress")).to_have_text(f"1 of 3 pairs, 0 of {len(DIMENSIONS)} dimensions")
        press(page, "12")
        labels = [len(DIMENSIONS) + 2, 3 * len(DIMENSIONS)]
        assert page.locator("#made").evaluate("one => [one.value, one.max]") == labels
        expect(page.locator(".turn[aria-current=page]")).to_contain_text(f"2 (2 of {len(DIMENSIONS)}) ")
        expect(page.locator("#question")).to_be_visible()
        expect(page.locator("#profile")).to_be_hidden()
        expect(page.locator("#pace")).to_have_text(re.compile(r"\d+ s a label, about \d+ min to go"))


def test_a_plan_without_both_bad_offers_no_such_key(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    plan.both_bad = False
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
        offered = page.locator("#choices button").all_inner_texts()
        assert offered == ["1 Left is better", "2 Right is better", "3 Tie"]
        expect(page.get_by_text("neither serves")).to_have_count(0)
        press(page, "43")
        saved(page)
    assert choices(plan, tmp_path) == ["tie"]


def test_a_phone_needs_no_sideways_scroll(page: Page, plan: AnnotationPlan, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    with served(plan, tmp_path) as port:
        for token in (plan.annotators[0].token, plan.owner_token):
            page.goto(f"http://127.0.0.1:{port}/?token={token}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            head = "(document.querySelector('footer') || document.body.firstElementChild).offsetHeight"
            assert page.evaluate(head) < 320


def test_a_report_is_scored_criterion_by_criterion(page: Page, tmp_path: Path) -> None:
    criteria = [
        ShownCriterion(id=f"h{n}", dimension="GOAL", text=f"It is {n}. {PAYLOADS[0]}", explanation="So.")
        for n in range(3)
    ]
    text = "# A report\n\n" + "\n\n".join(PAYLOADS)
    reports = [
        BlindPair(
            id=f"p-{n}", query_id=f"q{n}", query="Which feeder?", profile="a cane", trial=0, system_a="one", system_b="",
            answer_a=text, answer_b="", criteria=criteria,
        )
        for n in range(2)
    ]  # fmt: skip
    plan = make_criteria_plan(reports, annotators=["ann"], count=2, seed=1)
    with served(plan, tmp_path) as port:
        open_as(page, port, plan.annotators[0].token)
        expect(page.locator("#progress")).to_contain_text("0 of 2 reports, 0 of 3 criteria")
        expect(page.locator("#meaning")).to_contain_text("It is 0.")
        assert Axe().run(page).violations_count == 0
        press(page, "0t6")
        expect(page.locator("#progress")).to_contain_text("1 of 2 reports, 0 of 3 criteria")
        press(page, "5u4")
        saved(page)
    assert sorted(map(int, choices(plan, tmp_path))) == [0, 4, 6, 10]
    with served(plan, tmp_path, port):
        open_as(page, port, plan.annotators[0].token)
        expect(page.locator("#progress")).to_contain_text("1 of 2 reports, 1 of 3 criteria")
        expect(page.locator('button[data-choice="4"]')).to_have_attribute("aria-pressed", "true")
