"""All files of a case, and its facts with the places where they stand. Mails, saved pages and notes are written here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta, timezone
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from html import escape
from random import Random

from drr.papers.dr3.case import MADE, FileEntry, FileForm, TaskCase
from drr.papers.dr3.drawer.booklets import write_manual, write_warranty
from drr.papers.dr3.drawer.brief import FileBrief, dealt, phrases
from drr.papers.dr3.drawer.goods import mail_domain
from drr.papers.dr3.drawer.labels import write_label, write_photo
from drr.papers.dr3.drawer.receipts import write_order_history, write_receipt
from drr.papers.dr3.drawer.sheets import write_budget, write_comparison, write_measurements
from drr.papers.dr3.drawer.sketches import write_sketch, write_till_slip
from drr.papers.dr3.planning.scene import capital
from drr.papers.dr3.truth import FactPlace, TaskFact


def write_mail(brief: FileBrief) -> bytes:
    rng, case = brief.rng, brief.case
    clerk, domain = rng.choice(phrases("clerks")), mail_domain(case)
    first = case.shopper.split()[0]
    body = [f"{rng.choice(('Hello', 'Dear', 'Good morning'))} {first},", ""]
    thanks = (
        f"thanks for writing to {case.seller}.",
        "thank you for your patience.",
        "good to hear from you.",
    )
    body += [rng.choice(thanks), ""]
    chatter = dealt(brief, "chatter", 2, 2)
    lines = [_for_seller(brief, entry) for entry in brief.file.entries]
    middle = [*lines, *chatter]
    rng.shuffle(middle)
    for sentence in middle:
        body += [sentence, ""]
    regards = rng.choice(("Kind regards", "All the best", "Sincerely"))
    body += [regards, clerk, f"{case.seller}, customer desk"]
    if rng.random() < 0.5:
        asked, signed = rng.choice(phrases("asked")), rng.choice(phrases("signed"))
        body += ["", f"> {first} wrote:", f"> {asked.format(noun=case.thing.called)}", f"> {signed}"]
    for entry, sentence in zip(brief.file.entries, lines, strict=True):
        brief.put(entry.fact, sentence)
    message = EmailMessage(policy=SMTP.clone(max_line_length=None))
    message["From"] = f"{clerk} at {case.seller} <service@{domain}>"
    message["To"] = (
        f"{case.shopper} <{first.lower().encode('ascii', 'ignore').decode() or 'me'}@mail.example>"
    )
    message["Subject"] = rng.choice(
        (f"Re: your {case.thing.called}", "Your message to us", f"{capital(case.thing.called)}: our answer")
    )
    message["Date"] = format_datetime(_sent(brief))
    message["Message-ID"] = f"<{brief.digits(14)}@{domain}>"
    message.set_content("\n".join(body), cte="8bit")
    return message.as_bytes()


def _sent(brief: FileBrief) -> datetime:
    """A few days before the question, and on no day that another file is to tell."""
    taken = {fact.value for fact in brief.case.facts}
    day = brief.case.today - timedelta(days=brief.rng.randrange(2, 6))
    while f"{day:%B} {day.day}, {day.year}" in taken or day.isoformat() in taken:
        day -= timedelta(days=1)
    clock = time(brief.rng.randrange(8, 18), brief.rng.randrange(60), brief.rng.randrange(60))
    return datetime.combine(day, clock, timezone(timedelta(hours=-5)))


def _for_seller(brief: FileBrief, entry: FileEntry) -> str:
    """Write what the shopper would write, as the seller answers it."""
    name = listed_name(brief)
    rng, value = brief.rng, entry.value
    if answers := _answers().get(entry.attribute):
        return rng.choice(answers).format(name=name, value=value)
    if entry.attribute.startswith("part number"):
        piece = entry.attribute.removeprefix("part number of the ")
        return f"The photo that you sent shows the broken {piece} of the {name}: that is part {value}."
    if entry.attribute == MADE:
        whose = (
            f"regular pack of the {name} that you have"
            if brief.case.rival is None
            else f"{brief.subject_of(entry)} that we have"
        )
        return f"The {whose} was made in {value}, as the box says."
    assert entry.attribute == "width of the product", entry.attribute
    return f"As the box says, the {brief.subject_of(entry)} is {value} wide."


@cache
def _answers() -> dict[str, list[str]]:
    """Map attributes to what a seller writes of them."""
    return {attribute: rows for attribute, *rows in phrases("told")}


def listed_name(brief: FileBrief) -> str:
    """Name what is owned, as everything of a case is called in it."""
    return brief.case.thing.called if brief.case.rival is None else brief.case.thing.name


def write_notes(brief: FileBrief) -> bytes:
    """A list or short paragraphs in Markdown."""
    rng, case = brief.rng, brief.case
    notes = [entry.sentence for entry in brief.file.entries]
    others = dealt(brief, "todo", rng.choice((5, 6, 7, 8)), 8)
    lines = [*notes, *(text if text.endswith("?") else f"{capital(text)}." for text in others)]
    rng.shuffle(lines)
    head = rng.choice(("Notes", capital(case.thing.noun), "To remember", "Things"))
    style = rng.choice(("list", "boxes", "text"))
    if style == "text":
        rows = [f"# {head}", ""]
        for line in lines:
            rows += [line, ""]
    else:
        mark = "- " if style == "list" else rng.choice(("- [ ] ", "* "))
        rows = [f"# {head}", "", *(f"{mark}{line}" for line in lines), ""]
        rows += ["## Later", "", f"{mark}{capital(dealt(brief, 'later', 1, 1)[0])}", ""]
    for entry in brief.file.entries:
        brief.put(entry.fact, entry.sentence)
    return "\n".join(rows).encode()


def write_saved_page(brief: FileBrief) -> bytes:
    """Write a page of a shop or of a magazine as a browser saves it. It has one table of data, some prose, a menu and a footer."""
    rng, thing = brief.rng, brief.thing
    points = any("points" in entry.value for entry in brief.file.entries)
    site = (
        rng.choice(("The Household Post", "Bench & Home", "Tried at Home")) if points else brief.case.seller
    )
    rows = [
        ("Product", capital(thing.name)),
        ("Model", thing.model),
        *((one.label, one.value) for one in brief.file.entries),
    ]
    rows += map(tuple, rng.sample(phrases("page_rows"), 2))
    head, rest = rows[:1], rows[1:]
    rng.shuffle(rest)
    table = "\n".join(
        f"    <tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in head + rest
    )
    prose = rng.sample(phrases("page_lines"), 3)
    for entry in brief.file.entries:
        brief.put(entry.fact, f"{entry.label} {entry.value}")
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(capital(thing.name))} | {escape(site)}</title>
<style>body{{font-family:{rng.choice(("Georgia", "Arial", "Verdana"))};max-width:52rem;margin:auto}}th{{text-align:left}}nav{{color:#777}}</style>
</head>
<body>
<nav>Home &rsaquo; {escape(rng.choice(("Reviews", "All products", "Home and living")))} &rsaquo; {escape(capital(thing.noun))}</nav>
<h1>{escape(capital(thing.name))}</h1>
<p>{prose[0]}</p>
<p>{prose[1]}</p>
<table>
{table}
</table>
<p>{prose[2]}</p>
<footer>{escape(site)}. {rng.choice(("All rights reserved.", "Subscribe to our letter.", "Imprint and contact."))}</footer>
</body>
</html>
"""
    return text.encode()


