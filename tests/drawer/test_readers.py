"""Files as they are read: what stands where, and that nothing made to break a reader does."""

from __future__ import annotations

import os
import resource
import socket
import threading
from pathlib import Path

import pytest
from drr.citations.files import file_place
from drr.env.drawer.content import passages
from drr.env.drawer.drawer import AttachedFiles, ReadFiles
from drr.env.drawer.form import FileProblem
from drr.env.drawer.process import FileReader
from drr.env.drawer.worker import MEMORY

from tests.cases import table
from tests.drawer import hostile
from tests.drawer.hostile import ENDLESS, HOSTILE


def text_at(drawer: AttachedFiles, address: str) -> str | None:
    place = file_place(address)
    assert place is not None
    return drawer.content(place.name).at(place)


@table("drawer", "a_place_holds_its_own_words")
def test_a_place_holds_its_own_words(drawer: AttachedFiles, address: str, text: str | None) -> None:
    assert text_at(drawer, address) == text


def test_files_say_what_they_are_and_hold(drawer: AttachedFiles) -> None:
    mail, page = text_at(drawer, "file://seller.eml") or "", text_at(drawer, "file://saved.html") or ""
    for words in (
        "Subject: Your kettle",
        "Attached: a mail (Too loud), label.pdf (application/pdf)",
        "within 45 days",
        "It whistles.",
    ):
        assert words in mail
    assert page.split("\n") == [
        "Kettle shop", "Returns", "Kettles may be returned within 30 days.", "Item | Price",
        "Kettle | $49.00",
    ]  # fmt: skip
    assert [drawer.content(name).label for name in drawer.names] == [
        "PDF, 4 pages", "workbook, 2 sheets: Living room (A1:D3), Plan (A1:B1)", "table, rows 1 to 4",
        "mail, 328 characters", "web page, 88 characters", "text, 27 characters",
        "picture, PNG, 320 x 200 pixels", "picture, JPEG, 320 x 200 pixels",
    ]  # fmt: skip

    def found(name: str, query: str) -> list[str]:
        return [part.place.fragment for part in passages(drawer.content(name), query)]

    assert found("manual.pdf", "warranty of the kettle") == ["page=2"]
    assert found("orders 2022.csv", "kettles") == ["row=2", "row=3"]
    assert found("budget.xlsx", "niche") == ["cell=Living%20room!A3:D3"]
    assert found("notes.md", "loud") == []
    long = "x " * 4_000 + "quiet kettle " + "y " * 4_000
    (drawer.folder / "long.txt").write_text(long)
    (hit,) = passages(
        AttachedFiles(drawer.folder, ["long.txt"], drawer.read_files).content("long.txt"), "kettle"
    )
    assert "quiet kettle" in hit.text and len(hit.text) == 500


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in ENDLESS])
def test_a_hostile_file_is_answered(name: str, tmp_path: Path, read_files: ReadFiles) -> None:
    made, answered = HOSTILE[name]
    (tmp_path / name).write_bytes(made())
    drawer = AttachedFiles(tmp_path, [name], read_files)
    if answered is None:
        content = drawer.content(name)
        assert all("127.0.0.1" not in part.text for part in content.parts()) or name == "formula.csv"
        return
    with pytest.raises(FileProblem) as problem:
        drawer.content(name)
    assert problem.value.kind == answered
    assert problem.value.message.startswith(f"{name}: ") and "\n" not in problem.value.message


def test_hostile_files_end_no_reader() -> None:
    assert len(HOSTILE) >= 40
    reader = FileReader(wall_seconds=0.8)
    try:
        for name in ENDLESS:
            with pytest.raises(FileProblem) as problem:
                reader.read(name, "html", HOSTILE[name][0]())
            assert problem.value.kind == "timeout"
        reader.wall_seconds = 20
        assert reader.read("a.txt", "text", b"words") == {"text": "words"}
    finally:
        reader.close()
    reader = FileReader()
    try:
        reader.read("a.txt", "text", b"words")
        assert reader._running is not None
        limits = Path(f"/proc/{reader._running.pid}/limits").read_text()
        assert [line.split()[3] for line in limits.splitlines() if line.startswith("Max address space")] == [
            str(MEMORY)
        ]
        environment = Path(f"/proc/{reader._running.pid}/environ").read_bytes()
        assert b"API_KEY" not in environment and b"HOME=" not in environment
    finally:
        reader.close()


@pytest.mark.parametrize("name", ["links.xlsx", "formula.xlsx", "script.pdf", "scripts.html", "outside.xlsx"])
def test_nothing_is_fetched(
    name: str, tmp_path: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server stands where such a file points; it hears nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        monkeypatch.setattr(hostile, "WHERE", f"http://127.0.0.1:{server.getsockname()[1]}")
        (tmp_path / name).write_bytes(HOSTILE[name][0]())
        try:
            AttachedFiles(tmp_path, [name], read_files).content(name)
        except FileProblem:
            assert name == "outside.xlsx"
        with pytest.raises(TimeoutError):
            server.accept()


def test_only_plain_files_of_the_drawer_are_opened(tmp_path: Path, read_files: ReadFiles) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "link.txt").symlink_to(outside)
    (folder / "other.txt").write_text("not listed")
    os.mkfifo(folder / "pipe.txt")
    (folder / "folder.txt").mkdir()
    names = [
        "link.txt", "pipe.txt", "folder.txt", "gone.txt", "../secret.txt", str(outside), "..",
        "truth\\x.txt",
    ]  # fmt: skip
    drawer = AttachedFiles(folder, names, read_files)
    kinds = {}
    for name in [*names, "other.txt", "secret.txt", ""]:
        with pytest.raises(FileProblem) as problem:
            drawer.content(name)
        kinds[name] = problem.value.kind
        assert "secret\n" not in problem.value.message
    assert kinds["link.txt"] == kinds["pipe.txt"] == kinds["folder.txt"] == "invalid"
    found = {"link.txt", "pipe.txt", "folder.txt"}
    assert {kind for name, kind in kinds.items() if name not in found} <= {"not_found", "unsupported"}
    linked = tmp_path / "linked"
    linked.symlink_to(folder)
    with pytest.raises(FileProblem, match="no plain file"):
        AttachedFiles(linked, ["other.txt"], read_files).content("other.txt")


def test_the_hash_of_a_drawer_is_of_its_names_and_bytes(tmp_path: Path) -> None:
    def digest(*names: str) -> str:
        return AttachedFiles(tmp_path, names).content_hash

    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("one")
    before = digest("a.txt")
    assert len({before, digest("b.txt"), digest("a.txt", "b.txt"), digest("a.txt", "gone.txt")}) == 4
    (tmp_path / "a.txt").write_text("two")
    assert digest("a.txt") != before


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_files: ReadFiles) -> None:
    from drr.env.drawer import drawer as module

    monkeypatch.setattr(module, "_KEPT_FILES", 3)
    for number in range(8):
        (tmp_path / f"{number}.txt").write_text(f"words {number}")
    names = [f"{number}.txt" for number in range(8)]
    drawer = AttachedFiles(tmp_path, names, read_files)
    threads = [threading.Thread(target=drawer.content, args=(name,)) for name in names * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drawer.content("7.txt").whole == "words 7"
    assert len(read_files._found) <= 3


def test_a_process_that_holds_more_than_a_thousand_files_reads_on() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip("this machine allows no process so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1030)]
    reader = FileReader()
    try:
        assert reader.read("notes.md", "text", b"# Notes\n\nblue\n")
    finally:
        reader.close()
        for one in held:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
