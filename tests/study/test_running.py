"""The runner: what is computed again and what is not, who may work on what, how a run ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import DrrError, Misuse, ServerFailure, Terminated
from drr.llm.budget import Limit
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure
from drr.llm.models import ModelSettings
from drr.study.export import export
from drr.study.holders import is_dead, this_holder
from drr.study.run import Pace, run
from drr.study.spend import Account
from drr.study.status import UnitCounts, status
from drr.study.study import Study
from drr.study.unit import Outcome, UnitFailure, canonical_json
from drr.study.worker import Context
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from tests.study.plain import answer, assert_same_tables, offline, units
from tests.wire import Fail, FastClock, Request, Say, Wire

SONNET = "anthropic:claude-sonnet-5-5"


def counting() -> tuple[Counter[int], Any]:
    begun: Counter[int] = Counter()

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        begun[spec["n"]] += 1
        return await answer(spec, context)

    return begun, work


async def test_what_is_finished_is_kept_once_and_never_computed_again(study: Study) -> None:
    begun, work = counting()
    first = await run(study, units(20), work, models=offline(), limit=7, pace=Pace(units=4))
    assert (first.done, first.stopped, first.left, first.ok) == (7, "limit", 13, True)
    second = await run(study, units(20), work, models=offline(), limit=100)
    again = await run(study, units(25), work, models=offline())
    assert (second.done, second.stopped, again.done, again.left, again.ok) == (13, None, 5, 0, True)
    assert set(begun.values()) == {1}
    record = next(r for r in study.records() if r.spec["n"] == 2)
    assert (record.result["words"], record.cost_usd, record.attempts) == (2, 0.0, 1)
    assert study.text(record, "report") == "an answer to plan 2\nan answer to report 2\n"
    assert record.usage["agent"]["calls"] == 2
    assert record.finished_at >= record.started_at
    named = {name: digest for one in study.records() for name, digest in one.blobs.items()}
    texts = {digest for name, digest in named.items() if name.startswith("text:")}
    assert len(texts) == 1 + 7 + 3 * 25, "everybody's, seven pages, a product, its record, a tool's result"
    assert len(list(study.blobs)) == len(texts) + 25


async def test_the_key_is_what_decides_the_result(study: Study) -> None:
    one = units(1)[0]
    assert one.key == replace(one, spec={"n": 0, "path": "elsewhere"}, label="other").key
    assert one.key != units(1, model="another")[0].key
    assert one.key != replace(one, kind="judgement").key
    assert canonical_json({"b": 1, "a": [True, None, "é"]}) == '{"a":[true,null,"é"],"b":1}'
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json({"x": float("nan")})


async def test_another_configuration_makes_new_units_and_never_mixes(study: Study) -> None:
    await run(study, units(4), answer, models=offline())
    changed = units(4, prompt="another")
    assert study.retire("answer", changed) == 4
    await run(study, changed, answer, models=offline())
    assert {record.key for record in study.records()} == {unit.key for unit in changed}
    assert len(list(study.records(current=False))) == 8
    assert status(study).units.total == 4


# -- failures


def failing(kinds: Mapping[int, Exception]) -> tuple[Counter[int], Any]:
    begun, work = counting()

    async def fails(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] in kinds:
            begun[spec["n"]] += 1
            raise kinds[spec["n"]]
        outcome: Outcome = await work(spec, context)
        return outcome

    return begun, fails


async def test_failures_are_typed_and_only_those_that_may_pass_are_tried_again(study: Study) -> None:
    gone, partial = "MongoDB at 127.0.0.1:9 does not answer; start it", Outcome({}, {"transcript": "so far"})
    begun, work = failing(
        {
            0: ModelFailure("overloaded", "529"),
            1: ModelFailure("refusal", "no"),
            2: UnitFailure("no_plan", "nothing planned", outcome=partial),
            3: UnitFailure("shop_down", "try later", transient=True),
            4: KeyError("a bug"),
            5: DrrError("the shop is gone"),
            6: ServerFailure(gone),
        }
    )
    first = await run(study, units(9), work, models=offline())
    kinds = ("overloaded", "refusal", "no_plan", "shop_down", "bug", "error", "unavailable")
    assert (first.done, first.ok, first.failures) == (2, False, dict.fromkeys(kinds, 1))
    assert any("KeyError" in bug for bug in first.bugs)
    document = status(study)
    assert document.units == UnitCounts(total=9, done=2, failed=7)
    assert document.failures == dict(sorted(first.failures.items()))
    failed = {one.reason: one for one in study.records(status="failed")}
    assert "KeyError" in (study.text(failed["bug"], "traceback") or "")
    assert study.text(failed["no_plan"], "transcript") == "so far", "what it gathered is kept"
    assert failed["unavailable"].message == gone
    await run(study, units(9), work, models=offline())
    assert begun == {0: 2, 1: 1, 2: 1, 3: 2, 4: 1, 5: 1, 6: 2, 7: 1, 8: 1}
    await run(study, units(9), work, models=offline(), retry_failed=True)
    assert begun == {0: 3, 1: 2, 2: 2, 3: 3, 4: 2, 5: 2, 6: 3, 7: 1, 8: 1}
    assert next(r for r in study.records(status="failed") if r.reason == "refusal").attempts == 2
    again = await run(study, units(9), answer, models=offline())
    assert again.done == 3, "without being told to, only what may pass"
    mended = await run(study, units(9), answer, models=offline(), retry_failed=True)
    assert (mended.done, mended.ok) == (4, True)
    assert len(list(study.records())) == len(list(study.records(status=None))) == 9


async def test_a_result_that_cannot_be_written_is_the_bug_of_its_unit(study: Study) -> None:
    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        return Outcome({"value": (float("nan"), {1, 2}, object(), 1.5)[spec["n"]]})

    summary = await run(study, units(4), work, models=offline())
    assert (summary.done, summary.failures) == (1, {"bug": 3})


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fail(401, "authentication_error", "invalid"), "bad_key"),
        (Fail(404, "not_found_error", "model: x"), "unknown_model"),
        (Fail(400, "invalid_request_error", "Your credit balance is too low"), "no_credit"),
    ],
)
async def test_what_would_fail_everywhere_stops_the_study_at_the_first_unit(
    study: Study, fault: Fail, kind: str
) -> None:
    with Wire(lambda request: fault) as wire:
        models = Models(ModelSettings({"default": SONNET}, base_url=wire.url))
        summary = await run(study, units(300), answer, models=models, pace=Pace(units=4))
        await models.aclose()
    assert (summary.stopped, summary.left, summary.ok) == (kind, 300, False)
    assert len(wire.requests) <= 4
    with Wire(lambda request: Say("fine now")) as wire:
        models = Models(ModelSettings({"default": SONNET}, base_url=wire.url, concurrency=32))
        mended = await run(study, units(300)[:20], answer, models=models, pace=Pace(units=20))
        await models.aclose()
    assert (mended.done, status(study).stopped) == (20, None)


async def test_an_outage_stops_the_run_and_becomes_no_report(study: Study) -> None:
    with Wire(lambda request: Fail(529, "overloaded_error")) as wire:
        settings = ModelSettings({"default": SONNET}, base_url=wire.url, concurrency=4)
        models = Models(settings, clock=FastClock().clock)
        summary = await run(study, units(100), answer, models=models, pace=Pace(units=2, outage_after=4))
        await models.aclose()
    assert (summary.stopped, summary.left, list(study.records())) == ("outage", 100, [])
    assert sum(summary.failures.values()) <= 6


# -- budgets


async def test_a_budget_stops_cleanly_and_a_larger_one_continues(study: Study) -> None:
    _, work = counting()
    four = Pace(units=4)
    stopped = await run(study, units(40), work, models=offline(), budget=Limit(tokens=300), pace=four)
    assert stopped.stopped == "budget"
    assert 0 < stopped.done < 40
    document = status(study)
    assert document.spent_tokens <= 300
    assert (document.units.failed, document.units.pending) == (0, 40 - stopped.done)
    assert document.stopped == "budget"
    assert document.budget is not None and document.budget.tokens == 300
    rest = await run(study, units(40), work, models=offline(), budget=Limit(tokens=100_000))
    assert (rest.stopped, rest.done) == (None, 40 - stopped.done)
    assert len(list(study.records())) == 40
    spent = study.ledger.accounts.total().tokens
    others, budget = units(10, kind="judgement"), Limit(tokens=spent + 60)
    assert (await run(study, others, answer, models=offline(), budget=budget)).stopped == "budget"
    assert 0 < spent <= study.ledger.accounts.total().tokens <= spent + 60, "of every kind, of every run"


async def test_the_cap_of_a_unit_ends_that_unit_only(study: Study) -> None:
    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        for _ in range(50 if spec["n"] == 1 else 1):
            await answer(spec, context)
        return await answer(spec, context)

    summary = await run(study, units(4), work, models=offline(), unit_cap=Limit(tokens=300))
    assert summary.done == 3
    assert summary.failures == {"unit_cap": 1}
    assert next(study.records(status="over_budget")).spec["n"] == 1


# -- one writer


SECOND = """
import asyncio, sys
from pathlib import Path
from drr.study.run import run
from drr.study.study import Study
from tests.study.plain import answer, offline, units
with Study.open(Path(sys.argv[1])) as study:
    asyncio.run(run(study, units(4), answer, models=offline()))
