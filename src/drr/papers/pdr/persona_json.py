"""Converts personas in PDR-Bench's form (nested objects with uneven keys) to persons and back. Identifying data is left out."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, NoReturn

from drr.env.errors import Misuse, wrong_field
from drr.env.files import LONGEST_ID
from drr.env.json_object import JsonObject, once
from drr.env.jsonl import lines_of
from drr.papers.pdr.person import Attribute, Person, private_data_kinds
from pydantic import ValidationError

FORM = "drr-persona-1"
"""Mark of a line that this program wrote: keys below a block are ids, and values are statements."""
_IDS = ("person_id", "userid", "user_id", "id")
_DEEPEST = 20
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME = "a name"


class ImportedPersona(NamedTuple):
    person: Person
    dropped: Mapping[str, int]
    """Number of fields left out, by kind: a name, an e-mail address, an empty value, a field beside the persona."""


class _Leaf(NamedTuple):
    path: tuple[str, ...]
    """Keys, and positions in lists from 1."""
    value: str

    @property
    def statement(self) -> str:
        """Return the statement: keys and value. The first key is the block and is left out, unless it is the only key."""
        return f"{', '.join(_in_words(key) for key in self.path[1:] or self.path)}: {self.value}"


def imported_personas(path: Path) -> list[ImportedPersona]:
    """Read all personas of a file; raise `Misuse` with the line's number if any cannot be read."""
    personas: dict[str, ImportedPersona] = {}
    for number, line in enumerate(lines_of(path, "personas"), 1):
        if not line.strip():
            continue
        try:
            one = _persona(_object(line), number)
        except ValidationError as error:
            raise Misuse(f"{path}, line {number}: {wrong_field(error, '')}") from error
        except (Misuse, RecursionError) as error:
            raise Misuse(f"{path}, line {number}: {error}") from error
        if one.person.person_id in personas:
            raise Misuse(f"{path}, line {number}: the person {one.person.person_id} is there already")
        personas[one.person.person_id] = one
    if not personas:
        raise Misuse(f"{path}: holds no persona; each line is one object of blocks")
    return list(personas.values())


def persona_line(person: Person) -> JsonObject:
    """Return a person's attributes by block as a line. Orders, quotations and the user id are left out, as they open records."""
    blocks: dict[str, dict[str, str]] = {}
    for one in person.attributes:
        blocks.setdefault(one.block, {})[one.id] = one.statement
    line: JsonObject = {"form": FORM, "userid": person.person_id, "persona": blocks}
    names = {one.id: list(one.names) for one in person.attributes if one.names}
    return {**line, "names": names} if names else line


def _object(line: str) -> JsonObject:
    try:
        raw = json.loads(line, object_pairs_hook=once, parse_constant=_no_number)
    except ValueError as error:
        raise Misuse(f"not JSON ({error}); each line is one object") from error
    if not isinstance(raw, dict):
        raise Misuse("not an object; each line is one object of blocks")
    return raw


def _no_number(text: str) -> NoReturn:
    raise Misuse(f"{text} is no JSON number")


def _persona(raw: JsonObject, number: int) -> ImportedPersona:
    key = next((key for key in _IDS if key in raw), None)
    named = f"persona-{number}" if key is None else raw[key]
    if isinstance(named, bool) or not isinstance(named, (str, int)):
        raise Misuse(f"{key}: neither a text nor a whole number")
    person_id, rest = str(named), {name: value for name, value in raw.items() if name != key}
    if "form" in rest and "persona" in rest:
        attributes, dropped = _of_ours(rest)
    else:
        persona = rest.pop("persona", None)
        persona, beside = (rest, 0) if persona is None else (persona, len(rest))
        persona = _object(persona) if isinstance(persona, str) else persona
        if not isinstance(persona, dict):
            raise Misuse("persona: not an object of blocks")
        attributes, dropped = _attributes(list(_leaves(persona, ())), person_id)
        dropped += Counter({"a field beside the persona": beside})
    if not attributes:
        raise Misuse("nothing is known of this person, or nothing that may be kept")
    return ImportedPersona(Person(person_id=person_id, attributes=tuple(attributes)), dropped)


