"""The public face: each name is documented by an example that runs, from a plain program and from a running loop."""

from __future__ import annotations

import asyncio
import doctest
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import drr
import drr.face
import pytest
from drr.app.judge.judge_plan import JudgePlan
from drr.app.report.report_plan import ReportPlan
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import Options
from drr.env.errors import DrrError, Misuse


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a shop called `shop`, to stand in."""
    from drr.app.cli import main

    place = tmp_path_factory.mktemp("face")
    before = Path.cwd()
    os.chdir(place)
    sample = "data sample raw --products 300 --users 40 --reviews 3000 --quiet"
    assert main(sample.split()) == 0
    assert main(["data", "ingest", "raw", "--shop", "shop", "--min-reviews", "1", "--quiet"]) == 0
    yield place
    os.chdir(before)


@pytest.fixture(scope="module")
def user(place: Path) -> str:
    with drr.open_shop("shop") as shop:
        return shop.store.sample_users(1, seed=1)[0]


def test_every_name_has_an_example_that_runs(place: Path, user: str) -> None:
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    names = (
        "open_shop", "call_tool", "session", "check", "ask", "run", "judge", "report", "metrics", "verdicts",
        "Environment", "ingest",
    )  # fmt: skip
    for name in names:
        (found,) = finder.find(getattr(drr, name), name, globs={"drr": drr, "user": user})
        assert found.examples, name
        runner.run(found)
    twins = {f"a{name}" for name in names} & set(drr.__all__)
    types = {name for name in drr.__all__ if name[0].isupper()}
    assert set(drr.__all__) == {*names, *twins, *types}
    assert all(inspect.iscoroutinefunction(getattr(drr, name)) for name in twins)
    assert all(isinstance(getattr(drr, name), type) for name in types)
    assert runner.summarize(verbose=False).failed == 0


def test_it_says_its_version_and_its_names() -> None:
    assert drr.__version__ == version("deepresearch-retail")
    assert {*drr.__all__} <= {*dir(drr)}


def test_it_works_beside_a_loop_and_twins_print_nothing(
    place: Path, user: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async def notebook() -> drr.StudyStatus:
        queries = [{"query": "a pen", "user_id": user}]
        return drr.run("study-of-a-notebook", shop="shop", queries=queries, variants="react")

    assert asyncio.run(notebook()).units.done == 1

    async def journey() -> tuple[drr.StudyStatus, drr.Judgement]:
        question = {"query": "a pencil", "user_id": user}
        answer, status = await asyncio.gather(
            drr.aask("a pen", shop="shop", user=user),
            drr.arun("twins", shop="shop", queries=[question], variants=["react"]),
        )
        assert answer.document()["report"] == answer.report
        return status, await drr.ajudge("twins", what=["rules"], of_papers={"rounds": 1})

    with caplog.at_level("INFO", "drr"):
        status, judgement = asyncio.run(journey())
    assert (status.units.done, judgement.left) == (1, 0)
    assert "twins: 1 done now; nothing left" in caplog.messages
    assert capsys.readouterr() == ("", "")
    with pytest.raises(drr.Misuse, match="no choice of a paper is called round;"):
        drr.judge("twins", of_papers={"round": 1})


def test_no_face_takes_or_gives_what_it_does_not_name() -> None:
    for name in drr.__all__:
        if not name[0].isupper():
            assert "Any" not in str(inspect.signature(getattr(drr, name))), name


def test_what_is_wrong_is_raised_and_not_printed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Misuse, match="no variant 'reakt'") as caught:
        drr.ask("a pen", shop="shop", user="nobody", variant="reakt")
    assert caught.value.__context__ is None  # nothing of how it was called stands in its trace
    with pytest.raises(Misuse, match="--trials: -1"):
        drr.run("study", trials=-1)
    with pytest.raises(Misuse, match="--citation-repair: 'moon' is not one of off, remove, ask"):
        drr.run("study", citation_repair="moon")  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="--figures: 'moon' is not one of svg, png, pdf"):
        drr.report("study", figures=["moon"])
    with pytest.raises(Misuse, match="--rounds: 'x' is not a whole number above 0"):
        drr.judge("study", of_papers={"rounds": "x"})
    with pytest.raises(DrrError, match="nowhere"):
        drr.metrics("nowhere")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "")


def test_sessions_hold_what_was_written_and_wait(place: Path, user: str) -> None:
    def name_of(session: drr.ToolSession) -> str:
        return str((session.call("get_user_profile").data or {})["first_name"])

    with drr.open_shop("shop") as shop, drr.session(shop, user) as mine, drr.session(shop, user) as other:
        before = name_of(mine)
        assert mine.call("update_user_profile", first_name="Ida").ok
        assert (name_of(mine), name_of(other)) == ("Ida", before)
        assert [source.type for source in mine.sources] == ["user"] * 3  # before, the change, after
        mine.reset()
        assert (name_of(mine), mine.tools.keys()) == (before, other.tools.keys())

    async def both() -> list[drr.ToolReply]:
        with drr.session("shop", user) as session:
            calls = (session.acall("calculator", expression=one) for one in ("1+1", "2+2"))
            return [*await asyncio.gather(*calls), session.call("web_search", query="winter birds")]

    assert [reply.ok for reply in asyncio.run(both())] == [True, True, True]


def test_what_a_tool_refuses_is_a_reply_and_a_name_of_no_tool_is_misuse(place: Path, user: str) -> None:
    with drr.session("shop", user) as session:
        refused = session.call("get_product_details", product_id="none")
        assert refused.error is not None and (refused.ok, refused.error.kind) == (False, "not_found")
        assert refused.document() == drr.call_tool(
            "get_product_details", "shop", user, {"product_id": "none"}
        )
        with pytest.raises(drr.Misuse, match="no tool 'get_produce'"):
            session.call("get_produce")
    with pytest.raises(drr.Misuse, match="no user 'nobody' in shop"):
        drr.session("shop", "nobody")


def test_a_report_is_checked_alike(place: Path, user: str, capsys: pytest.CaptureFixture[str]) -> None:
    from drr.app.cli import main

    file = Path("report.md")
    file.write_text("A pen for $3 [1].\n\n[1] http://ecommerce.example/product/B00000000\n", encoding="utf-8")
    assert main(["check", "report.md", "--shop", "shop", "--user", user, "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    of_file = drr.check(file, shop="shop", user=user)
    of_text = asyncio.run(drr.acheck(file.read_text(encoding="utf-8"), shop="shop", user=user))
    assert json.loads(json.dumps(of_file.document())) == printed
    assert of_text.document() == of_file.document()


def test_the_name_of_a_file_is_no_report(place: Path, user: str) -> None:
    Path("answer").write_text("A pen.", encoding="utf-8")
    for name in ("answer", "no such.MD", "reports/one.html"):
        with pytest.raises(Misuse, match=r"is the name of a file; .*Path"):
            drr.check(name, shop="shop")
    for text in (
        "A pen [1].",
        "See https://page.example/pens.md",
        "# Pens\n\nAll are in pens.md",
        "x" * 5000,
    ):
        assert drr.check(text, shop="shop", user=user).rules
    assert drr.check(Path("answer"), shop="shop").rules


@pytest.mark.parametrize(
    "question", ["--help", "-h", "--json", "--quiet pens, please", "-- a pen", "-5 degrees: gloves"]
)
def test_a_question_is_never_taken_for_an_option(place: Path, user: str, question: str) -> None:
    assert drr.ask(question, shop="shop", user=user).report
    with pytest.raises(Misuse, match="--zz"):
        drr.ask("a pen", shop="shop", user=user, variant="--zz")


def test_the_face_costs_nothing_before_it_is_used() -> None:
    code = "import json, sys; before = set(sys.modules); import drr; print(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"pyarrow", "pydantic", "langchain_core", "asyncio", "numpy"}
    assert not heavy & set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("function", "plan"), [(drr.run, StudyPlan), (drr.judge, JudgePlan), (drr.report, ReportPlan)]
)
def test_a_function_asks_by_default_what_its_command_asks(
    function: Callable[..., object], plan: type[Options]
) -> None:
    for name, given in inspect.signature(function).parameters.items():
        if name in plan.model_fields and given.default not in (None, given.empty):
            assert given.default == plan.model_fields[name].default, name


def test_a_missing_argument_is_named_with_the_form_of_the_call(place: Path) -> None:
    form = r"drr\.session\(shop, user, open_access=\.\.\., settings=\.\.\.\)"
    with pytest.raises(Misuse, match=rf"^drr\.session: missing .*'user'; call it as {form}$"):
        drr.session("shop")  # type: ignore[call-arg]
    with pytest.raises(Misuse, match=r"^drr\.acheck: .*'shopp'; call it as drr\.acheck\(report, shop="):
        asyncio.run(drr.acheck("text", shopp="shop"))  # type: ignore[call-arg]
