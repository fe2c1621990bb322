"""Sentences with choices: `{a|b|c}` is one of them and may hold others, `[slot]` is filled in by the page that says it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from drr.filetasks.corpus.granted import granted

Fill = Callable[[str], str]
_TWICE = re.compile(r"\b[Tt]he The ")
"""Brands such as `The Value Store` bring an article of their own."""
_VOWEL = re.compile(
    r"\b([Aa]) (?=[aeiouAEIO](?!ne\b|ni|se)|U(?!ne\b|ni|se|SB|[SV]\b)|(?:LED|LCD|HDMI|MDF|RV|SPF|SUV|XL)\b)"
)
"""`a essential oil` and `a LED light` are nobody's English."""


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[tuple[_Part, ...], ...]


_Part = str | _Slot | _Choice


@dataclass(frozen=True, slots=True)
class Template:
    parts: tuple[_Part, ...]
    needs: frozenset[str] = frozenset()
    """What must be true of the thing that it is said of (`granted`)."""

    def words(self, rng: Random, fill: Fill) -> str:
        said: list[str] = []
        _say(self.parts, rng, fill, said)
        text = one_article("".join(said).strip())
        return _VOWEL.sub(r"\1n ", text) if "a " in text or "A " in text else text

    def say(self, rng: Random, fill: Fill) -> str:
        """As a sentence: with a capital at the beginning, as a slot may stand there."""
        text = self.words(rng, fill)
        return text[:1].upper() + text[1:]


def one_article(text: str) -> str:
    return _TWICE.sub("The ", text) if "he The " in text else text


def template(text: str) -> Template:
    """`ValueError` where a bracket has no partner."""
    parts, end = _read(text, 0, nested=False)
    if end != len(text):
        raise ValueError(f"a brace too many in {text!r}")
    return Template(parts, granted(text))


def _say(parts: tuple[_Part, ...], rng: Random, fill: Fill, said: list[str]) -> None:
    for part in parts:
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, _Slot):
            said.append(fill(part.name))
        else:
            _say(part.options[int(rng.random() * len(part.options))], rng, fill, said)


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
            return _Choice(tuple(options)), at + 1
