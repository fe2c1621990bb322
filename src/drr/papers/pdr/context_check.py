"""Checks contexts by code: future dates, private data, attributes stated or denied outright, wrong shares and sizes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from drr.env.entities import User
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.text import WIDTH, Run, tokens, word_sequences
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
from drr.papers.pdr.person import Attribute, Person, private_data_kinds, read_persons
from drr.papers.pdr.words import invented_traits, key_of, record_traits, values_of
from drr.wording.states import STATE
from drr.wording.vocabulary import Wordbook, vocabulary

_TELLING = 4
"""Number of consecutive words shared with another value's text that is no coincidence."""
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
    """Return what the person says in an item. Words of assistants and records are left out."""
    if item.kind == "dialogue":
        lines = item.text.split("\n")
        return "\n".join(one.removeprefix(_SHOPPER) for one in lines if one.startswith(_SHOPPER))
    return "" if item.kind in ("purchase", "return") else item.text


class Opposed:
    """The statements and denials of a person's attributes, prepared once for checking many items."""

    def __init__(self, person: Person) -> None:
        self._said = {one.id: outright_runs(one) for one in person.attributes}
        self._every = frozenset(run for own in self._said.values() for run in own)
        self._other: dict[Run, str] = {}
        self._nouns: dict[tuple[str, ...], str] = {}
        self._homes: dict[str, str] = {}
        for one in person.attributes:
            if "any" not in values_of(one):
                self._other |= dict.fromkeys(_runs_of_other_values(one.block, key_of(one)), one.id)
            self._nouns |= {tuple(tokens(noun)): one.id for noun in _nouns(one)}
            if one.block == "place":
                self._homes |= dict.fromkeys(one.names, one.id)

    def stated_in(self, text: str) -> list[str]:
        """Return the ids of attributes that a text states in their own words."""
        words = tokens(text)
        found = {*word_sequences(words, WIDTH), *word_sequences(words, WIDTH - 1)}
        if self._every.isdisjoint(found):
            return []
        return [key for key, own in self._said.items() if not own.isdisjoint(found)]

    def outright(self, found: frozenset[Run]) -> bool:
        """Tell whether any of these runs of words is an attribute in its own words."""
        return not self._every.isdisjoint(found)

    def contradicted(self, item: ContextItem) -> list[str]:
        """Return the ids of attributes that the person's own words in an item deny."""
        text = own_words(item)
        if not text:
            return []
        found = {self._other[run] for run in word_sequences(tokens(text), _TELLING) if run in self._other}
        denials = denials_of_self(text)
        for thing in map(tokens, denials.denied):  # one word may stand before the noun
            places = [(noun, at) for noun in self._nouns for at in (0, 1)]
            found |= {self._nouns[noun] for noun, at in places if tuple(thing[at : at + len(noun)]) == noun}
        if any(home not in self._homes for home in denials.homes):
            found |= set(self._homes.values())
        return sorted(found)


def outright_runs(attribute: Attribute) -> frozenset[Run]:
    """Return the runs of words of an attribute's statement, except those within a name such as a brand's."""
    words = tokens(attribute.statement)
    width = min(WIDTH, max(len(words), 2))
    named = {run for name in attribute.names for run in word_sequences(tokens(name), width)}
    return frozenset(word_sequences(words, width)) - named


def _nouns(attribute: Attribute) -> list[str]:
    if attribute.block in ("pets", "children"):
        return [*_NOUNS.get(key_of(attribute).replace("-", "_"), ()), *_ANY.get(attribute.block, ())]
    return list(attribute.names) if attribute.block in ("brands", "goods", "replenishment") else []


@cache
def _runs_of_other_values(block: str, value: str) -> frozenset[Run]:
    """Return the runs of words that express another value of the block, and not this value."""
    values = record_traits().get(block) or invented_traits().get(block) or {}

    def telling(keys: Iterable[str]) -> set[Run]:
        texts = (text for key in keys for text in values[key].texts())
        return {run for text in texts for run in word_sequences(tokens(text), _TELLING)}

    own = {value} & values.keys()
    return frozenset(telling(values.keys() - own) - telling(own))


TALK_FROM, TALK_TO = 0.2, 0.5


