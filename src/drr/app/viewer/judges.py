"""Compares judges and answers: each judge's verdicts on an answer, and the agreement of judges over a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from drr.app.report.failing import Span
from drr.app.viewer.model import ProductCard, ReportView
from drr.citations.parse import canonical_url
from drr.env.files import file_name
from drr.eval.checks.results import place_as_written
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics.reliability import named_in
from drr.eval.stats.faithfulness import JudgedClaim
from drr.eval.tasks.judgements import Verdict
from drr.wording.dates import dates, days_of_year
from drr.wording.excerpt import excerpt
from drr.wording.money import amounts

SAME_CLAIM = 0.5
"""Least overlap, as a share of the shorter stretch of text, for two claims to count as the same."""


def verdicts_beside(report: ReportView) -> Mapping[str, Sequence[tuple[str, str | None]]]:
    """Return each other judge's verdict on each claim, by claim id; `None` where that judge found no such claim."""
    found: dict[str, list[tuple[str, str | None]]] = {claim.id: [] for claim in report.verdicts.claims}
    for other in report.others:
        same = _same_claims(report.verdicts.claims, other.claims)
        for name, own in found.items():
            own.append((other.judge or "", same[name].status if name in same else None))
    return found


def ratings_beside(report: ReportView) -> list[tuple[str, str | None, Verdict[int]]]:
    """Return dimension, judge and rating of all judges, by dimension."""
    every = [
        (name, one.judge, v) for one in (report.verdicts, *report.others) for name, v in one.ratings.items()
    ]
    dimensions = list(dict.fromkeys(dimension for dimension, *_ in every))
    return sorted(every, key=lambda row: dimensions.index(row[0]))


def _same_claims(claims: Sequence[JudgedClaim], others: Sequence[JudgedClaim]) -> dict[str, JudgedClaim]:
    """Map each claim's id to the second judge's claim at the same place of the report, if any."""
    found: dict[str, JudgedClaim] = {}
    for claim in claims:
        best = max(others, key=lambda one: _shared_share(claim, one), default=None)
        if best is not None and _shared_share(claim, best) >= SAME_CLAIM:
            found[claim.id] = best
    return found


def _shared_share(one: JudgedClaim, other: JudgedClaim) -> float:
    overlap = min(one.end, other.end) - max(one.start, other.start)
    return overlap / max(min(one.end - one.start, other.end - other.start), 1)


@dataclass(frozen=True)
class ShownSide:
    """An answer with one judge's verdicts, for one side of a comparison; `name` is the name in the page's address."""

    name: str
    label: str
    report: ReportView
    own_page: bool
    """True where the answer's own page shows these verdicts."""


def sides_of(reports: Sequence[ReportView]) -> list[ShownSide]:
    """Return the sides to choose from: every answer with the shown judge, then with each other judge."""
    sides, others = list[ShownSide](), list[ShownSide]()
    for report in reports:
        answer = f"{report.entry.variant}, trial {report.entry.trial}"
        judge = f", judged by {report.verdicts.judge}" if report.others else ""
        sides.append(ShownSide(report.entry.key, f"{answer}{judge}", report, True))
        for other in report.others:
            name, view = side_name(report, other.judge), replace(report, verdicts=other)
            others.append(ShownSide(name, f"{answer}, judged by {other.judge}", view, False))
    return sides + others


def opening_sides(sides: Sequence[ShownSide]) -> tuple[str, str]:
    """Return the names of the sides to open: the best answer, and the worst of another system, if any."""

    def quality(side: ShownSide) -> tuple[float, int]:
        entry = side.report.entry
        return entry.scores.get("fp") or 0.0, -len(entry.errors)

    own = [side for side in sides if side.own_page]
    best = max(own, key=quality)
    rest = [side for side in own if side is not best] or list(sides[1:]) or own
    apart = [side for side in rest if side.report.entry.variant != best.report.entry.variant]
    return best.name, min(apart or rest[:1], key=quality).name


class ShownFact(NamedTuple):
    """A fact about a report; facts with the same key on both sides are no difference."""

    key: str
    text: str
    link: str = ""
    kind: str = ""
    span: Span | None = None
    """The place in the report that states the fact."""


STATED = "at-"
"""Beginning of the HTML id of a stated fact's place in a report."""


