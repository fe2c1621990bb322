"""Builds the tables that are not of metrics: pairwise comparisons, rule checks, failure labels, corrected figures, coverage, failed answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from drr.app.judge.text import figures_read_of, unread_of
from drr.app.report.material import ReportData
from drr.app.report.tables import Cell, Heading, Table, headings, rows_under, terminal_text
from drr.app.terminal import wrapped_paragraph
from drr.eval.foreign.summary import ForeignTableRow
from drr.eval.judging.marks import MarksRow
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics.diagnosis import BY_RULE, JUDGED
from drr.eval.metrics.rows import CorrectedDocument, FailureDocument, FailureShare
from drr.eval.metrics.rules import KEPT
from drr.eval.stats.differences import SIGNIFICANT, sign_test
from drr.eval.stats.pairs import PairRow
from drr.llm.failures import NO_ANSWER
from drr.study.study import Study
from drr.study.unit import Record
from drr.wording.excerpt import excerpt

_PAIR_NOTE = (
    "Both orders judged; opposite winners are a tie, counted as inconsistent. Win rate is (W + T/2)/n, interval over queries "
    "(as of every mean, docs/judging.md); p from an exact sign test on decided pairs, Holm over the table."
)
PRINTED_PAIRS = "Pairs as printed (Figure 6)"
_PAIR_COLUMNS = (
    *(Heading(name, digits=0) for name in ("wins", "ties", "losses", "inconsistent", "errors")),
    Heading("win rate", field="win_rate"),
    Heading("p (Holm)", field="verdict"),
)
CORRECTED_NOTE = (
    "Corrected: the judge's mean plus the mean of (person - judge) over the labelled; its interval holds the judge's error."
    " Labels alone: what the labelled say without the judge."
)


def printed_pairs(material: ReportData) -> Sequence[PairRow]:
    """Return the pairwise results under the paper's own prompt, in the order of its Figure 6. Empty where no judge was run with the paper's prompt."""
    document = material.document.get("as_printed")
    rows = document["pairwise"] if document else ()
    return sorted(rows, key=lambda row: DIMENSIONS.index(row["dimension"]))


def pairwise(material: ReportData) -> Table | None:
    title = "Pairwise comparison"
    return _compared(material, "pairwise", title, material.document["pairwise"])


def pairwise_as_printed(material: ReportData) -> Table | None:
    rows, note = printed_pairs(material), "By the paper's prompt. "
    return _compared(material, "as-printed-pairwise", PRINTED_PAIRS, rows, note)


def _compared(
    material: ReportData, name: str, title: str, found: Sequence[PairRow], note: str = ""
) -> Table | None:
    if not found:
        return None
    lines = []
    for row in found:
        p = row["p_holm"]
        significant = p is not None and p < SIGNIFICANT and not row["unreliable"]
        verdict = "unreliable (order decides)" if row["unreliable"] else "" if p is None else f"{p:.3f}"
        shown = {**row, "win_rate": Cell.of(row["win_rate"], bold=significant), "verdict": verdict}
        pair = f"{row['dimension'].replace('_', ' ')}: {row['a']} over {row['b']}"
        lines.append((pair, shown))
    n = max(row["wins"] + row["ties"] + row["losses"] for row in found)
    least = next((k for k in range(n // 2 + 1, n + 1) if (sign_test(k, n - k) or 0) < SIGNIFICANT), None)
    decided = (
        f"With {n:,} comparisons no result is significant."
        if least is None
        else f"At {n:,} comparisons, if all are decided, significance takes {least} wins (before Holm)."
    )
    notes, rows = [f"{note}{_PAIR_NOTE} {decided}"], rows_under(_PAIR_COLUMNS, lines)
    return Table(name, title, _PAIR_COLUMNS, rows, notes, material.banner)


def rules(material: ReportData) -> Table | None:
    counts: dict[str, dict[str, Counter[str]]] = {}
    for variant, answers in material.variants.items():
        for answer in answers:
            for name, rule in material.judged.rules.get(answer.key, {}).items():
                counts.setdefault(name, {}).setdefault(variant, Counter())[str(rule["status"])] += 1
    if not counts:
        return None
    rows = [
        (
            name.replace("_", " "),
            [_counts_cell(found.get(variant, Counter())) for variant in material.variants],
        )
        for name, found in counts.items()
    ]
    note = "Decided by code from the shop's records and the run's evidence; no model is asked."
    notes = [*figures_read_of(material.document), note]
    return Table("rules", "Rule checks", headings(*material.variants), rows, notes)


def _counts_cell(counts: Mapping[str, int]) -> Cell:
    text = ", ".join(f"{counts[status]} {status}" for status in ("fail", "remark", "pass", "unverifiable"))
    if not (decided := sum(counts[status] for status in KEPT)):
        return Cell(text, brief="?", shade="u")
    share = ceil(5 * counts["fail"] / decided)
    return Cell(text, brief=f"{counts['fail']}/{decided}", shade=f"f{share}")


def failure_labels(material: ReportData) -> Table | None:
    found = material.document.get("failures")
    if not found:
        return None
    variants = found["variants"]
    decided = {
        name for own in variants.values() for name, v in own.items() if v["share"]["n"] or v["unfounded"]
    }
    open_ = [name for name in found["labels"] if name not in decided]
    rows = [
        (
            label.replace("_", " "),
            [_label_share(labels[label], unknown=label in open_) for labels in variants.values()],
        )
        for label in found["labels"]
    ]
    notes, columns = list(_failure_notes(found, open_)), headings(*variants)
    title = "Failure labels"
    return Table("failure-labels", title, columns, rows, notes, material.banner)


def _label_share(row: FailureShare, *, unknown: bool) -> Cell:
    ways = {"found": row["found"], "charged by other words": row["unfounded"]}
    if seen := ", ".join(f"{way} in {n}" for way, n in ways.items() if n):
        return Cell.of(row["share"], missing=f"unknown ({seen})")
    return Cell.of(row["share"], missing="unknown" if unknown else "")


def _failure_notes(found: FailureDocument, open_: Sequence[str]) -> Iterator[str]:
    """Yield notes on labels without a share, on charges by words that no report has, and an example of each."""
    yield (
        "The share is of the n reports for which this could be decided, not of all reports. Rules and a judge propose labels; people correct them in failure_labels.jsonl."
    )
    for reason, among in (
        ("no judge was asked for these (`drr judge STUDY --what failures`)", JUDGED),
        ("the rules that decide these could tell of no report (Rule checks)", BY_RULE),
    ):
        if names := [name.replace("_", " ") for name in open_ if name in among]:
            yield f"Unknown: {', '.join(names)}; {reason}."
    rows = [
        (variant, label.replace("_", " "), row)
        for variant, labels in found["variants"].items()
        for label, row in labels.items()
    ]
    counts = [f"{label} {row['unfounded']} ({variant})" for variant, label, row in rows if row["unfounded"]]
    if counts:
        yield f"Charged by words that the report lacks, so unknown and in no share: {', '.join(counts)}."
    if gone := found["corrections_of_no_answer"]:
        yield f"Corrections of no answer here: {', '.join(gone)}."
    for variant, label, row in rows:
        for example in row["examples"][:1]:
            words = f": {example['text']}" if example["text"] else ""
            yield f"{label}, {variant}, {example['answer']} (by {example['by']}){words}"


def _mark_notes(found: MarksRow | None) -> list[str]:
    """Return notes on how many verdicts and rule findings readers marked as right or wrong in the viewer."""
    if found is None:
        return []
    notes = [
        f"{what} marked by {name}: {row['right']} right, {row['wrong']} wrong."
        for what, rows in (("Verdicts", found["verdicts"]), ("Rule findings", found["rules"]))
        for name, row in rows.items()
    ]
    if found["elsewhere"]:
        notes.append(f"{found['elsewhere']} more marks are of another judge, or of what reads otherwise now.")
    return notes


_COVERED = (
    Heading("units", field="judged", digits=0),
    Heading("without an answer", field="failed", digits=0),
    Heading("share", field="failed_share", digits=3),
)


def coverage(material: ReportData) -> Table | None:
    found = material.document["coverage"]
    if not found["tasks"]:
        return None
    invalid = [f"INVALID: {'; '.join(found['invalid_because'])}."] if found["invalid"] else []
    notes = [*invalid, *unread_of(material.document), *_mark_notes(found.get("marks"))]
    rows = rows_under(_COVERED, found["tasks"].items())
    title = "What was judged"
    return Table("coverage", title, _COVERED, rows, notes, material.banner)


_CORRECTED = (
    Heading("as judged", field="judge"),
    Heading("corrected"),
    Heading("labels alone", field="people"),
    Heading("labelled"),
)


def corrected_table(document: CorrectedDocument, banner: str | None) -> Table | None:
    """Return the figures corrected by labels of people (`drr report --labels`). `None` where no judged answer has a label."""
    if not document["figures"]:
        return None
    lines, notes = [], {CORRECTED_NOTE: None}
    for row in document["figures"]:
        metric = row["metric"].replace("_", " ")
        labelled = Cell(row["n_labelled"], digits=0)
        shown = {"judge": row["judge"], "corrected": row, "people": row["people"], "labelled": labelled}
        lines.append((f"{metric}: {row['variant']}", shown))
        notes |= {
            f"{metric}, {row['variant']}: {why}.": None for why in (row["reason"], row["biased"]) if why
        }
    title, rows = "Figures corrected by labels of people", rows_under(_CORRECTED, lines)
    return Table("corrected", title, _CORRECTED, rows, list(notes), banner)


def corrected_text(document: CorrectedDocument, banner: str | None) -> str:
    table = corrected_table(document, banner)
    parts = [wrapped_paragraph(banner)] if banner else []
    parts.append(terminal_text(table) if table else "No label is of anything that this judge judged.")
    if document["unmatched"]:
        parts.append(
            f"{document['unmatched']:,} of {document['labels']:,} labels are of nothing that this judge judged."
        )
    return "\n\n".join(parts)


def foreign_tables(material: ReportData) -> list[Table]:
    """Return a table for each foreign judge of imported scores (`drr study import --format`), apart from this study's figures."""
    counts: Counter[str] = Counter()
    found = []
    for one in material.document.get("foreign", ()):
        name = f"foreign-{one['format']}-{one['part']}"
        counts[name] += 1
        found.append(_foreign(one, name if counts[name] == 1 else f"{name}-{counts[name]}"))
    return found


