"""Collects the facts of a report: what was run, and which figures are incomplete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from drr.app.judge.text import absence_of, unread_text
from drr.app.report.contrasts import lead_metrics
from drr.app.report.material import LONGEST_NAME, ReportData
from drr.app.study.study_plan import limits_text
from drr.env.checkable import asks_for_findable
from drr.eval.judging.read import accuracy_of
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.costs import why_unknown, why_unpriced
from drr.eval.metrics.rows import JudgeRow
from drr.study.unit import Record
from drr.wording.excerpt import excerpt, many


def facts(material: ReportData) -> list[tuple[str, str]]:
    """Return facts on what was run, as pairs of term and value."""
    config = material.study.config
    run, settings = config.get("run", {}), config.get("settings", {})
    made = material.document["provenance"]
    judge = material.document["judge"]
    answers = sum(len(own) for own in material.variants.values())
    asked = {str(record.spec["query_id"]) for record in material.study.records("answer", None)}
    failed = sum(kinds.total() for kinds in material.failed.values())
    systems = material.variants.keys() | material.failed.keys()
    shops = ", ".join(f"{one[:12]}" for one in made["shop"])
    tallies = material.study.ledger.units.answer_tallies()
    left = sum(one.units - one.done - one.failed for one in tallies)
    to_come = f", {many(left, 'answer')} still to come" if left else ""
    waiting = material.document["coverage"].get("unjudged", 0)
    unjudged = f"; {many(waiting, 'answer')} not judged yet" if waiting else ""
    counted = f"{many(len(systems), 'system')}, {many(len(asked), 'question')}, {many(answers, 'answer')}"
    counted += f", {failed:,} failed" if failed else ""
    rows = [
        ("run", f"{counted}{to_come}"),
        ("set", str(run.get("set") or "")),
        ("best script", _best_script(str(run.get("set") or ""))),
        ("when", _when(material)),
        ("shop", " · ".join(filter(None, (str(run.get("shop") or ""), f"content {shops}" if shops else "")))),
        ("web", " · ".join(filter(None, (str(settings.get("web") or ""), _web_content(material))))),
        ("limits", limits_text(run.get("limits", {}))),
        ("models", ", ".join(made["models"])),
        ("judge", f"{_judge(material, judge)}{unjudged}" if judge else "not judged yet"),
        ("cost", _cost(material)),
        ("made by", made["made_by"]),
    ]  # fmt: skip
    return [(term, value) for term, value in rows if value]


def _judge(material: ReportData, judge: JudgeRow) -> str:
    """Return a judge with its accuracy, and with who took claims where that was another one."""
    claims = f", claims by {judge['claims_by']}" if judge["claims_by"] != judge["name"] else ""
    accuracy = "" if judge["rule_written"] else f", {accuracy_of(material.study, judge['name'])}"
    return f"{judge['name']}{claims}{accuracy}"


def _best_script(label: str) -> str:
    if not label:  # few studies answer a set, and its code is much to load
        return ""
    from drr.app.study.frozen_sets import best_script

    return best_script(label)


def unscored(material: ReportData) -> list[str]:
    """Return sentences on failed and unscored answers, and on how many there are."""
    document = material.document
    failed = {variant: kinds.total() for variant, kinds in material.failed.items()}
    lines = [
        f"{many(count, 'answer')} of {excerpt(variant, LONGEST_NAME)} failed: {'it counts' if count == 1 else 'they count'} 0 in the reward and in pass^k, and {'is' if count == 1 else 'are'} in no other mean"
        for variant, count in sorted(failed.items(), key=lambda item: -item[1])
    ]
    for name in lead_metrics():
        rows = [row[name] for row in document["metrics"].values() if name in row]
        missing, whole = (
            sum(row["n_unscored"] for row in rows),
            sum(row["n"] + row["n_unscored"] for row in rows),
        )
        if missing:
            lines.append(f"{metric_of(name).label}: {missing} of {whole} are unscored")
    if any("reward" in row for row in document["metrics"].values()):
        from drr.app.study.handed_forms import lacking_forms
        from drr.eval.rewards.answer_forms import read_form

        answers = [one for own in material.variants.values() for one in own]
        checked = [one for one in answers if one.question and asks_for_findable(one.question.checkable)]
        lines += lacking_forms(
            [read_form(material.study.text(one.record, "form"), one.question) for one in checked]
        )
    lines += [line.rstrip(".") for line in absence_of(document["metrics"])]
    standings: Counter[str] = Counter()
    for own in document["coverage"]["variants"].values():
        standings.update(own["citations"])
    if unread := unread_text(standings):
        lines.append(unread)
    for task, row in document["coverage"]["tasks"].items():
        if row["failed"]:
            lines.append(
                f"the judge left {row['failed']} of {row['judged']} units of {task} without an answer"
            )
    return lines


def _when(material: ReportData) -> str:
    times = [record.started_at for record in _records(material)]
    if not times:
        return ""
    # In UTC, so that a report says the same day on every machine.
    first, last = (datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d") for at in (min(times), max(times)))
    return first if first == last else f"{first} to {last}"


def _web_content(material: ReportData) -> str:
    """Return a text with the content hashes of the web that the answers used; empty if unknown."""
    webs = [record.key_fields.get("web") for record in _records(material)]
    hashes = {str(web["content_hash"]) for web in webs if isinstance(web, dict) and web.get("content_hash")}
    return f"content {', '.join(sorted(one[:12] for one in hashes))}" if hashes else ""


def _records(material: ReportData) -> Iterable[Record]:
    return (answer.record for own in material.variants.values() for answer in own)


def sum_of_dollars(spent: Sequence[tuple[float | None, str]]) -> str:
    """Return a text with the total cost, for how many it is known, and why not for the others. `spent` holds each cost and why it is unknown."""
    known = [usd for usd, _ in spent if usd is not None]
    why = "; ".join(sorted({reason for _, reason in spent if reason}))
    unknown = f"unknown ({why})" if why else "unknown"
    if not known:
        return unknown
    partly = f" for {len(known):,} of {len(spent):,}, the others {unknown}" if len(known) < len(spent) else ""
    return f"${sum(known):,.2f}{partly}"


def _cost(material: ReportData) -> str:
    answers = sum_of_dollars([(one.making_usd, why_unknown(one)) for one in _records(material)])
    judge = material.document["judge"]
    paid = [
        (one.cost_usd, why_unpriced(one.usage) if one.cost_usd is None else "")
        for one in material.study.ledger.records.bills("judgement")
        if judge is not None and one.usage and one.key_fields.get("judge") == judge["name"]
    ]
    return f"answers {answers}" + (f", judging {sum_of_dollars(paid)}" if paid else "")
