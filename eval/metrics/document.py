"""Every figure of a judged study as one document: what `drr report --json` prints and what tables are drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.judging.diagnosis import failure_document
from drr.eval.judging.read import as_printed, choose, read_judged, refetched
from drr.eval.metrics import families
from drr.eval.stats.faithfulness import PAPER_TYPES, STATUSES, UNREADABLE, JudgedClaims, corpus_values, strict
from drr.eval.stats.intervals import RESAMPLES, SEED, V, mean, paired, with_holm
from drr.eval.stats.pairs import overall, pair_results
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.quality import corpus_values as quality_values
from drr.eval.tasks.quality import length_correlations
from drr.study.study import Study

SCHEMA = 1
MOST_FAILED = 0.02
"""A judging in which more of the units of a task ended without an answer is invalid."""


def study_document(study: Study, judge: str | None = None) -> dict[str, Any]:
    """The last judging by a model (else by rules), or that of the judge named; with the paper's protocol beside it."""
    judged = read_judged(study, choose(study, judge))
    document = judged_document(judged) | {"failures": failure_document(judged, study)}
    now = refetched(study, judged.judging)
    if now is not None:
        _add_now(document, read_judged(study, now, answers=judged.answers))
    paper = as_printed(study, judged.judging.judge if judged.judging else judge)
    if paper is not None:
        document["as_printed"] = paper_document(read_judged(study, paper, answers=judged.answers))
    return document


def judged_document(judged: Judged) -> dict[str, Any]:
    by_variant = variants_of(judged)
    metrics = {
        variant: {
            name: v.document() for family in families() for name, v in family.corpus(judged, answers).items()
        }
        for variant, answers in by_variant.items()
    }
    comparisons = judged.comparisons()
    rated = judged.all_rated(judged.answers)
    judging = judged.judging
    return {
        "schema": SCHEMA,
        "judge": None
        if judging is None
        else {
            "name": judging.judge,
            "claims_by": judging.extractor,
            "id": judging.id,
            "protocol": judging.protocol,
            "prompts": dict(judging.versions),
            "rule_written": judging.rule_written,
        },
        "banner": banner(judged),
        "provenance": provenance(judged),
        "metrics": metrics,
        "pairwise": [result.document() for result in pair_results(comparisons)],
        "pairwise_detail": overall(comparisons) if comparisons else None,
        "length_correlation": length_correlations(rated) if rated else None,
        "coverage": coverage(judged),
    }


def _add_now(document: dict[str, Any], now: Judged) -> None:
    """FP against the pages as they read when `--refetch` was last given."""
    for variant, answers in variants_of(now).items():
        found = now.all_claims(answers)
        if found:
            values = corpus_values(found)
            document["metrics"][variant] |= {
                f"{name}_now": values[name].document() for name in ("fp", "fp_web")
            }


def variants_of(judged: Judged) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = {}
    for answer in sorted(judged.answers, key=lambda a: a.variant):
        found.setdefault(answer.variant, []).append(answer)
    return found


def provenance(judged: Judged) -> dict[str, Any]:
    """What made the figures, beside the judge: this program, and the shops and agents' models behind the answers."""
    from importlib.metadata import version

    keys = [answer.record.key_fields for answer in judged.answers]
    models = sorted(
        {model for answer in judged.answers for model in answer.record.result.get("models", {}).values()}
    )
    return {
        "made_by": f"deepresearch-retail {version('deepresearch-retail')}",
        "shop": sorted({key["shop"] for key in keys if key.get("shop")}),
        "models": models,
        "bootstrap": {"resamples": RESAMPLES, "seed": SEED},
    }


def banner(judged: Judged) -> str | None:
    """What must stand over every table: rules that wrote, rules that judged."""
    lines = []
    if any(answer.rule_written for answer in judged.answers):
        lines.append("Reports written by rules, not by a language model.")
    if judged.judging is not None and judged.judging.warning is not None:
        lines.append(judged.judging.warning)
    return " ".join(lines) or None


def coverage(judged: Judged) -> dict[str, Any]:
    """How much was judged, how it failed, and whether that spoils the figures."""
    claims = [found for by_answer in judged.claims.values() for found in by_answer.values()]
    units: dict[str, int] = {**judged.units, "claims": len(claims)}
    failed: dict[str, int] = {
        **judged.failed,
        "claims": sum(found.claims is None for found in claims),
    }
    for task, n in judged.awaited.items():
        units[task] = units.get(task, 0) + n
        failed[task] = failed.get(task, 0) + n
    tasks = {
        task: {"judged": n, "failed": failed.get(task, 0), "failed_share": failed.get(task, 0) / n}
        for task, n in sorted(units.items())
        if n
    }
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


def _variant_coverage(judged: Judged, answers: Sequence[Answer]) -> dict[str, Any]:
    extracted = [c for a in answers if (c := judged.claims.get("all", {}).get(a.key)) is not None]
    rejects: Counter[str] = Counter()
    for one in extracted:
        rejects.update(one.rejects)
    statuses = {against: dict.fromkeys(STATUSES, 0) for against in ("page", "seen")}
    for answer in answers:
        for verdict in judged.support.get(answer.key, {}).values():
            statuses[verdict["against"]][verdict["status"]] += 1
    judged_claims = [judged.judged_claims(answer) for answer in answers]
    known = [found.claims for found in judged_claims if found is not None and found.claims is not None]
    return {
        "answers": len(answers),
        "claims_extracted": len(extracted),
        "extract_error": sum(one.claims is None for one in extracted),
        "extraction_rejects": dict(sorted(rejects.items())),
        "without_claims": sum(not claims for claims in known),
        "without_citations": sum(bool(claims) and not any(c.cited for c in claims) for claims in known),
        "verdicts": statuses,
        "reading": _reading(judged, answers),
        "rated": sum(a.key in judged.ratings for a in answers),
    }


