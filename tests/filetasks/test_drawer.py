"""The files of a drawer: every fact is at its place by readers of others, in no other file, and the same seed gives the same bytes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes
from email.utils import parsedate_to_datetime
from hashlib import sha256
from io import BytesIO
from random import Random

import pytest
from drr.env.text import tokens
from drr.papers.dr3.case import FileEntry, FileForm, NamedThing, PlannedFile, TaskCase
from drr.papers.dr3.drawer import labels, sketches
from drr.papers.dr3.drawer.brief import FileBrief
from drr.papers.dr3.drawer.goods import SUNDRIES, _rates, sales_tax
from drr.papers.dr3.drawer.writer import WRITERS, WrittenDrawer, write_drawer
from drr.papers.dr3.values import day_of
from drr.wording.states import STATES
from PIL import Image
from pypdf import PdfReader

from tests.filetasks.reading import says, text_at, whole_text
from tests.late import Late

openpyxl = Late("openpyxl")


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


@pytest.mark.long
def test_every_fact_of_files_stands_at_its_place(drawers: list[WrittenDrawer]) -> None:
    for drawer in drawers:
        for fact in drawer.case.of("file"):
            (place,) = fact.places
            name = place.address.removeprefix("file://").partition("#")[0]
            assert place.quote and says(place.quote, fact.value), fact
            if not name.endswith(".png"):
                assert says(text_at(drawer.files[name], place.address), fact.value), (name, fact)


def test_a_fact_has_its_region_and_its_object(drawers: list[WrittenDrawer]) -> None:
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
    # By readers of others; pictures are read in the browser lane.
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


def test_no_file_says_more_than_its_facts(drawers: list[WrittenDrawer]) -> None:
    for drawer in drawers:
        texts = {name: whole_text(name, content) for name, content in drawer.files.items()}
        for fact in drawer.case.of("file"):
            own = fact.places[0].address.removeprefix("file://").partition("#")[0]
            for name, text in texts.items():
                assert not says(name, fact.value)
                assert name == own or not says(text, fact.value), (drawer.case.task_id, name, fact)
    for drawer in drawers:
        for name, content in drawer.files.items():
            text = whole_text(name, content)
            assert [fact for fact in drawer.case.of("page") if fact.text in text] == []
            assert not says(text.casefold(), "fact")

    def digest(drawer: WrittenDrawer) -> list[str]:
        return [sha256(content).hexdigest() for content in drawer.files.values()]

    for drawer in drawers:
        assert digest(write_drawer(drawer.case)) == digest(drawer)
    from datetime import UTC, datetime

    today = datetime.now(UTC).strftime("%Y%m%d").encode()
    for drawer in drawers:
        for content in drawer.files.values():
            assert today not in content
    papers = [
        content for drawer in drawers for name, content in drawer.files.items() if name.endswith(".pdf")
    ]
    for content in papers:
        assert b"eportLab" not in content and b"opensource" not in content
        assert PdfReader(BytesIO(content), strict=True).metadata is not None
    assert papers


def test_papers_agree_with_who_made_them_taxes_plans_and_days(drawers: list[WrittenDrawer]) -> None:
    """By `openpyxl` in January 2020 and by nobody in January 2000, whatever day a task was of."""
    seen = Counter[str]()
    for drawer in drawers:
        case = drawer.case
        for name, content in drawer.files.items():
            if name.endswith(".xlsx"):
                kept = openpyxl.load_workbook(BytesIO(content)).properties
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
    for drawer in drawers:
        for fact in drawer.case.of("file"):
            sheet = fact.places[0].address.partition("#cell=")[2].partition("!")[0]
            if sheet and fact.attribute == "price paid":
                assert sheet == "Bought" or "budget" not in fact.places[0].address
            if sheet == "By the year":
                assert fact.attribute.startswith("upkeep")
    logs = 0
    for drawer in drawers:
        for name, content in drawer.files.items():
            if name.endswith(".xlsx"):
                for sheet in openpyxl.load_workbook(BytesIO(content)).worksheets:
                    if sheet["A1"].value == "Day":
                        days = [str(row[0].value) for row in sheet.iter_rows(min_row=2) if row[0].value]
                        logs += 1
                        assert days == sorted(days)
    assert logs


@pytest.mark.long
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
                book = openpyxl.load_workbook(BytesIO(content))
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


def _as(case: TaskCase, number: int, form: FileForm, entries: tuple[FileEntry, ...]) -> dict[str, bytes]:
    name = {"notes": "n.md", "mail": "m.eml", "budget": "b.xlsx", "manual": "h.pdf"}[form]
    file = PlannedFile(name=name, form=form, entries=entries)
    return write_drawer(replace(case, task_id=f"{number:03d}", files=(file,))).files


def test_papers_are_of_their_thing_and_edition(hundred: list[TaskCase]) -> None:
    """A nail lamp had a motor that must not get wet, and a coffee maker nothing to do with coffee."""
    for noun, own, foreign in (
        ("UV nail lamp", "gel", r"motor|blocks it|[Ee]mpty it|[Rr]inse"),
        ("drip coffee maker", "coffee", r"crib|bolts|gel"),
        ("ceramic kettle", "boil", r"coffee|gel"),
        ("sturdy cat tree", "sisal", r"coffee|outlet"),
        ("plug-in smoke detector", "battery", r"Rinse|water|cord"),
    ):
        thing = NamedThing(brand="Acme", noun=noun, model="AC-1234", plural=False)
        text = whole_text(
            "h.pdf", _as(replace(hundred[0], thing=thing, rival=None), 1, "manual", ())["h.pdf"]
        )
        assert own in text and not re.search(foreign, text), noun
    # A label without `Classic` was as good as that of the plain model, whose lots were others.
    thing = NamedThing(
        brand="Acme", noun="drip coffee maker", model="AC-1234", plural=False, edition="Classic"
    )
    case = replace(hundred[0], thing=thing, rival=None)
    assert "coffee maker\nClassic" in whole_text("h.pdf", _as(case, 1, "manual", ())["h.pdf"])
    file = PlannedFile(name="l.png", form="label", entries=())
    assert labels.head_of(FileBrief(case=case, file=file, rng=Random(1))) == (
        "Acme",
        "Drip coffee maker Classic",
    )
    # A parcel held a light bulb that no order of the list had.
    for case in hundred[:12]:
        files = (
            PlannedFile(name="o.csv", form="order_history", entries=()),
            PlannedFile(name="i.pdf", form="invoice", entries=()),
        )
        text = whole_text("i.pdf", write_drawer(replace(case, files=files)).files["i.pdf"])
        assert case.thing.model in text and not any(name in text for name, _ in SUNDRIES)
    # `Renew the parking permit before the weekend` stood in the notes of three users of ten.
    case = hundred[0]
    seen: Counter[str] = Counter()
    for number in range(1, 13):
        lines = _as(case, number, "notes", ())["n.md"].decode().splitlines()
        said = {line.lstrip("-*[] ") for line in lines if line and not line.startswith("#")}
        assert len(said) > 5 and not any(set(line) & set("{}|") for line in said)
        seen.update(said)
    assert not [line for line, times in seen.items() if times > 1]
    mails = [whole_text("m.eml", _as(case, number, "mail", ())["m.eml"]) for number in range(1, 11)]
    chatter = Counter(line for mail in mails for line in mail.splitlines() if len(line) > 40)
    assert not [line for line, times in chatter.items() if times > 1 and line[0] != ">"]


@pytest.mark.long
def test_other_widths_of_a_sketch_are_in_its_scale(hundred: list[TaskCase]) -> None:
    """A gap of 15 inches was drawn twice as wide as books of 24, and a shelf for eight pounds bore them."""
    case = next(one for one in hundred if one.intent == "fit_into_space")
    seen = 0
    for number in range(1, 9):
        file = PlannedFile(name="s.png", form="sketch", entries=())
        for place in ("pantry shelf", "hallway alcove"):
            entry = FileEntry(
                fact="f1", attribute="width of the place", label="Width", value="24.6 in", sentence=""
            )
            brief = FileBrief(
                case=replace(case, place=place, rival=None, facts=()),
                file=replace(file, entries=(entry,)),
                rng=Random(number),
            )
            told = _texts_of(brief)
            widths = {float(text.removesuffix(" in")): ends for text, ends in told if text.endswith(" in")}
            scale = widths[24.6]
            for inches, length in widths.items():
                seen += 1
                assert 0.85 < (inches / length) / (24.6 / scale) < 1.15
    assert seen > 20


def _texts_of(brief: FileBrief) -> list[tuple[str, int]]:
    """What stands at each arrow from side to side, with its length."""
    found: list[tuple[str, int]] = []

    def measure(sketch: object, ends: tuple[int, int, int, int], text: str, fact: str | None = None) -> None:
        if ends[1] == ends[3]:
            found.append((text, ends[2] - ends[0]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketches._Sketch, "measure", measure)
        sketches.write_sketch(brief)
    return found
