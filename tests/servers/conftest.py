from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from env.settings import Settings
from tests.servers import running

_NUMBERS = count()


@pytest.fixture(scope="session")
def settings() -> Iterator[Settings]:
    found = running.settings()
    yield found
    running.remove_shops(found, f"drr-faults-{os.getpid()}")


@pytest.fixture
def spec() -> str:
    """A name that no other test uses."""
    return f"servers:drr-faults-{os.getpid()}-{next(_NUMBERS)}"


@pytest.fixture
def closing() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Things to close when the test is over."""
    todo: list[Callable[[], None]] = []
    yield todo.append
    for close in todo:
        close()
