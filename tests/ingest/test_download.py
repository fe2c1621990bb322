"""Raw files from a server that cuts, stalls, lies and changes its mind: what lies under a file's name is that file, or nothing does."""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.app.cli import main
from drr.data_ingest.download import (
    CompleteFile,
    DownloadTerms,
    Edition,
    FileDownloader,
    check_room,
    fetch_all,
)
from drr.data_ingest.publisher import (
    FileDenied,
    PublishedFile,
    Publisher,
    files_to_download,
    publication,
    with_sizes,
)
from drr.data_ingest.recipe import ALL
from drr.env.errors import DrrError, Misuse
from drr.env.progress import Quiet

from tests.ingest.mirror import Fault, Mirror, mirroring

META, REVIEWS = files_to_download(["Gift_Cards"])
TEXT = random.Random(7).randbytes(300_000)
WHOLE = gzip.compress(TEXT, mtime=0)
OTHER = gzip.compress(TEXT[::-1], mtime=0)
LENGTH = len(WHOLE)


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with mirroring({META.address: WHOLE, REVIEWS.address: OTHER}) as opened:
        yield opened


async def _no_pause(seconds: float) -> None:
    assert 0 < seconds <= 120


async def got(
    mirror: Mirror, to: Path, *, file: PublishedFile = META, timeout: float = 10.0, **terms: Any
) -> CompleteFile:
    publisher = Publisher(mirror.url, named=True, timeout=timeout)
    chosen = DownloadTerms(**({"pause": _no_pause} | terms))
    return await FileDownloader(publisher, file, to / file.path, Quiet(), chosen).run()


def left_beside(to: Path) -> set[str]:
    return {path.name for path in (to / META.path).parent.iterdir()}


async def test_a_file_is_got_whole_and_nothing_else_is_left(mirror: Mirror, tmp_path: Path) -> None:
    done = await got(mirror, tmp_path)
    assert done.path.read_bytes() == WHOLE
    assert (done.size, done.unpacked) == (LENGTH, len(TEXT))
    assert done.sha256 == hashlib.sha256(WHOLE).hexdigest()
    assert left_beside(tmp_path) == {"meta_Gift_Cards.jsonl.gz"}
    assert mirror.gets() == [None]


CHANGED = {"before": lambda mirror: _changed(mirror)}


def _changed(mirror: Mirror) -> None:
    path = f"/{META.address}"
    mirror.files[path], mirror.etags[path] = OTHER, '"new"'


@pytest.mark.parametrize(
    ("faults", "ranges", "body"),
    [
        pytest.param([Fault(cut=1000), Fault(cut=150_000)], [None, 1000, 151_000], WHOLE, id="cut twice"),
        pytest.param([Fault(cut=0)], [None, None], WHOLE, id="cut before a byte"),
        pytest.param([Fault(cut=1000), Fault(no_ranges=True)], [None, 1000], WHOLE, id="refuses ranges"),
        pytest.param([Fault(cut=1000), Fault(shift=7)], [None, 1000, None], WHOLE, id="continues elsewhere"),
        pytest.param([Fault(status=503), Fault(status=429)], [None, None, None], WHOLE, id="is busy"),
        pytest.param(
            [Fault(cut=1000), Fault(**CHANGED)], [None, 1000], OTHER, id="another file, and says so"
        ),
        pytest.param(
            [Fault(cut=1000), Fault(**CHANGED, ignores_condition=True)],
            [None, 1000, None],
            OTHER,
            id="another file under another tag in spite of If-Range",
        ),
        pytest.param([Fault(says=5000)], [None, None], WHOLE, id="announces less than it has"),
        pytest.param([Fault(says=LENGTH + 900)], [None, LENGTH], WHOLE, id="announces more than it has"),
    ],
)
async def test_what_a_server_does_wrong_is_made_good(
    mirror: Mirror, tmp_path: Path, faults: list[Fault], ranges: list[int | None], body: bytes
) -> None:
    mirror.faults = list(faults)
    done = await got(mirror, tmp_path)
    assert done.path.read_bytes() == body
    assert mirror.gets() == [None if start is None else f"bytes={start}-" for start in ranges]
    assert left_beside(tmp_path) == {"meta_Gift_Cards.jsonl.gz"}


