"""Contexts: what an assistant could have learned about a person, item by item; their folder, its writer and its reader.

The truth of a context (which attributes each item expresses) is in a file of its own, which the reader of items never opens.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from drr.env.errors import DrrError, Misuse
from drr.env.files import Id, check_ours, file_name
from drr.env.json_object import parsed
from drr.env.jsonl import document_of, row_of, rows_of
from drr.env.small_files import read_lines
from drr.env.source import text_hash
from drr.papers.pdr.person import Person
from pydantic import BaseModel, ConfigDict, Field

SCHEMA = 1
MANIFEST, ITEMS, TRUTH, SIZES = "manifest.json", "items.jsonl", "truth.jsonl", "sizes.json"
PERSONS = "persons.jsonl"
"""Name of the file of the persons from whom the contexts were built. Like the truth, it is for checks and measures."""
COUNTER = "bytes/4"
"""Name of the only way of counting tokens: a fourth of the UTF-8 bytes. That needs no provider's vocabulary."""
ItemKind = Literal["purchase", "return", "review", "dialogue", "note"]
OFF = 0.02
"""Share of a size by which a context's tokens may differ from it."""
CONVERSATIONAL: frozenset[ItemKind] = frozenset({"dialogue"})
_OPEN_FILES = 4
"""Number of persons whose items are cached: units come person by person, and a large context is half a megabyte."""


