"""Measures how much of a study was judged, how much failed, and whether failures make the figures invalid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from drr.env.person_setting import RECORDS, Setting, parts_of
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.rows import CoverageRow, TaskRow, VariantCoverage
from drr.eval.metrics.rules import figures_of
from drr.eval.stats.citations import count_standings
from drr.eval.stats.faithfulness import STATUSES, UNREADABLE, JudgedClaim, strict_score
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Claims, Judged

MOST_FAILED = 0.02
"""Largest share of failed units of a task; above this share, the judging run is invalid."""


def variants_of(judged: Judged) -> dict[str, list[Answer]]:
    return grouped((answer.variant, answer) for answer in sorted(judged.answers, key=lambda a: a.variant))


def count_unjudged(judged: Judged, variants: Collection[str] | None = None) -> int:
    """Count the answers that were not judged yet, of all variants or of some."""
    if judged.judging is None:
        return 0
    found = [answer for answer in judged.answers if variants is None or answer.variant in variants]
    return sum(not judged.units_of.get(answer.key) for answer in found)


def coverage(judged: Judged) -> CoverageRow:
    tasks = _tasks(judged)
    unjudged = count_unjudged(judged)
    spoiled = [task for task, row in tasks.items() if row["failed_share"] > MOST_FAILED]
    row: CoverageRow = {
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
    if unjudged:
        row["unjudged"] = unjudged
    return row


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
        "silent_sections": dict(Counter(head for one in extracted for head in one.silent).most_common(20)),
        "without_claims": sum(not claims for claims in known),
        "without_citations": sum(_is_uncited(claims) for claims in known),
        "verdicts": _statuses(judged, answers),
        "reading": _reading([claim for claims in known for claim in claims]),
        "citations": count_standings(one for a in answers for one in judged.citations.get(a.key) or ()),
        "rated": sum(a.key in judged.ratings for a in answers),
        "figures": figures_of(judged, answers),
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
    """Count web claims by what supports them: the page, the text that the agent saw, both or neither.

    Only the page: the agent wrote more than it had read. Only the text seen: a snippet or summary misled. Neither: made up,
    or beyond the stored text. An unreadable page counts in none of these.
    """
    counts = dict.fromkeys(("both", "page_only", "seen_only", "neither", "unreadable", "unknown"), 0)
    for claim in claims:
        if "web" in claim.page:
            counts[_read(claim)] += 1
    return counts


def _read(claim: JudgedClaim) -> str:
    page, seen = strict_score(claim.page["web"]), strict_score(claim.seen["web"])
    if claim.page["web"] in UNREADABLE:
        return "unreadable"
    if page is None or seen is None:
        return "unknown"
    words_of = {(True, True): "both", (True, False): "page_only", (False, True): "seen_only"}
    return words_of.get((page >= 0.5, seen >= 0.5), "neither")


_RANKS = ("task", "context", "memory", "persona", "records", "records+persona")
Place = tuple[str, int]
"""A question, and the number of a trial."""


class SameReports(NamedTuple):
    """Settings of one agent under which its reports to shared questions are equal, byte for byte."""

    agent: str
    settings: tuple[str, ...]
    reports: int
    rule_written: bool
    """True if rules wrote all of these reports. Rules do not use what they are told about a person."""


def rank_of(setting: Setting) -> tuple[int, str, int]:
    """Return a sort key of settings: settings that tell the agent less about the person come first."""
    memory = "" if setting.memory == "none" else setting.memory or ""
    return _RANKS.index(setting.kind), memory, setting.tokens or 0


def by_agent(systems: Iterable[str]) -> dict[str, list[str]]:
    """Group systems by agent, settings that tell least first. Empty where no system's name has a setting."""
    named = {system: parts_of(system) for system in systems}
    if all(one.setting == RECORDS for one in named.values()):
        return {}
    ranked = sorted(named, key=lambda name: (named[name].agent, *rank_of(named[name].setting)))
    return grouped((named[system].agent, system) for system in ranked)


def same_reports(answers: Sequence[Answer]) -> list[SameReports]:
    """Find the largest groups of at least two settings with equal reports."""
    texts = texts_of(answers)
    written: dict[str, bool] = {}
    for answer in answers:
        written[answer.variant] = written.get(answer.variant, True) and answer.rule_written
    found = []
    for agent, systems in by_agent(texts).items():
        shared = sorted(set.intersection(*(set(texts[system]) for system in systems)))
        ours = systems if shared else ()
        groups = grouped((tuple(texts[system][place] for place in shared), system) for system in ours)
        found += [
            SameReports(
                agent,
                tuple(parts_of(system).setting.name for system in group),
                len(shared),
                all(written[system] for system in group),
            )
            for group_texts, group in groups.items()
            if len(group) > 1 and None not in group_texts
        ]
    return found


def texts_of(answers: Iterable[Answer]) -> dict[str, dict[Place, str | None]]:
    """Map each system and place to the content hash of the report; `None` where there is no report."""
    found: dict[str, dict[Place, str | None]] = {}
    for answer in answers:
        text = answer.record.blobs.get("report")
        found.setdefault(answer.variant, {})[answer.query_id, answer.trial] = text
    return found


def count_equal_reports(a: Mapping[Place, str | None], b: Mapping[Place, str | None]) -> tuple[int, int]:
    """Count the reports that are equal byte for byte, and the reports that both sides have."""
    shared = [(a[place], b[place]) for place in a if place in b]
    return sum(one == other and one is not None for one, other in shared), len(shared)


def same_reports_text(same: Iterable[SameReports]) -> list[str]:
    """Write one sentence for each set of settings with equal reports, naming all agents with that set."""
    groups = grouped(((one.settings, one.reports, one.rule_written), one.agent) for one in same)
    return [
        f"{', '.join(agents)}: the settings {_list_of_names(settings)} gave the same reports, byte for byte ({reports} each); "
        + (
            "a rule-based stand-in took the model's place, and it ignores what it is told about the person. Run a real model to compare these settings."
            if by_rules
            else "the agent made nothing of what it was told of the person."
        )
        for (settings, reports, by_rules), agents in groups.items()
    ]


def _list_of_names(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