def _reading(judged: Judged, answers: Sequence[Answer]) -> dict[str, int]:
    """Web claims by what supports them: the page, what the agent saw of it, both or neither.

    Only the page: the agent wrote more than it had read. Only what it saw: the snippet or summary misled. Neither: made up,
    or beyond the frozen text. A page that could not be read shows none of these.
    """
    counts = dict.fromkeys(("both", "page_only", "seen_only", "neither", "unreadable", "unknown"), 0)
    for answer in answers:
        found = judged.judged_claims(answer)
        for claim in (found.claims if found else None) or ():
            if "web" not in claim.page:
                continue
            page, seen = strict(claim.page["web"]), strict(claim.seen["web"])
            if claim.page["web"] in UNREADABLE:
                counts["unreadable"] += 1
            elif page is None or seen is None:
                counts["unknown"] += 1
            else:
                told = {(True, True): "both", (True, False): "page_only", (False, True): "seen_only"}
                counts[told.get((page >= 0.5, seen >= 0.5), "neither")] += 1
    return counts


def paper_document(judged: Judged) -> dict[str, Any]:
    """The figures as the paper's text and prompts define them. Not comparable with ours, and labelled so."""
    figures: dict[str, dict[str, Any]] = {}
    for variant, answers in variants_of(judged).items():
        cited = judged.all_claims(answers, "cited")
        recall = [found for a in answers if (found := _recall(judged, a)) is not None]
        rated = judged.all_rated(answers)
        values: dict[str, Any] = {}
        if cited:
            by_name = corpus_values(cited)
            values |= {
                name: by_name[name].document()
                for name in ("fp_web", "fp_product", "n_cited", "n_cited_web", "n_cited_product")
            }
            values["fp"] = equation_2(cited)
        if recall:
            grouped: dict[str, list[float | None]] = {}
            for query, value in recall:
                grouped.setdefault(query, []).append(value)
            values["fr"] = mean(
                grouped, "claims with a URL / claims, of a second extraction, mean over queries"
            ).document()
        if rated:
            values |= {name: v.document() for name, v in quality_values(rated).items()}
        figures[variant] = values
    covered = coverage(judged)
    return {
        "label": "as printed",
        "note": "the paper's definitions and order of answers, in our words and with today's models; see docs/paper-profile.md",
        "metrics": figures,
        "pairwise": [result.document() for result in pair_results(judged.comparisons())],
        "coverage": {name: covered[name] for name in ("tasks", "invalid", "invalid_because")},
    }


def _recall(judged: Judged, answer: Answer) -> tuple[str, float | None] | None:
    found = judged.claims.get("all", {}).get(answer.key)
    if found is None:
        return None
    if not found.claims:
        return answer.query_id, None
    return answer.query_id, sum(bool(claim["urls"]) for claim in found.claims) / len(found.claims)


def equation_2(reports: Sequence[JudgedClaims]) -> dict[str, Any]:
    """Half the sum of the two columns; undefined as soon as one of them is."""
    columns = corpus_values(reports)
    parts = {t: columns[f"fp_{t}"].value for t in PAPER_TYPES}
    empty = [t for t, value in parts.items() if value is None]
    method = "Eq. 2 on the column means, as printed"
    if empty:
        return {
            **V(None, None, None, 0, len(reports), method).document(),
            "reason": f"no scored claim cites {' or '.join(empty)}: a term of Eq. 2 divides by zero",
        }
    value = sum(v for v in parts.values() if v is not None) / len(PAPER_TYPES)
    scored, lost = columns["fp"].n, columns["fp"].n_unscored
    return V(value, None, None, scored, lost, f"{method}; no interval is defined for it").document()


def compare(judged: Judged, a: str, b: str) -> dict[str, Any]:
    """Paired differences, `a` minus `b`, on the queries both answered; Holm within each family of metrics."""
    tested: dict[str, Any] = {}
    for family in families():
        sides: dict[str, dict[str, dict[str, list[float | None]]]] = {a: {}, b: {}}
        values = [
            (answer, family.per_report(judged, answer))
            for answer in judged.answers
            if answer.variant in sides
        ]
        known = {
            side: {n: None for answer, v in values if answer.variant == side for n in v} for side in sides
        }
        shared = [name for name in known[a] if name in known[b]]
        for answer, found in values:
            for name in shared:
                by_query = sides[answer.variant].setdefault(name, {})
                by_query.setdefault(answer.query_id, []).append(found.get(name))
        tested |= with_holm({name: paired(sides[a][name], sides[b][name]) for name in shared})
    return {
        "schema": SCHEMA,
        "a": a,
        "b": b,
        "judge": judged.judging.judge if judged.judging else None,
        "banner": banner(judged),
        "metrics": {name: difference.document() for name, difference in tested.items()},
        "pairwise": [
            result.document()
            for result in pair_results(judged.comparisons())
            if {result.a, result.b} == {a, b}
        ],
    }
