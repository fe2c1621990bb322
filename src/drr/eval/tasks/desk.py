"""Defines what a judging run works with: judge, protocol and answers (`JudgingContext`), and the base class of its tasks (`Task`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from drr.citations.addresses import host_of
from drr.env.errors import DrrError, Misuse
from drr.env.query import Constraints, Query
from drr.env.shop import Shop, money_of
from drr.env.web.base import Page
from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.rules import CODE, CODE_BANNER, is_rules
from drr.eval.evidence.answers import Answer, AnswerEvidence
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.key_points import PointRow
from drr.eval.tasks.protocol import OURS, JudgingProtocol
from drr.llm.names import OFFLINE, input_tokens
from drr.study.study import Study
from drr.study.unit import Outcome, Record, Unit
from drr.wording.currency import Currency

if TYPE_CHECKING:
    from drr.citations.parse import Citations
    from drr.eval.asking.judge import Examiner, JudgeName, StandIn
    from drr.eval.evidence.passages import Cut
    from drr.llm.prompts import Prompts

TOGETHER = 10
"""Most claims in one request to a judge."""
UNKNOWN_WINDOW = 32_768
"""Tokens of a judge's context where its size is unknown; local servers are set to this size."""
_RESERVED = 16_384
"""Tokens reserved for the prompt, the claims and the answer."""
_OPEN = 64
"""Number of answers whose evidence is kept in memory: each holds all pages that its tools returned."""
_WINDOW = "judge_window"
_CHARACTERS = 2
"""Characters per token, estimated low: a request that is too long would give no verdict at all."""

Chosen = TypeVar("Chosen")


