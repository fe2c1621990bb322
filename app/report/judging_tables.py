"""What judges and rules said beside the metrics: pairs, rule checks, failure labels, and how much was judged at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from drr.app.judged import unread_of
from drr.app.report.material import Material
from drr.app.report.tables import Cell, Table, headings
from drr.eval.judging.marks import MarksRow
from drr.eval.metrics.diagnosis import BY_RULE, JUDGED
from drr.eval.metrics.rows import FailureDocument, FailureShare
from drr.eval.stats.intervals import SIGNIFICANT
from drr.eval.stats.pairs import PairRow
from drr.llm.failures import NO_ANSWER
from drr.study.study import Study
from drr.study.unit import Record

COUNTED = ("wins", "ties", "losses", "inconsistent", "errors")
PAIR_NOTE = (
    "Both orders judged; opposite winners are a tie, counted as inconsistent. Win rate is (W + T/2)/n, interval over queries "
    "(as of every mean, docs/metrics.md); p from an exact sign test on decided pairs, Holm over the table. At n = 50 significance needs 33 of 50 decided."
)


def pairwise(material: Material) -> Table | None:
    results = material.document["pairwise"]
    if not results:
        return None
    rows = [
        (f"{row['dimension'].replace('_', ' ')}: {row['a']} over {row['b']}", _pair(row)) for row in results
    ]
    columns = headings(*COUNTED, "win rate", "p (Holm)")
    title = "Pairwise comparison (Figure 6)"
    behind = {name: (row["a"], row["b"]) for (name, _), row in zip(rows, results, strict=True)}
    return Table("pairwise", title, columns, rows, [PAIR_NOTE], material.banner, behind=behind)


def _pair(row: PairRow) -> list[Cell]:
    p = row["p_holm"]
    counts = (row["wins"], row["ties"], row["losses"], row["inconsistent"], row["errors"])
    significant = p is not None and p < SIGNIFICANT and not row["unreliable"]
    verdict = "unreliable (order decides)" if row["unreliable"] else "" if p is None else f"{p:.3f}"
    return [
        *(Cell(float(count), digits=0) for count in counts),
        Cell.of(row["win_rate"], bold=significant),
        Cell(verdict),
    ]


def rules(material: Material) -> Table | None:
    counts: dict[str, dict[str, Counter[str]]] = {}
    for variant, answers in material.variants.items():
        for answer in answers:
            for name, rule in material.judged.rules.get(answer.key, {}).items():
                counts.setdefault(name, {}).setdefault(variant, Counter())[str(rule["status"])] += 1
    if not counts:
        return None
    rows = [
        (name.replace("_", " "), [_told(found.get(variant, Counter())) for variant in material.variants])
        for name, found in counts.items()
    ]
    note = "Decided by code from the shop's records and the run's evidence; no model is asked."
    return Table("rules", "Rule checks", headings(*material.variants), rows, [note])


def _told(counts: Mapping[str, int]) -> Cell:
    return Cell(", ".join(f"{counts[status]} {status}" for status in ("fail", "pass", "unverifiable")))


def failure_labels(material: Material) -> Table | None:
    found = material.document.get("failures")
    if not found:
        return None
    variants = found["variants"]
    open_ = [name for name in found["labels"] if not any(v[name]["share"]["n"] for v in variants.values())]
    rows = [
        (
            label.replace("_", " "),
            [_label_share(labels[label], unknown=label in open_) for labels in variants.values()],
        )
        for label in found["labels"]
    ]
    notes = [
        "Share of the reports in which somebody can tell; rules and a judge propose, people correct (failure_labels.jsonl)."
    ]
    notes += _open_labels(open_)
    if found["corrections_of_no_answer"]:
        notes.append(f"Corrections of no answer here: {', '.join(found['corrections_of_no_answer'])}.")
    title = "Failure labels (Appendix G)"
    columns = headings(*variants)
    return Table("failure-labels", title, columns, rows, [*notes, *_examples(found)], material.banner)


def _label_share(row: FailureShare, *, unknown: bool) -> Cell:
    if row["found"] and not row["share"]["n"]:
        return Cell.of(row["share"], missing=f"unknown (found in {row['found']})")
    return Cell.of(row["share"], missing="unknown" if unknown else "")


def _open_labels(labels: Sequence[str]) -> list[str]:
    """Why a row has no share."""
    reasons = (
        ("no judge was asked for these (`drr judge STUDY --what failures`)", JUDGED),
        ("the rules that decide these could tell of no report (Rule checks)", BY_RULE),
    )
    told = []
    for reason, among in reasons:
        if names := [name.replace("_", " ") for name in labels if name in among]:
            told.append(f"Unknown: {', '.join(names)}; {reason}.")
    return told


def _examples(found: FailureDocument) -> list[str]:
    """The first example of each label and variant."""
    return [
        f"{label.replace('_', ' ')}, {variant}, {example['answer']} (by {example['by']})"
        + (f": {example['text']}" if example["text"] else "")
        for variant, labels in found["variants"].items()
        for label, row in labels.items()
        for example in row["examples"][:1]
    ]


def coverage(material: Material) -> Table | None:
    found = material.document["coverage"]
    rows = [
        (
            task,
            [
                Cell(float(row["judged"]), digits=0),
                Cell(float(row["failed"]), digits=0),
                Cell(row["failed_share"], digits=3),
            ],
        )
        for task, row in found["tasks"].items()
    ]
    if not rows:
        return None
    notes = [f"INVALID: {'; '.join(found['invalid_because'])}."] if found["invalid"] else []
    notes += unread_of(material.document)
    notes += _marked(found.get("marks"))
    columns = headings("units", "without an answer", "share")
    return Table("coverage", "What was judged", columns, rows, notes, material.banner, judges=True)


def _marked(found: MarksRow | None) -> list[str]:
    """What readers of the viewer's pages said of it."""
    if found is None:
        return []
    told = [
        f"{what} marked by {name}: {row['right']} right, {row['wrong']} wrong."
        for what, rows in (("Verdicts", found["verdicts"]), ("Rule findings", found["rules"]))
        for name, row in rows.items()
    ]
    if found["elsewhere"]:
        told.append(f"{found['elsewhere']} more marks are of another judge, or of what reads otherwise now.")
    return told


