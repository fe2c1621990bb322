"""Memories: all keep to one contract, those of others fail by name, and what a text says of a person is held against the truth."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drr.app.models.setup import prompts_of
from drr.env.embedding import PLACES, HashedTfIdf
from drr.env.errors import Misuse
from drr.env.installation import install
from drr.env.settings import Settings
from drr.papers.pdr.context import tokens_of
from drr.papers.pdr.memory.base import MemoryDesk, MemoryFailed, Remembering
from drr.papers.pdr.memory.registry import memory_kind
from drr.papers.pdr.person_truth import Statements
from drr.study.study import Study

from tests.agents.garden import ANNA, write_shop
from tests.commands import drr
from tests.persons.remembering import FIRST, LETTER, OTHERS, SECOND, STATEMENTS, built, folder
from tests.wire import Request, Say, Wire, looked

ITEMS = tuple(sorted(built(FIRST).items, key=lambda item: item.date))
TASK = "Which beans for the machine should I buy, and what for the pots?"


def desk() -> MemoryDesk:
    model: Any = SimpleNamespace(name="asked by nobody")
    embedder = HashedTfIdf(np.ones(PLACES, np.float32))
    return MemoryDesk(model, embedder, prompts_of(Settings(), "papers/pdr"), tokens_of, "2022-03-01")


async def recalled(name: str, budget: int, task: str = TASK) -> str:
    remembering = Remembering(memory_kind(name), desk())
    await remembering.observe(ITEMS)
    return (await remembering.recall(task, budget)).text


@pytest.mark.parametrize("name", ["none", "recent"])
async def test_every_memory_keeps_to_its_budget_and_recalls_the_same_again(name: str) -> None:
    budgets = (2, 60, 400, 400)
    texts = [await recalled(name, budget) for budget in budgets]
    assert all(tokens_of(text) <= budget for text, budget in zip(texts, budgets, strict=True))
    assert texts[2] == texts[3] != ""


async def test_the_newest_stay_in_order_and_recent_holds_ten() -> None:
    lines = (await recalled("none", 100)).split("\n")
    assert lines == sorted(lines)
    assert lines[-1] == ITEMS[-1].shown() and ITEMS[0].text not in "".join(lines)
    assert (await recalled("recent", 5_000)).split("\n") == [item.shown() for item in ITEMS[-10:]]


class Silent:
    def observe(self, items: Any) -> None: ...

    def recall(self, task: str, budget: int) -> Any:
        return None


class Floods(Silent):
    def recall(self, task: str, budget: int) -> Any:
        return "word " * 4 * (budget + 1)


class Raises(Silent):
    def observe(self, items: Any) -> None:
        raise ValueError("no place left")


class Stuck(Silent):
    async def recall(self, task: str, budget: int) -> Any:
        await asyncio.sleep(3600)


@pytest.mark.parametrize(
    ("made", "kind"),
    [(Silent, "no_text"), (Floods, "over_budget"), (Raises, "raised"), (Stuck, "too_slow")],
)
async def test_what_others_built_fails_by_name(made: type, kind: str) -> None:
    foreign = SimpleNamespace(name="theirs", load=lambda: lambda desk: made(), origin="elsewhere")
    remembering = Remembering(foreign, desk(), seconds=0.2)  # type: ignore[arg-type]
    with pytest.raises(MemoryFailed) as failed:
        await remembering.observe(ITEMS)
        await remembering.recall(TASK, 100)
    assert failed.value.kind == f"memory_{kind}"


async def test_a_class_in_a_file_is_a_memory_and_its_bytes_are_its_version(tmp_path: Path) -> None:
    path = tmp_path / "diary.py"
    path.write_text(
        "class Diary:\n"
        "    def __init__(self, desk): self.lines = []\n"
        "    def observe(self, items): self.lines = [item.text for item in items]\n"
        "    def recall(self, task, budget): return self.lines[-1]\n"
    )
    kind = memory_kind(f"{path}:Diary")
    remembering = Remembering(kind, desk())
    await remembering.observe(ITEMS)
    assert (await remembering.recall(TASK, 100)).text == ITEMS[-1].text
    path.write_text(path.read_text() + "\n# another\n")
    assert memory_kind(f"{path}:Diary").version != kind.version


def test_what_is_no_memory_is_told_with_what_was_meant() -> None:
    with pytest.raises(Misuse, match="did you mean recent"):
        memory_kind("recnt")
    with pytest.raises(Misuse, match="there are none, recent, mem0, or one of your own"):
        memory_kind("bm25")
    with pytest.raises(Misuse, match="there is no file"):
        memory_kind("nowhere.py:Diary")


FOUND = Statements([FIRST, SECOND])
CONTEXT = built(FIRST)
TRUTH = {truth.id: truth for truth in CONTEXT.truths}
OWN = frozenset(one.id for one in FIRST.attributes)


def found_in(text: str) -> tuple[Any, ...]:
    """Recall, precision, what is wrong, and what contradicts."""
    found = FOUND.remembered(text, FIRST.attributes, CONTEXT.items, TRUTH)
    return found.recall(OWN), found.precision, found.wrong, found.contradictions


def test_three_of_ten_and_one_false_is_what_it_is_and_a_second_place_contradicts() -> None:
    said = [STATEMENTS[0][1], STATEMENTS[3][1], STATEMENTS[5][1], OTHERS[2][1]]
    text = "\n".join(f"The person {one}." for one in said)
    assert found_in(text) == (pytest.approx(0.3), pytest.approx(0.75), [OTHERS[2][1]], [])
    found = found_in("As far as I know she lives in Texas.")
    assert found == (0.0, 0.0, ["lives in Texas"], ["lives in Texas"])


def test_items_handed_on_as_they_are_count_for_what_they_express() -> None:
    items = [item for item in CONTEXT.items if TRUTH[item.id].expresses[:1] == ("pets-0",)]
    text = "\n".join(item.shown() for item in items)
    assert FOUND.remembered(text, FIRST.attributes, CONTEXT.items, TRUTH).found == {"pets-0"}
    assert found_in(text) == (pytest.approx(0.1), 1.0, [], [])


def test_silence_and_noise_are_no_claims_and_what_is_denied_is_not_said() -> None:
    noise = "\n".join(item.shown() for item in CONTEXT.items if TRUTH[item.id].noise)
    for text in ("", noise, "She no longer lives in Texas.", "It was a fine morning."):
        assert found_in(text) == (0.0, None, [], [])


def home(at: Path) -> tuple[str, ...]:
    """The words of a run over two persons whose contexts lie there."""
    (at / "letter.py").write_text(LETTER)
    (at / "persons.jsonl").write_text("".join(json.dumps(one.line()) + "\n" for one in (FIRST, SECOND)))
    folder(at)
    given = ("--persons", f"{at}/persons.jsonl", "--contexts", f"{at}/contexts", "--variants", "react")
    return ("run", f"{at}/study", "--queries", f"{at}/queries.jsonl", *given, "--quiet", "--only")


def ask(at: Path, *wishes: str) -> None:
    lines = [
        {"id": f"q-{n}-{one.person_id}", "query": wish, "user_id": ANNA, "person_id": one.person_id}
        for n, wish in enumerate(wishes)
        for one in (FIRST, SECOND)
    ]
    (at / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def recalls(at: Path) -> list[dict[str, Any]]:
    with Study.open(at / "study") as study:
        units = [one for one in study.records("generation") if one.key_fields.get("what") == "memory"]
        return [{**one.result, "wanted": len(one.spec["wanted"])} for one in units]


def test_a_memory_on_the_wire_is_asked_once_however_many_tasks_there_are(tmp_path: Path) -> None:
    write_shop(str(tmp_path / "shop"), Settings())
    memory = f"memory:{tmp_path}/letter.py:Letter:500"
    words = (*home(tmp_path), "--shop", f"{tmp_path}/shop", "--settings", memory)

    def told(request: Request) -> Say:
        return (
            looked(request, "A small house near the garden would suit her well.")
            if "tools" in request.body
            else Say("Keeps a terrier.")
        )

    with Wire(told) as wire:
        model = ("--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url)
        ask(tmp_path, "One wish")
        assert drr(*words, *model) == 0
        asked = sum("tools" not in request.body for request in wire.requests)
        first = recalls(tmp_path)
        assert asked == sum(one["build"]["calls"] for one in first) > 2
        ask(tmp_path, "One wish", "Another wish", "This is too much")
        assert drr(*words, *model) == 1, "what is over the budget fails its answers, and no other"
        assert sum("tools" not in request.body for request in wire.requests) == asked
    again = [one for one in recalls(tmp_path) if one["wanted"] == 3]
    assert [one["build"]["cost_usd"] for one in again] == [0.0, 0.0]
    assert all(one["build"]["cost_usd"] > 0 for one in first)
    failures = [row["failure"] for one in again for row in one["recalls"]]
    assert sorted(map(str, failures)) == ["None"] * 4 + ["memory_over_budget"] * 2


ROOT = Path(__file__).parent.parent.parent
PACKAGE = "mem0ai==2.2.1"


def test_without_the_package_it_says_what_to_install() -> None:
    with pytest.raises(Misuse, match=re.escape(install("mem0"))):
        memory_kind("mem0")


@pytest.mark.wheel
def test_the_real_package_remembers_by_our_model_and_speaks_with_nobody_else(tmp_path: Path) -> None:
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=120)
    (packages,) = home.glob("lib/python*/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    lines = [f"import site; site.addsitedir({path!r})" for path in ours]
    (packages / "ours.pth").write_text("\n".join(lines))
    python = home / "bin" / "python"
    installing = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
    subprocess.run(installing, check=True, timeout=600)
    done = subprocess.run(
        [python, "-m", "tests.persons.mem0_on_the_wire", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["code"] == 0, done.stderr[-3000:]
    assert found["addresses"] == ["127.0.0.1"]
    assert found["asked"] == found["build"]["calls"] >= 60, "each item is told to it"
    assert found["text"] == f"User {STATEMENTS[0][1]}"
