"""Draws the viewer's pages; the same for the server and for a folder of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.app.viewer.highlight import LinkTag, Stretch, marked_html, marked_text
from drr.app.viewer.model import ReportView, ShownEntry, ShownOutcome, ShownVerdict, SourceView
from drr.citations.parse import canonical_url, parse
from drr.eval.labels import DIMENSIONS

if TYPE_CHECKING:
    from drr.eval.tasks.judged import Judging
    from jinja2 import Environment
    from markupsafe import Markup

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'"
SHOWN_PASSAGES = 3


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).parent / "templates"
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )


class Pages:
    """One study's pages. `served` pages look for news; the others carry their policy themselves."""

    def __init__(self, study: str, *, served: bool) -> None:
        self._common: dict[str, Any] = {"study": study, "served": served, "policy": POLICY}

    def _draw(self, name: str, root: str, *, banner: str | None, **values: Any) -> str:
        template = _templates().get_template(name)
        return template.render(root=root, banner=banner, **self._common, **values)

    def index(self, entries: Sequence[ShownEntry], judging: Judging | None, to_come: int) -> str:
        columns = sorted({entry.variant for entry in entries})
        by_query: dict[str, dict[str, list[ShownEntry]]] = {}
        questions: dict[str, str] = {}
        for entry in entries:
            by_query.setdefault(entry.query_id, {}).setdefault(entry.variant, []).append(entry)
            questions[entry.query_id] = entry.query
        rows = [
            {
                "id": query,
                "query": questions[query],
                "cells": [cells.get(name, []) for name in columns],
                "any": any(entry.status == "done" for cell in cells.values() for entry in cell),
            }
            for query, cells in by_query.items()
        ]
        failures = Counter(entry.reason or entry.status for entry in entries if entry.status != "done")
        done = sum(entry.status == "done" for entry in entries)
        return self._draw(
            "index.html",
            "",
            banner=_banner(
                any(entry.rule_written for entry in entries), bool(judging and judging.rule_written)
            ),
            judge=judging.judge if judging else None,
            to_come=to_come,
            measures=["FP", *(name.replace("_", " ") for name in DIMENSIONS)],
            measured=any(entry.scores for entry in entries),
            verdicts=sorted({verdict for entry in entries for verdict in entry.verdicts}),
            types=sorted({source_type for entry in entries for source_type in entry.types}),
            columns=columns,
            rows=rows,
            failures=dict(failures.most_common()),
            done=done,
            total=len(entries),
        )

    def query(self, reports: Sequence[ReportView], outcomes: Sequence[ShownOutcome]) -> str:
        first = reports[0]
        rated = [name for name in DIMENSIONS if any(q.dimension == name for r in reports for q in r.ratings)]
        grades = {
            report.entry.key: {rating.dimension: rating.rating for rating in report.ratings}
            for report in reports
        }
        by_pair: dict[tuple[str, str, int], dict[str, str]] = {}
        for outcome in outcomes:
            by_pair.setdefault((outcome.a, outcome.b, outcome.trial), {})[outcome.dimension] = outcome.winner
        shown = [{"entry": report.entry, "html": _safe(report)} for report in reports]
        return self._draw(
            "query.html",
            "../",
            banner=_banner(
                any(report.entry.rule_written for report in reports),
                any(report.judged_by_rules for report in reports),
            ),
            query=first.entry.query,
            profile=first.profile,
            missing_shop=first.missing_shop,
            reports=shown,
            rated=rated,
            grades=grades,
            compared=[name for name in DIMENSIONS if any(name in found for found in by_pair.values())],
            pairs=by_pair,
            judge=first.judged_by,
        )

    def report(self, report: ReportView) -> str:
        sources = {canonical_url(source.url): source for source in reversed(report.sources)}

        def source_of(url: str) -> SourceView | None:
            return sources.get(canonical_url(url))

        numbers = _numbers(report)
        claimed = {found.number for claim in report.claims for url in claim.urls if (found := source_of(url))}
        cited = claimed | {source.number for source in report.sources if canonical_url(source.url) in numbers}

        def named(source: SourceView) -> str:
            """As the report itself numbers it."""
            own = numbers.get(canonical_url(source.url))
            return f"[{own}]" if own else "not cited" if source.number not in cited else "cited"

        counts = Counter(claim.status for claim in report.claims)
        return self._draw(
            "report.html",
            "../",
            banner=_banner(report.entry.rule_written, report.judged_by_rules),
            r=report,
            named=named,
            dimensions=list(dict.fromkeys(rating.dimension for rating in report.ratings)),
            html=_safe(report),
            source_of=source_of,
            cited=cited,
            passages=_passages,
            verdict_counts=counts.most_common(),
            types=sorted({verdict.source_type for claim in report.claims for verdict in claim.verdicts}),
            slowest=max((call.seconds or 0.0 for call in report.calls), default=1.0) or 1.0,
        )

    def page(self, sha: str, text: str) -> str:
        return self._draw("page.html", "../", banner=None, sha=sha, text=text)


def _banner(written: bool, judged: bool) -> str | None:
    if not (written or judged):
        return None
    what = "Written and judged" if written and judged else "Written" if written else "Judged"
    return f"{what} by rules, not by an LLM: a demonstration of the bench, not a result."


def _numbers(report: ReportView) -> dict[str, str]:
    """Canonical address to the number that the report gives it; a link or a bare address has none."""
    found: dict[str, str] = {}
    for marker in parse(report.report).markers:
        if marker.url is not None:
            found.setdefault(
                marker.url, marker.id if len(marker.id) <= 8 and "://" not in marker.id else "link"
            )
    return found


def _safe(report: ReportView) -> Markup:
    from markupsafe import Markup

    spans = [Stretch(claim.start, claim.end, claim.id, claim.status) for claim in report.claims]
    return Markup(marked_html(report.report, spans, _links(report)))


def _links(report: ReportView) -> list[LinkTag]:
    """Each marker that leads to a source of this run leads to where the source stands on the page."""
    places = {canonical_url(source.url): f"source-{source.number}" for source in reversed(report.sources)}
    return [
        LinkTag(marker.start, marker.end, places[marker.url])
        for marker in (parse(report.report).markers if places else ())
        if marker.url in places
    ]


def _passages(verdict: ShownVerdict) -> list[Markup]:
    from markupsafe import Markup

    return [Markup(marked_text(passage.text, passage.spans)) for passage in verdict.passages[:SHOWN_PASSAGES]]
