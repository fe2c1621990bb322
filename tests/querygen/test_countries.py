"""Questions for shops of other countries: their currency, language, regions and kinds, whoever writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drr.env.profile import build_profile
from drr.env.query import Query, read_queries
from drr.env.records.shopper import shopper_summary
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.web.open import open_web
from drr.llm.prompts import Prompts
from drr.querygen.asking import FOLDER, prompts_of_shop
from drr.querygen.checks import Checker, problems
from drr.querygen.composing import QuestionMaker
from drr.querygen.files import ResearchTask
from drr.querygen.literal import states

from tests.commands import drr
from tests.foreign import COUNTRIES, MAKERS, foreign_shop
from tests.wire import Request, Say, Wire

MODEL = "anthropic:claude-sonnet-5-5"
AMOUNT = {"PL": "1 234,50 zł", "DE": "1.234,50 €", "IN": "₹1,234.50"}


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: foreign_shop(tmp_path_factory.mktemp(name), name) for name in COUNTRIES}


@pytest.fixture(params=list(COUNTRIES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def asked_and_written(
    folder: Path, out: Path, script: Callable[[Request], Say], *more: str
) -> tuple[str, list[Query]]:
    """Return all that the model was asked, and the questions kept."""
    with Wire(script) as wire:
        words = ("--users", "1", "--per-user", "1", "--model", MODEL, "--base-url", wire.url)
        drr("queries", "generate", "--shop", folder, "--out", out, *words, *more, "--quiet")
        asked = "\n".join(
            json.dumps([one.body.get("system"), one.body["messages"]], ensure_ascii=False)
            for one in wire.requests
        )
    return asked, read_queries(out) if out.exists() else []


def writes(name: str, **limits: float) -> Callable[[Request], Say]:
    country = COUNTRIES[name]

    def script(request: Request) -> Say:
        task = json.dumps(request.body["messages"], ensure_ascii=False)
        order = task.split("order ", 2)[1].split(" ")[0]
        row: dict[str, Any] = {
            "intent": "compare",
            "query": f"{country.question} ({order[-4:-2]})",
            "rationale": "Because.",
            "tools": ["product_catalog_search"],
            "needs": [re.sub(r"\{\} ", "", country.kinds[0][1])],
            "web_need": "",
            "facts_used": [{"kind": "order", "id": order}],
        }
        if "`limits`" in json.dumps(request.body):
            row["limits"] = {"total_max": None, "item_max": None, "month_max": None, **limits}
        return Say(json.dumps({"queries": [row]}, ensure_ascii=False))

    return script


def test_a_model_is_asked_in_the_shops_currency_and_language(
    folders: dict[str, Path], name: str, tmp_path: Path
) -> None:
    country, out = COUNTRIES[name], tmp_path / "q.jsonl"
    asked, written = asked_and_written(folders[name], out, writes(name, total_max=200, item_max=77))
    assert "$" not in asked and "dollar" not in asked and "no other state" not in asked
    assert AMOUNT[name] in asked.replace("\u00a0", " ") and f"budget in {country.currency}" in asked
    assert "for the household" not in asked
    language = None if country.language == "en-IN" else country.language
    assert ("plain English" in asked) == (language is None)
    assert (f"ISO code `{language}`" in asked) == (language is not None)
    (query, *_) = written
    assert (query.currency, query.language) == (country.currency, language)
    assert query.constraints is not None
    # A limit that the text does not say is no limit, whoever states it.
    assert (query.constraints.total_max, query.constraints.item_max) == (200, None)
    assert drr("queries", "check", out, "--shop", folders[name]) == 0


def test_a_question_of_another_language_is_held_to_it(folders: dict[str, Path], tmp_path: Path) -> None:
    _, (query, *_) = asked_and_written(folders["DE"], tmp_path / "q.jsonl", writes("DE", total_max=200))
    with open_shop(str(folders["DE"]), Settings()) as shop:
        english = query.model_copy(update={"query": COUNTRIES["IN"].question})
        assert Checker(shop).check(query).verdicts["names"].status == "none"
        assert "`de`" in Checker(shop).check(english).failed["language"]
        dear = query.model_copy(update={"query": query.query.replace("200", "9"), "constraints": None})
        dear.constraints = query.constraints and query.constraints.model_copy(update={"total_max": 9.0})
        assert "30,90 € together, above 9,00 €" in Checker(shop).check(dear).failed["budget"]


def test_a_dataset_says_what_it_is_asked_in(folders: dict[str, Path], tmp_path: Path) -> None:
    out, folder = tmp_path / "q.jsonl", tmp_path / "set"
    asked_and_written(folders["DE"], out, writes("DE", total_max=200))
    assert drr("queries", "dataset", out, "--out", folder) == 0
    card, croissant = (folder / "README.md").read_text(), json.loads((folder / "croissant.json").read_text())
    assert "language: [de]" in card and "| `currency` |" in card
    assert croissant["inLanguage"] == "de" and croissant["rai:dataBiases"].endswith("in `de` and in EUR.")


def test_without_a_writer_kinds_are_the_shops_categories_as_they_stand(
    folders: dict[str, Path], name: str, tmp_path: Path
) -> None:
    """No word is cut from a category or a title, no amount is in dollars, and nobody lives in America."""
    country, out = COUNTRIES[name], tmp_path / "q.jsonl"
    drr("queries", "generate", "--shop", folders[name], "--out", out, "--users", "6", "--quiet")
    written = read_queries(out)
    assert len(written) >= 6
    kinds = {path.split(" > ")[1] for path, _ in country.kinds}
    assert {need for one in written for need in one.needs} <= kinds
    assert all(f'"{need}"' in one.query for one in written for need in one.needs)
    titles = {title.format(maker) for _, title in country.kinds for maker in MAKERS}
    assert {text for one in written for text in re.findall('"([^"]*)"', one.query)} <= kinds | titles
    text = "\n".join(one.query for one in written)
    assert "$" not in text and "dollar" not in text and "bucks" not in text and not states(text)
    assert {one.currency for one in written} == {country.currency}
    assert {one.language for one in written} == {None}, "rules write English"
    assert any(one.constraints and one.constraints.total_max for one in written)
    placed = [one.query for one in written if any(fact.kind == "profile" for fact in one.facts_used)]
    assert all(any(region in one for region in country.regions) for one in placed)
    assert drr("queries", "check", out, "--shop", folders[name]) == 0


def test_invented_people_live_in_the_shops_own_regions(folders: dict[str, Path], name: str) -> None:
    with open_shop(str(folders[name]), Settings()) as shop:
        people = [shop.store.user(one) for one in shop.store.sample_users(6, seed=1, min_orders=1)]
        homes = [one.address for one in people if one]
        assert {(one.city, one.zip, one.country) for one in homes} == {("", "", name)}
        assert {one.state for one in homes} <= set(COUNTRIES[name].regions)
        profile = build_profile(shop.store, people[0].user_id if people[0] else "", "2024-12-31")
        assert f"Region: {profile.state}, {name}; account" in shopper_summary(profile)


def test_where_no_file_names_a_region_nobody_has_one(tmp_path: Path) -> None:
    folder = foreign_shop(tmp_path, "PL", regions=False)
    with open_shop(str(folder), Settings()) as shop:
        user = shop.store.user(shop.store.sample_users(1, seed=1, min_orders=1)[0])
        assert user is not None and {user.address.state, user.address.city, user.address.country} == {""}
        assert "Region: unknown; account" in shopper_summary(
            build_profile(shop.store, user.user_id, "2024-12-31")
        )
    drr("queries", "generate", "--shop", folder, "--out", tmp_path / "q.jsonl", "--users", "6", "--quiet")
    written = read_queries(tmp_path / "q.jsonl")
    assert len(written) >= 6 and not any(fact.kind == "profile" for one in written for fact in one.facts_used)
    assert drr("queries", "check", tmp_path / "q.jsonl", "--shop", folder) == 0


def test_no_kind_that_a_foreign_shop_lacks_is_named_in_english(shop: Shop) -> None:
    """Beside a shop's own words an English one would tell what must be refused."""
    recipe = {"currency": "EUR", "rate": 1, "language": "de"}
    german = replace(shop, manifest=shop.manifest.model_copy(update={"recipe": recipe}))
    maker = QuestionMaker(german, open_web(Settings()))
    assert maker.absent == [] and QuestionMaker(shop, maker.web).absent
    assert maker.cells and not any(
        "dollar" in f"{one.page.title} {one.page.text}".casefold() for one in maker.cells
    )
    made = [maker.make(f"de:{k}") for k in range(3)]
    assert all("$" not in one.query and one.currency == "EUR" for one in made)
    assert {need.refusal for one in made if one.checkable for need in one.checkable.needs} <= {
        None,
        "nothing_fits",
    }


