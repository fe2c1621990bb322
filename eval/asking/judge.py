"""A judge at work on one unit: asks what was not answered before, and keeps every answer with its request.

A request is what a model is sent, the model, the form of the answer and the repetition. How an answer is read is no part of it: a task
whose reading changed reads the kept answers again, and a model is asked only where the bytes of its request are new.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import ceil
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from drr.eval.asking.conversation import Asking, Form, fingerprint
from drr.llm.failures import ModelFailure
from drr.llm.names import OFFLINE
from drr.llm.role import MeteredModel, Policy, RoleModel, readable, structured
from drr.study.blobs import LostText
from drr.study.study import Study
from drr.study.unit import Outcome, canonical_json
from drr.study.worker import Context
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

if TYPE_CHECKING:
    from drr.llm.factory import Models

_RAW = "raw:"
Kept = TypeVar("Kept")


class StandIn(Protocol):
    """A judge without a model, handed in by whoever sets up a judging."""

    name: str
    version: int
    """Raised by hand when it judges otherwise."""
    banner: str
    """Banner over every table made with it."""

    @property
    def tasks(self) -> frozenset[str]:
        """Those that it can judge; a judging of another is refused before it begins."""

    def answer(self, asking: Asking[Any]) -> Mapping[str, Any]:
        """A document in the form that was asked for."""


@dataclass(frozen=True)
class JudgeName:
    """The name of a judge. `shown` is the name that verdicts carry; the model that is called may be the offline one."""

    model: str
    shown: str
    rule_written: bool

    @classmethod
    def of(cls, models: Models, role: str, stand_in: StandIn | None) -> JudgeName:
        model = models.name_of(role)
        if model == OFFLINE and stand_in is not None:
            return cls(model, stand_in.name, True)
        return cls(model, model, model == OFFLINE)


class Examiner(Protocol):
    """A task's view of a judge."""

    @property
    def rule_written(self) -> bool:
        """Tell whether rules stand in for a model."""

    async def answer(self, asking: Asking[Form]) -> Form:
        """`ModelFailure` where there is no usable answer."""


class KeptAnswers:
    """The kept answers of models in this study, by request. Looked up in the ledger when the first is asked for."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._known: dict[str, list[Callable[[], str]]] | None = None

    def of(self, request: str, unit: str) -> list[str]:
        """List the answers in the order in which they came. A finished unit's before a failed one's, then the latest unit's.

        Failing these, what a process that died had saved of them; of this very unit also what it has saved since.
        """
        if self._known is None:
            self._known = {}
            for saved in self._study.ledger.saved.of_kind("judgement", _RAW):
                self._known.update(_by_request({name: partial(_text, text) for name, text in saved.items()}))
            for blobs in self._study.ledger.records.blobs_named("judgement", _RAW):
                self._known.update(
                    _by_request({name: partial(self._blob, digest) for name, digest in blobs.items()})
                )
        if found := self._known.get(request):
            with suppress(LostText):  # an answer that is no longer there is asked for again
                return [text() for text in found]
        own = self._study.ledger.saved.of_unit(unit, f"{_RAW}{request}:")
        return [_text(text) for texts in _by_request(own).values() for text in texts]

    def _blob(self, digest: str) -> str:
        return _text(self._study.blobs.get(digest))


def _text(content: bytes) -> str:
    return content.decode("utf-8")


def _by_request(named: Mapping[str, Kept]) -> dict[str, list[Kept]]:
    numbered = []
    for name, kept in named.items():
        if name.startswith(_RAW):
            request, _, number = name.removeprefix(_RAW).partition(":")
            numbered.append((request, int(number), kept))
    found: dict[str, list[Kept]] = {}
    for request, _, kept in sorted(numbered, key=itemgetter(0, 1)):
        found.setdefault(request, []).append(kept)
    return found


class Judge:
    """An `Examiner` for one unit."""

    def __init__(
        self, role: str, context: Context, kept: KeptAnswers, stand_in: StandIn | None, *, repeat: int = 0
    ) -> None:
        self._role = role
        self._context = context
        self._models: Models = context.models
        self._kept = kept
        self._stand_in = stand_in
        self._repeat = repeat
        self._retried = context.retried
        """It failed before: what could not be read then is asked for again."""
        self._ready: dict[str, list[str]] = {}
        self._raw: dict[str, str] = {}
        self._asked: dict[str, int] = {}
        self._reread = 0

    @property
    def rule_written(self) -> bool:
        return self._models.name_of(self._role) == OFFLINE

    async def answer(self, asking: Asking[Form]) -> Form:
        model = self._models.role(self._role, None if self._stand_in is None else policy(self._stand_in))
        if model.rule_written:
            return await model.structured(asking.messages, asking.form, brief=asking)

        async def ask(transcript: Sequence[BaseMessage]) -> AIMessage:
            return await self._ask(model, asking, transcript)

        return await structured(ask, asking.messages, asking.form)

    def sealed(self, outcome: Outcome) -> Outcome:
        """Seal the unit's result with every answer it rests on; `reread` counts those that cost nothing."""
        mark = {"reread": self._reread} if self._reread else {}
        return Outcome({**outcome.result, **mark}, {**outcome.blobs, **self._raw})

    async def _ask(
        self, model: MeteredModel, asking: Asking[Form], transcript: Sequence[BaseMessage]
    ) -> AIMessage:
        request = request_id(transcript, model.name, asking.form, asking.about, self._repeat)
        text = self._before(request, asking.form)
        message = await model.answer(transcript, asking.form) if text is None else AIMessage(text)
        self._reread += text is not None
        number = self._asked.get(request, 0)
        self._asked[request] = number + 1
        name = f"{_RAW}{request}:{number}"
        self._raw[name] = message.text
        self._context.keep(Outcome({}, dict(self._raw)))
        if text is None:
            self._context.save(name, message.text)
        return message

    def _before(self, request: str, form: type[BaseModel]) -> str | None:
        """The next kept answer to this request."""
        if request not in self._ready:
            kept = () if self._context.left_out else self._kept.of(request, self._context.unit.key)
            self._ready[request] = [text for text in kept if not self._retried or readable(text, form)]
        ready = self._ready[request]
        return ready.pop(0) if ready else None


