"""The layouts of pages. The same sections are set as an essay, a list, a table with remarks, steps,
questions, a notice or items of a column."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from drr.papers.dr3.corpus.scene import PageScene
from drr.papers.dr3.corpus.sections import PageFrame, PageSection
from drr.papers.dr3.corpus.stock import PageForm, stock

Layout = Callable[[PageForm, PageScene, PageFrame, list[PageSection]], str]


def _essay(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    heading, mark = _headings(scene), _mark(scene.rng)
    said = [*_byline(scene), frame.opening]
    for one in sections:
        said += [heading(one.topic), *_set(one, mark)]
    return _joined([*said, frame.closing])


def _list(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    heading, mark = _headings(scene), _mark(scene.rng)
    said = [frame.opening]
    for one in sections:
        said += [heading(one.topic), _bullets(one.parts, mark)]
    return _joined([*said, frame.closing])


def _table(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    heading, mark = _headings(scene), _mark(scene.rng)
    said = [frame.opening, _figures(scene)]
    for one in sections:
        said += [heading(one.topic), *_set(one, mark)]
    return _joined([*said, frame.closing])


_COLUMNS = (
    ("Product", "Listed at", "Stars"), ("Name", "Stars", "Ratings"), ("Candidate", "Ratings", "Listed at", "Stars"),
    ("Make", "Price seen", "Ratings"), ("What", "Stars of 5", "Asked"), ("Article", "Listed at"),
)  # fmt: skip


def _figures(scene: PageScene) -> str:
    """Make the table of the companions' figures. Nothing of what the page is about stands in a table."""
    rng = scene.rng
    head = rng.choice(_COLUMNS)
    rows = []
    shown = scene.companions[: scene.peers] if scene.compares else scene.companions
    for one in rng.sample(shown, len(shown)):
        price = "-" if one.price is None else f"${one.price:.2f}"
        stars = "-" if one.stars is None else f"{one.stars:.1f}"
        cells = {"Stars": stars, "Stars of 5": stars, "Ratings": str(one.ratings or "-")}
        rows.append([one.thing.name, *(cells.get(column, price) for column in head[1:])])
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(head), ["---"] * len(head), *rows])


_STEPS = ("## Step {n}: {said}", "**{n}. {said}**", "{n}) {said}", "### {n}. {said}", "Step {n} - {said}")


def _steps(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(_STEPS), _mark(rng)
    said = [*_byline(scene), frame.opening]
    for number, one in enumerate(sections, start=1):
        title = scene.say(stock().headings[one.topic])
        said += [style.format(n=number, said=title), *_set(one, mark)]
    return _joined([*said, frame.closing])


def _questions(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(("## {}", "**{}**", "Q: {}", "### {}", "> {}")), _mark(rng)
    answer = "A: " if style.startswith("Q") else ""
    said = [frame.opening]
    for one in sections:
        asked = one.ask or scene.say(stock().asks[one.topic])
        first, *rest = _set(one, mark)
        said += [style.format(asked), first if first.startswith("|") else answer + first, *rest]
    return _joined([*said, frame.closing])


def _notice(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    rng = scene.rng
    style, mark = rng.choice(("**{}.** {}", "{}: {}", "## {}\n\n{}", "**{}** - {}")), _mark(rng)
    said = [frame.opening]
    for one in sections:
        title = scene.say(stock().headings[one.topic])
        first, *rest = [_bullets(one.parts, mark)] if one.listed else one.parts
        if one.listed or first.startswith("|"):
            said += [style.format(title, "").rstrip(" -\n"), first, *rest]
        else:
            said += [style.format(title, first), *rest]
    return _joined([*said, frame.closing])


def _items(form: PageForm, scene: PageScene, frame: PageFrame, sections: list[PageSection]) -> str:
    """Short items of a column, with a line between what belongs together."""
    mark, line = _mark(scene.rng), scene.rng.choice(("* * *", "---", "+"))
    said = [frame.opening]
    for one in sections:
        said += [line, *_set(one, mark)]
    return _joined([*said, line, frame.closing])


def _headings(scene: PageScene) -> Callable[[str], str]:
    """One way of setting headings for a page."""
    rng = scene.rng
    style = rng.choice(("## {}", "### {}", "**{}**", "{n}. {}", "# {}", "{}\n---"))
    count = 0

    def heading(topic: str) -> str:
        nonlocal count
        count += 1
        said = scene.say(stock().headings[topic])
        return style.format(said, n=count)

    return heading


_BYLINES = (
    "By {who}", "*{who}, {town}*", "Written by {who} for {paper}", "From {town}", "Text: {who}", "{paper} / {who}",
)  # fmt: skip


def _byline(scene: PageScene) -> list[str]:
    if scene.rng.random() < 0.4:
        return []
    words = {key: scene.fill(slot) for key, slot in (("who", "writer"), ("town", "town"), ("paper", "paper"))}  # fmt: skip
    return [scene.rng.choice(_BYLINES).format(**words)]


def _mark(rng: Random) -> str:
    return rng.choice(("-", "*", "- [ ]", "+"))


def _bullets(parts: tuple[str, ...], mark: str) -> str:
    """A table among them stands by itself."""
    said = ""
    for part in parts:
        is_table = part.startswith("|")
        said += ("\n\n" if is_table or said.endswith("|") else "\n") * bool(said)
        said += part if is_table else f"{mark} {part}"
    return said


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
    "notice": _notice,
    "letters": _items,
}
