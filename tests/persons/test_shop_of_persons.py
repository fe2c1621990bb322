"""`drr papers context build` and `drr run` find the shop of the persons by its content, if this user named it before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands import drr


def test_the_shop_of_the_persons_is_found_by_its_content_and_a_strangers_is_named_first(
    sample_shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(sample_shop, "mine")
    assert drr("persons", "build", "--shop", "mine", "--out", "p.jsonl", "--users", "1") == 0
    built = ("context", "build", "p.jsonl", "--tokens", "2k", "--out", "c", "--quiet")
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
    assert drr("persons", "build", "--shop", "mine", "--out", "p.jsonl", "--users", "1") == 0
    capsys.readouterr()
    (tmp_path / "q.jsonl").write_text('{"query": "Which bed suits a cat?", "user_id": "-"}')
    asked = ("run", "study", "--queries", "q.jsonl", "--variants", "react", "--settings", "task", "--dry-run")
    assert drr(*asked) == 2
    assert "needs --shop" in capsys.readouterr().err
    assert drr(*asked, "--persons", "p.jsonl") == 0
    assert "of the shop mine" in capsys.readouterr().err
