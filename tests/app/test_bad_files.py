"""A file that somebody names and that cannot be read is misuse: exit code 2 and one line that names the file, for every reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.settings import Settings
from drr.study.study import Study

from tests.agents.garden import write_shop
from tests.cases import cases
from tests.commands import Drr

READERS = cases("app", "READERS")
BAD = {
    "cut short": b'{"query": "why", "user_id": "u"',
    "another shape": b"[1, 2]\n",
    "no text": b'{"query": "\xff\xfe"}\n',
    "nested": b"[" * 100_000,
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("bad")
    write_shop(str(folder / "shop"), Settings())
    Study.create(folder / "study", {"schema": 1, "run": {}}).close()
    yield folder


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
