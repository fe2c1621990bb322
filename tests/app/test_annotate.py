"""The blind A/B page: seeded, blind, saved key by key, mergeable, and never obeying what it shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, product
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.app.annotate.annotation_plan import AnnotationPlan, BlindReport, load, make_plan, save
from drr.app.annotate.labels import Mark, export, merge, notebooks
from drr.app.annotate.page import bundle, dimension_questions, name_hider
from drr.app.annotate.site import ONE_CHOICE, _agreement_text, _meaning, live_agreement, own_listener, site
from drr.app.pages.serve import bind
from drr.env.errors import DrrError, Misuse
from drr.eval.labels import DIMENSIONS, PairwiseLabel, pair_id, read_labels
from starlette.testclient import TestClient

from tests.cases import cases
from tests.commands import Drr
from tests.entering import entered

SYSTEMS = ("hybrid-react+ws", "plan-to-function+ws", "react+ws")


def reports(queries: int = 9, systems: Iterable[str] = SYSTEMS) -> list[BlindReport]:
    text = "# Answer {}\n\nThis {} report was made with Claude. <script>alert(1)</script>\n"
    return [
        BlindReport(
            query_id=f"q{number}", query=f"Question {number}?", profile="Lives in Oklahoma.", system=system, trial=1,
            text=text.format(number, system),
        )
        for number in range(queries)
        for system in systems
    ]  # fmt: skip


def drawn(pairs: int = 21, seed: int = 3, annotators: Sequence[str] = ("ann", "bob"), **more: Any) -> AnnotationPlan:  # fmt: skip
    return make_plan(reports(), annotators=list(annotators), pairs=pairs, seed=seed, **more)


@pytest.fixture
def plan() -> AnnotationPlan:
    return drawn()


def served(plan: AnnotationPlan, folder: Path) -> TestClient:
    return TestClient(site(plan, folder, 8123), base_url="http://127.0.0.1:8123")


def mark_of(pair: str, choice: str | None = "left") -> Mark:
    return Mark.model_validate({"pair": pair, "dimension": "depth", "choice": choice})


def bundled(path: Path, name: str, sheet: str, *marks: Mapping[str, Any]) -> Path:
    """What a bundle saves."""
    rows = [{"dimension": "depth", **mark} for mark in marks]
    path.write_text(json.dumps({"annotator": name, "plan": sheet, "marks": rows}), encoding="utf-8")
    return path


def places(plan: AnnotationPlan) -> list[tuple[str, str, str, int]]:
    return [(pair.query_id, pair.system_a, pair.system_b, pair.trial) for pair in plan.pairs]


def test_the_same_seed_gives_the_same_pairs_spread_over_systems_and_queries(plan: AnnotationPlan) -> None:
    assert places(drawn()) == places(plan)
    counts = Counter((pair.system_a, pair.system_b) for pair in plan.pairs)
    assert counts == dict.fromkeys(combinations(SYSTEMS, 2), 7)
    assert {pair.query_id for pair in plan.pairs} == {f"q{number}" for number in range(9)}
    first, second = plan.annotators
    assert first.turns != second.turns
    assert {turn.shown_first for turn in first.turns} == {"a", "b"}
    assert {turn.pair for turn in first.turns} == {turn.pair for turn in second.turns}
    with pytest.raises(DrrError, match="two systems"):
        make_plan(reports(systems=["react+ws"]), annotators=["a"], pairs=3, seed=1)


def page_data(plan: AnnotationPlan, number: int) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', bundle(plan, plan.annotators[number]), re.S)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


def test_who_knows_all_but_the_owners_file_cannot_tell_whose_an_answer_is() -> None:
    """The attacker holds a page, the queries, the variants, the seed and this source code, and draws the plan anew."""
    plan, guess = drawn(27, 7), drawn(27, 7)
    assert places(plan) == places(guess)
    page, guessed = page_data(plan, 0), page_data(guess, 0)
    assert [turn["query"] for turn in page["turns"]] != [turn["query"] for turn in guessed["turns"]]
    first, other = ([turn.shown_first for turn in one.annotators[0].turns] for one in (plan, guess))
    assert first != other
    words = [pair_id(q, a, b, t) for q, a, b, t in places(plan)]
    names = {turn["pair"] for turn in page["turns"]}
    assert not {"p-" + sha256(word.encode()).hexdigest()[:16] for word in words} & names
    short = plan.annotators[0].model_copy(update={"turns": plan.annotators[0].turns[:10]})
    sides = (
        "\n".join(["ann", *(f"{turn.pair} {side}" for turn, side in zip(short.turns, way, strict=True))])
        for way in product("ab", repeat=10)
    )
    assert short.sheet not in {sha256(told.encode()).hexdigest()[: len(short.sheet)] for told in sides}


def test_a_saved_plan_is_private_and_one_of_before_0_2_is_refused(
    plan: AnnotationPlan, tmp_path: Path
) -> None:
    save(plan, tmp_path)
    assert load(tmp_path) == plan
    assert (tmp_path / "plan.json").stat().st_mode & 0o077 == 0, "private"
    old = json.loads(plan.model_dump_json())
    for person in old["annotators"]:
        del person["sheet"]
    (tmp_path / "plan.json").write_text(json.dumps(old), encoding="utf-8")
    with pytest.raises(DrrError, match="not an annotation plan"):
        load(tmp_path)


@pytest.fixture
def hide() -> Callable[[str], str]:
    answers = {name: ["x"] for name in ("react", "react+ws", "shopbot", "one")}
    answers["two"] = ["One of the feeders."]
    return name_hider(list(answers), answers)


@pytest.mark.parametrize(("text", "shown"), cases("app", "test_self_identifying_text_is_hidden"))
def test_self_identifying_text_is_hidden(hide: Callable[[str], str], text: str, shown: str) -> None:
    assert hide(text) == shown


@pytest.mark.parametrize("text", cases("app", "test_products_and_ordinary_words_are_left_alone"))
def test_products_and_ordinary_words_are_left_alone(hide: Callable[[str], str], text: str) -> None:
    assert hide(text) == text


def test_a_label_names_the_answer_whichever_side_it_was_on(plan: AnnotationPlan, tmp_path: Path) -> None:
    book = notebooks(tmp_path, plan)["ann"]
    for turn in plan.annotators[0].turns:
        book.add(Mark(pair=turn.pair, dimension="overall", choice="left", seconds=2.0))
    shown = {turn.pair: turn.shown_first for turn in plan.annotators[0].turns}
    labels = list(book.labels())
    assert len(labels) == 21
    assert all(row["label"] == {"a": "A", "b": "B"}[row["shown_first"]] for row in labels)
    assert sorted(row["shown_first"] for row in labels) == sorted(shown.values())
    assert {row["label"] for row in labels} == {"A", "B"}
    other = notebooks(tmp_path, plan)["bob"]
    first, second = (turn.pair for turn in plan.annotators[1].turns[:2])
    for pair, choice in ((first, "left"), (first, "both_bad"), (second, "tie"), (second, None)):
        other.add(mark_of(pair, choice))
    assert [mark.choice for mark in other.marks().values()] == ["both_bad"], "the last counts, if not undone"


def test_a_line_torn_by_a_crash_loses_only_itself(plan: AnnotationPlan, tmp_path: Path) -> None:
    book = notebooks(tmp_path, plan)["ann"]
    pairs = [turn.pair for turn in plan.annotators[0].turns[:3]]
    for pair in pairs[:2]:
        book.add(mark_of(pair))
    whole = book.path.read_bytes()
    for cut in range(1, len(whole) // 2):
        book.path.write_bytes(whole[:-cut])
        reopened = notebooks(tmp_path, plan)["ann"]
        reopened.add(mark_of(pairs[2], "tie"))
        assert {mark.pair for mark in reopened.marks().values()} == {pairs[0], pairs[2]}


def test_a_bundle_comes_back_once_and_only_to_its_own_plan(plan: AnnotationPlan, tmp_path: Path) -> None:
    person, saved = plan.annotators[1], tmp_path / "labels-bob.json"
    mark = {"pair": person.turns[0].pair, "choice": "tie", "seconds": 1.5}
    bundled(saved, "bob", person.sheet, mark)
    assert [merge(tmp_path, plan, [saved]) for _ in range(2)] == [{"bob": 1}, {"bob": 0}]
    out = tmp_path / "labels.jsonl"
    assert export(tmp_path, plan, out) == 1
    (label,) = read_labels(out)
    assert isinstance(label, PairwiseLabel)
    assert (label.judge, label.label, label.seconds) == ("bob", "tie", 1.5)
    anew = drawn(27, 4).annotators[1]
    bundled(tmp_path / "strange.json", "bob", person.sheet, {**mark, "pair": "p-unknown"})
    bundled(tmp_path / "anew.json", "bob", anew.sheet, {**mark, "pair": anew.turns[0].pair})
    (tmp_path / "broken.json").write_text("[1", encoding="utf-8")
    for name, why in (("strange", "p-unknown"), ("anew", "another plan"), ("broken", "not a saved bundle")):
        with pytest.raises(Misuse, match=why):
            merge(tmp_path, plan, [tmp_path / f"{name}.json"])


def test_late_files_do_not_bring_back_older_marks(plan: AnnotationPlan, tmp_path: Path) -> None:
    person = plan.annotators[0]
    first, second = (turn.pair for turn in person.turns[:2])

    def file(name: str, *marks: tuple[str, str | None, float]) -> Path:
        rows = [{"pair": pair, "choice": choice, "at": at} for pair, choice, at in marks]
        return bundled(tmp_path / name, "ann", person.sheet, *rows)

    early = file("early.json", (first, "left", 1.0), (second, "tie", 2.0))
    late = file("late.json", (first, "right", 3.0), (second, None, 4.0))
    for order in ([early, late, early], [early, late], [late, early, late], [early]):
        merge(tmp_path, plan, order)
        merge(tmp_path, plan, [late])
        (mark,) = notebooks(tmp_path, plan)["ann"].marks().values()
        assert (mark.pair, mark.choice) == (first, "right")


def test_a_page_left_open_writes_as_its_own(plan: AnnotationPlan, tmp_path: Path) -> None:
    ann, bob = plan.annotators
    mark = {"pair": ann.turns[0].pair, "dimension": "depth", "choice": "left"}
    with served(plan, tmp_path) as browser:
        left_open = entered(browser, ann.token).url
        entered(browser, bob.token)
        assert browser.post(f"/mark?sheet={ann.sheet}", json=mark).status_code == 409
        assert not any(book.marks() for book in notebooks(tmp_path, plan).values())
        assert browser.post(left_open.join(f"mark?sheet={ann.sheet}"), json=mark).status_code == 200
    assert [len(book.marks()) for book in notebooks(tmp_path, plan).values()] == [1, 0]


def test_live_agreement_is_that_of_the_shared_pairs(plan: AnnotationPlan, tmp_path: Path) -> None:
    books = notebooks(tmp_path, plan)
    for position, pair in enumerate(plan.pairs):
        for person in plan.annotators:
            shown = next(turn.shown_first for turn in person.turns if turn.pair == pair.id)
            books[person.name].add(mark_of(pair.id, "left" if shown == "ba"[position % 2] else "right"))
    rows = dict(live_agreement(plan, tmp_path))
    assert rows["depth"].value == pytest.approx(1.0)
    assert (rows["depth"].n, rows["clarity"].value) == (21, None)
    for person in plan.annotators:
        for pair in plan.pairs:
            books[person.name].add(mark_of(pair.id, "tie").model_copy(update={"dimension": "overall"}))
    overall = dict(live_agreement(plan, tmp_path))["overall"]
    assert (_agreement_text(overall), _meaning(overall)) == ("–", ONE_CHOICE), (
        "chance agrees as well where all are ties"
    )


def test_the_page_shows_no_system_name_no_live_markup_and_every_instruction(plan: AnnotationPlan) -> None:
    page = bundle(plan, plan.annotators[0])
    assert not [system for system in SYSTEMS if system in page]
    assert "<script>alert" not in page and page.count("<script") == 2
    assert set(dimension_questions()) == set(DIMENSIONS)


def test_the_server_takes_a_mark_only_from_its_own_page(plan: AnnotationPlan, tmp_path: Path) -> None:
    person = plan.annotators[0]
    mark = {"pair": person.turns[0].pair, "dimension": "depth", "choice": "tie", "seconds": 1.0}
    to = f"/mark?sheet={person.sheet}"
    with served(plan, tmp_path) as client:
        assert client.get("/").status_code == 403
        assert entered(client, "wrong").status_code == 403
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        page = entered(client, person.token)
        assert page.status_code == 200 and person.token not in str(page.url)
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert client.post(to, json=mark, headers={"origin": "http://evil.example"}).status_code == 403
        assert client.post(to, json=mark).json() == {"saved": True}
        assert client.post(to, json={**mark, "dimension": "taste"}).status_code == 422
        assert client.post(to, content=b"x" * 5000).status_code == 422
        for outside in ("../site.py", "%2e%2e/serve.py"):
            assert client.get(f"/static/{outside}").status_code == 404
    with served(plan, tmp_path) as owner:
        shown = entered(owner, plan.owner_token).text
        assert "1 of 294 labels" in shown and "ann <small>21 pairs, 0 done</small><small>median 1 s" in shown
        assert len(re.findall('<td class="s1"[^>]*>1 of 7</td>', shown)) == 1 and shown.count(">to do<") == 41
        assert owner.post(to, json=mark).status_code == 403


def test_agreement_is_never_shown_to_an_annotator(plan: AnnotationPlan, tmp_path: Path) -> None:
    """Not while they work, not when both are through, not at another address of theirs."""
    for book, person in zip(notebooks(tmp_path, plan).values(), plan.annotators, strict=True):
        for turn in person.turns:
            book.add(mark_of(turn.pair, "tie"))
    with served(plan, tmp_path) as client:
        assert "kappa" in entered(client, plan.owner_token).text
    for person in plan.annotators:
        with served(plan, tmp_path) as client:
            shown = entered(client, person.token).text
            others = [one.name for one in plan.annotators if one is not person]
            assert not re.search("kappa|agree", shown, re.IGNORECASE)
            assert not [name for name in others if f'"{name}"' in shown]
            assert client.get("/owner").status_code == 404


def test_the_owner_sees_each_pair_by_person_and_what_agreement_says(tmp_path: Path) -> None:
    plan = drawn(21)
    ann, bob = plan.annotators
    books = notebooks(tmp_path, plan)
    shared = [turn.pair for turn in ann.turns][:15]
    sides = {person.name: {turn.pair: turn.shown_first for turn in person.turns} for person in (ann, bob)}
    for place, pair in enumerate(shared):
        for person in (ann, bob):
            wanted = "ab"[(place + (place == 0 and person is bob)) % 2]
            side = "left" if sides[person.name][pair] == wanted else "right"
            books[person.name].add(mark_of(pair, side))
    books["ann"].add(Mark(pair=shared[1], dimension="clarity", choice="tie", seconds=4.0))
    with served(plan, tmp_path) as client:
        shown = entered(client, plan.owner_token).text
    rows = re.findall(r'<tr><th scope="row">Question \d\? <small>(.*?)</small></th>(.*?)</tr>', shown)
    assert len(rows) == len(plan.pairs)
    cells = [tuple(re.findall(r"<td[^>]*>(.*?)</td>", own)) for _, own in rows]
    assert Counter(cells) == {
        ("2 of 7", "1 of 7", "1 of 1"): 1, ("1 of 7", "1 of 7", "1 of 1"): 13, ("1 of 7", "1 of 7", "0 of 1"): 1,
        **{own: n for own, n in Counter(cells).items() if "not yet two" in own},
    }  # fmt: skip
    assert "Agreement: too early to tell on 6 dimensions, more than chance on 1 dimension." in shown
    assert shown.count("too early to tell") == 1 and re.search(r"<td[^>]*>15</td><td[^>]*>0.87 \[", shown)


def test_the_owner_reads_of_a_single_pair_in_the_singular(tmp_path: Path) -> None:
    plan = drawn(1)
    with served(plan, tmp_path) as client:
        shown = entered(client, plan.owner_token).text
    assert "1 pair." in shown


def test_a_choice_that_the_plan_does_not_offer_is_not_taken(tmp_path: Path) -> None:
    plan = drawn(3, annotators=["ann"], both_bad=False)
    person = plan.annotators[0]
    mark = {"pair": person.turns[0].pair, "dimension": "depth", "choice": "both_bad"}
    with served(plan, tmp_path) as client:
        entered(client, person.token)
        for wrong in (mark, {**mark, "pair": "practice"}):
            assert client.post(f"/mark?sheet={person.sheet}", json=wrong).status_code == 422
    assert page_data(plan, 0)["both_bad"] is False
    assert not re.search("both bad", bundle(plan, person).partition("<script>")[0], re.IGNORECASE)


def test_the_papers_profile_has_no_both_bad(tmp_path: Path, drr: Drr) -> None:
    told = [{"id": name, "system": name, "query": "Which?", "report_markdown": "# One"} for name in "ab"]
    (tmp_path / "reports.jsonl").write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    study = tmp_path / "study"
    drr.out("import", study, tmp_path / "reports.jsonl")
    words, paper = ("annotate", study, "--bundle", tmp_path / "b"), ("--profile", "paper")
    for given, offered in (((), True), (paper, False)):
        drr.out(*words, *given)
        plan = load(study / "annotation")
        assert plan is not None and plan.both_bad is offered
        shutil.rmtree(study / "annotation")


def test_a_plan_is_served_at_its_own_port(plan: AnnotationPlan, tmp_path: Path) -> None:
    with own_listener(plan, tmp_path, 0)[0] as first:
        own = first.getsockname()[1]
        other, told = own_listener(plan, tmp_path, 0)
        with other:
            assert other.getsockname()[1] != own
            assert told is not None and f"port {own} of this plan is taken" in told
    kept = load(tmp_path)
    assert kept is not None and kept.port == own
    again, told = own_listener(kept, tmp_path, 0)
    with again, bind(0) as free:
        assert (again.getsockname()[1], told) == (own, None)
        another = free.getsockname()[1]
    assert another != own
    elsewhere, told = own_listener(kept, tmp_path, another)
    with elsewhere:
        assert told is not None and f"http://127.0.0.1:{own}/" in told
    assert load(tmp_path) == kept


@pytest.mark.long
def test_annotation_by_bundles_feeds_agreement(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    annotate = ("annotate", judged_study, "--annotators")
    drr.out(*annotate, "ann,bob", "--pairs", "3", "--bundle", tmp_path / "b")
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["ann.html", "bob.html"]
    plan = load(judged_study / "annotation")
    assert plan is not None
    systems = {name for pair in plan.pairs for name in (pair.system_a, pair.system_b)}
    assert systems == {"react+ws", "plan-to-function+ws"}
    saved = []
    for person in plan.annotators:
        sides = {turn.pair: "left" if turn.shown_first == "a" else "right" for turn in person.turns}
        marks = [
            {"pair": pair, "dimension": name, "choice": side, "seconds": 2.0}
            for pair, side in sides.items()
            for name in plan.dimensions
        ]
        saved.append(bundled(tmp_path / f"{person.name}.json", person.name, person.sheet, *marks))
    labels = tmp_path / "labels.jsonl"
    drr.out("annotate", judged_study, "--import", *saved, "--export", labels)
    assert len(labels.read_text(encoding="utf-8").splitlines()) == 2 * 3 * 7
    pairs = drr.json("agreement", judged_study, "--human", labels)["pairwise"]["pairs"]
    between = {frozenset(pair["judges"]): pair["dimensions"]["depth"]["exact"] for pair in pairs}
    assert between[frozenset(("ann", "bob"))]["value"] == 1.0
    assert between[frozenset(("ann", "rules-2"))]["n"] == len(plan.pairs)
    drr.out("report", judged_study, "--out", tmp_path / "report")
    tables = tmp_path / "report" / "tables"
    assert "| depth: ann and bob | 1.00" in (tables / "agreement-pairwise.md").read_text(encoding="utf-8")
    rankings = (tables / "agreement-rankings.csv").read_text(encoding="utf-8")
    assert "overall: rules-2 and ann" in rankings and "react+ws" in rankings
    assert "drawn with --annotators ann, bob" in drr.err(*annotate, "ann,bob,cleo", "--export", labels)


def test_a_plan_that_makes_no_sense_is_misuse(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    copy = tmp_path / "study"
    shutil.copytree(judged_study, copy, ignore=shutil.ignore_patterns("annotation"))
    for option, given, expected in (
        ("--annotators", "a,a", "different names"),
        ("--annotators", "../x", "different names"),
        ("--variants", "nobody", "nobody"),
    ):
        assert expected in drr.err("annotate", copy, option, given, "--bundle", tmp_path / "b")
        assert not (copy / "annotation").exists()


def test_the_page_is_served_to_who_has_the_address_and_labels_outlive_a_kill(judged_study: Path) -> None:
    words = ["annotate", str(judged_study), "--annotators", "ann,bob", "--pairs", "3"]
    command = [sys.executable, "-u", "-m", "drr.app.cli", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"ann: (http://127\.0\.0\.1:\d+/)\?token=(\S+)", process.stdout.readline())
        assert address is not None
        with httpx.Client(base_url=address[1], follow_redirects=True, timeout=30) as client:
            assert entered(client, address[2]).status_code == 200
            plan = load(judged_study / "annotation")
            assert plan is not None
            person = plan.annotators[0]
            mark = {"pair": person.turns[0].pair, "dimension": "depth", "choice": "tie", "seconds": 1.0}
            assert client.post(f"/mark?sheet={person.sheet}", json=mark).json() == {"saved": True}
        process.kill()
    assert '"choice":"tie"' in (judged_study / "annotation" / "marks-ann.jsonl").read_text(encoding="utf-8")
