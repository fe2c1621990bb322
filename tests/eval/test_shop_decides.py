"""Reports of others against a shop: what it does not have supports nothing, and what follows a link leans on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.citations.parse import parse
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.eval.evidence.claims import leaning
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.study.study import Study

from tests.eval.nursery import Judge, answer, desk, put, scripted
from tests.tools.small_shop import ANNA, FEEDER, GRINDER, write_shop
from tests.wire import Wire

SHOP, OTHER = "http://ecommerce.example", "https://elsewhere.example"


def report(host: str) -> str:
    """One true statement, a made-up product, a wrong price and a wrong count."""
    return (
        f"The [Panorama feeder]({host}/{FEEDER}) costs $19.99. It has 2,068 ratings.\n\n"
        f"The [dog nail grinder]({host}/{GRINDER}) costs $29.99.\n\n"
        f"The [Quiet Paw Pro]({host}/B0NOSUCH00) costs $19.99.\n"
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shop("shop", Settings())
    return tmp_path


def imported(text: str, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    row = {"system": "other", "query": "What do I buy?", "user_id": ANNA, "report_markdown": text}
    Path("reports.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["import", "study", "reports.jsonl", "--quiet", "--json", *options]) == 0
    return dict(json.loads(capsys.readouterr().out))


def judged(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, float | None]:
    told = ["judge", "study", "--what", "faithfulness,citations", "--judge", "offline", "--quiet", "--json"]
    assert main([*told, *options]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["other"]
    return {name: one["value"] for name, one in found.items()}


def verdicts() -> dict[tuple[str, str], tuple[str, str]]:
    assert main(["report", "study", "--verdicts", "verdicts.jsonl", "--quiet"]) == 0
    rows = [json.loads(line) for line in Path("verdicts.jsonl").read_text().splitlines()]
    return {(r["claim"], r["url"].rpartition("/")[2]): (r["status"], r["standing"]) for r in rows}


def test_a_product_that_the_shop_does_not_have_supports_nothing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(report(SHOP), capsys, "--shop", "shop")
    found = judged(capsys)
    assert (found["fp"], found["fp_citation"], found["dr3_fa"]) == (0.25, 0.25, 25.0)
    assert (found["fact_accuracy"], found["re_support"], found["re_strong"]) == (0.25, -0.5, 0.25)
    assert found["citations_unread"] == 0.0
    assert found["fp_reachable"] == pytest.approx(1 / 3), "the other reading leaves the made-up product out"
    assert found["fr"] == 0.75, "an address of nothing is no source"
    assert verdicts() == {
        ("c1", FEEDER): ("full", "full"),
        ("c2", FEEDER): ("none", "irrelevant"),
        ("c3", GRINDER): ("none", "irrelevant"),
        ("c4", "B0NOSUCH00"): ("none", "made_up"),
    }


def test_another_host_is_the_shop_only_where_a_person_says_so(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(report(OTHER), capsys, "--shop", "shop")
    left = judged(capsys)
    assert (left["fp"], left["fp_citation"], left["citations_unread"]) == (None, None, 1.0)
    named = judged(capsys, "--shop-url", OTHER)
    assert (named["fp"], named["fp_citation"], named["fr"]) == (0.25, 0.25, 0.75)


def test_an_import_says_which_shop_it_is_held_against(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = imported(report(SHOP), capsys, "--shop", "shop", "--shop-url", OTHER)
    assert told["held_against"] == {"shop": "shop", "shop_url": OTHER}
    Path("study").rename("held")
    assert imported(report(SHOP), capsys)["held_against"] == {"shop": None, "shop_url": SHOP}
    assert main(["import", "held", "reports.jsonl", "--quiet"]) == 0
    assert f"held against the shop shop, whose pages are at {OTHER}" in capsys.readouterr().out
    assert main(["import", "study", "reports.jsonl", "--quiet"]) == 0
    assert "held against no shop" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("The [A]({a}) costs $5. It has 9 ratings.", {"It has 9 ratings.": "{a}"}),
        ("The [A]({a}) is fine. **This** set is green. They last.", {"This set is green.": "{a}", "They last.": "{a}"}),
        ("The A costs $5 [1]. Its pole is steel.\n\n## Sources\n[1] {a}\n", {"Its pole is steel.": "{a}"}),
        ("- The [A]({a}) costs $5. It is green.\n- It is blue.", {"It is green.": "{a}"}),
        ("The [A]({a}) costs $5.\n\nIt is green.", {}),
        ("The [A]({a}) costs $5. Dogs bark. It is green.", {}),
        ("The [A]({a}) and the [B]({b}) cost $5. They are green.", {}),
        ("The [A]({a}) costs $5. It costs less than the [B]({b}).", {}),
        ("The [A]({a}) costs $5. Italian steel is hard.", {}),
    ],
)  # fmt: skip
def test_it_this_and_they_lean_on_the_link_right_before(text: str, leans: dict[str, str]) -> None:
    where = {"a": f"{SHOP}/A1", "b": f"{SHOP}/B1"}
    told = text.format(**where)
    found = {told[one.start : one.end].replace("*", ""): one.urls for one in leaning(told, parse(told))}
    assert found == {said: (url.format(**where),) for said, url in leans.items()}


def test_equal_words_behind_two_links_are_two_statements(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"The [feeder]({SHOP}/{FEEDER}) is green. It costs $19.99.\n\nThe [grinder]({SHOP}/{GRINDER}) is quiet. It costs $19.99.\n"
    imported(text, capsys, "--shop", "shop")
    judged(capsys)
    assert [verdicts()[claim, where][0] for claim, where in (("c2", FEEDER), ("c4", GRINDER))] == [
        "full",
        "none",
    ]


def test_a_web_page_is_not_leaned_on(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a page says of a thing is not the thing: the next sentence may be the writer's own."""
    imported("Clean it weekly, says [the club](https://birds.example/care). It takes ten minutes.\n", capsys)
    assert judged(capsys)["n_cited"] == 1


async def test_what_a_model_leaves_without_a_source_leans_too(study: Study, shop: Shop) -> None:
    """Both halves of the sentence, which the model tells apart."""
    first, second = f"The [feeder]({SHOP}/{FEEDER}) is green.", "It holds six pounds and has a steel pole."
    split = [
        {"quote": first, "claim": "The feeder is green.", "sources": [f"{SHOP}/{FEEDER}"]},
        {"quote": second, "claim": "The feeder holds six pounds.", "sources": []},
        {"quote": "has a steel pole", "claim": "The feeder has a steel pole.", "sources": []},
        {"quote": "Dogs bark at it.", "claim": "Dogs bark at the feeder.", "sources": []},
    ]
    await put(study, answer("a", "react", f"{first} {second} Dogs bark at it.", user_id=ANNA))
    with Wire(Judge(claims=lambda report: split)) as wire:
        models = scripted(wire.url)
        try:
            await judge(study, desk(study, models, shop), models, JudgeOptions(["faithfulness"]))
        finally:
            await models.aclose()
    judged = read_judged(study, choose(study))
    held = judged.held(judged.answers[0])
    assert held is not None and held.claims is not None
    assert [len(claim["urls"]) for claim in held.claims] == [1, 1, 1, 0]
