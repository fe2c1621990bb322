"""A judged study of the sample shop, made once by the commands themselves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.report.material import ReportData
from drr.app.study.trust import remember_shop
from drr.app.viewer.model import ReportView, ShownEntry
from drr.app.viewer.reader import Reader
from drr.env.checkable import Checkable
from drr.env.query import Query
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics.document import study_document
from drr.study.study import Study

from tests.commands import Drr
from tests.once import made_once
from tests.tampering import rewrite

QUESTIONS = (
    "I'm looking for a bird feeder and bird seed, together under $80. Do squirrels leave a metal feeder alone?",
    "Find me two baby safety gates for no more than $65. Is a pressure gate safe at the top of the stairs?",
)
VARIANTS = "react,react+ws,plan-to-function+ws"
WISHES = (
    "I want a quiet evening at home with good light to read by. What should I get first, and how much have I spent so far?",
    "A short walk in bad weather should be a pleasure. Which things are worth their money, and what was my last order?",
)
MORE = "records,memory:none:1k,memory:recent:1k"


def drr(*words: str | Path) -> None:
    assert main([str(word) for word in words]) == 0


@pytest.fixture(scope="session")
def judged_study(tmp_path_factory: pytest.TempPathFactory, sample_home: Path) -> Path:
    """Made once for all workers; each has a copy of its own, for pages and labels are written beside it."""
    made = made_once("judged", tmp_path_factory, lambda home: _judged(home, sample_home))
    home = tmp_path_factory.mktemp("judged")
    shutil.copytree(made, home, dirs_exist_ok=True)
    resolved = home / "study" / "study.toml"
    rewrite(resolved, resolved.read_text(encoding="utf-8").replace(str(made), str(home)))
    remember_shop(home / "study", str(home / "shop"))
    return home / "study"


def _judged(home: Path, sample_home: Path) -> None:
    shutil.copytree(sample_home / "shop", home / "shop")
    with open_shop(str(home / "shop"), resolve({}, environ={}, file=home / "none").settings) as shop:
        users = shop.store.sample_users(2, seed=1, min_orders=5)
    lines = [json.dumps({"query": q, "user_id": u}) for q, u in zip(QUESTIONS, users, strict=True)]
    (home / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    what = ("--queries", home / "queries.jsonl", "--variants", VARIANTS, "--trials", "2", "--quiet")
    drr("run", home / "study", "--shop", home / "shop", *what)
    drr("judge", home / "study", "--judge", "offline", "--quiet")
    with redirect_stdout(StringIO()) as said:
        drr("report", home / "study", "--out", home / "report")
    (home / "said.txt").write_text(said.getvalue(), encoding="utf-8")


@pytest.fixture(scope="session")
def settings_home(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, two persons each; an agent under two settings, one under five; scored by criteria."""
    home, shop = tmp_path_factory.mktemp("settings"), judged_study.parent / "shop"
    persons, contexts, tasks = home / "persons.jsonl", home / "contexts", home / "tasks.jsonl"
    drr("papers", "persons", "build", "--shop", shop, "--out", persons, "--users", "3")
    drr("papers", "context", "build", persons, "--shop", shop, "--tokens", "1k", "--out", contexts)
    lines = [
        {"schema_version": 1, "task_id": f"t-{n}", "category": "All_Beauty", "task": wish, "intent": "advice", "needs": ["lamp"]}
        for n, wish in enumerate(WISHES, 1)
    ]  # fmt: skip
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    drr("papers", "tasks", "pairs", tasks, persons, "--per-task", "2", "--out", home / "queries.jsonl")
    asked = ("--queries", home / "queries.jsonl", "--shop", shop)
    run = ("run", home / "study", *asked, "--persons", persons, "--contexts", contexts, "--quiet")
    drr(*run, "--settings", "task,persona", "--variants", "plan-to-function,react")
    drr(*run, "--settings", MORE, "--variants", "plan-to-function", "--only")
    drr("judge", home / "study", "--judge", "offline", "--what", "pqr", "--rounds", "1", "--quiet")
    return home


@pytest.fixture(scope="module")
def report(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `drr report` writes of it; what it prints lies beside, in `said.txt`."""
    folder = tmp_path_factory.mktemp("report")
    shutil.copy(judged_study.parent / "said.txt", folder)
    return shutil.copytree(judged_study.parent / "report", folder / "out")


def material_of(study: Study, **more: Any) -> ReportData:
    return ReportData(study, read_judged(study, choose_judging(study)), study_document(study), **more)


@pytest.fixture(scope="module")
def shop(sample_home: Path) -> Iterator[Shop]:
    """The sample's."""
    with open_shop(str(sample_home / "shop"), resolve({}).settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def kept_questions(shop: Shop) -> Iterator[None]:
    """Questions of the shop that stay made while the tests of a file run."""
    from drr.app.training.environment import Environment

    with Environment(shop):
        yield


def truth_of(query: Query) -> Checkable:
    assert query.checkable is not None
    return query.checkable


@pytest.fixture(scope="module")
def reader(judged_study: Path) -> Iterator[Reader]:
    with Study.open(judged_study) as study:
        found = Reader(study)
        found.measure()
        yield found


def shown(reader: Reader, entry: ShownEntry) -> ReportView:
    """What the page of an answer shows."""
    view = reader.report(entry.key)
    assert view is not None
    return view


def view_of(reader: Reader, variant: str) -> ReportView:
    return shown(reader, next(entry for entry in reader.entries() if entry.variant == variant))


def found_soap(drr: Drr, shop: Path) -> Any:
    """What a search of the sample shop for soap gives."""
    return drr.json("tools", "call", "product_catalog_search", "--shop", shop, "--args", '{"query": "soap"}')
