"""Asks a judge about one unit: sends only requests that were not answered before, and stores every answer.

A request is the text sent, the model, the form of the answer and the repetition. How an answer is read is not part of it: when a task
reads answers in a new way, the stored answers are read again, and a model is asked only where the bytes of a request are new.
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
from drr.eval.asking.rules import CODE
from drr.llm.failures import ModelFailure
from drr.llm.names import OFFLINE
from drr.llm.role import MeteredModel, Policy, RoleModel, is_readable, structured
from drr.study.blobs import LostText
from drr.study.study import Study
from drr.study.unit import Outcome, canonical_json
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

if TYPE_CHECKING:
    from drr.llm.factory import Models
    from drr.study.worker import Context

_RAW = "raw:"
Kept = TypeVar("Kept")


class StandIn(Protocol):
    """A judge without a model, which decides by rules."""

    name: str
    version: int
    """Version, raised by hand when the rules judge otherwise."""
    banner: str
    """Notice above every table with its verdicts."""

    @property
    def tasks(self) -> frozenset[str]:
        """Return the tasks that the rules can judge. A judging run with another task is refused before it begins."""

    def answer(self, asking: Asking[Any]) -> Mapping[str, Any]:
        """Return an answer in the form that was asked for."""


@dataclass(frozen=True)
class JudgeName:
    """The name of a judge. `shown` is the name in verdicts; the model that is called may be the offline one."""

    model: str
    shown: str
    rule_written: bool

    @classmethod
    def of(cls, models: Models, role: str, stand_in: StandIn | None, *, unnamed: bool = False) -> JudgeName:
        """Return the judge in this role. `unnamed`: nobody named one, so that without a model no rules stand in."""
        model = models.name_of(role)
        if model == OFFLINE and unnamed:
            return cls(model, CODE, True)
        if model == OFFLINE and stand_in is not None:
            return cls(model, stand_in.name, True)
        return cls(model, model, model == OFFLINE)

    @property
    def is_code(self) -> bool:
        """Tell whether nobody judges what code cannot decide."""
        return self.shown == CODE


class Examiner(Protocol):
    """The interface of a judge that tasks use."""

    @property
    def rule_written(self) -> bool:
        """Tell whether rules judge in place of a model."""

    async def answer(self, asking: Asking[Form]) -> Form:
        """Ask and return the answer. Raises `ModelFailure` where there is no usable answer."""


class KeptAnswers:
    """The models' stored answers in this study, by request. They are looked up in the ledger at the first request."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._known: dict[str, list[Callable[[], str]]] | None = None

    def of(self, request: str, unit: str) -> list[str]:
        """List the stored answers to a request in the order in which they came. Finished units come before failed ones, then the latest unit first.

        Where there are none, answers that a crashed process saved are taken; for this unit also those that it has saved since.
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
    """An `Examiner` for one unit, which stores its answers."""

    def __init__(
        self, role: str, context: Context, kept: KeptAnswers, stand_in: StandIn | None, *, repeat: int = 0
    ) -> None:
        self._role = role
        self._context = context
        self._models: Models = context.models
        self._kept = kept
        self._stand_in = stand_in
        self._repeat = repeat
        self._retried = context.given.retried
        """True if the unit failed before. An answer that could not be read then is asked for again."""
        self._ready: dict[str, list[str]] = {}
        self._raw: dict[str, str] = {}
        self._asked: dict[str, int] = {}
        self._reread = 0

    @property
    def rule_written(self) -> bool:
        return self._models.name_of(self._role) == OFFLINE

    async def answer(self, asking: Asking[Form]) -> Form:
        model = self._models.role(
            self._role, None if self._stand_in is None else offline_policy(self._stand_in)
        )
        if model.rule_written:
            return await model.structured(asking.messages, asking.form, brief=asking)

        async def ask(transcript: Sequence[BaseMessage]) -> AIMessage:
            return await self._ask(model, asking, transcript)

        return await structured(ask, asking.messages, asking.form)

    def with_raw_answers(self, outcome: Outcome) -> Outcome:
        """Add every answer that the unit used to its result; `reread` counts the stored ones, which cost nothing."""
        mark = {"reread": self._reread} if self._reread else {}
        return Outcome({**outcome.result, **mark}, {**outcome.blobs, **self._raw})

    async def _ask(
        self, model: MeteredModel, asking: Asking[Form], transcript: Sequence[BaseMessage]
    ) -> AIMessage:
        request = request_id(transcript, model.name, asking.form, asking.about, self._repeat)
        text = self._before(request, asking.form)
        message = await model.answer(transcript, asking.form) if text is None else AIMessage(text)
        self._reread += text is not None
        # A unit may send one request twice, for ids that were left out; each time has its own answer.
        number = self._asked.get(request, 0)
        self._asked[request] = number + 1
        name = f"{_RAW}{request}:{number}"
        self._raw[name] = message.text
        self._context.keep(Outcome({}, dict(self._raw)))
        if text is None:
            # At once, before the unit ends: a crash must not cost an answer that was paid for.
            self._context.save(name, message.text)
        return message

    def _before(self, request: str, form: type[BaseModel]) -> str | None:
        """Return the next stored answer to this request, if any."""
        if request not in self._ready:
            # The kept answer left a part out; read again, it would do so for ever.
            kept = () if self._context.given.left_out else self._kept.of(request, self._context.unit.key)
            self._ready[request] = [text for text in kept if not self._retried or is_readable(text, form)]
        ready = self._ready[request]
        return ready.pop(0) if ready else None


class UnkeptJudge:
    """An `Examiner` for one report without a study, which stores nothing."""

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
    """Return the id of a request. Requests with one id get the same answer, as far as models answer alike."""
    parts = {
        "prompt": fingerprint(transcript),
        "model": model,
        "form": form.model_json_schema(),
        "about": list(about),
        "repeat": repeat,
    }
    return sha256(canonical_json(parts).encode()).hexdigest()


def offline_policy(stand_in: StandIn) -> Policy:
    """Build the offline model's policy from the rules. The policy reads the question's fields, not the messages built from them."""

    def play(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        return AIMessage(json.dumps(stand_in.answer(arguments["brief"])))

    return play


class AnsweredById(Protocol):
    """The form of a verdict on one thing."""

    @property
    def id(self) -> str: ...


One = TypeVar("One", bound=AnsweredById)
CheckedThing = TypeVar("CheckedThing")


async def ask_by_id(
    judge: Examiner,
    names: Sequence[str],
    most: int,
    asking: Callable[[Sequence[str]], Asking[Any]],
    verdict: Callable[[Any], object] = attrgetter("verdict"),
) -> dict[str, Any]:
    """Ask about things by id and map each to its verdict; a missing id was left out twice. `ModelFailure` where no answer is usable."""
    found: dict[str, Any] = {}
    for group in groups_of(names, most):
        found |= answers_by_id((await judge.answer(asking(group))).verdicts, group, verdict)
        left = [name for name in group if name not in found]
        if left:
            found |= answers_by_id(await _once_more(judge, asking(left)), left, verdict)
    return found


async def _once_more(judge: Examiner, asking: Asking[Any]) -> Iterable[Any]:
    """Ask again about ids that were left out. An unusable answer counts as leaving them out, and the first answers stand."""
    try:
        verdicts: Iterable[Any] = (await judge.answer(asking)).verdicts
    except ModelFailure as failure:
        # An outage says nothing of these ids: the unit is tried again later.
        if failure.transient or failure.fatal:
            raise
        return ()
    return verdicts


def answers_by_id(
    answers: Iterable[One], asked: Iterable[str], verdict: Callable[[One], object]
) -> dict[str, One]:
    """Map ids to answers, whatever brackets, blanks and capitals they are written with. Ids that were not asked for are ignored; ids with two different verdicts are left out."""
    found: dict[str, One] = {}
    torn: set[str] = set()
    for one in answers:
        name = _bare_id(one.id)
        # Of two different verdicts on one id, nobody can tell which is meant.
        if name in found and verdict(found[name]) != verdict(one):
            torn.add(name)
        found[name] = one
    return {name: found[own] for name in asked if (own := _bare_id(name)) in found and own not in torn}


def _bare_id(name: str) -> str:
    return "".join(name.split()).strip("[](){}<>\"'`*").casefold()


def groups_of(things: Sequence[CheckedThing], most: int) -> list[Sequence[CheckedThing]]:
    """Split things into as few groups as possible, of about equal size."""
    if not things:
        return []
    size = ceil(len(things) / ceil(len(things) / most))
    return [things[start : start + size] for start in range(0, len(things), size)]