def failures(material: Material) -> Table | None:
    """Units that left no answer, by kind: they are in no mean above."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in material.study.records("answer", None):
        counts[system_of(record)][ended_as(material.study, record)] += 1
    if not counts:
        return None
    kinds = ["done", *sorted({kind for counter in counts.values() for kind in counter} - {"done"})]
    rows = [
        (variant, [Cell(float(c[kind]), digits=0) for kind in kinds]) for variant, c in sorted(counts.items())
    ]
    notes = ["A failed unit is in no mean; here it is counted."]
    if NO_ANSWER.intersection(kinds):
        notes.append(
            "Without content (empty), without a call of any tool (no_research), or the text of such a call (malformed_call): asked for "
            "twice, and no answer."
        )
    if any(kind.startswith(_BROKEN_OFF) for kind in kinds):
        notes.append(
            "Broken off: the model failed in the middle, and wrote its report from what was known; these are in the means, "
            "and left out with `--complete-only`."
        )
    if _LOST in kinds:
        notes.append(
            f"{_LOST}: texts of the answer are no longer in the study; in no mean until it is computed again."
        )
    return Table("failures", "Answers and failures", headings(*kinds), rows, notes)


def system_of(record: Record) -> str:
    return str(record.spec.get("variant") or record.label)


def ended_as(study: Study, record: Record) -> str:
    return _LOST if study.lost(record) else _ended(record)


_BROKEN_OFF = "broken off: "
_LOST = "texts lost"


def _ended(record: Record) -> str:
    if not record.done:
        return record.reason or record.status
    stop = record.result.get("broken_off")
    return f"{_BROKEN_OFF}{stop}" if stop else "done"
