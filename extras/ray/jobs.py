"""Jobs on a Ray cluster. Each worker is an actor with its own bench, opened once from plain data.

The driver alone knows which job is where. A job whose worker died is given to another; parts that were lost with their node are
made again by the job that left them. Parts lie in Ray's object store, which lays on disk what is too much.
"""

from __future__ import annotations

import os
import pkgutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from drr.env.errors import DrrError
from drr.env.jobs import GivenJob, JobPart, SharedWord
from drr.env.user_code import code_hash, other_code
from drr.extras.ray.cluster import RayPlace, check_installed, connect_aside, dead_nodes, view
from drr.study.job_courses import FailedJob, JobCourse, JobCourses
from drr.study.worker import Opening

_DEATHS = 3
"""Workers that one job may take with it while their nodes live."""
_STILLBORN = 3
_NOTE_S, _PLACE_S = 10.0, 300.0
_LOOK_S = 0.5
"""Seconds of one wait for Ray's news, so that Ctrl-C is heard in between."""
_GONE_S = 5
"""A node is known to be gone some seconds after its workers are."""


@dataclass(frozen=True)
class BenchOrder:
    """The first order of each worker; never a secret."""

    opening: Opening
    """The opening of a bench: `opener` gives a context manager of an object whose methods are the jobs."""
    workers: int
    address: str | None = None
    code: str = ""
    """Hash of the code that must run there; the driver puts it in."""


