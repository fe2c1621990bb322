"""The stock of prose that pages are made of, read once from the folder `words`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from drr.papers.dr3.corpus.passages import ProsePassage, declared, prose, read_passage, templates
from drr.papers.dr3.corpus.template import Template, template

_FOLDER = Path(__file__).parent / "words"
VOICES = ("editor", "bench", "seller", "desk", "office")
"""Those that write for others; members, who write to each other, have matters instead of passages."""
MEMBER = "member"
TOPICS = ("choosing", "daily", "care", "fitting", "money", "delivery", "trouble", "lasting", "comparing", "people")  # fmt: skip
RULES, LISTINGS = "rules", "listings"
"""Topics of what is no running prose: rules of thumb of a theme, and what listings say."""
Layout = Literal["essay", "list", "table", "steps", "questions", "thread", "notice", "letters"]
About = Literal["thing", "brand", "seller"]
GENERAL = "general"


@dataclass(frozen=True, eq=False)
class TalkMatter:
    """Something that one asks and others answer."""

    topic: str
    needs: frozenset[str]
    ask: tuple[Template, ...]
    replies: tuple[ProsePassage, ...]
    answers: tuple[tuple[ProsePassage, ...], ...]
    """Replies to each way to ask."""
    asides: tuple[ProsePassage, ...]
    """Remarks to whoever asked."""
    alone: tuple[ProsePassage, ...]
    """Those of the replies that can stand by themselves."""

    def suits(self, fits: frozenset[str]) -> bool:
        return self.needs <= fits and any(one.suits(fits) for one in self.replies)

    def asked(self, fits: frozenset[str]) -> dict[Template, list[ProsePassage]]:
        """Map what can be asked of a thing to the passages that answer just that."""
        steps = {
            ask: [one for one in replies if one.suits(fits)]
            for ask, replies in zip(self.ask, self.answers, strict=True)
        }
        return {ask: replies for ask, replies in steps.items() if replies}


@dataclass(frozen=True)
class PageOccasion:
    """The occasion that brought a page about, and how it comes back to it at the end."""

    lead: tuple[Template, ...]
    settle: tuple[Template, ...]


@dataclass(frozen=True)
class StatementDating:
    """Ways to say since when a statement holds."""

    changes: str
    """Change since then: of the make, a list, a price. One month for all statements about the same make."""
    clause: tuple[Template, ...]
    sentence: tuple[Template, ...]
    talk: tuple[Template, ...]
    """A sentence of those who write to each other: they quote no papers."""


@dataclass(frozen=True)
class Vouching:
    """The words that say how one knows a figure, before it or after it."""

    before: tuple[Template, ...]
    after: tuple[Template, ...]


@dataclass(frozen=True)
class PageTitle:
    template: Template
    topics: frozenset[str]
    """Main topics that it is a title of; of all where there is none."""
    compares: bool
    """It names others of the sort."""


@dataclass(frozen=True)
class PageForm:
    """A sort of page."""

    name: str
    voice: str
    mains: frozenset[str]
    """Main topics that it is for; all where there is none."""
    trust: int
    """Quality of the source; `words/forms.toml` explains the figures."""
    layout: Layout
    titles: tuple[PageTitle, ...]
    openings: tuple[Template, ...]
    closings: tuple[Template, ...]


@dataclass(frozen=True)
class StatementForm:
    """One sort of thing that pages state, with the ways to say it."""

    attribute: re.Pattern[str]
    about: About
    topic: str
    """Topic of the headings it stands under."""
    near: tuple[str, ...]
    """Topics of a page beside which it can stand."""
    range: str | None
    """The range of the sort from which values of other pages are drawn: a field of `ThingKind`."""
    value: Template | None
    """Draws the values of pages that no task needs; `None` for the form of attributes that no line of the stock knows."""
    is_beside: bool
    """Nobody asks for it: it stands there beside what is asked for."""
    seldom: bool
    """Few would write it of their own accord."""
    measure: str
    """Unit of its values: `days`, `$`; none for codes."""
    groups: Mapping[str, Template]
    called: re.Pattern[str]
    """Words by which one knows that this is spoken of."""
    bears: re.Pattern[str] | None
    """Words of other things that would be taken for an answer too."""
    takes: Literal["", "year", "value"]
    """Time of use that the statement requires: a year, or as many months as its value."""
    among: tuple[int, ...]
    """Familiar figures of terms, common ones more than once."""
    papers: tuple[Template, ...]
    """Sentences that name the paper it stands in, in the words of whoever looked."""
    sentences: tuple[Template, ...]
    talk: tuple[Template, ...]
    """The same by those who write to each other."""
    bare: tuple[Template, ...]
    """Ways to say it once the subject is named."""
    side: tuple[Template, ...]
    """One side of it, without the value."""
    asked: tuple[Template, ...]
    column: Template
    cell: Template
    not_by: frozenset[str]
    """Voices that never state it."""
    dating: StatementDating | None
    """`None` where the statement itself says for when it holds, or nobody would ask."""
    before: tuple[Template, ...]
    """Introductions that reveal nothing of it."""
    after: tuple[Template, ...]
    terms: tuple[Template, ...]


@dataclass(frozen=True)
class SentenceStock:
    voices: Mapping[str, Mapping[str, tuple[ProsePassage, ...]]]
    """Passages by voice and topic."""
    matters: tuple[TalkMatter, ...]
    occasions: Mapping[str, Mapping[str, PageOccasion]]
    """Occasions by voice and main topic."""
    troubles: Mapping[str, tuple[str, ...]]
    """Possible faults of a thing, by trait."""
    carriers: Mapping[str, tuple[Template, ...]]
    """Sentences that name a statement's subject and say nothing else, by subject or the page's `house`."""
    figures: Mapping[str, tuple[Template, ...]]
    """Other figures of a page's subject, by voice."""
    themes: Mapping[str, Mapping[str, tuple[str, ...]]]
    lines: Mapping[str, tuple[Template, ...]]
    """Rules of thumb of a theme, a sentence each."""
    headings: Mapping[str, tuple[Template, ...]]
    asks: Mapping[str, tuple[Template, ...]]
    """Questions that what is said about a topic answers."""
    names: Mapping[str, tuple[str, ...]]
    details: Mapping[str, tuple[str, ...]]
    """Concrete things, people and times of everyday life: each time that one is spoken of it is another."""
    forms: tuple[PageForm, ...]
    statements: tuple[StatementForm, ...]
    """Forms without the last resort."""
    other: StatementForm
    hearsay: Mapping[str, Vouching]
    """Remarks on unconfirmed statements, by voice; voices that are missing pass no hearsay on."""
    denied: Mapping[str, tuple[Template, ...]]
    """Further remarks after a statement that is known to be wrong, by voice."""
    sure: Mapping[str, Vouching]
    """Remarks on confirmed statements in much the same words, by voice."""
    apart: Mapping[str, Vouching]
    """Doubts about other figures, beside one that is certain, by voice."""
    rough: Mapping[str, tuple[Template, ...]]
    """Turns of phrase before either kind that reveal no source, by voice."""
    noise_terms: tuple[Template, ...]

    def statement(self, attribute: str) -> tuple[StatementForm, Mapping[str, str]]:
        """Find how an attribute is spoken of, with the parts of its name."""
        for form in self.statements:
            if found := form.attribute.match(attribute):
                return form, {key: value or "" for key, value in found.groupdict().items()}
        return self.other, {"attribute": attribute}


