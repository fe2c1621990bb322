"""Builds the tables on how far judges agree, people and models alike (the paper's Appendices D and E)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, cast

from drr.app.report.material import LONGEST_NAME, ReportData, answer_name, system_answer
from drr.app.report.tables import AnswerRow, AnswerSection, Cell, Heading, Table, rows_under
from drr.eval.agreement.labelled import Labelled
from drr.eval.agreement.rows import AgreementDocument
from drr.eval.labels import CriterionLabel, Label, PairwiseLabel, RatingLabel, pair_id, rating_id
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics import values_of
from drr.wording.excerpt import excerpt

_ALL, _NONE = "all", "–"
_BOTH = "What the first judge said / what the second one said."

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


def _costs(material: ReportData) -> list[str]:
    """Return a line on each judge's cost per question, where prices are known."""
    return [
        f"{judge}: ${cost['usd_per_query']:.4f} a question, of {cost['queries']}."
        for judge, cost in (material.agreement["cost"].items() if material.agreement else ())
        if cost["usd_per_query"] is not None
    ]


class JudgedItem(NamedTuple):
    """A judged item under a readable name, with its labels by dimension and judge."""

    name: str
    link: str
    labels: dict[tuple[str, str], str | Mapping[str, float]]
    """Label of the item, or score of each of its criteria, by dimension and judge."""


Judgements = Iterable[JudgedItem]


def _both(first: str | Mapping[str, float], second: str | Mapping[str, float]) -> str:
    """Return two judges' labels as `first / second`. For scores of criteria these are the means over the criteria that both judges scored; empty without such criteria."""
    if isinstance(first, str) or isinstance(second, str):
        return f"{first} / {second}"
    shared = sorted(first.keys() & second.keys())
    return " / ".join(
        f"{sum(own[name] for name in shared) / len(shared):.2f}" for own in (first, second) if shared
    )


def _judged_items(
    material: ReportData, form: type[Label], named: Callable[[ReportData], Mapping[str, tuple[str, str]]]
) -> Judgements:
    """Return the labelled items, each named after its first label, with what every judge said of it."""
    raters, known = material.raters, named(material)
    table = Labelled([label for label in (raters.labels if raters else ()) if isinstance(label, form)])
    items = [
        JudgedItem(*known.get(first.id, (excerpt(first.query or "", LONGEST_NAME), "")), {})
        for first in table.first
    ]
    given = (
        table.by_judge if form is not CriterionLabel else table.with_people(raters.people if raters else ())
    )
    for judge, own in given.items():
        for key, value in own.items():
            row = table.rows[key]
            labels, place = items[int(row.item)].labels, (row.dimension, judge)
            if form is CriterionLabel:
                scores = labels.setdefault(place, {})
                assert isinstance(scores, dict)
                scores[key[1]] = value
            else:
                won = dict(zip("AB", row.systems, strict=False))
                labels[place] = won.get(value, value) if isinstance(value, str) else f"{value:g}"
    return items


def _pair_names(material: ReportData) -> Mapping[str, tuple[str, str]]:
    """Return name and link of each compared pair, by the id of its labels."""
    answers, known = {(a.query_id, a.variant, a.trial): a for a in material.judged.answers}, {}
    for one in material.comparisons:
        a, b = (answers[one.query, system, one.trial] for system in (one.a, one.b))
        name = f"{answer_name(a)}: {a.variant} and {b.variant}"
        known[pair_id(one.query, one.a, one.b, one.trial)] = name, material.links.beside(a, b)
    return known


def _report_names(material: ReportData) -> Mapping[str, tuple[str, str]]:
    return {
        rating_id(a.query_id, a.variant, a.trial): (system_answer(a), material.links.report(a.key))
        for a in material.judged.answers
    }


def _judged_metrics(material: ReportData) -> Judgements:
    raters = material.raters
    answers = raters.answers if raters else ()
    items = {a.key: JudgedItem(system_answer(a), material.links.report(a.key), {}) for a in answers}
    for judge, judged in (raters.judged if raters else {}).items():
        for answer in judged.answers:
            for name, value in values_of(judged, answer).items():
                if value is not None:
                    items[answer.key].labels[metric_of(name).label, judge] = metric_of(name).shown(value)
    return items.values()


