"""Memories as units of a study, one for each memory and person, and the texts that they recall. No call is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from drr.env.errors import DrrError
from drr.env.files import read_file
from drr.env.json_object import JsonObject, parsed
from drr.env.source import text_hash
from drr.eval.stats.question import grouped

if TYPE_CHECKING:
    from drr.env.embedding import Embedder, Vectors
    from drr.env.settings import Settings
    from drr.llm.factory import Models
    from drr.llm.journal import PaidAnswer
    from drr.llm.meter import Meter
    from drr.llm.prompts import Prompts
    from drr.papers.pdr.context import Contexts
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit
    from drr.study.worker import Context, SavedAnswers


class MemoryCost(TypedDict):
    """The cost of one step. Dollars are unknown if a model's price is, or if a server computed embeddings."""

    calls: int
    tokens: int
    cost_usd: float | None
    embedded: int
    """Number of texts embedded."""


class RecallRow(TypedDict):
    """The result of one recall."""

    budget: int
    fed: int | None
    """Number of tokens recalled; `None` if the recall failed."""
    failure: str | None
    message: str | None
    cost: MemoryCost


class RecalledRow(RecallRow):
    """A recall with its text and the cost of observing, in the form that workers read."""

    text: str
    build: MemoryCost
    rule_written: bool


class RecallRequest(NamedTuple):
    """A task to recall for, and its budget in tokens."""

    task: str
    budget: int


def recall_id(setting: str, person_id: str, query: str) -> str:
    """Return the id of a recall; `setting` is the name of the setting."""
    return text_hash(json.dumps([setting, person_id, query]))


def read_recalled(path: Path) -> Mapping[str, RecalledRow]:
    """Read the stored recalls by `recall_id`; empty if there are none."""
    if not path.is_file():
        return {}
    try:
        rows: dict[str, RecalledRow] = parsed(read_file(path))
    except ValueError as error:
        raise DrrError(f"{path}: not JSON ({error}); `drr run` writes it anew") from error
    return rows


@dataclass(frozen=True)
class MemoryMaking:
    """The inputs, besides the task, that decide what a memory recalls."""

    settings: Settings
    models: Models
    prompts: Prompts
    contexts: Contexts

    @property
    def size(self) -> str:
        """Return the size that memories observe: the largest, which contains all items."""
        return self.contexts.sizes[-1]

    def key_fields(self, word: str, person_id: str) -> JsonObject:
        """Return the fields of a unit's key that a memory decides; `word` is the memory as the user named it."""
        from drr.llm.names import OFFLINE
        from drr.papers.pdr.memory.base import ROLE
        from drr.papers.pdr.memory.registry import memory_kind

        kind, model = memory_kind(word), self.models.name_of(ROLE)
        context = self.contexts.hash(person_id, self.size)
        fields: JsonObject = {"memory": kind.name, "version": kind.version, "context": context}
        if kind.asks_model:
            fields |= {"model": model, "prompts": {}, **({"rules": "1"} if model == OFFLINE else {})}
        if kind.embeds:
            fields["embedder"] = self.settings.model_for("embedder")
        return fields

    def unit(self, word: str, person_id: str, wanted: Iterable[RecallRequest]) -> Unit:
        """Return the unit of a memory and a person. The order of tasks does not change the unit."""
        from drr.study.unit import Unit

        asked = [list(one) for one in sorted({(one.task, one.budget) for one in wanted})]
        own = self.key_fields(word, person_id)
        fields = {"what": "memory", **own, "person": person_id, "wanted": asked}
        spec = {"memory": word, "person": person_id, "wanted": asked}
        return Unit("generation", fields, spec, f"{person_id}/memory:{own['memory']}")


_RAW = "raw:"
"""Prefix of stored answers of a memory's model. Another unit of the same person reuses them."""


