"""Sentences with choices. `{a|b|c}` is one of them and may hold others, `[slot]` is filled in by the page that says it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from random import Random
from zlib import crc32

from drr.papers.dr3.corpus.claims import claims
from drr.papers.dr3.corpus.granted import granted

Fill = Callable[[str], str]
_TWICE = re.compile(r"\b[Tt]he The ")
"""Brands such as `The Value Store` bring an article of their own."""
_VOWEL = re.compile(
    r"([Aa])(?<!\w[Aa]) (?=[aeiouAEIO](?!ne\b|ni|se)|U(?!ne\b|ni|se|SB|[SV]\b)|(?:LED|LCD|HDMI|MDF|RV|SPF|SUV|XL)\b)"
)
"""`a essential oil` and `a LED light` are nobody's English."""


_BEGINS = re.compile(r'(?:(?<=[?!] )|(?<=\." ))[a-z]')
_ENDS = ("? ", "! ", '." ')
"""After these alone a sentence begins within what one template says."""


def _large(found: re.Match[str]) -> str:
    return found[0].upper()


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[tuple[_Part, ...], ...]
    ways: tuple[int, ...]
    """In how many ways each of them can be said."""


_Part = str | _Slot | _Choice


@dataclass(frozen=True, slots=True)
class Template:
    parts: tuple[_Part, ...]
    needs: frozenset[str] = frozenset()
    """What must be true of the thing that it is said of (`granted`)."""
    text: str = ""
    ways: int = 1
    """In how many ways it can be said, slots aside."""
    key: int = 0
    """Of its text: by this its uses are counted."""

    @property
    def claims(self) -> frozenset[str]:
        """List what it claims of how its speaker has the thing."""
        return claims(self.text)

    def words(self, rng: Random, fill: Fill, way: int | None = None) -> str:
        """Return the words in any way, or in just one of them."""
        said: list[str] = []
        _say(self.parts, _at_random(rng) if way is None else _in_the_way(way), fill, said)
        text = one_article("".join(said).strip())
        return _VOWEL.sub(r"\1n ", text) if "a " in text or "A " in text else text

    def say(self, rng: Random, fill: Fill, way: int | None = None) -> str:
        """Say it as a sentence, with a capital at the beginning, as a slot may stand there."""
        text = self.words(rng, fill, way)
        if any(end in text for end in _ENDS):
            text = _BEGINS.sub(_large, text)
        return text[:1].upper() + text[1:]


def one_article(text: str) -> str:
    return _TWICE.sub("The ", text) if "he The " in text else text


def template(text: str) -> Template:
    """`ValueError` where a bracket has no partner."""
    parts, end = _read(text, 0, nested=False)
    if end != len(text):
        raise ValueError(f"a brace too many in {text!r}")
    return Template(parts, granted(text), text, _ways(parts), crc32(text.encode()))


def _ways(parts: tuple[_Part, ...]) -> int:
    return prod(sum(part.ways) for part in parts if isinstance(part, _Choice))


Pick = Callable[[_Choice], int]


def _at_random(rng: Random) -> Pick:
    return lambda choice: int(rng.random() * len(choice.options))


def _in_the_way(way: int) -> Pick:
    """Pick the way of a number. Each choice in turn takes its part of it, and leaves the rest to those after it."""

    def pick(choice: _Choice) -> int:
        nonlocal way
        way, own = divmod(way, sum(choice.ways))
        at = 0
        while own >= choice.ways[at]:
            own -= choice.ways[at]
            at += 1
        way = way * choice.ways[at] + own
        return at

    return pick


def _say(parts: tuple[_Part, ...], pick: Pick, fill: Fill, said: list[str]) -> None:
    for part in parts:
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, _Slot):
            said.append(fill(part.name))
        else:
            _say(part.options[pick(part)], pick, fill, said)


def _read(text: str, at: int, *, nested: bool) -> tuple[tuple[_Part, ...], int]:
    """Up to the `|` or `}` that ends an option, or to the end."""
    parts: list[_Part] = []
    plain = ""
    while at < len(text) and not (text[at] == "}" or (nested and text[at] == "|")):
        if text[at] == "[":
            end = text.index("]", at)
            parts += [plain, _Slot(text[at + 1 : end].rstrip("."))]
            plain, at = "", end + 1
        elif text[at] == "{":
            choice, at = _read_choice(text, at)
            parts += [plain, choice]
            plain = ""
        else:
            plain += text[at]
            at += 1
    return tuple(part for part in (*parts, plain) if part != ""), at


def _read_choice(text: str, at: int) -> tuple[_Choice, int]:
    options = []
    while True:
        option, at = _read(text, at + 1, nested=True)
        options.append(option)
        if at >= len(text):
            raise ValueError(f"a brace is not closed in {text!r}")
        if text[at] == "}":
            return _Choice(tuple(options), tuple(map(_ways, options))), at + 1