WRITERS: dict[FileForm, Callable[[FileBrief], bytes]] = {
    "order_history": write_order_history,
    "receipt": write_receipt,
    "invoice": write_receipt,
    "delivery_note": write_receipt,
    "till_slip": write_till_slip,
    "warranty": write_warranty,
    "manual": write_manual,
    "photo": write_photo,
    "label": write_label,
    "sketch": write_sketch,
    "budget": write_budget,
    "comparison": write_comparison,
    "measurements": write_measurements,
    "mail": write_mail,
    "saved_page": write_saved_page,
    "notes": write_notes,
}


@dataclass(frozen=True)
class WrittenDrawer:
    """`case` is the one that was handed in, with the places of the facts of files."""

    files: dict[str, bytes]
    case: TaskCase


def write_drawer(case: TaskCase) -> WrittenDrawer:
    files: dict[str, bytes] = {}
    places: dict[str, FactPlace] = {}
    for file in case.files:
        rng = Random(f"{case.seed}/{case.task_id}/{case.user_id}/{file.name}")
        brief = FileBrief(case=case, file=file, rng=rng)
        files[file.name] = WRITERS[file.form](brief)
        missing = {entry.fact for entry in file.entries} - set(brief.places)
        if missing:
            raise AssertionError(f"{file.name} ({file.form}) does not hold {sorted(missing)}")
        places.update(brief.places)
    return WrittenDrawer(
        files, replace(case, facts=tuple(_placed(case, fact, places) for fact in case.facts))
    )


def _placed(case: TaskCase, fact: TaskFact, places: dict[str, FactPlace]) -> TaskFact:
    if fact.id not in places:
        return fact
    place = places[fact.id].model_copy(update={"names": names_of(case, fact)})
    return fact.model_copy(update={"places": (place,)})


def names_of(case: TaskCase, fact: TaskFact) -> str:
    """Return what each writer sets beside a fact. What is owned goes by its sort, with its brand where
    another maker's thing is weighed; a place goes by its name."""
    if fact.attribute == "gap in the trunk":
        return "trunk"
    if case.place and fact.subject == f"the {case.place}":
        return case.place
    thing = case.rival if case.rival is not None and fact.subject == case.rival.name else case.thing
    return thing.called if case.rival is None else thing.name
