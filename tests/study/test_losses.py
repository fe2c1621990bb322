"""A study that lost texts is read without the answers that rest on them, says which, and computes them again when told to."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.study.trust import remember_shop
from drr.env.errors import DrrError
from drr.study.blobs import Blobs, LostText
from drr.study.study import Study

from tests.agents.garden import ANNA
from tests.commands import Drr
from tests.security.conftest import box, drr

__all__ = ["box", "drr"]

WHAT = "rules,quality,faithfulness"
Hurt = Callable[[Path], None]


def gone(path: Path) -> None:
    path.unlink()


def changed(path: Path) -> None:
    """By as many bytes, which only its hash can tell."""
    path.write_bytes(bytes(len(path.read_bytes())))


def hurt(study: Path, name: str, how: Hurt, number: int = 0) -> str:
    """The label of an answer whose text of this name is lost to it alone."""
    with Study.open(study) as opened:
        records = list(opened.records("answer"))
        record = records.pop(number)
        shared = {digest for other in records for digest in other.blobs.values()}
        found = next(n for n, d in sorted(record.blobs.items()) if n.startswith(name) and d not in shared)
        how(opened.blobs.path(record.blobs[found]))
        return record.label


@pytest.fixture(scope="module")
def judged(box: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judged answers."""
    folder = tmp_path_factory.mktemp("judged")
    asked = ("Which bird house?", "Which bird feeder for the winter?")
    lines = [{"id": f"q{n}", "query": text, "user_id": ANNA} for n, text in enumerate(asked)]
    (folder / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["--shop", box / "shop", "--sandbox", box / "sandbox", "--queries", folder / "queries.jsonl"]
    assert main(["run", str(folder / "study"), "--variants", "react", *map(str, words), "--quiet"]) == 0
    assert main(["judge", str(folder / "study"), "--judge", "offline", "--quiet", "--what", WHAT]) == 0
    return folder / "study"


@pytest.fixture
def study(judged: Path, box: Path, drr: Drr, tmp_path: Path) -> Path:
    copy = tmp_path / "study"
    shutil.copytree(judged, copy)
    remember_shop(copy, str(box / "shop"))
    return copy


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "how"), [("report", gone), ("report", changed), ("text:", gone), ("text:", changed)]
)
def test_a_lost_text_costs_its_answer_alone(study: Path, drr: Drr, name: str, how: Hurt) -> None:
    before = drr.json("report", "study")
    label = hurt(study, name, how)
    code, out, err = drr("report", "study", "--json")
    assert code == 0, err
    document = json.loads(out)
    assert document["coverage"]["lost"] == [label]
    assert document["coverage"]["answers"] == before["coverage"]["answers"] - 1
    assert label in err and "--retry-failed" in err and len(err.splitlines()) == 1
    _, out, err = drr("study", "gate", "study", "--require", "faithfulness>=0", "--json")
    assert "lack texts" in err and label in json.loads(out)["notes"][-1], "as a comparison does"
    for words in (
        ("judge", "study", "--judge", "offline", "--quiet", "--what", WHAT),
        ("view", "study", "--static", "pages", "--quiet"),
        ("export", "study", "--out", "tables"),
        ("study", "trace", "study", label),
        ("study", "trace", "study", label, "--json", "--full"),
        ("status", "study"),
    ):
        code, out, err = drr(*words)
        assert code == 0, (words, err)
        assert "Traceback" not in err
    rows = [json.loads(line) for line in Path("tables/units.jsonl").read_text().splitlines()]
    answers = {row["label"]: row["report"] for row in rows if row["kind"] == "answer"}
    assert [name for name, report in answers.items() if report is None] == [label]
    assert drr.json("status", "study")["lost"] == [label]

    assert drr("run", "study", "--quiet")[0] == 0, "nothing is computed unasked"
    code, _, err = drr("run", "study", "--retry-failed", "--quiet")
    assert code == 0 and "1 done now" in err, err
    assert drr.json("status", "study")["lost"] == []
    (row,) = drr.json("report", "study")["coverage"]["variants"].values()
    assert row["answers"] == 2
    if name == "report":
        assert row["rated"] == 1, "the old grade is of another report"
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", WHAT)[0] == 0
    after = drr.json("report", "study")
    for document in (after, before):
        assert document["metrics"]["react"].pop("seconds")["value"] > 0, "which no second run takes again"
    assert after["metrics"] == before["metrics"]
    assert "lost" not in after["coverage"]


