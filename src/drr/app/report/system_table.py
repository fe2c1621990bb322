"""The first screen of a report: the ranking of systems and its certainty, costs, and limits of the study."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from drr.app.judge.text import absence_of, figures_read_of, reasons_of, unread_of
from drr.app.report.contrasts import Contrast, lead_metrics
from drr.app.report.cost import dollars, tokens
from drr.app.report.differences import not_measured
from drr.app.report.headline import unscored
from drr.app.report.material import ReportData
from drr.app.report.standing import AGAINST, Standings
from drr.app.report.tables import Cell, Heading, Table, terminal_text
from drr.app.terminal import wrapped_paragraph
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.rows import StudyDocument
from drr.eval.metrics.rules import figures_of
from drr.eval.stats.intervals import VRow
from drr.wording.excerpt import many

SHADES = 9
UNKNOWN = "unknown"
RULES = Heading(
    "rules failed", explanation="Checks by code that failed, of all that could be decided.", part="rules"
)
READ = Heading(
    "figures read",
    explanation="Figures of the reports that a rule could decide, of all that stand there.",
    part="rules",
)
TOKENS = Heading("tokens", explanation="Read and written for an answer, on average.", part="effort")
DOLLARS = Heading("dollars", explanation="What the models of an answer cost, on average.", part="effort")


def system_table(material: ReportData, found: Standings) -> Table:
    """Return the table of systems, best first, with a column for each known figure. Systems without any answer come last."""
    figures = material.document["metrics"]
    columns = [
        *metric_columns(figures, first=("solved",), ahead=found.ahead),
        *_rules(material),
        (
            TOKENS,
            {one: Cell.of(tokens(material, one).document(), 0, missing=UNKNOWN) for one in material.variants},
        ),
        (
            DOLLARS,
            {
                # A mean over the answers with a price would pass for the cost of all.
                system: Cell.of(None if v.n_unscored else v.document(), 4, missing=UNKNOWN)
                for system, v in ((system, dollars(own)) for system, own in material.variants.items())
            },
        ),
    ]
    if found.metric is not None:
        # Far left, because it says what the order of the rows is worth.
        columns.insert(1, (Heading(AGAINST, part=found.metric.table or ""), found.against))
    columns = [one for one in columns if any(cell.value is not None for cell in one[1].values())]
    nothing = Cell(None, missing="–")
    rows = [(system, [cells.get(system, nothing) for _, cells in columns]) for system in found.systems]
    # Why a system failed stands where the others' standing does, else in the first column.
    gives_reason = [
        heading.label == AGAINST if found.metric else not place for place, (heading, _) in enumerate(columns)
    ]
    # A system without any answer would else be missing, as if nobody had asked it.
    for system in sorted(material.failed.keys() - {*found.systems}):
        why = Cell(failed_text(material.failed[system]))
        rows.append((system, [why if here else nothing for here in gives_reason]))
    return Table("board", "Systems, best first", [heading for heading, _ in columns], rows)


def failed_text(kinds: Mapping[str, int]) -> str:
    """Return a text with the number of failed answers and the kinds of failure."""
    return f"{sum(kinds.values()):,} failed ({', '.join(kinds)})"


Column = tuple[Heading, Mapping[str, Cell]]


def metric_columns(
    figures: Mapping[str, Mapping[str, VRow]],
    *also: str,
    first: Sequence[str] = (),
    ahead: Mapping[str, Collection[str]],
) -> list[Column]:
    """Return columns for the lead metrics, and for those named in `first` and `also`. `figures` maps system to metric name to statistic.

    Only the systems in `ahead`, by metric, have a colour: they are told apart from others.
    """
    shown: list[Column] = []
    for name in dict.fromkeys((*first, "reward", "fp", "fr", *lead_metrics(), *also)):
        if name not in ("fp", "fr", "overall") and not any(name in row for row in figures.values()):
            continue
        known = metric_of(name)
        cells = {
            system: Cell.of(
                row.get(name),
                known.digits,
                missing=UNKNOWN,
                shade="s6" if system in ahead.get(name, ()) else "",
            )
            for system, row in figures.items()
        }
        heading = Heading(known.label, name, known.explanation, scale=known.scale, part=known.table or "")
        shown.append((heading, cells))
    return shown


def _rules(material: ReportData) -> list[Column]:
    """Return columns of failed rule checks and of figures that rules could read."""
    cells, read = {}, {}
    for system, answers in material.variants.items():
        found = [
            str(rule["status"])
            for answer in answers
            for rule in material.judged.rules.get(answer.key, {}).values()
        ]
        failed, passed = found.count("fail"), found.count("pass")
        known = failed + passed > 0
        cells[system] = Cell(
            float(failed) if known else None,
            digits=0,
            missing=UNKNOWN,
            brief=f"{failed} of {many(failed + passed, 'check')}",
        )
        figures = figures_of(material.judged, answers)
        read[system] = Cell(
            None if figures is None else float(figures["read"]),
            digits=0,
            missing=UNKNOWN,
            brief="" if figures is None else f"{figures['read']:,} of {figures['of']:,}",
        )
    return [(RULES, cells), (READ, read)]


def shade(value: float | str | None, end: float, *, is_lower_better: bool) -> str:
    """Return the CSS class of a background colour, by the value's share of the scale's end."""
    if not isinstance(value, float) or end <= 0:
        return ""
    share = min(max(value / end, 0.0), 1.0)
    return f"s{round(SHADES * (1 - share if is_lower_better else share))}"


def limits(material: ReportData, found: Sequence[Contrast]) -> list[str]:
    """Return sentences on what the study cannot show: what was not measured, not comparable or not scored."""
    lines = [] if material.banner is None else [material.banner]
    if all(material.floor(name) is None for name in [one.metric.name for one in found] or lead_metrics()):
        lines.append(not_measured(answer for own in material.variants.values() for answer in own))
    lines += [material.mixed] if material.mixed else []
    return [*lines, *(f"{line}." for line in unscored(material))]


def judged_text(document: StudyDocument) -> str:
    """Return the leading figures of each system for the terminal, with what is unknown, unread or open to doubt."""
    figures = document["metrics"]
    columns = metric_columns(figures, first=("solved",), ahead={})
    shown = [one for one in columns if any(cell.value is not None for cell in one[1].values())]
    rows = [(system, [cells[system] for _, cells in shown]) for system in figures]
    board = terminal_text(Table("board", "variant", [heading for heading, _ in shown], rows))
    long = [
        metric_of(name).label for name, v in (document["length_correlation"] or {}).items() if v["warning"]
    ]
    judged = [
        f"{task} {row['judged']:,}" + (f" ({row['failed']} failed)" if row["failed"] else "")
        for task, row in document["coverage"]["tasks"].items()
    ]
    notes = [
        *reasons_of(figures, {heading.key: heading.label for heading, _ in columns}),
        *absence_of(figures),
        *unread_of(document),
        f"Warning: longer reports score higher on {', '.join(long)} (Spearman above 0.5)." if long else "",
        *figures_read_of(document),
        f"Judged: {', '.join(judged)}." if judged else "",
    ]
    parts = [
        wrapped_paragraph(document["banner"] or ""),
        board if shown else "",
        *map(wrapped_paragraph, notes),
    ]
    return "\n\n".join(filter(None, parts)) or "Nothing was judged."