def room_for(model: str, window: int | None = None) -> int:
    """Return how many characters of evidence fit in one request to this model. `window` is its context, where nothing else tells it."""
    known = None if model == OFFLINE else input_tokens(model)
    return max((known or window or UNKNOWN_WINDOW) - _RESERVED, _RESERVED // 4) * _CHARACTERS


def kept_window(study: Study) -> int | None:
    """Return the window that was last given for the study's judge. It decides what stands in a request."""
    kept = study.ledger.meta(_WINDOW)
    return None if kept is None else int(kept)


def keep_window(study: Study, window: int) -> None:
    if kept_window(study) != window:
        study.ledger.set_meta(_WINDOW, str(window))


class JudgedQuestion(NamedTuple):
    """A question as judging needs it. The user of an imported report may be unknown."""

    id: str
    query: str
    user_id: str | None
    constraints: Constraints | None


def _box_prompts() -> Prompts:
    from drr.eval.asking.conversation import box_prompts

    return box_prompts()


@dataclass
class JudgingContext:
    """The settings and data of one judging run. Tasks make the decisions."""

    judge: JudgeName
    extractor: JudgeName
    shop: Shop | None
    shop_url: str
    prompts: Prompts = field(default_factory=_box_prompts)
    protocol: JudgingProtocol = OURS
    stand_in: StandIn | None = None
    batch: int = TOGETHER
    """Most claims with the same evidence in one call."""
    repeat: int = 0
    """Number of this repetition. Only this field makes a new unit of an equal prompt."""
    language: str | None = None
    """Code of the reports' language, where a setting names one."""
    window: int | None = None
    """Tokens of the judge's context, where its maker's data tell none."""
    refetched: Mapping[str, Page] | None = None
    questions: Mapping[str, Query] = field(default_factory=dict)
    own_points: Mapping[str, Sequence[PointRow]] = field(default_factory=dict)
    """Key points that people gave, by question."""
    reference: str | None = None
    """The variant whose reports the others are graded against and compared with."""
    all_pairs: bool = False
    """True if every two variants are compared, one dimension in a request."""
    choices: dict[type, Any] = field(default_factory=dict)
    """Settings of the papers' tasks, by their type; see `chosen`."""
    answers: dict[str, Answer] = field(default_factory=dict)
    versions: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Versions by task, computed once each."""
    profiles: dict[str, str] = field(default_factory=dict)
    """Profile summaries by shopper, filled when first asked for."""
    _books: dict[str, AnswerEvidence] = field(default_factory=dict)

    def add(self, answers: Iterable[Answer]) -> None:
        self.answers.update((answer.key, answer) for answer in answers)

    def answer(self, key: str) -> Answer:
        try:
            return self.answers[key]
        except KeyError:
            raise DrrError(
                f"answer {key[:12]} is not among those being judged; run `drr judge` on the whole study"
            ) from None

    def all_questions(self) -> list[JudgedQuestion]:
        """List the questions of the study and of imported reports, each once. They are known before any answer is."""
        found = {
            query.id: JudgedQuestion(query.id, query.query, query.user_id, query.constraints)
            for query in self.questions.values()
        }
        for answer in self.answers.values():
            wish = JudgedQuestion(answer.query_id, answer.query, answer.user_id, answer.constraints)
            found.setdefault(wish.id, wish)
        return list(found.values())

    def pairs(self, variants: Sequence[str]) -> Iterator[tuple[Answer, Answer]]:
        """Yield pairs of answers of the same question and trial, by variant. Each meets the reference, else the first of these variants.

        Under `all_pairs` and as printed every two meet. Answers whose truth code knows are not compared.
        """
        reference = self.reference if self.reference in variants else next(iter(variants), None)
        every = self.all_pairs or not self.protocol.together
        places: dict[tuple[str, int], dict[str, Answer]] = {}
        for answer in self.answers.values():
            checkable = answer.question is not None and answer.question.checkable is not None
            if answer.variant in variants and not checkable:
                places.setdefault((answer.query_id, answer.trial), {})[answer.variant] = answer
        for here in places.values():
            for a, b in combinations(sorted(here), 2):
                if every or reference in (a, b):
                    yield here[a], here[b]

    def book(self, answer: Answer) -> AnswerEvidence:
        """Open the evidence of an answer. The evidence of the last answers stays open."""
        if answer.key not in self._books:
            if len(self._books) >= _OPEN:
                self._books.pop(next(iter(self._books))).answer.let_go()
            own = frozenset(filter(None, [host_of(self.shop_url)]))
            self._books[answer.key] = AnswerEvidence(
                answer, self.shop, shop_hosts=own, refetched=self.refetched
            )
        return self._books[answer.key]

    def citations(self, report: str) -> Citations:
        """Parse the citations of a report, with the shop's address and product ids."""
        from drr.citations.parse import parse

        return parse(report, self.shop_url, None if self.shop is None else self.shop.known_ids)

    @property
    def money(self) -> Currency:
        """Return the currency of the shop's prices."""
        return money_of(self.shop)

    def cut(self, sources: int) -> Cut:
        """Choose how much of each source is shown for a claim with this many sources. All sources of one request share the context."""
        from drr.eval.evidence.passages import CONCERNING, whole_within

        if not self.protocol.whole_pages:
            return CONCERNING
        return whole_within(self.room // max(1, sources))

    @property
    def room(self) -> int:
        """Return how many characters of evidence fit in one request to the judge."""
        return room_for(self.judge.model, self.window)

    @property
    def together(self) -> int:
        """Return how many claims one call may hold. Rules judge each alone, which costs nothing."""
        return self.batch if self.protocol.together and not self.judge.rule_written else 1

    def profile(self, user_id: str | None) -> str:
        """Return the profile summary as text; empty where the shopper is unknown."""
        if user_id is None:
            return ""
        if user_id not in self.profiles and self.shop is not None:
            self.profiles[user_id] = profile_text(self.shop, user_id)
        return self.profiles.get(user_id, "")

    @property
    def question_intro(self) -> str:
        """Return the words before a question: in which language it was to be answered, where that is not English."""
        language = None if self.shop is None else self.shop.manifest.foreign_language
        asked = (
            f". Its answer must be written in the language with the ISO code `{language}`" if language else ""
        )
        return f"The question{asked}:"

    def chosen(self, kind: type[Chosen]) -> Chosen:
        """Return the study's settings of this type, else the default ones."""
        if kind not in self.choices:
            self.choices[kind] = kind()
        found: Chosen = self.choices[kind]
        return found

    def judge_of(self, role: str) -> JudgeName:
        return self.extractor if role == EXTRACTOR else self.judge

    def version(self, version: int, role: str, *prompts: str) -> str:
        """Return a task's version: the hash of its prompts, its version number, and the rules' version where rules judge.

        Version 1 is not written, so that judgements from before tasks had versions stay valid.
        """
        from drr.eval.asking.conversation import version_of

        named = [version_of(*(self.prompts[name] for name in prompts))]
        if version > 1:
            named.append(str(version))
        judge = self.judge_of(role)
        if judge.rule_written and not judge.is_code and self.stand_in is not None:
            named.append(f"{self.stand_in.name}.{self.stand_in.version}")
        return "-".join(named)

    def judging(self, versions: Mapping[str, str]) -> JudgingRun:
        return JudgingRun(
            self.judge.shown,
            self.extractor.shown,
            self.protocol.name,
            versions,
            self.judge.rule_written and not self.judge.is_code,
            self.refetched is not None,
            self.repeat,
            self.banner,
        )

    @property
    def banner(self) -> str | None:
        """Return the notice that must stand above every verdict; `None` where a model judges."""
        if self.judge.is_code:
            return CODE_BANNER
        return self.stand_in.banner if self.judge.rule_written and self.stand_in is not None else None


def profile_text(shop: Shop, user_id: str) -> str:
    """Return the text that judges are shown about a shopper; empty where the shop has no shopper of this id."""
    from drr.env.profile import build_profile
    from drr.env.records.shopper import shopper_summary

    known = shop.store.user(user_id) is not None
    if not known:
        return ""
    money = shop.manifest.money
    return shopper_summary(build_profile(shop.store, user_id, shop.manifest.as_of, money), money)


JUDGE = "judge"
EXTRACTOR = "claim_extractor"


About = Literal["query", "answer", "pair", "claim-source", "passage-pair"]
"""The kind of subject that a task judges. A query exists before any answer; claims and passages are planned with their answer."""
Pair = tuple[Answer, Answer]
Planned = TypeVar("Planned", JudgedQuestion, Answer, Pair)


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of one unit, which is usually at most one call."""

    characters: int
    """Number of characters sent."""
    output_tokens: int
    calls: int = 1
    begun: int = 0
    """Number of characters with which other requests begin too, so that the provider's cache may keep them."""
    reads: bool = False
    """True if another request wrote them to the cache before; else this one does."""


class Task(ABC, Generic[Planned]):
    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Version number, raised by hand when the task reads answers or decides otherwise. Stored answers are then read again."""
    asked_version: ClassVar[int | None] = None
    """Version where a model is asked, if only what rules decide has changed since."""
    subject: ClassVar[About]
    needs: ClassVar[tuple[str, ...]] = ()
    """Names of tasks whose judgements must exist before this task can be planned."""
    role: ClassVar[str] = JUDGE
    asks: ClassVar[bool] = True
    """True if a judge is asked; false where code alone decides."""
    by_rules: ClassVar[bool] = True
    """True if rules may stand in for a judge. If false, only the findings of code are known in a run without a model."""
    by_code: ClassVar[bool] = False
    """True if code makes a part of it where nobody judges."""
    metrics: ClassVar[tuple[str, ...]] = ()
    """Families of metrics that use this task's judgements."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for old, now in (("settle", "finish_reading"), ("lacks", "is_incomplete")):
            if old in vars(cls):  # its code would never run
                raise Misuse(f"task {cls.__name__}: `{old}` is called `{now}` since 0.3.0; rename it")

    def version_by(self, judge: str) -> int:
        """Return the version that decides where this judge is asked."""
        by_code = judge == CODE or is_rules(judge)
        return self.version if by_code or self.asked_version is None else self.asked_version

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Map the task's name, or `name/part` (`rating/depth`), to its version in keys.

        Empty where the protocol does not ask for the task.
        """
        ask = desk.protocol.ask(self.name)
        return {} if ask is None else {self.name: desk.version(self.version, self.role, ask.prompt)}

    @abstractmethod
    def plan(self, desk: JudgingContext, about: Planned, judged: Judged) -> Iterable[Unit]:
        """Yield the units of one query, answer or pair. `judged` holds the results of the tasks that this one needs."""

    @abstractmethod
    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Judge one unit, from its spec."""

    @abstractmethod
    def read(self, record: Record, judged: Judged) -> None:
        """Enter the result or the failure of a finished unit into `judged`."""

    def is_incomplete(self, record: Record) -> bool:
        """Tell whether a finished unit lacks a part of its answer. `--retry-failed` judges such a unit again."""
        return False

    @abstractmethod
    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        """Estimate the cost of a unit; `None` where no model is asked."""

    def guess(self, desk: JudgingContext, about: Planned, judged: Judged) -> None:
        """Enter likely results for a forecast, so that the tasks that need them can be planned."""
        return

    def part(self, fields: Mapping[str, Any]) -> str:
        """Return the key in `versions` under which a unit with these key fields is filed."""
        return self.name

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        """Tell whether a unit with these key fields is part of this judging run."""
        return bool(
            fields["protocol"] == judging.protocol
            and fields["judge"] == judging.judge
            and fields["repeat"] == judging.repeat
            and fields["version"] == judging.versions.get(self.part(fields))
        )

    def counts(self, record: Record, judged: Judged) -> bool:
        """Tell whether the earlier judgements that this one was made from are still valid."""
        return True

    def finish_reading(self, judged: Judged) -> None:
        """Finish the results after all units of the task were read."""
        return

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None] | None:
        """Map (label, item) to a value that another judging run can be compared by; `None` where there is none."""
        return None

    def unit(
        self, desk: JudgingContext, label: str, fields: Mapping[str, Any], spec: Mapping[str, Any]
    ) -> Unit:
        """Build a unit whose key holds this desk's judge, protocol, prompts and repetition."""
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
