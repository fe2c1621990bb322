"""The folder of contexts: sizes nest, the truth stays apart, and a changed file is told and never read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.env.errors import DrrError, Misuse
from drr.papers.pdr.context import (
    BuiltContext,
    ContextItem,
    ItemTruth,
    parse_sizes,
    read_contexts,
    read_truth,
    tokens_of,
)
from drr.papers.pdr.person import Attribute, Person

from tests.persons.remembering import write_contexts

DOG = Attribute(id="pets-dogs", block="pets", statement="shares the household with a dog", basis="records")
PERSON = Person(person_id="p-1", attributes=(DOG,))
ITEMS = [
    ContextItem(
        id=f"x{9 - n}", date=f"2022-0{9 - n}-01", kind="note", text=f"Remember the treats, number {n}."
    )
    for n in range(5)
]
TRUTHS = [ItemTruth(id=item.id, expresses=("pets-dogs",)) for item in ITEMS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "contexts"
    built = BuiltContext(PERSON, ITEMS, TRUTHS, {"1k": 2, "2k": 5})
    write_contexts(path, [built], sizes={"1k": 1000, "2k": 2000})
    return path


def test_a_larger_size_holds_the_smaller_and_the_oldest_come_first(folder: Path) -> None:
    contexts = read_contexts(folder)
    small, large = (contexts.items("p-1", size) for size in contexts.sizes)
    assert set(small) == set(ITEMS[:2]) < set(large)
    assert [item.date for item in large] == sorted(item.date for item in large)
    text = contexts.text("p-1", "2k")
    assert tokens_of(text) == contexts.manifest.persons["p-1"].tokens["2k"]
    assert "pets-dogs" not in text and ITEMS[0].id not in text
    assert contexts.hash("p-1", "1k") != contexts.hash("p-1", "2k")


def test_what_too_few_items_express_is_in_the_manifest(folder: Path) -> None:
    assert read_contexts(folder).manifest.persons["p-1"].few == {"1k": {"pets-dogs": 2}}


def test_the_truth_is_read_on_its_own(folder: Path) -> None:
    contexts = read_contexts(folder)
    (folder / "p-1" / "truth.jsonl").unlink()
    assert contexts.text("p-1", "2k")
    with pytest.raises(Misuse, match="cannot be read"):
        read_truth(contexts, "p-1")


def test_the_same_items_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    built = BuiltContext(PERSON, ITEMS, TRUTHS, {"1k": 2, "2k": 5})
    write_contexts(again, [built], sizes={"1k": 1000, "2k": 2000})
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(names) == 5
    assert all((folder / name).read_bytes() == (again / name).read_bytes() for name in names)


def test_a_changed_item_is_told(folder: Path) -> None:
    path = folder / "p-1" / "items.jsonl"
    path.write_text(path.read_text().replace("treats", "sweets"))
    with pytest.raises(DrrError, match="not what the manifest names"):
        read_contexts(folder).text("p-1", "1k")


def test_a_changed_manifest_is_told(folder: Path) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    document["persons"]["p-1"]["tokens"]["1k"] += 1
    path.write_text(json.dumps(document))
    with pytest.raises(Misuse, match="was changed"):
        read_contexts(folder)


@pytest.mark.parametrize(
    ("person", "size", "told"),
    [("p-1", "4k", "it has 1k, 2k"), ("p-2", "1k", "no context of the person p-2")],
)
def test_what_is_not_there_is_misuse(folder: Path, person: str, size: str, told: str) -> None:
    with pytest.raises(Misuse, match=told):
        read_contexts(folder).text(person, size)


def test_no_folder_of_contexts_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="no folder of contexts"):
        read_contexts(tmp_path)


def test_a_strange_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(Misuse, match="not empty"):
        write_contexts(tmp_path, [], sizes={"1k": 1000})
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_sizes_are_read_as_people_write_them() -> None:
    assert parse_sizes("32k, 8k,500") == {"500": 500, "8k": 8000, "32k": 32000}
    for wrong in ("8K", "", "0k", "8k;9k", "10"):
        with pytest.raises(Misuse, match="--tokens"):
            parse_sizes(wrong)
