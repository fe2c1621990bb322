"""Draws the pages of a report's folder: its tables and figures, and the answers behind them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from drr.app.pages.frame import Frame, FramePlace
from drr.app.report.behind import FOLDER, pages_of, sections_behind
from drr.app.report.headline import facts, leads, unscored
from drr.app.report.ink import DARK, FORMS, LIGHT
from drr.app.report.material import Material
from drr.app.report.sections import section
from drr.app.report.tables import Table
from drr.app.viewer.templating import templates

REPORT = "index.html"
_JUDGES = "What judges said"
_NOTES = (
    "Answer by answer, pair by pair: what was judged, and what each of two judges said. The report shows shares and statistics of these.",
    "Each trial of each question; the report shows the mean over questions.",
    "The questions that both answered, each by the mean of its trials; the report shows the mean difference over questions.",
)
"""By how many systems a page is of."""


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
    """Of one system, of two and what the first is above the second, or of the judges."""
    title = " minus ".join(systems) or _JUDGES
    pages = [
        (" minus ".join(own) or _JUDGES, own == systems, page.removeprefix(f"{FOLDER}/"))
        for own, page in pages_of(material, tables).items()
    ]
    return (
        templates()
        .get_template("answers.html")
        .render(
            root="../",
            banner=material.banner,
            title=title if len(systems) != 1 else f"Answers of {title}",
            note=_NOTES[len(systems)],
            linked="both reports side by side" if len(systems) > 1 else "its report",
            pages=pages,
            parts=list(sections_behind(material, systems, tables)),
            viewer=material.viewer,
            **_frame(material).values("report"),
        )
    )


def _frame(material: Material) -> Frame:
    places = [FramePlace("report", REPORT, "Report")]
    if material.viewer is not None:
        places.append(FramePlace("viewer", f"{material.viewer}/index.html", "Answers"))
    judge = material.document["judge"]
    judged_by = f"judged by {judge['name']}" if judge else "not judged yet"
    return Frame(material.study.folder.resolve().name, False, places, lambda: judged_by, scripts=())


def _picture(file: str, title: str) -> str:
    names = [f"{file}{scheme.ending}.{form}" for scheme in (LIGHT, DARK) for form in FORMS]
    links = " ".join(f'<a href="figures/{name}">{name.removeprefix(file).strip(".-")}</a>' for name in names)
    return (
        f'<figure id="figure-{file}" class="scroll" tabindex="0" role="region" aria-label="{escape(title)}, figure">'
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="figures/{file}{DARK.ending}.svg">'
        f'<img src="figures/{file}.svg" alt="{escape(title)}"></picture><figcaption>{escape(title)} {links}</figcaption></figure>'
    )
