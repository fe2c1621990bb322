"""Serves annotation: annotators' pages behind tokens, the owner's page with current agreement, and the plan's own port."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from random import SystemRandom
from statistics import median
from typing import TYPE_CHECKING

from drr.app.annotate.annotation_plan import AnnotationPlan, Annotator, BlindPair, save
from drr.app.annotate.labels import Mark, notebooks
from drr.app.annotate.page import page, templates
from drr.app.pages.frame import ICON
from drr.app.pages.serve import STATIC, bind, body_within, guarded
from drr.env.errors import DrrError
from drr.eval.stats.question import grouped
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from socket import socket

    from drr.eval.stats.intervals import Statistic
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response


OWN_PORTS = range(20_000, 32_768)
"""Ports to draw from, below the range for outgoing connections, so that a port is free again at the next start."""
TRIES = 20


def own_listener(plan: AnnotationPlan, folder: Path, asked: int) -> tuple[socket, str | None]:
    """Return a socket at the plan's port, and a warning where the port is another than before. The first call draws and saves the port.

    `asked` 0 is the plan's own port.
    """
    if plan.port is None:
        listener = bind(asked) if asked else _bind_free_port()
        plan.port = listener.getsockname()[1]
        save(plan, folder)
        return listener, None
    if asked in (0, plan.port):
        try:
            return bind(plan.port), None
        except DrrError:
            listener = _bind_free_port()
            return (
                listener,
                f"port {plan.port} of this plan is taken (is it being served already?). {_waits(plan.port)}",
            )
    return bind(asked), f"the port of this plan is {plan.port}. {_waits(plan.port)}"


def _waits(port: int) -> str:
    return (
        f"Labels that a browser could not send wait in it under http://127.0.0.1:{port}/ and are sent when the plan is"
        " served there again; an open page offers them as a file for --import"
    )


def _bind_free_port() -> socket:
    draw = SystemRandom()
    for _ in range(TRIES):
        try:
            return bind(draw.choice(OWN_PORTS))
        except DrrError:
            continue
    return bind(0)


CLASSES = ("A", "B", "tie")
Labels = Mapping[tuple[str, str], str]
"""Labels of one person, by pair id and dimension."""
Marks = Mapping[tuple[str, str], Mark]


def live_agreement(plan: AnnotationPlan, folder: Path) -> list[tuple[str, Statistic]]:
    """Return Cohen's kappa per dimension over the pairs that two annotators both labelled; `both_bad` counts as a tie.

    With more than two annotators all couples are pooled, clustered by the question's text: one task at several sizes is one cluster.
    """
    from drr.eval.stats.agreement import cohen_kappa

    labels = _labels(plan, folder)
    query_of = {pair.label_id: pair.query for pair in plan.pairs}
    both = grouped(
        (key[1], (a[key], b[key], query_of[key[0]]))
        for a, b in combinations(labels.values(), 2)
        for key in sorted(a.keys() & b.keys())
    )
    columns = {
        one: [[row[column] for row in both.get(one, ())] for column in range(3)] for one in plan.dimensions
    }
    return [
        (dimension, cohen_kappa(one, other, clusters=asked, categories=CLASSES))
        for dimension, (one, other, asked) in columns.items()
    ]


def _labels(plan: AnnotationPlan, folder: Path) -> Mapping[str, Labels]:
    """Return each person's labels by label id and dimension, reduced to A, B and tie."""
    return {
        name: {
            (row["id"], row["dimension"]): "tie" if row["label"] == "both_bad" else str(row["label"])
            for row in book.labels()
        }
        for name, book in notebooks(folder, plan).items()
    }


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


def _agreement_text(value: Statistic) -> str:
    if value.value is None:
        return "–"
    if value.ci_low is None or value.ci_high is None:
        return f"{value.value:.2f}"
    return f"{value.value:.2f} [{value.ci_low:.2f}, {value.ci_high:.2f}]"


BEYOND, EARLY, ALWAYS = "more than chance", "too early to tell", "agreed each time so far"
ONE_CHOICE = "one choice throughout, as chance would"


def _meaning(value: Statistic) -> str:
    """Return a phrase on what a kappa shows so far, by its interval."""
    if value.value is None and value.n:
        return ONE_CHOICE
    if value.value == 1.0 and value.ci_low is None:
        return ALWAYS
    if value.value is None or value.ci_low is None:
        return EARLY
    return BEYOND if value.ci_low > 0 else "could be chance"


def owner_page(plan: AnnotationPlan, folder: Path) -> str:
    """Return the owner's page with each annotator's progress on each pair and the agreement so far. Only the owner may see the page, as annotators judge blind."""
    marks = {name: book.marks() for name, book in notebooks(folder, plan).items()}
    labels = _labels(plan, folder)
    found = live_agreement(plan, folder)
    meanings = Counter(_meaning(kappa) for _, kappa in found)
    return (
        templates()
        .get_template("owner.html")
        .render(
            icon=ICON,
            made=sum(map(len, marks.values())),
            whole=sum(len(plan.asked(turn.pair)) for person in plan.annotators for turn in person.turns),
            agreed=", ".join(f"{one} on {many(count, 'dimension')}" for one, count in meanings.most_common()),
            people=[_person(plan, who, marks[who.name]) for who in plan.annotators],
            pairs=[_pair_row(plan, pair, marks, labels.values()) for pair in plan.pairs],
            agreement=[
                {
                    "dimension": dimension,
                    "n": kappa.n,
                    "kappa": _agreement_text(kappa),
                    "meaning": _meaning(kappa).replace(EARLY, "–"),
                }
                for dimension, kappa in found
            ],
        )
    )


def _person(plan: AnnotationPlan, who: Annotator, marks: Marks) -> Mapping[str, str | int]:
    done = sum(all((turn.pair, one) in marks for one in plan.asked(turn.pair)) for turn in who.turns)
    seconds = [mark.seconds for mark in marks.values() if mark.seconds is not None]
    return {"name": who.name, "turns": len(who.turns), "done": done, "median": round(median(seconds or [0]))}


def _pair_row(
    plan: AnnotationPlan, pair: BlindPair, marks: Mapping[str, Marks], labels: Iterable[Labels]
) -> Mapping[str, object]:
    asked, cells = plan.asked(pair.id), list[tuple[str, int | None, str]]()
    for person in plan.annotators:
        made = sum((pair.id, one) in marks[person.name] for one in asked)
        if any(turn.pair == pair.id for turn in person.turns):
            share = f"{made} of {len(asked)}" if made else "to do"
            cells.append((person.name, 9 * made // len(asked), share))
        else:
            cells.append((person.name, None, "not asked"))
    chosen = [[own[key] for own in labels if (key := (pair.label_id, one)) in own] for one in asked]
    both = [own for own in chosen if len(own) > 1]
    alike = f"{sum(len(set(own)) == 1 for own in both)} of {len(both)}" if both else "not yet two"
    systems = " and ".join(filter(None, (pair.system_a, pair.system_b)))
    return {"query": pair.query, "systems": systems, "cells": cells, "alike": alike}
