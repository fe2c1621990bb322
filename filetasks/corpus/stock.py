"""The stock of prose that pages are made of, read once from the folder `words`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from drr.filetasks.corpus.template import Fill, Template, template

_FOLDER = Path(__file__).parent / "words"
VOICES = ("editor", "member", "bench", "seller", "desk")
TOPICS = ("choosing", "daily", "care", "fitting", "money", "delivery", "trouble", "lasting", "comparing", "people")  # fmt: skip
RULES, LISTINGS = "rules", "listings"
"""Topics of what is no running prose: rules of thumb of a theme, and what listings say."""
Layout = Literal["essay", "list", "table", "steps", "questions", "thread", "notice", "letters"]
About = Literal["thing", "brand", "seller"]
GENERAL = "general"


@dataclass(frozen=True)
class ProsePassage:
    """A paragraph in steps, each with alternatives, written so that any choice reads as one thought."""

    steps: tuple[tuple[Template, ...], ...]
    of: Literal["lasting"] | None
    """Of things that stay, where it is not of all."""

    def say(self, rng: Random, fill: Fill) -> str:
        return " ".join(rng.choice(step).say(rng, fill) for step in self.steps)


@dataclass(frozen=True)
class PageForm:
    """A sort of page."""

    name: str
    voice: str
    layout: Layout
    titles: tuple[Template, ...]
    openings: tuple[Template, ...]
    closings: tuple[Template, ...]


@dataclass(frozen=True)
class StatementForm:
    """One sort of thing that pages state, with the ways to say it."""

    attribute: re.Pattern[str]
    about: About
    topic: str
    """Under which headings it stands."""
    of: Literal["consumable", "lasting"] | None
    """Of which things it can be said, where not of all."""
    value: Template | None
    """Draws the values of pages that no task needs; `None` for the form of attributes that no line of the stock knows."""
    groups: Mapping[str, Template]
    said: tuple[Template, ...]
    before: tuple[Template, ...]
    """What leads to it; nothing of it is said there."""
    after: tuple[Template, ...]
    terms: tuple[Template, ...]


@dataclass(frozen=True)
class SentenceStock:
    voices: Mapping[str, Mapping[str, tuple[ProsePassage, ...]]]
    """Passages by voice and topic."""
    themes: Mapping[str, Mapping[str, tuple[str, ...]]]
    lines: Mapping[str, tuple[Template, ...]]
    """Rules of thumb of a theme, a sentence each."""
    headings: Mapping[str, tuple[Template, ...]]
    asks: Mapping[str, tuple[Template, ...]]
    """Questions that what is said about a topic answers."""
    names: Mapping[str, tuple[str, ...]]
    forms: tuple[PageForm, ...]
    statements: tuple[StatementForm, ...]
    """Without the last resort."""
    other: StatementForm
    hearsay: Mapping[str, tuple[Template, ...]]
    """By voice: what is said before a statement that nobody vouches for. Whoever is not here does not pass hearsay on."""
    noise_terms: tuple[Template, ...]

    def statement(self, attribute: str) -> tuple[StatementForm, Mapping[str, str]]:
        """How an attribute is spoken of, with the parts of its name."""
        for form in self.statements:
            if found := form.attribute.match(attribute):
                return form, {key: value or "" for key, value in found.groupdict().items()}
        return self.other, {"attribute": attribute}


@cache
def stock() -> SentenceStock:
    themes = _table("themes")
    said = _table("statements")
    headings = _table("headings")
    return SentenceStock(
        voices={
            voice: {topic: tuple(map(_passage, rows)) for topic, rows in _table(voice).items()}
            for voice in VOICES
        },
        themes={
            key: {name: tuple(rows) for name, rows in row.items() if name != "lines"}
            for key, row in themes.items()
        },
        lines={key: _templates(row["lines"]) for key, row in themes.items()},
        headings={topic: _templates(rows) for topic, rows in headings["heading"].items()},
        asks={topic: _templates(rows) for topic, rows in headings["ask"].items()},
        names={key: tuple(rows) for key, rows in _table("names").items()},
        forms=tuple(_form(name, row) for name, row in _table("forms").items()),
        statements=tuple(_statement(row) for row in said["statement"]),
        other=_statement({**said["other"], "attribute": ".*", "about": "thing"}),
        hearsay={voice: _templates(rows) for voice, rows in said["hearsay"].items()},
        noise_terms=_templates(said["noise"][0]["terms"]),
    )


def _table(name: str) -> dict[str, Any]:
    with (_FOLDER / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def _templates(rows: list[str]) -> tuple[Template, ...]:
    return tuple(template(row) for row in rows)


def _passage(row: Mapping[str, Any]) -> ProsePassage:
    return ProsePassage(tuple(map(_templates, row["say"])), row.get("of"))


def _form(name: str, row: Mapping[str, Any]) -> PageForm:
    return PageForm(
        name=name,
        voice=row["voice"],
        layout=row["layout"],
        titles=_templates(row["titles"]),
        openings=_templates(row["openings"]),
        closings=_templates(row["closings"]),
    )


def _statement(row: Mapping[str, Any]) -> StatementForm:
    return StatementForm(
        attribute=re.compile(row["attribute"]),
        about=row["about"],
        topic=row["topic"],
        of=row.get("of"),
        value=template(row["value"]) if "value" in row else None,
        groups={key: template(text) for key, text in row.get("groups", {}).items()},
        said=_templates(row["said"]),
        before=_templates(row["before"]),
        after=_templates(row["after"]),
        terms=_templates(row["terms"]),
    )
