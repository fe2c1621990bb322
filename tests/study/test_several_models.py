"""Several models in one study: systems by variant and model, with the keys that they have in studies of one."""

from __future__ import annotations

import json
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from drr.app.commands.annotate import _reports
from drr.app.study.answers import open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.query import Query
from drr.env.settings import resolve
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.run import default_variants
from drr.study.study import Study
from drr.study.unit import canonical_json

from tests.agents.garden import ANNA, BEN, QUESTION, write_box
from tests.commands import Drr
from tests.pools import toy_pool  # noqa: F401
from tests.wire import Request, Say, Wire, looked

ONE, TWO = "openai:one", "openai:house/two"
KEYS = {"react": "e545ca4da287346bf91a", "hybrid-react+ws": "8ffba6e69e1e44b6f695"}
"""Of a study of one model, without what follows the texts of prompts and tools; as they were before there were several."""


@pytest.fixture
def drr(drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drr:
    monkeypatch.chdir(tmp_path)
    asked = ({"id": "q-1", "query": QUESTION, "user_id": ANNA}, {"id": "q-2", "query": "And now?", "user_id": BEN})  # fmt: skip
    write_box(tmp_path, *asked)
    return drr


NEW = ("--shop", "shop", "--queries", "queries.jsonl", "--sandbox", "sandbox", "--quiet")


def at(wire: Wire, *names: str) -> tuple[str, ...]:
    models = ("--models", ",".join(names)) if names else ()
    return (*models, "--base-url", f"{wire.url}/v1", "--trust-address", wire.url, "--quiet")


def script(request: Request) -> Say:
    return looked(request, f"# Report\n\n{request.body['model']} says that 1 + 1 is 2.\n")


def answers(study: str = "study") -> dict[str, Any]:
    with Study.open(Path(study), read_only=True) as opened:
        return {record.label: record for record in opened.records("answer", None)}


def systems(study: str = "study") -> set[str]:
    return {str(record.spec["variant"]) for record in answers(study).values()}


def planned(*variants: str, model: str = "offline", given: tuple[str, ...] = ("records",)) -> dict[str, Any]:
    settings = resolve({"model": model, "sandbox": "sandbox", "base_url": "http://127.0.0.1:9"}).settings
    plan = StudyPlan(shop="shop", variants=variants, settings=given)
    with open_answering(plan, settings, calls=False) as answering:
        units = answering.units([Query(id="q-1", query=QUESTION, user_id=ANNA)])
    return {str(unit.spec["variant"]): unit for unit in units}


def test_a_study_of_one_model_has_the_keys_of_before(drr: Drr) -> None:
    found = {}
    for variant in KEYS:
        (unit,) = planned(variant).values()
        fields = {**unit.key_fields, "prompts": sorted(unit.key_fields["prompts"])}
        fields |= dict.fromkeys(("version", "tools", "shop", "web"), "")
        del fields["rules"]  # their number, which came later
        found[variant] = sha256(canonical_json({"kind": unit.kind, **fields}).encode()).hexdigest()[:20]
    assert found == KEYS


def test_a_units_key_is_the_same_among_several_models_as_alone(drr: Drr) -> None:
    several = planned(f"react@{ONE}", f"react@{TWO}", "react+ws@offline")
    assert set(several) == {f"react@{ONE}", f"react@{TWO}", "react+ws@offline"}
    assert several[f"react@{ONE}"].key == planned("react", model=ONE)["react"].key
    assert several[f"react@{TWO}"].key == planned("react", model=TWO)["react"].key
    assert several["react+ws@offline"].key == planned("react+ws")["react+ws"].key


@pytest.mark.long
def test_each_variant_is_run_with_each_model_judged_and_told_apart(drr: Drr, tmp_path: Path) -> None:
    named = {f"{variant}@{model}" for variant in ("react", "react+ws") for model in ("offline", ONE, TWO)}
    with Wire(script) as wire:
        models = at(wire, "offline", ONE, TWO)
        code, _, err = drr("run", "study", *NEW, *models, "--variants", "react,react+ws")
        assert code == 0, err
        asked = {request.body["model"] for request in wire.requests}
        assert asked == {"one", "house/two"}
        calls = len(wire.requests)
        assert drr("run", "study", "--quiet")[0] == drr("run", "study", *models)[0] == 0
        assert len(wire.requests) == calls, "nothing is asked again"
    assert systems() == named
    found = answers()
    assert found[f"q-1/react@{TWO}/0"].key_fields["models"] == {"agent": TWO}
    with Study.open(Path("study")) as study:
        assert "house/two says" in str(study.text(found[f"q-1/react@{TWO}/0"], "report"))

    assert drr.json("study", "status", "study")["units"]["done"] == 12
    assert drr("study", "trace", "study", f"q-2/react@{ONE}/0")[0] == 0
    code, _, err = drr("judge", "study", "--judge", "offline", "--what", "rules,pairwise", "--quiet")
    assert code == 0, err
    compared = drr.json("study", "compare", "study", f"react@{ONE}", f"react@{TWO}")
    assert compared["metrics"]["words"]["n"] == 2
    with Study.open(Path("study"), read_only=True) as study:
        every = read_answers(study)
    assert set(default_variants(every)) == {name for name in named if name.startswith("react+ws")}
    assert drr("study", "export", "study", "--out", "tables")[0] == 0
    rows = [json.loads(line) for line in (tmp_path / "tables/units.jsonl").read_text().splitlines()]
    assert {row["variant"] for row in rows if row["variant"]} == named
    for words in (("report", "study", "--out", "report"), ("view", "study", "--static", "pages", "--quiet")):
        assert drr(*words)[0] == 0
    page = (tmp_path / "report/index.html").read_text()
    assert all(name in page for name in named)
    metrics = json.loads((tmp_path / "report/metrics.json").read_text())
    assert set(metrics["metrics"]) == named and set(metrics["provenance"]["models"]) == {ONE, TWO, "offline"}


@pytest.mark.long
def test_workers_call_the_model_of_each_system_and_annotators_see_none(drr: Drr, toy_pool: str) -> None:  # noqa: F811
    with Wire(script) as wire:
        models = at(wire, ONE, TWO)
        code, _, err = drr("run", "study", *NEW, *models, "--variants", "react", "--pool", toy_pool)
        assert code == 0, err
    found = answers()
    assert set(found) == {f"q-{n}/react@{model}/0" for n in (1, 2) for model in (ONE, TWO)}
    assert all(record.result["models"] == record.key_fields["models"] for record in found.values())
    with Study.open(Path("study"), read_only=True) as study:
        blind = _reports(study, None, None)
    assert {one.system for one in blind} == {f"react@{ONE}", f"react@{TWO}"}


def test_a_model_that_comes_later_leaves_what_is_finished(drr: Drr) -> None:
    with Wire(script) as wire:
        where = at(wire)
        assert drr("run", "study", *NEW, "--model", ONE, *where, "--variants", "react")[0] == 0
        before, calls = answers(), len(wire.requests)
        assert systems() == {"react"}
        assert drr("run", "study", "--models", TWO, *where)[0] == 0
        assert systems() == {f"react@{ONE}", f"react@{TWO}"}
        after = answers()
        for n in (1, 2):
            assert after[f"q-{n}/react@{ONE}/0"].key == before[f"q-{n}/react/0"].key
        later = [request.body["model"] for request in wire.requests[calls:]]
        assert later and set(later) == {"house/two"}
        assert drr("run", "study", "--variants", "react+ws", "--only", *where)[0] == 0
    assert systems() == {f"{variant}@{model}" for variant in ("react", "react+ws") for model in (ONE, TWO)}
    settings = tomllib.loads(Path("study/study.toml").read_text())["settings"]
    assert settings["models"] == [ONE, TWO]
    assert drr("study", "edit", "study", "--variants", f"react@{TWO}", "--yes")[0] == 0
    assert tomllib.loads(Path("study/study.toml").read_text())["run"]["variants"] == f"react@{TWO}"
    assert drr("run", "study", "--quiet")[0] == 0
    assert set(answers()) == {f"q-{n}/react@{TWO}/0" for n in (1, 2)}


def test_one_model_is_no_several_and_a_file_says_it_too(drr: Drr) -> None:
    assert drr("run", "study", *NEW, "--models", "offline", "--variants", "react")[0] == 0
    assert systems() == {"react"} and drr("run", "study", "--models", "offline", "--quiet")[0] == 0
    Path("drr.toml").write_text(f'models = ["offline", "{ONE}"]\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert drr("run", "study", "--quiet")[0] == 0
    assert systems() == {"react"}, "a study that is begun stays what it is"
    for more, found in (
        (("--trust-address", "http://127.0.0.1:9"), ["react@offline", f"react@{ONE}"]),
        (("--model", "offline"), ["react"]),
    ):
        code, out, err = drr("run", "other", *NEW, "--variants", "react", "--dry-run", "--json", *more)
        assert code == 0, err
        assert [row["variant"] for row in json.loads(out)["variants"]] == found


def test_the_forecast_and_the_budget_know_each_models_price(drr: Drr) -> None:
    price = f'date = "2027-01-01"\n[models."{ONE}"]\ninput = 1\noutput = 0\n'
    Path("prices.toml").write_text(f'{price}[models."{TWO}"]\ninput = 10\noutput = 0\n')
    words = (*NEW, "--variants", "react", "--base-url", "http://127.0.0.1:9/v1", "--models", f"{ONE},{TWO}", "--price-file", "prices.toml")  # fmt: skip
    code, out, err = drr("run", "study", *words, "--dry-run", "--json")
    assert code == 0, err
    document = json.loads(out)
    cost = {row["variant"]: row["cost_usd"] for row in document["variants"]}
    assert cost[f"react@{TWO}"] == pytest.approx(10 * cost[f"react@{ONE}"])
    assert document["models"]["agent"] == f"{ONE}, {TWO}"
    Path("prices.toml").write_text(price)
    code, _, err = drr("run", "study", *words, "--budget", "5")
    assert code == 2 and f"the price of {TWO} is not known" in err and not Path("study").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--models", f"{ONE},{ONE}"), f"names {ONE} twice"),
        (("--models", "one,two"), "'one': not a model's name; use offline or"),
        (("--models", f"offline,{ONE}", "--model", "offline"), "--model: the study has several models, which --models names"),
        (("--models", f"offline,{ONE}", "--model-agent", "offline"), "the agents have offline by model_agent or role_models"),
        (("--models", ","), "setting models (explicit): names no model"),
        (("--variants", "react,react@offline"), "react and react@offline are the same variant with the same model"),
    ],
)  # fmt: skip
def test_what_no_study_of_several_models_is(drr: Drr, words: tuple[str, ...], said: str) -> None:
    named = () if "--variants" in words else ("--variants", "react")
    code, _, err = drr("run", "study", *NEW, *named, *words)
    assert (code, Path("study").exists()) == (2, False)
    assert said in err