async def test_a_server_that_stalls_is_left_and_asked_again(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = [Fault(cut=2000, stall=True)]
    assert (await got(mirror, tmp_path, timeout=0.2)).path.read_bytes() == WHOLE
    assert mirror.gets() == [None, "bytes=2000-"]


async def test_another_file_without_tag_is_found_by_its_checksum(mirror: Mirror, tmp_path: Path) -> None:
    """No tag, no date: nothing but the content tells that the half that follows is another file's."""
    path = f"/{META.address}"
    assert len(OTHER) == LENGTH
    mirror.etags.clear()
    mirror.faults = [Fault(cut=150_000), Fault(before=lambda mirror: mirror.files.__setitem__(path, OTHER))]
    assert (await got(mirror, tmp_path)).path.read_bytes() == OTHER
    assert mirror.gets() == [None, "bytes=150000-", None]


async def test_tries_are_capped_and_what_was_got_is_kept(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults = [Fault(cut=100_000)] + [Fault(cut=10)] * 99
    with pytest.raises(DrrError, match=r"tried 3 times.*the same command goes on from there"):
        await got(mirror, tmp_path, tries=3)
    assert len(mirror.gets()) == 3
    mirror.faults.clear()
    assert (await got(mirror, tmp_path)).path.read_bytes() == WHOLE
    assert mirror.gets()[-1] is not None
    begun = len(mirror.gets())
    mirror.always = Fault(cut=200_000, no_ranges=True)  # at the same place, and it knows no ranges
    with pytest.raises(DrrError, match="tried 3 times"):
        await got(mirror, tmp_path / "again", tries=3)
    assert len(mirror.gets()) <= begun + 5


async def test_what_is_no_gzip_file_is_not_kept(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files[f"/{META.address}"] = b"<html>please log in</html>"
    with pytest.raises(FileDenied, match=r"no whole gzip file.*twice; nothing of it is kept"):
        await got(mirror, tmp_path)
    assert not (tmp_path / META.path).exists()
    assert len(mirror.gets()) == 2


async def test_a_published_hash_decides(mirror: Mirror, tmp_path: Path) -> None:
    right = base64.b64encode(hashlib.sha256(WHOLE).digest()).decode()
    mirror.headers["Repr-Digest"] = f"sha-256=:{right}:"
    assert (await got(mirror, tmp_path / "right")).path.is_file()
    wrong = base64.b64encode(hashlib.sha256(OTHER).digest()).decode()
    mirror.headers["Repr-Digest"] = f"sha-256=:{wrong}:"
    with pytest.raises(FileDenied, match="SHA-256"):
        await got(mirror, tmp_path / "wrong")


async def test_a_small_disk_is_said_before_a_byte_is_written(mirror: Mirror, tmp_path: Path) -> None:
    with pytest.raises(DrrError, match="the disk is too small"):
        await got(mirror, tmp_path, free=lambda folder: LENGTH)
    assert left_beside(tmp_path) <= {"meta_Gift_Cards.jsonl.gz.part.json"}


async def test_a_part_of_nobody_knows_what_is_not_continued(mirror: Mirror, tmp_path: Path) -> None:
    part = tmp_path / (META.path + ".part")
    part.parent.mkdir(parents=True)
    for edition in (None, "{", Edition(url="http://elsewhere.example/x", length=LENGTH).model_dump_json()):
        part.write_bytes(OTHER[:1000])
        if edition is not None:
            part.with_name(part.name + ".json").write_text(edition, "utf-8")
        done = await got(mirror, tmp_path)
        assert done.path.read_bytes() == WHOLE
        done.path.unlink()
    assert mirror.gets() == [None, None, None]


async def test_one_missing_file_keeps_no_other_away(mirror: Mirror, tmp_path: Path) -> None:
    del mirror.files[f"/{META.address}"]
    publisher = Publisher(mirror.url, named=True, timeout=10.0)
    wanted = await with_sizes(publisher, [META, REVIEWS], tmp_path)
    done = await fetch_all(publisher, wanted, Quiet(), DownloadTerms(pause=_no_pause))
    assert [one.failed is None for one in done] == [False, True]
    assert "404" in (done[0].failed or "")
    assert (tmp_path / REVIEWS.path).read_bytes() == OTHER


async def test_only_what_was_named_may_lie_in_a_closed_network(mirror: Mirror, tmp_path: Path) -> None:
    async def here(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    public = Publisher("http://data.example/set", resolver=here)
    with pytest.raises(FileDenied, match=r"127\.0\.0\.1 is not a public address"):
        await FileDownloader(
            public, META, tmp_path / META.path, Quiet(), DownloadTerms(pause=_no_pause)
        ).run()
    mirror.always = Fault(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data"})
    with pytest.raises(FileDenied, match="refused"):
        await got(mirror, tmp_path)
    mirror.always = Fault(status=302, headers={"Location": "file:///etc/passwd"})
    with pytest.raises(FileDenied, match="refused"):
        await got(mirror, tmp_path)


def test_every_category_is_published_with_its_sizes() -> None:
    assert set(publication().files) == set(ALL)
    for file in files_to_download(ALL):
        assert 0 < file.about < file.unpacked
        assert file.packed is None or file.packed == file.about
    with pytest.raises(DrrError, match="too small"):
        check_room([], Path("x"), 0)


def test_from_nothing_to_a_shop(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["data", "get", "--categories", "Gift_Cards", "--to", "raw", "--mirror", mirror.url]
    assert main([*words, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "no licence is" in shown and "free" in shown and "Gift_Cards" in shown
    assert not Path("raw").exists()
    assert main(words) == 2  # nobody is there to be asked
    assert "--yes" in capsys.readouterr().err
    assert main([*words, "--yes", "--json"]) == 0
    captured = capsys.readouterr()
    first = orjson.loads(captured.out)
    assert [file["state"] for file in first["files"]] == ["got", "got"]
    assert first["files"][0]["sha256"] == hashlib.sha256(WHOLE).hexdigest()
    assert "bytes" in captured.err
    before = len(mirror.gets())
    assert main([*words, "--quiet"]) == 0  # all is there: nothing to ask
    assert len(mirror.gets()) == before
    assert capsys.readouterr().out == ""


def test_misuse_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "invented").mkdir()
    (tmp_path / "invented" / "sample.json").touch()
    to = ["--to", str(tmp_path / "raw")]
    for words in (
        [*to, "--mirror", "ftp://x"],
        [*to, "--mirror", "http://user@x/"],
        [*to, "--categories", "Gift_Crads"],
        ["--to", str(tmp_path / "file"), "--dry-run"],
        ["--to", str(tmp_path / "invented"), "--yes"],
    ):
        assert main(["data", "get", *words]) == 2, words
        assert capsys.readouterr().err.startswith("drr: ")
    with pytest.raises(Misuse):
        Publisher("http://localhost:99999", named=True)


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_same_command_goes_on_after_an_end(mirror: Mirror, tmp_path: Path, how: signal.Signals) -> None:
    mirror.faults = [Fault(cut=120_000, stall=True)]
    part = tmp_path / "raw" / (META.path + ".part")
    words = [*("data", "get", "--categories", "Gift_Cards", "--yes"), "--to", str(tmp_path / "raw")]
    words += ["--mirror", mirror.url, "--quiet"]
    command = [sys.executable, "-m", "drr.app.cli", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    end = time.monotonic() + 60
    while time.monotonic() < end and not (part.exists() and part.stat().st_size == 120_000):
        time.sleep(0.05)
    process.send_signal(how)
    _, error = process.communicate(timeout=60)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}.get(how, -how)
    assert "Traceback" not in error
    assert part.stat().st_size == 120_000
    assert main(words) == 0
    assert (tmp_path / "raw" / META.path).read_bytes() == WHOLE
    assert mirror.gets() == [None, "bytes=120000-", None]
