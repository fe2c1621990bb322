"""Persons: their file and PDR-Bench's form, the queries that name them, their shop, and the command that makes and checks them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from drr.app.study.questions import joined_queries
from drr.env.errors import Misuse
from drr.env.query import PAIRING, Query, read_queries
from drr.env.settings import Settings
from drr.papers.pdr.person import Person, read_persons
from drr.querygen.dataset import Publication, write_dataset
from pyarrow import parquet

from tests.agents.garden import ANNA, write_shop
from tests.cases import cases
from tests.commands import Drr, drr

DOG = {"id": "pets-1", "block": "pets", "statement": "keeps a large dog", "basis": "records"}
LINE = {"person_id": "p1", "user_id": "AE1", "attributes": [{**DOG, "evidence": [{"order_id": "O-1"}]}]}


def written(folder: Path, *lines: object) -> Path:
    path = folder / "persons.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_a_person_reads_as_it_was_written(tmp_path: Path) -> None:
    person = read_persons(written(tmp_path, LINE))["p1"]
    assert person.attributes[0].evidence[0].order_id == "O-1"
    assert Person.model_validate_json(person.model_dump_json()) == person


def test_the_hash_is_of_what_is_known_not_of_where_it_was_found(tmp_path: Path) -> None:
    person = read_persons(written(tmp_path, LINE))["p1"]
    elsewhere = read_persons(written(tmp_path, {**LINE, "seed": 3, "attributes": [DOG]}))["p1"]
    other = read_persons(written(tmp_path, {**LINE, "attributes": [{**DOG, "statement": "keeps a cat"}]}))[
        "p1"
    ]
    assert person.content_hash == elsewhere.content_hash != other.content_hash


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["{"], "line 1: not JSON"),
        ([LINE, LINE], "line 2: the person p1 is there already"),
        ([{**LINE, "attributes": [DOG, DOG]}], "line 1: .*pets-1 stands there twice"),
        ([{**LINE, "attributes": [{**DOG, "basis": "guessed"}]}], "line 1: attributes.0.basis"),
        ([{**LINE, "name": "Ann"}], "line 1: name: no such field"),
        ([{**LINE, "schema_version": 2}], "line 1: written by a newer version"),
        ([""], "holds no person"),
    ],
)
def test_what_is_no_person_is_named(tmp_path: Path, lines: list[object], told: str) -> None:
    with pytest.raises(Misuse, match=told):
        read_persons(written(tmp_path, *lines))


PERSONA: dict[str, Any] = cases("persons", "PERSONA")


def persona_lines(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    return path


def test_each_leaf_is_an_attribute_and_who_it_is_stays_outside(tmp_path: Path, drr: Drr) -> None:
    source = persona_lines(tmp_path / "in.jsonl", {"userid": "u1", "persona": PERSONA, "language": "en"})
    out = tmp_path / "persons.jsonl"
    assert drr.json("papers", "persons", "import", source, "--out", out)["left_out"] == cases(
        "persons", "test_each_leaf_is_an_attribute_and_who_it_is_stays_outside"
    )
    person = read_persons(out)["u1"]
    told = {(one.id, one.block, one.statement) for one in person.attributes}
    diets = {one.id for one in person.attributes if one.statement == "diet: light"}
    assert {one for one in told if one[0] not in diets} == {
        ("basic-attributes-age", "basic_attributes", "Age: 34"),
        ("basic-attributes-city", "basic_attributes", "City: Leeds"),
        ("behaviour-environment-devices-1-brand", "behaviour", "Environment, Devices, 1, brand: Nokton"),
        ("behaviour-environment-devices-1-owned", "behaviour", "Environment, Devices, 1, owned: yes"),
        ("behaviour-environment-devices-2-brand", "behaviour", "Environment, Devices, 2, brand: Ferro"),
        ("behaviour-decision-style", "behaviour", "decision Style: compares for weeks"),
        ("lifestyle-diet", "lifestyle", "Diet: vegetarian; no nuts"),
        ("兴趣-音乐", "兴趣", "音乐: 爵士乐"),
    }
    assert len(diets) == 1
    assert {one.basis for one in person.attributes} == {"imported"}
    assert "Mia" not in out.read_text()
    assert drr("papers", "persons", "check", out)[0] == 0


def test_an_exported_file_is_read_back_to_the_same_attributes(tmp_path: Path, sample_persons: Path) -> None:
    first, there, back = (tmp_path / name for name in ("a.jsonl", "there.jsonl", "back.jsonl"))
    source = persona_lines(tmp_path / "in.jsonl", {"userid": 7, "persona": PERSONA}, PERSONA["Lifestyle"])
    assert drr("papers", "persons", "import", source, "--out", first) == 0
    assert drr("papers", "persons", "export", first, "--out", there) == 0
    assert drr("papers", "persons", "import", there, "--out", back) == 0
    assert list(read_persons(back)) == ["7", "persona-2"]
    assert back.read_bytes() == first.read_bytes()
    assert drr("papers", "persons", "export", sample_persons, "--out", there) == 0
    assert drr("papers", "persons", "import", there, "--out", back) == 0
    persons = read_persons(sample_persons)
    assert all(person.user_id not in there.read_text() for person in persons.values() if person.user_id)
    for person in read_persons(back).values():
        before = [one for one in persons[person.person_id].attributes if one.basis != "invented"]
        assert {(one.id, one.block, one.statement, one.names) for one in person.attributes} == {
            (one.id, one.block, one.statement, one.names) for one in before
        }
    assert drr("papers", "persons", "check", back) == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"persona": ', "not JSON"),
        ("[1]", "not an object"),
        ('{"id": 1, "a": {"b": 1, "b": 2}}', "'b' stands there twice"),
        ('{"id": {}, "a": {"b": 1}}', "id: neither"),
        ('{"id": "x/y", "a": {"b": 1}}', "slash"),
        ('{"id": "u1", "a": {"b": 1}}', "there already"),
        ('{"id": "Tom", "a": {"name": "Tom Reed", "b": 1}}', "the person's name"),
        ('{"id": "u2", "a": {"name": "Tom"}}', "nothing"),
        ('{"id": "u2", "form": "drr-persona-9", "persona": {}}', "drr-persona-9"),
        ('{"id": "u2", "form": "drr-persona-1", "persona": {"a": {"b": 3}}}', "string"),
        ('{"id": "u2", "persona": 3}', "not an object"),
        ('{"id": "u2", "a": ' + '{"a":' * 30 + "1" + "}" * 31, "nested deeper"),
    ],
)
def test_a_malformed_line_is_named_and_changes_nothing(
    line: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "persons.jsonl"
    out.write_text("as it was")
    source = persona_lines(tmp_path / "in.jsonl", {"id": "u1", "a": {"b": "c"}}, "", line)
    assert drr("papers", "persons", "import", source, "--out", out) == 2
    error = capsys.readouterr().err
    assert "line 3: " in error
    assert told in error
    assert error.count("\n") == 1
    assert out.read_text() == "as it was"


def test_what_is_invented_is_not_handed_on_as_anybodys(tmp_path: Path, drr: Drr) -> None:
    held = [
        {"id": "pets-dogs", "block": "pets", "statement": "keeps a dog", "basis": "records", "evidence": [{"order_id": "O1"}]},
        {"id": "job-1", "block": "job", "statement": "teaches", "basis": "invented"},
    ]  # fmt: skip
    (tmp_path / "p.jsonl").write_text(json.dumps({"person_id": "p1", "attributes": held}))
    assert "1 invented attributes left out" in drr.out(
        "papers", "persons", "export", tmp_path / "p.jsonl", "--out", tmp_path / "there.jsonl"
    )
    text = (tmp_path / "there.jsonl").read_text()
    assert "keeps a dog" in text and "teaches" not in text


PLAIN = Query(query="Which feeder keeps squirrels away from the seed?", user_id="U1")
PAIRED = Query(query=PLAIN.query, user_id="U2", task_id="birds-1", person_id="p-2")


def test_a_line_carries_both_and_older_lines_keep_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("".join(q.model_dump_json(exclude_none=True) + "\n" for q in (PLAIN, PAIRED)))
    assert read_queries(path) == [PLAIN, PAIRED]
    for written in (PLAIN.model_dump(), PLAIN.model_dump(mode="json"), json.loads(PLAIN.model_dump_json())):
        assert not written.keys() & set(PAIRING)
    assert PLAIN.id != PAIRED.id
    assert PAIRED.model_dump()["task_id"] == "birds-1"


@pytest.mark.parametrize("field", PAIRING)
def test_ids_of_a_pair_are_harmless(field: str, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"query": "a", "user_id": "u", field: "../x"}) + "\n")
    with pytest.raises(Misuse, match=f"line 1: {field}: "):
        read_queries(path)


def test_a_query_is_not_asked_by_two_persons(tmp_path: Path) -> None:
    other = PAIRED.model_copy(update={"person_id": "p-3"})
    with pytest.raises(Misuse, match="by the person p-3"):
        joined_queries([PAIRED], [other], tmp_path / "q.jsonl", tmp_path)
    late = PAIRED.model_copy(update={"task_id": None, "person_id": None})
    assert joined_queries([late], [PAIRED], tmp_path / "q.jsonl", tmp_path) == [PAIRED]


def test_a_dataset_has_their_columns_only_where_somebody_fills_them(tmp_path: Path) -> None:
    about = Publication(name="pairs", date="2026-01-01", license="Apache-2.0")
    for name, queries in (("plain", [PLAIN]), ("paired", [PLAIN, PAIRED])):
        write_dataset(tmp_path / name, queries, about, source="here")
    assert not set(parquet.read_schema(tmp_path / "plain" / "queries.parquet").names) & set(PAIRING)
    table = parquet.read_table(tmp_path / "paired" / "queries.parquet").to_pylist()
    assert [row["person_id"] for row in table] == [None, "p-2"]


def test_the_shop_of_the_persons_is_found_by_its_content_and_a_strangers_is_named_first(
    sample_shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sample_shop, "mine")
    assert drr("papers", "persons", "build", "--shop", "mine", "--out", "p.jsonl", "--users", "1") == 0
    built = ("papers", "context", "build", "p.jsonl", "--tokens", "2k", "--out", "c", "--quiet")
    assert drr(*built) == 0
    told = capsys.readouterr()
    assert "of the shop mine" in told.err
    assert "drr papers context check c --shop mine" in told.out

    shutil.move("mine", "strange")
    assert drr(*built) == 2
    assert "not named before; --shop strange" in capsys.readouterr().err
    shutil.rmtree("strange")
    assert drr(*built) == 2
    assert "give the shop of these persons with --shop" in capsys.readouterr().err


def test_a_study_finds_it_too(
    sample_shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sample_shop, "mine")
    assert drr("papers", "persons", "build", "--shop", "mine", "--out", "p.jsonl", "--users", "1") == 0
    capsys.readouterr()
    (tmp_path / "q.jsonl").write_text('{"query": "Which bed suits a cat?", "user_id": "-"}')
    asked = ("run", "study", "--queries", "q.jsonl", "--variants", "react", "--settings", "task", "--dry-run")
    assert drr(*asked) == 2
    assert "needs --shop" in capsys.readouterr().err
    assert drr(*asked, "--persons", "p.jsonl") == 0
    assert "of the shop mine" in capsys.readouterr().err


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("persons") / "shop"
    write_shop(str(folder), Settings())
    return folder


@pytest.fixture(scope="module")
def built(shop: Path) -> Path:
    path = shop.parent / "persons.jsonl"
    assert drr("papers", "persons", "build", "--shop", shop, "--out", path, "--min-orders", "1") == 0
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
    assert drr("papers", "persons", "build", "--shop", shop, "--out", again, "--min-orders", "1") == 0
    assert again.read_bytes() == built.read_bytes()


def test_show_and_stats_read_it(built: Path, drr: Drr) -> None:
    assert "lives in Oklahoma  [records: user.address.state]" in drr.out("papers", "persons", "show", built)
    assert drr.json("papers", "persons", "stats", built)["by_block"]["place"] == {"records": 2}


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
    assert drr("papers", "persons", "check", built, "--shop", shop)[0] == 0
    found = drr.json("papers", "persons", "check", path, "--shop", shop, code=1)["problems"]
    assert check in {problem["check"] for problem in found}


def test_misuse_is_one_line(shop: Path, tmp_path: Path, drr: Drr) -> None:
    out = tmp_path / "p.jsonl"
    assert "no user 'nobody'" in drr.err(
        "papers", "persons", "build", "--shop", shop, "--out", out, "--user", "nobody", code=1
    )
    assert drr("papers", "persons", "show", out)[0] == 2
    assert not out.exists()
