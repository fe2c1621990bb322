"""Writing a folder of contexts: out of sight, and shown whole."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from drr.env.errors import Misuse
from drr.env.files import check_ours, file_name
from drr.env.source import text_hash
from drr.papers.pdr.context import (
    COUNTER,
    ITEMS,
    MANIFEST,
    PERSONS,
    SIZES,
    TRUTH,
    ContextItem,
    ContextManifest,
    ItemTruth,
    PersonContext,
    context_hash,
    text_of,
    tokens_of,
)
from drr.papers.pdr.person import Person

LEAST = 5
"""Items that express an attribute, as the standard asks; fewer are said."""


class BuiltContext(NamedTuple):
    person: Person
    items: list[ContextItem]
    """In the order in which they were admitted: a size is a beginning."""
    truths: list[ItemTruth]
    """One for each item."""
    counts: dict[str, int]
    """Items of each size."""
    short: Mapping[str, str] = MappingProxyType({})
    """By size: why nothing more went into it, where it lacks more than may be."""


def persons_hash(persons: Iterable[Person]) -> str:
    rows = sorted((person.person_id, person.content_hash) for person in persons)
    return text_hash(json.dumps(rows))


def write_contexts(
    folder: Path,
    built: Iterable[BuiltContext],
    *,
    sizes: Mapping[str, int],
    seed: int,
    shop_hash: str | None = None,
) -> ContextManifest:
    """Contexts that are at hand; `write_made` where each is written as it is made."""
    every = list(built)

    def made(part: Path) -> Iterator[tuple[str, PersonContext]]:
        for one in every:
            yield one.person.person_id, write_person(part, one)

    return write_made(
        folder, [one.person for one in every], made, sizes=sizes, seed=seed, shop_hash=shop_hash
    )


def write_made(
    folder: Path,
    persons: Sequence[Person],
    made: Callable[[Path], Iterable[tuple[str, PersonContext]]],
    *,
    sizes: Mapping[str, int],
    seed: int,
    shop_hash: str | None = None,
    model: str | None = None,
    versions: Mapping[str, str] | None = None,
) -> ContextManifest:
    """`made` writes each person's files into the folder that it is handed, and says what they are."""
    check_ours(folder, MANIFEST, "drr papers context build")
    hidden = folder.parent / f".{folder.name}.part-{os.getpid()}"
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        hidden.mkdir(parents=True)
        entries = dict(made(hidden))
        lines = _lines(person.line() for person in persons)
        (hidden / PERSONS).write_text(lines, encoding="utf-8")
        manifest = ContextManifest(
            seed=seed,
            counter=COUNTER,
            sizes=dict(sizes),
            persons_hash=persons_hash(persons),
            shop_hash=shop_hash,
            model=model,
            versions=dict(versions or {}),
            persons=entries,
            content_hash=context_hash(entries),
        )
        (hidden / MANIFEST).write_text(
            json.dumps(manifest.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8"
        )
        _swap(hidden, folder)
    except (PermissionError, NotADirectoryError) as error:
        raise Misuse(f"{folder}: cannot be written ({error.strerror}); choose another place") from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
    return manifest


def write_person(folder: Path, one: BuiltContext) -> PersonContext:
    part = folder / file_name(one.person.person_id)
    part.mkdir()
    items = _lines(item.model_dump() for item in one.items)
    truth = _lines(truth.model_dump() for truth in one.truths)
    (part / ITEMS).write_text(items, encoding="utf-8")
    (part / TRUTH).write_text(truth, encoding="utf-8")
    (part / SIZES).write_text(json.dumps(one.counts) + "\n", encoding="utf-8")
    return PersonContext(
        items=len(one.items),
        items_hash=text_hash(items),
        truth_hash=text_hash(truth),
        tokens={size: tokens_of(text_of(tuple(one.items[:count]))) for size, count in one.counts.items()},
        short=dict(one.short),
        few={size: few for size, count in one.counts.items() if (few := few_of(one, count))},
    )


def few_of(one: BuiltContext, count: int) -> dict[str, int]:
    """Attributes that too few of the first items express."""
    shown = dict.fromkeys((attribute.id for attribute in one.person.attributes), 0)
    for truth in one.truths[:count]:
        for key in truth.expresses:
            shown[key] = shown.get(key, 0) + 1
    return {key: times for key, times in shown.items() if times < LEAST}


def _lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _swap(hidden: Path, folder: Path) -> None:
    old = folder.parent / f".{folder.name}.old-{os.getpid()}"
    if folder.exists():
        folder.rename(old)
    hidden.rename(folder)
    if old.exists():
        shutil.rmtree(old)
