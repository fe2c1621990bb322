"""Judges beside judges: people and models alike (the paper's Appendices D and E)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from drr.app.report.material import Material
from drr.app.report.tables import Cell, Heading, Table, headings
from drr.eval.agreement.rows import AgreementDocument, AgreementRow
from drr.eval.metrics import metrics

PAIRWISE = (
    Heading("equal", "exact"),
    Heading("kappa, no ties", "kappa_no_ties"),
    Heading("kappa, ties kept", "kappa_with_ties"),
    Heading("AC1", "ac1"),
    Heading("soft disagreements", "soft_disagreement"),
)
RATING = (
    Heading("Spearman", "spearman"),
    Heading("Pearson", "pearson"),
    Heading("MARD", "mard"),
    Heading("bias", "bias"),
)
CRITERIA = (
    Heading(
        "PCA",
        "pca",
        "Of two reports of a question under one criterion, which is better; a tie matches a tie.",
    ),
    Heading("PCA by chance", "pca_chance"),
    Heading("MARD", "mard", "Mean absolute deviation of the scores, 0-10."),
    Heading("Pearson", "pearson"),
    Heading("Spearman", "spearman"),
)
RANKING_NOTE = (
    "Systems by win rate on the pairs that both judged, ties as half; = where the rates are equal. "
    "With few systems a rank correlation says little: read the win rates."
)


def compared(document: AgreementDocument, table: str) -> Iterator[tuple[str, Sequence[str]]]:
    """What each row of a table is of, and by whom."""
    if table == "agreement-metrics":
        known = metrics()
        for own in document["metrics"]:
            yield from ((known[name].label, own["judges"]) for name in own["metrics"])
    elif table == "agreement-ratings":
        for rating in document["rating"]["pairs"]:
            yield from ((dimension, rating["judges"]) for dimension in rating["dimensions"])
    elif table == "agreement-criteria":
        for criteria in document["criteria"]["pairs"]:
            yield from ((dimension, criteria["judges"]) for dimension in criteria["dimensions"])
    else:
        for pair in document["pairwise"]["pairs"]:
            yield from ((dimension, pair["judges"]) for dimension in pair["dimensions"])


def agreement_tables(material: Material) -> list[Table]:
    """Those that there are two judges for."""
    document = material.agreement
    if document is None:
        return []
    found = (
        ("agreement-pairwise", "Agreement on pairs (Appendices D, E)", PAIRWISE, _pairwise(document)),
        ("agreement-ratings", "Agreement on grades (Appendix E)", RATING, _ratings(document)),
        ("agreement-metrics", "Agreement on metrics, report by report", RATING, _metrics(document)),
    )
    tables = [
        Table(name, title, columns, rows, [], material.banner, judges=True)
        for name, title, columns, rows in found
        if rows
    ]
    criteria = _criteria(document)
    if criteria:
        title = "Agreement on criteria, score by score (PDR-Bench's Table 4)"
        tables.append(
            Table(
                "agreement-criteria",
                title,
                CRITERIA,
                criteria,
                _costs(document),
                material.banner,
                judges=True,
            )
        )
    rankings = _rankings(document)
    if rankings:
        columns = headings("order by the first", "order by the second", "same order", "Kendall tau-b")
        title = "Rankings of the systems, judge beside judge (Appendix E)"
        tables.append(
            Table(
                "agreement-rankings", title, columns, rankings, [RANKING_NOTE], material.banner, judges=True
            )
        )
    return tables


Row = tuple[str, list[Cell]]


def _pairwise(document: AgreementDocument) -> list[Row]:
    return [
        (
            row_name(dimension, pair["judges"]),
            _cells(
                row["exact"],
                row["kappa_no_ties"],
                row["kappa_with_ties"],
                row["ac1"],
                row["soft_disagreement"],
            ),
        )
        for pair in document["pairwise"]["pairs"]
        for dimension, row in pair["dimensions"].items()
    ]


def _ratings(document: AgreementDocument) -> list[Row]:
    return [
        (
            row_name(dimension, pair["judges"]),
            _cells(row["spearman"], row["pearson"], row["mard"], row["bias"]),
        )
        for pair in document["rating"]["pairs"]
        for dimension, row in pair["dimensions"].items()
    ]


def _metrics(document: AgreementDocument) -> list[Row]:
    return [
        (
            row_name(metrics()[name].label, pair["judges"]),
            _cells(row["spearman"], row["pearson"], row["mard"], row["bias"]),
        )
        for pair in document["metrics"]
        for name, row in pair["metrics"].items()
    ]


def _criteria(document: AgreementDocument) -> list[Row]:
    return [
        (
            row_name(dimension, pair["judges"]),
            [
                Cell.of(row["criterion"]["pca"]),
                Cell(row["criterion"]["pca"]["chance"]),
                *_cells(row["criterion"]["mard"], row["criterion"]["pearson"], row["criterion"]["spearman"]),
            ],
        )
        for pair in document["criteria"]["pairs"]
        for dimension, row in pair["dimensions"].items()
    ]


def _costs(document: AgreementDocument) -> list[str]:
    """What each judge took for a question, where prices are known."""
    return [
        f"{judge}: ${cost['usd_per_query']:.4f} a question, of {cost['queries']}."
        for judge, cost in document["cost"].items()
        if cost["usd_per_query"] is not None
    ]


def _cells(*values: AgreementRow) -> list[Cell]:
    return [Cell.of(v) for v in values]


def row_name(what: str, judges: Sequence[str]) -> str:
    return f"{what.replace('_', ' ')}: {' and '.join(judges)}"


def _rankings(document: AgreementDocument) -> list[Row]:
    """How people and models order the systems on the pairs that both of them judged (Figure 6 beside Table 13)."""
    return [
        (
            row_name(dimension, pair["judges"]),
            [
                *(
                    Cell(_order({s: rates[side] for s, rates in ranking["systems"].items()}))
                    for side in (0, 1)
                ),
                Cell("yes" if ranking["same_order"] else "no"),
                Cell.of(ranking["kendall"]),
            ],
        )
        for pair in document["pairwise"]["pairs"]
        for dimension, ranking in pair["rankings"].items()
    ]


def _order(rates: Mapping[str, float]) -> str:
    """`one 0.70 > two 0.50 = three 0.50`."""
    ranked = sorted(rates.items(), key=lambda item: (-item[1], item[0]))
    words = [f"{ranked[0][0]} {ranked[0][1]:.2f}"]
    for (_, before), (system, rate) in pairwise(ranked):
        words.append(f"{'=' if rate == before else '>'} {system} {rate:.2f}")
    return " ".join(words)
