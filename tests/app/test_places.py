"""Places that cannot be written and files that cannot be read are told in one sentence, whichever command was given them."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.app.cli import main, output_of
from drr.app.notices import places_of
from drr.env.embedded.layout import MANIFEST
from drr.env.errors import Misuse
from drr.env.settings import Settings

from tests.agents.garden import ANNA, write_shop
from tests.cases import cases
from tests.commands import Drr

WRITERS = cases("app", "WRITERS")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("places")
    write_shop(str(folder / "shop"), Settings())
    raw = [
        "data",
        "sample",
        str(folder / "raw"),
        *["--reviews", "900", "--products", "60", "--users", "30", "--quiet"],
    ]
    assert main(raw) == 0
    (folder / "file").write_text("no folder\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text(json.dumps({"query": "A feeder?", "user_id": ANNA}) + "\n")
    rows = [
        {"system": system, "query": "A feeder?", "report_markdown": f"# Feeders\n\nOne by {system}.\n"}
        for system in ("alpha", "beta")
    ]
    (folder / "reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["import", str(folder / "study"), str(folder / "reports.jsonl"), "--quiet"]) == 0
    assert main(["judge", str(folder / "study"), "--what", "rules", "--quiet"]) == 0
    yield folder


def one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("drr: ")
    return told


@pytest.mark.parametrize(
    ("words", "place"),
    [*((words, "file/new") for words in WRITERS), *((words, "/proc/new/new") for words in WRITERS[:2])],
)
def test_a_place_that_cannot_be_written_is_one_sentence(
    box: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, place: str
) -> None:
    monkeypatch.chdir(box)
    assert main(words.replace("PLACE", place).split()) == 2
    told = one_sentence(capsys)
    assert place in told and "written (" in told and "; choose " in told
    assert (box / "file").read_text(encoding="utf-8") == "no folder\n"


def test_what_a_study_has_no_room_for_is_one_sentence(
    box: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(box)
    Path("study/annotation").write_text("no folder\n", encoding="utf-8")
    try:
        assert main(["annotate", "study", "--port", "0"]) == 2
    finally:
        Path("study/annotation").unlink()
    assert "study: study/annotation" in one_sentence(capsys)


def test_a_file_that_nobody_named_is_a_bug(
    box: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(box)
    with pytest.raises(Misuse, match="file/new: cannot be read or written"):
        output_of("export", ["study", "--out", "file/new"])
    (tmp_path / "file").touch()
    named = Namespace(study=tmp_path / "file", out=str(tmp_path / "file" / "new"))
    told = r"file/new: cannot be read or written \(Not a directory\)"
    with pytest.raises(Misuse, match=told), places_of(named):
        (tmp_path / "file" / ".new.part").mkdir()
    with pytest.raises(FileNotFoundError), places_of(Namespace(study=tmp_path / "a", what=["b"], n=3)):
        (tmp_path / "ours.md").read_text(encoding="utf-8")


READERS = cases("app", "READERS")
BAD = {
    "cut short": b'{"query": "why", "user_id": "u"',
    "another shape": b"[1, 2]\n",
    "no text": b'{"query": "\xff\xfe"}\n',
    "nested": b"[" * 100_000,
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("reader", READERS)
def test_a_bad_file_is_misuse_wherever_it_is_read(
    box: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr, reader: str, bad: str
) -> None:
    monkeypatch.chdir(box)
    Path("folder").mkdir(exist_ok=True)
    for name in ("bad.jsonl", "folder/documents.jsonl"):
        Path(name).write_bytes(BAD[bad])
    words = [{"FILE": "bad.jsonl", "FOLDER": "folder"}.get(word, word) for word in READERS[reader].split()]
    err = drr.err(*words)
    assert err.startswith("drr: ") and err.count("\n") == 1 and len(err) < 600, err
    assert "bad.jsonl" in err or "documents.jsonl" in err
    assert not Path("new").exists()


@pytest.mark.slow
def test_a_shop_is_found(box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr) -> None:
    home = tmp_path / "home"
    shutil.copytree(box / "shop", home / "shop")
    monkeypatch.chdir(home)
    drr.out("run", "study", "--shop", "shop", "--queries", box / "queries.jsonl", "--variants", "react")
    monkeypatch.chdir(tmp_path)
    drr.out("run", "home/study", "--variants", "plan-to-function", "--only")
    drr.out("judge", "home/study", "--judge", "offline")
    drr.out("study", "stress", "home/study", "--with", "shuffle", "--dry-run")
    drr.out("report", "home/study", "--out", "report")
    assert 'shop = "shop"' in Path("home/study/study.toml").read_text()
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / MANIFEST).write_text("{}")
    drr.out("judge", "home/study", "--what", "rules")  # another of the name is here, which nobody named
    shutil.rmtree(home / "shop")
    shutil.rmtree(tmp_path / "shop")
    assert "shop: there is no such shop" in drr.err(
        "judge", "home/study", "--judge", "offline", "--what", "quality"
    )