MAKE = "make"
"""Change of the thing itself."""


def changes_with_make(attribute: str) -> bool:
    dating = stock().statement(attribute)[0].dating
    return dating is not None and dating.changes == MAKE


@cache
def stock() -> SentenceStock:
    themes = _table("themes")
    table_rows = _table("statements")
    datings = {
        name: StatementDating(name, *(templates(row[way]) for way in ("clause", "sentence", "talk")))
        for name, row in table_rows["dating"].items()
    }
    headings = _table("headings")
    return SentenceStock(
        voices={
            voice: {
                topic: tuple(read_passage(declared(row)) for row in rows)
                for topic, rows in _table(voice).items()
            }
            for voice in VOICES
        },
        matters=tuple(_matter(declared(row)) for row in _table(MEMBER)["matter"]),
        occasions={
            voice: {
                topic: PageOccasion(prose(row["lead"]), prose(row["settle"])) for topic, row in rows.items()
            }
            for voice, rows in _table("occasions").items()
        },
        troubles={trait: tuple(rows) for trait, rows in _table("troubles").items()},
        carriers={about: templates(rows) for about, rows in table_rows["carrier"].items()},
        figures={voice: prose(rows) for voice, rows in table_rows["figures"].items()},
        themes={
            key: {name: tuple(rows) for name, rows in row.items() if name != "lines"}
            for key, row in themes.items()
        },
        lines={key: templates(row["lines"]) for key, row in themes.items()},
        headings={topic: templates(rows) for topic, rows in headings["heading"].items()},
        asks={topic: templates(rows) for topic, rows in headings["ask"].items()},
        names={key: tuple(rows) for key, rows in _table("names").items()},
        details={key: tuple(rows) for key, rows in _table("details").items()},
        forms=tuple(_form(name, row) for name, row in _table("forms").items()),
        statements=tuple(_statement(row, datings) for row in table_rows["statement"]),
        other=_statement({**table_rows["other"], "attribute": ".*", "about": "thing"}, datings),
        hearsay={voice: _vouching(rows) for voice, rows in table_rows["hearsay"].items()},
        denied={voice: prose(rows) for voice, rows in table_rows["denied"].items()},
        sure={voice: _vouching(rows) for voice, rows in table_rows["sure"].items()},
        apart={voice: _vouching(rows) for voice, rows in table_rows["apart"].items()},
        rough={voice: templates(rows) for voice, rows in table_rows["rough"].items()},
        noise_terms=templates(table_rows["noise"][0]["terms"]),
    )


