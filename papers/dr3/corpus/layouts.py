"""The layouts of pages. Sections are set as an essay, a list, steps or questions; several people speak in threads and letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from zlib import crc32

from drr.papers.dr3.corpus.scene import PageScene
from drr.papers.dr3.corpus.sections import PageFrame, PagePlan, PageSection, matters_of
from drr.papers.dr3.corpus.statement import PageStatement
from drr.papers.dr3.corpus.stock import PageForm, TalkMatter, stock
from drr.papers.dr3.corpus.telling import ToldStatement


def _sectioned(
    scene: PageScene,
    frame: PageFrame,
    sections: list[PageSection],
    *,
    signed: bool = False,
    tabled: bool = False,
    listed: bool = False,
    headings: str = "headings",
) -> str:
    """Set the sections under headings of one style: with a byline, with a table of figures, or as lists throughout."""
    style, mark = scene.rng.choice(stock().talk[headings]), _mark(scene.rng)
    blocks = [*(_byline(scene) if signed else []), frame.opening, *([_figures(scene)] if tabled else [])]
    for number, one in enumerate(sections, start=1):
        title = style.format(scene.say(stock().headings[one.topic]), n=number)
        blocks += [title, *([_bullets(one.parts, mark)] if listed else _set(one, mark))]
    return _joined([*blocks, frame.closing])


def _figures(scene: PageScene) -> str:
    """Make the table of the companions' figures. Nothing of what the page is about stands in a table."""
    rng = scene.rng
    head = rng.choice(stock().talk["columns"]).split(" | ")
    rows = []
    shown = scene.companions[: scene.peers] if scene.compares else scene.companions
    for one in rng.sample(shown, len(shown)):
        price = "-" if one.price is None else f"${one.price:.2f}"
        stars = "-" if one.stars is None else f"{one.stars:.1f}"
        cells = {"Stars": stars, "Stars of 5": stars, "Ratings": str(one.ratings or "-")}
        rows.append([one.thing.name, *(cells.get(column, price) for column in head[1:])])
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def _questions(scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(("## {}", "**{}**", "Q: {}", "### {}", "> {}")), _mark(rng)
    answer = "A: " if style.startswith("Q") else ""
    blocks = [frame.opening]
    for one in sections:
        asked = one.ask or scene.say(stock().asks[one.topic])
        first, *rest = _set(one, mark)
        blocks += [style.format(asked), first if first.startswith("|") else answer + first, *rest]
    return _joined([*blocks, frame.closing])


def _notice(scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(("**{}.** {}", "{}: {}", "## {}\n\n{}", "**{}** - {}")), _mark(rng)
    blocks = [frame.opening]
    for one in sections:
        title = scene.say(stock().headings[one.topic])
        first, *rest = [_bullets(one.parts, mark)] if one.listed else one.parts
        if one.listed or first.startswith("|"):
            blocks += [style.format(title, "").rstrip(" -\n"), first, *rest]
        else:
            blocks += [style.format(title, first), *rest]
    return _joined([*blocks, frame.closing])


def _items(scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    """Short items of a column, with a line between what belongs together."""
    mark, line = _mark(scene.rng), scene.rng.choice(("* * *", "---", "+"))
    blocks = [frame.opening]
    for one in sections:
        blocks += [line, *_set(one, mark)]
    return _joined([*blocks, line, frame.closing])


def _byline(scene: PageScene) -> list[str]:
    if scene.rng.random() < 0.4:
        return []
    words = {key: scene.fill(slot) for key, slot in (("who", "writer"), ("town", "town"), ("paper", "paper"))}  # fmt: skip
    return [scene.rng.choice(stock().talk["bylines"]).format(**words)]


def _mark(rng: Random) -> str:
    return rng.choice(("-", "*", "- [ ]", "+"))


def _bullets(parts: tuple[str, ...], mark: str) -> str:
    """A table among them stands by itself."""
    text = ""
    for part in parts:
        is_table = part.startswith("|")
        text += ("\n\n" if is_table or text.endswith("|") else "\n") * bool(text)
        text += part if is_table else f"{mark} {part}"
    return text


def _set(section: PageSection, mark: str) -> list[str]:
    return [_bullets(section.parts, mark)] if section.listed else list(section.parts)


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part)


Layout = Callable[[PageScene, PageFrame, list[PageSection]], str]
LAYOUTS: dict[str, Layout] = {
    "essay": partial(_sectioned, signed=True),
    "list": partial(_sectioned, listed=True),
    "table": partial(_sectioned, tabled=True),
    "steps": partial(_sectioned, signed=True, headings="steps"),
    "questions": _questions,
    "notice": _notice,
    "letters": _items,
}


_LEAST, _MOST = 2, 3
_ASIDE = 0.55
_MATTERS = 6
_KNOWN = 0.3
"""Share of askers who state since when they own it."""


@dataclass(frozen=True)
class TalkRound:
    """A question and what was answered to just that."""

    ask: str
    answers: tuple[str, ...]


def talk(
    form: PageForm,
    plan: PagePlan,
    statements: Sequence[PageStatement],
    spoken: Sequence[ToldStatement],
    scene: PageScene,
) -> list[TalkRound]:
    """Make the rounds of a page: the main matter, what follows from it, and what is stated. Each statement
    answers a question of its own."""
    matters = matters_of((plan.main, plan.main, *plan.others), scene)
    rounds = [(one.topic, _round(form, one, scene)) for one in matters[: scene.rng.randint(2, _MATTERS)]]
    for statement, one in zip(statements, spoken, strict=True):
        near = [at for at, (topic, _) in enumerate(rounds, start=1) if topic in statement.form.near]
        rounds.insert(near[-1] if near else len(rounds), ("", TalkRound(one.ask, one.parts)))
    return [one for _, one in rounds]


def _round(form: PageForm, matter: TalkMatter, scene: PageScene) -> TalkRound:
    rng = scene.rng
    asked = matter.asked(scene.fits)
    ask = scene.deck.pick(scene.apt(list(asked)), rng)
    chosen = scene.deck.some(asked[ask], rng.randint(_LEAST, _MOST), rng, scene.theme)
    rng.shuffle(chosen)
    answers = [scene.paragraph(one) for one in chosen]
    asides = [one for one in matter.asides if one.suits(scene.fits)]
    if form.layout == "thread" and asides and rng.random() < _ASIDE:
        answers.insert(0, scene.paragraph(*scene.deck.some(asides, 1, rng, scene.theme)))
    return TalkRound(scene.say([ask]), tuple(answers))


_CASUAL = 0.45
_FIRST = re.compile(r"(?:^|(?<=[.?!:] ))[A-Z][a-z']*(?= (?![A-Z]))")
_SELF = re.compile(r"\bI\b(?=['\s])")


def is_casual(handle: str) -> bool:
    """Tell whether somebody writes without capitals."""
    return crc32(handle.encode()) % 100 < 100 * _CASUAL


def casual(text: str) -> str:
    """Write as people do who do not care for capitals: names keep theirs."""
    small = stock().talk["capitals"]
    text = _FIRST.sub(lambda found: found[0].lower() if found[0] in small else found[0], text)
    return _SELF.sub("i", text)


def later(hours: int) -> str:
    """Print the time passed as a board does."""
    for unit, size in (("week", 168), ("day", 24), ("hour", 1)):
        if hours >= size:
            count = hours // size
            return f"{count} {unit}{'s' * (count > 1)} later"
    return "just now"


@dataclass
class _Posts:
    """Writes posts in order, never two in a row by one person."""

    rng: Random
    handles: list[str]
    style: str

    def __post_init__(self) -> None:
        self.posts = {who: self.rng.randint(2, 940) for who in self.handles}
        self.hours, self.count, self.last = 0, 1, self.handles[0]
        self.said: list[str] = []

    def write(self, who: str, text: str, to: str = "") -> None:
        """Write a post. What comes after whom it is `to` is written as it is elsewhere, as a page is quoted by that."""
        text = casual(to) + casual(text) if is_casual(who) else to + text
        self.hours += self.rng.randint(1, 30)
        self.count += 1
        self.last = who
        head = self.style.format(who=who, posts=self.posts[who], later=later(self.hours), n=self.count)
        self.said += [head, text]

    def other(self) -> str:
        return self.rng.choice([who for who in self.handles[1:] if who != self.last])


def _thread(form: PageForm, scene: PageScene, rounds: list[TalkRound]) -> str:
    """Write the thread. Whoever opened it asks on, and settles on something at the end."""
    rng, phrases = scene.rng, stock().talk
    handles = rng.sample(stock().names["handles"], rng.randint(5, 9))
    posts, asker = _Posts(rng, handles, rng.choice(phrases["posts"])), handles[0]
    opening = scene.say(form.openings)
    if rng.random() < _KNOWN:
        opening = f"{opening} {scene.known_since(form.voice)}".strip()
    first = f"{opening} {rounds[0].ask}"
    lines = [
        f"{asker}, {rng.choice(('first post', 'opening', 'asked this'))}:",
        casual(first) if is_casual(asker) else first,
    ]
    helped: dict[str, None] = {}
    for number, one in enumerate(rounds):
        if number:
            thanks = _named(rng, helped, phrases["to_one"], phrases["to_all"])
            posts.write(asker, f"{thanks} {rng.choice(phrases['next'])} {one.ask}")
        helped = {}
        for answer in one.answers:
            who, last = posts.other(), posts.last
            posts.write(who, answer, _to(rng, asker, last))
            helped[who] = None
    settled = _named(rng, helped, phrases["settled"], (*phrases["settled"], *phrases["between"]))
    posts.write(asker, f"{settled} {scene.say(form.closings)}")
    return "\n\n".join([*lines, *posts.said])


def _named(rng: Random, helped: Iterable[str], of_one: Sequence[str], of_two: Sequence[str]) -> str:
    """Whoever answered last, and none who did not."""
    a, *more = reversed(list(helped))
    return rng.choice(of_two if more else of_one).format(a=a, b=more[0] if more else "")


def _to(rng: Random, asker: str, last: str) -> str:
    name = rng.choice(stock().talk["to"])
    return "" if last == asker and "{last}" in name else name.format(asker=asker, last=last)


def _letters(form: PageForm, scene: PageScene, rounds: list[TalkRound]) -> str:
    """Write the letters: what the column asked, and who wrote."""
    rng, phrases = scene.rng, stock().talk
    signed, asked = rng.choice(phrases["signed"]), rng.choice(phrases["asked"])
    lines = [scene.say(form.openings)]
    for one in rounds:
        lines.append(asked.format(ask=one.ask))
        for answer in one.answers:
            lines += [
                rng.choice(phrases["greetings"]) + answer,
                signed.format(who=scene.fill("person"), town=scene.fill("town")),
            ]
    return "\n\n".join([*lines, scene.say(form.closings)])


Talk = Callable[[PageForm, PageScene, list[TalkRound]], str]
TALKS: dict[str, Talk] = {"thread": _thread, "letters": _letters}
