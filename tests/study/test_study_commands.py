"""`drr run`, `status`, `trace`, `export`: from a shop and a file of questions to tables, by rules and over the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.study.study import Study

from tests.agents.garden import ANNA, BEN, QUESTION, write_box
from tests.commands import Drr
from tests.wire import Fail, Request, Say, Wire, looked

SONNET = "anthropic:claude-sonnet-5-5"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(
        tmp_path_factory.mktemp("box"),
        {"id": "q-birds", "query": QUESTION, "user_id": ANNA},
        {"query": "Which feeder is best under $30?", "user_id": BEN},
    )


@pytest.fixture
def drr(drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drr:
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DRR_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return drr


def new(box: Path, variants: str = "react,plan-to-function+ws") -> list[object]:
    return [
        "study",
        *("--shop", box / "shop"),
        *("--queries", box / "queries.jsonl"),
        *("--variants", variants),
        *("--sandbox", box / "sandbox"),
    ]


def test_a_study_is_run_continued_looked_into_and_exported(box: Path, drr: Drr, tmp_path: Path) -> None:
    code, out, err = drr("run", *new(box), "--limit", 1)
    assert (code, out) == (0, "")
    assert "1 done now; 3 left" in err
    code, out, _ = drr("status", "study", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["units"] == {"total": 4, "done": 1, "failed": 0, "pending": 3, "running": 0}
    assert document["stopped"] == "limit"
    assert set(document["by_kind"]) == {"answer", "generation", "judgement"}

    code, out, err = drr("run", "study", "--json")
    assert code == 0
    assert json.loads(out)["units"] == {"total": 4, "done": 4, "failed": 0, "pending": 0, "running": 0}
    assert "3 done now; nothing left" in err
    code, _, err = drr("run", "study")
    assert code == 0
    assert "0 done now" in err

    code, out, _ = drr("status", "study")
    assert code == 0
    assert "4 done" in out
    code, out, _ = drr("study", "trace", "study")
    assert len(out.splitlines()) == 4
    assert "q-birds/react/0" in out
    code, out, _ = drr("study", "trace", "study", "q-birds/react/0")
    assert code == 0
    assert "written by rules, not by an LLM" in out
    assert "product_catalog_search(" in out
    assert "--- report ---" in out
    _, out, _ = drr("study", "trace", "study", "q-birds/react/0", "--full")
    assert "--- conversation" in out
    _, out, _ = drr("study", "trace", "study", "q-birds/react/0", "--json")
    trace = json.loads(out)
    assert trace["result"]["rule_written"] is True
    assert trace["transcript"]
    code, out, _ = drr("study", "trace", "study", trace["key"][:10])
    assert code == 0

    code, out, _ = drr("export", "study", "--out", "tables", "--json")
    rows = json.loads(out)["rows"]
    assert rows["units"] == 4
    assert rows["tool_calls"] > 4
    assert rows["sources"] > 4
    units = [json.loads(line) for line in (tmp_path / "tables" / "units.jsonl").read_text().splitlines()]
    assert {unit["variant"] for unit in units} == {"react", "plan-to-function+ws"}
    assert all(unit["rule_written"] and unit["report"] and unit["stop_reason"] for unit in units)
    assert {unit["query_id"] for unit in units} >= {"q-birds"}


@pytest.mark.long
def test_several_workers_leave_the_tables_of_one(box: Path, drr: Drr, tmp_path: Path) -> None:
    tables = {}
    for workers in (1, 2):
        words = [f"study-{workers}", *new(box, "react")[1:]]
        code, _, err = drr("run", *words, "--workers", workers, "--quiet")
        assert code == 0, err
        assert "2 done now; nothing left" in err
        code, _, err = drr("judge", f"study-{workers}", "--workers", workers, "--quiet")
        assert code == 0, err
        drr("export", f"study-{workers}", "--out", f"tables-{workers}", "--canonical")
        tables[workers] = {f.name: f.read_bytes() for f in (tmp_path / f"tables-{workers}").iterdir()}
    assert b"judgement" in tables[1]["units.jsonl"]
    assert tables[1] == tables[2]
    with Study.open(tmp_path / "study-2") as study:
        spenders = study.ledger.db.rows("SELECT worker FROM spending WHERE tokens > 0")
    assert len(spenders) > 2, "two for the answers, others for the judgements"


@pytest.mark.parametrize("command", ["run", "judge"])
def test_a_password_in_an_address_is_told_to_no_worker(box: Path, drr: Drr, command: str) -> None:
    assert drr("run", *new(box, "react"), "--quiet")[0] == 0
    address = "http://me:secret@127.0.0.1:9/v1"
    code, _, err = drr(command, "study", "--workers", 2, "--base-url", address, "--quiet")
    assert code == 2
    assert "password" in err
    assert "secret" not in err


def test_the_study_holds_its_own_configuration_and_questions(box: Path, drr: Drr, tmp_path: Path) -> None:
    import tomllib

    queries = tmp_path / "mine.jsonl"
    queries.write_text((box / "queries.jsonl").read_text())
    words = [queries if word == box / "queries.jsonl" else word for word in new(box, "react")]
    assert drr("run", *words, "--trials", 2, "--limits", "steps=3", "--limit", 1)[0] == 0
    queries.unlink()
    config = tomllib.loads((tmp_path / "study" / "study.toml").read_text())
    assert config["run"]["trials"] == 2
    assert config["run"]["limits"] == {"steps": 3}
    assert config["settings"]["model"] == "offline"
    assert not [name for name in config["settings"] if "key" in name or ("url" in name and "mongo" in name)]
    code, _, err = drr("run", "study")
    assert code == 0
    assert "3 done now; nothing left" in err


@pytest.mark.long
def test_other_limits_or_models_make_new_units_and_set_the_old_aside(box: Path, drr: Drr) -> None:
    assert drr("run", *new(box, "react"))[0] == 0
    code, _, err = drr("run", "study", "--limits", "steps=2")
    assert code == 0
    assert "2 units of an earlier configuration are kept aside" in err
    assert "2 done now" in err
    document = json.loads(drr("status", "study", "--json")[1])
    assert document["units"]["total"] == 2


@pytest.mark.long
def test_the_same_questions_give_the_same_bytes(box: Path, drr: Drr, tmp_path: Path) -> None:
    for name, units in (("one", 1), ("two", 8)):
        words = new(box, "all")
        words[0] = name
        assert drr("run", *words, "--units", units, "--quiet")[0] == 0
        assert drr("export", name, "--out", f"{name}-t", "--canonical")[0] == 0
    files = sorted((tmp_path / "one-t").iterdir())
    assert len(files) == 8
    for file in files:
        assert file.read_bytes() == (tmp_path / "two-t" / file.name).read_bytes(), file.name


def test_a_dry_run_says_what_it_would_take_and_calls_nothing(box: Path, drr: Drr, tmp_path: Path) -> None:
    with Wire([]) as wire:
        code, out, _ = drr(
            "run", *new(box, "all"), "--model", SONNET, "--base-url", wire.url, "--dry-run", "--json"
        )
        document = json.loads(out)
        assert (code, wire.requests) == (0, [])
    assert not (tmp_path / "study").exists()
    assert document["units"] == document["left"] == 12
    assert document["price_date"] == "2026-11-20"
    row = next(row for row in document["variants"] if row["variant"] == "react")
    assert row["input_tokens"] == 2 * 198_900
    assert row["cost_usd"] == pytest.approx((2 * 198_900 * 2 + 2 * 2_900 * 10) / 1e6)
    code, out, _ = drr(
        "run", *new(box, "react"), "--model", "openai:mine", "--base-url", "http://127.0.0.1:9", "--dry-run"
    )
    assert code == 0
    assert "unknown" in out
    assert "prices: none known for openai:mine" in out


def test_misuse_is_told_in_one_line_with_exit_2(box: Path, drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "stranger.jsonl").write_text('{"query": "anything?", "user_id": "NOBODY"}\n')
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "reactt.md").write_text("misspelt")
    local = ("--base-url", "http://127.0.0.1:9")
    cases: list[list[Any]] = [
        ["run", "study"],
        ["run", "study", "--shop", box / "shop"],
        ["run", *new(box, "reakt")],
        ["run", *new(box, "")],
        ["run", *new(box), "--queries", tmp_path / "empty.jsonl"],
        ["run", *new(box), "--queries", tmp_path / "nowhere.jsonl"],
        ["run", *new(box), "--queries", tmp_path / "stranger.jsonl"],
        ["run", *new(box), "--prompts", tmp_path / "prompts"],
        ["run", *new(box), "--limits", "stepz=3"],
        ["run", *new(box), "--limits", "steps=many"],
        ["run", *new(box), "--budget", "-1"],
        ["run", *new(box), "--trials", "0"],
        ["run", *new(box), "--model", "gpt"],
        ["run", *new(box), "--model", SONNET],
        ["run", *new(box), "--model", "openai:mine", *local, "--budget", "5"],
        ["run", *new(box), "--model", "openai:mine", *local, "--max-cost-per-unit", "5"],
        ["run", *new(box), "--prompts", tmp_path / "nowhere"],
        ["run", *new(box), "--effort", "much"],
        ["run", *new(box), "--thinking", "always"],
        ["run", *new(box), "--thinking", "9000"],
        ["run", *new(box), "--model", "anthropic:claude-opus-4-5", *local, "--effort", "max"],
        ["status", "study"],
        ["study", "trace", "study"],
        ["export", "study", "--out", "x"],
    ]
    for words in cases:
        code, out, err = drr(*words)
        assert code == 2, (words, err)
        assert out == ""
        assert len(err.strip().splitlines()) == 1, err
        assert err.startswith("drr")


def test_an_unpriced_model_with_a_token_budget_or_a_price_is_accepted(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    (tmp_path / "prices.toml").write_text(
        'date = "2027-01-01"\n[models."openai:mine"]\ninput = 1\noutput = 1\n'
    )
    local = ("--model", "openai:mine", "--limit", 1, "--model-max-tokens", 50)
    with Wire(lambda request: looked(request, "A report of 4 words.")) as wire:
        url = ("--base-url", f"{wire.url}/v1")
        assert drr("run", *new(box, "react"), *local, *url, "--budget-tokens", 500_000)[0] == 0
        document = json.loads(drr("status", "study", "--json")[1])
        assert document["cost_usd"] is document["budget"]["spent_usd"] is None
        assert document["budget"]["spent_tokens"] == document["spent_tokens"] > 0
        code, _, err = drr(
            "run", "study", "--budget", 5, "--price-file", tmp_path / "prices.toml", *local, *url
        )
        assert code == 0, err


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        (Fail(401, "authentication_error", "invalid key"), "bad_key"),
        (Fail(404, "not_found_error", "model: nope"), "unknown_model"),
        (Fail(400, "invalid_request_error", "Your credit balance is too low"), "no_credit"),
    ],
)
def test_what_fails_everywhere_ends_with_exit_1_at_once(box: Path, drr: Drr, fault: Fail, word: str) -> None:
    with Wire(lambda request: fault) as wire:
        code, _, err = drr("run", *new(box, "all"), "--trials", 5, "--model", SONNET, "--base-url", wire.url)
        assert code == 1
        assert word in err.splitlines()[-1]
        assert len(wire.requests) <= 8
    document = json.loads(drr("status", "study", "--json")[1])
    assert document["stopped"] == word
    assert document["units"]["done"] == 0


@pytest.mark.long
def test_a_budget_stops_with_exit_1_and_a_larger_one_finishes(box: Path, drr: Drr) -> None:
    def script(request: Request) -> Say:
        return looked(request, "A report of 4 words.", usage={"input_tokens": 1_000, "output_tokens": 100})

    with Wire(script) as wire:
        model = ("--model", SONNET, "--base-url", wire.url, "--model-max-tokens", 200, "--units", 1)
        code, _, err = drr("run", *new(box, "react"), *model, "--trials", 20, "--budget", 0.2)
        assert code == 1
        assert "budget of $0.20" in err
        document = json.loads(drr("status", "study", "--json")[1])
        assert document["stopped"] == "budget"
        assert 0 < document["cost_usd"] <= 0.2
        assert document["budget"]["usd"] == 0.2
        assert document["units"]["failed"] == 0
        code, _, err = drr("run", "study", "--base-url", wire.url)
        assert code == 1, "without a larger budget the old one still holds"
        code, _, err = drr("run", "study", "--base-url", wire.url, "--budget-tokens", 1_000_000)
        assert code == 1, "a token budget does not lift the one in dollars"
        code, _, err = drr("run", "study", "--base-url", wire.url, "--budget", 5)
        assert code == 0, err
    assert json.loads(drr("status", "study", "--json")[1])["units"]["done"] == 40


def test_a_password_in_the_address_is_not_kept(box: Path, drr: Drr, tmp_path: Path) -> None:
    with Wire(
        lambda request: Fail(500, "api_error", f"no route for {request.path} of me:hunter2-hunter2")
    ) as wire:
        address = wire.url.replace("//", "//me:hunter2-hunter2@")
        words = ("--model", SONNET, "--base-url", address, "--limit", 1, "--model-deadline", "0.5")
        assert drr("run", *new(box, "react"), *words)[0] == 1
        assert wire.requests
    assert wire.url in (tmp_path / "study" / "study.toml").read_text()
    for path in (tmp_path / "study").rglob("*"):
        assert not path.is_file() or b"hunter2" not in path.read_bytes(), path


def test_half_a_character_of_a_model_breaks_nothing(box: Path, drr: Drr) -> None:
    with Wire(lambda request: looked(request, "# A report\n\nwith \ud83d half a character [1]\n")) as wire:
        assert drr("run", *new(box, "react"), "--model", SONNET, "--base-url", wire.url)[0] == 0
    assert drr("export", "study", "--out", "tables")[0] == 0
    code, out, _ = drr("study", "trace", "study", "q-birds/react/0", "--json")
    assert code == 0
    assert "with \ufffd half" in json.loads(out)["report"]
    assert drr("study", "trace", "study", "q-birds/react/0", "--full")[0] == 0


def test_hostile_text_does_not_steer_the_terminal(box: Path, drr: Drr) -> None:
    with Wire(lambda request: looked(request, "\x1b]0;owned\x07\x1b[2Jreport [1]\n")) as wire:
        assert drr("run", *new(box, "react"), "--model", SONNET, "--base-url", wire.url, "--limit", 1)[0] == 0
    _, out, _ = drr("study", "trace", "study", "q-birds/react/0", "--full")
    assert "owned" in out
    assert "\x1b" not in out
    assert "\x07" not in out


@pytest.mark.long
@pytest.mark.parametrize("variant", ["react", "hybrid-react+ws"])
def test_what_a_unit_gathered_before_its_model_failed_is_recorded(
    box: Path, drr: Drr, tmp_path: Path, variant: str
) -> None:
    def script(request: Request) -> Say:
        names = [tool["name"] for tool in request.body.get("tools", ())]
        if "launch_researcher" in names:
            return Say(calls=[("launch_researcher", {"sub_problem": "which seed?"})])
        if not names or len(request.body["messages"]) > 1:
            return Say("I would rather not.", stop_reason="refusal")
        return Say(calls=[("product_catalog_search", {"query": "seed"})])

    with Wire(script) as wire:
        words = ("--model", SONNET, "--base-url", wire.url, "--limit", 1)
        assert drr("run", *new(box, variant), *words)[0] == 1
    assert drr("export", "study", "--out", "tables")[0] == 0
    rows = {
        name: [json.loads(line) for line in (tmp_path / "tables" / f"{name}.jsonl").read_text().splitlines()]
        for name in ("units", "tool_calls", "sources")
    }
    (unit,) = rows["units"]
    assert (unit["status"], unit["reason"], unit["report"]) == ("failed", "refusal", None)
    assert "product_catalog_search" in [call["name"] for call in rows["tool_calls"]]
    assert {source["type"] for source in rows["sources"]} == {"product"}
    _, out, _ = drr("study", "trace", "study", unit["key"][:10], "--full")
    assert "product_catalog_search(" in out
    assert "--- conversation" in out
    assert drr("status", "study")[0] == 0
    with Wire(lambda request: looked(request, "A report of 4 words.")) as wire:
        address = ("--base-url", wire.url)
        again = [*new(box, variant), "--model", SONNET, *address, "--limit", 1]
        code, _, err = drr("run", *again)
        assert code == 1, "a study with failed units has not succeeded, whenever they failed"
        left = {}
        for more in ((), ("--retry-failed",), ("--retry-failed", "--limit", 1)):
            told = drr("run", "study", *address, "--dry-run", "--json", *more)[1]
            left[more] = json.loads(told)["left"]
        assert list(left.values()) == [0, 1, 1], left
        assert "1 failed before (refusal 1; --retry-failed" in err
        assert drr("run", "study", *address, "--retry-failed", "--quiet")[0] == 0


@pytest.mark.long
def test_the_names_that_a_provider_gives_to_calls_change_no_byte(box: Path, drr: Drr, tmp_path: Path) -> None:
    def script(request: Request) -> Say:
        if len(request.body["messages"]) > 1:
            return Say("A report of 4 words.")
        return Say(calls=[("calculator", {"expression": "1+1"}), ("calculator", {"expression": "2+2"})])

    with Wire(script) as wire:
        for name, units in (("one", 1), ("two", 8)):
            words = new(box, "react")
            words[0] = name
            model = ("--model", SONNET, "--base-url", wire.url, "--units", units, "--trials", 3)
            assert drr("run", *words, *model, "--quiet")[0] == 0
            assert drr("export", name, "--out", f"{name}-t", "--canonical")[0] == 0
    for file in sorted((tmp_path / "one-t").iterdir()):
        assert file.read_bytes() == (tmp_path / "two-t" / file.name).read_bytes(), file.name


def _totals(drr: Drr) -> tuple[int, int]:
    counts = json.loads(drr("status", "study", "--json")[1])["units"]
    return counts["total"], counts["done"]


@pytest.mark.long
def test_naming_variants_queries_and_trials_adds_and_never_shrinks_a_study(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    assert drr("run", *new(box, "react,plan-to-function"), "--trials", 2, "--quiet")[0] == 0
    assert _totals(drr) == (8, 8)
    code, _, err = drr("run", "study", "--variants", "react", "--quiet")
    assert code == 0
    assert "4 more answers (plan-to-function; 2 queries), which still count" in err
    assert _totals(drr) == (8, 8)
    assert drr("run", "study", "--trials", 1, "--quiet")[0] == 0
    assert _totals(drr) == (8, 8)
    one = tmp_path / "one.jsonl"
    one.write_text(json.dumps({"id": "q-new", "query": "Is suet safe?", "user_id": ANNA}) + "\n")
    assert drr("run", "study", "--queries", one, "--only", "--variants", "react", "--quiet")[0] == 0
    assert _totals(drr) == (10, 10), "what nobody named is not pending"
    assert drr("run", "study", "--quiet")[0] == 0
    assert _totals(drr) == (12, 12)
    one.write_text(json.dumps({"id": "q-new", "query": "Is seed safe?", "user_id": ANNA}) + "\n")
    code, _, err = drr("run", "study", "--queries", one)
    assert code == 2
    assert "q-new is another question" in err
    assert drr("run", "study", "--only")[0] == 2


def test_an_edit_says_what_no_longer_counts_and_running_brings_it_back(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    assert drr("run", *new(box, "react,plan-to-function"), "--quiet")[0] == 0
    edit = ("study", "edit", "study", "--variants", "react")
    code, out, err = drr(*edit)
    assert (code, out) == (2, "")
    assert "2 answers (plan-to-function 2), 2 of them finished" in err
    assert "--yes" in err
    assert _totals(drr) == (4, 4)
    assert drr(*edit, "--yes")[0] == 0
    assert _totals(drr) == (2, 2)
    code, _, err = drr("run", "study")
    assert "0 done now; nothing left" in err
    assert _totals(drr) == (2, 2)
    (tmp_path / "birds.jsonl").write_text((box / "queries.jsonl").read_text().splitlines()[0] + "\n")
    assert drr("study", "edit", "study", "--queries", tmp_path / "birds.jsonl", "--yes")[0] == 0
    assert _totals(drr) == (1, 1)
    for words in (["--variants", "hybrid-react"], [], ["--queries", box / "queries.jsonl"]):
        assert drr("study", "edit", "study", *words, "--yes")[0] == 2, words
    code, _, err = drr("run", "study", "--variants", "plan-to-function", "--queries", box / "queries.jsonl")
    assert code == 0
    assert "0 done now" in err
    assert _totals(drr) == (4, 4)


MADE_UP = "A report [1].\n\n## Sources\n\n[1] Nowhere: https://nowhere.example/page\n"


def test_status_and_trace_count_addresses_that_no_tool_returned(box: Path, drr: Drr) -> None:
    with Wire(lambda request: looked(request, MADE_UP)) as wire:
        assert drr("run", *new(box, "react"), "--model", SONNET, "--base-url", wire.url, "--quiet")[0] == 0
    assert json.loads(drr("status", "study", "--json")[1])["fabricated"] == {"addresses": 2, "answers": 2}
    assert "fabricated: 2 cited addresses that no tool returned, in 2 answers" in drr("status", "study")[1]
    assert "fabricated: 1 cited address that" in drr("study", "trace", "study", "q-birds/react/0")[1]


def test_what_a_model_puts_back_after_it_was_asked_is_taken_out(box: Path, drr: Drr) -> None:
    with Wire(lambda request: looked(request, MADE_UP)) as wire:
        words = ("--model", SONNET, "--base-url", wire.url, "--citation-repair", "ask", "--quiet")
        assert drr("run", *new(box, "react"), *words)[0] == 0
    document = json.loads(drr("study", "trace", "study", "q-birds/react/0", "--json")[1])
    assert "nowhere.example" not in document["report"]
    assert "nowhere.example" in document["result"]["fabricated"][0]["url"]
    assert any("taken out" in note for note in document["result"]["notes"])


def test_a_failure_is_told_with_its_cause_and_a_token_budget_by_its_own_option(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    with Wire(lambda request: Fail(400, "invalid_request_error", "the pigeon ate it")) as wire:
        code, _, err = drr("run", *new(box, "react"), "--model", SONNET, "--base-url", wire.url)
        assert code == 1
        assert "bad_request: " in err
        assert "the pigeon ate it" in err
        assert "0 done, 2 failed" in err
    with Wire(lambda request: looked(request, "A report of 4 words.")) as wire:
        words = ["study-2", *new(box, "react")[1:]]
        more = ("--model", SONNET, "--base-url", wire.url, "--budget-tokens", 100)
        code, _, err = drr("run", *words, *more)
        assert code == 1
        assert "--budget-tokens MORE continues" in err
        assert "--budget MORE" not in err


def test_a_bug_of_an_agent_in_a_file_shows_its_trace_only_when_asked(
    box: Path, drr: Drr, tmp_path: Path
) -> None:
    agent = tmp_path / "mine.py"
    agent.write_text("async def mine(query, tools, model, budget):\n    raise KeyError('a \\x1b[2Jbug')\n")
    code, _, err = drr("run", *new(box, f"{agent}:mine"), "--quiet")
    assert code == 1
    assert "KeyError" in err
    assert "\x1b" not in err
    label = "q-birds/mine.py:mine/0"
    assert "Traceback" not in drr("study", "trace", "study", label)[1]
    assert "Traceback" in drr("study", "trace", "study", label, "--full")[1]


def test_a_forecast_of_judging_needs_no_key(box: Path, drr: Drr) -> None:
    assert drr("run", *new(box, "react"), "--quiet")[0] == 0
    code, out, err = drr("judge", "study", "--judge", SONNET, "--dry-run", "--json")
    assert code == 0, err
    assert json.loads(out)["cost_usd"] is not None


def test_effort_is_in_the_key_of_every_answer_and_told_to_its_model(box: Path, drr: Drr) -> None:
    keys, styles = {}, {}
    with Wire(lambda request: looked(request, "A report of 4 words.")) as wire:
        for effort in ("low", "high", None):
            words = [f"study-{effort}", *new(box, "react")[1:], "--model", SONNET, "--base-url", wire.url]
            more = () if effort is None else ("--effort", effort)
            assert drr("run", *words, *more, "--limit", 1, "--quiet")[0] == 0
            told = json.loads(drr("study", "trace", f"study-{effort}", "q-birds/react/0", "--json")[1])
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
    with Wire(lambda request: looked(request, "A report of 4 words.")) as wire:
        words = [*new(box, "react"), "--model", thinker, "--base-url", wire.url, "--quiet"]
        assert drr("run", *words, "--reason", "on")[0] == 0
        before = len(wire.requests)
        config = tmp_path / "study" / "study.toml"
        text = config.read_text()
        assert 'reason = "on"\n' in text
        config.write_text(text.replace('reason = "on"\n', ""))
        code, _, err = drr("run", "study", "--base-url", wire.url)
        assert (code, len(wire.requests)) == (0, before), err
        assert drr("run", "other", *words[1:])[0] == 0
        names = [[tool["name"] for tool in request.body.get("tools", ())] for request in wire.requests]
    assert all("reason" in bound for bound in names[:before])
    assert not any("reason" in bound for bound in names[before:]) and len(names) > before


@pytest.mark.long
def test_more_room_for_what_failed_computes_only_that(box: Path, drr: Drr, tmp_path: Path) -> None:
    """Answers under $30 are cut at any limit below 1,000; the study's own limit stays, and so does what is finished."""

    def script(request: Request) -> Say:
        cut = "under $30" in json.dumps(request.body["messages"]) and request.body["max_tokens"] < 1_000
        return Say("A", stop_reason="max_tokens") if cut else looked(request, "A report of 4 words.")

    with Wire(script) as wire:
        address = ("--base-url", wire.url)
        made = ("--model", SONNET, *address, "--model-max-tokens", 200, "--retry-max-tokens", 300)
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
        assert drr("run", *new(box, "react"), "--model", SONNET, "--base-url", wire.url)[0] == 0
    whole = json.loads(drr("report", "study", "--json")[1])["coverage"]
    assert (whole["answers"], whole["variants"]["react"]["broken_off"]) == (2, {"refused": 1})
    complete = json.loads(drr("report", "study", "--json", "--complete-only")[1])["coverage"]
    assert (complete["answers"], complete["variants"]["react"]["broken_off"]) == (1, {})
    assert drr("report", "study", "--out", "report", "--complete-only")[0] == 0
    assert "broken off: refused" in Path("report/tables/failures.md").read_text()
