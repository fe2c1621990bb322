"""Builds the tables of metrics. Each metric names its table; a table without options in `FORMS` is built as well."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from drr.app.judge.text import reasons_of, unread_of
from drr.app.report.contrasts import ByQuery, PerReport, compare_pairs, means_of, order_by_mean
from drr.app.report.differences import floor_cells, floor_notes, within_floor
from drr.app.report.material import ReportData
from drr.app.report.of_papers import MetricForm, report_parts
from drr.app.report.tables import Cell, Heading, Table, headings, metric_headings
from drr.app.terminal import Column, table
from drr.eval import metrics as registry
from drr.eval.metrics.base import Metric
from drr.eval.metrics.reliability import ONE_TRIAL
from drr.eval.stats.differences import pooled_sd
from drr.eval.stats.intervals import VRow, spread

BOLD_NOTE = (
    "Bold: the best of its column, and better than the next one by a test (paired sign-flip test over queries, Holm's correction "
    "over the table, p < 0.05). Being first is not enough. Brackets hold the 95 % interval over questions; few questions make it wide."
)


def _length_notes(material: ReportData) -> list[str]:
    shown = [
        f"{name.replace('_', ' ')} {v['value']:+.2f}{' (!)' if v['value'] > 0.5 else ''}"
        for name, v in (material.document["length_correlation"] or {}).items()
        if v["value"] is not None
    ]
    note = "(!) is above 0.5: length may be what is scored."
    return [f"Correlation of the score with report length: {', '.join(shown)}. {note}"] if shown else []


_PAPER_NOTE = (
    "All columns are computed from the same judgements. A source that could not be read counts as no support in some columns "
    "and is left out in others; the explanation of each column says which. Judgements that failed are left out of every "
    "column except those named 'as printed', which follow the paper's own rule."
)
_SPREAD = "After ± stands the standard deviation over answers."
_REPEATED = "No noise floor: each figure already takes all trials of a question together."


def _trial_notes(material: ReportData) -> list[str]:
    rows = material.document["metrics"].values()
    known = [row["same_picks"].get("reason") for row in rows if "same_picks" in row]
    notes = [f"No more than pass^1: {ONE_TRIAL}."] if ONE_TRIAL in known else []
    if any(row["solved"]["n_unscored"] for row in rows if "solved" in row):
        notes.append("Unscored: questions that code cannot check, and answers still to come.")
    return notes


FORMS: Mapping[str, MetricForm] = {
    "faithfulness": MetricForm(notes=lambda material: unread_of(material.document)),
    "citations": MetricForm(notes=lambda material: unread_of(material.document)),
    "faithfulness-bounds": MetricForm(lead=("fp",)),
    "papers": MetricForm(lead=("fp", "fr", "fp_citation"), notes=lambda material: [_PAPER_NOTE]),
    "quality": MetricForm(closing={"average": "quality_average"}, notes=_length_notes),
    "effort": MetricForm(spread=True),
    "pass": MetricForm(notes=_trial_notes),
}
ELSEWHERE = frozenset({"rules"})
"""Names of metric tables that another module builds."""


def forms(material: ReportData) -> dict[str, MetricForm]:
    """Return the options of metric tables by table name, built-in ones and those of the study's papers."""
    parts_of_papers = report_parts(material.document)
    return {**FORMS, **{key: form for parts in parts_of_papers for key, form in parts.forms.items()}}


def metric_tables(material: ReportData) -> Iterator[Table]:
    """Yield the metric tables for which the study has values, family by family."""
    figures = material.document["metrics"].values()
    names = {name for row in figures for name in row}
    left, titles = (
        registry.metrics_without_verdicts(names) if material.paper is None else (),
        registry.titles(names),
    )
    known = forms(material)
    for key, metrics in registry.tables(names).items():
        form = known.get(key, MetricForm())
        shown = [*map(registry.metric, form.lead), *metrics]
        if key in ELSEWHERE:
            continue
        present = [metric for metric in _present(shown, figures) if metric.name not in left]
        if not {metric.name for metric in metrics}.isdisjoint(metric.name for metric in present):
            title = titles.get(key, key.replace("-", " ").capitalize())
            yield _table(material, key, title, present, form)


def _present(metrics: Iterable[Metric], rows: Collection[Mapping[str, VRow]]) -> list[Metric]:
    return [metric for metric in metrics if any(metric.name in row for row in rows)]