def test_prompts_of_all_writers_are_in_the_shops_currency_and_language(shop: Shop) -> None:
    written = Prompts(FOLDER)
    assert prompts_of_shop(written, shop.manifest) is written
    for currency, language in (("EUR", "de"), ("INR", "en-IN"), ("USD", "pl")):
        recipe = {"currency": currency, "rate": 1, "language": language}
        manifest = shop.manifest.model_copy(update={"recipe": recipe})
        own = prompts_of_shop(written, manifest)
        assert {name for name in written.names if own[name].sha256 != written[name].sha256} >= {
            "writer_system"
        }
        text = "\n".join(own[name].text for name in own.names)
        assert ("dollar" in text) == (currency == "USD")


def test_tasks_of_a_foreign_shop_are_no_strangers_to_its_language(folders: dict[str, Path]) -> None:
    task = ResearchTask(
        task_id="t", category="Kaffee", task=f"{COUNTRIES['DE'].question} " * 2, needs=["Kaffeemühle"]
    )
    assert "language" in {one.check for one in problems([task])}
    with open_shop(str(folders["DE"]), Settings()) as german:
        assert "language" not in {one.check for one in problems([task], german)}


@pytest.mark.parametrize(("written", "wrong"), [("DE", set()), ("IN", set()), ("PL", {"language"})])
def test_a_question_of_ones_own_is_in_the_shops_language_or_in_english(
    folders: dict[str, Path], written: str, wrong: set[str]
) -> None:
    with open_shop(str(folders["DE"]), Settings()) as shop:
        user = shop.store.sample_users(1, seed=1, min_orders=1)[0]
        query = Query(query=COUNTRIES[written].question, user_id=user)
        failed = Checker(shop).check(query).failed
        assert set(failed) == wrong and all("`de`" in one for one in failed.values())


def test_generic_questions_name_the_departments_own_kinds(
    folders: dict[str, Path], name: str, tmp_path: Path
) -> None:
    out = tmp_path / "g.jsonl"
    drr(
        "queries",
        "generate",
        "--shop",
        folders[name],
        "--out",
        out,
        "--users",
        "4",
        "--mode",
        "generic",
        "--quiet",
    )
    written = read_queries(out)
    kinds = {path.split(" > ")[1] for path, _ in COUNTRIES[name].kinds}
    assert written and {need for one in written for need in one.needs} <= kinds
    assert not any("$" in one.query or "dollar" in one.query for one in written)


def test_a_mapping_names_regions_where_no_file_does(tmp_path: Path) -> None:
    folder = foreign_shop(tmp_path, "DE", regions=False, mapped='regions = ["Bayern, Germany", "Tirol"]\n')
    with open_shop(str(folder), Settings()) as shop:
        people = [shop.store.user(one) for one in shop.store.sample_users(6, seed=1, min_orders=1)]
        homes = {(one.address.city, one.address.state, one.address.country) for one in people if one}
    assert homes <= {("", "Bayern", "Germany"), ("", "Tirol", "")} and homes
