"""A frozen set has one hash, no figure of another stands beside its own, and a sealed one is proved by its seed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from drr.app.study.frozen_sets import LEAST_SEALED, FrozenSet, place_of_set, read_set
from drr.env.checkable import Wording
from drr.env.query import read_queries
from drr.env.settings import resolve
from drr.querygen.files import write_queries

from tests import commands
from tests.commands import Drr
from tests.once import made_once
from tests.sources import ROOT

AXES = "products = 60\nusers = 30\nreviews = 900\nkinds = 6\npages = 4\nquestions = 2\n"
RUN = ("--variants", "react", "--model", "offline", "--quiet")


def _make(home: Path) -> None:
    (home / "axes.toml").write_text(AXES)
    words = ("--seed", 3, "--axes", home / "axes.toml", "--out", home / "made", "--quiet")
    assert commands.drr("shop", "make", *words) == 0


@pytest.fixture
def made(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    shutil.copytree(made_once("of-sets", tmp_path_factory, _make), tmp_path, dirs_exist_ok=True)
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
    frozen_set = read_set(one)
    label = frozen_set.label(frozen_set.parts[0], resolve({}, environ={}).settings)
    assert label in (study / "study.toml").read_text()
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


def test_a_changed_set_is_refused(drr: Drr, made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "one-v1"
    words = ("queries", "freeze", "one-v1", "--made", made, "--out", folder)
    drr.json(*words)
    assert "never changes" in drr.err(*words)
    assert "mine-v1" in drr.err("queries", "freeze", "one", "--made", made, "--out", tmp_path / "x")
    run = ("run", tmp_path / "study", "--set", folder, "--shop", made / "shop", *RUN)
    queries, manifest = folder / "made" / "queries.jsonl", folder / "set.json"
    queries.write_text(queries.read_text().replace("?", "!").replace(".", "!"))
    assert "is not the file of the 2 questions of one-v1 made" in drr.err(*run, code=1)
    manifest.write_text(manifest.read_text().replace("Apache-2.0", "MIT"))
    assert "changed after it was frozen" in drr.err(*run, code=1)
    (made / "queries.jsonl").write_text("")
    assert "were changed" in drr.err("queries", "freeze", "two-v1", "--made", made, "--out", tmp_path / "y")


@pytest.mark.slow
def test_a_sealed_set_of_several_shops_tells_no_seed(drr: Drr, made: Path, tmp_path: Path) -> None:
    folder, seal, hidden = tmp_path / "two-v1", tmp_path / "two-v1.seal.json", tmp_path / "hidden"
    axes = ("--axes", tmp_path / "axes.toml")
    freeze = ("queries", "freeze", "two-v1", "--out", folder, "--made", made)
    assert "be found by trying" in drr.err(*freeze[:-2], "--sealed", made)
    assert "two parts have one name" in drr.err(*freeze, "--made", made)
    drr.json("shop", "make", "--seed", LEAST_SEALED + 3, *axes, "--out", hidden)
    assert drr.json(*freeze, "--sealed", hidden)["parts"][0]["made"]["seed"] == 3
    assert not list(folder.glob("hidden*"))
    assert str(LEAST_SEALED + 3) not in (folder / "set.json").read_text()
    assert (len(read_queries(folder / "queries.jsonl")), read_set(folder).count) == (2, 4)
    assert seal.stat().st_mode & 0o77 == 0
    assert drr.json("queries", "reveal", folder, "--seal", seal)["problems"] == []
    (aside := tmp_path / "aside").mkdir()
    words = [sys.executable, "-m", "drr", "queries", "reveal", str(folder), "--seal", str(seal)]
    revealing = subprocess.Popen(words, env={**os.environ, "TMPDIR": str(aside)}, stderr=subprocess.PIPE)
    while not list(aside.glob("*/*")):
        assert revealing.poll() is None
        time.sleep(0.01)
    revealing.terminate()
    assert b"SIGTERM" in revealing.communicate()[1]
    assert not list(aside.iterdir()), "the shop of the seal is left behind"
    run = ("run", tmp_path / "study", "--set", folder, *RUN)
    assert "made, hidden" in drr.err(*run)
    assert "sealed" in drr.err(*run, "--shop", hidden / "shop")
    own = ("--queries", hidden / "queries.jsonl")
    assert "is not the file of the" in drr.err(*run, "--shop", made / "shop", *own, code=1)
    drr.out(*run, "--shop", hidden / "shop", *own)
    drr.out("run", tmp_path / "open", "--set", folder, "--shop", made / "shop", *RUN)
    gate = ("study", "gate", tmp_path / "study", "--against", tmp_path / "open")
    assert "stand in no table together" in drr.err(*gate)
    kept = json.loads(seal.read_text())
    one = kept["parts"]["hidden"]
    for spoil in (one | {"nonce": "0"}, one | {"made": one["made"] | {"seed": 4}}):
        seal.write_text(json.dumps(kept | {"parts": {"hidden": spoil}}))
        assert "not the one" in drr.out("queries", "reveal", folder, "--seal", seal, code=1)


def _worded(queries: Path) -> None:
    """Have the questions of a file worded, as a model leaves them."""
    of = Wording(writer="m:w", readers=["m:r"], prompts={}, writings=1, values=1, literal=0)
    asked = read_queries(queries)
    for query in asked:
        assert query.checkable
        query.checkable = query.checkable.model_copy(update={"worded": of})
    write_queries(queries, asked)


@pytest.mark.slow
def test_a_sealed_part_of_worded_questions_lies_encrypted_in_the_set(
    drr: Drr, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Fernet.generate_key
    keys = iter([b"-" + real()[1:], *(real().replace(b"-", b"x") for _ in range(3))])
    monkeypatch.setattr(Fernet, "generate_key", lambda: next(keys))
    hidden, folder, opened = tmp_path / "hidden", tmp_path / "two-v2", tmp_path / "opened"
    axes = ("--axes", tmp_path / "axes.toml")
    drr.out("shop", "make", "--seed", LEAST_SEALED + 5, *axes, "--out", hidden, "--quiet")
    _worded(hidden / "queries.jsonl")
    text, asked = (hidden / "queries.jsonl").read_text(), read_queries(hidden / "queries.jsonl")
    frozen = drr.json("queries", "freeze", "two-v2", "--sealed", hidden, "--out", folder)
    key = frozen.pop("key")
    assert frozen["parts"][0]["count"] == 2
    every = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not any(one.query.encode() in every or one.user_id.encode() in every for one in asked)
    assert key.encode() not in every + (tmp_path / "two-v2.seal.json").read_bytes()
    reveal = ("queries", "reveal", folder)
    assert drr.json(*reveal, "--key", key, "--out", opened)["problems"] == []
    assert (opened / "hidden" / "queries.jsonl").read_text() == text
    assert drr.json(*reveal, "--seal", tmp_path / "two-v2.seal.json")["problems"] == []
    assert "does not open it" in drr.err(*reveal, "--key", key[:-3] + "aa=")
    assert "give --seal" in drr.err(*reveal)
    (hidden / "queries.jsonl").write_text(text.replace("1. ", "1.  "))
    other = drr.json("queries", "freeze", "two-v3", "--sealed", hidden, "--out", tmp_path / "two-v3")
    assert other["parts"][0]["commitment"] != frozen["parts"][0]["commitment"]
    sealed = folder / "hidden" / "queries.sealed"
    sealed.write_bytes((tmp_path / "two-v3" / "hidden" / "queries.sealed").read_bytes())
    problems = drr.json(*reveal, "--key", other["key"], code=1)["problems"]
    assert problems and "hidden" in problems[0]


def test_the_shop_of_a_part_is_made_by_its_name(drr: Drr, made: Path, tmp_path: Path) -> None:
    folder, again = tmp_path / "one-v1", tmp_path / "again"
    part = drr.json("queries", "freeze", "one-v1", "--made", made, "--out", folder)["parts"][0]
    shop = drr.json("shop", "make", "--of", f"{folder}/{part['name']}", "--out", again)
    assert (shop["shop"], shop["seed"]) == (part["shop"], part["made"]["seed"])
    assert (again / "queries.jsonl").read_bytes() == (made / "queries.jsonl").read_bytes()
    assert "these parts: made" in drr.err("shop", "make", "--of", f"{folder}/other", "--out", tmp_path / "x")
    frozen = read_set(folder)
    worded = [frozen.parts[0].model_copy(update={"questions": "0" * 64})]
    manifest = frozen.model_copy(update={"parts": worded}).hashed().model_dump_json()
    (folder / "set.json").write_text(manifest)
    told = drr.out("shop", "make", "--of", f"{folder}/made", "--out", tmp_path / "worded")
    assert "its questions: 2, which a model worded" in told and f"--set {folder} --shop" in told
    assert "benchmarks" not in told, "it is no set of ours"
    for named in ("retail-v9/x", "x"):
        err = drr.err("shop", "make", "--of", named, "--out", tmp_path / "x", code=2)
        assert "there is no set" in err and "retail-v3" in err
    sealed = drr.err("shop", "make", "--of", "retail-v3/sealed-1", "--out", tmp_path / "x")
    assert "these parts: open-1, open-2" in sealed
    twice = ("--of", f"{folder}/made", "--axes", tmp_path / "axes.toml", "--out", tmp_path / "x")
    assert "leave --axes out" in drr.err("shop", "make", *twice)


def test_a_shop_without_a_seed_is_a_part(drr: Drr, made: Path, sample_home: Path, tmp_path: Path) -> None:
    (made / "made.json").unlink()
    folder = tmp_path / "own-v1"
    part = drr.json("queries", "freeze", "own-v1", "--made", made, "--out", folder)["parts"][0]
    assert (part["name"], part["count"], part["made"], part["commitment"]) == ("made", 2, None, None)
    run = ("run", tmp_path / "study", "--set", folder, *RUN)
    assert "is no shop of own-v1, whose parts are made" in drr.err(*run, "--shop", sample_home / "shop")
    (tmp_path / "q.jsonl").symlink_to(made / "queries.jsonl")
    drr.out(*run, "--shop", made / "shop", "--queries", tmp_path / "q.jsonl")
    assert all(query.checkable for query in read_queries(tmp_path / "study" / "queries.jsonl"))


def test_figures_of_other_rules_have_another_label(drr: Drr, made: Path, tmp_path: Path) -> None:
    folder, settings = tmp_path / "one-v1", resolve({}, environ={}).settings
    drr.json("queries", "freeze", "one-v1", "--made", made, "--out", folder)
    frozen = read_set(folder)
    older = frozen.model_copy(update={"versions": {**frozen.versions, "rules": "0"}})
    label = frozen.label(frozen.parts[0], settings)
    assert older.label(frozen.parts[0], settings).startswith(f"{label} with other rules ")
    released = frozen.model_copy(update={"versions": {**frozen.versions, "drr": "9.9"}})
    assert released.label(frozen.parts[0], settings) == label


def test_baselines_stand_beside_the_figures_of_a_set(drr: Drr, made: Path, tmp_path: Path) -> None:
    folder, study = tmp_path / "one-v1", tmp_path / "study"
    freeze = ("queries", "freeze", "one-v1", "--made", made, "--out", folder)
    assert "not NAME=REWARD" in drr.err(*freeze, "--baseline", "lines")
    drr.json(*freeze, "--baseline", "lines=0.118", "--baseline", "parser=0.4")
    drr.out("run", study, "--set", folder, "--shop", made / "shop", *RUN)
    drr.out("report", study, "--out", tmp_path / "report")
    pages = [path.read_text() for path in (tmp_path / "report").rglob("*.html")]
    assert any("(lines 0.118, parser 0.400)" in page for page in pages)
    frozen = read_set(folder)
    older = frozen.model_copy(update={"versions": {**frozen.versions, "rewards": "0"}})
    label = older.label(frozen.parts[0], resolve({}, environ={}).settings)
    assert label.endswith("(lines 0.118, parser 0.400 by earlier rewards)")


def test_scripted_baselines_answer_the_questions(drr: Drr, made: Path, tmp_path: Path) -> None:
    study, scored = tmp_path / "study", tmp_path / "scored.jsonl"
    own = [f"{ROOT}/examples/baselines/{name}.py:{name}" for name in ("lines", "parser")]
    named = ("--shop", made / "shop", "--sandbox", made / "web", "--queries", made / "queries.jsonl")
    drr.out("run", study, *named, "--model", "offline", "--variants", ",".join(own), "--quiet")
    drr.out("judges", "regrade", study, "--out", scored)
    rows = [json.loads(line) for line in scored.read_text().splitlines()]
    assert len(rows) == 4
    assert all(row["form"] for row in rows)


def assert_released(frozen: FrozenSet) -> None:
    """A set is frozen in a release. Between two releases a version may be raised, which the label says."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("## Unreleased")[2].partition("\n## ")[0]
    label = frozen.label(frozen.parts[0], resolve({}, environ={}).settings)
    assert changes.strip() or "with other" not in label, "a version was raised since: freeze the set anew"


