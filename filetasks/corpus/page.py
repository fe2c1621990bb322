"""One page: a form, a scene and what it has to state become a title, an address and a text in which all of it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from drr.env.text import fold
from drr.filetasks.corpus.layouts import LAYOUTS, PageSection
from drr.filetasks.corpus.scene import PageScene
from drr.filetasks.corpus.statement import PageStatement
from drr.filetasks.corpus.stock import LISTINGS, RULES, TOPICS, PageForm, stock
from drr.filetasks.corpus.template import one_article
from drr.filetasks.planning.kinds import kind_of

_LEAST, _USUAL, _MOST = 1500, 3000, 6400
"""Characters that a page is planned for; it ends with the section that passes them."""
_SLUG = re.compile(r"[^a-z0-9]+")
_PATHS = ("", "read/", "page/", "p/", "archive/", "t/", "en/", "public/")
_HOSTS = 90
_LED = 0.8
"""How often something stands before a statement, and after it."""


@dataclass(frozen=True)
class WrittenPage:
    title: str
    url: str
    text: str
    quotes: tuple[str, ...]
    """The sentence of each statement, in the order given."""


def drawn_form(rng: Random, statements: Sequence[PageStatement]) -> PageForm:
    """Hearsay stands where people pass it on: no shop has its own terms from hearsay."""
    book = stock()
    passed_on = any(one.hearsay for one in statements)
    return rng.choice([form for form in book.forms if not passed_on or form.voice in book.hearsay])


def written_page(
    form: PageForm, scene: PageScene, statements: Sequence[PageStatement], seed: int
) -> WrittenPage:
    rng = scene.rng
    sections = _sections(form, scene)
    quotes = []
    for statement in statements:
        section, quote = _stated(statement, form, scene)
        sections.insert(rng.randint(0, len(sections)), section)
        quotes.append(quote)
    title = rng.choice(form.titles).say(rng, scene.fill)
    text = LAYOUTS[form.layout](form, scene, sections)
    if scene.thing.plural:
        title, text = _without_article(title, scene.thing.noun), _without_article(text, scene.thing.noun)
    return WrittenPage(title, _address(title, rng, seed), text, tuple(quotes))


def _without_article(text: str, noun: str) -> str:
    """`a shears` is said by nobody."""
    return re.sub(rf"\b[Aa]n? (?={re.escape(noun)}\b)", "", text)


@cache
def hosts(seed: int) -> list[str]:
    """The sites of a pool: `.example` is reserved, nobody can own one."""
    names = stock().names
    every = [f"{a}-{b}.example" for a in names["first"] for b in names["second"]]
    return Random(f"{seed}/hosts").sample(every, _HOSTS)


_TOPICS_OF = {"steps": ("choosing", "fitting", "delivery", "daily", "care", "trouble")}
"""Of layouts in which not all topics have a place."""


def _sections(form: PageForm, scene: PageScene) -> list[PageSection]:
    """Topics in an order of their own, each in a few passages; a page of one voice stays with it."""
    rng, passages = scene.rng, stock().voices[form.voice]
    used_up = kind_of(scene.thing.noun).is_used_up
    goal = min(_MOST, max(_LEAST, rng.lognormvariate(0, 0.38) * _USUAL))
    topics = _TOPICS_OF.get(form.layout, TOPICS)
    sections: list[PageSection] = []
    length = 0
    for topic in rng.sample(topics, len(topics)):
        if length >= goal and len(sections) > 1:
            break
        apt = [one for one in passages[topic] if not (used_up and one.of)]
        chosen = rng.sample(apt, min(len(apt), rng.randint(1, 3)))
        if not chosen:
            continue
        sections.append(PageSection(topic, tuple(one.say(rng, scene.fill) for one in chosen)))
        length += sum(map(len, sections[-1].parts)) + 60
    for listed, chance in ((_rules(scene), 0.7), (_listings(scene), 0.5)):
        if listed.parts and rng.random() < chance:
            sections.insert(rng.randint(1, len(sections)), listed)
    return sections


def _rules(scene: PageScene) -> PageSection:
    lines = stock().lines[scene.theme]
    chosen = scene.rng.sample(lines, min(len(lines), scene.rng.randint(2, 4)))
    return PageSection(RULES, tuple(one.say(scene.rng, scene.fill) for one in chosen), listed=True)


_QUOTED = (
    '{name}: "{text}."', '"{text}" ({name})', "{name} - {text}.", '{name}, by its listing: "{text}."', "{name}: {text}.",
)  # fmt: skip


def _listings(scene: PageScene) -> PageSection:
    """What the listings of the companions say, all of a page quoted in one way."""
    rng = scene.rng
    said = [(one.thing.name, text) for one in scene.companions for text in one.features]
    style = rng.choice(_QUOTED)
    chosen = rng.sample(said, min(len(said), rng.randint(2, 4)))
    quoted = (one_article(style.format(name=name, text=text)) for name, text in chosen)
    return PageSection(LISTINGS, tuple(quoted), listed=True)


def _stated(statement: PageStatement, form: PageForm, scene: PageScene) -> tuple[PageSection, str]:
    """A section about what is stated, and the words that state it."""
    rng, words = scene.rng, statement.words()

    def fill(slot: str) -> str:
        return words[slot] if slot in words else scene.fill(slot)

    quote = rng.choice(statement.form.said).say(rng, fill)
    if statement.hearsay:
        quote = f"{rng.choice(stock().hearsay[form.voice]).say(rng, fill)} {quote}"
    said = [
        rng.choice(statement.form.before).say(rng, fill) if rng.random() < _LED else "",
        quote,
        rng.choice(statement.form.after).say(rng, fill) if rng.random() < _LED else "",
    ]
    return PageSection(statement.form.topic, (" ".join(part for part in said if part),)), quote


def _address(title: str, rng: Random, seed: int) -> str:
    words = [word for word in _SLUG.split(fold(title)) if word]
    slug = "-".join(words[: rng.randint(3, 7)])
    number = rng.randint(100, 99_999)
    tail = rng.choice((f"{slug}-{number}", f"{number}-{slug}", f"{slug}_{number}", f"{number}/{slug}"))
    return f"https://{rng.choice(hosts(seed))}/{rng.choice(_PATHS)}{tail}"
