"""The public face: each name is documented by an example that runs, from a plain program and from a running loop."""

from __future__ import annotations

import asyncio
import doctest
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.errors import DrrError, Misuse

import drr
import drr.face


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a shop called `shop`, to stand in."""
    from drr.app.cli import main

    place = tmp_path_factory.mktemp("face")
    before = Path.cwd()
    os.chdir(place)
    sample = "sample raw --products 200 --users 40 --reviews 3000 --quiet"
    assert main(sample.split()) == 0
    assert main(["ingest", "raw", "--shop", "shop", "--min-reviews", "1", "--quiet"]) == 0
    yield place
    os.chdir(before)


@pytest.fixture(scope="module")
def user(place: Path) -> str:
    with drr.open_shop("shop") as shop:
        return shop.store.sample_users(1, seed=1)[0]


def test_every_name_has_an_example_that_runs(place: Path, user: str) -> None:
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    names = ("open_shop", "call_tool", "ask", "run", "judge", "metrics", "verdicts")
    for name in names:
        (found,) = finder.find(getattr(drr, name), name, globs={"drr": drr, "user": user})
        assert found.examples, name
        runner.run(found)
    assert sorted(drr.__all__) == sorted(names)
    assert runner.summarize(verbose=False).failed == 0


def test_it_works_where_a_loop_runs_already(place: Path, user: str) -> None:
    async def notebook() -> object:
        return drr.run(
            "study-of-a-notebook",
            shop="shop",
            queries=[{"query": "a pen", "user_id": user}],
            variants="react",
        )

    told = asyncio.run(notebook())
    assert isinstance(told, dict) and told["units"]["done"] == 1


def test_what_is_wrong_is_raised_and_not_printed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Misuse, match="no variant 'reakt'") as caught:
        drr.ask("a pen", "shop", "nobody", variant="reakt")
    assert caught.value.__context__ is None  # nothing of how it was called stands in its trace
    with pytest.raises(Misuse, match="--colour"):
        drr.run("study", colour="blue")
    with pytest.raises(DrrError, match="nowhere"):
        drr.metrics("nowhere")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "")


@pytest.mark.parametrize(
    "question", ["--help", "-h", "--json", "--quiet pens, please", "-- a pen", "-5 degrees: gloves"]
)
def test_a_question_is_never_taken_for_an_option(place: Path, user: str, question: str) -> None:
    assert drr.ask(question, "shop", user)["report"]
    with pytest.raises(Misuse, match="--zz"):
        drr.ask("a pen", "shop", user, variant="--zz")


def test_the_face_costs_nothing_before_it_is_used() -> None:
    code = "import json, sys; before = set(sys.modules); import drr; print(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"pyarrow", "pydantic", "langchain_core", "asyncio", "numpy"}
    assert not heavy & set(json.loads(done.stdout))
