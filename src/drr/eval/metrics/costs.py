"""Computes the cost of a system: its agent, its memory, and judging its answers. A sum with an unknown part is unknown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from drr.env.person_setting import parts_of
from drr.eval.metrics.coverage import by_agent
from drr.eval.metrics.rows import CostDocument, SpentInAll, SpentRow, SystemCost
from drr.eval.stats.intervals import COUNTED, VRow, mean
from drr.eval.stats.question import Asked, AskedQuestion, grouped, known_sum
from drr.eval.tasks.judgements import Judged
from drr.llm.meter import UsageRow
from drr.study.study import Study
from drr.study.unit import Record, canonical_json

_WANTED = frozenset({"what", "wanted"})
"""Fields in the key of a memory's unit that do not identify the memory."""


class PartCost(NamedTuple):
    """The cost of some work; `None` is unknown."""

    tokens: float | None
    calls: float | None
    seconds: float | None
    usd: float | None

    def and_again(self, other: PartCost) -> PartCost:
        """Add the cost of a later unit with the same work. It repeats earlier answers at no cost, so only dollars add up."""
        tokens, calls, seconds = map(_larger, self[:3], other[:3])
        return PartCost(tokens, calls, seconds, known_sum([self.usd, other.usd]))


NOTHING = PartCost(0.0, 0.0, 0.0, 0.0)
ByCluster = dict[Asked, list[PartCost]]


def ended_answers(study: Study) -> dict[str, list[Record]]:
    """Group the finished answers, done or failed, by system."""
    return grouped((str(record.spec["variant"]), record) for record in study.records("answer", None))


def cost_document(study: Study, judged: Judged, ran: Mapping[str, Sequence[Record]]) -> CostDocument:
    """Build the document of costs. `ran` maps each system to all its finished answers, failed ones included."""
    memories = _Memories.of(study) if any(_memory_of(system) for system in ran) else _Memories({}, {})
    judging = _judging(study, judged)
    systems = {}
    answered = sorted({answer.variant for answer in judged.answers})
    for system in [one for own in by_agent(answered).values() for one in own] or answered:
        systems[system] = _system_cost(judged, system, ran.get(system, ()), memories, judging)
    return {
        "systems": systems,
        "shared": {task: _in_all(own) for task, own in sorted(judging.shared.items())},
    }


def _system_cost(
    judged: Judged, system: str, records: Sequence[Record], memories: _Memories, judging: _Judging
) -> SystemCost:
    own = {answer.key: answer for answer in judged.answers if answer.variant == system}
    agents: ByCluster = grouped((answer.asked, cost_of(answer.record)) for answer in own.values())
    judges: ByCluster = grouped((answer.asked, judging.of(key)) for key, answer in own.items())
    failed = [record for record in records if not record.done]
    found: SystemCost = {
        "agent": _row(agents, "per answer"),
        "failed": len(failed),
        "failed_usd": known_sum([record.cost_usd for record in failed]),
    }
    if judging.known.intersection(own):
        found["judge"] = _row(judges, "per answer")
    if _memory_of(system) is not None:
        asked = {answer.query_id: answer.asked for answer in judged.answers}
        build, recall = memories.of_system(system, records, asked)
        found["build"], found["recall"] = _row(build, "per person"), _row(recall, "per question")
    return found


def _memory_of(system: str) -> str | None:
    return parts_of(system).setting.memory


def cost_of(record: Record) -> PartCost:
    """Return the cost of a record's model calls; unknown where none were metered, as for imported reports."""
    usage = list(record.usage.values())
    if not usage:
        return PartCost(None, None, None, None)
    return PartCost(
        _tokens(usage), float(sum(one["calls"] for one in usage)), record.making_seconds, record.making_usd
    )


def why_unknown(record: Record) -> str:
    """Return why the cost of a record's model calls is unknown; empty where it is known."""
    return "" if record.making_usd is not None else why_unpriced(record.usage)


def why_unpriced(usage: Mapping[str, UsageRow]) -> str:
    """Return why the cost of model calls, which is unknown, is so."""
    if not usage:
        return "the use of models is not recorded"
    if any(one.get("unmetered") for one in usage.values()):
        return "a provider reported no tokens"
    unknown = {one["model"] for one in usage.values() if one["cost_usd"] is None}
    return f"no price is known for {', '.join(sorted(unknown))}"


def _tokens(usage: Sequence[UsageRow]) -> float | None:
    if any(one.get("unmetered") for one in usage):
        return None
    return float(sum(one["input_tokens"] + one["output_tokens"] for one in usage))


