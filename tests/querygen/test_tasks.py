"""Tasks hold nothing of a person, and pairs give one text to persons who differ, each with a query of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Misuse
from drr.env.query import read_queries
from drr.papers.pdr.person import Person
from drr.papers.pdr.wish_actions import question_pairs
from drr.querygen.checks import problems
from drr.querygen.files import BUILT_IN, ResearchTask, read_tasks, write_tasks

from tests.cases import cases
from tests.commands import Drr

TASKS = read_tasks(BUILT_IN)


def test_fifty_are_built_in_five_for_each_category_and_none_holds_a_personal_fact() -> None:
    assert len(TASKS) == 50
    assert set(Counter(task.category for task in TASKS).values()) == {5}
    assert list(problems(TASKS)) == []
    assert {task.review.reviewer for task in TASKS} == {"none"}, "no person has reviewed them"


FREE = "I would like to have birds at the window all winter and do it in a way that really helps them, so please compare what can be had and say what to begin with."


def of_birds(text: str, task_id: str = "t1", **more: Any) -> ResearchTask:
    return ResearchTask(task_id=task_id, category="Patio", task=text, **more)


@pytest.mark.parametrize(
    ("planted", "check"),
    [
        ("I bought a feeder last spring and it broke.", "facts"),
        ("My last order was a feeder that broke.", "facts"),
        ("We live in Oklahoma, where winters are mild.", "states"),
        ("Write to ada@example.com when it is done.", "privacy"),
        ("It should fit beside B0GFMXQX2N on the pole.", "ids"),
        (FREE * 10, "length"),
        ("Our stiff old dog finds the stairs hard.", "circumstances"),
        ("We keep two cats.", "circumstances"),
        ("What spares my lower back in our garden?", "circumstances"),
        ("I sleep badly and ask what helps.", "circumstances"),
        ("A squirrel annoys the dog, and that must end.", "circumstances"),
    ],
)
def test_a_fact_of_a_person_is_found(planted: str, check: str) -> None:
    assert [problem.check for problem in problems([of_birds(f"{FREE} {planted}")])] == [check]


@pytest.mark.parametrize("free", cases("querygen", "test_what_anybodys_dog_needs_is_no_fact_of_the_asker"))
def test_what_anybodys_dog_needs_is_no_fact_of_the_asker(free: str) -> None:
    assert list(problems([of_birds(f"{FREE} {free}")])) == []


def test_two_alike_are_named() -> None:
    (found,) = problems([of_birds(FREE), of_birds(FREE, "t2")])
    assert (found.task_id, found.check) == ("t2", "unlike_others")


def someone(number: int, theme: str, level: str, place: str, user: str | None = None) -> Person:
    held = {"themes": f"has an interest in {theme}", "price_level": level, "place": f"lives in {place}"}
    rows = [
        {"id": block, "block": block, "statement": said, "basis": "invented"} for block, said in held.items()
    ]
    return Person.model_validate({"person_id": f"p{number}", "user_id": user, "attributes": rows})


EVERYBODY = (
    someone(1, "birds", "buys cheap goods", "Ohio", "AE1"),
    someone(2, "birds", "buys cheap goods", "Ohio"),
    someone(3, "birds", "buys dear goods", "Texas"),
    someone(4, "cooking", "buys dear goods", "Texas"),
    someone(5, "cooking", "buys cheap goods", "Maine"),
)
PERSONS = {person.person_id: person for person in EVERYBODY}
BIRDS = [of_birds(f"{FREE} ({n})", f"t{n}", needs=["birds seed"]) for n in range(4)]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Of tasks and persons, and one for their queries."""
    tasks, persons, out = (tmp_path / f"{name}.jsonl" for name in ("tasks", "persons", "queries"))
    tasks.write_text("\n".join(json.dumps(task.line()) for task in BIRDS))
    persons.write_text("\n".join(json.dumps(person.line()) for person in EVERYBODY))
    return [tasks, persons, out]


def test_a_task_goes_to_persons_whom_it_touches_and_who_differ() -> None:
    first = [query.person_id for query in question_pairs(BIRDS[:1], PERSONS, per_task=2, seed=7)]
    assert "p3" in first and len(set(first) & {"p1", "p2"}) == 1
    every = list(question_pairs(BIRDS, PERSONS, per_task=2, seed=7))
    assert every == list(question_pairs(BIRDS, PERSONS, per_task=2, seed=7))
    used = Counter(query.person_id for query in every)
    assert max(used.values()) - min(used.values()) <= 1, "nobody is asked much more often than another"


def test_the_same_text_is_a_query_of_its_own_for_each_person(files: list[Path], drr: Drr) -> None:
    tasks, persons, out = files
    drr.out("papers", "tasks", "pairs", tasks, persons, "--per-task", 3, "--out", out)
    queries = read_queries(out)
    assert len({query.id for query in queries}) == len(queries) == 12
    own = [query for query in queries if query.task_id == "t0"]
    assert len({query.query for query in own}) == 1 and len({query.person_id for query in own}) == 3
    assert {query.user_id for query in queries if query.person_id == "p1"} <= {"AE1"}
    assert {query.user_id for query in queries if query.person_id == "p3"} <= {"p3"}, "nobody of the shop"


@pytest.mark.parametrize(
    ("line", "told"),
    [("{", "line 1: not JSON"), ('{"task_id": "a", "task": "x"}', "line 1: category"), ("", "holds no task")],
)
def test_what_is_no_task_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(line)
    with pytest.raises(Misuse, match=told):
        read_tasks(path)


@pytest.mark.long
def test_a_shop_that_sells_none_of_it_is_said_and_nothing_is_written(
    shop_folder: Path, tmp_path: Path, drr: Drr
) -> None:
    out = tmp_path / "tasks.jsonl"
    words = ("papers", "tasks", "build", "--shop", shop_folder, "--out", out, "--min-products", 500)
    assert "can answer none" in drr.err(*words, code=1)
    assert not out.exists()


def reviewed(path: Path, *keys: str) -> str:
    words = [sys.executable, "-m", "drr.app.cli", "papers", "tasks", "review", str(path), "--reviewer", "Ada"]
    done = subprocess.run(words, input="".join(f"{key}\n" for key in keys), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
def test_a_person_accepts_edits_and_rejects_tasks_and_rejected_ones_are_asked_of_nobody(
    files: list[Path], drr: Drr
) -> None:
    tasks, persons, out = files
    told = reviewed(tasks, "a", "e", BIRDS[2].task, "e", f"{FREE} (new)", "a", "r", "too vague", "q")
    assert BIRDS[0].task in told and "holds this task already" in told
    assert "2 accepted, 1 edited, 1 rejected now; 1 left" in told
    first, second, third, fourth = read_tasks(tasks)
    assert (first.review.status, first.review.reviewer) == ("accepted", "Ada")
    assert (second.task_id, second.task) == ("t1", f"{FREE} (new)")
    assert [entry["action"] for entry in second.review.history] == ["edit", "accept"]
    assert second.review.history[0]["task"] == BIRDS[1].task
    assert third.review.history[-1]["reason"] == "too vague"
    assert fourth == BIRDS[3]

    words = ("papers", "tasks", "pairs", tasks, persons, "--out", out)
    assert "a reviewer rejected them: t2" in drr.err(*words, "--per-task", 2, code=0)
    assert {query.task_id for query in read_queries(out)} == {"t0", "t1", "t3"}
    everything = [task.model_copy(update={"review": third.review}) for task in BIRDS]
    write_tasks(tasks, everything)
    assert "rejected every task" in drr.err(*words)