def _table(material: ReportData, key: str, title: str, metrics: Sequence[Metric], form: MetricForm) -> Table:
    tested = [metric for metric in metrics if metric.better is not None]
    leaders = winners(material.per_report, tested)
    closing = [*map(registry.metric, form.closing.values())]
    slight = {metric.name: _slight(material, metric, form.sways.get(metric.name)) for metric in metrics}

    def cell(variant: str, metric: Metric) -> Cell:
        return Cell.of(
            material.document["metrics"][variant].get(metric.name),
            metric.digits,
            sd=spread(material.per_report(metric.name).get(variant, {})) if form.spread else None,
            bold=leaders.get(metric.name) == variant,
            slight=variant in slight.get(metric.name, ()),
        )

    rows = [
        (variant, [cell(variant, metric) for metric in (*metrics, *closing)])
        for variant in material.document["metrics"]
    ]
    notes = [BOLD_NOTE] if tested else []
    notes += [material.mixed] if material.mixed else []
    notes += reasons_of(material.document["metrics"], {metric.name: metric.label for metric in metrics})
    notes += [_SPREAD] if form.spread else []
    columns = metric_headings(metrics)
    columns += [
        Heading.of(registry.metric(name))._replace(key=column) for column, name in form.closing.items()
    ]
    repeated = all(metric.across_trials for metric in metrics)
    notes += [_REPEATED] if repeated else floor_notes(material, metrics)
    notes += form.notes(material)
    floor = [] if repeated else floor_cells(material, [*metrics, *closing])
    return Table(key, title, columns, rows, notes, material.banner, floor)


def _slight(material: ReportData, metric: Metric, sways: str | None) -> set[str]:
    """Return the variants whose value is within the noise of the best. Noise comes from repeated runs or from the metric itself."""
    figures = material.document["metrics"]
    swayed = (row[sways]["value"] for row in figures.values() if sways in row)
    own = max((value for value in swayed if value is not None), default=None)
    values = {variant: row[metric.name]["value"] for variant, row in figures.items() if metric.name in row}
    floor = material.floor(metric.name)
    return within_floor(values, None if floor is None else floor.value, metric.better) | within_floor(
        values, own, metric.better or "higher"
    )


def winners(per_report: PerReport, metrics: Iterable[Metric]) -> dict[str, str]:
    """Return the winner of each metric, the variant that beats the next one beyond the noise. Metrics without a winner are left out."""
    duels = []
    for metric in metrics:
        means = means_of(per_report, metric.name)
        known = [variant for variant in order_by_mean(metric, means) if means[variant] is not None]
        if len(known) > 1:
            # Only against the next one: each further test would make every other winner harder to show.
            duels.append((known[0], known[1], metric))
    return {one.metric.name: one.a for one in compare_pairs(per_report, duels) if one.is_ahead}


def as_printed(material: ReportData) -> Table | None:
    """Return the table by the paper's own definitions and protocol (`drr judge --profile paper`), never mixed with other figures."""
    document = material.document.get("as_printed")
    if not document:
        return None
    figures = document["metrics"]
    shown = registry.tables({name for row in figures.values() for name in row})
    keys = ("faithfulness", "quality", *(key for key, form in forms(material).items() if form.is_printed))
    metrics = _present([metric for key in keys for metric in shown.get(key, ())], figures.values())
    rows = [(variant, [Cell.of(values.get(m.name)) for m in metrics]) for variant, values in figures.items()]
    notes = [f"{document['note']}.", *reasons_of(figures, {m.name: m.label for m in metrics})]
    columns = [Heading(metric.label, metric.name) for metric in metrics]
    title = "The paper's definitions, as printed"
    return Table("as-printed", title, columns, rows, notes, material.banner)


def noise(material: ReportData) -> Table | None:
    """Return the table of how much repeated trials of one variant on one query differ. A real difference must exceed this noise."""
    rows = []
    names = {name for row in material.document["metrics"].values() for name in row}
    for metric in registry.metrics(names).values():
        if not metric.detail:
            cells = [_within(by_query) for by_query in material.per_report(metric.name).values()]
            if any(cell.value is not None for cell in cells):
                rows.append((metric.label, cells))
    if not rows:
        return None

    note = "Standard deviation between trials of one query, pooled over the queries with more than one trial (n)."
    title = "Noise floor of repeated trials"
    return Table("noise", title, headings(*material.variants), rows, [note], material.banner)


def _within(by_query: ByQuery) -> Cell:
    sd, repeated = pooled_sd(by_query.values())
    return Cell(sd, n=repeated)


EXPLAINED = ("label", "scale", "better", "table", "meaning")


def explanations() -> dict[str, tuple[str, ...]]:
    """Return the explanation of every metric by name: label, scale, better direction, table and meaning."""
    return {
        name: (metric.label, metric.scale, metric.better or "-", metric.table or "-", metric.explanation)
        for name, metric in registry.metrics().items()
    }


def explained() -> str:
    """Return a table for the terminal that explains every metric."""
    label, scale, better, place, meaning = EXPLAINED
    head = (
        "metric",
        Column(label, rank=3),
        Column(scale, rank=1),
        Column(better),
        Column(place, rank=2),
        Column(meaning, flows=True),
    )
    return table(head, [[name, *row] for name, row in explanations().items()])