def _foreign(one: ForeignTableRow, name: str) -> Table:
    columns = [
        Heading(
            f"{own['label']} ({own['scale']})" if own["scale"] else own["label"], own["name"], own["told"]
        )
        for own in one["figures"]
    ]
    rows = [
        (system, [column.cell(values) for column in columns]) for system, values in one["systems"].items()
    ]
    judge = "judge not told" if one["judge"] is None else f"judge {one['judge']}"
    sources = excerpt(", ".join(one["sources"]), 300)
    notes = [
        f"As imported from {sources}; {judge}. Scores of others on their own scale: no figure of this study is made of them,"
        " and none is to be compared with them."
    ]
    if alone := one.get("without_report"):
        notes.append(f"No report of these is in the study: {', '.join(alone)}.")
    return Table(name, f"As imported: {one['title']}, {judge}", columns, rows, notes)


def failures(material: ReportData) -> Table | None:
    """Return the table that counts answers by how they ended. Failed answers are in no mean of the other tables but pass^k."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in material.study.records("answer", None):
        counts[str(record.spec.get("variant") or record.label)][_ended_as(material.study, record)] += 1
    if not counts:
        return None
    kinds = ["done", *sorted({kind for counter in counts.values() for kind in counter} - {"done"})]
    rows = [
        (variant, [Cell(float(c[kind]), digits=0) for kind in kinds]) for variant, c in sorted(counts.items())
    ]
    notes = ["A failed unit is in no mean but the reward and pass^k; here it is counted."]
    if NO_ANSWER.intersection(kinds):
        notes.append(
            "The agent was asked twice for its report and gave none: both times the text was empty (empty), was written before any tool "
            "had returned something (no_research), or was a tool call (malformed_call)."
        )
    if any(kind.startswith(_BROKEN_OFF) for kind in kinds):
        notes.append(
            "Broken off: the model failed during research, and the report was written from what was known by then. These "
            "reports count in the means; `--complete-only` leaves them out."
        )
    if _LOST in kinds:
        notes.append(
            f"{_LOST}: texts of the answer are no longer in the study; in no mean until it is computed again."
        )
    return Table("failures", "Answers and failures", headings(*kinds), rows, notes)


_BROKEN_OFF = "broken off: "
_LOST = "texts lost"


def _ended_as(study: Study, record: Record) -> str:
    """Return in a few words how the answer ended."""
    if study.lost(record):
        return _LOST
    if not record.done:
        return record.reason or record.status
    stop = record.result.get("broken_off")
    return f"{_BROKEN_OFF}{stop}" if stop else "done"
