"""Jobs on a cluster: what a lost node held is made again, and a job that its workers die of ends the run by name."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from drr.env.errors import DrrError
from drr.env.jobs import GivenJob, JobPart
from drr.extras.ray.jobs import BenchOrder, JobCrew
from drr.study.worker import Opening

from tests.rays.nodes import add_node

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]


class SmallBench:
    def make(self, letter: str) -> tuple[str, bytes]:
        """Where it was made, and a part that is too big to travel with the answer."""
        import ray

        return ray.get_runtime_context().get_node_id(), letter.encode() * 1_000_000

    def measure(self, *parts: bytes) -> int:
        return sum(map(len, parts))

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[SmallBench]:
    yield SmallBench()


@pytest.fixture
def jobs(cluster: Any) -> Iterator[JobCrew]:
    while len(cluster.worker_nodes) < 2:
        add_node(cluster)
    with JobCrew(BenchOrder(Opening("tests.rays.test_jobs:opened", {}), 2), print) as made:
        yield made


def test_parts_that_were_lost_with_their_node_are_made_again(jobs: JobCrew, cluster: Any) -> None:
    made = [jobs.give(GivenJob("make", (letter,), 1)) for letter in "abcd"]
    where = {jobs.answer(job) for job in made}
    lost = next(node for node in cluster.worker_nodes if node.node_id in where)
    cluster.remove_node(lost, False)
    measured = jobs.give(GivenJob("measure", tuple(JobPart(job, 0) for job in made)))
    assert [jobs.part(JobPart(job, 0))[:1] for job in made] == [b"a", b"b", b"c", b"d"]
    assert jobs.answer(measured) == 4_000_000
    for job in made:
        jobs.drop(job)
    assert jobs.part(JobPart(made[0], 0))[:1] == b"a", "also what was dropped, where it is asked for again"


@pytest.mark.endurance
def test_a_job_that_its_workers_die_of_ends_the_run_by_name(jobs: JobCrew) -> None:
    with pytest.raises(DrrError, match=r"dying: 3 workers died of it, the last on .*process"):
        jobs.answer(jobs.give(GivenJob("die", (), name="dying")))
