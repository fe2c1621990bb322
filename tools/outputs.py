"""A tool's answer for a program: its data and its sources, and the JSON Schema of the two."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from drr.env.entities import Product, User
from drr.env.json_object import JsonObject
from drr.tools.base import ToolAnswer
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict


class ProductRecord(Product):
    """A product as the shop keeps it."""

    id_: str = Field(alias="_id")


class UserRecord(User):
    """A shopper as the shop keeps them."""

    id_: str = Field(alias="_id")


class AnswerSource(TypedDict):
    """An address that may be cited, and the hash of the words that were shown of it."""

    url: str
    type: str
    title: str | None
    sha256: str


def cited(answer: ToolAnswer) -> list[AnswerSource]:
    return [
        {"url": source.url, "type": source.type, "title": source.title, "sha256": source.sha256}
        for source in answer.sources
    ]


def structured(answer: ToolAnswer) -> JsonObject:
    """An answer as `output_schema` describes it."""
    return {"data": answer.data, "sources": cited(answer)}


@cache
def output_schema(data: Any) -> JsonObject:
    """Describe answers whose `data` is of this type. Open, because data may grow."""
    answer = cast(Any, TypedDict)("Answer", {"data": data, "sources": list[AnswerSource]})
    return cast(JsonObject, plain(TypeAdapter(answer).json_schema(mode="serialization")))


def plain(part: Any, names: bool = False) -> Any:
    """A schema without titles, which repeat the names, and open."""
    if isinstance(part, dict):
        dropped = () if names else ("title", "additionalProperties")
        kept = {key: value for key, value in part.items() if key not in dropped}
        if not names and isinstance(extra := part.get("additionalProperties"), dict):
            kept["additionalProperties"] = extra
        return {key: plain(value, key in ("properties", "$defs")) for key, value in kept.items()}
    return [plain(item) for item in part] if isinstance(part, list) else part
