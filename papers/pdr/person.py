"""A person: attributes, each with its basis, and the file of them. No name, e-mail, street or telephone is ever in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from drr.env.errors import Misuse
from drr.env.files import Id
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.env.source import text_hash
from pydantic import BaseModel, ConfigDict, Field, model_validator

SCHEMA = 1
Basis = Literal["records", "stated", "invented", "imported"]
"""Derived from orders by rule; said in the shopper's own reviews; drawn by seed; told by a persona from elsewhere, which nothing here can check."""


class Ground(BaseModel):
    """What an attribute rests on: an order, a field of the shopper's record, or words of an own review of a product."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    order_id: str | None = None
    product_id: str | None = None
    quote: str | None = None
    record: str | None = None
    """A field such as `user.address.state`; only its name."""


class Attribute(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    """Unique within the person; criteria, contexts and memories name it."""
    block: str = Field(min_length=1)
    """Which part of a person it belongs to, e.g. `pets`, `price_level`, `needs`."""
    statement: str = Field(min_length=1)
    """One sentence in the third person without a name: "keeps a large dog"."""
    basis: Basis
    evidence: tuple[Ground, ...] = ()
    names: tuple[str, ...] = ()
    """What things bear themselves of the statement, a brand or a kind of product: an item of a context may hold it."""


class Person(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA
    person_id: Id
    user_id: str | None = None
    """The shopper of the shop it was made of; none for a person from elsewhere."""
    shop_hash: str | None = None
    as_of: str | None = None
    """`YYYY-MM-DD`: nothing later is known."""
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
        """Return it as a line of the file has it: what an attribute lacks is left out."""
        document = self.model_dump(mode="json")
        for one in document["attributes"]:
            one["evidence"] = [{k: v for k, v in g.items() if v is not None} for g in one["evidence"]]
            if not one["names"]:
                del one["names"]
        return document

    @property
    def content_hash(self) -> str:
        """Hash what is known of the person. Neither the place where it was found nor the seed is part of it."""
        known = [[one.id, one.block, one.statement, one.basis] for one in self.attributes]
        return text_hash(json.dumps(known, ensure_ascii=False))


def read_persons(path: Path) -> dict[str, Person]:
    """Read the scores by id. A broken line is named by its number, and nothing is skipped."""
    persons = rows_of(path, Person, "persons", SCHEMA)
    held: dict[str, Person] = {}
    for number, person in persons:
        if person.person_id in held:
            raise Misuse(
                f"{path}, line {number}: the person {person.person_id} is there already; ids are unique in a file"
            )
        held[person.person_id] = person
    if not held:
        raise Misuse(f"{path}: holds no person; `drr papers persons build` writes such a file")
    return held
