"""The ways to put a statement. They are one sentence, a sentence after naming its subject, an answer, and a row of a table among others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from drr.papers.dr3.corpus.passages import fitting
from drr.papers.dr3.corpus.scene import PageScene
from drr.papers.dr3.corpus.statement import PageStatement, drawn_statement, is_said_of
from drr.papers.dr3.corpus.stock import MEMBER, PageForm, StatementForm, Vouching, stock
from drr.papers.dr3.corpus.template import Fill, Template
from drr.papers.dr3.planning.kinds import kind_of

_LED = 0.3
"""How often something stands before a statement, and after it."""
_WITHOUT_TABLES = frozenset([MEMBER, "desk"])
"""Voices that print no tables of terms: people who write to each other, and newspapers."""
_CLAUSE = 0.7
_ROWS = 3
_ANNOUNCED = 0.4
"""How often it is said of a question that it is asked."""
_SURE = {True: 0.34, False: 0.04}
"""How often it is said of a figure how one knows it, by those who pass on hearsay too: on pages about the case, where rumors are, and on others."""
_APART = {True: 0.2, False: 0.02}
"""How often it is said of others that one does not know: words of doubt, and none about the figure."""
_ROUGH = 0.02
"""How often a manner of speaking stands before a statement, whatever is known of it."""
_AFTERWARD = 0.5
"""How often it is said after the figure."""


@dataclass(frozen=True)
class ToldStatement:
    """Paragraphs, and the words among them that state it, from the name to the value."""

    parts: tuple[str, ...]
    quote: str
    ask: str
    """A question that they answer, where a page is made of questions."""


_OTHERS = {"thing": "other models", "brand": "other makers", "seller": "other shops"}
_OF_QUESTIONS = ("questions", "thread", "letters")
"""Layouts in which what is told has been asked before."""


def told(statement: PageStatement, page: PageForm, scene: PageScene) -> ToldStatement:
    rng, voice = scene.rng, page.voice
    fill = _filled(statement, scene, voice)
    ways = [_named, _named, _named, _carried]
    if page.layout not in _OF_QUESTIONS:
        ways.append(_asked)
    if voice not in _WITHOUT_TABLES:
        ways += [_row, _row]
    way = _sided if statement.one_sided else rng.choice(ways)
    quote = way(statement, voice, scene, fill)
    before = _one(statement.form.before, scene, fill) if rng.random() < _LED else ""
    after = _one(statement.form.after, scene, fill) if rng.random() < _LED else ""
    tabled = quote.startswith("|")
    known = _vouchers(statement, voice, scene, fill, tabled=True)[0] if tabled else ""
    parts = tuple(part for part in (before, known, quote, after) if part)
    return ToldStatement(parts if tabled else (" ".join(parts),), quote, _question(statement, scene, fill))


def _question(statement: PageStatement, scene: PageScene, fill: Fill) -> str:
    """Ask the question, by name where it is about something else than the page."""
    named = statement.form.about == "seller" or statement.subject.startswith(scene.thing.brand)
    is_own = named and not statement.form.is_beside
    return _one(stock().asks[statement.form.topic] if is_own else statement.form.asked, scene, fill)


def _named(statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    form = statement.form
    own = voice == MEMBER and not statement.hearsay
    said = _one(form.talk if own else form.said, scene, fill)
    return _vouched(_dated(said, statement, voice, scene, fill), statement, voice, scene, fill)


def _sided(statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    said = _one(statement.form.side, scene, fill)
    return _vouched(_dated(said, statement, voice, scene, fill), statement, voice, scene, fill)


def _carried(statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    is_house = voice == "seller" and statement.subject == scene.seller
    carrier = _one(stock().carriers["house" if is_house else statement.form.about], scene, fill)
    said = _dated(_one(statement.form.bare, scene, fill), statement, voice, scene, fill)
    return f"{carrier} {_vouched(said, statement, voice, scene, fill)}"


def _asked(statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    asked = _one(statement.form.asked, scene, fill)
    if scene.rng.random() < _ANNOUNCED:
        asked = f"{_one(stock().carriers['asking'], scene, fill)} {asked}"
    said = _dated(_one(statement.form.bare, scene, fill), statement, voice, scene, fill)
    return f"{asked} {_vouched(said, statement, voice, scene, fill)}"


def _row(statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    """Write from the head of the table to the row of the statement. Rows of some neighbors with the same column stand above it."""
    rows = [f"| {_subject(statement.form)} | {statement.form.column.say(scene.rng, fill)} |", "| --- | --- |"]
    rows += [_cells(one, scene, _filled(one, scene, voice)) for one in _neighbors(statement, scene)]
    return "\n".join([*rows, _cells(statement, scene, fill)])


def _neighbors(statement: PageStatement, scene: PageScene) -> list[PageStatement]:
    form, rng = statement.form, scene.rng
    if form.about == "seller" or not form.value:
        return []
    apt = [one.thing for one in scene.companions[: scene.peers] if is_said_of(form, kind_of(one.thing.noun))]
    drawn = (drawn_statement(one, None, rng, scene.calendar, form) for one in apt)
    others = (one for one in drawn if one is not None and one.value != statement.value and not one.is_wrong)
    rows = {one.subject: one for one in others if one.subject != statement.subject}
    return [*islice(rows.values(), rng.randint(1, _ROWS))]


def _cells(statement: PageStatement, scene: PageScene, fill: Fill) -> str:
    said = statement.form.cell.words(scene.rng, fill)
    if statement.form.dating and statement.as_of:
        said += f" ({_one(statement.form.dating.clause, scene, fill, sentence=False)})"
    return f"| {statement.subject} | {said} |"


def _subject(form: StatementForm) -> str:
    return {"thing": "Model", "brand": "Maker", "seller": "Shop"}[form.about]


def _dated(said: str, statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    dating = statement.form.dating
    if dating is None or not statement.as_of:
        return said
    if voice == MEMBER:
        return f"{said} {_one(dating.talk, scene, fill)}"
    if scene.rng.random() < _CLAUSE:
        clause = _one(dating.clause, scene, fill, sentence=False)
        return f"{said.removesuffix('.')} ({clause})."
    return f"{said} {_one(dating.sentence, scene, fill)}"


def _vouched(said: str, statement: PageStatement, voice: str, scene: PageScene, fill: Fill) -> str:
    first, last = _vouchers(statement, voice, scene, fill, tabled=False)
    return f"{first} {said} {last}".strip()


def _vouchers(
    statement: PageStatement, voice: str, scene: PageScene, fill: Fill, *, tabled: bool
) -> tuple[str, str]:
    """Choose the words before and after that say how one knows. Hearsay says that it is; so that this does
    not tell, others about which there may be rumors say as often how they know, in much the same words."""
    rng, book = scene.rng, stock()
    first = last = ""
    is_case = scene.calendar.day is not None
    if statement.hearsay:
        denies = statement.is_wrong and not statement.one_sided
        first, last = _before_or_after(
            book.hearsay[voice], book.denied[voice] if denies else (), scene, fill, tabled
        )
    elif voice in book.sure and not statement.one_sided and rng.random() < _SURE[is_case]:
        first, last = _before_or_after(book.sure[voice], (), scene, fill, tabled)
    elif voice in book.apart and not tabled and not statement.one_sided and rng.random() < _APART[is_case]:
        first, last = _before_or_after(book.apart[voice], (), scene, fill, tabled)
    if rng.random() < _ROUGH and not first:
        first = _one(book.rough[voice], scene, fill)
    return first, last


def _before_or_after(
    ways: Vouching, denied: Sequence[Template], scene: PageScene, fill: Fill, tabled: bool
) -> tuple[str, str]:
    """A table is spoken of before it, and nobody denies one."""
    if tabled or scene.rng.random() >= _AFTERWARD:
        return _one(ways.before, scene, fill), ""
    return "", _one((*ways.after, *denied), scene, fill)


def _filled(statement: PageStatement, scene: PageScene, voice: str) -> Fill:
    words = statement.words(voice == MEMBER)
    papers = fitting(statement.form.papers, scene.fits)
    words["others"] = _OTHERS[statement.form.about]
    words["paper"] = scene.rng.choice(papers).words(scene.rng, scene.fill)
    return lambda slot: words[slot] if slot in words else scene.fill(slot)


def _one(rows: Sequence[Template], scene: PageScene, fill: Fill, *, sentence: bool = True) -> str:
    rows = fitting(rows, scene.fits)
    fresh = [row for row in rows if id(row) not in scene.used]
    chosen = scene.deck.pick(fresh or rows, scene.rng)
    scene.used.add(id(chosen))
    return scene.deck.told(chosen, scene.rng, fill) if sentence else chosen.words(scene.rng, fill)
