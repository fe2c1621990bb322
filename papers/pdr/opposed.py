"""The ways in which an item of a context opposes its person, or says something outright instead of showing it."""

from __future__ import annotations

from functools import cache

from drr.env.shingles import WIDTH, Run, runs
from drr.env.text import tokens
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.person import Attribute, Person
from drr.papers.pdr.words import invented_traits, key_of, record_traits, values_of
from drr.wording.denials import denials_of_self

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

    def said(self, text: str) -> list[str]:
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
        told = denials_of_self(text)
        found |= {key for thing in told.denied for key in self._denied(tokens(thing))}
        if self._homes and told.homes:
            found |= {key for home in told.homes for key in self._homes.values() if home not in self._homes}
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
    other = {
        run
        for key, texts in values.items()
        if key != value
        for text in texts.texts()
        for run in runs(tokens(text), _TELLING)
    }
    mine = (
        {run for text in values[value].texts() for run in runs(tokens(text), _TELLING)}
        if value in values
        else set()
    )
    return frozenset(other - mine)
