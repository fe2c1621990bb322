"""`drr.Environment`: a training environment that poses questions about a shop and rewards answers by code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, lru_cache
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import ClassVar, Self, TypedDict

from drr.agents.base import NAMED_LIMITS, LimitName, tight_calls
from drr.agents.runner import schemas
from drr.app.calls import run_blocking
from drr.app.session import ToolSession
from drr.app.study.trust import named_settings, vouched_settings
from drr.app.training.episode import (
    ACTING,
    MALFORMED,
    Ending,
    Episode,
    EpisodeLimits,
    ModelOutput,
    Observation,
    Step,
)
from drr.app.training.episode_tasks import APART, task_of
from drr.app.training.transcripts import EpisodeTranscript, append
from drr.env.errors import Misuse
from drr.env.query import Query, read_queries
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Shop, open_shop
from drr.env.web.made_web import question_outside, with_own_web
from drr.eval.rewards.rewarded import truth_of
from drr.querygen.checks import manifest_matches
from drr.querygen.composing import QuestionMaker
from drr.querygen.files import write_queries

_CALLS = "\nTools may be called {} times in all. Then only a report is taken."
_QUESTIONS = 10_000
"""Most questions kept in memory, by seed."""


class EpisodeState(TypedDict):
    """The state of an environment. Before the first `reset` there is no question."""

    query_id: str | None
    seed: int | None
    """Seed of the question; `None` where the question was named."""
    step: int
    ending: Ending | None
    reward: float


class SharedShop:
    """An open shop with its web and its questions by seed, shared by all environments of a process."""

    _open: ClassVar[list[SharedShop]] = []
    _lock: ClassVar[RLock] = RLock()

    def __init__(self, place: str | Shop, settings: Settings) -> None:
        with ExitStack() as opened:
            self.shop = opened.enter_context(open_shop(place, settings)) if isinstance(place, str) else place
            self.session = ToolSession(self.shop, None, settings)
            self._opened = opened.pop_all()
        self.place, self.settings, self._process, self._users = place, settings, os.getpid(), 0
        self.question = lru_cache(_QUESTIONS)(self._question)

    @classmethod
    def of(cls, place: str | Shop, settings: Settings) -> SharedShop:
        """Return the shop that this process has open for the place and settings; the first call opens the shop."""
        with cls._lock:
            key = (os.getpid(), place, settings)
            same = (one for one in cls._open if (one._process, one.place, one.settings) == key)
            found = next(same, None)
            if found is None:
                found = cls(place, settings)
                cls._open.append(found)
            found._users += 1
            return found

    @cached_property
    def _maker(self) -> QuestionMaker:
        return QuestionMaker(self.shop, self.session.world.web)

    def _question(self, seed: int) -> Query:
        """Return the question that `drr queries generate --checkable --seed SEED` tries first."""
        with self._lock:
            return self._maker.make(f"{seed}:0")

    def leave(self) -> None:
        """Release the shop, and close it where no other environment uses it."""
        with self._lock:
            self._users -= 1
            if not self._users:
                self._open.remove(self)
                self._opened.close()


def _with_web(place: str | Shop, named: Mapping[str, object]) -> Settings:
    """Return the settings; where none names a web, the web that was made with the shop is added."""
    return with_own_web(vouched_settings(named, ()).settings, place if isinstance(place, str) else place.spec)


def _call_limits(name: LimitName, query: Query) -> EpisodeLimits:
    """Return the limits of that name for a question."""
    named, least = NAMED_LIMITS[name], truth_of(query).least
    if name == "tight" and least is None:
        raise Misuse(f"question {query.id}: does not say its `least`, so that calls cannot be tight")
    most = int(named["tool_calls"]) if least is None or name == "wide" else tight_calls(least)
    return EpisodeLimits(most + MALFORMED, float(named["seconds"]), most)


class Environment:
    """A shop to train and test agents in: its questions, the tools, and rewards that code decides.

    Without `queries`, questions are made from the shop by seed. `sandbox` is the folder of its web; by default the web made with the
    shop, else the package's own web. `calls` limits the calls of tools in place of steps: `wide` to 150, `tight` to 1.2 times the question's
    `least`; after the last one only a report is taken. Many environments of one process share an open shop. `transcripts` is
    a file of JSON lines that every finished episode is added to.

    >>> with drr.Environment(shop="shop", max_steps=30) as env:
    ...     first = env.reset(seed=7)
    ...     seen, reward, done, info = env.step({"tool": "get_user_orders", "arguments": {"limit": 3}})
    ...     last, reward, done, info = env.step({"report": "I do not know.", "form": None})
    ...     seen.steps_left, reward, done, info["ending"]
    (29, 0.0, True, 'answered')
    """

    def __init__(
        self,
        shop: str | Path | Shop,
        queries: str | Path | Sequence[Query] | None = None,
        *,
        max_steps: int = 60,
        time_limit_s: float = 900.0,
        calls: LimitName | None = None,
        transcripts: str | Path | None = None,
        sandbox: str | Path | None = None,
        settings: Settings | None = None,
    ) -> None:
        if max_steps < 1 or not time_limit_s > 0:
            raise Misuse(f"max_steps {max_steps}, time_limit_s {time_limit_s:g}: both must be above 0")
        if calls not in (None, *NAMED_LIMITS):
            raise Misuse(f"calls {calls!r}: there are {', '.join(NAMED_LIMITS)}")
        self.limits, self.task = EpisodeLimits(max_steps, time_limit_s), APART
        self._calls = calls
        self._transcripts = None if transcripts is None else Path(transcripts)
        place = (
            shop
            if isinstance(shop, Shop)
            else str(shop if str(shop).startswith(SERVERS) else Path(shop).absolute())
        )
        named = named_settings(settings, sandbox=sandbox)
        self._shared = run_blocking(lambda: SharedShop.of(place, _with_web(place, named)), place)
        self._queries: Sequence[Query] | None = None
        self._episode: Episode | None = None
        self._seed: int | None = None
        self._next, self._closed = 0, False
        try:
            self._queries = None if queries is None else run_blocking(lambda: self._checked(queries), queries)
        except BaseException:
            self.close()
            raise

    def _checked(self, queries: str | Path | Sequence[Query]) -> Sequence[Query]:
        """Return the questions; raises `Misuse` for a question without a true answer, or one that this shop cannot answer."""
        found = read_queries(Path(queries)) if isinstance(queries, str | Path) else list(queries)
        if not found:
            raise Misuse("queries: holds no question; leave it out, and questions are made from the shop")
        manifest_matches(self._shared.shop, found)
        for query in found:
            self._check(query)
        self.task = task_of(found[0])
        other = next((query.id for query in found if task_of(query) is not self.task), None)
        if other is not None:
            raise Misuse(f"queries: {found[0].id} and {other} are of two tasks; give each an environment")
        return found

    def _check(self, query: Query) -> None:
        truth_of(query)
        if self._shared.shop.store.user(query.user_id) is None:
            raise Misuse(f"question {query.id}: this shop has no user {query.user_id!r}")
        if outside := question_outside([query], self._shared.shop, self._shared.session.world.web):
            raise Misuse(outside)

    def reset(self, seed: int | None = None, query: Query | str | None = None) -> Observation:
        """Begin an episode and return its first observation. A seed selects a given question or makes one; without a seed the next one is used.

        `query` is a question, or the id of a given question.
        """
        if self._closed:
            raise Misuse("the environment is closed; make another")
        found = self._chosen(seed, query)
        session, task = self._shared.session.beside(found.user_id), task_of(found)
        today, tools = session.world.today.isoformat(), schemas(tuple(session.tools), session.money)
        limits = self.limits if self._calls is None else _call_limits(self._calls, found)
        acting = ACTING if limits.max_calls is None else ACTING + _CALLS.format(limits.max_calls)
        first = Observation(
            found.query, found.user_id, today, task.instructions(acting, session.money), tools, task.form, limits, "", limits.max_steps
        )  # fmt: skip
        self._episode = Episode(found, session, first)
        return first

    def _chosen(self, seed: int | None, query: Query | str | None) -> Query:
        if isinstance(query, Query):
            self._check(query)
        elif query is not None:
            named = next((one for one in self._queries or () if one.id == query), None)
            if named is None:
                raise Misuse(f"query {query!r}: no such id among the questions of this environment")
            query = named
        if query is not None:
            self._seed = None
            return query
        self._seed = self._next if seed is None else seed
        self._next = self._seed + 1
        given = self._queries
        return self._shared.question(self._seed) if given is None else given[self._seed % len(given)]

    @property
    def shop(self) -> str:
        """Name of the shop, without its folder."""
        spec = self._shared.shop.spec
        return spec if spec.startswith(SERVERS) else Path(spec).name

    def questions(self, seeds: Iterable[int], out: str | Path | None = None) -> Sequence[Query]:
        """Return the given questions, or else those that the seeds make. `out` is a file to keep them in, for `queries`."""
        found = self._queries or [self._shared.question(seed) for seed in seeds]
        if out is not None:
            write_queries(Path(out), found)
        return found

    @property
    def episode(self) -> Episode:
        """Return the current episode, with its question and the results of its tools; for trainers only."""
        if self._episode is None:
            raise Misuse("there is no episode yet; call reset() first")
        return self._episode

    def _running(self) -> Episode:
        if self.episode.ending is not None:
            raise Misuse(f"the episode has ended ({self.episode.ending}); call reset() for another")
        return self.episode

    def step(self, action: object, output: ModelOutput | None = None) -> Step:
        """Take `{"tool": name, "arguments": {...}}` or `{"report": markdown, "form": {...}}`.

        Return the observation, the reward, whether the episode has ended, and facts for the trainer. A malformed action is
        answered with the fault, and counts. `output` is the model's text for the action, for the transcript.
        """
        return self._kept(self._running().act(action, output))

    def _kept(self, step: Step) -> Step:
        if self._transcripts is not None and self.episode.ending is not None:
            append(self._transcripts, self.transcript())
        return step

    def transcript(self) -> EpisodeTranscript:
        """Return the transcript of the finished episode, with its reward and all data to compute the reward again."""
        return EpisodeTranscript.of(self.episode, self._seed)

    @property
    def state(self) -> EpisodeState:
        now = self._episode
        return {
            "query_id": None if now is None else now.query.id,
            "seed": self._seed,
            "step": 0 if now is None else now.steps,
            "ending": None if now is None else now.ending,
            "reward": 0.0 if now is None or now.reward is None else now.reward["total"],
        }

    def close(self) -> None:
        """Release the shop; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._shared.leave()

    async def areset(self, seed: int | None = None, query: Query | str | None = None) -> Observation:
        """Do the work of `reset` in a thread, so that the caller's event loop goes on."""
        return await asyncio.to_thread(self.reset, seed, query)

    async def astep(self, action: object, output: ModelOutput | None = None) -> Step:
        """Do the work of `step`, with the tool in a thread of its own."""
        return self._kept(await self._running().aact(action, output))

    async def aclose(self) -> None:
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
