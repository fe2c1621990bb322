"""One page. A form, a scene and what it has to state become a title, an address and a text in which all of it stands and agrees."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from zlib import crc32

from drr.env.text import fold
from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.corpus.layouts import LAYOUTS, TALKS, casual, talk
from drr.papers.dr3.corpus.scene import PageScene, people
from drr.papers.dr3.corpus.sections import framed, page_plan, page_sections
from drr.papers.dr3.corpus.statement import PageStatement
from drr.papers.dr3.corpus.stock import MEMBER, PageForm, stock
from drr.papers.dr3.corpus.telling import stated
from drr.papers.dr3.corpus.template import ALONE
from drr.papers.dr3.planning.kinds import is_mass

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
"""Words before a noun that is not the object of the verb."""
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


_SLUG = re.compile(r"[^a-z0-9]+")
_PATHS = ("", "read/", "page/", "p/", "archive/", "t/", "en/", "public/")
_HOSTS = {"editor": 24, "member": 20, "bench": 12, "desk": 12, "office": 6}
_BY_SPEAKER = frozenset(["place", "who", "habit", "weekday", "town", "year", "person", "writer", "gear"])
"""Slots that mean something else for each of several people who speak on one page."""


@dataclass(frozen=True)
class WrittenPage:
    title: str
    url: str
    text: str
    quotes: tuple[str, ...]
    """The sentence of each statement, in the order given."""


def drawn_form(
    rng: Random,
    statements: Sequence[PageStatement],
    trust: int | None = None,
    without: Collection[str] = (),
    house: str | None = None,
) -> PageForm:
    """Draw a form in which hearsay stands where people pass it on. No shop has its own terms from hearsay, no
    office gives points, and no shop (`house`) speaks of the terms of another. Of just so good a source, where
    `trust` is asked for, and of none of the voices `without`."""
    book = stock()
    passed_on = any(one.hearsay for one in statements)
    without = {*without, *(voice for one in statements for voice in one.form.not_by)}
    if house and any(one.form.about == "seller" and one.subject != house for one in statements):
        without.add("seller")
    return rng.choice(
        [
            form
            for form in book.forms
            if (not passed_on or form.voice in book.hearsay)
            and (trust is None or form.trust == trust)
            and form.voice not in without
        ]
    )


def written_page(
    form: PageForm, scene: PageScene, statements: Sequence[PageStatement], seed: int
) -> WrittenPage:
    """The first of the statements is what the page is planned around."""
    rng = scene.rng
    plan = page_plan(form, scene, statements)
    scene.calendar.starts |= {month for one in statements for month in one.months}
    for slot, role in (("person", form.voice), ("local", form.voice), ("writer", "writer")):
        scene.words[slot] = people(role)
    if form.layout in TALKS and form.voice == MEMBER:
        scene.loose = _BY_SPEAKER
    elif form.voice == MEMBER:
        scene.claimed = {ALONE}
    written = [stated(one, form, scene) for one in statements]
    if form.layout in TALKS and form.voice == MEMBER:
        text = TALKS[form.layout](form, scene, talk(form, plan, statements, written, scene))
    else:
        frame = framed(form, plan, scene)
        sections = page_sections(form, plan, statements, written, scene)
        text = LAYOUTS[form.layout](scene, frame, sections)
    titles = [
        one.template
        for one in form.titles
        if (not one.topics or plan.main in one.topics) and (scene.compares or not one.compares)
    ]
    title = scene.say(titles)
    things = [scene.thing, *(one.thing for one in scene.companions)]
    title, text, *quotes = (agreeing(one, things) for one in (title, text, *(one.quote for one in written)))
    quotes = [quote if quote in text else casual(quote) for quote in quotes]
    host = _shop_host(scene.seller, seed) if form.voice == "seller" else rng.choice(hosts(seed)[form.voice])
    return WrittenPage(title, _address(title, host, rng), text, tuple(quotes))


@cache
def hosts(seed: int) -> Mapping[str, Sequence[str]]:
    """Map each voice to its sites in a pool, and list those left over. None is a magazine and a shop at once;
    `.example` is reserved, nobody can own one."""
    every = _sites(seed)
    found, start = {}, 0
    for voice, count in _HOSTS.items():
        found[voice] = every[start : start + count]
        start += count
    return {**found, "": every[start:]}


@cache
def _sites(seed: int) -> list[str]:
    names = stock().names
    every = [f"{a}-{b}.example" for a in names["first"] for b in names["second"]]
    return Random(f"{seed}/hosts").sample(every, len(every))


def _shop_host(seller: str, seed: int) -> str:
    """Each shop has its own."""
    known, left = stock().names["sellers"], hosts(seed)[""]
    if seller in known:
        return left[known.index(seller)]
    return left[len(known) + crc32(seller.encode()) % (len(left) - len(known))]


def _address(title: str, host: str, rng: Random) -> str:
    words = [word for word in _SLUG.split(fold(title)) if word]
    slug = "-".join(words[: rng.randint(3, 7)])
    number = rng.randint(100, 99_999)
    tail = rng.choice((f"{slug}-{number}", f"{number}-{slug}", f"{slug}_{number}", f"{number}/{slug}"))
    return f"https://{host}/{rng.choice(_PATHS)}{tail}"
