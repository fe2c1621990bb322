"""A shop that `drr shop make` made is played with the web beside it, and no other web takes its place unsaid."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import drr as face
import pytest
from drr.env.query import read_queries
from drr.env.settings import Settings
from drr.env.web.made_web import MADE, question_outside, with_own_web
from drr.env.web.open import open_web
from drr.env.web.sandbox import BOX, open_sandbox

from tests import commands
from tests.commands import Drr
from tests.once import made_once

AXES = "products = 60\nusers = 30\nreviews = 900\nkinds = 6\npages = 12\nquestions = 12\n"
RUN = ("--variants", "react", "--model", "offline", "--quiet")


def _make(home: Path) -> None:
    (home / "axes.toml").write_text(AXES)
    words = ("--seed", 5, "--axes", home / "axes.toml", "--out", home / "made", "--quiet")
    assert commands.drr("shop", "make", *words) == 0


@pytest.fixture
def made(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    shutil.copytree(made_once("of-own-web", tmp_path_factory, _make), tmp_path, dirs_exist_ok=True)
    return tmp_path / "made"


@pytest.fixture
def asked(made: Path) -> Path:
    """The questions whose truth stands on a page of the made web, in a file of their own."""
    file = made.with_name("asked.jsonl")
    with face.open_shop(made / "shop") as shop:
        web = open_web(Settings(), shop=shop)
        lines = (made / "queries.jsonl").read_text("utf-8").splitlines(keepends=True)
        queries = read_queries(made / "queries.jsonl")
        kept = [line for line, one in zip(lines, queries, strict=True) if question_outside([one], shop, web)]
    assert kept
    file.write_text("".join(kept), "utf-8")
    return file


def test_a_new_study_is_played_in_the_web_made_with_its_shop(drr: Drr, made: Path, asked: Path) -> None:
    study, named = made.with_name("study"), made.with_name("named")
    words = ("--shop", made / "shop", "--queries", asked, *RUN)
    drr.out("run", study, *words)
    drr.out("run", named, *words, "--sandbox", made / "web")
    assert _webs(study) == _webs(named) == {open_sandbox(made / "web").content_hash}
    assert "is not in this web" not in drr("queries", "check", asked, "--shop", made / "shop")[2]
    drr.out("bundle", "make", study, "--out", made.with_name("one.bundle"), "--quiet")
    found = drr.json("bundle", "verify", made.with_name("one.bundle"), "--shop", made / "shop")
    assert not any("another web" in one["what"] for one in found["not_checked"])


def test_a_study_that_is_moved_with_its_shop_finds_its_web(
    drr: Drr, made: Path, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one := tmp_path / "one").mkdir()
    made.rename(one / "made")
    monkeypatch.chdir(one)
    drr.out("run", "study", "--shop", "made/shop", "--queries", asked, *RUN)
    before = _webs(Path("study"))
    one.rename(two := tmp_path / "two")
    monkeypatch.chdir(two)
    assert "nothing left" in drr("run", "study", "--shop", "made/shop", "--model", "offline")[2]
    assert _webs(Path("study")) == before


def test_another_web_is_refused_by_the_page_that_it_lacks(drr: Drr, made: Path, asked: Path) -> None:
    words = ("--shop", made / "shop", "--queries", asked, *RUN, "--sandbox", BOX)
    assert "is not in this web, so nobody can answer it" in drr.err("run", made.with_name("study"), *words)
    said = drr("queries", "check", asked, "--shop", made / "shop", "--sandbox", BOX)
    assert said[0] == 1 and "is not in this web" in said[2]


@pytest.mark.slow
def test_a_study_keeps_the_web_that_it_began_with(drr: Drr, made: Path, asked: Path) -> None:
    """Before webs were found beside their shops, such a study was played in the web in the box."""
    study, aside = made.with_name("study"), made.with_name("aside.json")
    (made / MADE).rename(aside)
    plain = made / "plain.jsonl"
    outside = {one.id for one in read_queries(asked)}
    lines = (made / "queries.jsonl").read_text("utf-8").splitlines(keepends=True)
    plain.write_text("".join(one for one in lines if json.loads(one)["id"] not in outside), "utf-8")
    drr.out("run", study, "--shop", made / "shop", "--queries", plain, *RUN)
    aside.rename(made / MADE)
    before = _webs(study)
    again = drr("run", study, "--shop", made / "shop", "--queries", asked, "--model", "offline", "--quiet")
    assert again[0] == 0 and "is not in this web" in again[2]
    assert _webs(study) == before == {open_sandbox().content_hash}
    drr.out("bundle", "make", study, "--out", made.with_name("one.bundle"), "--quiet")
    found = drr.json("bundle", "verify", made.with_name("one.bundle"), "--shop", made / "shop")
    assert not any("another web" in one["what"] for one in found["not_checked"])


def test_a_replaced_web_is_named(drr: Drr, made: Path, asked: Path) -> None:
    shop = str(made / "shop")
    assert with_own_web(Settings(), shop).sandbox == (made / "web").resolve()
    assert with_own_web(Settings(sandbox=BOX), shop).sandbox == BOX
    assert with_own_web(Settings(web="replay"), shop).sandbox is None
    shutil.rmtree(made / "web")
    shutil.copytree(BOX, made / "web")
    words = ("--shop", shop, "--queries", asked, *RUN)
    assert "is not the web that was made with" in drr.err("run", made.with_name("study"), *words, code=1)
    stated = json.loads((made / MADE).read_text())
    (made / MADE).write_text(json.dumps(stated | {"shop": "0" * 64}))
    assert with_own_web(Settings(), shop).sandbox is None, "the web is of another shop"


def _webs(study: Path) -> set[str]:
    """The hashes of the webs in the keys of a study's answers."""
    from drr.study.study import Study

    with Study.read(study) as found:
        return {record.key_fields["web"]["content_hash"] for record in found.records("answer", None)}