class RayBench:
    """The actor: one job at a time."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._bench: Any = None

    def begin(self, order: BenchOrder) -> tuple[RayPlace, str | None]:
        """Begin. Return where it is, and why it is none of ours if it is not."""
        import ray

        node = ray.get_runtime_context().get_node_id()
        name = f"{socket.gethostname()} ({ray.util.get_node_ip_address()}, process {os.getpid()})"
        return RayPlace(name, node), self._opened(order)

    def _opened(self, order: BenchOrder) -> str | None:
        if (other := other_code(order.code)) is not None:
            return other
        try:
            opener = pkgutil.resolve_name(order.opening.opener)
            self._bench = self._stack.enter_context(opener(order.opening.config))
        except (DrrError, OSError) as error:
            return str(error)
        return None

    def work(self, method: str, parts: int, *words: Any) -> Any:
        """An answer, or why there is none, and the parts."""
        try:
            return getattr(self._bench, method)(*words)
        except DrrError as error:
            return (FailedJob(error), *[None] * parts) if parts else FailedJob(error)


@dataclass(eq=False)
class _Hand:
    """A worker as the driver sees it; `receipt` comes when it is done with what it does."""

    actor: Any
    receipt: Any
    place: RayPlace | None = None
    course: JobCourse | None = None


class JobCrew:
    """`noted` is told what is waited for and who is refused."""

    def __init__(self, order: BenchOrder, noted: Callable[[str], None]) -> None:
        check_installed(order.address)
        self._order = replace(order, code=order.code or code_hash())
        self._noted = noted
        self._ray: Any = None
        self._hands: list[_Hand] = []
        self._courses = JobCourses()
        self._refused: list[str] = []
        self._stillborn = 0
        self._waits_since = self._noted_at = time.monotonic()

    def __enter__(self) -> JobCrew:
        self._ray = connect_aside(self._order.address, self._order.workers)
        for _ in range(self._order.workers):
            self._recruit()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Whatever a worker still does, it is not asked for any more."""
        for hand in self._hands:
            self._ray.kill(hand.actor)
        self._hands.clear()
        self._courses.clear()

    def _recruit(self) -> None:
        actor = (
            self._ray.remote(RayBench)
            .options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
            .remote()
        )
        self._hands.append(_Hand(actor, actor.begin.remote(self._order)))

    def give(self, job: GivenJob) -> GivenJob:
        self._courses.add(job)
        self._hand_out()
        return job

    def share(self, value: Any) -> SharedWord:
        return SharedWord(self._ray.put(value))

    def answer(self, job: GivenJob) -> Any:
        course = self._courses.of(job)
        while not course.ended:
            self._listen()
        return course.result()

    def ended(self, jobs: Iterable[GivenJob]) -> Iterator[GivenJob]:
        left = [self._courses.of(job) for job in jobs]
        while left:
            done = [course for course in left if course.ended]
            left = [course for course in left if not course.ended]
            yield from (course.job for course in done)
            if not done:
                self._listen()

    def part(self, part: JobPart) -> Any:
        course = self._courses.of(part.job)
        while True:
            while not course.is_whole:
                course.result()
                self._courses.want(course)
                self._listen()
            course.result()
            try:
                return self._ray.get(course.refs[part.number])
            except self._ray.exceptions.ObjectLostError:
                course.refs = []

    def drop(self, job: GivenJob) -> None:
        self._courses.of(job).refs = []

    def _hand_out(self) -> None:
        """Hand whoever is idle the first job whose words are all there."""
        for hand in self._hands:
            if hand.place is None or hand.course is not None:
                continue
            course = (
                self._courses.next_due() or self._courses.next_due()
            )  # what it lacks comes before it then
            if course is None:
                return
            job, words = course.job, self._courses.words(course)
            refs = hand.actor.work.options(num_returns=1 + job.parts).remote(job.method, job.parts, *words)
            hand.receipt, *course.refs = refs if job.parts else [refs]
            hand.course, course.node = course, hand.place.node

    def _listen(self) -> None:
        """Listen for a moment to whoever has something to say."""
        self._check_places()
        self._hand_out()
        busy = {hand.receipt: hand for hand in self._hands if hand.receipt is not None}
        if not busy:
            return  # what was lost was put before the rest just now
        heard, _ = self._ray.wait(list(busy), num_returns=1, timeout=_LOOK_S, fetch_local=False)
        for receipt in heard:
            self._hear(busy[receipt])
        self._hand_out()

    def _hear(self, hand: _Hand) -> None:
        errors = self._ray.exceptions
        receipt, hand.receipt = hand.receipt, None
        try:
            answer = self._ray.get(receipt)
        except errors.RayTaskError as error:
            if isinstance(error.cause, errors.ObjectLostError):
                self._words_lost(hand)
            elif hand.place is None and "ModuleNotFoundError" in str(error):
                self._refuse(hand, "a node of the cluster", "lacks this package; install it on all machines")
            else:
                raise
        except errors.ObjectLostError:
            self._words_lost(hand)
        except errors.RayError as error:
            self._lost(hand, error)
        else:
            if hand.course is None:
                hand.place, why = answer
                if why is not None:
                    self._refuse(hand, answer[0].name, why)
            else:
                course, hand.course = hand.course, None
                course.ended, course.answer = True, answer

    def _refuse(self, hand: _Hand, name: str, why: str) -> None:
        """The others go on."""
        self._ray.kill(hand.actor)
        self._hands.remove(hand)
        self._refused.append(f"{name}: {why}")
        if not self._hands:
            raise DrrError("no worker is as it must be: " + "; ".join(dict.fromkeys(self._refused)))
        self._noted(f"refused: {name}: {why}")

    def _words_lost(self, hand: _Hand) -> None:
        course, hand.course = hand.course, None
        assert course is not None
        self._courses.words_lost(course, dead_nodes(self._ray))

    def _lost(self, hand: _Hand, error: BaseException) -> None:
        """Take note that it died, or its node did."""
        self._hands.remove(hand)
        self._ray.kill(hand.actor)
        why = " ".join(str(error).split())[:300]
        if hand.place is None:
            self._stillborn += 1
            if self._stillborn > _STILLBORN + self._order.workers:
                raise DrrError(f"workers died before they had begun, the last: {why}")
        elif not self._is_gone(hand.place.node) and hand.course is not None:
            hand.course.deaths += 1
            if hand.course.deaths >= _DEATHS:
                raise DrrError(
                    f"{hand.course.job.name or hand.course.job.method}: {_DEATHS} workers died of it, the last on "
                    f"{hand.place.name}: {why}; give the nodes more memory, or the work fewer --workers"
                )
        if hand.place is not None:
            self._noted(f"lost a worker on {hand.place.name}; another does what it had begun")
        if hand.course is not None:
            self._courses.again(hand.course)
        self._recruit()

    def _is_gone(self, node: str) -> bool:
        for _ in range(_GONE_S):
            if node in dead_nodes(self._ray):
                self._courses.node_lost(node)
                return True
            time.sleep(1.0)
        return False

    def _check_places(self) -> None:
        """Says what is waited for while no worker has a place; in the end there is none."""
        now = time.monotonic()
        if any(hand.place is not None for hand in self._hands):
            self._waits_since = self._noted_at = now
        elif now - self._waits_since > _PLACE_S:
            raise DrrError(
                f"no worker found a place in {_PLACE_S:.0f} s on the cluster ({view(self._ray)}); each takes one CPU"
            )
        elif now - self._noted_at > _NOTE_S:
            self._noted_at = now
            self._noted(f"waiting for a place on the cluster ({view(self._ray)})")
