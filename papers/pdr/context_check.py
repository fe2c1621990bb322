"""The objections of code to contexts: the future, a person's name, a trait stated or denied, wrong shares and sizes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from drr.env.entities import User
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.text import WIDTH, Run, runs, tokens
from drr.papers.pdr.context import (
    CONVERSATIONAL,
    LEAST,
    OFF,
    PERSONS,
    ContextItem,
    Contexts,
    persons_hash,
    read_truth,
    text_of,
    tokens_of,
)
from drr.papers.pdr.person import Attribute, Person, disclosed, read_persons
from drr.papers.pdr.words import invented_traits, key_of, record_traits, values_of
from drr.wording.states import STATE
from drr.wording.vocabulary import Wordbook, vocabulary

_TELLING = 4
"""Words in a row of another value's text that are no accident."""
_NOUNS: dict[str, tuple[str, ...]] = {
    "dogs": ("dog", "puppy"),
    "cats": ("cat", "kitten"),
    "fish": ("fish", "aquarium"),
    "small_pets": ("hamster", "rabbit", "guinea pig", "caged animal"),
    "baby": ("baby", "toddler", "child", "children", "kid"),
}
_ANY = {"pets": ("pet", "animal")}
_SHOPPER = "Shopper: "


def own_words(item: ContextItem) -> str:
    """Return what the person says in it. Nothing that an assistant or a record says is a word of theirs."""
    if item.kind in ("purchase", "return"):
        return ""
    if item.kind == "dialogue":
        return "\n".join(
            line.removeprefix(_SHOPPER) for line in item.text.split("\n") if line.startswith(_SHOPPER)
        )
    return item.text


class Opposed:
    """Read once for a person; then asked of each item."""

    def __init__(self, person: Person) -> None:
        self._said = {one.id: outright_runs(one) for one in person.attributes}
        self._every = frozenset(run for own in self._said.values() for run in own)
        self._other: dict[Run, str] = {}
        self._nouns: dict[tuple[str, ...], str] = {}
        self._homes: dict[str, str] = {}
        for one in person.attributes:
            for run in _others(one.block, key_of(one)) if "any" not in values_of(one) else ():
                self._other[run] = one.id
            for noun in _nouns(one):
                self._nouns[tuple(tokens(noun))] = one.id
            if one.block == "place":
                self._homes |= dict.fromkeys(one.names, one.id)

    def stated_in(self, text: str) -> list[str]:
        """Attributes whose own words the text holds."""
        words = tokens(text)
        found = {*runs(words, WIDTH), *runs(words, WIDTH - 1)}
        if self._every.isdisjoint(found):
            return []
        return [key for key, own in self._said.items() if not own.isdisjoint(found)]

    def outright(self, found: frozenset[Run]) -> bool:
        """Tell whether one of these runs is an attribute in its own words."""
        return not self._every.isdisjoint(found)

    def contradicted(self, item: ContextItem) -> list[str]:
        """Attributes that the person's words in it deny."""
        text = own_words(item)
        if not text:
            return []
        found = {self._other[run] for run in runs(tokens(text), _TELLING) if run in self._other}
        denials = denials_of_self(text)
        found |= {key for thing in denials.denied for key in self._denied(tokens(thing))}
        if self._homes and denials.homes:
            found |= {
                key for home in denials.homes for key in self._homes.values() if home not in self._homes
            }
        return sorted(found)

    def _denied(self, thing: list[str]) -> set[str]:
        return {
            key
            for noun, key in self._nouns.items()
            if any(tuple(thing[at : at + len(noun)]) == noun for at in (0, 1))  # with one word before it
        }


def outright_runs(attribute: Attribute) -> frozenset[Run]:
    """Runs of the statement's words, but for those that are within a name which things bear themselves."""
    words = tokens(attribute.statement)
    width = min(WIDTH, max(len(words), 2))
    named = {run for name in attribute.names for run in runs(tokens(name), width)}
    return frozenset(runs(words, width)) - named


def _nouns(attribute: Attribute) -> list[str]:
    if attribute.block in ("pets", "children"):
        return [*_NOUNS.get(key_of(attribute).replace("-", "_"), ()), *_ANY.get(attribute.block, ())]
    return list(attribute.names) if attribute.block in ("brands", "goods", "replenishment") else []


@cache
def _others(block: str, value: str) -> frozenset[Run]:
    """Runs that tell another value of the block and not this one."""
    values = record_traits().get(block) or invented_traits().get(block) or {}

    def telling(keys: Iterable[str]) -> set[Run]:
        texts = (text for key in keys for text in values[key].texts())
        return {run for text in texts for run in runs(tokens(text), _TELLING)}

    own = {value} & values.keys()
    return frozenset(telling(values.keys() - own) - telling(own))


TALK_FROM, TALK_TO = 0.2, 0.5


class ContextFault(NamedTuple):
    person_id: str
    check: str
    """future, private, said, contradiction, truth, conversational, tokens."""
    item_id: str | None
    told: str


def persons_of(contexts: Contexts) -> dict[str, Person]:
    """The persons as they were when the contexts were built."""
    persons = read_persons(contexts.folder / PERSONS)
    if persons_hash(persons.values()) != contexts.manifest.persons_hash:
        raise Misuse(f"{contexts.folder / PERSONS}: is not what the manifest names; build the contexts again")
    missing = sorted(set(contexts.persons) - set(persons))
    if missing:
        raise Misuse(f"{contexts.folder / PERSONS}: lacks {missing[0]}; build the contexts again")
    return persons


