"""Criteria are made once for a task and a person, before any answer is scored, and people may change them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.entities import Product
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.eval.checks.base import Subject
from drr.eval.judging.read import choose_judging, read_judged
from drr.papers.pdr.judging.choices import PqrChoices, check_tasks, task_id_of
from drr.papers.pdr.judging.making import CRITERIA_TASK
from drr.papers.pdr.judging.rows import DIMENSIONS, CriteriaOwner, Rubric, owners_of, rubric_of
from drr.papers.pdr.judging.violations import violations, violations_of
from drr.papers.pdr.metrics import pqr as metrics
from drr.papers.pdr.person import Person
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import answer, by_rules, put, system
from tests.eval.pqr_judge import PERSONS, CriteriaJudge, judged_by, judging
from tests.shops import write_rows
from tests.tools.small_shop import ANNA, BEN, PRODUCTS, USERS
from tests.wire import Request, Say, Wire

TASK = "What of a, within a budget of $100?"
T1 = CriteriaOwner("t1")
OF_ANNA, OF_BEN = CriteriaOwner("t1", "p-anna"), CriteriaOwner("t1", "p-ben")


def ask(study: Study, *users: str, **more: object) -> None:
    lines = [
        json.dumps({"id": f"q-{user[:3].lower()}", "query": TASK, "user_id": user, "task_id": "t1"} | more)
        for user in users
    ]
    (study.folder / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")


def _rubric(study: Study, owner: CriteriaOwner) -> Rubric:
    found = rubric_of(read_judged(study, choose_judging(study)), owner)
    assert found is not None
    return found


async def test_criteria_are_asked_once_for_a_task_and_each_of_its_persons(study: Study) -> None:
    """Before any answer is there: nine calls for each person, eight for the task, whoever asks it."""
    ask(study, ANNA, BEN)
    script = CriteriaJudge()
    judged = await judged_by(study, script, "criteria")
    assert Counter(script.asked) == {"weights": 15, "criteria": 11}
    assert owners_of(judged) == [T1, OF_ANNA, OF_BEN]
    of_anna = _rubric(study, OF_ANNA)
    assert of_anna.weights is not None and len(of_anna.weights["samples"]) == 5
    assert of_anna.weights["weights"] == pytest.approx(dict.fromkeys(DIMENSIONS["p"], 0.25))
    assert [row["id"] for row in of_anna.rows("GOAL")] == [f"goal{n}" for n in range(1, 9)]
    assert "feeds wild birds" in of_anna.rows("GOAL")[0]["criterion"]
    assert "nobody" in _rubric(study, T1).rows("DEIN")[0]["criterion"], "quality is of the task alone"
    assert not any("p-anna" in text or ANNA in text for text in script.prompts)
    again = CriteriaJudge()
    await judged_by(study, again, "criteria")
    assert not again.asked


async def test_weights_are_the_mean_of_the_samples_that_can_be_used(study: Study) -> None:
    ask(study, ANNA)
    told = iter([0.1, 0.2, 0.3, 0.4, 0.5])

    def weigh(number: int) -> dict[str, float]:
        goal = next(told, 0.25)
        return {"goal": goal, "cont": 1 - goal, "pres": 0.0, "acti": 0.0}

    def instead(task: str, request: Request) -> Say | None:
        if task == "weights" and "`dein`" in system(request):
            return Say(json.dumps({"analysis": "too much", "dein": 0.9, "logc": 0.9, "clar": 0.9}))
        return None

    script = CriteriaJudge(weights=weigh, instead=instead)
    with Wire(script) as wire:
        ran = await judging(study, wire.url, "criteria")
    assert ran.summary.failures == {"malformed": 1}, "weights of quality never summed to 1"
    of_anna, of_task = _rubric(study, OF_ANNA), _rubric(study, T1)
    assert of_anna.weights is not None
    assert of_anna.weights["weights"]["GOAL"] == pytest.approx(0.3)
    assert of_task.weights is None and "sum to 2.7" in of_task.reasons["weights"]


async def test_further_sets_of_criteria_in_studies_of_before_are_left_out(study: Study) -> None:
    ask(study, ANNA)
    await judged_by(study, CriteriaJudge(), "criteria")
    judging = choose_judging(study)
    assert judging is not None
    for record in study.records("judgement"):
        assert CRITERIA_TASK.belongs(record.key_fields, judging)
        assert not CRITERIA_TASK.belongs({**record.key_fields, "seed": 1}, judging)


async def test_too_few_criteria_are_none(study: Study) -> None:
    ask(study, ANNA)
    with Wire(CriteriaJudge(criteria=5)) as wire:
        await judging(study, wire.url, "criteria")
    rubric = _rubric(study, OF_ANNA)
    assert rubric.criteria["GOAL"] is None and "at least 8 items" in rubric.reasons["GOAL"]


async def test_rules_make_criteria_of_what_touches_the_task_the_rarer_the_heavier(
    study: Study, shop: Shop
) -> None:
    """Without a model and without a file of persons: of the shop's records."""
    text = "Which bird feeder suits a small deck, under $45 in all?"
    line = json.dumps({"id": "q-a", "query": text, "user_id": ANNA})
    (study.folder / "queries.jsonl").write_text(line, encoding="utf-8")
    judged = await by_rules(study, ["criteria"], shop)
    task, person = owners_of(judged)
    assert task.person_id is None and task.task_id == task_id_of(None, text)
    of_task, of_person = (rubric_of(judged, owner) for owner in (task, person))
    assert of_task is not None and of_person is not None
    assert [row["criterion"] for row in of_task.rows("DEIN")][:1] == [
        "It deals with this part of the task: “Which bird feeder suits a small deck”"
    ]
    found = {row["criterion"]: row for name in DIMENSIONS["p"] for row in of_person.rows(name)}
    lives = found["It takes account of this: the person lives in Oklahoma."]
    assert (lives["origin"], lives.get("gist")) == ("rule", "live oklahoma"), "three shoppers show no form"
    assert all(of_person.rows(name) for name in DIMENSIONS["p"]), "no dimension is without a criterion"
    for name in DIMENSIONS["p"]:
        assert sum(row["weight"] for row in of_person.rows(name)) == pytest.approx(1.0, abs=1e-4)


