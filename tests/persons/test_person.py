"""The file of persons: what is well formed is read, what is not is named by file and line, and nothing is skipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.env.errors import Misuse
from drr.papers.pdr.person import Person, read_persons

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
