"""The annotation server: each annotator's page behind a token, the owner's view with progress and live agreement."""

from __future__ import annotations

from html import escape
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from drr.app.annotate.labels import Mark, notebooks
from drr.app.annotate.page import page
from drr.app.annotate.plan import AnnotationPlan
from drr.app.pages.icon import ICON
from drr.app.pages.serve import STATIC, body_within, guarded

if TYPE_CHECKING:
    from drr.eval.stats.intervals import V
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

LARGEST_MARK = 4096


def site(plan: AnnotationPlan, folder: Path, port: int) -> Starlette:
    from pydantic import ValidationError
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    books = notebooks(folder, plan)

    async def home(request: Request) -> Response:
        if request.state.token == plan.owner_token:
            return HTMLResponse(owner_page(plan, folder))
        annotator = plan.annotator(request.state.token)
        if annotator is None:
            return PlainTextResponse("no annotator has this token", 403)
        return HTMLResponse(page(plan, annotator, list(books[annotator.name].marks().values())))

    async def mark(request: Request) -> Response:
        annotator = plan.annotator(request.state.token)
        if annotator is None:
            return PlainTextResponse("only annotators may label", 403)
        if request.query_params.get("sheet") != annotator.sheet:
            return PlainTextResponse("this is another annotator's sheet", 409)
        try:
            made = Mark.model_validate_json(await body_within(request, LARGEST_MARK) or b"")
        except ValidationError:
            return PlainTextResponse("not a mark", 422)
        if not books[annotator.name].accepts(made):
            return PlainTextResponse("not one of your pairs", 422)
        books[annotator.name].add(made)
        return JSONResponse({"saved": True})

    application = Starlette(
        routes=[
            Route("/", home),
            Route("/mark", mark, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
    )
    tokens = {plan.owner_token, *(person.token for person in plan.annotators)}
    return guarded(application, lambda: tokens, port)


def _shown(value: V) -> str:
    if value.value is None:
        return "not defined yet"
    if value.ci_low is None or value.ci_high is None:
        return f"{value.value:.2f}"
    return f"{value.value:.2f} [{value.ci_low:.2f}, {value.ci_high:.2f}]"


def owner_page(plan: AnnotationPlan, folder: Path) -> str:
    """Progress of each annotator, and agreement so far."""
    from drr.app.annotate.agreement import live_agreement

    rows = ""
    for person, book in zip(plan.annotators, notebooks(folder, plan).values(), strict=True):
        marks = book.marks()
        done = sum(all((turn.pair, d) in marks for d in plan.asked(turn.pair)) for turn in person.turns)
        seconds = [mark.seconds for mark in marks.values() if mark.seconds is not None]
        cells = (
            f"{done} of {len(person.turns)}",
            f"{len(marks)} of {sum(len(plan.asked(turn.pair)) for turn in person.turns)}",
            f"{median(seconds):.0f}" if seconds else "–",
        )
        rows += f'<tr><th scope="row">{escape(person.name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
    kappas = "".join(
        f'<tr><th scope="row">{escape(dimension.replace("_", " "))}</th><td>{kappa.n}</td><td>{_shown(kappa)}</td></tr>'
        for dimension, kappa in live_agreement(plan, folder)
    )
    overlap = set.intersection(*({turn.pair for turn in person.turns} for person in plan.annotators))
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Annotation: owner</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{ICON}<link rel="stylesheet" href="static/look.css"><link rel="stylesheet" href="static/annotate.css"><script src="static/reload.js" defer></script></head>
<body><header><h1>Annotation: owner</h1></header><main><div class="wide" tabindex="0">
<p>{len(plan.pairs)} pairs, {len(overlap)} of them seen by everybody. This page looks again every 15 seconds.</p>
<h2>Progress</h2>
<table><thead><tr><th scope="col">annotator</th><th scope="col">pairs finished</th><th scope="col">labels</th><th scope="col">median seconds a label</th></tr></thead><tbody>{rows}</tbody></table>
<h2>Agreement so far</h2><p>Cohen's kappa with its 95 % interval, ties kept; both bad counts as a tie.</p>
<table><thead><tr><th scope="col">dimension</th><th scope="col">pairs labelled by two</th><th scope="col">kappa</th></tr></thead><tbody>{kappas}</tbody></table>
</div></main></body></html>"""
