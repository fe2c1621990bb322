"""The files of a drawer: every fact is at its place by readers of others, in no other file, and the same seed gives the same bytes."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from email import message_from_bytes
from email.utils import parsedate_to_datetime
from hashlib import sha256
from io import BytesIO

import pytest
from drr.env.text import tokens
from drr.filetasks.case import TaskCase
from drr.filetasks.drawer.taxes import _rates, sales_tax
from drr.filetasks.drawer.writer import WRITERS, WrittenDrawer, write_drawer
from drr.filetasks.values import day_of
from drr.wording.states import STATES
from openpyxl import load_workbook
from PIL import Image
from pypdf import PdfReader

from tests.filetasks.reading import says, text_at, whole_text


@pytest.fixture(scope="module")
def drawers(hundred: list[TaskCase]) -> list[WrittenDrawer]:
    """Of so many cases that every form of file is among them, and no more."""
    missing: Counter[str] = Counter(dict.fromkeys(WRITERS, 1))
    picked = []
    for case in hundred:
        forms = [file.form for file in case.files]
        if any(missing[form] > 0 for form in forms):
            missing.subtract(forms)
            picked.append(write_drawer(case))
    assert max(missing.values()) < 1, "a form of file that no case has"
    return picked


def test_every_fact_of_files_stands_at_its_place(drawers: list[WrittenDrawer]) -> None:
    for drawer in drawers:
        for fact in drawer.case.of("file"):
            (place,) = fact.places
            name = place.address.removeprefix("file://").partition("#")[0]
            assert place.quote and says(place.quote, fact.value), fact
            if not name.endswith(".png"):
                assert says(text_at(drawer.files[name], place.address), fact.value), (name, fact)


def test_a_fact_in_a_picture_has_a_region_within_it(drawers: list[WrittenDrawer]) -> None:
    seen = 0
    for drawer in drawers:
        for fact in drawer.case.of("file"):
            name, _, region = fact.places[0].address.removeprefix("file://").partition("#region=")
            if region:
                seen += 1
                left, top, right, bottom = map(int, region.split(","))
                wide, high = Image.open(BytesIO(drawer.files[name])).size
                assert 0 <= left < right <= wide and 0 <= top < bottom <= high
                assert fact.modality == "picture"
    assert seen >= 5


def test_no_other_file_and_no_name_of_a_file_says_a_fact(drawers: list[WrittenDrawer]) -> None:
    for drawer in drawers:
        texts = {name: whole_text(name, content) for name, content in drawer.files.items()}
        for fact in drawer.case.of("file"):
            own = fact.places[0].address.removeprefix("file://").partition("#")[0]
            for name, text in texts.items():
                assert not says(name, fact.value)
                assert name == own or not says(text, fact.value), (drawer.case.task_id, name, fact)


def test_no_file_says_a_fact_of_pages_or_names_a_fact(drawers: list[WrittenDrawer]) -> None:
    for drawer in drawers:
        for name, content in drawer.files.items():
            text = whole_text(name, content)
            assert [fact for fact in drawer.case.of("page") if fact.text in text] == []
            assert not says(text.casefold(), "fact")


def test_the_same_seed_gives_the_same_bytes(drawers: list[WrittenDrawer]) -> None:
    def digest(drawer: WrittenDrawer) -> list[str]:
        return [sha256(content).hexdigest() for content in drawer.files.values()]

    for drawer in drawers:
        assert digest(write_drawer(drawer.case)) == digest(drawer)


def test_no_file_holds_the_time_at_which_it_was_written(drawers: list[WrittenDrawer]) -> None:
    from datetime import UTC, datetime

    today = datetime.now(UTC).strftime("%Y%m%d").encode()
    for drawer in drawers:
        for content in drawer.files.values():
            assert today not in content


def test_papers_and_sheets_say_who_made_them_and_when(drawers: list[WrittenDrawer]) -> None:
    """By `openpyxl` in January 2020 and by nobody in January 2000, whatever day a task was of."""
    seen = Counter[str]()
    for drawer in drawers:
        case = drawer.case
        for name, content in drawer.files.items():
            if name.endswith(".xlsx"):
                kept = load_workbook(BytesIO(content)).properties
                assert kept.creator == kept.lastModifiedBy == case.shopper
                assert (
                    case.today - timedelta(days=30)
                    <= kept.created.date()
                    <= kept.modified.date()
                    < case.today
                )
            elif name.endswith(".pdf"):
                info = PdfReader(BytesIO(content)).metadata
                assert info is not None and info.author and info.author == info.creator and info.creation_date
                assert case.bought - timedelta(days=800) < info.creation_date.date() < case.today
                assert "anonymous" not in info.author
            seen[name[-4:]] += 1
    assert seen["xlsx"] >= 2 and seen[".pdf"] >= 2


def test_times_of_a_file_follow_what_it_tells(hundred: list[TaskCase]) -> None:
    """A log was last kept before its last row once, and a proof of delivery was made before the delivery."""
    days = re.compile(r"\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}|[A-Z][a-z]+ \d{1,2}, \d{4}")
    seen = Counter[str]()
    for case in hundred[:60]:
        asked = {form for file in case.files for form in [file.form]}
        if not asked & {"measurements", "delivery_note", "receipt", "invoice", "warranty", "mail"}:
            continue
        for name, content in write_drawer(case).files.items():
            if name.endswith(".xlsx"):
                book = load_workbook(BytesIO(content))
                kept = book.properties
                told = [str(cell.value) for sheet in book for row in sheet for cell in row if cell.value]
                made = kept.modified.date()
            elif name.endswith(".pdf"):
                reader = PdfReader(BytesIO(content))
                told = [page.extract_text() for page in reader.pages]
                assert reader.metadata is not None and reader.metadata.creation_date is not None
                made = reader.metadata.creation_date.date()
            elif name.endswith(".eml"):
                told = [content.decode()]
                made = parsedate_to_datetime(str(message_from_bytes(content)["Date"])).date()
            else:
                continue
            for text in told:
                for day in days.findall(text):
                    assert day_of(day) <= made, (name, day, made)
                    seen[name[-4:]] += 1
    assert min(seen["xlsx"], seen[".pdf"], seen[".eml"]) >= 2, seen


def test_a_paper_takes_the_tax_of_the_shoppers_state(drawers: list[WrittenDrawer]) -> None:
    assert (sales_tax("Florida", 2018), sales_tax("California", 2013), sales_tax("California", 2023)) == (
        6,
        8.25,
        7.25,
    )
    assert sales_tax("Oregon", 2020) == sales_tax(None, 2020) == 0
    assert set(_rates()) == set(STATES.values())
    seen = 0
    for drawer in drawers:
        percent = sales_tax(drawer.case.state, drawer.case.bought.year)
        for name, content in drawer.files.items():
            for printed in re.findall(r"Tax ([\d.]+)%", whole_text(name, content)):
                seen += 1
                assert float(printed) == percent
    assert seen


def test_every_file_says_of_what_its_facts_are(drawers: list[WrittenDrawer]) -> None:
    """By readers of others; pictures are read in the browser lane."""
    for drawer in drawers:
        for fact in drawer.case.of("file"):
            (place,) = fact.places
            name = place.address.removeprefix("file://").partition("#")[0]
            text = (
                whole_text(name, drawer.files[name]).casefold()
                if not name.endswith(".png")
                else place.names or ""
            )
            assert place.names and set(tokens(place.names)) <= set(tokens(text)), (name, place.names)


def test_what_is_paid_once_or_by_the_year_is_in_no_monthly_plan(drawers: list[WrittenDrawer]) -> None:
    for drawer in drawers:
        for fact in drawer.case.of("file"):
            sheet = fact.places[0].address.partition("#cell=")[2].partition("!")[0]
            if sheet and fact.attribute == "price paid":
                assert sheet == "Bought" or "budget" not in fact.places[0].address
            if sheet == "By the year":
                assert fact.attribute.startswith("upkeep")