def test_a_task_has_one_text(study: Study) -> None:
    one = Query(id="q-1", query=TASK, user_id=ANNA, task_id="t1")
    two = Query(id="q-2", query="Another.", user_id=BEN, task_id="t1")
    check_tasks({"q-1": one})
    with pytest.raises(Misuse, match="the task t1 has two texts, in q-1 and q-2"):
        check_tasks({"q-1": one, "q-2": two})


async def test_whoever_is_named_must_be_in_the_file(study: Study) -> None:
    ask(study, ANNA, person_id="p-zoe")
    with pytest.raises(Misuse, match="is asked by the person p-zoe"):
        await judged_by(study, CriteriaJudge(), "criteria")


def _study(tmp_path: Path) -> Path:
    """Criteria made by rules, of two persons of a file."""
    folder = tmp_path / "study"
    with Study.create(folder, {"schema": 1, "run": {}}) as study:
        ask(study, ANNA, BEN)
    lines = [person.model_dump_json() for person in PERSONS.values()]
    (tmp_path / "persons.jsonl").write_text("\n".join(lines), encoding="utf-8")
    words = ["judge", str(folder), "--what", "criteria", "--judge", "offline", "--quiet"]
    assert main([*words, "--persons", str(tmp_path / "persons.jsonl")]) == 0
    return folder


