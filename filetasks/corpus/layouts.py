"""How pages are set: the same sections as an essay, a list, a table with remarks, steps, questions, a thread, a notice or letters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from drr.filetasks.corpus.scene import PageScene
from drr.filetasks.corpus.stock import PageForm, stock
from drr.filetasks.corpus.template import Template


@dataclass
class PageSection:
    """Lines about one topic; what belongs together is one line."""

    topic: str
    voice: str
    lines: list[str]

    def put(self, quote: str, rng: Random, before: str | None, after: str | None) -> None:
        """A statement between the lines, with what is said around it."""
        said = " ".join(part for part in (before, quote, after) if part)
        self.lines.insert(rng.randint(0, len(self.lines)), said)


Layout = Callable[[PageForm, PageScene, list[PageSection]], str]


def _essay(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    heading = _headings(scene)
    said = [
        *_byline(scene),
        _paragraph(form.openings, scene),
        *(part for one in sections for part in (heading(one.topic), *_paragraphs(one, scene))),
        _paragraph(form.closings, scene),
    ]
    return _joined(said)


def _list(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    heading, mark = _headings(scene), rng.choice(("-", "*", "- [ ]", "+"))
    said = [_paragraph(form.openings, scene)]
    for one in sections:
        bulleted = rng.random() < 0.75
        said.append(heading(one.topic))
        said += ["\n".join(f"{mark} {line}" for line in one.lines)] if bulleted else _paragraphs(one, scene)
    return _joined([*said, _paragraph(form.closings, scene)])


def _table(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    heading = _headings(scene)
    at = scene.rng.randint(0, 2)
    said = [_paragraph(form.openings, scene)]
    for number, one in enumerate(sections):
        if number == min(at, len(sections) - 1):
            said.append(_figures(scene))
        said += [heading(one.topic), *_paragraphs(one, scene)]
    return _joined([*said, _paragraph(form.closings, scene)])


_COLUMNS = (
    ("Product", "Listed at", "Stars"), ("Name", "Stars", "Ratings"), ("Candidate", "Ratings", "Listed at", "Stars"),
    ("Make", "Price seen", "Ratings"), ("What", "Stars of 5", "Asked"), ("Article", "Listed at"),
)  # fmt: skip


def _figures(scene: PageScene) -> str:
    """Of the companions: of what the page is about, nothing stands in a table."""
    rng = scene.rng
    head = rng.choice(_COLUMNS)
    rows = []
    for one in rng.sample(scene.companions, len(scene.companions)):
        price = "-" if one.price is None else f"${one.price:.2f}"
        stars = "-" if one.stars is None else f"{one.stars:.1f}"
        cells = {"Stars": stars, "Stars of 5": stars, "Ratings": str(one.ratings or "-")}
        rows.append([one.thing.name, *(cells.get(column, price) for column in head[1:])])
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(head), ["---"] * len(head), *rows])


def _steps(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    heading, word = _headings(scene), rng.choice(("", "Step ", "**", "No. "))
    said = [*_byline(scene), _paragraph(form.openings, scene)]
    number = 0
    for one in sections:
        said.append(heading(one.topic))
        numbered = rng.random() < 0.7
        for part in _paragraphs(one, scene):
            number += 1
            lead = {"": f"{number}. ", "**": f"**{number}** "}.get(word, f"{word}{number}: ")
            said.append(f"{lead}{part}" if numbered else part)
    return _joined([*said, _paragraph(form.closings, scene)])


def _questions(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    asks = rng.sample(form.asks, len(form.asks))
    style = rng.choice(("## {}", "**{}**", "Q: {}", "### {}", "> {}"))
    answer = "A: " if style.startswith("Q") else ""
    said = [_paragraph(form.openings, scene)]
    for number, one in enumerate(sections):
        asked = asks[number % len(asks)].say(rng, scene.fill)
        first, *rest = _paragraphs(one, scene)
        said += [style.format(asked), answer + first, *rest]
    return _joined([*said, _paragraph(form.closings, scene)])


_POSTS = (
    "**{who}** wrote:",
    "### {who}",
    "{who} ({n} posts):",
    "> {who}, {n} hours later",
    "**#{n}** {who}",
    "{who}:",
)


def _thread(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    handles = rng.sample(stock().names["handles"], 9)
    style = rng.choice(_POSTS)
    said = [f"{handles[0]}, {rng.choice(('first post', 'opening', 'asked this'))}:"]
    said.append(_paragraph(form.openings, scene))
    for one in sections:
        lines = list(one.lines)
        while lines:
            size = rng.randint(1, 3)
            post, lines = lines[:size], lines[size:]
            said += [style.format(who=rng.choice(handles), n=rng.randint(2, 940)), " ".join(post)]
    return _joined([*said, _paragraph(form.closings, scene)])


_LABELS = (
    "Who", "What", "Where", "When", "Why", "How", "Note", "Advice", "Background", "Contact", "Scope", "Action", "Remark", "Details",
)  # fmt: skip


def _notice(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    labels = rng.sample(_LABELS, len(_LABELS))
    style = rng.choice(("**{}.** {}", "{}: {}", "## {}\n\n{}", "**{}** - {}"))
    said = [_paragraph(form.openings, scene)]
    for number, one in enumerate(sections):
        first, *rest = _paragraphs(one, scene)
        said += [style.format(labels[number % len(labels)], first), *rest]
    return _joined([*said, _paragraph(form.closings, scene)])


_GREETINGS = ("", "Dear editors, ", "Hello, ", "To the page: ", "Good morning. ", "Sirs, ")
_SIGNED = ("{who}, {town}", "- {who}", "*{who}, {town}*", "Yours, {who}", "({who})", "{town}, {who}")


def _letters(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    signed = rng.choice(_SIGNED)
    said = [_paragraph(form.openings, scene)]
    for one in sections:
        first, *rest = _paragraphs(one, scene)
        said += [rng.choice(_GREETINGS) + first, *rest]
        if rng.random() < 0.8:
            said.append(signed.format(who=scene.fill("person"), town=scene.fill("town")))
    return _joined([*said, _paragraph(form.closings, scene)])


def _headings(scene: PageScene) -> Callable[[str], str]:
    """One way of setting headings for a page; some pages have few or none."""
    rng = scene.rng
    style = rng.choice(("## {}", "### {}", "**{}**", "{n}. {}", "# {}", "{}\n---", ""))
    count = 0

    def heading(topic: str) -> str:
        nonlocal count
        count += 1
        said = rng.choice(stock().headings[topic]).say(rng, scene.fill)
        return style.format(said, n=count)

    return heading


_BYLINES = (
    "By {who}", "*{who}, {town}*", "Written by {who} for {paper}", "{town}, {month}", "Text: {who}", "{paper} / {who}",
)  # fmt: skip


def _byline(scene: PageScene) -> list[str]:
    if scene.rng.random() < 0.4:
        return []
    words = {key: scene.fill(slot) for key, slot in (("who", "person"), ("town", "town"), ("paper", "paper"), ("month", "month"))}  # fmt: skip
    return [scene.rng.choice(_BYLINES).format(**words)]


def _paragraph(templates: tuple[Template, ...], scene: PageScene) -> str:
    return scene.rng.choice(templates).say(scene.rng, scene.fill)


def _paragraphs(section: PageSection, scene: PageScene) -> list[str]:
    """In one, or cut once."""
    lines = section.lines
    if len(lines) < 4 or scene.rng.random() < 0.5:
        return [" ".join(lines)]
    cut = scene.rng.randint(1, len(lines) - 1)
    return [" ".join(lines[:cut]), " ".join(lines[cut:])]


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part)


LAYOUTS: dict[str, Layout] = {
    "essay": _essay,
    "list": _list,
    "table": _table,
    "steps": _steps,
    "questions": _questions,
    "thread": _thread,
    "notice": _notice,
    "letters": _letters,
}
