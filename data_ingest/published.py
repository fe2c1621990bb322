"""The raw files as they are published: where, how large, under what terms. The facts stand in `published.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

Part = Literal["meta", "review"]
PARTS: tuple[Part, ...] = ("meta", "review")


class PublishedSize(BaseModel):
    """Of one file, in bytes: unpacked, and packed where that was seen; its hash where the publisher gives one."""

    model_config = ConfigDict(extra="forbid")
    bytes: int
    gz: int | None = None
    sha256: str | None = None


class PublishedSet(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    base: str
    review: str
    meta: str
    licence: str
    ratio: dict[Part, float]
    files: dict[str, dict[Part, PublishedSize]]


@dataclass(frozen=True, slots=True)
class PublishedFile:
    category: str
    part: Part
    address: str
    """Below the publisher's base, and below a mirror's."""
    path: str
    """Below RAW_DIR, as `drr data ingest` looks for it."""
    unpacked: int
    packed: int | None
    about: int
    """`packed`, or what it probably is."""
    sha256: str | None


@cache
def publication() -> PublishedSet:
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return PublishedSet.model_validate(tomllib.loads(text))


def published(categories: Iterable[str]) -> list[PublishedFile]:
    """The two files of each category, the small one first."""
    told = publication()
    found = []
    for category in categories:
        for part in PARTS:
            size = told.files[category][part]
            address = getattr(told, part).format(category)
            path = address.removeprefix("raw/")
            about = size.gz or round(size.bytes / told.ratio[part])
            found.append(
                PublishedFile(category, part, address, path, size.bytes, size.gz, about, size.sha256)
            )
    return found
