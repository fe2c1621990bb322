"""Personas in PDR-Bench's form: each leaf an attribute, nobody's name among them, and back without a change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.papers.pdr.person import read_persons

from tests.cases import cases
from tests.commands import Drr, drr

PERSONA: dict[str, Any] = cases("persons", "PERSONA")


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    return path


def test_each_leaf_is_an_attribute_and_who_it_is_stays_outside(tmp_path: Path, drr: Drr) -> None:
    source = written(tmp_path / "in.jsonl", {"userid": "u1", "persona": PERSONA, "language": "en"})
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
    source = written(tmp_path / "in.jsonl", {"userid": 7, "persona": PERSONA}, PERSONA["Lifestyle"])
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
    source = written(tmp_path / "in.jsonl", {"id": "u1", "a": {"b": "c"}}, "", line)
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
