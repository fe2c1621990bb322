"""Notes beside the figures of judged studies, and two judges' labels compared."""

from __future__ import annotations

from collections.abc import Mapping

from drr.app.terminal import plain, table, with_interval
from drr.eval.agreement.rows import ClassesRow
from drr.eval.asking.rules import UNASKED
from drr.eval.checks.reading import FiguresRow, reading_text
from drr.eval.metrics.faithfulness import ABSENT_MOST
from drr.eval.metrics.rows import StudyDocument
from drr.eval.stats.citations import unread_counts
from drr.eval.stats.intervals import VRow
from drr.wording.excerpt import many


def figures_read_text(rows: Mapping[str, FiguresRow | None]) -> list[str]:
    """Return one line that says how many figures of each system the rules could read; empty where nobody counted."""
    known = [f"{name}: {reading_text(row)}" for name, row in rows.items() if row is not None]
    return [f"{'; '.join(known)}."] if known else []


def figures_read_of(document: StudyDocument) -> list[str]:
    """Return the line of `figures_read_text` for all systems of a study."""
    return figures_read_text({name: row["figures"] for name, row in document["coverage"]["variants"].items()})


def reasons_of(figures: Mapping[str, Mapping[str, VRow]], labels: Mapping[str, str]) -> list[str]:
    """Return a line for each reason why a variant's figures are unknown, with the figures concerned."""
    found: dict[str, list[str]] = {}
    for variant, row in figures.items():
        for name, label in labels.items():
            # That nobody judged at all is said once, by the banner above.
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
