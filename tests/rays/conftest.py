"""A cluster of Ray on this machine: a head without a CPU and two nodes of one, all on the loopback address."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

LOOPBACK_AND_QUICK = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # nodes listen on this machine's own address
    "RAY_AUTH_MODE": "disabled",
    "GRPC_ENABLE_FORK_SUPPORT": "0",  # its threads crash in a fork: 3 of 40 clients lost the server that Ray began for them
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "500",
}


@pytest.fixture(scope="session", autouse=True)
def _surroundings() -> None:
    """Before Ray is imported, for this process and all that it begins."""
    os.environ.update(LOOPBACK_AND_QUICK)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """`cluster.client` is its `ray://` address, `cluster.caches` where its nodes have theirs."""
    from ray.cluster_utils import Cluster

    from tests.rays.nodes import add_node, begin_head

    port = free_port()
    made: Any = begin_head(Cluster, client_port=port)
    made.caches = tmp_path_factory.mktemp("caches")
    made.client = f"ray://127.0.0.1:{port}"
    for _ in range(2):
        add_node(made)
    os.environ["RAY_ADDRESS"] = made.address
    yield made
    import ray

    ray.shutdown()
    del os.environ["RAY_ADDRESS"]
    made.shutdown()
