"""The blind A/B page: seeded, blind, saved key by key, mergeable, and never obeying what it shows."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from drr.app.annotate.labels import Mark, export, merge, notebooks
from drr.app.annotate.page import blinder, bundle, meanings
from drr.app.annotate.plan import AnnotationPlan, BlindReport, load, make_plan, save
from drr.app.annotate.site import live_agreement, own_listener, site
from drr.app.cli import main
from drr.app.pages.serve import bind
from drr.env.errors import DrrError, Misuse
from drr.eval.labels import DIMENSIONS, PairwiseLabel, pair_id, read_labels
from starlette.testclient import TestClient

from tests.cases import cases
from tests.entering import entered

SYSTEMS = ("hybrid-react+ws", "plan-to-function+ws", "react+ws")


def reports(queries: int = 9) -> list[BlindReport]:
    return [
        BlindReport(
            query_id=f"q{number}",
            query=f"Question {number}?",
            profile="Lives in Oklahoma.",
            system=system,
            trial=1,
            text=f"# Answer {number}\n\nThis {system} report was made with Claude. <script>alert(1)</script>\n",
        )
        for number in range(queries)
        for system in SYSTEMS
    ]


@pytest.fixture
def plan() -> AnnotationPlan:
    return make_plan(reports(), annotators=["ann", "bob"], pairs=21, seed=3)


def places(plan: AnnotationPlan) -> list[tuple[str, str, str, int]]:
    return [(pair.query_id, pair.system_a, pair.system_b, pair.trial) for pair in plan.pairs]


def test_the_same_seed_gives_the_same_pairs_spread_over_systems_and_queries(plan: AnnotationPlan) -> None:
    again = make_plan(reports(), annotators=["ann", "bob"], pairs=21, seed=3)
    assert places(again) == places(plan)
    counts = [
        sum((pair.system_a, pair.system_b) == two for pair in plan.pairs)
        for two in [(SYSTEMS[0], SYSTEMS[1]), (SYSTEMS[0], SYSTEMS[2]), (SYSTEMS[1], SYSTEMS[2])]
    ]
    assert counts == [7, 7, 7]
    assert {pair.query_id for pair in plan.pairs} == {f"q{number}" for number in range(9)}
    first, second = plan.annotators
    assert first.turns != second.turns
    assert {turn.shown_first for turn in first.turns} == {"a", "b"}


def page_data(plan: AnnotationPlan, number: int) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', bundle(plan, plan.annotators[number]), re.S)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


def test_who_knows_all_but_the_owners_file_cannot_tell_whose_an_answer_is() -> None:
    """The attacker holds a page, the queries, the variants, the seed and this source code, and draws the plan anew."""
    asked = {"annotators": ["ann", "bob"], "pairs": 27, "seed": 7}
    plan, guess = make_plan(reports(), **asked), make_plan(reports(), **asked)  # type: ignore[arg-type]
    assert places(plan) == places(guess)
    page, guessed = page_data(plan, 0), page_data(guess, 0)
    assert [turn["query"] for turn in page["turns"]] != [turn["query"] for turn in guessed["turns"]]
    assert [t.shown_first for t in plan.annotators[0].turns] != [
        t.shown_first for t in guess.annotators[0].turns
    ]
    words = [pair_id(q, a, b, t) for q, a, b, t in places(plan)]
    names = {turn["pair"] for turn in page["turns"]}
    assert not {"p-" + sha256(word.encode()).hexdigest()[:16] for word in words} & names
    short = plan.annotators[0].model_copy(update={"turns": plan.annotators[0].turns[:10]})
    sides = (
        "\n".join(["ann", *(f"{turn.pair} {side}" for turn, side in zip(short.turns, way, strict=True))])
        for way in product("ab", repeat=10)
    )
    assert short.sheet not in {sha256(told.encode()).hexdigest()[: len(short.sheet)] for told in sides}
    assert not plan.is_guessable()


def test_a_plan_of_an_earlier_version_goes_on_and_says_what_its_pages_let_one_guess(
    plan: AnnotationPlan, tmp_path: Path
) -> None:
    old = json.loads(plan.model_dump_json())
    renamed = {
        pair["id"]: "p-"
        + sha256(
            pair_id(pair["query_id"], pair["system_a"], pair["system_b"], pair["trial"]).encode()
        ).hexdigest()[:16]
        for pair in old["pairs"]
    }
    for pair in old["pairs"]:
        pair["id"] = renamed[pair["id"]]
    for person in old["annotators"]:
        del person["sheet"]
        person["turns"] = [{**turn, "pair": renamed[turn["pair"]]} for turn in person["turns"]]
    (tmp_path / "plan.json").write_text(json.dumps(old), encoding="utf-8")
    loaded = load(tmp_path)
    assert loaded is not None and loaded.is_guessable()
    told = "\n".join(["ann", *(f"{turn.pair} {turn.shown_first}" for turn in loaded.annotators[0].turns)])
    assert loaded.annotators[0].sheet == sha256(told.encode()).hexdigest()[:12]
    save(loaded, tmp_path)
    again = load(tmp_path)
    assert again == loaded


def test_a_part_overlap_shares_that_many_pairs_and_splits_the_rest() -> None:
    plan = make_plan(reports(), annotators=["ann", "bob"], pairs=20, seed=1, overlap=6)
    ann, bob = ({turn.pair for turn in person.turns} for person in plan.annotators)
    assert len(ann & bob) == 6
    assert len(ann | bob) == 20
    assert abs(len(ann) - len(bob)) <= 1


def test_nothing_to_pair_is_said() -> None:
    with pytest.raises(DrrError, match="two systems"):
        make_plan(
            [report for report in reports() if report.system == "react+ws"], annotators=["a"], pairs=3, seed=1
        )


@pytest.fixture
def hide() -> Callable[[str], str]:
    answers = {
        "react": ["x"],
        "react+ws": ["x"],
        "shopbot": ["x"],
        "one": ["x"],
        "two": ["One of the feeders."],
    }
    return blinder(list(answers), answers)


@pytest.mark.parametrize(("text", "shown"), cases("app", "test_self_identifying_text_is_hidden"))
def test_self_identifying_text_is_hidden(hide: Callable[[str], str], text: str, shown: str) -> None:
    assert hide(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "They react to noise; a reactive dog. React quickly.",
        "Claude Monet print, Gemini Twin Stroller by Gemini, Opus One wine, Sonnet wallpaper, llama plush toy, Mistral fan",
        "One of the feeders, agent of change, a travel agent, supervisor's chair",
        "Prints by Claude Monet",
        "See http://shop.example/react and &lt;b&gt; &#60;b&#62;",
    ],
)
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


def test_the_last_mark_counts_and_an_undone_one_is_gone(plan: AnnotationPlan, tmp_path: Path) -> None:
    book = notebooks(tmp_path, plan)["ann"]
    first, second = (turn.pair for turn in plan.annotators[0].turns[:2])
    book.add(Mark(pair=first, dimension="depth", choice="left"))
    book.add(Mark(pair=first, dimension="depth", choice="both_bad"))
    book.add(Mark(pair=second, dimension="depth", choice="tie"))
    book.add(Mark(pair=second, dimension="depth", choice=None))
    assert [mark.choice for mark in book.marks().values()] == ["both_bad"]


def test_a_line_torn_by_a_crash_loses_only_itself(plan: AnnotationPlan, tmp_path: Path) -> None:
    book = notebooks(tmp_path, plan)["ann"]
    pairs = [turn.pair for turn in plan.annotators[0].turns[:3]]
    for pair in pairs[:2]:
        book.add(Mark(pair=pair, dimension="depth", choice="left"))
    whole = book.path.read_bytes()
    for cut in range(1, len(whole) // 2):
        book.path.write_bytes(whole[:-cut])
        reopened = notebooks(tmp_path, plan)["ann"]
        reopened.add(Mark(pair=pairs[2], dimension="depth", choice="tie"))
        assert {mark.pair for mark in reopened.marks().values()} == {pairs[0], pairs[2]}


def test_a_bundle_comes_back_once_and_only_to_its_own_plan(plan: AnnotationPlan, tmp_path: Path) -> None:
    turn = plan.annotators[1].turns[0]
    saved = tmp_path / "labels-bob.json"
    document = {
        "annotator": "bob",
        "plan": plan.annotators[1].sheet,
        "marks": [{"pair": turn.pair, "dimension": "depth", "choice": "tie", "seconds": 1.5}],
    }
    saved.write_text(json.dumps(document), encoding="utf-8")
    assert merge(tmp_path, plan, [saved]) == {"bob": 1}
    assert merge(tmp_path, plan, [saved]) == {"bob": 0}
    out = tmp_path / "labels.jsonl"
    assert export(tmp_path, plan, out) == 1
    (label,) = read_labels(out)
    assert isinstance(label, PairwiseLabel)
    assert (label.judge, label.label, label.seconds) == ("bob", "tie", 1.5)
    document["marks"][0]["pair"] = "p-unknown"  # type: ignore[index]
    saved.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(Misuse, match="p-unknown"):
        merge(tmp_path, plan, [saved])
    saved.write_text("[1", encoding="utf-8")
    with pytest.raises(Misuse, match="not a saved bundle"):
        merge(tmp_path, plan, [saved])


def test_a_bundle_of_another_plan_is_refused_because_its_sides_may_be_turned(
    plan: AnnotationPlan, tmp_path: Path
) -> None:
    drawn_anew = make_plan(reports(), annotators=["ann", "bob"], pairs=27, seed=4)
    person = drawn_anew.annotators[0]
    turn = person.turns[0]
    mark = {"pair": turn.pair, "dimension": "depth", "choice": "left"}
    saved = tmp_path / "labels-ann.json"
    saved.write_text(
        json.dumps({"annotator": "ann", "plan": person.sheet, "marks": [mark]}), encoding="utf-8"
    )
    with pytest.raises(Misuse, match="another plan"):
        merge(tmp_path, plan, [saved])


def test_files_that_come_late_or_twice_do_not_bring_back_older_marks(
    plan: AnnotationPlan, tmp_path: Path
) -> None:
    person = plan.annotators[0]
    first, second = (turn.pair for turn in person.turns[:2])

    def file(name: str, *marks: tuple[str, str | None, float]) -> Path:
        path = tmp_path / name
        rows = [
            {"pair": pair, "dimension": "depth", "choice": choice, "at": at} for pair, choice, at in marks
        ]
        path.write_text(
            json.dumps({"annotator": "ann", "plan": person.sheet, "marks": rows}), encoding="utf-8"
        )
        return path

    early = file("early.json", (first, "left", 1.0), (second, "tie", 2.0))
    late = file("late.json", (first, "right", 3.0), (second, None, 4.0))
    for order in ([early, late, early], [early, late], [late, early, late], [early]):
        merge(tmp_path, plan, order)
        merge(tmp_path, plan, [late])
        (mark,) = notebooks(tmp_path, plan)["ann"].marks().values()
        assert (mark.pair, mark.choice) == (first, "right")


def test_a_page_left_open_writes_as_its_own_and_not_as_who_came_after_it_in_the_same_browser(
    plan: AnnotationPlan, tmp_path: Path
) -> None:
    ann, bob = plan.annotators
    mark = {"pair": ann.turns[0].pair, "dimension": "depth", "choice": "left"}
    with TestClient(site(plan, tmp_path, 8123), base_url="http://127.0.0.1:8123") as browser:
        left_open = entered(browser, ann.token).url
        entered(browser, bob.token)
        assert browser.post(f"/mark?sheet={ann.sheet}", json=mark).status_code == 409
        assert not any(book.marks() for book in notebooks(tmp_path, plan).values())
        assert browser.post(left_open.join(f"mark?sheet={ann.sheet}"), json=mark).status_code == 200
    assert [len(book.marks()) for book in notebooks(tmp_path, plan).values()] == [1, 0]


def test_live_agreement_is_that_of_the_shared_pairs(plan: AnnotationPlan, tmp_path: Path) -> None:
    ann, bob = notebooks(tmp_path, plan).values()
    sides = {
        person.name: {turn.pair: turn.shown_first for turn in person.turns} for person in plan.annotators
    }
    for position, pair in enumerate(plan.pairs):
        wanted = "a" if position % 2 else "b"
        for name, book in (("ann", ann), ("bob", bob)):
            choice = "left" if sides[name][pair.id] == wanted else "right"
            book.add(Mark(pair=pair.id, dimension="depth", choice=choice))
    rows = dict(live_agreement(plan, tmp_path))
    assert rows["depth"].value == pytest.approx(1.0)
    assert rows["depth"].n == 21
    assert rows["clarity"].value is None


def test_a_plan_survives_the_disk_and_is_private(plan: AnnotationPlan, tmp_path: Path) -> None:
    save(plan, tmp_path)
    assert load(tmp_path) == plan
    assert (tmp_path / "plan.json").stat().st_mode & 0o077 == 0


def test_the_page_shows_no_system_name_and_no_live_markup(plan: AnnotationPlan) -> None:
    page = bundle(plan, plan.annotators[0])
    for system in SYSTEMS:
        assert system not in page
    assert "<script>alert" not in page
    assert page.count("<script") == 2


def test_the_server_lets_in_only_its_own(plan: AnnotationPlan, tmp_path: Path) -> None:
    token = plan.annotators[0].token
    turn = plan.annotators[0].turns[0]
    mark = {"pair": turn.pair, "dimension": "depth", "choice": "tie", "seconds": 1.0}
    with TestClient(site(plan, tmp_path, 8123), base_url="http://127.0.0.1:8123") as client:
        assert client.get("/").status_code == 403
        assert entered(client, "wrong").status_code == 403
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        page = entered(client, token)
        assert page.status_code == 200
        assert token not in str(page.url)
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert (
            client.post(
                f"/mark?sheet={plan.annotators[0].sheet}",
                json=mark,
                headers={"origin": "http://evil.example"},
            ).status_code
            == 403
        )
        assert client.post(f"/mark?sheet={plan.annotators[0].sheet}", json=mark).json() == {"saved": True}
        assert (
            client.post(
                f"/mark?sheet={plan.annotators[0].sheet}", json={**mark, "dimension": "taste"}
            ).status_code
            == 422
        )
        assert client.post(f"/mark?sheet={plan.annotators[0].sheet}", content=b"x" * 5000).status_code == 422
        assert client.get("/static/../site.py").status_code == 404
        assert client.get("/static/%2e%2e/serve.py").status_code == 404
    with TestClient(site(plan, tmp_path, 8123), base_url="http://127.0.0.1:8123") as owner:
        shown = entered(owner, plan.owner_token).text
        assert '<th scope="row">ann</th><td>0 of 21</td><td>1 of 147</td><td>1</td>' in shown
        assert owner.post(f"/mark?sheet={plan.annotators[0].sheet}", json=mark).status_code == 403


def test_agreement_is_never_shown_to_an_annotator(plan: AnnotationPlan, tmp_path: Path) -> None:
    """Not while they work, not when both are through, not at another address of theirs."""
    for book, person in zip(notebooks(tmp_path, plan).values(), plan.annotators, strict=True):
        for turn in person.turns:
            book.add(Mark(pair=turn.pair, dimension="depth", choice="tie"))
    with TestClient(site(plan, tmp_path, 8123), base_url="http://127.0.0.1:8123") as client:
        assert "kappa" in entered(client, plan.owner_token).text
    for person in plan.annotators:
        with TestClient(site(plan, tmp_path, 8123), base_url="http://127.0.0.1:8123") as client:
            shown = entered(client, person.token).text
            others = [one.name for one in plan.annotators if one is not person]
            assert not re.search("kappa|agree", shown, re.IGNORECASE)
            assert not [name for name in others if f'"{name}"' in shown]
            assert client.get("/owner").status_code == 404


def test_a_choice_that_the_plan_does_not_offer_is_not_taken(tmp_path: Path) -> None:
    plan = make_plan(reports(), annotators=["ann"], pairs=3, seed=3, both_bad=False)
    person = plan.annotators[0]
    mark = {"pair": person.turns[0].pair, "dimension": "depth", "choice": "both_bad"}
    with TestClient(site(plan, tmp_path, 8123), base_url="http://127.0.0.1:8123") as client:
        entered(client, person.token)
        assert client.post(f"/mark?sheet={person.sheet}", json=mark).status_code == 422
        assert (
            client.post(f"/mark?sheet={person.sheet}", json={**mark, "pair": "practice"}).status_code == 422
        )
    assert page_data(plan, 0)["both_bad"] is False
    assert not re.search("both bad", bundle(plan, person).partition("<script>")[0], re.IGNORECASE)


def test_the_papers_profile_has_no_both_bad(tmp_path: Path) -> None:
    told = [{"id": name, "system": name, "query": "Which?", "report_markdown": "# One"} for name in "ab"]
    (tmp_path / "reports.jsonl").write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    study = tmp_path / "study"
    assert main(["import", str(study), str(tmp_path / "reports.jsonl")]) == 0
    words = ["annotate", str(study), "--bundle", str(tmp_path / "b")]
    for given, offered in {
        (): True,
        ("--profile", "paper"): False,
        ("--profile", "paper", "--both-bad", "on"): True,
    }.items():
        assert main([*words, *given]) == 0
        plan = load(study / "annotation")
        assert plan is not None
        assert plan.both_bad is offered
        assert main([*words, "--both-bad", "off" if offered else "on"]) == 2, "as it was drawn"
        shutil.rmtree(study / "annotation")


def test_every_dimension_has_its_instruction() -> None:
    assert set(meanings()) == set(DIMENSIONS)


def test_a_plan_is_served_at_its_own_port_and_says_when_it_is_not(
    plan: AnnotationPlan, tmp_path: Path
) -> None:
    with own_listener(plan, tmp_path, 0)[0] as first:
        own = first.getsockname()[1]
        other, told = own_listener(plan, tmp_path, 0)
        with other:
            assert (
                other.getsockname()[1] != own
                and told is not None
                and f"port {own} of this plan is taken" in told
            )
    kept = load(tmp_path)
    assert kept is not None and kept.port == own
    again, told = own_listener(kept, tmp_path, 0)
    with again:
        assert (again.getsockname()[1], told) == (own, None)
    elsewhere, told = own_listener(kept, tmp_path, other_than(own))
    with elsewhere:
        assert told is not None and f"http://127.0.0.1:{own}/" in told
    assert load(tmp_path) == kept


def other_than(port: int) -> int:
    with bind(0) as free:
        found: int = free.getsockname()[1]
    assert found != port
    return found