"""


async def test_a_second_writer_is_refused_in_a_sentence_and_whoever_looks_is_not(study: Study) -> None:
    """In this process and in another; once the first has closed, the next one goes on."""
    asked: list[str] = []

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] == 3:
            while len(list(study.records())) < 3:
                await asyncio.sleep(0.005)
            with Study.open(study.folder) as other, pytest.raises(DrrError, match="another command writes"):
                await run(other, units(4), work, models=offline())
            second = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-c", SECOND, str(study.folder)],
                capture_output=True,
                text=True,
                check=False,
            )
            asked.append(second.stderr.splitlines()[-1])
            with Study.read(study.folder) as seen:
                counts = status(seen).units
                assert (counts.done, counts.running, counts.pending) == (3, 1, 0)
        return await answer(spec, context)

    assert (await run(study, units(4), work, models=offline())).done == 4
    (said,) = asked
    assert f"{study.folder}: another command writes to this study; wait until it has ended" in said
    study.close()
    with Study.open(study.folder) as other:
        assert (await run(other, units(6), answer, models=offline())).done == 2


STUCK = SECOND.replace("answer, offline", "logged, offline").replace(
    "answer,", "logged(Path(sys.argv[2]), 60),"
)


def test_a_writer_that_was_killed_holds_nothing(study: Study, tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", STUCK, str(study.folder), str(tmp_path / "begun")])
    while not study.ledger.under_way.keys():
        assert gone.poll() is None
        time.sleep(0.02)
    gone.kill()
    gone.wait()
    assert not study.ledger.under_way.keys()
    assert asyncio.run(run(study, units(4), answer, models=offline())).done == 4


async def test_who_is_dead_is_known_by_number_and_start(study: Study) -> None:
    """A ledger from elsewhere may name holders of any form."""
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    worker = this_holder()
    host, pid, _, number = worker.rsplit("/", 3)
    dead = f"{host}/{gone.pid}/1/0"
    assert is_dead(dead)
    assert is_dead(f"{host}/{pid}/1/{number}"), "a later process of the same number holds nothing"
    assert not is_dead(worker)
    assert not is_dead("elsewhere-0/1/1/0")
    study.ledger.units.register(units(5))
    for unit, holder in zip(units(5), (dead, "nobody", "h/x/1/0", "//" * 40, worker), strict=True):
        study.ledger.under_way.begin(holder, [unit.key])
    assert study.ledger.under_way.keys() == {units(5)[4].key}
    assert (await run(study, units(5), answer, models=offline())).done == 5
    assert not study.ledger.under_way.keys()


async def test_what_the_dead_had_in_flight_may_have_been_spent(study: Study) -> None:
    dead = "/".join([*this_holder().split("/")[:2], "1", "0"])
    study.ledger.accounts.put(dead, Account(cost=5, tokens=10, reserved_cost=7, reserved_tokens=20))
    spending = study.ledger.accounts.total()
    assert (spending.cost, spending.tokens, spending.reserved_tokens) == (5, 10, 0)
    assert (spending.most_cost, spending.most_tokens) == (12, 30)
    document = status(study)
    assert (document.spent_tokens, document.spent_tokens_at_most) == (10, 30)


# -- stopping


async def test_ctrl_c_lets_what_runs_finish_and_begins_nothing_more(study: Study) -> None:
    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] == 0:
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.05)
        return await answer(spec, context)

    before = signal.getsignal(signal.SIGINT)
    summary = await run(study, units(50), work, models=offline(), pace=Pace(units=5))
    assert signal.getsignal(signal.SIGINT) == before
    assert (summary.stopped, summary.done, summary.left) == ("interrupted", 5, 45)
    assert not study.ledger.under_way.keys()
    assert status(study).stopped == "interrupted"
    assert (await run(study, units(50), answer, models=offline())).done == 45


@pytest.mark.parametrize(
    ("number", "ending"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]
)
def test_pressed_twice_ends_a_unit_that_never_waits_and_keeps_what_finished(
    study: Study, monkeypatch: pytest.MonkeyPatch, number: int, ending: type[BaseException]
) -> None:
    """Nobody hears the first, and the second ends it."""
    monkeypatch.setattr("drr.study.run.DEAF_S", 0.05)
    holds = threading.Event()

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] < 3:
            return await answer(spec, context)
        while len(list(study.records())) < 3:
            await asyncio.sleep(0.005)
        holds.set()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.01)
        raise AssertionError("it went on")

    def press() -> None:
        holds.wait(20)
        for _ in range(2):
            os.kill(os.getpid(), number)
            time.sleep(0.1)

    before = signal.getsignal(number)
    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(ending):
        asyncio.run(run(study, units(8), work, models=offline(), pace=Pace(units=4)))
    presser.join()
    assert signal.getsignal(number) == before
    assert len(list(study.records())) == 3
    assert not study.ledger.under_way.keys()
    assert asyncio.run(run(study, units(8), answer, models=offline())).done == 5


async def test_a_second_ctrl_c_stops_at_once_and_keeps_what_finished(study: Study) -> None:
    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] < 3:
            return await answer(spec, context)
        while len(list(study.records())) < 3:
            await asyncio.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)
        raise AssertionError("it went on")

    async with asyncio.timeout(50):
        summary = await run(study, units(10), work, models=offline(), pace=Pace(units=4))
    assert (summary.stopped, summary.done) == ("interrupted", 3)
    assert len(list(study.records())) == 3
    assert not study.ledger.under_way.keys()


@pytest.mark.long
async def test_a_full_disk_is_said_in_one_line_and_loses_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gc

    unseen: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unseen.append(context))
    await run(study, units(3), answer, models=offline())

    def full(content: bytes) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(study.blobs, "put", full)
    with pytest.raises(DrrError, match="No space left"):
        await run(study, units(10), answer, models=offline())
    await asyncio.sleep(0)
    gc.collect()
    assert not unseen, "what is raised is not reported a second time, whenever garbage is collected"
    monkeypatch.undo()
    assert (await run(study, units(10), answer, models=offline())).done == 7


# -- the folder


def test_a_study_is_recognised_and_what_is_none_or_newer_or_broken_is_refused(
    tmp_path: Path, study: Study
) -> None:
    with pytest.raises(Misuse, match="not a study"):
        Study.open(tmp_path)
    (tmp_path / "letter.txt").write_text("private")
    with pytest.raises(Misuse, match="neither empty nor a study"):
        Study.create(tmp_path, {})
    Study.create(tmp_path / "new", {"a": {"b": [1, "ü\x7f\n"]}, "none": None, "x.y": True}).close()
    with Study.open(tmp_path / "new") as new:
        assert new.config == {"a": {"b": [1, "ü\x7f\n"]}, "x.y": True}
    study.ledger.set_meta("schema", "99")
    with pytest.raises(DrrError, match="update drr"):
        Study.open(study.folder)
    study.close()
    (study.folder / "ledger.sqlite").write_bytes(b"this is not a database" * 100)
    with pytest.raises(DrrError, match="cannot be used as a ledger"):
        Study.open(study.folder)


async def test_a_study_opened_to_read_sees_what_is_committed_and_writes_nothing(study: Study) -> None:
    with Study.open(study.folder, read_only=True) as reader:
        await run(study, units(2), answer, models=offline())
        texts = [reader.text(record, "report") for record in reader.records()]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.ledger.set_meta("budget", "{}")
    assert texts == [study.text(record, "report") for record in study.records()]
    assert len(texts) == 2
    assert study.ledger.meta("budget") is None


async def test_records_are_committed_with_a_full_sync(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished means on disk: the policy is looked at where it acts, in the transaction that writes the record."""
    seen: list[int] = []
    real = study.ledger.records.commit

    def commit(finished: Any, blobs: Any) -> None:
        statements: list[str] = []
        study.ledger.db._db.set_trace_callback(statements.append)
        real(finished, blobs)
        study.ledger.db._db.set_trace_callback(None)
        before = statements[: statements.index("BEGIN IMMEDIATE")]
        seen.append(sum("synchronous = FULL" in statement for statement in before))

    monkeypatch.setattr(study.ledger.records, "commit", commit)
    await run(study, units(2), answer, models=offline())
    assert seen and set(seen) == {1}


