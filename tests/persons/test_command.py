"""`drr papers persons`: what it writes it reads, and what does not hold is said with the person and the check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.env.settings import Settings
from drr.papers.pdr.person import read_persons

from tests.agents.garden import ANNA, write_shop
from tests.cases import cases
from tests.commands import Drr, drr


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("persons") / "shop"
    write_shop(str(folder), Settings())
    return folder


@pytest.fixture(scope="module")
def built(shop: Path) -> Path:
    path = shop.parent / "persons.jsonl"
    assert drr("persons", "build", "--shop", shop, "--out", path, "--min-orders", "1") == 0
    return path


def test_a_person_holds_no_user_id_but_in_its_field(built: Path) -> None:
    persons = read_persons(built)
    assert len(persons) == 2
    anna = next(person for person in persons.values() if person.user_id == ANNA)
    assert [one.statement for one in anna.attributes] == ["lives in Oklahoma"]
    assert ANNA not in anna.person_id
    assert "Norman" not in built.read_text() and "Ortiz" not in built.read_text()


def test_the_same_seed_gives_the_same_bytes(built: Path, shop: Path) -> None:
    again = built.with_name("again.jsonl")
    assert drr("persons", "build", "--shop", shop, "--out", again, "--min-orders", "1") == 0
    assert again.read_bytes() == built.read_bytes()


def test_show_and_stats_read_it(built: Path, drr: Drr) -> None:
    assert "lives in Oklahoma  [records: user.address.state]" in drr.out("persons", "show", built)
    assert drr.json("persons", "stats", built)["by_block"]["place"] == {"records": 2}


@pytest.mark.parametrize(
    ("attribute", "check"),
    cases("persons", "test_what_does_not_hold_is_told"),
    ids=["an order of another", "no order", "a name", "two places", "no quotation"],
)
def test_what_does_not_hold_is_told(
    attribute: dict[str, object],
    check: str,
    built: Path,
    shop: Path,
    tmp_path: Path,
    drr: Drr,
) -> None:
    lines = [json.loads(line) for line in built.read_text().splitlines()]
    line = next(line for line in lines if line["user_id"] == ANNA)
    line["attributes"].append({"block": "goods", "basis": "records", **attribute})
    path = tmp_path / "spoilt.jsonl"
    path.write_text(json.dumps(line))
    assert drr("persons", "check", built, "--shop", shop)[0] == 0
    found = drr.json("persons", "check", path, "--shop", shop, code=1)["problems"]
    assert check in {problem["check"] for problem in found}


def test_misuse_is_one_line(shop: Path, tmp_path: Path, drr: Drr) -> None:
    out = tmp_path / "p.jsonl"
    assert "no user 'nobody'" in drr.err(
        "persons", "build", "--shop", shop, "--out", out, "--user", "nobody", code=1
    )
    assert drr("persons", "show", out)[0] == 2
    assert not out.exists()
