"""A query that came of a task and a person names both; one that did not is written as ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.plans import joined_queries
from drr.env.errors import Misuse
from drr.env.query import PAIRING, Query, read_queries
from drr.querygen.dataset import Publication, write_dataset
from pyarrow import parquet

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
