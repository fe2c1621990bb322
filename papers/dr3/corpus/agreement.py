"""Things of which one has several, or some. They take no article before them, and verbs that agree: `capsules
cost`, never `a capsules costs`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, partial

from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.planning.things import is_mass

_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "reaches": "reach", "isn't": "aren't", "doesn't": "don't"} | {
    f"{verb}s": verb
    for verb in (
        "appeal", "arrive", "fail", "score", "ship", "ask", "begin", "bring", "compare", "deserve", "survive", "come", "cost", "earn", "end", "fit", "get", "give", "hold", "keep", "last", "lie", "live", "look", "make", "measure",
        "need", "put", "rest", "run", "seem", "serve", "show", "stand", "start", "stay", "take", "turn", "want", "wear", "weigh", "work",
    )
}  # fmt: skip
_JOINED = frozenset(
    ["of", "for", "in", "to", "with", "on", "at", "by", "from", "about", "around", "like", "than", "beside", "between", "and", "or", "against", "without", "below"]
)  # fmt: skip
"""What stands before a thing that is not what the verb is about."""
_ARTICLES = frozenset(["the", "our", "my", "your", "a", "an"])


def agreeing(text: str, things: Iterable[NamedThing]) -> str:
    spoken = [one for one in things if one.plural or is_mass(one.noun)]
    named = frozenset(word for one in spoken for word in one.name.split())
    small = text.casefold()
    spoken = [one for one in spoken if one.noun.casefold() in small]
    return "\n".join(_agreeing(line, spoken, named) for line in text.split("\n")) if spoken else text


def _agreeing(line: str, things: list[NamedThing], named: frozenset[str]) -> str:
    small = line.casefold()
    for thing in things:
        if thing.noun.casefold() not in small:
            continue
        line = _article(thing.brand, thing.noun).sub(_bare, line)
        if thing.plural:
            line = _asked(thing.brand, thing.noun).sub(_plural_first, line)
            line = _subject(thing.brand, thing.noun).sub(partial(_plural, named=named), line)
    return line


@cache
def _article(brand: str, noun: str) -> re.Pattern[str]:
    return re.compile(rf"\b([Aa])n? ((?:{re.escape(brand)} )?{re.escape(noun)}\b)")


@cache
def _asked(brand: str, noun: str) -> re.Pattern[str]:
    """Make the pattern that finds questions like `How long does the bags keep?`."""
    return re.compile(
        rf"\b([Dd]oes|[Ii]s|[Ww]as|[Hh]as)( (?:(?:the|our|my|your) )?(?:{re.escape(brand)} )?{re.escape(noun)})\b"
    )


def _plural_first(found: re.Match[str]) -> str:
    verb = _VERBS[found[1].casefold()]
    return (verb.capitalize() if found[1][0].isupper() else verb) + found[2]


@cache
def _subject(brand: str, noun: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<!, )\b(\w+) )?((?:\b(?:the|our|my|your|a|an|The|Our|My|Your) )?(?:{re.escape(brand)} )?\b{re.escape(noun)}) ({'|'.join(map(re.escape, _VERBS))})\b(?! of\b)",
        re.IGNORECASE,
    )


def _bare(found: re.Match[str]) -> str:
    noun = found[2]
    return noun[0].upper() + noun[1:] if found[1] == "A" else noun


def _plural(found: re.Match[str], named: Collection[str]) -> str:
    """Put the verb in the plural. Keep it where the noun only ends something else that the verb is about:
    `the leaflet of the bags has`, `choosing bags has become`."""
    before = found[1] or ""
    words = f"{found.string[: found.start()]}{before}".split()
    while words and (words[-1] in named or words[-1].casefold() in _ARTICLES):
        words.pop()
    last = words[-1] if words and not (len(words) > 1 and words[-2].endswith(",")) else ""
    if last.casefold() in _JOINED or last.endswith("ing"):
        return found[0]
    return f"{before} {found[2]} {_VERBS[found[3].casefold()]}".strip()