class ContextFault(NamedTuple):
    person_id: str
    check: str
    """Kind of fault: future, private, said, contradiction, truth, conversational, tokens."""
    item_id: str | None
    told: str


def persons_of(contexts: Contexts) -> dict[str, Person]:
    """Return the persons by id, as they were when the contexts were built; raise `Misuse` if they were changed."""
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
    """Yield the faults of single items. Without the user's record, only private data of a typical form is found, e.g. e-mail addresses."""
    opposed = Opposed(person)
    for item in items:
        late = person.as_of is not None and item.date >= person.as_of
        found = [("future", f"{item.date} is not before {person.as_of}")] if late else []
        found += [("private", f"holds {kind}") for kind in private_data_kinds(item.text, user)]
        found += [("said", f"says {key} in its own words") for key in opposed.stated_in(item.text)]
        found += [("contradiction", f"speaks against {key}") for key in opposed.contradicted(item)]
        for check, text in found:
            yield ContextFault(person.person_id, check, item.id, text)


def person_faults(contexts: Contexts, person: Person, user: User | None = None) -> Iterator[ContextFault]:
    key, truths = person.person_id, read_truth(contexts, person.person_id)
    every = contexts.items(key, contexts.sizes[-1])
    yield from item_faults(person, every, user)
    known = {one.id for one in person.attributes}
    for item in every:
        truth, text = truths.get(item.id), None
        if truth is None:
            text = "has no line in the truth"
        elif not known.issuperset(truth.expresses):
            text = "expresses what is no attribute of the person"
        elif truth.noise == bool(truth.expresses):
            text = "is noise and expresses something, or neither"
        if text is not None:
            yield ContextFault(key, "truth", item.id, text)
    for size, asked in contexts.manifest.sizes.items():
        items = contexts.items(key, size)
        share, tokens = _talk(items) / max(len(items), 1), tokens_of(text_of(items))
        if items and not TALK_FROM <= share <= TALK_TO:
            text = f"{size}: {share:.0%} of the items are conversational, 20 to 50% are asked for"
            yield ContextFault(key, "conversational", None, text)
        if abs(tokens - asked) > OFF * asked:
            why = contexts.manifest.persons[key].short.get(size)
            text = f"{size}: {tokens:,} tokens, {asked:,} were asked for" + (f"; {why}" if why else "")
            yield ContextFault(key, "tokens", None, text)


def _talk(items: Iterable[ContextItem]) -> int:
    return sum(item.kind in CONVERSATIONAL for item in items)


def shares_of(contexts: Contexts, persons: Mapping[str, Person]) -> dict[str, JsonObject]:
    """Count items and shares over all persons, by size. `few` counts attributes that fewer than five items express."""
    truths, found = {key: read_truth(contexts, key) for key in contexts.persons}, dict[str, JsonObject]()
    for size, asked in contexts.manifest.sizes.items():
        tokens, counts = list[int](), Counter[str]()
        for key, truth in truths.items():
            items = contexts.items(key, size)
            known = [truth[item.id] for item in items if item.id in truth]
            shown = Counter(one for row in known for one in row.expresses)
            attributes = persons[key].attributes
            tokens.append(tokens_of(text_of(items)))
            counts.update(items=len(items), talk=_talk(items), noise=sum(row.noise for row in known))
            counts.update(few=sum(shown[one.id] < LEAST for one in attributes), attributes=len(attributes))
        many = counts["items"]
        found[size] = {
            "asked": asked, "tokens": {"fewest": min(tokens, default=0), "most": max(tokens, default=0)},
            "items": many, "conversational": round(counts["talk"] / many, 3) if many else None,
            "noise": round(counts["noise"] / many, 3) if many else None,
            "few": counts["few"], "attributes": counts["attributes"],
        }  # fmt: skip
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
    """Things that the person denies having: up to four words from each noun on, e.g. "dog any more"."""
    homes: tuple[str, ...]
    """States of the U.S. in which the person claims to live."""


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
        things, states = self._denial.finditer(text), self._home.finditer(text)
        return SaidOfSelf(tuple(one["thing"] for one in things), tuple(one["state"] for one in states))


denials_of_self = DenialReader(vocabulary("denials")).read
