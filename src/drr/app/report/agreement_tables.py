"""Builds the tables on how far judges agree, people and models alike (the paper's Appendices D and E)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, cast

from drr.app.report.tables import Cell, Heading, Table, rows_under
from drr.eval.agreement.rows import AgreementDocument
from drr.eval.metrics import metric as metric_of

RANKING_NOTE = (
    "Systems by win rate on the pairs that both judged, ties as half; = where the rates are equal. "
    "With few systems a rank correlation says little: read the win rates."
)


class JudgeAgreement(NamedTuple):
    """The agreement of two judges on one dimension or metric, with its statistics."""

    what: str
    judges: Sequence[str]
    row: Mapping[str, object]

    @property
    def name(self) -> str:
        return f"{self.what.replace('_', ' ')}: {' and '.join(self.judges)}"


def agreements(kind: str, document: AgreementDocument) -> Iterator[JudgeAgreement]:
    """Yield the agreement of every two judges on one kind of verdict, by dimension where the kind has any."""
    pairs: Sequence[Any] = cast("Any", document)[kind]["pairs"]
    for pair in pairs:
        for what, row in pair.get("dimensions", {"claims": pair}).items():
            yield JudgeAgreement(what, pair["judges"], row)


def _metrics(document: AgreementDocument) -> Iterator[JudgeAgreement]:
    for pair in document["metrics"]:
        for name, row in pair["metrics"].items():
            yield JudgeAgreement(metric_of(name).label, pair["judges"], row)


def _criteria(document: AgreementDocument) -> Iterator[JudgeAgreement]:
    for pair in document["criteria"]["pairs"]:
        for what, row in pair["dimensions"].items():
            scores = row["criterion"]
            shown = {**scores, "pca_chance": Cell(scores["pca"]["chance"])}
            yield JudgeAgreement(what, pair["judges"], shown)


def _rankings(document: AgreementDocument) -> Iterator[JudgeAgreement]:
    """Yield two judges' rankings of the systems, from the pairs that both judges judged (Figure 6 beside Table 13)."""
    for pair in document["pairwise"]["pairs"]:
        for what, row in pair["rankings"].items():
            first, second = (
                _order({system: rates[side] for system, rates in row["systems"].items()}) for side in (0, 1)
            )
            same = "yes" if row["same_order"] else "no"
            shown = {"first": first, "second": second, "same": same, "kendall": row["kendall"]}
            yield JudgeAgreement(what, pair["judges"], shown)


def _order(rates: Mapping[str, float]) -> str:
    """Return the ranking by win rate as text, such as `one 0.70 > two 0.50 = three 0.50`."""
    ranked = sorted(rates.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{ranked[0][0]} {ranked[0][1]:.2f}"]
    for (_, before), (system, rate) in pairwise(ranked):
        words.append(f"{'=' if rate == before else '>'} {system} {rate:.2f}")
    return " ".join(words)


def _costs(document: AgreementDocument) -> list[str]:
    """Return a line on each judge's cost per question, where prices are known."""
    return [
        f"{judge}: ${cost['usd_per_query']:.4f} a question, of {cost['queries']}."
        for judge, cost in document["cost"].items()
        if cost["usd_per_query"] is not None
    ]


class _AgreementTable(NamedTuple):
    """One table of agreement: its rows, and its notes."""

    title: str
    columns: Sequence[Heading]
    rows: Callable[[AgreementDocument], Iterator[JudgeAgreement]]
    notes: Callable[[AgreementDocument], Sequence[str]] = lambda document: ()


_CORRELATED = (
    Heading("Spearman", "spearman"),
    Heading("Pearson", "pearson"),
    Heading("MARD", "mard"),
    Heading("bias", "bias", "Grade by the first judge minus that by the second one."),
)
_BETTER = "Of two reports of a question under one criterion, which is better; a tie matches a tie."
_TABLES: Mapping[str, _AgreementTable] = {
    "support": _AgreementTable(
        "Agreement on claims: full, partial or none",
        (
            Heading("equal", "exact"),
            Heading("kappa", "kappa"),
            Heading("weighted kappa", "weighted_kappa"),
        ),
        partial(agreements, "support"),
    ),
    "pairwise": _AgreementTable(
        "Agreement on pairs (Appendices D, E)",
        (
            Heading("equal", "exact"),
            Heading("kappa, no ties", "kappa_no_ties"),
            Heading("kappa, ties kept", "kappa_with_ties"),
            Heading("AC1", "ac1"),
            Heading("soft disagreements", "soft_disagreement"),
        ),
        partial(agreements, "pairwise"),
    ),
    "ratings": _AgreementTable(
        "Agreement on grades (Appendix E)", _CORRELATED, partial(agreements, "rating")
    ),
    "metrics": _AgreementTable("Agreement on metrics, report by report", _CORRELATED, _metrics),
    "criteria": _AgreementTable(
        "Agreement on criteria, score by score",
        (
            Heading("PCA", "pca", _BETTER),
            Heading("PCA by chance", "pca_chance"),
            Heading("MARD", "mard", "Mean absolute deviation of the scores, 0-10."),
            Heading("Pearson", "pearson"),
            Heading("Spearman", "spearman"),
        ),
        _criteria,
        _costs,
    ),
    "rankings": _AgreementTable(
        "Rankings of the systems, judge beside judge (Appendix E)",
        (
            Heading("order by the first", field="first"),
            Heading("order by the second", field="second"),
            Heading("same order", field="same"),
            Heading("Kendall tau-b", field="kendall"),
        ),
        _rankings,
        lambda document: [RANKING_NOTE],
    ),
}


def agreement_tables(document: AgreementDocument, banner: str | None = None) -> Iterator[Table]:
    """Yield the tables of agreement; one in which no two judges judged the same is left out."""
    for kind, one in _TABLES.items():
        if rows := rows_under(one.columns, ((pair.name, pair.row) for pair in one.rows(document))):
            yield Table(f"agreement-{kind}", one.title, one.columns, rows, one.notes(document), banner)
