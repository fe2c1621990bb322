"""`drr run`, `status`, `trace`, `export`: from a shop and a file of questions to tables, by rules and over the wire."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from drr.study.study import Study

from tests.agents.garden import ANNA, BEN, QUESTION, write_box
from tests.commands import Drr
from tests.pools import toy_pool  # noqa: F401
from tests.tampering import rewrite
from tests.wire import Fail, Request, Say, Wire, looked

SONNET = "anthropic:claude-sonnet-5-5"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(
        tmp_path_factory.mktemp("box"),
        {"id": "q-birds", "query": QUESTION, "user_id": ANNA},
        {"query": "Which feeder is best under $30?", "user_id": BEN},
    )


pytestmark = pytest.mark.usefixtures("at_home")


def new(box: Path, variants: str = "react,plan-to-function+ws", name: str = "study") -> list[object]:
    given = ("--shop", box / "shop", "--queries", box / "queries.jsonl", "--sandbox", box / "sandbox")
    return [name, *given, "--variants", variants]


def by_model(wire: Wire, *more: object) -> tuple[object, ...]:
    return ("--model", SONNET, "--base-url", wire.url, *more)


def four_words(request: Request) -> Say:
    return looked(request, "A report of 4 words.")


def counts(drr: Drr, study: str = "study") -> tuple[int, int]:
    found = drr.json("status", study)["units"]
    return found["total"], found["done"]


def traced(drr: Drr, study: str = "study", unit: str = "q-birds/react/0") -> Any:
    return drr.json("study", "trace", study, unit)


def tables(drr: Drr, study: object) -> dict[str, bytes]:
    """The canonical export, file by file."""
    folder = Path(f"{study}-tables")
    assert drr("export", study, "--out", folder, "--canonical")[0] == 0
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def rows(name: str) -> list[Any]:
    return [json.loads(line) for line in Path(f"tables/{name}.jsonl").read_text().splitlines()]


def test_a_study_is_run_continued_looked_into_and_exported(box: Path, drr: Drr) -> None:
    code, out, err = drr("run", *new(box), "--limit", 1)
    assert (code, out) == (0, "")
    assert "1 done now; 3 left" in err
    document = drr.json("status", "study")
    assert document["units"] == {"total": 4, "done": 1, "failed": 0, "pending": 3, "running": 0}
    assert document["stopped"] == "limit"
    assert set(document["by_kind"]) == {"answer", "generation", "judgement"}

    code, out, err = drr("run", "study", "--json")
    assert json.loads(out)["units"] == {"total": 4, "done": 4, "failed": 0, "pending": 0, "running": 0}
    assert code == 0 and "3 done now; nothing left" in err
    code, _, err = drr("run", "study")
    assert code == 0 and "0 done now" in err

    code, out, _ = drr("status", "study")
    assert code == 0 and "4 done" in out
    out = drr("study", "trace", "study")[1]
    assert len(out.splitlines()) == 4 and "q-birds/react/0" in out
    code, out, _ = drr("study", "trace", "study", "q-birds/react/0")
    assert code == 0
    for part in ("written by rules, not by an LLM", "product_catalog_search(", "--- report ---"):
        assert part in out
    assert "--- conversation" in drr("study", "trace", "study", "q-birds/react/0", "--full")[1]
    trace = traced(drr)
    assert trace["result"]["rule_written"] is True and trace["transcript"]
    assert drr("study", "trace", "study", trace["key"][:10])[0] == 0

    found = drr.json("export", "study", "--out", "tables")["rows"]
    assert found["units"] == 4 and found["tool_calls"] > 4 and found["sources"] > 4
    units = rows("units")
    assert {unit["variant"] for unit in units} == {"react", "plan-to-function+ws"}
    assert all(unit["rule_written"] and unit["report"] and unit["stop_reason"] for unit in units)
    assert {unit["query_id"] for unit in units} >= {"q-birds"}

    code, out, err = drr("judge", "study", "--judge", SONNET, "--dry-run", "--json")
    assert code == 0, f"a forecast of judging needs no key: {err}"
    assert json.loads(out)["cost_usd"] is not None
    address = "http://me:secret@127.0.0.1:9/v1"
    for command in ("run", "judge"):
        code, _, err = drr(command, "study", "--pool", "ray", "--base-url", address, "--quiet")
        assert (code, "password" in err, "secret" in err) == (2, True, False), "no worker is told"


@pytest.mark.long
def test_a_pool_leaves_the_tables_of_this_process(box: Path, drr: Drr, toy_pool: str) -> None:  # noqa: F811
    made = {}
    for workers in (1, 2):
        pool = ("--pool", toy_pool, "--workers", workers) if workers > 1 else ()
        study, by = f"study-{workers}", (*pool, "--quiet")
        code, _, err = drr("run", *new(box, "react", study), *by)
        assert code == 0 and "2 done now; nothing left" in err, err
        code, _, err = drr("judge", study, *by)
        assert code == 0, err
        made[workers] = tables(drr, study)
    assert b"judgement" in made[1]["units.jsonl"]
    assert made[1] == made[2]


def test_the_study_holds_its_own_configuration_and_questions(box: Path, drr: Drr, tmp_path: Path) -> None:
    queries = tmp_path / "mine.jsonl"
    queries.write_text((box / "queries.jsonl").read_text())
    words = [queries if word == box / "queries.jsonl" else word for word in new(box, "react")]
    assert drr("run", *words, "--trials", 2, "--limits", "steps=3", "--limit", 1)[0] == 0
    queries.unlink()
    config = tomllib.loads((tmp_path / "study" / "study.toml").read_text())
    assert (config["run"]["trials"], config["run"]["limits"]) == (2, {"steps": 3})
    assert config["settings"]["model"] == "offline"
    assert not [name for name in config["settings"] if "key" in name or ("url" in name and "mongo" in name)]
    code, _, err = drr("run", "study")
    assert code == 0 and "3 done now; nothing left" in err
    code, _, err = drr("run", "study", "--limits", "steps=2")
    assert code == 0 and "4 units of an earlier configuration are kept aside" in err and "4 done now" in err
    assert counts(drr) == (4, 4)


@pytest.mark.long
def test_neither_what_runs_at_once_nor_a_providers_names_change_a_byte(box: Path, drr: Drr) -> None:
    def script(request: Request) -> Say:
        if len(request.body["messages"]) > 1:
            return Say("A report of 4 words.")
        looks = [("product_catalog_search", {"query": word}) for word in ("bird house", "bird feeder")]
        return Say(calls=looks)

    with Wire(script) as wire:
        for variants, more in (("all", ()), ("react", by_model(wire, "--trials", 3))):
            made = []
            for units in (1, 8):
                study = f"{variants}-{units}"
                assert drr("run", *new(box, variants, study), *more, "--units", units, "--quiet")[0] == 0
                made.append(tables(drr, study))
            assert made[0] == made[1] and len(made[0]) == 8


def test_a_dry_run_says_what_it_would_take_and_calls_nothing(box: Path, drr: Drr, tmp_path: Path) -> None:
    with Wire([]) as wire:
        code, out, _ = drr("run", *new(box, "all"), *by_model(wire), "--dry-run", "--json")
        assert (code, wire.requests) == (0, [])
    document = json.loads(out)
    assert not (tmp_path / "study").exists()
    assert document["units"] == document["left"] == 12
    assert document["price_date"] == "2026-11-20"
    row = next(row for row in document["variants"] if row["variant"] == "react")
    assert row["input_tokens"] == 2 * 34_000
    assert row["cost_usd"] == pytest.approx((2 * 34_000 * 2 + 2 * 1_050 * 10) / 1e6)
    local = ("--model", "openai:mine", "--base-url", "http://127.0.0.1:9")
    code, out, _ = drr("run", *new(box, "react"), *local, "--dry-run")
    assert code == 0 and "unknown" in out and "prices: none known for openai:mine" in out


def test_misuse_is_told_in_one_line_with_exit_2(box: Path, drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "stranger.jsonl").write_text('{"query": "anything?", "user_id": "NOBODY"}\n')
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "reactt.md").write_text("misspelt")
    local = ("--base-url", "http://127.0.0.1:9")
    wrong: list[tuple[object, ...]] = [
        *(("--queries", tmp_path / name) for name in ("empty.jsonl", "nowhere.jsonl", "stranger.jsonl")),
        *(("--prompts", tmp_path / name) for name in ("prompts", "nowhere")),
        *(("--limits", limits) for limits in ("stepz=3", "steps=many")),
        *(("--thinking", told) for told in ("always", "9000")),
        *(("--budget", "-1"), ("--trials", "0"), ("--effort", "much")),
        *(("--model", name) for name in ("gpt", SONNET)),
        ("--model", "openai:mine", *local, "--budget", "5"),
        ("--model", "openai:mine", *local, "--max-cost-per-unit", "5"),
        ("--model", "anthropic:claude-opus-4-5", *local, "--effort", "max"),
    ]
    cases: list[list[Any]] = [
        ["run", "study"],
        ["run", "study", "--shop", box / "shop"],
        *(["run", *new(box, variants)] for variants in ("reakt", "")),
        *(["run", *new(box), *words] for words in wrong),
        *(["status", "study"], ["study", "trace", "study"], ["export", "study", "--out", "x"]),
    ]
    for words in cases:
        code, out, err = drr(*words)
        assert (code, out) == (2, ""), (words, err)
        assert len(err.strip().splitlines()) == 1 and err.startswith("drr"), err


def test_an_unpriced_model_with_a_token_budget_or_a_price_is_accepted(box: Path, drr: Drr) -> None:
    Path("prices.toml").write_text('date = "2027-01-01"\n[models."openai:mine"]\ninput = 1\noutput = 1\n')
    with Wire(four_words) as wire:
        local = ("--model", "openai:mine", "--limit", 1, "--model-max-tokens", 50, "--base-url", f"{wire.url}/v1")  # fmt: skip
        assert drr("run", *new(box, "react"), *local, "--budget-tokens", 500_000)[0] == 0
        document = drr.json("status", "study")
        assert document["cost_usd"] is document["budget"]["spent_usd"] is None
        assert document["budget"]["spent_tokens"] == document["spent_tokens"] > 0
        code, _, err = drr("run", "study", "--budget", 5, "--price-file", "prices.toml", *local)
        assert code == 0, err


def test_what_fails_everywhere_ends_with_exit_1_at_once(box: Path, drr: Drr) -> None:
    with Wire(lambda request: Fail(401, "authentication_error", "invalid key")) as wire:
        code, _, err = drr("run", *new(box, "all"), "--trials", 5, *by_model(wire))
        assert code == 1 and "bad_key" in err.splitlines()[-1]
        assert len(wire.requests) <= 8
    document = drr.json("status", "study")
    assert (document["stopped"], document["units"]["done"]) == ("bad_key", 0)


@pytest.mark.long
def test_a_budget_stops_with_exit_1_and_a_larger_one_finishes(box: Path, drr: Drr) -> None:
    def script(request: Request) -> Say:
        return looked(request, "A report of 4 words.", usage={"input_tokens": 1_000, "output_tokens": 100})

    with Wire(script) as wire:
        model = by_model(wire, "--model-max-tokens", 200, "--units", 1)
        code, _, err = drr("run", *new(box, "react"), *model, "--trials", 20, "--budget", 0.2)
        assert code == 1 and "budget of $0.20" in err
        document = drr.json("status", "study")
        assert (document["stopped"], document["budget"]["usd"]) == ("budget", 0.2)
        assert 0 < document["cost_usd"] <= 0.2
        assert document["units"]["failed"] == 0
        again = ("run", "study", "--base-url", wire.url)
        assert drr(*again)[0] == 1, "without a larger budget the old one still holds"
        assert drr(*again, "--budget-tokens", 1_000_000)[0] == 1, (
            "a token budget does not lift that in dollars"
        )
        code, _, err = drr(*again, "--budget", 5)
        assert code == 0, err
    assert counts(drr) == (40, 40)


def test_a_password_in_the_address_is_not_kept(box: Path, drr: Drr, tmp_path: Path) -> None:
    def script(request: Request) -> Fail:
        return Fail(500, "api_error", f"no route for {request.path} of me:hunter2-hunter2")

    with Wire(script) as wire:
        address = wire.url.replace("//", "//me:hunter2-hunter2@")
        words = ("--model", SONNET, "--base-url", address, "--limit", 1, "--model-deadline", "0.5")
        assert drr("run", *new(box, "react"), *words)[0] == 1
        assert wire.requests
    assert wire.url in (tmp_path / "study" / "study.toml").read_text()
    for path in (tmp_path / "study").rglob("*"):
        assert not path.is_file() or b"hunter2" not in path.read_bytes(), path


def test_what_a_model_writes_breaks_nothing_and_does_not_steer_the_terminal(box: Path, drr: Drr) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J# A report\n\nwith \ud83d half a character [1]\n"
    with Wire(lambda request: looked(request, hostile)) as wire:
        assert drr("run", *new(box, "react"), *by_model(wire))[0] == 0
    assert drr("export", "study", "--out", "tables")[0] == 0
    assert "with \ufffd half" in traced(drr)["report"]
    code, out, _ = drr("study", "trace", "study", "q-birds/react/0", "--full")
    assert code == 0 and "owned" in out
    assert "\x1b" not in out and "\x07" not in out


@pytest.mark.long
@pytest.mark.parametrize("variant", ["react", "hybrid-react+ws"])
def test_what_a_unit_gathered_before_its_model_failed_is_recorded(box: Path, drr: Drr, variant: str) -> None:
    def script(request: Request) -> Say:
        names = [tool["name"] for tool in request.body.get("tools", ())]
        if "launch_researcher" in names:
            return Say(calls=[("launch_researcher", {"sub_problem": "which seed?"})])
        if not names or len(request.body["messages"]) > 1:
            return Say("I would rather not.", stop_reason="refusal")
        return Say(calls=[("product_catalog_search", {"query": "seed"})])

    with Wire(script) as wire:
        assert drr("run", *new(box, variant), *by_model(wire, "--limit", 1))[0] == 1
    assert drr("export", "study", "--out", "tables")[0] == 0
    (unit,) = rows("units")
    assert (unit["status"], unit["reason"], unit["report"]) == ("failed", "refusal", None)
    assert "product_catalog_search" in [call["name"] for call in rows("tool_calls")]
    assert {source["type"] for source in rows("sources")} == {"product"}
    out = drr("study", "trace", "study", unit["key"][:10], "--full")[1]
    assert "product_catalog_search(" in out and "--- conversation" in out
    assert drr("status", "study")[0] == 0
    with Wire(four_words) as wire:
        address = ("--base-url", wire.url)
        code, _, err = drr("run", *new(box, variant), *by_model(wire, "--limit", 1))
        assert code == 1, "a study with failed units has not succeeded, whenever they failed"
        left = []
        for more in ((), ("--retry-failed",), ("--retry-failed", "--limit", 1)):
            told = drr("run", "study", *address, "--dry-run", "--json", *more)[1]
            left.append(json.loads(told)["left"])
        assert left == [0, 1, 1]
        assert "1 failed before (refusal 1; --retry-failed" in err
        assert drr("run", "study", *address, "--retry-failed", "--quiet")[0] == 0


def test_a_dry_run_counts_what_a_run_computes(box: Path, drr: Drr) -> None:
    """Answers that are kept aside come back when their configuration does, and are not computed again."""
    for pages in (4, 3):
        assert drr("run", *new(box, "react"), "--web-top-k", pages, "--quiet")[0] == 0
    found = json.loads(drr("run", "study", "--web-top-k", 4, "--dry-run", "--json")[1])
    _, _, err = drr("run", "study", "--web-top-k", 4)
    assert "0 done now" in err and (found["left"], found["done"], found["calls"]) == (0, found["units"], 0)


@pytest.mark.long
def test_naming_variants_queries_and_trials_adds_and_never_shrinks_a_study(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    assert drr("run", *new(box, "react,plan-to-function"), "--trials", 2, "--quiet")[0] == 0
    assert counts(drr) == (8, 8)
    code, _, err = drr("run", "study", "--variants", "react", "--quiet")
    assert code == 0 and "4 more answers (plan-to-function; 2 questions), which still count" in err
    assert counts(drr) == (8, 8)
    assert drr("run", "study", "--trials", 1, "--quiet")[0] == 0
    assert counts(drr) == (8, 8)
    one = tmp_path / "one.jsonl"
    one.write_text(json.dumps({"id": "q-new", "query": "Is suet safe?", "user_id": ANNA}) + "\n")
    assert drr("run", "study", "--queries", one, "--only", "--variants", "react", "--quiet")[0] == 0
    assert counts(drr) == (10, 10), "what nobody named is not pending"
    assert drr("run", "study", "--quiet")[0] == 0
    assert counts(drr) == (12, 12)
    one.write_text(json.dumps({"id": "q-new", "query": "Is seed safe?", "user_id": ANNA}) + "\n")
    code, _, err = drr("run", "study", "--queries", one)
    assert code == 2 and "q-new is another question" in err
    assert drr("run", "study", "--only")[0] == 2


def test_an_edit_says_what_no_longer_counts_and_running_brings_it_back(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    assert drr("run", *new(box, "react,plan-to-function"), "--quiet")[0] == 0
    edit = ("study", "edit", "study", "--variants", "react")
    code, out, err = drr(*edit)
    assert (code, out) == (2, "")
    assert "2 answers (plan-to-function 2), 2 of them finished" in err and "--yes" in err
    assert counts(drr) == (4, 4)
    assert drr(*edit, "--yes")[0] == 0
    assert counts(drr) == (2, 2)
    code, _, err = drr("run", "study")
    assert "0 done now; nothing left" in err
    assert counts(drr) == (2, 2)
    (tmp_path / "birds.jsonl").write_text((box / "queries.jsonl").read_text().splitlines()[0] + "\n")
    assert drr("study", "edit", "study", "--queries", tmp_path / "birds.jsonl", "--yes")[0] == 0
    assert counts(drr) == (1, 1)
    for words in (["--variants", "hybrid-react"], [], ["--queries", box / "queries.jsonl"]):
        assert drr("study", "edit", "study", *words, "--yes")[0] == 2, words
    code, _, err = drr("run", "study", "--variants", "plan-to-function", "--queries", box / "queries.jsonl")
    assert code == 0 and "0 done now" in err
    assert counts(drr) == (4, 4)


MADE_UP = "A report [1].\n\n## Sources\n\n[1] Nowhere: https://nowhere.example/page\n"


def test_addresses_that_no_tool_returned_are_counted_or_taken_out(box: Path, drr: Drr) -> None:
    with Wire(lambda request: looked(request, MADE_UP)) as wire:
        assert drr("run", *new(box, "react"), *by_model(wire, "--quiet"))[0] == 0
        asked = by_model(wire, "--citation-repair", "ask", "--quiet")
        assert drr("run", *new(box, "react", "asked"), *asked)[0] == 0
    assert drr.json("status", "study")["fabricated"] == {"addresses": 2, "answers": 2}
    assert "fabricated: 2 cited addresses that no tool returned, in 2 answers" in drr("status", "study")[1]
    assert "fabricated: 1 cited address that" in drr("study", "trace", "study", "q-birds/react/0")[1]
    document = traced(drr, "asked")
    assert "nowhere.example" not in document["report"], "also where a model puts it back after it was asked"
    assert "nowhere.example" in document["result"]["fabricated"][0]["url"]
    assert any("taken out" in note for note in document["result"]["notes"])


def test_a_failure_is_told_with_its_cause_and_a_token_budget_by_its_own_option(box: Path, drr: Drr) -> None:
    with Wire(lambda request: Fail(400, "invalid_request_error", "the pigeon ate it")) as wire:
        code, _, err = drr("run", *new(box, "react"), *by_model(wire))
    assert code == 1
    for said in ("bad_request: ", "the pigeon ate it", "0 done, 2 failed"):
        assert said in err
    with Wire(four_words) as wire:
        code, _, err = drr("run", *new(box, "react", "study-2"), *by_model(wire, "--budget-tokens", 100))
    assert code == 1
    assert "--budget-tokens MORE continues" in err and "--budget MORE" not in err
    agent = Path("mine.py").resolve()
    agent.write_text("async def mine(query, tools, model, budget):\n    raise KeyError('a \\x1b[2Jbug')\n")
    code, _, err = drr("run", *new(box, f"{agent}:mine", "study-3"), "--quiet")
    assert code == 1 and "KeyError" in err and "\x1b" not in err
    bug = ("study", "trace", "study-3", "q-birds/mine.py:mine/0")
    assert "Traceback" not in drr(*bug)[1]
    assert "Traceback" in drr(*bug, "--full")[1], "only when it is asked for"


def test_effort_is_in_the_key_of_every_answer_and_told_to_its_model(box: Path, drr: Drr) -> None:
    keys, styles = {}, {}
    with Wire(four_words) as wire:
        for effort in ("low", "high", None):
            more = () if effort is None else ("--effort", effort)
            words = [*new(box, "react", f"study-{effort}"), *by_model(wire, *more)]
            assert drr("run", *words, "--limit", 1, "--quiet")[0] == 0
            told = traced(drr, f"study-{effort}")
            keys[effort], styles[effort] = told["key"], told["key_fields"].get("styles")
    assert len(set(keys.values())) == 3
    assert styles == {"low": {"agent": ["low", None]}, "high": {"agent": ["high", None]}, None: None}
    sent = [(request.body.get("output_config") or {}).get("effort") for request in wire.requests]
    assert sent == ["low"] * 3 + ["high"] * 3 + [None] * 3


@pytest.mark.long
def test_a_study_older_than_the_setting_keeps_the_tool_for_thoughts_and_its_units(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    thinker = "anthropic:claude-opus-5-5"  # its thinking cannot be turned off
    with Wire(four_words) as wire:
        words = [*new(box, "react"), "--model", thinker, "--base-url", wire.url, "--quiet"]
        assert drr("run", *words, "--reason", "on")[0] == 0
        before = len(wire.requests)
        config = tmp_path / "study" / "study.toml"
        text = config.read_text()
        assert 'reason = "on"\n' in text
        rewrite(config, text.replace('reason = "on"\n', ""))
        code, _, err = drr("run", "study", "--base-url", wire.url)
        assert (code, len(wire.requests)) == (0, before), err
        assert drr("run", "other", *words[1:])[0] == 0
        names = [[tool["name"] for tool in request.body.get("tools", ())] for request in wire.requests]
    assert all("reason" in bound for bound in names[:before])
    assert not any("reason" in bound for bound in names[before:]) and len(names) > before


@pytest.mark.long
def test_more_room_for_what_failed_computes_only_that(
    box: Path, drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers under $30 are cut at any limit below 1,000; the study's own limit stays, and so does what is finished."""

    def script(request: Request) -> Say:
        cut = "under $30" in json.dumps(request.body["messages"]) and request.body["max_tokens"] < 1_000
        return Say("A", stop_reason="max_tokens") if cut else four_words(request)

    with Wire(script) as wire:
        address = ("--base-url", wire.url)
        made = by_model(wire, "--model-max-tokens", 200)
        monkeypatch.setenv("DRR_RETRY_MAX_TOKENS", "300")
        code, _, err = drr("run", *new(box, "react"), *made)
        assert code == 1 and "1 failed (truncated 1)" in err
        assert "`drr run study --retry-failed --model-max-tokens MORE` computes only what failed" in err
        before = len(wire.requests)
        code, _, err = drr("run", "study", *address, "--retry-failed", "--model-max-tokens", 1_000)
        assert (code, len(wire.requests)) == (0, before + 3), (
            "two turns and the report of the one that failed"
        )
        assert "1 done now; nothing left" in err and "set aside" not in err
        code, _, err = drr("run", "study", *address)
        assert code == 0 and "computed anew" not in err
        err = drr("run", "study", *address, "--model-max-tokens", 1_000, "--dry-run")[2]
        assert "under 1000 all are computed anew (--retry-failed gives more room to what failed" in err
        assert len(wire.requests) == before + 3
    assert "model_max_tokens = 200" in (tmp_path / "study" / "study.toml").read_text()
    with Study.open(tmp_path / "study") as study:
        limits = {record.spec["query"][-5:]: record.result["max_tokens"] for record in study.records()}
    assert sorted(limits.values()) == [200, 1_000]


@pytest.mark.long
def test_answers_that_were_broken_off_are_counted_and_can_be_left_out(box: Path, drr: Drr) -> None:
    def script(request: Request) -> Say:
        told = json.dumps(request.body["messages"])
        if request.body.get("tools") and "under $30" in told and "tool_result" in told:
            return Say("I cannot", stop_reason="refusal")
        return looked(request, "# A report\n\nOf 4 words.")

    with Wire(script) as wire:
        assert drr("run", *new(box, "react"), *by_model(wire))[0] == 0
    whole = drr.json("report", "study")["coverage"]
    assert (whole["answers"], whole["variants"]["react"]["broken_off"]) == (2, {"refused": 1})
    complete = json.loads(drr("report", "study", "--json", "--complete-only")[1])["coverage"]
    assert (complete["answers"], complete["variants"]["react"]["broken_off"]) == (1, {})
    assert drr("report", "study", "--out", "report", "--complete-only")[0] == 0
    assert "broken off: refused" in Path("report/index.html").read_text()