class UnkeptJudge:
    """An `Examiner` for one report without a study: what it says is kept by nobody."""

    rule_written = False

    def __init__(self, model: RoleModel, after: Callable[[], object] = lambda: None) -> None:
        self._model, self._after = model, after

    async def answer(self, asking: Asking[Form]) -> Form:
        answer = await self._model.structured(asking.messages, asking.form)
        self._after()
        return answer


def request_id(
    transcript: Sequence[BaseMessage], model: str, form: type[BaseModel], about: Sequence[str], repeat: int
) -> str:
    """Two requests with one id would get the same answer, were models not free to answer otherwise each time."""
    parts = {
        "prompt": fingerprint(transcript),
        "model": model,
        "form": form.model_json_schema(),
        "about": list(about),
        "repeat": repeat,
    }
    return sha256(canonical_json(parts).encode()).hexdigest()


def policy(stand_in: StandIn) -> Policy:
    """Make the stand-in as the offline model plays it. It goes by the question itself, not by the messages made of it."""

    def play(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        return AIMessage(json.dumps(stand_in.answer(arguments["brief"])))

    return play


class AnsweredById(Protocol):
    """The verdict on one thing."""

    @property
    def id(self) -> str: ...


One = TypeVar("One", bound=AnsweredById)
Thing = TypeVar("Thing")


async def ask_by_id(
    judge: Examiner,
    names: Sequence[str],
    most: int,
    asking: Callable[[Sequence[str]], Asking[Any]],
    verdict: Callable[[Any], object] = attrgetter("verdict"),
) -> dict[str, Any]:
    """Ask by id for the `verdicts` of the answer; what is missing was left out twice. `ModelFailure` where
    there is no usable answer at all."""
    found: dict[str, Any] = {}
    for group in groups_of(names, most):
        found |= sure((await judge.answer(asking(group))).verdicts, group, verdict)
        left = [name for name in group if name not in found]
        if left:
            found |= sure(await _once_more(judge, asking(left)), left, verdict)
    return found


async def _once_more(judge: Examiner, asking: Asking[Any]) -> Iterable[Any]:
    """An answer that cannot be used leaves out again what was left out, and spoils nothing that was said before."""
    try:
        verdicts: Iterable[Any] = (await judge.answer(asking)).verdicts
    except ModelFailure as failure:
        if failure.transient or failure.fatal:
            raise
        return ()
    return verdicts


def sure(answers: Iterable[One], asked: Iterable[str], verdict: Callable[[One], object]) -> dict[str, One]:
    """Ids that were not asked for are ignored; one that was answered twice with different verdicts is left out."""
    found: dict[str, One] = {}
    torn: set[str] = set()
    for one in answers:
        if one.id in found and verdict(found[one.id]) != verdict(one):
            torn.add(one.id)
        found[one.id] = one
    return {name: found[name] for name in asked if name in found and name not in torn}


def groups_of(things: Sequence[Thing], most: int) -> list[Sequence[Thing]]:
    """Group the things: as few groups as there can be, of about the same size."""
    if not things:
        return []
    size = ceil(len(things) / ceil(len(things) / most))
    return [things[start : start + size] for start in range(0, len(things), size)]
