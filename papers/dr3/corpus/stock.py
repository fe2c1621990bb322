"""The stock of prose that pages are made of, read once from the folder `words`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from drr.papers.dr3.corpus.passages import ProsePassage, declared, prose, read_passage, templates
from drr.papers.dr3.corpus.template import Template, template
from drr.papers.dr3.form import FrozenRow
from pydantic import Field, PlainValidator, model_validator

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

Wording = Annotated[Template, PlainValidator(template)]
Wordings = Annotated[tuple[Template, ...], PlainValidator(templates)]
Prose = Annotated[tuple[Template, ...], PlainValidator(prose)]
Passage = Annotated[ProsePassage, PlainValidator(lambda row: read_passage(declared(row)))]
Words = Annotated[re.Pattern[str], PlainValidator(lambda text: re.compile(text, re.IGNORECASE))]


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


class PageOccasion(FrozenRow):
    """The occasion that brought a page about, and how it comes back to it at the end."""

    lead: Prose
    settle: Prose


class StatementDating(FrozenRow):
    """Ways to say since when a statement holds."""

    changes: str
    """Change since then: of the make, a list, a price. One month for all statements about the same make."""
    clause: Wordings
    sentence: Wordings
    talk: Wordings
    """A sentence of those who write to each other: they quote no papers."""


class Vouching(FrozenRow):
    """The words that say how one knows a figure, before it or after it."""

    before: Prose
    after: Prose


@dataclass(frozen=True)
class PageTitle:
    template: Template
    topics: frozenset[str]
    """Main topics that it is a title of; of all where there is none."""
    compares: bool
    """It names others of the sort."""


def _title(text: str) -> PageTitle:
    topics, found, wording = text.rpartition("> ")
    compares = "[rival" in wording or "[third" in wording
    return PageTitle(template(wording), frozenset(topics.split(",")) if found else frozenset(), compares)


class PageForm(FrozenRow):
    """A sort of page."""

    name: str
    voice: str
    mains: frozenset[str] = frozenset()
    """Main topics that it is for; all where there is none."""
    trust: int
    """Quality of the source; `words/forms.toml` explains the figures."""
    layout: Layout
    titles: tuple[Annotated[PageTitle, PlainValidator(_title)], ...]
    openings: Prose
    closings: Prose


class StatementForm(FrozenRow):
    """One sort of thing that pages state, with the ways to say it."""

    attribute: re.Pattern[str]
    about: About
    topic: str
    """Topic of the headings it stands under."""
    near: tuple[str, ...]
    """Topics of a page beside which it can stand."""
    range: str | None = None
    """The range of the sort from which values of other pages are drawn: a field of `ThingKind`."""
    value: Wording | None = None
    """Draws the values of pages that no task needs; `None` for the form of attributes that no line of the stock knows."""
    is_beside: bool = Field(False, alias="beside")
    """Nobody asks for it: it stands there beside what is asked for."""
    seldom: bool = False
    """Few would write it of their own accord."""
    measure: str
    """Unit of its values: `days`, `$`; none for codes."""
    groups: Mapping[str, Wording] = Field({})
    called: Words
    """Words by which one knows that this is spoken of."""
    bears: Words | None = None
    """Words of other things that would be taken for an answer too."""
    takes: Literal["", "year", "value"] = ""
    """Time of use that the statement requires: a year, or as many months as its value."""
    among: tuple[int, ...] = ()
    """Familiar figures of terms, common ones more than once."""
    papers: Wordings
    """Sentences that name the paper it stands in, in the words of whoever looked."""
    sentences: Wordings = Field(alias="said")
    talk: Wordings
    """The same by those who write to each other."""
    bare: Wordings
    """Ways to say it once the subject is named."""
    side: Wordings
    """One side of it, without the value."""
    asked: Wordings
    column: Wording
    cell: Wording
    not_by: frozenset[str] = frozenset()
    """Voices that never state it."""
    dating: StatementDating | None = None
    """`None` where the statement itself says for when it holds, or nobody would ask."""
    before: Prose
    """Introductions that reveal nothing of it."""
    after: Prose
    terms: Wordings

    @model_validator(mode="before")
    @classmethod
    def _with_its_measure(cls, row: dict[str, Any]) -> dict[str, Any]:
        return {"talk": row["said"], "measure": _measure(row.get("value", "")), **row}


def _measure(value: str) -> str:
    first, _, rest = value.partition(" ")
    return "$" if value.startswith("$") else first if first == "lots" else rest


def _matter(row: Mapping[str, Any]) -> TalkMatter:
    def passages(rows: list[str | dict[str, Any]]) -> tuple[ProsePassage, ...]:
        """Some need more than their matter."""
        parts = (one if isinstance(one, dict) else {"say": one, "needs": ()} for one in rows)
        return tuple(read_passage({**one, "needs": (*row["needs"], *one["needs"])}) for one in parts)

    replies = passages(declared(row)["replies"])
    return TalkMatter(
        topic=row["topic"],
        needs=frozenset(row["needs"]),
        ask=prose(row["ask"]),
        replies=replies,
        answers=tuple(tuple(replies[at] for at in places) for places in row["answers"]),
        asides=passages(row["asides"]),
        alone=tuple(replies[at] for at in row["alone"]),
    )


class SentenceStock(FrozenRow):
    voices: Mapping[str, Mapping[str, tuple[Passage, ...]]]
    """Passages by voice and topic."""
    matters: tuple[Annotated[TalkMatter, PlainValidator(_matter)], ...]
    occasions: Mapping[str, Mapping[str, PageOccasion]]
    """Occasions by voice and main topic."""
    troubles: Mapping[str, tuple[str, ...]]
    """Possible faults of a thing, by trait."""
    carriers: Mapping[str, Wordings]
    """Sentences that name a statement's subject and say nothing else, by subject or the page's `house`."""
    figures: Mapping[str, Prose]
    """Other figures of a page's subject, by voice."""
    themes: Mapping[str, Mapping[str, tuple[str, ...]]]
    lines: Mapping[str, Wordings]
    """Rules of thumb of a theme, a sentence each."""
    headings: Mapping[str, Wordings]
    asks: Mapping[str, Wordings]
    """Questions that what is said about a topic answers."""
    names: Mapping[str, tuple[str, ...]]
    details: Mapping[str, tuple[str, ...]]
    """Concrete things, people and times of everyday life: each time that one is spoken of it is another."""
    talk: Mapping[str, tuple[str, ...]]
    """Forms of pages, and what people say to each other on them."""
    forms: tuple[PageForm, ...]
    statements: tuple[StatementForm, ...]
    """Forms without the last resort."""
    other: StatementForm
    hearsay: Mapping[str, Vouching]
    """Remarks on unconfirmed statements, by voice; voices that are missing pass no hearsay on."""
    denied: Mapping[str, Prose]
    """Further remarks after a statement that is known to be wrong, by voice."""
    sure: Mapping[str, Vouching]
    """Remarks on confirmed statements in much the same words, by voice."""
    apart: Mapping[str, Vouching]
    """Doubts about other figures, beside one that is certain, by voice."""
    rough: Mapping[str, Wordings]
    """Turns of phrase before either kind that reveal no source, by voice."""
    noise_terms: Wordings

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
    themes, headings, rows = _table("themes"), _table("headings"), _table("statements")
    datings = {name: StatementDating(changes=name, **row) for name, row in rows["dating"].items()}
    dated = [{**row, "dating": datings.get(row.get("dating", ""))} for row in rows["statement"]]
    stated = {key: rows[key] for key in ("figures", "hearsay", "denied", "sure", "apart", "rough")}
    every = {name: _table(name) for name in ("occasions", "troubles", "names", "details")}
    return SentenceStock(
        **every,
        **stated,
        voices={voice: _table(voice) for voice in VOICES},
        talk=_read(_FOLDER.parent / "talk.toml"),
        matters=_table(MEMBER)["matter"],
        carriers=rows["carrier"],
        themes={
            key: {name: words for name, words in row.items() if name != "lines"}
            for key, row in themes.items()
        },
        lines={key: row["lines"] for key, row in themes.items()},
        headings=headings["heading"],
        asks=headings["ask"],
        forms=tuple(PageForm(name=name, **row) for name, row in _table("forms").items()),
        statements=tuple(StatementForm(**row) for row in dated),
        other=StatementForm(**{**rows["other"], "attribute": ".*", "about": "thing"}),
        noise_terms=rows["noise"][0]["terms"],
    )


def _table(name: str) -> dict[str, Any]:
    return _read(_FOLDER / f"{name}.toml")


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)