# -- secrets


@pytest.mark.long
async def test_no_planted_secret_is_in_any_file(tmp_path: Path) -> None:
    key = "sk-ant-api03-planted-0123456789abcdef"

    def script(request: Request) -> Say | Fail:
        if request.number % 5 == 4:
            return Fail(400, "invalid_request_error", f"bad header: Bearer {key}")
        return Say(f"Your key is {key}, by the way.")

    folder = tmp_path / "study"
    with Wire(script) as wire, Study.create(folder, {"model": SONNET}) as study:
        settings = ModelSettings(
            {"default": SONNET}, base_url=wire.url, keys={"anthropic": SecretStr(key)}, concurrency=1
        )
        models = Models(settings)

        async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
            if spec["n"] == 3:
                raise RuntimeError(f"leak {key}")
            reply = await context.models.role("agent").reply([HumanMessage("x")])
            return Outcome({"said": reply.text, "nested": [{"again": reply.text}]}, {"report": reply.text})

        summary = await run(study, units(12), work, models=models)
        await models.aclose()
        assert summary.done and summary.failures["bad_request"] and summary.failures["bug"] == 1
        export(study, tmp_path / "tables")
        told = json.dumps(asdict(status(study)))
        assert "[hidden]" in told and key not in told
        with sqlite3.connect(folder / "ledger.sqlite") as ledger:
            ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ledger.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        assert key.encode() not in path.read_bytes(), path
    assert key not in str(summary)


