"""Figures of a file of questions, and the dataset that others load."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import yaml
from drr.env.query import Query, read_queries
from drr.querygen.builtin import builtin_queries
from drr.querygen.dataset import FILES
from drr.querygen.stats import distinct, statistics_of
from pyarrow import parquet

from tests.commands import Drr


def test_statistics_are_those_of_the_file(
    queries: list[Query], written: Path, shop_folder: Path, drr: Drr
) -> None:
    facts = statistics_of(queries)
    assert facts["queries"] == len(queries)
    assert facts["users"] == len({query.user_id for query in queries})
    assert sum(facts["intents"].values()) == len(queries)
    assert facts["tools"]["product_catalog_search"] == sum(
        "product_catalog_search" in q.tools for q in queries
    )
    assert facts["share"]["with_facts"] == 1.0
    assert facts["similarity"]["near_duplicates"] == 0
    same = [Query(query="one two three", user_id="a"), Query(query="one two three", user_id="b")]
    assert distinct(same, 1) == 0.5
    assert distinct(same, 2) == 0.5
    assert distinct(same, 4) is None
    assert distinct(same, 1, 3) == 1.0
    assert distinct(same, 1, 100) is None
    document = drr.json("queries", "stats", written, "--shop", shop_folder)
    assert document["passing_all"] == 1.0
    assert sum(document["categories"].values()) == document["queries"]
    assert drr.out("queries", "stats", written, "--against", written).count("queries.jsonl") == 4


def test_the_dataset_holds_the_same_questions_in_every_form(written: Path, tmp_path: Path, drr: Drr) -> None:
    out = tmp_path / "dataset"
    drr.out("queries", "dataset", written, "--out", out)
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    queries = read_queries(out / "queries.jsonl")
    assert queries == read_queries(written)
    rows = parquet.read_table(out / "queries.parquet").to_pylist()
    assert [row["id"] for row in rows] == [query.id for query in queries]
    assert [row["tools"] for row in rows] == [query.tools for query in queries]
    assert json.loads(rows[0]["facts_used"]) == [fact.model_dump() for fact in queries[0].facts_used]
    card = (out / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---")[1])
    assert head["pretty_name"] == "queries"
    assert "reviewer: none" in card.lower()
    croissant = json.loads((out / "croissant.json").read_text(encoding="utf-8"))
    for file in croissant["distribution"]:
        assert file["sha256"] == sha256((out / file["contentUrl"]).read_bytes()).hexdigest()
    assert croissant["@type"] == "sc:Dataset"
    assert "http://mlcommons.org/croissant/1.0" in croissant["conformsTo"]
    for name in ("@context", "name", "description", "license", "url", "version", "datePublished", "citeAs"):
        assert croissant[name], name
    assert {"rai:dataCollection", "rai:dataLimitations", "rai:personalSensitiveInformation"} <= set(croissant)
    assert "by rules" in croissant["rai:dataCollection"]
    assert head["license"] == "apache-2.0"
    ids = [one["@id"] for one in (*croissant["distribution"], *croissant["recordSet"][0]["field"])]
    assert len(set(ids)) == len(ids)
    fields = [field["source"]["extract"]["column"] for field in croissant["recordSet"][0]["field"]]
    assert fields == list(rows[0])


def test_rejected_questions_are_left_out_and_other_folders_alone(
    queries: list[Query], tmp_path: Path, drr: Drr
) -> None:
    rejected = queries[0].model_copy(
        update={"review": queries[0].review.model_copy(update={"status": "rejected", "reviewer": "Ada"})}
    )
    path = tmp_path / "q.jsonl"
    path.write_text(rejected.model_dump_json() + "\n" + queries[1].model_dump_json() + "\n", encoding="utf-8")
    drr.out("queries", "dataset", path, "--out", tmp_path / "d")
    assert [query.id for query in read_queries(tmp_path / "d" / "queries.jsonl")] == [queries[1].id]
    path.write_text(rejected.model_dump_json() + "\n", encoding="utf-8")
    drr.err("queries", "dataset", path, "--out", tmp_path / "e")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    assert "name a new folder" in drr.err(
        "queries", "dataset", tmp_path / "d" / "queries.jsonl", "--out", tmp_path / "mine"
    )
    drr.out("queries", "builtin", "--out", tmp_path / "b.jsonl")
    assert read_queries(tmp_path / "b.jsonl") == builtin_queries()
