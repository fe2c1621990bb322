"""The coverage of a study: how much of it was judged, how it failed, and whether that spoils the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.rows import CoverageRow, TaskRow, VariantCoverage
from drr.eval.stats.citations import standings
from drr.eval.stats.faithfulness import STATUSES, UNREADABLE, JudgedClaim, strict
from drr.eval.tasks.judged import Claims, Judged

MOST_FAILED = 0.02
"""A judging in which more of the units of a task ended without an answer is invalid."""


def variants_of(judged: Judged) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = {}
    for answer in sorted(judged.answers, key=lambda a: a.variant):
        found.setdefault(answer.variant, []).append(answer)
    return found


def coverage(judged: Judged) -> CoverageRow:
    tasks = _tasks(judged)
    spoiled = [task for task, row in tasks.items() if row["failed_share"] > MOST_FAILED]
    return {
        "answers": len(judged.answers),
        "tasks": tasks,
        "invalid": bool(spoiled),
        "invalid_because": [
            f"{task}: {tasks[task]['failed_share']:.1%} of the units failed" for task in spoiled
        ],
        "variants": {
            variant: _variant_coverage(judged, answers) for variant, answers in variants_of(judged).items()
        },
    }


def _tasks(judged: Judged) -> dict[str, TaskRow]:
    claims = [found for by_answer in judged.claims.values() for found in by_answer.values()]
    units = Counter({**judged.units, "claims": len(claims)}) + judged.awaited
    failed = Counter({**judged.failed, "claims": sum(found.claims is None for found in claims)})
    failed += judged.awaited
    return {
        task: {"judged": n, "failed": failed[task], "failed_share": failed[task] / n}
        for task, n in sorted(units.items())
    }


def _variant_coverage(judged: Judged, answers: Sequence[Answer]) -> VariantCoverage:
    extracted = [c for a in answers if (c := judged.claims.get("all", {}).get(a.key)) is not None]
    known = [one.claims for one in judged.all_claims(answers) if one.claims is not None]
    return {
        "answers": len(answers),
        "broken_off": dict(sorted(Counter(a.broken_off for a in answers if a.broken_off).items())),
        "claims_extracted": len(extracted),
        "extract_error": sum(one.claims is None for one in extracted),
        "extraction_rejects": _rejects(extracted),
        "without_claims": sum(not claims for claims in known),
        "without_citations": sum(_is_uncited(claims) for claims in known),
        "verdicts": _statuses(judged, answers),
        "reading": _reading([claim for claims in known for claim in claims]),
        "citations": standings(one for a in answers for one in judged.citations.get(a.key) or ()),
        "rated": sum(a.key in judged.ratings for a in answers),
    }


def _is_uncited(claims: Sequence[JudgedClaim]) -> bool:
    return bool(claims) and not any(claim.cited for claim in claims)


def _rejects(extracted: Sequence[Claims]) -> dict[str, int]:
    rejects: Counter[str] = Counter()
    for one in extracted:
        rejects.update(one.rejects)
    return dict(sorted(rejects.items()))


def _statuses(judged: Judged, answers: Sequence[Answer]) -> dict[str, dict[str, int]]:
    statuses = {against: dict.fromkeys(map(str, STATUSES), 0) for against in ("page", "seen")}
    for answer in answers:
        for verdict in judged.support.get(answer.key, {}).values():
            statuses[verdict["against"]][verdict["status"]] += 1
    return statuses


def _reading(claims: Sequence[JudgedClaim]) -> dict[str, int]:
    """Web claims by what supports them: the page, what the agent saw of it, both or neither.

    Only the page: the agent wrote more than it had read. Only what it saw: the snippet or summary misled. Neither: made up,
    or beyond the frozen text. A page that could not be read shows none of these.
    """
    counts = dict.fromkeys(("both", "page_only", "seen_only", "neither", "unreadable", "unknown"), 0)
    for claim in claims:
        if "web" in claim.page:
            counts[_read(claim)] += 1
    return counts


def _read(claim: JudgedClaim) -> str:
    page, seen = strict(claim.page["web"]), strict(claim.seen["web"])
    if claim.page["web"] in UNREADABLE:
        return "unreadable"
    if page is None or seen is None:
        return "unknown"
    words_of = {(True, True): "both", (True, False): "page_only", (False, True): "seen_only"}
    return words_of.get((page >= 0.5, seen >= 0.5), "neither")