class ContextItem(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    kind: ItemKind
    text: str = Field(min_length=1)

    def shown(self) -> str:
        """Return the item's line in a context; its id is not shown."""
        return line_of(self.date, self.kind, self.text)


class ItemTruth(BaseModel):
    """The hidden truth of an item: which attributes it expresses. No agent and no memory sees it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    expresses: tuple[str, ...] = ()
    """Ids of the person's attributes that the item expresses."""
    noise: bool = False


class PersonContext(BaseModel):
    """A person's entry in the manifest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: int
    items_hash: str
    """Hash of the file of items; a file with another hash is refused."""
    truth_hash: str
    tokens: dict[str, int]
    """Counted tokens by size; fewer than asked for if nothing more could be added."""
    few: dict[str, dict[str, int]] = {}
    """Number of items by attribute and size, for attributes with fewer than five items."""
    short: dict[str, str] = {}
    """Reasons, by size, why more than 2% of the tokens are missing."""


class ContextManifest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA
    seed: int
    counter: str
    sizes: dict[str, int]
    """Tokens asked for, by name of the size, smallest first."""
    persons_hash: str
    """Hash of the contents of all persons, ordered by id."""
    shop_hash: str | None = None
    model: str | None = None
    versions: dict[str, str] = {}
    persons: dict[str, PersonContext]
    content_hash: str


def line_of(day: str, kind: ItemKind, text: str) -> str:
    return f"[{day}] {kind}: {text}"


def tokens_of(text: str) -> int:
    return -(-len(text.encode()) // 4)


def parse_sizes(text: str) -> dict[str, int]:
    """Parse sizes such as `8k,32k,128k` into tokens by name, smallest first."""
    found: dict[str, int] = {}
    for word in text.split(","):
        match = re.fullmatch(r"\s*([1-9]\d{0,6})(k?)\s*", word)
        if match is None:
            raise Misuse(f"--tokens {text}: {word.strip()!r} is no size; write them like 8k,32k,128k")
        tokens = int(match[1]) * (1000 if match[2] else 1)
        if tokens < 500 or tokens > 2_000_000:
            raise Misuse(f"--tokens {text}: {word.strip()} is not between 500 and 2000k")
        found[match[1] + match[2]] = tokens
    return dict(sorted(found.items(), key=lambda item: item[1]))


def text_of(items: tuple[ContextItem, ...]) -> str:
    return "\n".join(item.shown() for item in items)


def context_hash(entries: dict[str, PersonContext]) -> str:
    """Return the hash of every person's items and truth."""
    rows = [[key, one.items_hash, one.truth_hash, one.tokens] for key, one in sorted(entries.items())]
    return text_hash(json.dumps(rows))


class Contexts:
    """An open folder of contexts. Items are read on demand, and refused if their hash is not the manifest's."""

    def __init__(self, folder: Path, manifest: ContextManifest) -> None:
        self.folder, self.manifest = folder, manifest
        self._read = lru_cache(_OPEN_FILES)(self._read_person)

    @property
    def sizes(self) -> tuple[str, ...]:
        return tuple(self.manifest.sizes)

    @property
    def persons(self) -> tuple[str, ...]:
        return tuple(self.manifest.persons)

    def items(self, person_id: str, size: str) -> tuple[ContextItem, ...]:
        """Return a person's items at a size, oldest first. Every larger size contains the items of a smaller one."""
        if size not in self.manifest.sizes:
            raise Misuse(f"{self.folder}: has no context of {size}; it has {', '.join(self.sizes)}")
        if person_id not in self.manifest.persons:
            raise Misuse(
                f"{self.folder}: has no context of the person {person_id}; `drr papers context build` makes them"
            )
        items, counts = self._read(person_id)
        return tuple(sorted(items[: counts[size]], key=lambda item: (item.date, item.id)))

    def text(self, person_id: str, size: str) -> str:
        return text_of(self.items(person_id, size))

    def hash(self, person_id: str, size: str) -> str:
        """Return the hash of a context's text, which is part of the key of units that were given it."""
        return text_hash(self.text(person_id, size))

    def _read_person(self, person_id: str) -> tuple[tuple[ContextItem, ...], dict[str, int]]:
        """Return a person's items in the order of the file, and how many of the first items each size has."""
        part, again = self.folder / file_name(person_id), "build the contexts again"
        text = _read_text(part / ITEMS)
        if text_hash(text) != self.manifest.persons[person_id].items_hash:
            raise DrrError(f"{part / ITEMS}: is not what the manifest names; {again}")
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        where = f"{part / ITEMS}, line"
        items = tuple(row_of(f"{where} {number}", line, ContextItem, SCHEMA) for number, line in lines)
        try:
            known = parsed(_read_text(part / SIZES))
        except ValueError as error:
            raise DrrError(f"{part / SIZES}: not JSON ({error}); {again}") from error
        for size in self.sizes:
            count = known.get(size) if isinstance(known, dict) else None
            if not isinstance(count, int) or not 0 <= count <= len(items):
                raise DrrError(f"{part / SIZES}: says nothing that can be of {size}; {again}")
        return items, known


def read_contexts(path: Path) -> Contexts:
    """Open a folder of contexts; raise `Misuse` for another folder or a changed manifest."""
    if not (path / MANIFEST).is_file():
        raise Misuse(
            f"{path}: is no folder of contexts (no {MANIFEST}); `drr papers context build` makes one"
        )
    manifest = document_of(path / MANIFEST, ContextManifest, SCHEMA)
    if context_hash(manifest.persons) != manifest.content_hash:
        raise Misuse(f"{path / MANIFEST}: was changed after it was written; build the contexts again")
    return Contexts(path, manifest)


def read_truth(contexts: Contexts, person_id: str) -> dict[str, ItemTruth]:
    """Return the truth of a person's items by id. It is for checks and for measuring memories, never for agents."""
    path = contexts.folder / file_name(person_id) / TRUTH
    return {row.id: row for _, row in rows_of(path, ItemTruth, "truths", SCHEMA)}


def _read_text(path: Path) -> str:
    try:
        return read_lines(path).decode("utf-8")
    except (OSError, ValueError) as error:
        raise DrrError(f"{path}: cannot be read ({error}); build the contexts again") from error


LEAST = 5
"""Number of items that the standard asks for to express each attribute; fewer are reported."""


class BuiltContext(NamedTuple):
    person: Person
    items: list[ContextItem]
    """Items in the order of their admission; each size has the first of them."""
    truths: list[ItemTruth]
    """Truth of each item, in the same order."""
    counts: dict[str, int]
    """Number of items of each size."""
    short: Mapping[str, str] = MappingProxyType({})
    """Reasons, by size, why nothing more was added although too many tokens are missing."""


def persons_hash(persons: Iterable[Person]) -> str:
    rows = sorted((person.person_id, person.content_hash) for person in persons)
    return text_hash(json.dumps(rows))


def write_made(
    folder: Path,
    persons: Sequence[Person],
    made: Callable[[Path], Iterable[tuple[str, PersonContext]]],
    *,
    sizes: Mapping[str, int],
    seed: int,
    shop_hash: str | None = None,
) -> ContextManifest:
    """Write a folder of contexts and return its manifest. `made` writes each person's files into the given folder and yields the entries."""
    check_ours(folder, MANIFEST, "drr papers context build")
    hidden, old = (folder.parent / f".{folder.name}.{name}-{os.getpid()}" for name in ("part", "old"))
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        hidden.mkdir(parents=True)
        entries = dict(made(hidden))
        lines = _json_lines(person.line() for person in persons)
        (hidden / PERSONS).write_text(lines, encoding="utf-8")
        made_of = {"seed": seed, "counter": COUNTER, "sizes": dict(sizes), "shop_hash": shop_hash}
        hashes = {"persons_hash": persons_hash(persons), "content_hash": context_hash(entries)}
        manifest = ContextManifest.model_validate({**made_of, **hashes, "persons": entries})
        text = json.dumps(manifest.model_dump(mode="json"), indent=1) + "\n"
        (hidden / MANIFEST).write_text(text, encoding="utf-8")
        if folder.exists():
            folder.rename(old)
        hidden.rename(folder)
        if old.exists():
            shutil.rmtree(old)
    except (PermissionError, NotADirectoryError) as error:
        raise Misuse(f"{folder}: cannot be written ({error.strerror}); choose another place") from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
    return manifest


def write_person(folder: Path, one: BuiltContext) -> PersonContext:
    part = folder / file_name(one.person.person_id)
    part.mkdir()
    items, truth = (_json_lines(row.model_dump() for row in rows) for rows in (one.items, one.truths))
    for name, text in ((ITEMS, items), (TRUTH, truth), (SIZES, json.dumps(one.counts) + "\n")):
        (part / name).write_text(text, encoding="utf-8")
    return PersonContext(
        items=len(one.items),
        items_hash=text_hash(items),
        truth_hash=text_hash(truth),
        tokens={size: tokens_of(text_of(tuple(one.items[:count]))) for size, count in one.counts.items()},
        short=dict(one.short),
        few={size: few for size, count in one.counts.items() if (few := rarely_expressed(one, count))},
    )


def rarely_expressed(one: BuiltContext, count: int) -> dict[str, int]:
    """Return, for each attribute that fewer than five of the first `count` items express, how many do."""
    shown = Counter(key for truth in one.truths[:count] for key in truth.expresses)
    every = dict.fromkeys([*(attribute.id for attribute in one.person.attributes), *shown])
    return {key: shown[key] for key in every if shown[key] < LEAST}


def _json_lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