def test_the_command_lists_and_shows_criteria_and_a_file_changes_them(tmp_path: Path, drr: Drr) -> None:
    folder, path = str(_study(tmp_path)), tmp_path / "criteria.jsonl"
    listed = drr.json("papers", "criteria", folder, "list")["criteria"]
    owned = [(one["task_id"], one["person_id"], one["state"]) for one in listed]
    assert owned == [("t1", name, "made") for name in (None, "p-anna", "p-ben")]
    drr.out("papers", "criteria", folder, "export", path)
    of_anna, of_ben = map(json.loads, path.read_text("utf-8").splitlines())
    acti = of_anna["personalization_criterions"]["actionability_practicality"]
    of_anna["personalization_criterions"]["goal_alignment"][0]["criterion"] = "It is light."
    acti[:1] = [{"criterion": "It says when.", "explanation": "He is busy.", "weight": 0.5}]
    of_anna["personalization_weights"] = {"GOAL": 0.4, "CONT": 0.3, "PRES": 0.1, "ACTI": 0.2}
    path.write_text(f"{json.dumps(of_anna)}\n{json.dumps(of_ben)}\n", encoding="utf-8")
    assert drr.json("papers", "criteria", folder, "import", path)["changed"] == ["t1/p-anna"]
    (shown,) = drr.json("papers", "criteria", folder, "show", "t1/p-anna")["criteria"]
    assert shown["state"] == "given, not judged yet"
    assert shown["criteria"]["GOAL"][0]["criterion"] == "It is light."
    assert "acti1" not in [row["id"] for row in shown["criteria"]["ACTI"]]
    assert shown["weights"]["weights"] == {"GOAL": 0.4, "CONT": 0.3, "PRES": 0.1, "ACTI": 0.2}
    assert "It is light. (person)" in drr.out("papers", "criteria", folder, "show", "t1/p-anna")
    kept = Path(folder, "criteria.jsonl")
    with_history = [{**json.loads(line), "history": [{"what": "edit"}]} for line in kept.open()]
    kept.write_text("".join(json.dumps(line) + "\n" for line in with_history))
    drr.out("judge", folder, "--what", "criteria", "--judge", "offline", "--quiet")
    assert "t1/p-anna  given  " in drr.out("papers", "criteria", folder), (
        "a file of an earlier version is read"
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _study(tmp_path_factory.mktemp("criteria"))


@pytest.fixture(scope="module")
def exported(made: Path) -> list[dict[str, object]]:
    path = made.parent / "out.jsonl"
    assert main(["papers", "criteria", str(made), "export", str(path)]) == 0
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_file_in_the_papers_form_comes_back_as_it_went(
    made: Path, exported: list[dict[str, object]], tmp_path: Path, drr: Drr
) -> None:
    told = [(line["taskid"], line["userid"], line["id"]) for line in exported]
    assert told == [("t1", "p-anna", "q-ann"), ("t1", "p-ben", "q-ben")]
    assert set(exported[0]) == {
        "id", "domain", "language", "taskid", "userid", "task", "personalization_weights", "quality_weights",
        "personalization_criterions", "quality_criterions",
    }  # fmt: skip
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(json.dumps(line) for line in exported), encoding="utf-8")
    assert drr.json("papers", "criteria", made, "import", own) == {
        "schema": 1,
        "read": 3,
        "changed": [],
    }
    assert not (made / "criteria.jsonl").exists(), "nothing is new"


@pytest.mark.parametrize(
    ("change", "wrong"), cases("eval", "test_a_malformed_file_changes_nothing_and_is_named_by_line")
)
def test_a_malformed_file_changes_nothing_and_is_named_by_line(
    made: Path,
    exported: list[dict[str, object]],
    tmp_path: Path,
    change: dict[str, object],
    wrong: str,
    drr: Drr,
) -> None:
    path = tmp_path / "bad.jsonl"
    good = {**exported[0], "personalization_weights": {"GOAL": 0.1, "CONT": 0.2, "PRES": 0.3, "ACTI": 0.4}}
    path.write_text(json.dumps(good) + "\n" + json.dumps({**exported[1], **change}), encoding="utf-8")
    said = drr.err("papers", "criteria", made, "import", path)
    assert f"{path}, line 2: " in said and wrong in said
    assert not (made / "criteria.jsonl").exists()


def test_choices_that_say_nothing_have_no_mark() -> None:
    assert PqrChoices().mark == ""
    assert PqrChoices(PERSONS).mark != PqrChoices({"p-anna": PERSONS["p-anna"]}).mark


FEEDER, SEED, BITES, BISCUITS = "B0BN7FLXLV", "B0SEED0001", "B0BITES001", "B0BISCUIT1"
SHOP = "http://ecommerce.example"
OWNED = {"id": "goods-feeders", "block": "goods", "statement": "owns feeders already", "basis": "records"}
NUTS = {"id": "needs-nuts", "block": "needs", "statement": "is allergic to peanuts", "basis": "stated"}
AIR = {
    "id": "needs-air",
    "block": "needs",
    "statement": "needs indoor air free of corn and pollen",
    "basis": "records",
}
OF = {
    "person_id": "p-anna",
    "attributes": [{**OWNED, "evidence": [{"order_id": "1", "product_id": FEEDER}]}, NUTS, AIR],
}
ALLERGIC = Person.model_validate(OF)


@pytest.fixture(scope="module")
def snack_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    spec, settings = str(tmp_path_factory.mktemp("violations") / "shop"), Settings(shop_url=SHOP)
    seed = next(one for one in PRODUCTS if one.product_id == SEED)
    bites = ("Crunchy trail bites for hikers", 8.5, {"Ingredients": "Corn, roasted peanuts, salt"})
    oats = ("Soft oat biscuits for hikers", 6.5, {"Ingredients": "Oats. Made without peanuts."})
    products = [*PRODUCTS, _like(seed, BITES, *bites), _like(seed, BISCUITS, *oats)]
    write_rows(spec, settings, sorted(products, key=lambda one: one.product_id), USERS, (), replace=True)
    with open_shop(spec, settings) as opened:
        yield opened