@dataclass(frozen=True)
class _Memories:
    """Costs of memories: of building by memory and person, and of recalling by memory, task and budget."""

    builds: Mapping[str, PartCost]
    recalls: Mapping[tuple[str, str, int], PartCost]

    @classmethod
    def of(cls, study: Study) -> _Memories:
        builds: dict[str, PartCost] = {}
        recalls: dict[tuple[str, str, int], PartCost] = {}
        for record in study.records("generation", None, current=False):
            if record.key_fields.get("what") != "memory":
                continue
            who = canonical_json({n: v for n, v in record.key_fields.items() if n not in _WANTED})
            build, *asked = _steps(record)
            builds[who] = builds[who].and_again(build) if who in builds else build
            for (task, budget), one in zip(record.spec["wanted"], asked, strict=False):
                place = (who, str(task), int(budget))
                recalls[place] = recalls[place].and_again(one) if place in recalls else one
        return cls(builds, recalls)

    def of_system(
        self, system: str, records: Iterable[Record], asked: Mapping[str, AskedQuestion]
    ) -> tuple[ByCluster, ByCluster]:
        """Return a system's costs of building by person and of recalling by question. Failed answers count too."""
        budget = parts_of(system).setting.tokens or 0
        build: ByCluster = {}
        recall: ByCluster = {}
        for record in records:
            person = str(record.key_fields.get("person_id", ""))
            who = canonical_json({**record.key_fields.get("memory", {}), "person": person})
            build[person] = [self.builds.get(who, _UNKNOWN)]
            place = (who, str(record.spec["query"]), budget)
            question = str(record.spec["query_id"])
            recall[asked.get(question, question)] = [self.recalls.get(place, _UNKNOWN)]
        return build, recall


_UNKNOWN = PartCost(None, None, None, None)


def _steps(record: Record) -> list[PartCost]:
    """Return the cost of building the memory, then of each recall. A memory that failed to build has only its cost so far."""
    result = record.result
    if "build" not in result:
        return [cost_of(record)]
    metered = not any(one.get("unmetered") for one in record.usage.values())
    times = [result["seconds"]["build"], *result["seconds"]["recalls"]]
    costs = [result["build"], *(one["cost"] for one in result["recalls"])]
    return [
        PartCost(float(cost["tokens"]) if metered else None, float(cost["calls"]), seconds, cost["cost_usd"])
        for cost, seconds in zip(costs, times, strict=True)
    ]


@dataclass(frozen=True)
class _Judging:
    """The cost of judging, by answer, and by task where a judgement concerns no single answer."""

    by_answer: Mapping[str, list[PartCost]]
    known: frozenset[str]
    """Answers on which anything was judged, by a model or by code."""
    shared: Mapping[str, list[PartCost]]

    def of(self, key: str) -> PartCost:
        """Return the cost of judging one answer: no calls where code judged, unknown where nothing was judged."""
        own = self.by_answer.get(key, [])
        return _all_of(own) if key in self.known else _UNKNOWN


def _judging(study: Study, judged: Judged) -> _Judging:
    """Collect the cost of all judgements by this judge, including judgements that no longer count. Repetitions are left out, because they serve another purpose."""
    by_answer: dict[str, list[PartCost]] = defaultdict(list)
    known: set[str] = set()
    for record in _paid_judgements(study, judged):
        answer = record.key_fields.get("answer")
        if answer in judged.by_key:
            known.add(str(answer))
            by_answer[str(answer)].append(cost_of(record) if record.usage else NOTHING)
    paid = shared_judgements(study, judged)
    shared = grouped((str(record.key_fields["task"]), cost_of(record)) for record in paid)
    return _Judging(by_answer, frozenset(known), shared)


def shared_judgements(study: Study, judged: Judged) -> Iterator[Record]:
    """Yield the paid judgements that concern no single answer."""
    for record in _paid_judgements(study, judged):
        if record.key_fields.get("answer") is None and record.usage:
            yield record


def _paid_judgements(study: Study, judged: Judged) -> Iterator[Record]:
    judges = {judged.judging.judge, judged.judging.extractor} if judged.judging else set()
    for record in study.records("judgement", None, current=False) if judges else ():
        if record.key_fields.get("judge") in judges and _is_first(record.key_fields, judged):
            yield record


def _is_first(fields: Mapping[str, Any], judged: Judged) -> bool:
    return (
        fields.get("protocol") == judged.way.name and not fields.get("repeat") and not fields.get("refetch")
    )


def _all_of(parts: Sequence[PartCost]) -> PartCost:
    return PartCost(*(known_sum([part[place] for part in parts]) for place in range(4)))


def _in_all(parts: Sequence[PartCost]) -> SpentInAll:
    whole = _all_of(parts)
    return {
        "tokens": None if whole.tokens is None else int(whole.tokens),
        "calls": int(whole.calls or 0),
        "seconds": round(whole.seconds or 0.0, 3),
        "usd": whole.usd,
    }


def _row(spent: ByCluster, label: str) -> SpentRow:
    def figure(place: int) -> VRow:
        values = {cluster: [one[place] for one in own] for cluster, own in spent.items()}
        return mean(values, f"mean {label}", COUNTED).document()

    return {"tokens": figure(0), "calls": figure(1), "seconds": figure(2), "usd": figure(3)}


def _larger(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else max(a, b)
