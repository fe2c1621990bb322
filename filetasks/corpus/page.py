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
from drr.filetasks.corpus.stock import TOPICS, VOICES, PageForm, stock
from drr.filetasks.corpus.template import Template, one_article

_LEAST, _USUAL, _MOST = 1500, 3000, 6400
"""Characters that a page is planned for; it ends with the section that passes them."""
_SLUG = re.compile(r"[^a-z0-9]+")
_PATHS = ("", "read/", "page/", "p/", "archive/", "t/", "en/", "public/")
_HOSTS = 90


@dataclass(frozen=True)
class WrittenPage:
    title: str
    url: str
    text: str
    quotes: tuple[str, ...]
    """The sentence of each statement, in the order given."""


def written_page(
    form: PageForm, scene: PageScene, statements: Sequence[PageStatement], seed: int
) -> WrittenPage:
    rng = scene.rng
    sections = _sections(form, scene)
    quotes = []
    for statement in statements:
        quote = _stated(statement, rng, scene)
        section = sections[int(rng.random() * len(sections))]
        section.put(quote, rng, _frame(scene, "before", 0.35), _frame(scene, "after", 0.3))
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


def _sections(form: PageForm, scene: PageScene) -> list[PageSection]:
    """Topics in an order of their own; some are told by another voice, some quote listings."""
    rng, book = scene.rng, stock()
    goal = min(_MOST, max(_LEAST, rng.lognormvariate(0, 0.38) * _USUAL))
    own = list(rng.sample(book.lines[scene.theme], len(book.lines[scene.theme])))
    quoted = [(one, text) for one in scene.companions for text in one.features]
    rng.shuffle(quoted)
    sections: list[PageSection] = []
    length = 0
    used: set[Template] = set()
    topics = [*rng.sample(TOPICS, len(TOPICS)), *rng.sample(TOPICS, len(TOPICS))]
    while topics and (length < goal or len(sections) < 2):
        topic = topics.pop()
        voice = form.voice if rng.random() < 0.72 else rng.choice(VOICES)
        left = [one for one in book.voices[voice][topic] if one not in used]
        if len(left) < 3:
            continue
        chosen = rng.sample(left, min(len(left), rng.randint(2, 5)))
        used.update(chosen)
        lines = [one.say(rng, scene.fill) for one in chosen]
        if own and rng.random() < 0.55:
            lines.insert(rng.randint(0, len(lines)), own.pop().say(rng, scene.fill))
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            if quoted:
                one, text = quoted.pop()
                lines.insert(rng.randint(0, len(lines)), _quoted(one.thing.name, text, rng))
        sections.append(PageSection(topic, voice, lines))
        length += sum(map(len, lines)) + 60
    return sections


_QUOTED = (
    "{name}: {text}.", "Of the {name} its listing says: \"{text}.\"", "\"{text}\", it says about the {name}.", "{text} ({name}).",
    "The maker of the {name} puts it so: {text}.", "About the {name} one reads: {text}.", "{name} - {text}.", "In the words of {name}: {text}.",
    "What the {name} is sold with: \"{text}.\"", "From the page of the {name}: {text}.",
)  # fmt: skip


def _quoted(name: str, text: str, rng: Random) -> str:
    return one_article(rng.choice(_QUOTED).format(name=name, text=text))


def _stated(statement: PageStatement, rng: Random, scene: PageScene) -> str:
    words = statement.words()
    said = rng.choice(statement.form.said).say(rng, lambda slot: words.get(slot) or scene.fill(slot))
    return (
        rng.choice(stock().frames["hearsay"]).say(rng, scene.fill) + " " if statement.hearsay else ""
    ) + said


def _frame(scene: PageScene, which: str, chance: float) -> str | None:
    if scene.rng.random() >= chance:
        return None
    return scene.rng.choice(stock().frames[which]).say(scene.rng, scene.fill)


def _address(title: str, rng: Random, seed: int) -> str:
    words = [word for word in _SLUG.split(fold(title)) if word]
    slug = "-".join(words[: rng.randint(3, 7)])
    number = rng.randint(100, 99_999)
    tail = rng.choice((f"{slug}-{number}", f"{number}-{slug}", f"{slug}_{number}", f"{number}/{slug}"))
    return f"https://{rng.choice(hosts(seed))}/{rng.choice(_PATHS)}{tail}"
