"""The ways to put a statement. They are one sentence, a sentence after naming its subject, an answer, and a row of a table among others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from drr.papers.dr3.corpus.passages import fitting
from drr.papers.dr3.corpus.scene import PageScene
from drr.papers.dr3.corpus.statement import PageStatement, drawn_statement, suits_kind
from drr.papers.dr3.corpus.stock import MEMBER, PageForm, Vouching, stock
from drr.papers.dr3.corpus.template import Template
from drr.papers.dr3.planning.kinds import kind_of

_LED = 0.3
"""Share of statements with a lead-in, and with a follow-up."""
_WITHOUT_TABLES = frozenset([MEMBER, "desk"])
"""Voices that print no tables of terms: people who write to each other, and newspapers."""
_CLAUSE = 0.7
_ROWS = 3
_ANNOUNCED = 0.4
"""Share of questions that are announced as such."""
_SURE = {True: 0.34, False: 0.04}
"""Share of figures with a remark on their source, on pages about the case, where rumors are, and on others.
Voices with hearsay add them too."""
_APART = {True: 0.2, False: 0.02}
"""Share of figures with a doubt about others only: words of doubt that leave the figure alone."""
_ROUGH = 0.02
"""Share of statements with a turn of phrase in front, whatever is known of them."""
_AFTERWARD = 0.5
"""Share of remarks that follow the figure."""


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


def stated(statement: PageStatement, page: PageForm, scene: PageScene) -> ToldStatement:
    rng, teller = scene.rng, _Teller(statement, page.voice, scene)
    ways = [teller.named, teller.named, teller.named, teller.carried]
    if page.layout not in _OF_QUESTIONS:
        ways.append(teller.answered)
    if page.voice not in _WITHOUT_TABLES:
        ways += [teller.tabled, teller.tabled]
    way = teller.sided if statement.one_sided else rng.choice(ways)
    quote = way()
    before = teller.one(statement.form.before) if rng.random() < _LED else ""
    after = teller.one(statement.form.after) if rng.random() < _LED else ""
    tabled = quote.startswith("|")
    known = teller.vouchers(tabled=True)[0] if tabled else ""
    parts = tuple(part for part in (before, known, quote, after) if part)
    return ToldStatement(parts if tabled else (" ".join(parts),), quote, teller.question())


class _Teller:
    """Puts one statement in the words of a voice."""

    def __init__(self, statement: PageStatement, voice: str, scene: PageScene) -> None:
        self.statement, self.voice, self.scene, self.rng = statement, voice, scene, scene.rng
        papers = fitting(statement.form.papers, scene.fits)
        self.words = {
            **statement.words(voice == MEMBER),
            "others": _OTHERS[statement.form.about],
            "paper": scene.rng.choice(papers).words(scene.rng, scene.fill),
        }

    def fill(self, slot: str) -> str:
        return self.words[slot] if slot in self.words else self.scene.fill(slot)

    def one(self, rows: Sequence[Template], *, sentence: bool = True) -> str:
        scene, rows = self.scene, fitting(rows, self.scene.fits)
        fresh = [row for row in rows if id(row) not in scene.used]
        chosen = scene.deck.pick(fresh or rows, self.rng)
        scene.used.add(id(chosen))
        return (
            scene.deck.worded(chosen, self.rng, self.fill) if sentence else chosen.words(self.rng, self.fill)
        )

    def question(self) -> str:
        """Ask the question, by name where it is about something else than the page."""
        form = self.statement.form
        named = form.about == "seller" or self.statement.subject.startswith(self.scene.thing.brand)
        return self.one(stock().asks[form.topic] if named and not form.is_beside else form.asked)

    def named(self) -> str:
        own = self.voice == MEMBER and not self.statement.hearsay
        return self._whole(self.statement.form.talk if own else self.statement.form.sentences)

    def sided(self) -> str:
        return self._whole(self.statement.form.side)

    def carried(self) -> str:
        is_house = self.voice == "seller" and self.statement.subject == self.scene.seller
        carrier = self.one(stock().carriers["house" if is_house else self.statement.form.about])
        return f"{carrier} {self._whole(self.statement.form.bare)}"

    def answered(self) -> str:
        asked = self.one(self.statement.form.asked)
        if self.rng.random() < _ANNOUNCED:
            asked = f"{self.one(stock().carriers['asking'])} {asked}"
        return f"{asked} {self._whole(self.statement.form.bare)}"

    def tabled(self) -> str:
        """Write from the head of the table to the row of the statement. Rows of some neighbors with the same column stand above it."""
        form = self.statement.form
        rows = [f"| {_SUBJECTS[form.about]} | {form.column.say(self.rng, self.fill)} |", "| --- | --- |"]
        rows += [
            _Teller(one, self.voice, self.scene).cells() for one in _neighbors(self.statement, self.scene)
        ]
        return "\n".join([*rows, self.cells()])

    def cells(self) -> str:
        form = self.statement.form
        text = form.cell.words(self.rng, self.fill)
        if form.dating and self.statement.as_of:
            text += f" ({self.one(form.dating.clause, sentence=False)})"
        return f"| {self.statement.subject} | {text} |"

    def _whole(self, rows: Sequence[Template]) -> str:
        """Say one of the rows, since when it holds, and how one knows."""
        text = self._dated(self.one(rows))
        first, last = self.vouchers(tabled=False)
        return f"{first} {text} {last}".strip()

    def _dated(self, text: str) -> str:
        dating = self.statement.form.dating
        if dating is None or not self.statement.as_of:
            return text
        if self.voice == MEMBER:
            return f"{text} {self.one(dating.talk)}"
        if self.rng.random() < _CLAUSE:
            return f"{text.removesuffix('.')} ({self.one(dating.clause, sentence=False)})."
        return f"{text} {self.one(dating.sentence)}"

    def vouchers(self, *, tabled: bool) -> tuple[str, str]:
        """Choose the words before and after that say how one knows. Hearsay says that it is; so that this does
        not tell, others about which there may be rumors say as often how they know, in much the same words."""
        rng, book, voice, one_sided = self.rng, stock(), self.voice, self.statement.one_sided
        first = last = ""
        is_case = self.scene.calendar.day is not None
        if self.statement.hearsay:
            denies = self.statement.is_wrong and not one_sided
            first, last = self._around(book.hearsay[voice], book.denied[voice] if denies else (), tabled)
        elif voice in book.sure and not one_sided and rng.random() < _SURE[is_case]:
            first, last = self._around(book.sure[voice], (), tabled)
        elif voice in book.apart and not tabled and not one_sided and rng.random() < _APART[is_case]:
            first, last = self._around(book.apart[voice], (), tabled)
        if rng.random() < _ROUGH and not first:
            first = self.one(book.rough[voice])
        return first, last

    def _around(self, ways: Vouching, denied: Sequence[Template], tabled: bool) -> tuple[str, str]:
        """A table is spoken of before it, and nobody denies one."""
        if tabled or self.rng.random() >= _AFTERWARD:
            return self.one(ways.before), ""
        return "", self.one((*ways.after, *denied))


_SUBJECTS = {"thing": "Model", "brand": "Maker", "seller": "Shop"}


def _neighbors(statement: PageStatement, scene: PageScene) -> list[PageStatement]:
    form, rng = statement.form, scene.rng
    if form.about == "seller" or not form.value:
        return []
    apt = [one.thing for one in scene.companions[: scene.peers] if suits_kind(form, kind_of(one.thing.noun))]
    drawn = (drawn_statement(one, None, rng, scene.calendar, form) for one in apt)
    others = (one for one in drawn if one is not None and one.value != statement.value and not one.is_wrong)
    rows = {one.subject: one for one in others if one.subject != statement.subject}
    return [*islice(rows.values(), rng.randint(1, _ROWS))]
