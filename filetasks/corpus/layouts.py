"""How pages are set: the same sections as an essay, a list, a table with remarks, steps, questions, a thread, a notice or letters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from drr.filetasks.corpus.scene import PageScene
from drr.filetasks.corpus.stock import PageForm, stock
from drr.filetasks.corpus.template import Template


@dataclass(frozen=True)
class PageSection:
    """Paragraphs about one topic."""

    topic: str
    parts: tuple[str, ...]
    listed: bool = False
    """Short entries that are no running prose: a list wherever they stand."""


Layout = Callable[[PageForm, PageScene, list[PageSection]], str]


def _essay(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    heading, mark = _headings(scene), _mark(scene.rng)
    said = [*_byline(scene), _paragraph(form.openings, scene)]
    for one in sections:
        said += [heading(one.topic), *_set(one, mark)]
    return _joined([*said, _paragraph(form.closings, scene)])


def _list(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    heading, mark = _headings(scene), _mark(scene.rng)
    said = [_paragraph(form.openings, scene)]
    for one in sections:
        said += [heading(one.topic), _bullets(one.parts, mark)]
    return _joined([*said, _paragraph(form.closings, scene)])


def _table(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    heading, mark = _headings(scene), _mark(scene.rng)
    said = [_paragraph(form.openings, scene), _figures(scene)]
    for one in sections:
        said += [heading(one.topic), *_set(one, mark)]
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


_STEPS = ("## Step {n}: {said}", "**{n}. {said}**", "{n}) {said}", "### {n}. {said}", "Step {n} - {said}")


def _steps(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(_STEPS), _mark(rng)
    said = [*_byline(scene), _paragraph(form.openings, scene)]
    for number, one in enumerate(sections, start=1):
        title = rng.choice(stock().headings[one.topic]).say(rng, scene.fill)
        said += [style.format(n=number, said=title), *_set(one, mark)]
    return _joined([*said, _paragraph(form.closings, scene)])


def _questions(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(("## {}", "**{}**", "Q: {}", "### {}", "> {}")), _mark(rng)
    answer = "A: " if style.startswith("Q") else ""
    said = [_paragraph(form.openings, scene)]
    for one in sections:
        asked = rng.choice(stock().asks[one.topic]).say(rng, scene.fill)
        first, *rest = _set(one, mark)
        said += [style.format(asked), answer + first, *rest]
    return _joined([*said, _paragraph(form.closings, scene)])


_POSTS = (
    "**{who}** wrote:", "### {who}", "{who} ({posts} posts):", "> {who}, {hours} hours later", "**#{n}** {who}", "{who}:",
)  # fmt: skip


def _thread(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    """Posts in the order in which they were written, never two in a row by one person."""
    rng = scene.rng
    handles = rng.sample(stock().names["handles"], rng.randint(4, 9))
    posts = {who: rng.randint(2, 940) for who in handles}
    style, mark = rng.choice(_POSTS), _mark(rng)
    asker, hours, last = handles[0], 0, handles[0]
    said = [f"{asker}, {rng.choice(('first post', 'opening', 'asked this'))}:"]
    said.append(_paragraph(form.openings, scene))
    written: list[tuple[str, ...]] = [(part,) for one in sections if not one.listed for part in one.parts]
    for one in sections:
        if one.listed:
            written.insert(rng.randint(1, len(written)), one.parts)
    for number, parts in enumerate(written, start=2):
        hours += rng.randint(1, 30)
        apart = {last, asker} if number == len(written) + 1 else {last}
        last = rng.choice([who for who in handles if who not in apart])
        post = parts[0] if len(parts) == 1 else _bullets(parts, mark)
        said += [style.format(who=last, posts=posts[last], hours=hours, n=number), post]
    said.append(
        style.format(who=asker, posts=posts[asker], hours=hours + rng.randint(1, 90), n=len(written) + 2)
    )
    return _joined([*said, _paragraph(form.closings, scene)])


def _notice(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(("**{}.** {}", "{}: {}", "## {}\n\n{}", "**{}** - {}")), _mark(rng)
    said = [_paragraph(form.openings, scene)]
    for one in sections:
        title = rng.choice(stock().headings[one.topic]).say(rng, scene.fill)
        first, *rest = [_bullets(one.parts, mark)] if one.listed else one.parts
        said += [style.format(title, f"\n{first}" if one.listed else first), *rest]
    return _joined([*said, _paragraph(form.closings, scene)])


_GREETINGS = ("", "Dear editors, ", "Hello, ", "To the page: ", "Good morning. ", "Sirs, ")
_SIGNED = ("{who}, {town}", "- {who}", "*{who}, {town}*", "Yours, {who}", "({who})", "{town}, {who}")


def _letters(form: PageForm, scene: PageScene, sections: list[PageSection]) -> str:
    """Each section is somebody's letter."""
    rng = scene.rng
    signed, mark = rng.choice(_SIGNED), _mark(rng)
    greet = form.voice == "member"
    said = [_paragraph(form.openings, scene)]
    for one in sections:
        first, *rest = _set(one, mark)
        said += [(rng.choice(_GREETINGS) if greet and not one.listed else "") + first, *rest]
        if not one.listed:
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


def _mark(rng: Random) -> str:
    return rng.choice(("-", "*", "- [ ]", "+"))


def _bullets(parts: tuple[str, ...], mark: str) -> str:
    return "\n".join(f"{mark} {part}" for part in parts)


def _set(section: PageSection, mark: str) -> list[str]:
    return [_bullets(section.parts, mark)] if section.listed else list(section.parts)


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