def _table(name: str) -> dict[str, Any]:
    with (_FOLDER / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def _vouching(rows: Mapping[str, list[str]]) -> Vouching:
    return Vouching(prose(rows["before"]), prose(rows["after"]))


def _matter(row: Mapping[str, Any]) -> TalkMatter:
    def passages(rows: list[str | dict[str, Any]]) -> tuple[ProsePassage, ...]:
        """Some need more than their matter."""
        parts = (one if isinstance(one, dict) else {"say": one, "needs": ()} for one in rows)
        return tuple(read_passage({**one, "needs": (*row["needs"], *one["needs"])}) for one in parts)

    replies = passages(row["replies"])
    return TalkMatter(
        topic=row["topic"],
        needs=frozenset(row["needs"]),
        ask=prose(row["ask"]),
        replies=replies,
        answers=tuple(tuple(replies[at] for at in places) for places in row["answers"]),
        asides=passages(row["asides"]),
        alone=tuple(replies[at] for at in row["alone"]),
    )


def _title(text: str) -> PageTitle:
    topics, found, wording = text.rpartition("> ")
    compares = "[rival" in wording or "[third" in wording
    return PageTitle(template(wording), frozenset(topics.split(",")) if found else frozenset(), compares)


def _form(name: str, row: Mapping[str, Any]) -> PageForm:
    return PageForm(
        name=name,
        voice=row["voice"],
        mains=frozenset(row.get("mains", ())),
        trust=row["trust"],
        layout=row["layout"],
        titles=tuple(map(_title, row["titles"])),
        openings=prose(row["openings"]),
        closings=prose(row["closings"]),
    )


def _measure(value: str) -> str:
    first, _, rest = value.partition(" ")
    return "$" if value.startswith("$") else first if first == "lots" else rest


def _statement(row: Mapping[str, Any], datings: Mapping[str, StatementDating]) -> StatementForm:
    return StatementForm(
        attribute=re.compile(row["attribute"]),
        about=row["about"],
        topic=row["topic"],
        near=tuple(row["near"]),
        range=row.get("range"),
        value=template(row["value"]) if "value" in row else None,
        is_beside=row.get("beside", False),
        seldom=row.get("seldom", False),
        measure=_measure(row.get("value", "")),
        groups={key: template(text) for key, text in row.get("groups", {}).items()},
        called=re.compile(row["called"], re.IGNORECASE),
        bears=re.compile(row["bears"], re.IGNORECASE) if "bears" in row else None,
        takes=row.get("takes", ""),
        among=tuple(row.get("among", ())),
        papers=templates(row["papers"]),
        sentences=templates(row["said"]),
        talk=templates(row.get("talk", row["said"])),
        bare=templates(row["bare"]),
        side=templates(row["side"]),
        asked=templates(row["asked"]),
        column=template(row["column"]),
        cell=template(row["cell"]),
        not_by=frozenset(row.get("not_by", ())),
        dating=datings.get(row.get("dating", "")),
        before=prose(row["before"]),
        after=prose(row["after"]),
        terms=templates(row["terms"]),
    )
