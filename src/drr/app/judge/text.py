"""Text of judged studies: main figures, figures corrected by labels, and two judges' labels compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

from drr.app.terminal import Column, number, p_value, plain, table, with_interval, wrapped_paragraph
from drr.env.plugins import merged, papers
from drr.eval.agreement.rows import ClassesRow
from drr.eval.asking.rules import UNASKED
from drr.eval.checks.reading import FiguresRow, reading_text
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics import tables, titles
from drr.eval.metrics.base import Metric
from drr.eval.metrics.document import printed_figures
from drr.eval.metrics.faithfulness import ABSENT_MOST
from drr.eval.metrics.rows import CorrectedDocument, StudyDocument
from drr.eval.stats.citations import unread_counts
from drr.eval.stats.intervals import VRow
from drr.eval.stats.pairs import PairRow
from drr.wording.excerpt import many

FAITHFULNESS = (
    "fp",
    "fp_split",
    "fp_web",
    "fp_product",
    "fp_user",
    "fp_seen",
    "fr",
    "fr_supported",
    "n_cited",
)
GIVEN_UP = ("n_cited", "fp_seen", "fr_supported", "fp_user", "fp_split", "fp_product", "fp_web")
"""Columns that a narrow terminal leaves out, in this order."""
FAMILIES_PRINTED = frozenset(
    {"faithfulness", "faithfulness-bounds", "papers", "quality", "effort", "rules", "pass", "sameness"}
)
"""Families of metrics without a plain table here: they have a form of their own, or appear only in the report."""
AS_PRINTED = {
    "fp": "faithfulness (Eq. 2)",
    "fp_web": "faithfulness web",
    "fp_product": "faithfulness product",
    "fp_split": "faithfulness split",
    "fr": "FR",
    "overall": "Overall",
}


def judged_text(document: StudyDocument) -> str:
    names = {name for row in document["metrics"].values() for name in row}
    parts = [
        wrapped_paragraph(document["banner"] or ""),
        _faithfulness(document),
        _quality(document),
        *(
            _further_metrics(document, key, own)
            for key, own in tables(names).items()
            if key not in FAMILIES_PRINTED
        ),
        _length_warning(document),
        _pairs(document["pairwise"]),
        _broken_rules(document["metrics"]),
        *map(wrapped_paragraph, figures_read_of(document)),
        _as_printed(document),
        _judged(document),
    ]
    return "\n\n".join(part for part in parts if part) or "Nothing was judged."


def _means(
    document: StudyDocument,
    names: Sequence[str],
    columns: Sequence[Column],
    digits: Mapping[str, int],
    first: str = "variant",
) -> str | None:
    """Return a table with a row for each variant; `None` if no variant has the first of the metrics. The banner tells of figures that take a judge."""
    metrics = document["metrics"]
    if not any(names[0] in values for values in metrics.values()):
        return None
    asked = [any(_is_asked(values.get(name)) for values in metrics.values()) for name in names]
    names, columns = [*compress(names, asked)], [*compress(columns, asked)]
    rows = []
    for variant, values in metrics.items():
        covered = document["coverage"]["variants"].get(variant)
        count = covered["answers"] if covered else 0
        cells = (
            with_interval(values[name], digits[name], usual=count) if name in values else "-"
            for name in names
        )
        rows.append([variant, str(count), *cells])
    return table([first, "reports", *columns], rows)


def _is_asked(row: VRow | None) -> bool:
    return row is None or row.get("reason") != UNASKED


def _faithfulness(document: StudyDocument) -> str | None:
    ranks = {name: len(GIVEN_UP) - i for i, name in enumerate(GIVEN_UP)}
    columns = [Column(metric_of(name).label, rank=ranks.get(name, 0)) for name in FAITHFULNESS]
    drawn = _means(document, FAITHFULNESS, columns, dict.fromkeys(FAITHFULNESS, 2))
    unknown = reasons_of(document["metrics"], {"fp": "Faithfulness"})
    notes = [*unknown, *absence_of(document["metrics"]), *unread_of(document)]
    return drawn and "\n".join([drawn, *map(wrapped_paragraph, notes)])


def _quality(document: StudyDocument) -> str | None:
    if not any("overall" in values for values in document["metrics"].values()):
        return None
    columns = [Column(metric_of(d).label, rank=int(d != "overall")) for d in DIMENSIONS]
    return _means(document, DIMENSIONS, columns, dict.fromkeys(DIMENSIONS, 1), first="variant (0-10)")


def _further_metrics(document: StudyDocument, key: str, metrics: Sequence[Metric]) -> str | None:
    leading = [metric_of(name) for name in merged(paper.figures.leads for paper in papers()).get(key, ())]
    shown = {name for row in document["metrics"].values() for name in row}
    present = [m for m in (*leading, *metrics) if m.name in shown]
    if shown.isdisjoint(m.name for m in metrics):
        return None
    columns = [Column(m.label, rank=int(m.detail and m is not present[0])) for m in present]
    drawn = _means(document, [m.name for m in present], columns, {m.name: m.digits for m in present})
    reasons = reasons_of(document["metrics"], {m.name: m.label for m in present})
    return "\n".join([titles(shown).get(key, key), str(drawn), *reasons])


def _length_warning(document: StudyDocument) -> str | None:
    long = [
        metric_of(name).label for name, v in (document["length_correlation"] or {}).items() if v["warning"]
    ]
    notice = f"Warning: longer reports score higher on {', '.join(long)} (Spearman above 0.5)."
    return wrapped_paragraph(notice) if long else None


def _pairs(pairwise: Sequence[PairRow]) -> str | None:
    """Return a table of pairwise comparisons, or `None`. A long one keeps only the grade overall, as the report has all."""
    shown = [row for row in pairwise if row["dimension"] == "overall"]
    if len(pairwise) <= len(DIMENSIONS) or not shown:
        shown = list(pairwise)
    head = (
        "dimension",
        "a : b",
        "win/tie/loss",
        "win rate of a",
        Column("p (Holm)", rank=1),
        *([Column("order", rank=2)] if any(row["unreliable"] for row in shown) else ()),
    )
    rows = [
        [
            metric_of(row["dimension"]).label,
            f"{row['a']} : {row['b']}",
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            with_interval(row["win_rate"], 2),
            p_value(row["p_holm"]),
            "unreliable" if row["unreliable"] else "",
        ]
        for row in shown
    ]
    left = len(pairwise) - len(shown)
    more = f"\nPairs by the other dimensions: {left} rows of `drr report STUDY --out DIR`." if left else ""
    return f"{table(head, [row[: len(head)] for row in rows])}{more}" if rows else None


def _broken_rules(metrics: Mapping[str, Mapping[str, VRow]]) -> str | None:
    broken = [
        [variant, name.removeprefix("rule_"), f"{1 - v['value']:.2f}", f"{v['n']:,}"]
        for variant, values in metrics.items()
        for name, v in values.items()
        if name.startswith("rule_") and v["value"] is not None and v["value"] < 1
    ]
    return table(["variant", "rule", "share of reports that break it", "reports"], broken) if broken else None


def figures_read_text(rows: Mapping[str, FiguresRow | None]) -> list[str]:
    """Return one line that says how many figures of each system the rules could read; empty where nobody counted."""
    known = [f"{name}: {reading_text(row)}" for name, row in rows.items() if row is not None]
    return [f"{'; '.join(known)}."] if known else []


def figures_read_of(document: StudyDocument) -> list[str]:
    """Return the line of `figures_read_text` for all systems of a study."""
    return figures_read_text({name: row["figures"] for name, row in document["coverage"]["variants"].items()})


def _as_printed(document: StudyDocument) -> str | None:
    if "as_printed" not in document:
        return None
    figures = document["as_printed"]["metrics"]
    known = {name for values in figures.values() for name in values}
    heads = AS_PRINTED | {name: label for one in printed_figures() for name, label in one.heads.items()}
    shown = {name: label for name, label in heads.items() if name in known} or heads
    rows = [
        [variant, *(number(values[n]["value"], 2) if n in values else "-" for n in shown)]
        for variant, values in figures.items()
    ]
    notice = "As the paper prints it (another protocol, not comparable with the above):"
    for one in printed_figures():
        if one.note and not known.isdisjoint(one.heads):
            notice += f"\n{one.note}"
    return "\n\n".join([notice, table(["variant", *shown.values()], rows), *reasons_of(figures, shown)])


def reasons_of(figures: Mapping[str, Mapping[str, VRow]], labels: Mapping[str, str]) -> list[str]:
    """Return a line for each reason why a variant's figures are unknown, with the figures concerned."""
    found: dict[str, list[str]] = {}
    for variant, row in figures.items():
        for name, label in labels.items():
            if name in row and (reason := row[name].get("reason")) and reason != UNASKED:
                found.setdefault(f"{variant}: {reason}.", []).append(label)
    return [f"{', '.join(named)} of {task}" for task, named in found.items()]


