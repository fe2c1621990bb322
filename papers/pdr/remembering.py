"""Memories as units of a study, one for each person, and the texts that they recalled. Nothing is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from drr.env.errors import DrrError
from drr.env.files import read_file
from drr.env.json_object import JsonObject, parsed
from drr.env.source import text_hash

if TYPE_CHECKING:
    from drr.env.embedding import Embedder, Vectors
    from drr.env.settings import Settings
    from drr.llm.factory import Models
    from drr.llm.journal import PaidAnswer
    from drr.llm.meter import Meter
    from drr.llm.prompts import Prompts
    from drr.papers.pdr.context import ContextItem, Contexts
    from drr.papers.pdr.memory.base import MemoryDesk, MemoryKind
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit
    from drr.study.worker import Context, Replay


class MemoryCost(TypedDict):
    """The cost of one step. Dollars are unknown where a model's price is, or where a server embedded."""

    calls: int
    tokens: int
    cost_usd: float | None
    embedded: int
    """Number of texts embedded."""


class RecalledRow(TypedDict):
    """One recall."""

    text: str
    fed: int | None
    failure: str | None
    message: str | None
    cost: MemoryCost
    build: MemoryCost
    rule_written: bool


def recall_id(setting: str, person_id: str, query: str) -> str:
    """`setting` is its name."""
    return text_hash(json.dumps([setting, person_id, query]))


def read_recalled(path: Path) -> Mapping[str, RecalledRow]:
    """Read the rows by `recall_id`; none where no memory recalled."""
    if not path.is_file():
        return {}
    try:
        rows: dict[str, RecalledRow] = parsed(read_file(path))
    except ValueError as error:
        raise DrrError(f"{path}: not JSON ({error}); `drr run` writes it anew") from error
    return rows


_RAW = "raw:"
"""Prefix of a request to a memory's model: another unit of the same person reuses its answer."""


class Wanted(NamedTuple):
    """A task, and how much may be recalled for it."""

    task: str
    budget: int


class RecallRow(TypedDict):
    """One recall in a unit's result."""

    budget: int
    fed: int | None
    """Tokens of what was recalled; `None` where it failed."""
    failure: str | None
    message: str | None
    cost: MemoryCost


class Remembrance(NamedTuple):
    """The result of one recall."""

    text: str | None
    """`None` where it failed."""
    row: RecallRow
    seconds: float
    build: MemoryCost
    """Cost of observing, once for the person."""
    build_seconds: float


class MemorySpend(NamedTuple):
    calls: int
    tokens: int
    picos: int | None
    embedded: int

    @classmethod
    def now(cls, meter: Meter, embedder: CountingEmbedder) -> MemorySpend:
        calls = sum(usage.calls for usage in meter.by_role.values())
        return cls(calls, meter.tokens, meter.cost, embedder.texts)

    def since(self, before: MemorySpend, priced: bool) -> MemoryCost:
        from drr.llm.meter import dollars

        embedded = self.embedded - before.embedded
        known = self.picos is not None and before.picos is not None and (priced or not embedded)
        return {
            "calls": self.calls - before.calls,
            "tokens": self.tokens - before.tokens,
            "cost_usd": dollars((self.picos or 0) - (before.picos or 0)) if known else None,
            "embedded": embedded,
        }


class CountingEmbedder:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.name, self.texts = embedder, embedder.name, 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return self._embedder.embed(texts)


@dataclass(frozen=True)
class MemoryMaking:
    """The things that decide what a memory recalls, beside the task."""

    settings: Settings
    models: Models
    prompts: Prompts
    contexts: Contexts

    @property
    def size(self) -> str:
        """Name what is observed: everything, the largest of the nested contexts."""
        return self.contexts.sizes[-1]

    def key_fields(self, word: str, person_id: str) -> JsonObject:
        """`word` is the memory as it was named."""
        from drr.llm.names import OFFLINE
        from drr.papers.pdr.memory.base import ROLE
        from drr.papers.pdr.memory.registry import memory_kind
        from drr.papers.pdr.memory_rules import VERSION

        kind, model = memory_kind(word), self.models.name_of(ROLE)
        fields: JsonObject = {
            "memory": kind.name,
            "version": kind.version,
            "context": self.contexts.hash(person_id, self.size),
        }
        if kind.asks_model:
            fields |= {"model": model, "prompts": self.prompts.hashes(kind.prompts)}
            fields |= {"rules": VERSION} if model == OFFLINE else {}
        if kind.embeds:
            fields["embedder"] = self.settings.model_for("embedder")
        return fields

    def unit(self, word: str, person_id: str, wanted: Iterable[Wanted]) -> Unit:
        """Make the unit; in which order tasks are asked changes nothing."""
        from drr.study.unit import Unit

        asked = sorted({(one.task, one.budget) for one in wanted})
        own = self.key_fields(word, person_id)
        fields = {"what": "memory", **own, "person": person_id, "wanted": [list(one) for one in asked]}
        spec = {"memory": word, "person": person_id, "wanted": [list(one) for one in asked]}
        return Unit("generation", fields, spec, f"{person_id}/memory:{own['memory']}")