@pytest.mark.long
async def test_exports_of_equal_studies_are_equal_and_say_what_happened(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for name, pace in (("a", Pace(units=1)), ("b", Pace(units=16))):
        with Study.create(tmp_path / name, {}) as made:
            wanted = units(30) if name == "a" else list(reversed(units(30)))
            await run(made, wanted, answer, models=offline(), pace=pace)
            assert export(made, tmp_path / f"{name}-c", canonical=True)["units"] == 30
            export(made, tmp_path / f"{name}-f")
    assert_same_tables(tmp_path / "a-c", tmp_path / "b-c")
    lines = [json.loads(line) for line in (tmp_path / "a-f" / "units.jsonl").read_text().splitlines()]
    table = pq.read_table(tmp_path / "a-f" / "units.parquet").to_pylist()
    assert (
        [row["key"] for row in lines] == [row["key"] for row in table] == sorted(row["key"] for row in lines)
    )
    assert {"seconds", "started_at", "attempts"} <= set(lines[0])
    canonical = json.loads((tmp_path / "a-c" / "units.jsonl").read_text().splitlines()[0])
    assert not {"seconds", "started_at", "finished_at", "attempts"} & (
        set(canonical) | set(canonical["result"])
    )
    assert canonical["report"].startswith("an answer to plan")
    calls = pq.read_table(tmp_path / "a-f" / "tool_calls.parquet").to_pylist()
    assert {(call["name"], call["ok"]) for call in calls} == {("search", True)}
    usage = [json.loads(line) for line in (tmp_path / "a-f" / "usage.jsonl").read_text().splitlines()]
    assert sum(row["calls"] for row in usage) == 60