def _of_ours(raw: JsonObject) -> tuple[list[Attribute], Counter[str]]:
    if raw["form"] != FORM:
        raise Misuse(f"form: {raw['form']!r} is unknown; this version reads {FORM!r}")
    blocks, names = raw["persona"], raw.get("names", {})
    if not isinstance(blocks, dict) or not isinstance(names, dict):
        raise Misuse("persona: not an object of blocks")
    attributes, dropped = [], Counter[str]()
    for block, rows in blocks.items():
        if not isinstance(rows, dict):
            raise Misuse(f"persona.{block}: not an object of attributes")
        for key, text in rows.items():
            own = {"id": key, "block": block, "statement": text, "names": names.get(key, ())}
            one = Attribute.model_validate({**own, "basis": "imported"})
            if kinds := private_data_kinds(one.statement):
                dropped[kinds[0]] += 1
            else:
                attributes.append(one)
    return attributes, dropped


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[_Leaf]:
    """Yield the values of nested objects with their paths. A list of plain values is one leaf."""
    if len(path) > _DEEPEST:
        raise Misuse(f"nested deeper than {_DEEPEST}: {', '.join(path[:3])} ...")
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        for place, inner in enumerate(value, 1):
            yield from _leaves(inner, (*path, str(place)))
    elif isinstance(value, list):
        yield _Leaf(path, "; ".join(text for one in value if (text := _text(one))))
    else:
        yield _Leaf(path, _text(value))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else " ".join(str(value).split())


def _attributes(leaves: Sequence[_Leaf], person_id: str) -> tuple[list[Attribute], Counter[str]]:
    kinds = [(leaf, _private(leaf.path)) for leaf in leaves]
    own = {leaf.value for leaf, kind in kinds if kind == _NAME and leaf.value}
    if any(_holds_name(person_id, name) for name in own):
        raise Misuse("the id holds the person's name; give the person another id")
    found: dict[str, Attribute] = {}
    dropped = Counter[str]()
    for leaf, private in kinds:
        named = any(_holds_name(leaf.statement, name) for name in own)
        kind = private or (_NAME if named else next(iter(private_data_kinds(leaf.statement)), None))
        kind = kind if leaf.value else "an empty value"
        if kind is not None:
            dropped[kind] += 1
            continue
        one, block = _id_of_path(leaf.path, found), _joined_words(leaf.path[0], "_")
        found[one] = Attribute(id=one, block=block, statement=leaf.statement, basis="imported")
    return list(found.values()), dropped


def _private(path: Sequence[str]) -> str | None:
    keys = private_keys()
    return next((kind for key in path if (kind := keys.get(_letters_only(_in_words(key)))) is not None), None)


@cache
def private_keys() -> dict[str, str]:
    text = (files("drr.papers.pdr.words") / "private_keys.toml").read_text(encoding="utf-8")
    return {_letters_only(key): kind for kind, keys in tomllib.loads(text).items() for key in keys}


def _letters_only(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))


def _holds_name(text: str, name: str) -> bool:
    """Tell whether a text contains a name, or a part of it with three letters or more. Scripts without
    spaces are compared as plain strings."""
    parts = [name, *(part for part in _WORD.findall(name) if len(part) > 2)]
    return any(
        re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) if part.isascii() else part in text
        for part in parts
    )


def _in_words(key: str) -> str:
    return " ".join(_HUMP.sub(" ", key.replace("_", " ")).split()) or key


def _joined_words(key: str, mark: str) -> str:
    return mark.join(_WORD.findall(_in_words(key).casefold())) or "u" + _digest(key)


def _id_of_path(path: Sequence[str], taken: Mapping[str, object]) -> str:
    """Return an id made from the path, with a hash if the path is too long or taken. The same persona always gives the same ids."""
    one = "-".join(_joined_words(key, "-") for key in path)
    if len(one) > LONGEST_ID:
        one = f"{one[: LONGEST_ID - 20]}-{_digest(one)}"
    return one if one not in taken else f"{one[: LONGEST_ID - 20]}-{_digest(json.dumps(path))}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