@dataclass(frozen=True)
class Memories:
    """The units of memories, in the process that has the study."""

    making: MemoryMaking
    study: Study

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        from drr.env.embedding import embedder_of
        from drr.papers.pdr.context import tokens_of
        from drr.papers.pdr.memory.base import ROLE, MemoryDesk
        from drr.papers.pdr.memory.registry import memory_kind

        kind = memory_kind(spec["memory"])
        making = self.making
        items = making.contexts.items(spec["person"], making.size)
        journal = _Shared(context.replaying(), self._answered)
        models, embedder = context.models.keeping(journal), CountingEmbedder(embedder_of(making.settings))
        model = models.role(ROLE, self._stand_in())
        desk = MemoryDesk(model, embedder, making.prompts, tokens_of, items[-1].date if items else "")
        done = await remember_person(kind, desk, items, spec["wanted"], context.meter, embedder)
        written = kind.asks_model and model.rule_written
        return done.outcome({"memory": kind.name, "person": spec["person"], "rule_written": written}, journal)

    def _stand_in(self) -> Any:
        from drr.papers.pdr.memory_rules import remember_offline

        return remember_offline

    @cached_property
    def _answered(self) -> Mapping[str, list[str]]:
        """Map each request to the blobs of earlier answers in this study, the latest unit's."""
        found: dict[str, list[str]] = {}
        for blobs in self.study.ledger.records.blobs_named("generation", _RAW):
            own: dict[str, list[tuple[int, str]]] = {}
            for name, digest in blobs.items():
                if name.startswith(_RAW):
                    request, _, number = name.removeprefix(_RAW).partition(":")
                    own.setdefault(request, []).append((int(number), digest))
            found |= {
                request: [self._blob(digest) for _, digest in sorted(rows)] for request, rows in own.items()
            }
        return found

    def _blob(self, digest: str) -> str:
        return self.study.blobs.get(digest).decode("utf-8")


class _Shared:
    """A `Journal` that also knows what other units of the study were answered. That was paid for there and costs nothing here."""

    def __init__(self, own: Replay, answered: Mapping[str, list[str]]) -> None:
        self.usable_only = own.usable_only
        self._own, self._answered = own, answered
        self._given: dict[str, int] = {}
        self.kept: dict[str, str] = {}

    def next(self, request: str) -> PaidAnswer | None:
        from drr.llm.journal import PaidAnswer

        before = self._own.next(request)
        if before is None:
            at = self._given.get(request, 0)
            texts = self._answered.get(request, [])
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


@dataclass(frozen=True)
class _Done:
    build: MemoryCost
    build_seconds: float
    recalls: list[RecallRow]
    recall_seconds: list[float]
    texts: dict[str, str]

    def outcome(self, facts: Mapping[str, object], journal: _Shared) -> Outcome:
        from drr.study.unit import Outcome

        seconds = {
            "build": round(self.build_seconds, 3),
            "recalls": [round(one, 3) for one in self.recall_seconds],
        }
        result = {**facts, "build": self.build, "recalls": self.recalls, "seconds": seconds}
        return Outcome(result, {**self.texts, **journal.kept})


async def remember_person(
    kind: MemoryKind,
    desk: MemoryDesk,
    items: Sequence[ContextItem],
    wanted: Sequence[tuple[str, int]],
    meter: Meter,
    embedder: CountingEmbedder,
) -> _Done:
    """A memory that cannot observe ends its unit; one that cannot recall for one task may for the next."""
    from drr.env.embedding import OFFLINE_NAME
    from drr.papers.pdr.memory.base import MemoryFailed, Remembering
    from drr.study.unit import UnitFailure

    remembering, priced = Remembering(kind, desk), embedder.name == OFFLINE_NAME
    begun = MemorySpend.now(meter, embedder)
    try:
        observing = await remembering.observe(items)
    except MemoryFailed as failure:
        raise UnitFailure(failure.kind, str(failure)) from failure
    done = _Done(MemorySpend.now(meter, embedder).since(begun, priced), observing, [], [], {})
    for number, (task, budget) in enumerate(wanted):
        before, seconds = MemorySpend.now(meter, embedder), 0.0
        fed, problem, message = None, None, None
        try:
            recalled = await remembering.recall(task, budget)
        except MemoryFailed as failure:
            problem, message = failure.kind, str(failure)
        else:
            fed, seconds = recalled.tokens, recalled.seconds
            done.texts[f"recall:{number}"] = recalled.text
        cost = MemorySpend.now(meter, embedder).since(before, priced)
        done.recalls.append(RecallRow(budget=budget, fed=fed, failure=problem, message=message, cost=cost))
        done.recall_seconds.append(seconds)
    return done


def remembrances(study: Study, unit: Unit) -> dict[Wanted, Remembrance]:
    """Map task and budget to what a finished unit recalled; of one that failed or is missing nothing."""
    record = study.record(unit.key)
    if record is None or not record.done:
        return {}
    result, seconds = record.result, record.result["seconds"]
    found = {}
    for number, (task, budget) in enumerate(unit.spec["wanted"]):
        row: RecallRow = result["recalls"][number]
        text = study.text(record, f"recall:{number}") if row["failure"] is None else None
        found[Wanted(task, budget)] = Remembrance(
            text, row, seconds["recalls"][number], result["build"], seconds["build"]
        )
    return found