def item_faults(
    person: Person, items: Sequence[ContextItem], user: User | None = None
) -> Iterator[ContextFault]:
    """Find the faults of each item by itself. Without the user's record only what has a form of its own is found to be private."""
    opposed = Opposed(person)
    for item in items:
        late = person.as_of is not None and item.date >= person.as_of
        found = [("future", f"{item.date} is not before {person.as_of}")] if late else []
        found += [("private", f"holds {kind}") for kind in disclosed(item.text, user)]
        found += [("said", f"says {key} in its own words") for key in opposed.stated_in(item.text)]
        found += [("contradiction", f"speaks against {key}") for key in opposed.contradicted(item)]
        for check, text in found:
            yield ContextFault(person.person_id, check, item.id, text)


def person_faults(contexts: Contexts, person: Person, user: User | None = None) -> Iterator[ContextFault]:
    truths = read_truth(contexts, person.person_id)
    every = contexts.items(person.person_id, contexts.sizes[-1])
    yield from item_faults(person, every, user)
    known = {one.id for one in person.attributes}
    for item in every:
        truth = truths.get(item.id)
        if truth is None:
            text = "has no line in the truth"
        elif not known.issuperset(truth.expresses):
            text = "expresses what is no attribute of the person"
        elif truth.noise == bool(truth.expresses):
            text = "is noise and expresses something, or neither"
        else:
            continue
        yield ContextFault(person.person_id, "truth", item.id, text)
    for size, asked in contexts.manifest.sizes.items():
        items = contexts.items(person.person_id, size)
        share = _talk(items)
        if items and not TALK_FROM <= share <= TALK_TO:
            text = f"{size}: {share:.0%} of the items are conversational, 20 to 50% are asked for"
            yield ContextFault(person.person_id, "conversational", None, text)
        tokens = tokens_of(text_of(items))
        if abs(tokens - asked) > OFF * asked:
            why = contexts.manifest.persons[person.person_id].short.get(size)
            text = f"{size}: {tokens:,} tokens, {asked:,} were asked for" + (f"; {why}" if why else "")
            yield ContextFault(person.person_id, "tokens", None, text)


def _talk(items: Sequence[ContextItem]) -> float:
    return sum(item.kind in CONVERSATIONAL for item in items) / max(len(items), 1)


def shares_of(contexts: Contexts, persons: Mapping[str, Person]) -> dict[str, JsonObject]:
    """The shares of all persons, size by size. `few` counts attributes that fewer than five items express."""
    rows: dict[str, list[tuple[int, int, int, int, int]]] = {size: [] for size in contexts.sizes}
    for key in contexts.persons:
        truths = read_truth(contexts, key)
        for size in contexts.sizes:
            items = contexts.items(key, size)
            known = [truths[item.id] for item in items if item.id in truths]
            talk = sum(item.kind in CONVERSATIONAL for item in items)
            shown = Counter(one for truth in known for one in truth.expresses)
            few = sum(shown[one.id] < LEAST for one in persons[key].attributes)
            noise = sum(truth.noise for truth in known)
            rows[size].append((tokens_of(text_of(items)), len(items), talk, noise, few))
    attributes = sum(len(persons[key].attributes) for key in contexts.persons)
    found: dict[str, JsonObject] = {}
    for size, own in rows.items():
        tokens, *counts = zip(*own, strict=True) if own else ((), (), (), (), ())
        many, talk, noise, few = map(sum, counts)
        found[size] = {
            "asked": contexts.manifest.sizes[size],
            "tokens": {"fewest": min(tokens, default=0), "most": max(tokens, default=0)},
            "items": many,
            "conversational": round(talk / many, 3) if many else None,
            "noise": round(noise / many, 3) if many else None,
            "few": few,
            "attributes": attributes,
        }
    return found


def shares_text(shares: Mapping[str, JsonObject]) -> Iterator[str]:
    for size, one in shares.items():
        talk, noise, tokens = one["conversational"] or 0, one["noise"] or 0, one["tokens"]
        yield (
            f"  {size:>6}: {tokens['fewest']:,} to {tokens['most']:,} of {one['asked']:,} tokens, "
            f"{one['items']:,} items, {talk:.0%} conversational, {noise:.0%} noise; "
            f"{one['few']} of {one['attributes']} attributes by fewer than five items"
        )


class SaidOfSelf(NamedTuple):
    denied: tuple[str, ...]
    """Up to four words from the thing on: "dog any more"."""
    homes: tuple[str, ...]
    """States, by name."""


class DenialReader:
    def __init__(self, words: Wordbook) -> None:
        self._denial = re.compile(
            rf"\b(?:{words.either('denials')})\s(?:(?:{words.either('articles', 'determiners')})\s){{0,2}}"
            rf"(?P<thing>[\w'’&.-]{{1,40}}(?:\s[\w'’&.-]{{1,40}}){{0,3}})",
            re.I,
        )
        self._home = re.compile(
            rf"\b(?:I|we)\s(?:{words.either('homes', 'residents')})\s(?P<state>{STATE})\b", re.I
        )

    def read(self, text: str) -> SaidOfSelf:
        return SaidOfSelf(tuple(self._denied(text)), tuple(m["state"] for m in self._home.finditer(text)))

    def _denied(self, text: str) -> Iterator[str]:
        for match in self._denial.finditer(text):
            yield match["thing"]


denials_of_self = DenialReader(vocabulary("denials")).read
