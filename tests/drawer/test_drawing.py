"""Pages and pictures as we draw them: where words stand on them, in bounds, and nothing of the file's own bytes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from drr.citations.files import Box
from drr.env.drawer.drawer import AttachedFiles, ReadFiles
from drr.env.drawer.drawn import HIGHEST, WIDEST
from drr.env.drawer.form import FileProblem
from PIL import Image

from tests.drawer.hostile import HOSTILE, manual, write_papers

pytestmark = pytest.mark.long
pytest.importorskip("pypdfium2", reason="the extra pdf-pages is not installed")

SLOW = ("own-form.pdf", "bomb.pdf")
DRAWN = [
    pytest.param(name, marks=pytest.mark.long if name in SLOW else ())
    for name in HOSTILE
    if name.endswith((".pdf", ".png", ".jpg"))
]


def ink_in(image: Image.Image, box: Box) -> int:
    """Dark pixels within a box."""
    return sum(image.convert("L").crop((box.left, box.top, box.right, box.bottom)).histogram()[:128])


def test_words_stand_where_their_boxes_are(drawer: AttachedFiles) -> None:
    drawn = drawer.drawn(
        "manual.pdf", 2, ["The warranty  of the kettle lasts 36 months.", "36 months", "48 months"]
    )
    image = Image.open(BytesIO(drawn.data))
    assert (drawn.mime_type, image.size) == ("image/png", (drawn.width, drawn.height))
    (line,), (value,), nothing = drawn.boxes
    assert nothing == ()
    assert line.left < value.left < value.right <= line.right + 1 and line.top <= value.top + 1
    whole = Box(0, 0, drawn.width, line.bottom + 1)
    assert ink_in(image, line) > 100
    assert ink_in(image, line) == ink_in(image, whole), "all ink of the first line is within its box"


def test_pictures_are_turned_and_cleaned(tmp_path: Path, read_files: ReadFiles) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for turn in (90, 180, 270):
        page = PdfReader(BytesIO(manual(["Part K-17 is the lid."]))).pages[0]
        page.cropbox.left, page.cropbox.bottom = 20, 30
        writer.add_page(page.rotate(turn))
    with (tmp_path / "turned.pdf").open("wb") as file:
        writer.write(file)
    drawer = AttachedFiles(tmp_path, ["turned.pdf"], read_files)
    for number in (1, 2, 3):
        drawn = drawer.drawn("turned.pdf", number, ["Part K-17 is the lid."])
        image = Image.open(BytesIO(drawn.data))
        ((box,),) = drawn.boxes
        assert ink_in(image, box) >= 0.9 * ink_in(image, Box(0, 0, drawn.width, drawn.height)) > 90
    from PIL.PngImagePlugin import PngInfo

    said, held = PngInfo(), BytesIO()
    said.add_text("Comment", "<script>alert(1)</script>")
    Image.new("RGB", (3000, 90), "red").save(held, "PNG", pnginfo=said)
    (tmp_path / "wide.png").write_bytes(held.getvalue() + b"<script>alert(2)</script>")
    drawn = AttachedFiles(tmp_path, ["wide.png"], read_files).drawn("wide.png")
    assert (drawn.width, drawn.height) == (WIDEST, 36)
    assert b"script" not in drawn.data and drawn.data.startswith(b"\x89PNG")


@pytest.mark.parametrize("name", DRAWN)
def test_a_hostile_file_is_drawn_or_refused(name: str, tmp_path: Path, read_files: ReadFiles) -> None:
    (tmp_path / name).write_bytes(HOSTILE[name][0]())
    drawer = AttachedFiles(tmp_path, [name], read_files)
    try:
        drawn = drawer.drawn(name, 1, ["x"])
    except FileProblem as problem:
        assert problem.message.startswith(f"{name}: ") and "\n" not in problem.message
    else:
        assert drawn.width <= WIDEST and drawn.height <= HIGHEST
        assert Image.open(BytesIO(drawn.data)).size == (drawn.width, drawn.height)


@pytest.mark.parametrize(
    ("name", "page"), [("manual.pdf", 5), ("manual.pdf", 0), ("notes.md", 1), ("gone.pdf", 1)]
)
def test_what_cannot_be_drawn_is_a_problem_of_that_file(drawer: AttachedFiles, name: str, page: int) -> None:
    with pytest.raises(FileProblem):
        drawer.drawn(name, page)


def test_without_the_extra_no_page_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "pypdfium2.py").write_text("raise ImportError('not installed')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    read_files = ReadFiles()
    try:
        drawer = AttachedFiles(tmp_path, write_papers(tmp_path), read_files)
        with pytest.raises(FileProblem, match="without the extra pdf-pages") as problem:
            drawer.drawn("manual.pdf", 1)
        assert problem.value.kind == "unavailable"
        assert drawer.drawn("label.jpg").mime_type == "image/jpeg"
    finally:
        read_files.close()
