"""A memory that recalls nothing is told from an agent that ignores what it recalled, whoever judges and whether anybody does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.settings import Settings
from drr.papers.pdr.person import Person

from tests.agents.garden import ANNA, write_shop
from tests.commands import Drr
from tests.eval.nursery import SONNET
from tests.persons.remembering import CLUES, FIRST, SECOND, STATEMENTS, built, write_contexts
from tests.wire import Request, Say, Wire, looked

PERSON = Person(person_id="p-1", user_id=ANNA, attributes=FIRST.attributes)
QUERY = {"query": "Which bird house suits bluebirds in a small garden?", "user_id": ANNA, "person_id": "p-1"}
MEMORY = '''
class Planted:
    """Three of ten attributes, and one of somebody else."""
    def __init__(self, desk): pass
    def observe(self, items): pass
    def recall(self, task, budget):
        return "The shopper {0}. The shopper {1}. The shopper {2}. The shopper lives in Texas."


class Empty(Planted):
    def recall(self, task, budget):
        return "Nothing is known."
'''
Figures = dict[str, dict[str, dict[str, float | None]]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("attributes")
    write_shop(str(home / "shop"), Settings())
    (home / "queries.jsonl").write_text(json.dumps(QUERY))
    (home / "persons.jsonl").write_text("\n".join(json.dumps(one.line()) for one in (PERSON, SECOND)))
    write_contexts(home / "contexts", [built(PERSON), built(SECOND)], sizes={"2k": 2000})
    said = [statement for _, statement in (STATEMENTS[0], STATEMENTS[4], STATEMENTS[5])]
    (home / "planted.py").write_text(
        MEMORY.replace("{0}", said[0]).replace("{1}", said[1]).replace("{2}", said[2])
    )
    return home


def listens(request: Request) -> Say:
    """Tells its reader of the terrier where it was told of one, and of Texas where it was told of that."""
    body = json.dumps(request.body)
    report = "The cedar house lasts 9 years."
    if STATEMENTS[0][1] in body or CLUES[0] in body:
        report += " Hang it out of reach of your terrier."
    if "lives in Texas" in body:
        report += " As you live in Texas, give it shade."
    return looked(request, report)


def ignores(request: Request) -> Say:
    return looked(request, "The cedar house lasts 9 years.")


Figure = Callable[..., Figures]


@pytest.fixture
def figures(home: Path, drr: Drr) -> Figure:
    """The report of a study that is run, if an agent is given, by these settings."""

    def told(
        at: Path, *settings: str, agent: Callable[[Request], Say] = listens, contexts: Path | None = None
    ) -> Figures:
        files = {name: home / f"{name}.jsonl" for name in ("queries", "persons")}
        files |= {"shop": home / "shop", "contexts": contexts or home / "contexts"}
        words = [word for name, path in files.items() for word in (f"--{name}", path)]
        words += ["--settings", ",".join(settings), "--variants", "react", "--model", SONNET, "--quiet"]
        with Wire(agent) as wire:
            if settings:
                drr.out("run", at, *words, "--base-url", wire.url)
        return dict(drr.json("report", at)["metrics"])

    return told


def values(figures: Figures, system: str) -> dict[str, float | None]:
    own = {name: v["value"] for name, v in figures[system].items() if name.startswith("att_")}
    return {name.removeprefix("att_"): value for name, value in own.items()}


def test_a_bad_memory_is_told_from_an_agent_that_ignores_a_good_one(
    home: Path, tmp_path: Path, figures: Figure
) -> None:
    planted, empty = f"memory:{home}/planted.py:Planted", f"memory:{home}/planted.py:Empty"
    found = figures(tmp_path / "a", "task", "persona", "context:2k", planted, empty, "records")
    good = values(found, "react@memory:planted.py:Planted:32k")
    assert (good.pop("given_tokens") or 0) > 20
    assert good == {"given": 0.3, "given_precision": 0.75, "given_contradictions": 1, "told": 0.1, "used": 1 / 3,
                    "told_precision": 0, "told_contradictions": 1}  # fmt: skip
    bad = values(found, "react@memory:planted.py:Empty:32k")
    assert (bad["given"], bad["given_precision"], bad["told"], bad["used"]) == (0, None, 0, None)
    persona = values(found, "react@persona")
    assert (persona["given"], persona["told"], persona["used"]) == (1, 0.1, 0.1)
    assert "given_precision" not in persona
    context = values(found, "react@context:2k")
    assert (context["given"], context["used"]) == (1, 0.1)
    for system in ("react@task", "react"):
        assert set(values(found, system)) == {"told", "told_precision", "told_contradictions"}
        assert values(found, system)["told"] == 0

    deaf = values(figures(tmp_path / "b", planted, agent=ignores), "react@memory:planted.py:Planted:32k")
    assert (deaf["given"], deaf["used"]) == (0.3, 0)


def test_what_was_given_is_unknown_once_its_contexts_are_others(tmp_path: Path, figures: Figure) -> None:
    at, own = tmp_path / "study", tmp_path / "contexts"
    write_contexts(own, [built(PERSON)], sizes={"2k": 2000})
    assert values(figures(at, "context:2k", contexts=own), "react@context:2k")["given"] == 1
    write_contexts(own, [built(PERSON, 2)], sizes={"2k": 2000})
    changed = values(figures(at), "react@context:2k")
    assert (changed["given"], changed["used"], changed["given_tokens"]) == (None, None, None)
    assert changed["told"] == 0.1