_UNREAD = (
    "Where the run never tried to fetch a source (status not_frozen), faithfulness leaves its claims out; `drr judge STUDY --refetch --unknown` fetches such sources now. "
    "Where it tried and failed, the claims count as not supported."
)


def absence_of(metrics: Mapping[str, Mapping[str, VRow]]) -> list[str]:
    """Return a line for each variant whose faithfulness rests in part on claims that something is not stated."""
    shares = {name: row["fp_absent"]["value"] or 0.0 for name, row in metrics.items() if "fp_absent" in row}
    return [
        f'{name}: {share:.1%} of the claims in its faithfulness score have the form "the source does not state X". Nothing can be quoted to prove such a claim, so the judge\'s verdict counts without a quotation'
        + ("; these claims are too many for faithfulness to lead." if share > ABSENT_MOST else ".")
        for name, share in shares.items()
        if share
    ]


def unread_of(document: StudyDocument) -> list[str]:
    """Return lines beside faithfulness, by variant: unread citations and how they count, open verdicts, and sections without claims."""
    variants = document["coverage"]["variants"]
    found = [f"{name}: {text}." for name, row in variants.items() if (text := unread_text(row["citations"]))]
    if found:
        found.append(_UNREAD)
    for name, row in variants.items():
        if count := row["verdicts"]["page"]["unquoted"]:
            found.append(
                f"{name}: {many(count, 'verdict')} left out, because the judge's quotation is not found in the evidence."
            )
        if silent := row["silent_sections"]:
            few = [f"{plain(head)} ({n:,})" for head, n in list(silent.items())[:3]]
            more = [f"{len(silent) - 3:,} more"] if len(silent) > 3 else []
            found.append(f"{name}: {many(len(silent), 'section')} gave no claim: {'; '.join(few + more)}.")
    return found