def facts_beside(sides: Sequence[ShownSide]) -> list[tuple[str, list[list[ShownFact]]]]:
    """Return rows of topic and each side's facts on the topic. A topic without facts on any side is left out, and the dates where a side writes a day without its year."""
    named = [named_in(answers[0]) if (answers := side.report.judged.answers) else {} for side in sides]
    totals = frozenset[str]().union(*(one.get("totals", ()) for one in named))
    facts = [
        _facts(side, _stated(side, one.get("picks", frozenset()), totals))
        for side, one in zip(sides, named, strict=True)
    ]
    bodies = [side.report.currency.read(side.report.citations.body)[0] for side in sides]
    unsure = {"dates"} if any(any(days_of_year(body, 0, len(body))) for body in bodies) else set[str]()
    return [
        (head, own) for head in facts[0] if head not in unsure and any(own := [one[head] for one in facts])
    ]


def _stated(side: ShownSide, picks: frozenset[str], totals: frozenset[str]) -> Mapping[str, list[ShownFact]]:
    """Return the products of a report, and its prices, totals and days, by the readers that rules use."""
    report, currency = side.report, side.report.currency
    body, stood = currency.read(report.citations.body)
    money = {f"{one.value:.2f}": (one.start, one.end) for one in reversed(amounts(body))}
    days = {
        f"{one.year}-{one.month:02}-{one.day:02}": (one.start, one.end)
        for one in reversed([*dates(body, 0, len(body))])
        if one.month is not None and one.day is not None
    }
    wrong = [
        (f"{one.name}-{number}", span) for one in report.findings for number, span in enumerate(one.spans, 1)
    ]

    def figure(key: str, text: str, span: Span) -> ShownFact:
        place = span if stood is None else place_as_written(span, stood)
        for name, (low, high) in wrong:
            if low < place[1] and place[0] < high:
                return ShownFact(key, text, f"#{side.name}-{name}", "none")
        return ShownFact(key, text, f"#{side.name}-{STATED}{place[0]}", "figure", place)

    stated = [(key, figure(key, currency.text(float(key)), span)) for key, span in reversed(money.items())]
    return {
        "picks, or products cited": [
            ShownFact(one.url, excerpt(one.title, 44) + _price(one, report))
            for one in report.products
            if one.url.rpartition("/")[2] in picks
        ],
        "prices": [fact for key, fact in stated if key not in totals],
        "totals": [fact for key, fact in stated if key in totals],
        "dates": [figure(key, key, span) for key, span in reversed(days.items())],
    }


def _price(card: ProductCard, report: ReportView) -> str:
    return "" if card.price is None else f" · {report.currency.text(card.price)}"


def _facts(side: ShownSide, stated: Mapping[str, list[ShownFact]]) -> Mapping[str, list[ShownFact]]:
    """Return all facts about a side by topic: what decides first, then what it states, then its grades."""
    report, entry = side.report, side.report.entry
    faithful = entry.scores.get("fp") if side.own_page else None
    rated = {name: one.value for name, one in report.verdicts.ratings.items() if one.value is not None}
    grades = {
        name.replace("_", " "): [ShownFact(f"{n}", f"{n} of 10") for n in (rated.get(name),) if n is not None]
        for name in DIMENSIONS
    }
    counted = Counter(claim.status for claim in report.verdicts.claims)
    cards = {canonical_url(card.url) for card in report.products}
    titles = {canonical_url(one.url): excerpt(one.title, 50) for one in report.sources if one.title}
    cited = dict.fromkeys(one.url for one in report.citations.markers if one.url and one.url not in cards)
    return {
        "errors found by code": [
            ShownFact(one.why, one.why, f"#{side.name}-{one.name}-1", "none") for one in report.findings
        ],
        "faithfulness": [] if faithful is None else [ShownFact(f"{faithful:.2f}", f"{faithful:.2f}")],
        "overall": grades.pop("overall"),
        "claims": [ShownFact(f"{n} {one}", f"{n} {one}", kind=one) for one, n in counted.most_common()],
        **stated,
        **grades,
        "cost": [] if entry.cost is None else [ShownFact(f"{entry.cost:.4f}", f"${entry.cost:.4f}")],
        "other sources": [ShownFact(url, titles.get(url, url)) for url in cited],
    }


def side_name(report: ReportView, judge: str | None) -> str:
    return f"{report.entry.key}.{file_name(judge or '')}"
