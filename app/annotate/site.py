"""The annotation server: each annotator's page behind a token, the owner's view with progress and live agreement."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from app.annotate.labels import Mark, notebooks
from app.annotate.page import page
from app.annotate.plan import Plan
from app.pages.serve import STATIC, guarded

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from eval.stats import V

LARGEST_MARK = 4096


def site(plan: Plan, folder: Path, port: int) -> Starlette:
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
        body = await request.body()
        try:
            made = Mark.model_validate_json(body[: LARGEST_MARK + 1])
        except ValidationError:
            return PlainTextResponse("not a mark", 422)
        if len(body) > LARGEST_MARK or not books[annotator.name].accepts(made):
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


def owner_page(plan: Plan, folder: Path) -> str:
    """Progress of each annotator, and agreement so far."""
    from app.annotate.agreement import live_agreement

    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{len(book.marks())}</td><td>{len(turns) * len(plan.dimensions)}</td></tr>"
        for name, book, turns in (
            (person.name, books, person.turns)
            for person, books in zip(plan.annotators, notebooks(folder, plan).values(), strict=True)
        )
    )
    kappas = "".join(
        f"<tr><td>{escape(dimension)}</td><td>{kappa.n}</td><td>{_shown(kappa)}</td></tr>"
        for dimension, kappa in live_agreement(plan, folder)
    )
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Annotation: owner</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="static/annotate.css"><script src="static/reload.js" defer></script></head><body><main><section class="answer wide"><h2>Progress</h2>
<table><thead><tr><th>annotator</th><th>labels</th><th>of</th></tr></thead><tbody>{rows}</tbody></table></section>
<section class="answer wide"><h2>Agreement so far (Cohen's kappa, ties kept)</h2>
<table><thead><tr><th>dimension</th><th>n</th><th>kappa</th></tr></thead><tbody>{kappas}</tbody></table></section></main></body></html>"""
