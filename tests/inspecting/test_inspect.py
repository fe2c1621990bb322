"""`inspect eval drr/retail`: our questions, tools and judges as Inspect has them, with the figures of `drr report`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.agents.base import AnswerRecord
from drr.study.study import Study
from drr.tools.registry import TOOLS

from tests.agents.garden import BEN
from tests.commands import Drr
from tests.inspecting.conftest import Garden
from tests.wire import Request, Say, Wire

pytestmark = pytest.mark.wheel
Document = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evaluations")


@pytest.fixture(scope="module")
def found(apart: Callable[..., str], garden: Garden, folder: Path) -> Document:
    given = {"shop": str(garden.shop), "queries": str(garden.queries)}
    told = {"DRR_SANDBOX": str(garden.sandbox), "ANTHROPIC_API_KEY": "sk-ant-not-a-real-key-0123456789"}
    printed = apart("python", "-m", "tests.inspecting.evaluated", json.dumps(given), folder, **told)
    return dict(json.loads(printed.splitlines()[-1]))


def test_the_task_is_found_by_its_name_with_our_tools_to_the_letter(found: Document) -> None:
    kept = found["kept"]
    assert (kept["status"], kept["task"]) == ("success", "drr/retail")
    assert len(kept["samples"]) == 6
    assert kept["scorers"] == ["faithfulness", "citations", "quality", "rules", "effort"]
    shown = {tool["name"]: tool for tool in found["kept"]["samples"][0]["tools"]}
    assert list(shown) == list(TOOLS)
    for name, tool in TOOLS.items():
        assert shown[name]["description"] == tool.description
        assert shown[name]["schema"] == tool.schema


def test_each_sample_has_its_own_session_and_leaves_a_record_of_ours(found: Document) -> None:
    for sample in found["kept"]["samples"]:
        assert "SECRET" not in json.dumps([sample["metadata"], sample["told"]])
        if sample["id"] == "q-none":
            assert sample["record"] is None
            continue
        record = AnswerRecord.model_validate(sample["record"])
        assert record.user_id in sample["told"][0]
        calls = [(call.name, call.kind) for call in record.tool_calls]
        assert calls == [
            ("product_catalog_search", "api"),
            ("calculator", "api"),
            ("get_user_orders", "refused"),
            ("get_user_orders", "api"),
        ]
        assert [call.result for call in record.tool_calls] == [text for _, text in sample["answers"]]
        assert (f"user://{BEN}/orders" in record.tool_calls[3].result) == (sample["id"] == "q-bath")
        usage = record.usage["agent"]
        assert (usage["calls"], usage["input_tokens"], usage["output_tokens"]) == (3, 300, 60)
        assert (usage["cache_read_tokens"], usage["cost_usd"]) == (90, None)
        assert [one.url for one in record.fabricated] == ["https://made-up.example/y"]
        assert record.transcripts[0].messages[0]["role"] == "system"


def test_its_figures_are_those_of_drr_report(found: Document, folder: Path, drr: Drr) -> None:
    (ours,) = drr.json("report", folder / "study")["metrics"].values()
    figures = found["kept"]["figures"]
    # Inspect wants the names of figures beforehand; the report leaves out a kind of source that nobody cited.
    absent = {
        name: row["mean"] if row["scored"] else None for name, row in figures.items() if name not in ours
    }
    assert set(absent.values()) <= {None, 0.0} and all(name.endswith(("_file", "_tool")) for name in absent)
    figures = {name: row for name, row in figures.items() if name in ours}
    told = {name: (row["mean"], row["ci_low"], row["ci_high"]) for name, row in figures.items()}
    assert told == {name: (ours[name]["value"], ours[name]["ci_low"], ours[name]["ci_high"]) for name in told}
    assert {"fp", "fr", "fp_citation", "overall", "rule_price", "input_tokens"} <= told.keys()
    assert told["rule_price"][0] == 0.0
    for name, row in figures.items():
        silent = 2  # samples without a report, which a study of ours does not hold
        assert (row["scored"], row["unscored"]) == (ours[name]["n"], ours[name]["n_unscored"] + silent)


def test_judging_again_changes_nothing(found: Document, garden: Garden, folder: Path, drr: Drr) -> None:
    what = "faithfulness,citations,quality,rules"
    words = [str(folder / "study"), "--what", what, "--shop", str(garden.shop), "--json", "--quiet"]
    document = json.loads(drr.out("judge", *words, "--judge", "offline"))
    assert document["run"]["left"] == 0
    (ours,) = document["metrics"].values()
    assert ours["fp"]["value"] == found["kept"]["figures"]["fp"]["mean"]


def test_evaluations_into_one_study_are_trials_beside_each_other(found: Document, folder: Path) -> None:
    with Study.open(folder / "again") as study:
        specs = [record.spec for record in study.records("answer")]
    assert sorted((spec["variant"], spec["trial"]) for spec in specs) == [("ours", 0), ("ours", 1)]


def test_a_log_is_scored_again_alike(apart: Callable[..., str], found: Document, garden: Garden) -> None:
    log, told = found["kept"]["place"], {}
    for scorer in ("rules", "faithfulness"):
        given = ("-S", f"shop={garden.shop}", "-S", f"queries={garden.queries}", "-S", "judge=offline")
        words = (log, "--scorer", f"drr/{scorer}", *given, "--action", "overwrite", "--overwrite")
        apart("inspect", "score", *words, "--display", "none")
        scores = json.loads(apart("inspect", "log", "dump", log))["results"]["scores"]
        told |= {one["name"]: one["metrics"]["drr/mean"]["value"] for one in scores}
    assert told["fp"] == found["kept"]["figures"]["fp"]["mean"]
    assert (told["rule_price"], told["rule_in_catalogue"]) == (0.0, 1.0)


def test_what_is_unknown_is_unscored_and_never_0(found: Document) -> None:
    silent = next(s for s in found["kept"]["samples"] if s["id"] == "q-none")
    assert {score["reason"] for score in silent["scores"].values()} == {"no_response"}
    assert {score["value"] for score in silent["scores"].values()} == {None}
    (sample,) = found["silent_judge"]["samples"]
    assert found["asked"]["judge"] > 0
    quality = sample["scores"]["quality"]
    assert (quality["value"], quality["reason"]) == (None, "grader_failed")
    assert sample["scores"]["effort"]["value"]["tool_calls"] == 3.0
    figures = found["silent_judge"]["figures"]
    assert {row["mean"] for name, row in figures.items() if name in ("overall", "depth")} <= {None}


def test_rules_say_so_and_an_agent_of_theirs_has_our_tools(found: Document) -> None:
    told = found["kept"]["samples"][0]["scores"]["rules"]["told"]
    assert "not by a language model" in told
    assert "price: 3.14" in told
    (sample,) = found["agent"]["samples"]
    record = AnswerRecord.model_validate(sample["record"])
    assert record.report.startswith("The first one [1] is small. It costs $3.14.")
    assert [call.name for call in record.tool_calls][:2] == ["product_catalog_search", "calculator"]


def test_the_command_as_it_is_typed_counts_what_the_server_counts(
    apart: Callable[..., str], garden: Garden, tmp_path: Path, drr: Drr
) -> None:
    def shopper(request: Request) -> Say:
        asked = any(message["role"] == "assistant" for message in request.body["messages"])
        search = Say(calls=[("product_catalog_search", {"query": "bird"})])
        return Say("None of the 9 suits.") if asked else search

    with Wire(shopper) as wire:
        server = {"OPENAI_BASE_URL": f"{wire.url}/v1", "OPENAI_API_KEY": "sk-not-a-real-key-0123456789"}
        study = tmp_path / "study"
        given = (
            f"shop={garden.shop}",
            f"queries={garden.queries}",
            f"study={study}",
            "limit=2",
            "what=rules",
        )
        words = ["drr/retail", "--model", "openai/scripted", "-M", "responses_api=false", "--display", "none"]
        options = [word for one in given for word in ("-T", one)]
        apart("inspect", "eval", *words, "--log-dir", tmp_path / "logs", *options, **server)
        counted = len(wire.requests)
    ((system, ours),) = drr.json("report", tmp_path / "study")["metrics"].items()
    assert (system, counted) == ("inspect openai/scripted", 4)
    assert (ours["input_tokens"]["value"], ours["output_tokens"]["value"]) == (200.0, 40.0)


def test_what_cannot_be_evaluated_is_said_in_a_line(apart: Callable[..., str], garden: Garden) -> None:
    for given, told in {
        "what=pairwise": "pairwise has no score of a single report",
        f"shop={garden.shop}": "needs the questions asked in it",
    }.items():
        words = ("drr/retail", "--model", "mockllm/model", "-T", given, "--display", "plain")
        said = apart("inspect", "eval", *words, fails=True)
        assert told in " ".join(said.split()) and "Traceback" not in said
