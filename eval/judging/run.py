"""A judging from start to end: claims first, then everything that rests on them; each unit once, ever."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drr.citations.parse import parse
from drr.env.progress import Progress
from drr.env.web.base import Page, WebSearch
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.book import Book
from drr.eval.judging.bench import Bench, What
from drr.eval.judging.read import Judged, judging_of, read_judged, remember
from drr.eval.labels import content_id
from drr.eval.tasks.claims import extract_by_rules
from drr.llm.budget import Limit
from drr.llm.factory import Models
from drr.study.run import Pace, Summary, run
from drr.study.study import Study
from drr.study.unit import Unit

FETCHES = 8
REPEATED = 20
"""Units of each task that a repetition judges again."""


@dataclass
class JudgeOptions:
    what: Sequence[What]
    variants: Sequence[str] | None = None
    """For pairs; default: those with page summaries, if there are two, else all."""
    budget: Limit | None = None
    unit_cap: Limit | None = None
    units: int = 8
    retry_failed: bool = False
    limit: int | None = None


@dataclass
class Ran:
    """What one call of `judge` did, over both of its stages."""

    summary: Summary = field(default_factory=Summary)
    planned: int = 0

    def add(self, stage: Summary, planned: int) -> None:
        self.planned += planned
        self.summary.done += stage.done
        self.summary.failures.update(stage.failures)
        self.summary.left += stage.left
        self.summary.bugs += stage.bugs
        self.summary.stopped = self.summary.stopped or stage.stopped
        self.summary.message = self.summary.message or stage.message


def default_variants(answers: Sequence[Answer]) -> list[str]:
    everyone = sorted({answer.variant for answer in answers})
    with_summaries = [name for name in everyone if name.endswith("+ws")]
    return with_summaries if len(with_summaries) > 1 else everyone


async def judge(
    study: Study, bench: Bench, models: Models, options: JudgeOptions, *, progress: Progress | None = None
) -> Ran:
    """Compute what is missing. A stage that was stopped is not followed by the next."""
    ran = Ran()
    pace = Pace(units=options.units)

    async def stage(units: list[Unit], label: str) -> None:
        if not units or ran.summary.stopped is not None:
            return
        limit = (
            None
            if options.limit is None
            else max(0, options.limit - ran.summary.done - sum(ran.summary.failures.values()))
        )
        summary = await run(
            study,
            units,
            bench.work,
            models=models,
            budget=options.budget,
            unit_cap=options.unit_cap,
            pace=pace,
            progress=progress,
            retry_failed=options.retry_failed,
            limit=limit,
            label=label,
        )
        ran.add(summary, len(units))

    name = f", repetition {bench.repeat}" if bench.repeat else ""
    if "faithfulness" in options.what:
        await stage(_repeated(bench, bench.extraction_units()), f"claims{name}")
    remember(study, judging_of(bench))
    if ran.summary.stopped is None:
        await stage(_repeated(bench, planned_units(study, bench, options)), f"judgements{name}")
    return ran


def _repeated(bench: Bench, units: list[Unit]) -> list[Unit]:
    """A repetition measures the judge on a seeded sample of each task, not the systems once more."""
    if not bench.repeat:
        return units
    by_task: dict[str, list[Unit]] = {}
    for unit in units:
        by_task.setdefault(str(unit.key_fields["task"]), []).append(unit)
    drawn = [sorted(group, key=lambda unit: content_id(unit.label))[:REPEATED] for group in by_task.values()]
    return [unit for group in drawn for unit in group]


def planned_units(study: Study, bench: Bench, options: JudgeOptions) -> list[Unit]:
    """Everything after the claims, in an order that covers all variants of a query before the next query."""
    judged = read_judged(study, judging_of(bench), answers=list(bench.answers.values()))
    units: list[Unit] = []
    for answer in bench.answers.values():
        if "rules" in options.what:
            units += bench.rule_units(answer)
        if "faithfulness" in options.what:
            units += support_units(bench, judged, answer)
        if "quality" in options.what:
            units += bench.rating_units(answer)
        if "failures" in options.what and not bench.paper:
            units += bench.failure_units(answer)
    if "pairwise" in options.what:
        units += bench.pair_units(options.variants or default_variants(list(bench.answers.values())))
    return units


def support_units(bench: Bench, judged: Judged, answer: Answer) -> list[Unit]:
    found = judged.claims.get("cited" if bench.paper else "all", {}).get(answer.key)
    if found is None or not found.claims:
        return []
    return bench.support_units(answer, found.key, [claim for claim in found.claims if claim["urls"]])


async def refetch(answers: Sequence[Answer], web: WebSearch, shop_hosts: frozenset[str]) -> dict[str, Page]:
    """Every cited web address of the study as it reads now, each read once."""
    wanted: dict[str, None] = {}
    for answer in answers:
        book = Book(answer, None, shop_hosts=shop_hosts)
        wanted |= {s.url: None for s in parse(answer.report).sources if book.type_of(s.url) == "web"}
    gate = asyncio.Semaphore(FETCHES)

    async def read(url: str) -> Page:
        async with gate:
            return await web.read(url)

    return dict(zip(wanted, await asyncio.gather(*map(read, wanted)), strict=True))


def forecast(study: Study, bench: Bench, models: Models, options: JudgeOptions) -> dict[str, Any]:
    """Calls and tokens of what is missing; claims that are not extracted yet are counted by rule."""
    done = {record.key for record in study.records("judgement")}
    extraction = bench.extraction_units() if "faithfulness" in options.what else []
    judged = read_judged(study, judging_of(bench), answers=list(bench.answers.values()))
    rows: dict[str, dict[str, int]] = {}

    def count(task: str, calls: int, characters: int, answered: int) -> None:
        row = rows.setdefault(task, {"calls": 0, "input_tokens": 0, "output_tokens": 0})
        row["calls"] += calls
        row["input_tokens"] += characters // 4
        row["output_tokens"] += answered

    for unit in extraction:
        if unit.key not in done:
            report = bench.answers[unit.spec["answer"]].report
            count("claims", 1, len(report) + 2500, 1800)
    for answer in bench.answers.values():
        if "faithfulness" in options.what:
            for unit in _support_guess(bench, judged, answer):
                if unit.key not in done and (size := _shown_size(bench, unit)):
                    count("support", 1, size, 160 * len(unit.spec["items"]))
        if "quality" in options.what:
            for unit in bench.rating_units(answer):
                if unit.key not in done:
                    count("rating", 1, len(answer.report) + 3500, 250)
        if "failures" in options.what and not bench.paper:
            for unit in bench.failure_units(answer):
                if unit.key not in done:
                    count("failures", 1, len(answer.report) + 3500, 300)
    if "pairwise" in options.what:
        for unit in bench.pair_units(options.variants or default_variants(list(bench.answers.values()))):
            if unit.key not in done:
                both = sum(len(bench.answers[unit.spec[side]].report) for side in ("first", "second"))
                count("pairwise", 1, both + 3500, 250)
    total = {
        name: sum(row[name] for row in rows.values()) for name in ("calls", "input_tokens", "output_tokens")
    }
    price = models.prices.of(models.name_of("judge"))
    cost = None
    if price is not None:
        cost = sum(_dollars(price, **row) for row in rows.values())
    return {
        "schema": 1,
        "judge": bench.judge.model,
        "answers": len(bench.answers),
        "tasks": rows,
        **total,
        "cost_usd": cost,
        "price_date": models.prices.date_of(models.name_of("judge")),
    }


def _dollars(price: Any, calls: int, input_tokens: int, output_tokens: int) -> float:
    """Of calls of the mean size: long prompts have a price of their own."""
    from drr.llm.meter import Tokens, dollars

    one = price.cost(Tokens(input=input_tokens // max(1, calls), output=output_tokens // max(1, calls)))
    return calls * float(dollars(one) or 0.0)


def _support_guess(bench: Bench, judged: Judged, answer: Answer) -> list[Unit]:
    mode = "cited" if bench.paper else "all"
    if judged.claims.get(mode, {}).get(answer.key) is not None:
        return support_units(bench, judged, answer)
    claims = [
        {"id": c.id, "text": c.text, "urls": list(c.urls)}
        for c in extract_by_rules(answer.report, parse(answer.report))
    ]
    return bench.support_units(answer, "", [claim for claim in claims if claim["urls"]])


def _shown_size(bench: Bench, unit: Unit) -> int:
    """Characters of the prompt; 0 where no call is needed."""
    answer = bench.answers[unit.spec["answer"]]
    items = [
        i
        for i in bench.items(answer, unit.spec["claims"])
        if i.id in unit.spec["items"] and i.needs_judge(paper=bench.paper)
    ]
    return sum(
        2000 + len(item.claim) + sum(span.end - span.start for _, spans in item.passages() for span in spans)
        for item in items
    )


def difference(old: Judged, new: Judged) -> dict[str, Any]:
    """What changed between two judgings of the same answers, verdict by verdict."""
    labels = {answer.key: answer.label for answer in new.answers}
    support = _changes(
        {(a, i): v["status"] for a, items in old.support.items() for i, v in items.items()},
        {(a, i): v["status"] for a, items in new.support.items() for i, v in items.items()},
    )
    ratings = _changes(
        {(a, d): v.value for a, found in old.ratings.items() for d, v in found.items()},
        {(a, d): v.value for a, found in new.ratings.items() for d, v in found.items()},
    )
    pairs = _changes({k: v.value for k, v in old.pairs.items()}, {k: v.value for k, v in new.pairs.items()})
    named = {
        "support": [(labels.get(k[0], k[0]), k[1], a, b) for k, a, b in support[1]],
        "rating": [(labels.get(k[0], k[0]), k[1], a, b) for k, a, b in ratings[1]],
        "pairwise": [
            (f"{labels.get(k[0], k[0])} then {labels.get(k[1], k[1])}", k[2], a, b) for k, a, b in pairs[1]
        ],
    }
    return {
        "schema": 1,
        "old": old.judging.id if old.judging else None,
        "new": new.judging.id if new.judging else None,
        "tasks": {
            task: {
                "both": both,
                "changed": len(rows),
                "changes": [{"answer": a, "item": i, "old": x, "new": y} for a, i, x, y in rows],
            }
            for (task, rows), both in zip(named.items(), (support[0], ratings[0], pairs[0]), strict=True)
        },
    }


def _changes(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> tuple[int, list[tuple[Any, Any, Any]]]:
    both = sorted(old.keys() & new.keys())
    return len(both), [(key, old[key], new[key]) for key in both if old[key] != new[key]]