@dataclass(frozen=True)
class Memories:
    """The units of memories, in the process that has the study open."""

    making: MemoryMaking
    study: Study

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        """Let a memory observe, then recall for each task. Failing to observe ends the unit; failing to recall ends only that recall."""
        from drr.env.embedding import embedder_of
        from drr.papers.pdr.context import tokens_of
        from drr.papers.pdr.memory.base import ROLE, MemoryDesk, MemoryFailed, Remembering
        from drr.papers.pdr.memory.registry import memory_kind
        from drr.study.unit import Outcome, UnitFailure

        kind, making = memory_kind(spec["memory"]), self.making
        items = making.contexts.items(spec["person"], making.size)
        journal = _Shared(context.replaying(), self._answered)
        model = context.models.keeping(journal).role(ROLE, _nobody)
        spent = _Spent(context.meter, embedder_of(making.settings))
        desk = MemoryDesk(model, spent, making.prompts, tokens_of, items[-1].date if items else "")
        remembering = Remembering(kind, desk)
        try:
            observing = await remembering.observe(items)
        except MemoryFailed as failure:
            raise UnitFailure(failure.kind, str(failure)) from failure
        build, recalls, seconds, texts = spent.since_last(), list[RecallRow](), list[float](), {}
        for number, (task, budget) in enumerate(spec["wanted"]):
            row, took = RecallRow(budget=budget, fed=None, failure=None, message=None, cost=build), 0.0
            try:
                texts[f"recall:{number}"], row["fed"], took = await remembering.recall(task, budget)
            except MemoryFailed as failure:
                row["failure"], row["message"] = failure.kind, str(failure)
            row["cost"] = spent.since_last()
            recalls.append(row)
            seconds.append(round(took, 3))
        result = {
            "memory": kind.name, "person": spec["person"],
            "rule_written": kind.asks_model and model.rule_written,
            "build": build, "recalls": recalls,
            "seconds": {"build": round(observing, 3), "recalls": seconds},
        }  # fmt: skip
        return Outcome(result, {**texts, **journal.kept})

    @cached_property
    def _answered(self) -> Mapping[str, list[str]]:
        """Map each request to its earlier answers in this study, from the latest unit."""
        found: dict[str, list[str]] = {}
        for blobs in self.study.ledger.records.blobs_named("generation", _RAW):
            raw = (name.removeprefix(_RAW).partition(":") for name in blobs if name.startswith(_RAW))
            own = grouped((request, int(number)) for request, _, number in raw)
            for request, numbers in own.items():
                digests = (blobs[f"{_RAW}{request}:{number}"] for number in sorted(numbers))
                found[request] = [self.study.blobs.get(one).decode("utf-8") for one in digests]
        return found

    def recalled(self, unit: Unit) -> dict[RecallRequest, RecalledRow]:
        """Return what a finished unit recalled, by task and budget; empty for a failed or missing unit."""
        record = self.study.record(unit.key)
        if record is None or not record.done:
            return {}
        found, beside = (
            {},
            {"build": record.result["build"], "rule_written": bool(record.result["rule_written"])},
        )
        for number, ((task, budget), row) in enumerate(
            zip(unit.spec["wanted"], record.result["recalls"], strict=True)
        ):
            text = self.study.text(record, f"recall:{number}") if row["failure"] is None else ""
            found[RecallRequest(task, budget)] = cast(RecalledRow, {**row, "text": text or "", **beside})
        return found


def _nobody(messages: object, arguments: object) -> Any:
    raise TypeError("no rules play a memory's model; give one with --role-models memory=PROVIDER:MODEL")


class _Spent:
    """A counter of a unit's spending, step by step. It also embeds texts for the memory, to count them."""

    def __init__(self, meter: Meter, embedder: Embedder) -> None:
        self._meter, self._embedder, self.name, self._texts = meter, embedder, embedder.name, 0
        self._before, self._picos = self._spent_so_far(), meter.cost

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._texts += len(texts)
        return self._embedder.embed(texts)

    def _spent_so_far(self) -> tuple[int, int, int]:
        calls = sum(usage.calls for usage in self._meter.by_role.values())
        return calls, self._meter.tokens, self._texts

    def since_last(self) -> MemoryCost:
        from drr.env.embedding import OFFLINE_NAME
        from drr.llm.meter import dollars

        before, self._before = self._before, self._spent_so_far()
        picos, self._picos = self._picos, self._meter.cost
        calls, tokens, embedded = (now - then for now, then in zip(self._before, before, strict=True))
        cost = None if picos is None or self._picos is None else dollars(self._picos - picos)
        known = not embedded or self.name == OFFLINE_NAME
        return {"calls": calls, "tokens": tokens, "cost_usd": cost if known else None, "embedded": embedded}


class _Shared:
    """A `Journal` that also replays answers of the study's other units. They were paid for there and cost nothing here."""

    def __init__(self, own: SavedAnswers, answered: Mapping[str, list[str]]) -> None:
        self.usable_only = own.usable_only
        self._own, self._answered = own, answered
        self._given: dict[str, int] = {}
        self.kept: dict[str, str] = {}

    def next(self, request: str) -> PaidAnswer | None:
        from drr.llm.journal import PaidAnswer

        before = self._own.next(request)
        if before is None:
            texts, at = self._answered.get(request, []), self._given.get(request, 0)
            if at >= len(texts):
                return None
            before = PaidAnswer(PaidAnswer.read(texts[at]).message, 0, 0.0)
        self._keep(request, before)
        return before

    def add(self, request: str, answered: PaidAnswer) -> None:
        self._own.add(request, answered)
        self._keep(request, answered)

    def _keep(self, request: str, answered: PaidAnswer) -> None:
        number = self._given.get(request, 0)
        self._given[request] = number + 1
        self.kept[f"{_RAW}{request}:{number}"] = answered.text()
