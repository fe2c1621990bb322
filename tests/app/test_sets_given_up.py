"""A study and a bundle of sets of before 0.4 open with their figures and say so; the sets themselves are refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.bundles.findings import differing_values

from tests.commands import Drr
from tests.kept import unpack_kept

SAID = "is a set of before 0.4: its figures are kept as they were, and compare with those of no other set."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    unpack_kept("sets", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_opens_with_its_figures_and_names_its_set_as_one_of_before(home: Path, drr: Drr) -> None:
    document, stated = drr.json("report", "v2"), json.loads((home / "v2.json").read_text())
    assert list(differing_values(stated["metrics"], document["metrics"])) == []
    assert document["metrics"]["react"]["reward"]["value"] == 0.0, "the form is paid by the kept truth"
    assert document["banner"].startswith(f"{stated['banner']} retail-v2 {SAID}")
    assert f"retail-v2 {SAID}" in drr.out("study", "status", "v2")
    assert "fresh-4/shop: there is no such shop" in drr.err("run", "v2"), "it goes on by its own questions"
    drr.out("report", "v2", "--out", "report")
    drr.out("view", "v2", "--static", "pages")
    for page in ("report/index.html", "report/tables/faithfulness.md", "pages/index.html"):
        assert f"retail-v2 {SAID}" in (home / page).read_text("utf-8")


def test_a_bundle_holds_and_a_board_shows_it(home: Path, drr: Drr) -> None:
    found = drr.json("bundle", "verify", "v1.bundle")
    assert found["holds"], found["failed"]
    said = {one["check"]: one["what"] for one in found["not_checked"]}
    assert said["set"].endswith(f"retail-v1 {SAID}")
    assert "figures" not in said, "they are those that 0.3.0 stated"
    drr.out("board", "v1.bundle", "--out", "site", "--quiet")
    assert f"retail-v1 {SAID}" in (home / "site" / "index.html").read_text("utf-8")
    (ranked,) = json.loads((home / "site" / "index.json").read_text())["sets"]
    assert ranked["set"].startswith("retail-v1/sample ")
    assert [one["variant"] for one in ranked["judgings"][0]["systems"]] == ["react"]


@pytest.mark.parametrize(
    "words",
    [
        ("run", "new", "--set", "retail-v2", "--shop", "shop", "--model", "offline"),
        ("shop", "make", "--of", "retail-v2/fresh-4", "--out", "fresh-4"),
        ("queries", "reveal", "retail-v1", "--key", "key"),
    ],
)
def test_a_set_that_was_given_up_is_refused_by_name(home: Path, drr: Drr, words: tuple[str, ...]) -> None:
    assert "was given up, last at v0.3.0" in drr.err(*words, code=2)
    assert not (home / "new").exists()
