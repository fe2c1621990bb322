"""Builds the tables on how far judges agree, people and models alike (the paper's Appendices D and E)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, cast

from drr.app.report.material import LONGEST_NAME, ReportData, answer_name, system_answer
from drr.app.report.tables import AnswerRow, AnswerSection, Cell, Form, Heading, Table, TableLine
from drr.eval.agreement.labelled import Labelled
from drr.eval.agreement.rows import AgreementDocument, CriteriaLevels, RankingRow
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
        yield from (
            JudgeAgreement(metric_of(name).label, pair["judges"], row)
            for name, row in pair["metrics"].items()
        )


def _criteria(document: AgreementDocument) -> Iterator[JudgeAgreement]:
    for pair in document["criteria"]["pairs"]:
        yield from (
            JudgeAgreement(what, pair["judges"], _scores(row)) for what, row in pair["dimensions"].items()
        )


def _scores(row: CriteriaLevels) -> Mapping[str, object]:
    scores = row["criterion"]
    return {**scores, "pca_chance": Cell(scores["pca"]["chance"])}


def _rankings(document: AgreementDocument) -> Iterator[JudgeAgreement]:
    """Yield two judges' rankings of the systems, from the pairs that both judges judged (Figure 6 beside Table 13)."""
    for pair in document["pairwise"]["pairs"]:
        yield from (
            JudgeAgreement(what, pair["judges"], _orders(row)) for what, row in pair["rankings"].items()
        )


def _orders(row: RankingRow) -> Mapping[str, object]:
    first, second = (
        _order({system: rates[side] for system, rates in row["systems"].items()}) for side in (0, 1)
    )
    same = "yes" if row["same_order"] else "no"
    return {"first": first, "second": second, "same": same, "kendall": row["kendall"]}


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


_OF_TABLE: Mapping[str, Callable[[AgreementDocument], Iterator[JudgeAgreement]]] = {
    "agreement-pairwise": partial(agreements, "pairwise"),
    "agreement-ratings": partial(agreements, "rating"),
    "agreement-metrics": _metrics,
    "agreement-criteria": _criteria,
    "agreement-rankings": _rankings,
}


def compared(material: ReportData, table: str) -> list[JudgeAgreement]:
    """Return the rows of the named table; none where fewer than two judges judged."""
    return [] if material.agreement is None else list(_OF_TABLE[table](material.agreement))


class JudgedItem(NamedTuple):
    """A judged item under a readable name, with its labels by dimension and judge."""

    name: str
    link: str
    labels: dict[tuple[str, str], str | Mapping[str, float]]
    """Label of the item, or score of each of its criteria, by dimension and judge."""


Judgements = Iterable[JudgedItem]


def _sections(material: ReportData, table: Table) -> Iterator[AnswerSection]:
    """Yield the section behind the table: for each item that two judges judged, the verdicts of both."""
    parts = [one for one in compared(material, table.name) if one.what != _ALL]
    found = []
    for item in sorted(_JUDGEMENTS[table.name](material), key=lambda item: item.name):
        cells = {}
        for one in parts:
            first, second = (item.labels.get((one.what, judge)) for judge in one.judges)
            if first is not None and second is not None and (both := _both(first, second)):
                cells[one.name] = both
        if cells:
            found.append(AnswerRow(item.name, [cells.get(one.name, _NONE) for one in parts], item.link))
    yield AnswerSection(
        table.name, table.title, [Heading(one.name, explanation=_BOTH) for one in parts], found
    )


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


_JUDGEMENTS: Mapping[str, Callable[[ReportData], Judgements]] = {
    "agreement-pairwise": partial(_judged_items, form=PairwiseLabel, named=_pair_names),
    "agreement-rankings": partial(_judged_items, form=PairwiseLabel, named=_pair_names),
    "agreement-ratings": partial(_judged_items, form=RatingLabel, named=_report_names),
    "agreement-criteria": partial(_judged_items, form=CriterionLabel, named=_report_names),
    "agreement-metrics": _judged_metrics,
}


def _form(
    name: str,
    title: str,
    columns: Sequence[Heading],
    notes: Callable[[ReportData], Sequence[str]] = lambda material: (),
) -> Form:
    def lines(material: ReportData) -> Iterator[TableLine]:
        return (TableLine(one.name, one.row) for one in compared(material, name))

    return Form(name, title, columns, lines, notes, judges=True, sections=_sections)


_CORRELATED = (
    Heading("Spearman", "spearman"),
    Heading("Pearson", "pearson"),
    Heading("MARD", "mard"),
    Heading("bias", "bias"),
)
_BETTER = "Of two reports of a question under one criterion, which is better; a tie matches a tie."
AGREEMENT_FORMS = (
    _form(
        "agreement-pairwise",
        "Agreement on pairs (Appendices D, E)",
        (
            Heading("equal", "exact"),
            Heading("kappa, no ties", "kappa_no_ties"),
            Heading("kappa, ties kept", "kappa_with_ties"),
            Heading("AC1", "ac1"),
            Heading("soft disagreements", "soft_disagreement"),
        ),
    ),
    _form("agreement-ratings", "Agreement on grades (Appendix E)", _CORRELATED),
    _form("agreement-metrics", "Agreement on metrics, report by report", _CORRELATED),
    _form(
        "agreement-criteria",
        "Agreement on criteria, score by score",
        (
            Heading("PCA", "pca", _BETTER),
            Heading("PCA by chance", "pca_chance"),
            Heading("MARD", "mard", "Mean absolute deviation of the scores, 0-10."),
            Heading("Pearson", "pearson"),
            Heading("Spearman", "spearman"),
        ),
        _costs,
    ),
    _form(
        "agreement-rankings",
        "Rankings of the systems, judge beside judge (Appendix E)",
        (
            Heading("order by the first", field="first"),
            Heading("order by the second", field="second"),
            Heading("same order", field="same"),
            Heading("Kendall tau-b", field="kendall"),
        ),
        lambda material: [RANKING_NOTE],
    ),
)


def agreement_tables(material: ReportData) -> list[Table]:
    """Return the agreement tables of the study; a table without two judges is left out."""
    return [table for form in AGREEMENT_FORMS if (table := form.table(material)) is not None]
