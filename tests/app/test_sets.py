"""A frozen set has one hash, no figure of another stands beside its own, and a sealed one is proved by its seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.sets import read_set
from drr.env.query import read_queries

from tests.commands import Drr

AXES = "products = 60\nusers = 30\nreviews = 900\nkinds = 6\npages = 4\nquestions = 2\n"
RUN = ("--variants", "react", "--model", "offline", "--quiet")


@pytest.fixture
def made(drr: Drr, tmp_path: Path) -> Path:
    (tmp_path / "axes.toml").write_text(AXES)
    drr.json("shop", "make", "--seed", 3, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "made")
    return tmp_path / "made"


def test_a_set_is_run_by_its_folder_and_its_figures_stand_alone(drr: Drr, made: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one-v1", tmp_path / "one-v2"
    frozen = drr.json("queries", "freeze", "one-v1", "--made", made, "--out", one)
    drr.json("queries", "freeze", "one-v2", "--made", made, "--out", two, "--with-truth")
    assert json.loads((one / "set.json").read_text())["content_hash"] == frozen["content_hash"]
    assert [query.checkable for query in read_queries(one / "queries.jsonl")] == [None, None]
    assert all(query.checkable for query in read_queries(two / "queries.jsonl"))
    assert json.loads((one / "croissant.json").read_text())["license"].endswith("Apache-2.0")
    study, other, bare = tmp_path / "study", tmp_path / "other", tmp_path / "bare"
    drr.out("run", study, "--set", one, "--shop", made / "shop", *RUN)
    drr.out("run", study, *RUN)
    assert read_set(one).label in (study / "study.toml").read_text()
    drr.out("run", other, "--set", two, "--shop", made / "shop", *RUN)
    drr.out("run", bare, "--queries", one / "queries.jsonl", "--shop", made / "shop", *RUN)
    for words in (
        ("run", study, "--set", two),
        ("run", bare, "--set", one),
        ("study", "gate", study, "--against", other),
        ("study", "gate", study, "--against", bare),
    ):
        assert "stand in no table together" in drr.err(*words)
    assert "one-v1" in drr.err("run", study, "--queries", two / "queries.jsonl")


def test_a_changed_set_is_refused_and_a_frozen_one_is_not_written_again(
    drr: Drr, made: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "one-v1"
    words = ("queries", "freeze", "one-v1", "--made", made, "--out", folder)
    drr.json(*words)
    assert "never changes" in drr.err(*words)
    assert "retail-v1" in drr.err("queries", "freeze", "one", "--made", made, "--out", tmp_path / "x")
    run = ("run", tmp_path / "study", "--set", folder, "--shop", made / "shop", *RUN)
    queries, manifest = folder / "queries.jsonl", folder / "set.json"
    queries.write_text(queries.read_text().replace("?", "!").replace(".", "!"))
    assert "not questions and web of one-v1" in drr.err(*run, code=1)
    manifest.write_text(manifest.read_text().replace("Apache-2.0", "MIT"))
    assert "changed after it was frozen" in drr.err(*run, code=1)
    (made / "queries.jsonl").write_text("")
    assert "were changed" in drr.err("queries", "freeze", "two-v1", "--made", made, "--out", tmp_path / "y")


def test_a_sealed_set_tells_no_seed_and_its_seal_proves_it(drr: Drr, made: Path, tmp_path: Path) -> None:
    folder, seal = tmp_path / "one-v1", tmp_path / "one-v1.seal.json"
    drr.json("queries", "freeze", "one-v1", "--made", made, "--out", folder, "--sealed")
    assert [path.name for path in folder.iterdir()] == ["set.json"]
    assert json.loads((folder / "set.json").read_text())["made"] is None
    assert seal.stat().st_mode & 0o77 == 0
    assert drr.json("queries", "reveal", folder, "--seal", seal)["problems"] == []
    run = ("run", tmp_path / "study", "--set", folder, "--shop", made / "shop", *RUN)
    assert "sealed" in drr.err(*run)
    drr.out(*run, "--queries", made / "queries.jsonl", "--sandbox", made / "web")
    kept = json.loads(seal.read_text())
    for spoil in (kept | {"nonce": "0"}, kept | {"made": kept["made"] | {"seed": 4}}):
        seal.write_text(json.dumps(spoil))
        assert "not the one" in drr.out("queries", "reveal", folder, "--seal", seal, code=1)