class _AgreementTable(NamedTuple):
    """One table of agreement: its rows, the items behind them, and notes."""

    name: str
    title: str
    columns: Sequence[Heading]
    rows: Callable[[AgreementDocument], Iterator[JudgeAgreement]]
    judgements: Callable[[ReportData], Judgements] = lambda material: ()
    notes: Callable[[ReportData], Sequence[str]] = lambda material: ()

    def table(self, material: ReportData) -> Table | None:
        """Return the table; `None` where no two judges judged the same."""
        found = [] if material.agreement is None else list(self.rows(material.agreement))
        if not found:
            return None

        def sections(material: ReportData, table: Table) -> Iterator[AnswerSection]:
            """Yield the section behind the table: for each item that two judges judged, the verdicts of both."""
            parts = [one for one in found if one.what != _ALL]
            rows = []
            for item in sorted(self.judgements(material), key=lambda item: item.name):
                cells = {}
                for one in parts:
                    first, second = (item.labels.get((one.what, judge)) for judge in one.judges)
                    if first is not None and second is not None and (both := _both(first, second)):
                        cells[one.name] = both
                if cells:
                    values = [cells.get(one.name, _NONE) for one in parts]
                    rows.append(AnswerRow(item.name, values, item.link))
            columns = [Heading(one.name, explanation=_BOTH) for one in parts]
            yield AnswerSection(self.name, self.title, columns, rows)

        return Table(
            *(
                self.name,
                self.title,
                self.columns,
                self.figures(found),
                self.notes(material),
                material.banner,
            ),
            judges=True,
            sections=sections,
        )

    def figures(self, found: Iterable[JudgeAgreement]) -> list[tuple[str, list[Cell]]]:
        return rows_under(self.columns, ((one.name, one.row) for one in found))


_CORRELATED = (
    Heading("Spearman", "spearman"),
    Heading("Pearson", "pearson"),
    Heading("MARD", "mard"),
    Heading("bias", "bias", "Grade by the first judge minus that by the second one."),
)
_BETTER = "Of two reports of a question under one criterion, which is better; a tie matches a tie."
_TABLES = (
    _AgreementTable(
        "agreement-pairwise",
        "Agreement on pairs (Appendices D, E)",
        (
            Heading("equal", "exact"),
            Heading("kappa, no ties", "kappa_no_ties"),
            Heading("kappa, ties kept", "kappa_with_ties"),
            Heading("AC1", "ac1"),
            Heading("soft disagreements", "soft_disagreement"),
        ),
        partial(agreements, "pairwise"),
        partial(_judged_items, form=PairwiseLabel, named=_pair_names),
    ),
    _AgreementTable(
        "agreement-ratings",
        "Agreement on grades (Appendix E)",
        _CORRELATED,
        partial(agreements, "rating"),
        partial(_judged_items, form=RatingLabel, named=_report_names),
    ),
    _AgreementTable(
        "agreement-metrics",
        "Agreement on metrics, report by report",
        _CORRELATED,
        _metrics,
        _judged_metrics,
    ),
    _AgreementTable(
        "agreement-criteria",
        "Agreement on criteria, score by score",
        (
            Heading("PCA", "pca", _BETTER),
            Heading("PCA by chance", "pca_chance"),
            Heading("MARD", "mard", "Mean absolute deviation of the scores, 0-10."),
            Heading("Pearson", "pearson"),
            Heading("Spearman", "spearman"),
        ),
        _criteria,
        partial(_judged_items, form=CriterionLabel, named=_report_names),
        _costs,
    ),
    _AgreementTable(
        "agreement-rankings",
        "Rankings of the systems, judge beside judge (Appendix E)",
        (
            Heading("order by the first", field="first"),
            Heading("order by the second", field="second"),
            Heading("same order", field="same"),
            Heading("Kendall tau-b", field="kendall"),
        ),
        _rankings,
        partial(_judged_items, form=PairwiseLabel, named=_pair_names),
        lambda material: [RANKING_NOTE],
    ),
)


_SUPPORT = _AgreementTable(
    "agreement-support",
    "Agreement on claims: full, partial or none",
    (
        Heading("equal", "exact"),
        Heading("kappa", "kappa"),
        Heading("weighted kappa", "weighted_kappa"),
    ),
    partial(agreements, "support"),
)


def agreement_of_verdicts(document: AgreementDocument) -> list[Table]:
    """Return the tables of agreement on claims, pairs and grades, without the answers behind them."""
    found = [(one, list(one.rows(document))) for one in (_SUPPORT, *_TABLES[:2])]
    return [Table(one.name, one.title, one.columns, one.figures(own)) for one, own in found if own]


def agreement_tables(material: ReportData) -> list[Table]:
    """Return the agreement tables of the study; a table without two judges is left out."""
    return [table for one in _TABLES if (table := one.table(material)) is not None]
