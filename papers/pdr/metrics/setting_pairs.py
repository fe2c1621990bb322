"""The figures that tell what knowing the person gains, and which settings of an agent are subtracted from which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from drr.env.given import parts_of
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Family, Values
from drr.eval.metrics.compare import PairedMetrics
from drr.eval.metrics.coverage import equal_reports, texts_of
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.intervals import COUNTED, PairedDifference, V, mean, with_holm
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.metrics.setting_rows import SettingDifference

GRADES = ("pqr_p", "pqr_goal", "pqr_cont", "pqr_pres", "pqr_acti", "pqr_q", "pqr_r", "pqr_overall")
"""P with its dimensions, as the paper prints them, beside the other two and the mean of the three."""
FURTHER = ("pqr_dein", "pqr_logc", "pqr_clar", "pqr_fa", "pqr_cc", "pqr_violations")
"""The dimensions of Q, the parts of R, and what records forbid."""
REMEMBERED = ("att_given", "att_given_precision", "att_used")
"""Of the person's attributes, what a memory handed on, and what of it the report told."""
_OWNERS = ("pqr", "reliability", "attributes")
"""Families that have these metrics."""
Differences = Mapping[tuple[str, str], Mapping[str, PairedDifference]]


def pairs_of(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each with the one that was given least, and, memories apart, with the one before it. Of three settings every pair."""
    found, before = [], systems[0]
    for system in systems[1:]:
        chained = parts_of(system).setting.kind != "memory"
        found += [(system, other) for other in dict.fromkeys((systems[0], *([before] if chained else ())))]
        before = system if chained else before
    return found


Known = dict[tuple[Family, str], Values]
"""Values of reports that were worked out, by family and answer. None of these families looks at other reports."""


def difference_rows(
    judged: Judged,
    pairs: Sequence[tuple[str, str]],
    shown: Sequence[str],
    known: Known,
) -> list[SettingDifference]:
    """First minus second, of the metrics named; p-values corrected over all of them together."""
    texts = texts_of(judged.answers)
    rows: list[SettingDifference] = []
    for (a, b), tested in _differences(judged, pairs, shown, known).items():
        same, shared = equal_reports(texts[a], texts[b])
        documents = {name: one.document() for name, one in tested.items()}
        rows.append({"a": a, "b": b, "same_reports": same, "reports": shared, "metrics": documents})
    return rows


def owners_of(shown: Sequence[str]) -> list[Family]:
    """The families that have these metrics."""
    owners: list[Any] = [import_module(f"{__package__}.{name}") for name in _OWNERS]
    return [one for one in owners if any(metric.name in shown for metric in one.METRICS)]


def _differences(
    judged: Judged, pairs: Sequence[tuple[str, str]], shown: Sequence[str], known: Known
) -> Differences:
    paired = PairedMetrics(judged, owners_of(shown), known)
    found: dict[str, PairedDifference] = {}
    for number, (a, b) in enumerate(pairs):
        merged = {name: one for own in paired.by_family(a, b) for name, one in own.items()}
        found |= {f"{number} {name}": merged[name] for name in shown if name in merged}
    rows: dict[tuple[str, str], dict[str, PairedDifference]] = {pair: {} for pair in pairs}
    for place, one in with_holm(found).items():
        number_told, _, name = place.partition(" ")
        rows[pairs[int(number_told)]][name] = one
    return rows


def tokens_given(answers: Sequence[Answer]) -> V | None:
    """Count the tokens on the person beside the question; `None` where there were none, or nobody knows."""
    found: dict[AskedQuestion, list[float | None]] = {}
    for answer in answers:
        tokens = answer.record.result.get("person_tokens")
        found.setdefault(answer.asked, []).append(None if tokens is None else float(tokens))
    known = mean(found, "tokens given of the person, mean over queries", COUNTED)
    return known if known.n else None
