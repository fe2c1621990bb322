"""The desk of one judging of one study: who judges, how, and the answers with their evidence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from drr.citations.addresses import host_of
from drr.citations.parse import Citations, parse
from drr.env.errors import DrrError
from drr.env.query import Constraints, Query
from drr.env.shop import Shop
from drr.env.web.base import Page
from drr.eval.asking.conversation import box_prompts, version_of
from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Examiner, JudgeName, StandIn
from drr.eval.evidence.answers import Answer, Book
from drr.eval.evidence.passages import CONCERNING, Cut, whole_within
from drr.eval.tasks.judgements import Judged, Judging
from drr.eval.tasks.key_points import PointRow
from drr.eval.tasks.protocol import OURS, JudgingProtocol
from drr.llm.names import OFFLINE, input_tokens
from drr.llm.prompts import Prompts
from drr.study.unit import Outcome, Record, Unit

UNKNOWN_WINDOW = 32_768
"""Tokens of a judge's window where nobody says; also what a local server is told to hold."""
_RESERVED = 16_384
"""Tokens kept for the prompt, the claims and the answer."""
_OPEN = 64
"""Answers whose evidence is kept in memory."""
_CHARACTERS = 2
"""Characters of a token, counted low: a page that does not fit would be no verdict at all."""

Chosen = TypeVar("Chosen")


