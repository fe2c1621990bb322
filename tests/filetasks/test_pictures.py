"""Facts in pictures are read by OCR where the truth says they stand: Debian's tesseract, in the lane of what CI installs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from io import BytesIO
from itertools import product
from shutil import which

import pytest
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.drawer.writer import WrittenDrawer, write_drawer
from PIL import Image

from tests.filetasks.reading import says

pytestmark = pytest.mark.browser
Reader = Callable[[Image.Image, int], str]
_ALIKE = str.maketrans("IilL|OoSs$Bb", "111110055588")
"""Signs that one shape stands for in one or the other font."""


@pytest.fixture(scope="module")
def read() -> Reader:
    program = which("tesseract")
    if program is None:
        if os.environ.get("DRR_REQUIRE_BROWSER"):
            pytest.fail(
                "no tesseract, and DRR_REQUIRE_BROWSER forbids skipping: install Debian's `tesseract-ocr`"
            )
        pytest.skip("no tesseract: install Debian's `tesseract-ocr` to read pictures")

    def text(picture: Image.Image, layout: int) -> str:
        buffer = BytesIO()
        picture.save(buffer, "PNG")
        words = [program, "-", "-", "--psm", str(layout)]
        return subprocess.run(words, input=buffer.getvalue(), capture_output=True, check=True).stdout.decode()

    return text


@pytest.fixture(scope="module")
def pictured(hundred: list[TaskCase]) -> list[WrittenDrawer]:
    """Six drawers for each form of picture."""
    left = dict.fromkeys(("till_slip", "label", "photo", "sketch"), 6)
    found = []
    for case in hundred:
        forms = [file.form for file in case.files if left.get(file.form, 0) > 0]
        if forms:
            found.append(write_drawer(case))
            for form in forms:
                left[form] -= 1
    assert set(left.values()) == {0}
    return found


def _key(text: str) -> str:
    return "".join(text.split()).translate(_ALIKE)


def _wider(box: tuple[int, ...], by: int) -> tuple[int, int, int, int]:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def test_every_fact_is_read_in_its_picture_alone(pictured: list[WrittenDrawer], read: Reader) -> None:
    for drawer in pictured:
        for fact in drawer.case.of("file"):
            name, _, region = fact.places[0].address.removeprefix("file://").partition("#region=")
            if not region:
                continue
            whole = Image.open(BytesIO(drawer.files[name])).convert("L")
            box = tuple(map(int, region.split(",")))
            seen = []
            for scale, margin, layout in product((2, 3, 1), (0, 8), (7, 6)):
                part = whole.crop(_wider(box, margin))
                seen.append(read(part.resize((part.width * scale, part.height * scale)), layout))
                if _key(fact.value) in _key(seen[-1]):
                    break
            else:
                pytest.fail(f"{drawer.case.task_id} {name}: {fact.value!r} is not in {seen}")
    for drawer in pictured[:10]:
        for name, content in drawer.files.items():
            if not name.endswith(".png"):
                continue
            text = read(Image.open(BytesIO(content)), 11)
            for fact in drawer.case.of("file"):
                if f"file://{name}#" not in fact.places[0].address:
                    assert not says(text, fact.value), (drawer.case.task_id, name, fact)
