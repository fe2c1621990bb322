"""Sentences with choices. `{a|b|c}` is one of them and may hold others, `[slot]` is filled in by the page that says it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

from drr.papers.dr3.planning.kinds import TRAITS

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


_Part = str | _Slot | _Choice


@dataclass(frozen=True, slots=True)
class Template:
    parts: tuple[_Part, ...]
    needs: frozenset[str] = frozenset()
    """Traits that its subject must have (`granted`)."""
    text: str = ""
    ways: int = 1
    """Number of its wordings, slots aside."""
    key: int = 0
    """Hash of its text, under which its uses are counted."""

    @property
    def claims(self) -> frozenset[str]:
        """List what it claims of how its speaker has the thing."""
        return claims(self.text)

    def words(self, rng: Random, fill: Fill, way: int | None = None) -> str:
        """Return the words in any way, or in just one of them."""
        words: list[str] = []
        _say(self.parts, _at_random(rng) if way is None else _in_the_way(way), fill, words)
        text = one_article("".join(words).strip())
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


def _say(parts: tuple[_Part, ...], pick: Pick, fill: Fill, words: list[str]) -> None:
    for part in parts:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, _Slot):
            words.append(fill(part.name))
        else:
            _say(part.options[pick(part)], pick, fill, words)


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


@cache
def _claim_rows() -> tuple[tuple[str, re.Pattern[str], frozenset[str]], ...]:
    with (Path(__file__).parent / "words" / "claims.toml").open("rb") as file:
        rows = tomllib.load(file)["claim"]
    return tuple((row["says"], re.compile(row["words"]), frozenset(row.get("apart", ()))) for row in rows)


ALONE = "alone"
"""Tag of words that only a lone writer uses: nobody has asked, so that nothing is an answer."""


@cache
def _apart() -> dict[str, frozenset[str]]:
    found = {says: others for says, _, others in _claim_rows()}
    return found | {ALONE: frozenset(says for says, others in found.items() if ALONE in others)}


@cache
def claims(text: str) -> frozenset[str]:
    """List the claims of a sentence with all its choices."""
    plain = " ".join(re.sub(r"[{}|]", " ", text).split())
    return frozenset(says for says, words, _ in _claim_rows() if words.search(plain))


def go_together(needs: Iterable[str], more: frozenset[str]) -> bool:
    """Each is said once, and none beside what it does not go with."""
    apart = _apart()
    return not any(one in more or apart[one] & more for one in needs)


SINGLE = "single"
"""Tag for one thing, not several or some: no trait of a sort."""


@cache
def _granted_rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    with (Path(__file__).parent / "words" / "granted.toml").open("rb") as file:
        rows = [(row["words"], row["trait"]) for row in tomllib.load(file)["granted"]]
    if strange := {trait for _, trait in rows} - TRAITS - {SINGLE}:
        raise ValueError(f"no sort has the trait {sorted(strange)[0]!r}")
    return tuple((re.compile(words, re.IGNORECASE), trait) for words, trait in rows)


@cache
def granted(text: str) -> frozenset[str]:
    """List the claims of a sentence with all its choices."""
    return frozenset(trait for words, trait in _granted_rows() if words.search(text))


_BEFORE, _AFTER = re.compile(r"(?<!\w)(\w+) $"), re.compile(r" (\w+)")


@dataclass(frozen=True)
class PhraseWays:
    ways: tuple[str, ...]
    not_after: frozenset[str]
    not_before: frozenset[str]
    not_first: bool
    """True where it is left at the beginning of a sentence: `since` would be of a time there."""


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, PhraseWays]]:
    found = {
        row["said"].casefold(): PhraseWays(
            tuple(row["ways"]),
            frozenset(row.get("not_after", ())),
            frozenset(row.get("not_before", ())),
            row.get("not_first", False),
        )
        for row in _way_rows("ways")
    }
    longest = sorted(found, key=len, reverse=True)
    phrases = "|".join(map(re.escape, longest))
    return re.compile(rf"\[[^\]]*\]|\b({phrases})\b(?!['-])", re.IGNORECASE), found


@cache
def _retold() -> tuple[re.Pattern[str], dict[str, str]]:
    found = {row["said"]: f"{{{'|'.join((row['said'], *row['ways']))}}}" for row in _way_rows("retold")}
    return re.compile("|".join(map(re.escape, found))), found


def varied(text: str) -> str:
    """Return the text with choices; what is in a slot stays. A sentence that is told in other ways is chosen first, then phrases of it."""
    pattern, ways = _phrases()
    sentence, retold = _retold()
    text = sentence.sub(lambda found: retold[found[0]], text)
    return pattern.sub(lambda found: _choice(found, ways), text)


def _way_rows(name: str) -> list[dict[str, Any]]:
    with (Path(__file__).parent / "words" / f"{name}.toml").open("rb") as file:
        rows: list[dict[str, Any]] = tomllib.load(file)["way"]
    return rows


def _choice(found: re.Match[str], ways: dict[str, PhraseWays]) -> str:
    if found[0].startswith("["):
        return found[0]
    choice = found[1]
    known = ways[choice.casefold()]
    before = _BEFORE.search(found.string, 0, found.start())
    after = _AFTER.match(found.string, found.end())
    if before and before[1].casefold() in known.not_after:
        return found[0]
    if after and after[1].casefold() in known.not_before:
        return found[0]
    large = choice[0].isupper()
    if large and known.not_first:
        return found[0]
    options = [choice, *(way[0].upper() + way[1:] if large else way for way in known.ways)]
    return f"{{{'|'.join(options)}}}"