def test_a_conversation_that_is_lost_decides_nothing(study: Path, drr: Drr) -> None:
    label = hurt(study, "transcript", gone)
    for words in (("report", "study", "--json"), ("study", "trace", "study", label, "--full"), ("view", "study", "--static", "p")):  # fmt: skip
        code, _, err = drr(*words)
        assert (code, "lack texts" in err) == (0, False), err


def test_a_study_without_any_of_its_texts_says_so(study: Path, drr: Drr) -> None:
    shutil.rmtree(study / "blobs")
    code, _, err = drr("judge", "study", "--judge", "offline", "--quiet")
    assert code == 1 and "--retry-failed" in err
    code, out, err = drr("report", "study", "--json")
    assert (code, json.loads(out)["coverage"]["answers"]) == (0, 0)


def test_imported_reports_that_are_lost_are_taken_in_again(drr: Drr, tmp_path: Path) -> None:
    lines = [{"id": f"r{n}", "system": "other", "query": f"Feeder {n}?", "report_markdown": f"{n}."} for n in range(2)]  # fmt: skip
    Path("reports.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert drr("import", "mine", "reports.jsonl", "--quiet")[0] == 0
    label = hurt(Path("mine"), "report", gone)
    code, _, err = drr("judge", "mine", "--judge", "offline", "--quiet", "--what", "quality")
    assert code == 0 and label in err and "`drr study import mine FILE`" in err
    assert drr("import", "mine", "reports.jsonl", "--quiet")[0] == 0
    assert drr.json("status", "mine")["lost"] == []


def test_a_kept_answer_of_a_judge_that_is_lost_is_asked_for_again(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    digest = blobs.put(b"said")
    blobs.path(digest).write_bytes(b"else")
    with pytest.raises(LostText, match="no longer has this hash"):
        blobs.get(digest)
    assert not blobs.has(digest)
    assert blobs.put(b"said") == digest
    assert blobs.get(digest) == b"said", "what is known to be changed is written anew"
    blobs.path(digest).unlink()
    with pytest.raises(LostText, match="missing"):
        Blobs(tmp_path).get(digest)


@contextmanager
def only_reading(folder: Path) -> Iterator[None]:
    """The folder as somebody else's, or on a disk that takes no writes: root gives its rights away for the while."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)


@pytest.mark.parametrize("unclean", [False, True])
def test_a_study_that_can_only_be_read_is_read(
    study: Path, drr: Drr, unclean: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        base.chmod(0o755)
        held = Study.open(study)  # somebody who has it open leaves a journal beside the ledger
        held.ledger.set_meta("note", "in the journal only")
        if not unclean:
            held.close()
        shutil.copytree(study, base / "study")
        held.close()
        assert (base / "study" / "ledger.sqlite-wal").exists() is unclean
        (base / "study" / "ledger.sqlite-shm").unlink(missing_ok=True)
        (base / "out").mkdir()
        (base / "out").chmod(0o777)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(base / "out" / "config"))
        monkeypatch.chdir(base / "out")
        expected = drr.json("report", study)

        def commands(of: Path, out: str) -> list[tuple[object, ...]]:
            place = base / "out" / out
            shown: tuple[tuple[object, ...], ...] = (("export", of, "--out", f"{place} tables"), ("view", of, "--static", f"{place} pages", "--quiet"))  # fmt: skip
            return [("status", of, "--json"), ("study", "trace", of), ("report", of, "--json"), *shown]

        for words in commands(study, "first"):  # what is imported late, nobody else may read
            assert drr(*words)[0] == 0
        for path in (base / "out").rglob("*"):
            path.chmod(0o777)
        with only_reading(base / "study"):
            code, out, err = drr("report", base / "study", "--json")
            assert code == 0, err
            assert json.loads(out)["metrics"] == expected["metrics"]
            for words in commands(base / "study", "second"):
                code, _, err = drr(*words)
                assert code == 0, (words, err)
            with Study.open(base / "study") as opened:
                assert (opened.ledger.meta("note") is not None) or not unclean
                with pytest.raises(DrrError, match="can only be read here"):
                    opened.ledger.set_meta("note", None)
