"""A person: attributes with their basis; the file of persons, and a person's text. Names, e-mail, streets and telephones are never part of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

from drr.env.entities import User
from drr.env.errors import Misuse
from drr.env.files import Id
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.env.records.lines import one_line
from drr.env.source import text_hash
from drr.wording.personal import personal_data
from pydantic import BaseModel, ConfigDict, Field, model_validator

SCHEMA = 1
Basis = Literal["records", "stated", "invented", "imported"]
"""Source of an attribute: `records` (derived from orders by rule), `stated` (in the person's reviews), `invented` (drawn by seed), `imported` (given, unchecked)."""


class Ground(BaseModel):
    """The evidence of an attribute: an order, a field of the user's record, or words of an own review."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    order_id: str | None = None
    product_id: str | None = None
    quote: str | None = None
    record: str | None = None
    """Name of a field such as `user.address.state`, without its value."""


class Attribute(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    """Id, unique within the person; criteria, contexts and memories refer to it."""
    block: str = Field(min_length=1)
    """Category of the attribute, e.g. `pets`, `price_level`, `needs`."""
    statement: str = Field(min_length=1)
    """One sentence in the third person without a name, e.g. "keeps a large dog"."""
    basis: Basis
    evidence: tuple[Ground, ...] = ()
    names: tuple[str, ...] = ()
    """Names of brands or kinds of products, which an item of a context may contain."""


class Person(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA
    person_id: Id
    user_id: str | None = None
    """User of the shop that the person was made from; `None` for an imported person."""
    shop_hash: str | None = None
    as_of: str | None = None
    """Day as `YYYY-MM-DD`; nothing from that day on is known."""
    seed: int | None = None
    attributes: tuple[Attribute, ...]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Person:
        ids = [attribute.id for attribute in self.attributes]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"the attribute {twice[0]} stands there twice; ids are unique within a person")
        return self

    def line(self) -> JsonObject:
        """Return the person as a line of the file; empty fields of attributes are left out."""
        document = self.model_dump(mode="json")
        for one in document["attributes"]:
            one["evidence"] = [{k: v for k, v in g.items() if v is not None} for g in one["evidence"]]
            if not one["names"]:
                del one["names"]
        return document

    @property
    def content_hash(self) -> str:
        """Return the hash of the attributes. Evidence and seed are no part of it."""
        known = [[one.id, one.block, one.statement, one.basis] for one in self.attributes]
        return text_hash(json.dumps(known, ensure_ascii=False))


def read_persons(path: Path) -> dict[str, Person]:
    """Read the persons of a file by id. A broken line raises `Misuse` with its number; no line is skipped."""
    found: dict[str, Person] = {}
    for number, person in rows_of(path, Person, "persons", SCHEMA):
        if person.person_id in found:
            twice = f"the person {person.person_id} is there already; ids are unique in a file"
            raise Misuse(f"{path}, line {number}: {twice}")
        found[person.person_id] = person
    if not found:
        raise Misuse(f"{path}: holds no person; `drr papers persons build` writes such a file")
    return found


_USER_ID = re.compile(r"(?<![A-Za-z0-9])A[A-Z0-9]{12,27}(?![A-Za-z0-9])")


def private_data_kinds(text: str, user: User | None = None) -> list[str]:
    """List the kinds of private data in a text. Without the user's record, only data of a typical form is found."""
    found = personal_data(text)
    if _USER_ID.search(text):
        found.append("a user id")
    return found + own_data(text, user)


def own_data(text: str, user: User | None) -> list[str]:
    """List the kinds of data from this user's record that a text contains."""
    if user is None:
        return []
    own = {
        "the surname": user.last_name, "the first name": user.first_name, "the e-mail address": user.email,
        "the telephone number": user.phone_number, "the street": user.address.address1, "the zip": user.address.zip,
    }  # fmt: skip
    present = {name: re.escape(value) for name, value in own.items() if value and value in text}
    return [name for name, value in present.items() if re.search(rf"(?<!\w){value}(?!\w)", text)]


_NAMED = 3


def person_text(person: Person) -> str:
    lines = [person.person_id + (f", known before {person.as_of}" if person.as_of is not None else "")]
    if any(one.basis == "invented" for one in person.attributes):
        lines.append("  ** what is marked invented is drawn by seed and true of nobody **")
    for one in person.attributes:
        rests = ", ".join(map(_ground, one.evidence[:_NAMED]))
        more = len(one.evidence) - _NAMED
        line = f"  {one.block:<14}{one_line(one.statement, 200)}  [{one.basis}"
        lines.append(f"{line}{': ' + rests if rests else ''}{f', {more} more' if more > 0 else ''}]")
    return "\n".join(lines)


def _ground(ground: Ground) -> str:
    if ground.quote is not None:
        return f'"{one_line(ground.quote, 80)}"'
    return f"order {ground.order_id}" if ground.order_id is not None else str(ground.record)


def persona_text(person: Person) -> str:
    """Return the text that `persona` settings give: the statements by block, without ids and evidence."""
    blocks: dict[str, list[str]] = {}
    for one in person.attributes:
        head = f"{one.block.replace('_', ' ').capitalize()}:"
        blocks.setdefault(one.block, [head]).append(f"- {one.statement}")
    return "\n\n".join(map("\n".join, blocks.values()))