def _like(one: Product, product_id: str, title: str, price: float, details: dict[str, str]) -> Product:
    changes = {"product_id": product_id, "title": title, "price": price, "details": details}
    return one.model_copy(update=changes)


def plan(*rows: tuple[str, str, str], more: str = "") -> str:
    lines = [f"| [{name}]({SHOP}/{product_id}) | ${price} |" for name, product_id, price in rows]
    total = sum(float(price) for *_, price in rows)
    head = [more, "", "| item | price |", "| --- | --- |"]
    return "\n".join([*head, *lines, f"| **Total** | **${total:.2f}** |"])


FEEDERS = ("Panorama wild bird feeder", FEEDER, "19.99")
SEEDS = ("Black oil sunflower seed", SEED, "12.49")
SNACK = ("Crunchy trail bites", BITES, "8.50")
OATS = ("Soft oat biscuits", BISCUITS, "6.50")


def told(
    snack_shop: Shop, report: str, query: str = "Plan a corner for birds.", person: Person | None = ALLERGIC
) -> list[tuple[str, str | None, str | None]]:
    about = Subject(report, query=query, shop=snack_shop, shop_urls=(SHOP,))
    return [(row["kind"], row.get("product"), row.get("attribute")) for row in violations(about, person)]


def test_what_is_owned_already(snack_shop: Shop) -> None:
    assert told(snack_shop, plan(FEEDERS, SEEDS)) == [("owned", FEEDER, "goods-feeders")]


@pytest.mark.parametrize(
    ("report", "query"),
    [
        (plan(SEEDS, OATS), "Plan a corner for birds."),
        (plan(FEEDERS, SEEDS), "I want a second bird feeder beside mine."),
        (plan(FEEDERS, SEEDS, more=f"You bought the [Panorama wild bird feeder]({SHOP}/{FEEDER}) in June 2022; take one more."), "Plan a corner for birds."),
        (f"Your [Panorama wild bird feeder]({SHOP}/{FEEDER}) costs $19.99.", "Plan a corner for birds."),
        (plan(SEEDS, OATS, more=f"Unlike the [Panorama wild bird feeder]({SHOP}/{FEEDER}), $19.99, these are used up."), "Plan a corner for birds."),
    ],
    ids=["another", "wished", "knowingly", "no plan", "only compared"],
)  # fmt: skip
def test_what_is_not_certain_is_not_told(snack_shop: Shop, report: str, query: str) -> None:
    assert told(snack_shop, report, query) == []


def test_what_the_person_or_the_wish_rules_out(snack_shop: Shop) -> None:
    both = plan(SNACK, OATS)
    assert told(snack_shop, both) == [("ruled_out", BITES, "needs-nuts")], (
        "free of a thing is no allergy, and without it is not with it"
    )
    assert told(snack_shop, both, "Snacks without corn, please.", person=None) == [("ruled_out", BITES, None)]
    assert told(snack_shop, both, person=None) == []


async def test_they_stand_beside_p_with_the_broken_limits(study: Study, snack_shop: Shop) -> None:
    """`answer` asks within $100."""
    dear = ("Stone bird bath", "B0BATH0001", "64.50")
    plans = {"good": plan(SEEDS, OATS), "bad": plan(dear, FEEDERS, SNACK, SEEDS)}
    await put(study, *(answer("a", variant, text) for variant, text in plans.items()))
    line = '{"id": "q-a", "query": "What of a, within a budget of $100?", "user_id": "U1", "person_id": "p-anna"}'
    (study.folder / "queries.jsonl").write_text(line, encoding="utf-8")
    choices = {PqrChoices: PqrChoices({"p-anna": ALLERGIC}, rounds=1)}
    judged = await by_rules(study, ["pqr"], snack_shop, choices=choices)
    bad, good = judged.answers
    found = violations_of(judged, bad.key)
    assert found is not None
    assert [row["kind"] for row in found] == ["owned", "ruled_out", "limit"]
    assert found[2]["why"].startswith("Total: $105.48; limit: $100.00")
    assert metrics.per_report(judged, bad)["pqr_violations"] == 3.0
    assert metrics.per_report(judged, good)["pqr_violations"] == 0.0
