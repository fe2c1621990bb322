"""Draws the pages of a report's folder: its tables and figures, and the answers behind them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from drr.app.pages.frame import Frame, FramePlace
from drr.app.report.behind import FOLDER, behind, key_of, pages_of
from drr.app.report.headline import facts, leads, unscored
from drr.app.report.ink import DARK, LIGHT
from drr.app.report.material import Material
from drr.app.report.pair_behind import pair_behind
from drr.app.report.sections import section
from drr.app.report.tables import Table
from drr.app.viewer.render import templates
from drr.env.files import file_name
from drr.eval.evidence.answers import Answer

REPORT = "index.html"


def index_page(material: Material, tables: Sequence[Table], figures: Sequence[tuple[str, str]]) -> str:
    """`figures`: file name without ending, and title. One that has the name of a table stands under it."""
    from markupsafe import Markup

    drawn = dict(figures)
    answers = pages_of(material, tables)
    sections = "".join(
        section(table, answers) + (_picture(table.name, drawn.pop(table.name)) if table.name in drawn else "")
        for table in tables
    )
    sections += "".join(_picture(file, title) for file, title in drawn.items())
    return (
        templates()
        .get_template("summary.html")
        .render(
            root="",
            banner=material.banner,
            contents=[(table.name, table.title) for table in tables],
            pictures=list(drawn.items()),
            invalid=material.document["coverage"]["invalid_because"],
            leads=list(leads(material)),
            facts=facts(material),
            unscored=unscored(material),
            sections=Markup(sections),  # noqa: S704  (every piece is escaped where it is drawn)
            **_frame(material).values("report"),
        )
    )


def answers_page(material: Material, systems: tuple[str, ...], tables: Sequence[Table]) -> str:
    """Of one system, or of two and what the first is above the second."""
    viewer = material.viewer
    beside = "" if viewer is None or "://" in viewer else "../"
    at = f"{beside}{viewer}"
    if len(systems) == 1:
        link = f"{at}/r/{{}}.html"
        parts = behind(
            material, systems[0], tables, lambda one: "" if viewer is None else link.format(key_of(one))
        )
        title = f"Answers of {systems[0]}"
    else:
        a, b = systems
        parts = pair_behind(
            material,
            (a, b),
            tables,
            lambda one, two: "" if viewer is None else f"{at}/{_side_by_side(one, two)}",
        )
        title = f"{a} minus {b}"
    pages = [
        (" minus ".join(own), own == systems, page.removeprefix(f"{FOLDER}/"))
        for own, page in pages_of(material, tables).items()
    ]
    return (
        templates()
        .get_template("answers.html")
        .render(
            root="../",
            banner=material.banner,
            title=title,
            paired=len(systems) > 1,
            pages=pages,
            parts=list(parts),
            viewer=viewer,
            **_frame(material).values("report"),
        )
    )


def _side_by_side(one: Answer, two: Answer) -> str:
    return f"q/{file_name(one.query_id)}.html?left={key_of(one)}&right={key_of(two)}"


def _frame(material: Material) -> Frame:
    places = [FramePlace("report", REPORT, "Report")]
    if material.viewer is not None:
        places.append(FramePlace("viewer", f"{material.viewer}/index.html", "Answers"))
    judge = material.document["judge"]
    told = f"judged by {judge['name']}" if judge else "not judged yet"
    return Frame(material.study.folder.resolve().name, False, places, lambda: told, scripts=())


def _picture(file: str, title: str) -> str:
    names = [
        *(f"{file}.{form}" for form in LIGHT.forms),
        *(f"{file}{DARK.ending}.{form}" for form in DARK.forms),
    ]
    links = " ".join(f'<a href="figures/{name}">{name.removeprefix(file).strip(".-")}</a>' for name in names)
    return (
        f'<figure id="figure-{file}" class="scroll" tabindex="0" role="region" aria-label="{escape(title)}, figure">'
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="figures/{file}{DARK.ending}.svg">'
        f'<img src="figures/{file}.svg" alt="{escape(title)}"></picture><figcaption>{escape(title)} {links}</figcaption></figure>'
    )