def unread_text(standings: Mapping[str, int]) -> str:
    """Return a text that counts unread and made-up citations, from counts by standing; empty where there are none."""
    found, whole = unread_counts(standings), f"of {sum(standings.values()):,} citations"
    ways = ", ".join(f"{n:,} {name}" for name, n in found.items())
    parts = [f"{sum(found.values()):,} {whole} could not be read ({ways})"] if found else []
    if made_up := standings.get("made_up"):
        parts.append(f"{made_up:,} {whole} {'is' if made_up == 1 else 'are'} made up")
    return " and ".join(parts)


def _judged(document: StudyDocument) -> str | None:
    lines_out = [
        f"{task} {row['judged']:,}" + (f" ({row['failed']} failed)" if row["failed"] else "")
        for task, row in document["coverage"]["tasks"].items()
    ]
    return wrapped_paragraph(f"Judged: {', '.join(lines_out)}.") if lines_out else None


def corrected_figures_text(document: CorrectedDocument, banner: str | None) -> str:
    parts = [wrapped_paragraph(banner)] if banner else []
    rows = [
        [
            row["metric"].replace("_", " "),
            row["variant"],
            with_interval(row["judge"], usual=row["n"]),
            with_interval(row, usual=row["n"]),
            with_interval(row["people"]),
            f"{row['n_labelled']:,} of {row['n']:,}",
        ]
        for row in document["figures"]
    ]
    head: list[str | Column] = [
        "metric",
        "variant",
        "as judged",
        "corrected by labels",
        Column("labels alone", rank=1),
        "labelled",
    ]
    parts.append(table(head, rows) if rows else "No label is of anything that this judge judged.")
    parts += dict.fromkeys(
        f"{row['metric'].replace('_', ' ')} of {row['variant']}: {reason}."
        for row in document["figures"]
        for reason in (row["reason"] and f"unknown: {row['reason']}", row["biased"])
        if reason
    )
    if document["unmatched"]:
        parts.append(
            f"{document['unmatched']:,} of {document['labels']:,} labels are of nothing that this judge judged."
        )
    return "\n\n".join(parts)


def confusion_table_lines(found: ClassesRow, first: str, second: str) -> list[str]:
    """Return two judges' labels as tables: the first judge in rows, with precision and recall measured against the second."""
    names = list(found["confusion"])
    counts = [[label, *(f"{row[name]:,}" for name in names)] for label, row in found["confusion"].items()]
    binary = found["binary"]
    yes = " or ".join(binary["positive"])
    rows = [(one, found["classes"][one]) for one in names]
    classes = [
        [name, with_interval(row["precision"], 2), with_interval(row["recall"], 2)]
        for name, row in [*rows, (f"{yes}, in two classes", binary)]
    ]
    return [
        table([f"{first} says, {second} say", *names], counts),
        table(["class", "precision", "recall"], classes),
        f"In two classes ({yes}, or not): equal {with_interval(binary['exact'], 2)}, kappa {with_interval(binary['kappa'], 2)}",
    ]
