"""The plan of a page and its sections. One main topic comes first, and after it those that follow from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from drr.papers.dr3.corpus.passages import ProsePassage, fitting
from drr.papers.dr3.corpus.scene import PageScene
from drr.papers.dr3.corpus.statement import PageStatement
from drr.papers.dr3.corpus.stock import LISTINGS, MEMBER, RULES, PageForm, TalkMatter, stock
from drr.papers.dr3.corpus.telling import ToldStatement
from drr.papers.dr3.corpus.template import one_article

_FOLLOWS = {
    "choosing": ("daily", "fitting", "comparing", "money"),
    "delivery": ("fitting", "trouble", "money"),
    "fitting": ("choosing", "delivery", "daily"),
    "daily": ("care", "trouble", "lasting", "comparing"),
    "care": ("daily", "trouble", "lasting"),
    "trouble": ("care", "daily", "lasting", "money"),
    "lasting": ("care", "trouble", "money"),
    "money": ("choosing", "lasting", "comparing", "delivery"),
    "comparing": ("choosing", "daily", "lasting", "money"),
}
"""Topics that follow a topic, in their order."""
_PLACED = frozenset(["placed", "floor", "built", "large", "sized", "waits", "stores"])
"""Things for which one looks for a place, or measures: a page may be about just that."""
_MAIN = 2
"""Passages that a main topic has at least."""
_SIGNED = 0.4
"""Share of pages that name whoever is behind them."""


@dataclass(frozen=True)
class PagePlan:
    main: str
    others: tuple[str, ...]


def topics_of(form: PageForm, fits: frozenset[str], *, compares: bool = True, least: int = 1) -> set[str]:
    """List the topics with so many things to say of a sort. Others of its sort are spoken of only where there are some."""
    can = _topics_of(form.voice, fits, least)
    return {*can} if compares else {*can} - {"comparing"}


@cache
def _topics_of(voice: str, fits: frozenset[str], least: int) -> frozenset[str]:
    if voice == MEMBER:
        return frozenset(one.topic for one in stock().matters if one.suits(fits))
    passages = stock().voices[voice]
    return frozenset(
        topic for topic, rows in passages.items() if sum(one.suits(fits) for one in rows) >= least
    )


def page_plan(form: PageForm, scene: PageScene, statements: Iterable[PageStatement]) -> PagePlan:
    """Plan a page so that each statement stands beside a topic of the plan. The first statement decides what the page can be about."""
    fits, rng = scene.fits, scene.rng
    can = topics_of(form, fits, compares=scene.compares)
    main_ones = topics_of(form, fits, compares=scene.compares, least=_MAIN)
    known = [topic for topic in _FOLLOWS if topic in can and topic in stock().occasions[form.voice]]
    mains = [topic for topic in known if topic in main_ones] or known
    mains = [main for main in mains if main in form.mains] or mains
    mains = [main for main in mains if main != "fitting" or fits & _PLACED] or mains
    first = next(iter(statements), None)
    near = [topic for topic in (first.form.near if first else ()) if topic in can]
    if near:
        mains = [main for main in mains if {main, *_FOLLOWS[main]} & set(near)] or mains
    main = rng.choice(mains)
    others = [topic for topic in _FOLLOWS[main] if topic in can]
    kept = set(
        rng.sample(others, min(len(others), rng.randint(1, 2) if form.voice == "desk" else rng.randint(2, 4)))
    )
    if near and not {main, *kept} & set(near):
        kept |= set([topic for topic in others if topic in near][:1])
    ordered = [topic for topic in others if topic in kept]
    if "people" in can and rng.random() < _SIGNED:
        ordered.append("people")
    return PagePlan(main, tuple(ordered))


def matters_of(topics: Collection[str], scene: PageScene) -> list[TalkMatter]:
    """One of each topic, in order."""
    found: list[TalkMatter] = []
    for topic in topics:
        apt = [
            one
            for one in stock().matters
            if one.topic == topic and one.suits(scene.fits) and one not in found
        ]
        found += scene.deck.some(apt, 1, scene.rng, scene.theme)
    return found


_LEAST, _USUAL, _MOST = 500, 2850, 6600
"""Characters that a page is planned for; it ends with the section that passes them."""
_KNOWN = 0.4
"""Share of pages that begin with the time since when they know their subject."""
_PARAGRAPH = 330
"""Characters of a paragraph, about."""
_LISTED_BY = {
    "editor": (0.02, 0.25),
    "bench": (0.0, 0.4),
    "seller": (0.03, 0.4),
    "desk": (0.0, 0.0),
    MEMBER: (0.0, 0.0),
}
"""Shares of pages with rules of thumb and with listings, by voice; a notice has neither."""


@dataclass(frozen=True)
class PageSection:
    """Paragraphs about one topic."""

    topic: str
    parts: tuple[str, ...]
    listed: bool = False
    """Short entries that are no running prose: a list wherever they stand."""
    ask: str = ""
    """The question that they answer, where they answer one."""


@dataclass(frozen=True)
class PageFrame:
    """The beginning and the end of a page."""

    opening: str
    closing: str


def framed(form: PageForm, plan: PagePlan, scene: PageScene) -> PageFrame:
    """Says first what the page is about, and comes back to it."""
    rng, occasion = scene.rng, stock().occasions[form.voice][plan.main]
    lead, settle = scene.say(occasion.lead), scene.say(occasion.settle)
    opens = [one for one in form.openings if scene.may(one)]
    opening = scene.say(opens) if rng.random() < 0.5 and opens else ""
    known = scene.known_since(form.voice) if rng.random() < _KNOWN else ""
    closing = scene.say(form.closings)
    return PageFrame(" ".join(part for part in (opening, lead, known) if part), f"{settle}\n\n{closing}")


def page_sections(
    form: PageForm,
    plan: PagePlan,
    statements: Sequence[PageStatement],
    spoken: Sequence[ToldStatement],
    scene: PageScene,
) -> list[PageSection]:
    rng = scene.rng
    goal = min(_MOST, max(_LEAST, rng.lognormvariate(0, 0.62) * _USUAL))
    sections: list[PageSection] = []
    length = 0
    for topic in (plan.main, *plan.others):
        if length >= goal:
            break
        apt = _apt(form, topic, scene)
        count = rng.randint(3, 4) if topic == plan.main else rng.randint(1, 3)
        count = min(count, max(1, round((goal - length) / _PARAGRAPH)))
        chosen = _together(scene.deck.some(apt, count, rng, scene.theme), scene)
        parts = [scene.paragraph(one, is_asked=form.layout == "questions") for one in chosen]
        length += sum(map(len, parts)) + 60
        if form.layout == "questions":
            asked = (scene.say(one.ask or stock().asks[topic]) for one in chosen)
            sections += [PageSection(topic, (part,), ask=ask) for part, ask in zip(parts, asked, strict=True)]
        elif parts:
            sections.append(PageSection(topic, tuple(parts)))
    for statement, one in zip(statements, spoken, strict=True):
        same = [at for at, section in enumerate(sections) if section.topic == statement.form.topic]
        if same and form.layout != "questions":
            sections[same[0]] = PageSection(statement.form.topic, (*sections[same[0]].parts, *one.parts))
        else:
            sections.insert(
                _place(sections, statement), PageSection(statement.form.topic, one.parts, ask=one.ask)
            )
    for listed, chance in zip(
        (_rules(scene), _listings(scene)), _LISTED_BY.get(form.voice, (0.0, 0.0)), strict=True
    ):
        if listed.parts and rng.random() < chance:
            sections.append(listed)
    return sections


@cache
def _passages(voice: str, topic: str, fits: frozenset[str]) -> tuple[ProsePassage, ...]:
    return tuple(one for one in stock().voices[voice].get(topic, ()) if one.suits(fits))


def _apt(form: PageForm, topic: str, scene: PageScene) -> Sequence[ProsePassage]:
    fits = scene.fits
    if form.voice != MEMBER:
        return _passages(form.voice, topic, fits)
    alone = (
        [reply for reply in one.alone if reply.suits(fits)]
        for one in stock().matters
        if one.topic == topic and one.needs <= fits
    )
    return [one for replies in alone for one in scene.deck.some(replies, 1, scene.rng, scene.theme)]


def _together(passages: Sequence[ProsePassage], scene: PageScene) -> list[ProsePassage]:
    """List those that somebody who writes alone can say beside each other."""
    found = []
    for one in passages:
        if scene.may(one):
            scene.claim(one)
            found.append(one)
    return found


def _place(sections: list[PageSection], statement: PageStatement) -> int:
    """Find the place after the last section of a topic beside which the statement can stand."""
    near = [at for at, one in enumerate(sections, start=1) if one.topic in statement.form.near]
    return near[-1] if near else len(sections)


def _rules(scene: PageScene) -> PageSection:
    lines = fitting(stock().lines[scene.theme], scene.fits)
    chosen = scene.deck.some(lines, scene.rng.randint(2, 4), scene.rng, scene.theme)
    return PageSection(RULES, tuple(scene.say([one]) for one in chosen), listed=True)


_QUOTED = (
    '{name}: "{text}."', '"{text}" ({name})', "{name} - {text}.", '{name}, by its listing: "{text}."', "{name}: {text}.",
)  # fmt: skip


def _listings(scene: PageScene) -> PageSection:
    """Write what the listings of the companions say, all of a page quoted in one way."""
    rng = scene.rng
    lines = [(one.thing.name, text) for one in scene.companions for text in one.features]
    style = rng.choice(_QUOTED)
    chosen = rng.sample(lines, min(len(lines), rng.randint(2, 4)))
    quoted = (one_article(style.format(name=name, text=text)) for name, text in chosen)
    return PageSection(LISTINGS, tuple(quoted), listed=True)
