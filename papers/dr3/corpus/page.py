"""One page. A form, a scene and what it has to state become a title, an address and a text in which all of it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from zlib import crc32

from drr.env.text import fold
from drr.papers.dr3.corpus.agreement import agreeing
from drr.papers.dr3.corpus.claims import ALONE
from drr.papers.dr3.corpus.layouts import LAYOUTS
from drr.papers.dr3.corpus.plan import page_plan
from drr.papers.dr3.corpus.scene import PageScene, people
from drr.papers.dr3.corpus.sections import framed, page_sections
from drr.papers.dr3.corpus.statement import PageStatement
from drr.papers.dr3.corpus.stock import MEMBER, PageForm, stock
from drr.papers.dr3.corpus.talks import TALKS, casual, talk
from drr.papers.dr3.corpus.telling import told

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
    scene.calendar.said |= {month for one in statements for month in one.months}
    for slot, role in (("person", form.voice), ("local", form.voice), ("writer", "writer")):
        scene.words[slot] = people(role)
    if form.layout in TALKS and form.voice == MEMBER:
        scene.loose = _BY_SPEAKER
    elif form.voice == MEMBER:
        scene.claimed = {ALONE}
    said = [told(one, form, scene) for one in statements]
    if form.layout in TALKS and form.voice == MEMBER:
        text = TALKS[form.layout](form, scene, talk(form, plan, statements, said, scene))
    else:
        frame = framed(form, plan, scene)
        sections = page_sections(form, plan, statements, said, scene)
        text = LAYOUTS[form.layout](form, scene, frame, sections)
    titles = [
        one.said
        for one in form.titles
        if (not one.topics or plan.main in one.topics) and (scene.compares or not one.compares)
    ]
    title = scene.say(titles)
    things = [scene.thing, *(one.thing for one in scene.companions)]
    title, text, *quotes = (agreeing(one, things) for one in (title, text, *(one.quote for one in said)))
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