def room_for(model: str) -> int:
    """Count the characters of evidence that one request to this model has room for."""
    window = None if model == OFFLINE else input_tokens(model)
    return max((window or UNKNOWN_WINDOW) - _RESERVED, _RESERVED // 4) * _CHARACTERS


class Wish(NamedTuple):
    """A question as judging needs it; of imported reports the user may be unknown."""

    id: str
    query: str
    user_id: str | None
    constraints: Constraints | None


@dataclass
class Desk:
    """Nothing here decides anything: tasks do."""

    judge: JudgeName
    extractor: JudgeName
    shop: Shop | None
    shop_url: str
    prompts: Prompts = field(default_factory=box_prompts)
    protocol: JudgingProtocol = OURS
    stand_in: StandIn | None = None
    batch: int = 1
    """Claims in one call."""
    repeat: int = 0
    """Another repetition of the same judgements: the only field that makes an equal prompt a new unit."""
    refetched: Mapping[str, Page] | None = None
    questions: Mapping[str, Query] = field(default_factory=dict)
    own_points: Mapping[str, Sequence[PointRow]] = field(default_factory=dict)
    """Key points that people gave, by question."""
    reference: str | None = None
    """The variant whose reports others are graded against."""
    choices: dict[type, Any] = field(default_factory=dict)
    """Choices of the papers' tasks, by their type; see `chosen`."""
    answers: dict[str, Answer] = field(default_factory=dict)
    versions: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Versions by task, each computed once."""
    profiles: dict[str, str] = field(default_factory=dict)
    """Profile summaries by shopper, as far as they are known."""
    _books: dict[str, Book] = field(default_factory=dict)

    def add(self, answers: Iterable[Answer]) -> None:
        self.answers.update((answer.key, answer) for answer in answers)

    def answer(self, key: str) -> Answer:
        try:
            return self.answers[key]
        except KeyError:
            raise DrrError(
                f"answer {key[:12]} is not among those being judged; run `drr judge` on the whole study"
            ) from None

    def wishes(self) -> list[Wish]:
        """The study's questions, and those of imported reports, each once: they are there before any answer is."""
        found = {
            query.id: Wish(query.id, query.query, query.user_id, query.constraints)
            for query in self.questions.values()
        }
        for answer in self.answers.values():
            wish = Wish(answer.query_id, answer.query, answer.user_id, answer.constraints)
            found.setdefault(wish.id, wish)
        return list(found.values())

    def pairs(self, variants: Sequence[str]) -> Iterator[tuple[Answer, Answer]]:
        """Trial k meets trial k, in alphabetical order of the variants."""
        places: dict[tuple[str, int], dict[str, Answer]] = {}
        for answer in self.answers.values():
            if answer.variant in variants:
                places.setdefault((answer.query_id, answer.trial), {})[answer.variant] = answer
        for here in places.values():
            yield from ((here[a], here[b]) for a, b in combinations(sorted(here), 2))

    def book(self, answer: Answer) -> Book:
        """Open the evidence of an answer; of the last answers it stays open."""
        if answer.key not in self._books:
            if len(self._books) >= _OPEN:
                self._books.pop(next(iter(self._books))).answer.let_go()
            own = frozenset(filter(None, [host_of(self.shop_url)]))
            self._books[answer.key] = Book(answer, self.shop, shop_hosts=own, refetched=self.refetched)
        return self._books[answer.key]

    def citations(self, report: str) -> Citations:
        """Parse the citations of a report about the shop."""
        return parse(report, self.shop_url, None if self.shop is None else self.shop.known_ids)

    def cut(self, sources: int) -> Cut:
        """Choose how much of each source is shown where a claim has this many. A window is shared by all of one request."""
        if not self.protocol.whole_pages:
            return CONCERNING
        return whole_within(room_for(self.judge.model) // (self.batch * max(1, sources)))

    def profile(self, user_id: str | None) -> str:
        """The profile summary as text; empty where the shopper is unknown."""
        if user_id is None:
            return ""
        if user_id not in self.profiles and self.shop is not None:
            self.profiles[user_id] = profile_text(self.shop, user_id)
        return self.profiles.get(user_id, "")

    def chosen(self, kind: type[Chosen]) -> Chosen:
        """Return the study's choice of this kind, else the kind's default."""
        if kind not in self.choices:
            self.choices[kind] = kind()
        found: Chosen = self.choices[kind]
        return found

    def judge_of(self, role: str) -> JudgeName:
        return self.extractor if role == EXTRACTOR else self.judge

    def version(self, version: int, role: str, *prompts: str) -> str:
        """Give a task at this version its prompts' mark, and where rules stand in for a model, theirs.

        A task's first version is not written, so that what was judged before tasks had versions stays judged.
        """
        named = [version_of(*(self.prompts[name] for name in prompts))]
        if version > 1:
            named.append(str(version))
        if self.judge_of(role).rule_written and self.stand_in is not None:
            named.append(f"{self.stand_in.name}.{self.stand_in.version}")
        return "-".join(named)

    def judging(self, versions: Mapping[str, str]) -> Judging:
        return Judging(
            self.judge.shown,
            self.extractor.shown,
            self.protocol.name,
            versions,
            self.judge.rule_written,
            self.refetched is not None,
            self.repeat,
            self.banner,
        )

    @property
    def banner(self) -> str | None:
        """Say what must stand over every verdict of this judge."""
        return self.stand_in.banner if self.judge.rule_written and self.stand_in is not None else None


def profile_text(shop: Shop, user_id: str) -> str:
    """Say what judges are told of a shopper; empty where the shop knows none of this id."""
    from drr.env.profile import build_profile
    from drr.env.records.shopper import shopper_summary

    known = shop.store.user(user_id) is not None
    return shopper_summary(build_profile(shop.store, user_id, shop.manifest.as_of)) if known else ""


JUDGE = "judge"
EXTRACTOR = "claim_extractor"


About = Literal["query", "answer", "pair", "claim-source", "passage-pair"]
"""A query is there before any answer; claims and passages are those of one answer, and are planned with it."""
Pair = tuple[Answer, Answer]
Planned = TypeVar("Planned", Wish, Answer, Pair)


@dataclass(frozen=True)
class Estimate:
    """The estimate of one unit, at most one call as a rule."""

    characters: int
    """Characters sent."""
    output_tokens: int
    calls: int = 1


class Task(ABC, Generic[Planned]):
    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised by hand when its answers are read otherwise or its code decides otherwise; kept answers are then read again."""
    subject: ClassVar[About]
    needs: ClassVar[tuple[str, ...]] = ()
    """Tasks whose judgements must be there before it can be planned."""
    role: ClassVar[str] = JUDGE
    asks: ClassVar[bool] = True
    """False where code alone decides and no judge is asked."""
    by_rules: ClassVar[bool] = True
    """Without, rules that stand in for a judge are not asked: what code finds is all that is known."""
    metrics: ClassVar[tuple[str, ...]] = ()
    """The families of metrics it feeds."""

    def versions(self, desk: Desk) -> Mapping[str, str]:
        """Map the task's name, or name and part (`rating/depth`), to its version in keys and judgings.

        None where the protocol does not ask it.
        """
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    @abstractmethod
    def plan(self, desk: Desk, about: Planned, judged: Judged) -> Iterable[Unit]:
        """The units of one query, answer or pair; `judged` holds what the tasks it needs have found."""

    @abstractmethod
    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """One unit, from its spec."""

    @abstractmethod
    def read(self, record: Record, judged: Judged) -> None:
        """Enter what a unit that ended says, or that it failed."""

    def lacks(self, record: Record) -> bool:
        """Tell whether a done unit lacks a part of its answer: `--retry-failed` judges it again."""
        return False

    @abstractmethod
    def estimate(self, desk: Desk, unit: Unit) -> Estimate | None:
        """`None` where no model is asked."""

    def guess(self, desk: Desk, about: Planned, judged: Judged) -> None:
        """Enter, for a forecast, what this task may find, so that the tasks that need it can be planned."""
        return

    def part(self, fields: Mapping[str, Any]) -> str:
        """Name which of its `versions` a unit's key has."""
        return self.name

    def belongs(self, fields: Mapping[str, Any], judging: Judging) -> bool:
        """Tell whether a unit with such key fields is part of this judging."""
        return bool(
            fields["protocol"] == judging.protocol
            and fields["judge"] == judging.judge
            and fields["repeat"] == judging.repeat
            and fields["version"] == judging.versions.get(self.part(fields))
        )

    def counts(self, record: Record, judged: Judged) -> bool:
        """Tell whether what it needed still stands, now that the tasks before it are read."""
        return True

    def settle(self, judged: Judged) -> None:
        """Settle after all of its units were read."""
        return

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None] | None:
        """Map label and item to what a second judging can be compared with; `None` where nothing can."""
        return None

    def unit(self, desk: Desk, label: str, fields: Mapping[str, Any], spec: Mapping[str, Any]) -> Unit:
        """A unit under this desk's judge, protocol, prompts and repetition."""
        own = {
            "task": self.name,
            "protocol": desk.protocol.name,
            "judge": desk.judge_of(self.role).shown,
            "schema": SCHEMA,
            "repeat": desk.repeat,
            **fields,
        }
        if self.name not in desk.versions:
            desk.versions[self.name] = self.versions(desk)
        own["version"] = desk.versions[self.name][self.part(own)]
        return Unit("judgement", own, {"task": self.name, **spec}, label)


def text_id(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