def test_the_own_set_is_half_sealed_and_tells_no_truth() -> None:
    own = place_of_set(Path("retail-v3"))
    frozen, shown = read_set(own), read_queries(own / "queries.jsonl")
    assert (frozen.count, len(shown)) == (364, 114)
    assert all(query.checkable is None for query in shown)
    assert_released(frozen)


@pytest.mark.long
def test_the_truth_of_the_own_set_scores_its_answers(drr: Drr, tmp_path: Path) -> None:
    frozen = read_set(place_of_set(Path("retail-v3")))
    truth, alone = ROOT / "benchmarks/worded/retail-v3-open-1.jsonl", tmp_path / "ten.jsonl"
    drr.json("shop", "make", "--of", "retail-v3/open-1", "--out", tmp_path / "open-1")
    named = ("--shop", tmp_path / "open-1" / "shop", "--set", "retail-v3")
    assert sha256(truth.read_bytes()).hexdigest() == frozen.parts[0].questions
    ran = drr.json("run", tmp_path / "scored", *named, "--queries", truth, *RUN, "--limit", 1)
    assert ran["units"]["total"] == 56 and drr.json("judges", "regrade", tmp_path / "scored")
    drr.out("judge", tmp_path / "scored", "--what", "rules", "--quiet")
    drr.out("report", tmp_path / "scored", "--out", tmp_path / "report", "--quiet")
    drr.out("bundle", "make", tmp_path / "scored", "--out", tmp_path / "scored.bundle", "--quiet")
    found = drr.json("bundle", "verify", tmp_path / "scored.bundle", *named[:2])
    assert found["failed"] == [], found["failed"]
    drr.out("run", tmp_path / "bare", *named, *RUN, "--limit", 1)
    assert "The truth of a set is queries.jsonl beside the shop" in drr.err(
        "judges", "regrade", tmp_path / "bare"
    )
    assert drr.json("judges", "regrade", tmp_path / "bare", "--queries", truth)["episodes"] == 1
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "1 answer, 55 answers still to" in page and f"retail-v3/open-1 {frozen.content_hash[:16]}" in page
    alone.write_text("".join(truth.read_text("utf-8").splitlines(keepends=True)[:10]))
    said = drr.err("run", tmp_path / "other", *named, "--queries", alone, *RUN, code=1)
    assert "is not the file of the 56 questions of retail-v3 open-1; --limit N stops after N answers" in said


def test_a_seed_that_no_manifest_can_hold_is_misuse(tmp_path: Path, drr: Drr) -> None:
    assert "must lie between 0 and" in drr.err("shop", "make", "--seed", 10**22, "--out", tmp_path / "made")
    assert not (tmp_path / "made").exists()
