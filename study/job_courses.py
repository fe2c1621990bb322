"""Jobs and their courses. Which are due, which are whole, and which must be done again because what they left is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from drr.env.errors import DrrError
from drr.env.jobs import GivenJob, JobPart, SharedWord


@dataclass(frozen=True)
class FailedJob:
    """A failed job in place of an answer."""

    error: DrrError


@dataclass(eq=False)
class JobCourse:
    job: GivenJob
    queued: bool = True
    ended: bool = False
    answer: Any = None
    refs: list[Any] = field(default_factory=list)
    """References to its parts; none where they were lost or dropped."""
    node: str = ""
    deaths: int = 0

    @property
    def is_whole(self) -> bool:
        return self.ended and len(self.refs) == self.job.parts

    def result(self) -> Any:
        if isinstance(self.answer, FailedJob):
            raise self.answer.error
        return self.answer


class JobCourses:
    """The courses in the order in which jobs were given, lost ones before the rest."""

    def __init__(self) -> None:
        self._all: dict[GivenJob, JobCourse] = {}
        self._queue: deque[JobCourse] = deque()

    def add(self, job: GivenJob) -> None:
        self._all[job] = course = JobCourse(job)
        self._queue.append(course)

    def of(self, job: GivenJob) -> JobCourse:
        return self._all[job]

    def next_due(self) -> JobCourse | None:
        """The first whose words are all there, off the queue."""
        for course in list(self._queue):
            if self._has_words(course):
                self._queue.remove(course)
                course.queued = False
                return course
        return None

    def _has_words(self, course: JobCourse) -> bool:
        needed = list(self._before(course))
        for one in needed:
            self.want(one)
        return all(one.is_whole for one in needed)

    def _before(self, course: JobCourse) -> Iterable[JobCourse]:
        return (self._all[word.job] for word in course.job.words if isinstance(word, JobPart))

    def words(self, course: JobCourse) -> list[Any]:
        """The words of a job as they are sent."""
        sent: list[Any] = []
        for word in course.job.words:
            if isinstance(word, JobPart):
                sent.append(self._all[word.job].refs[word.number])
            else:
                sent.append(word.value if isinstance(word, SharedWord) else word)
        return sent

    def want(self, course: JobCourse) -> None:
        """Have it done once more, where what it left is gone."""
        if course.ended and not course.is_whole and not isinstance(course.answer, FailedJob):
            self.again(course)

    def again(self, course: JobCourse) -> None:
        course.refs, course.ended = [], False
        if not course.queued:
            course.queued = True
            self._queue.appendleft(course)

    def words_lost(self, course: JobCourse, dead: set[str]) -> None:
        """Do again the jobs whose words are gone, and then the one that was given them."""
        before = list(self._before(course))
        for one in [one for one in before if one.node in dead] or before:
            one.refs = []
        self.again(course)

    def node_lost(self, node: str) -> None:
        for course in self._all.values():
            if course.node == node and course.ended:
                course.refs = []

    def clear(self) -> None:
        self._all.clear()
        self._queue.clear()
