"""An empty study of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.study.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    Study.create(tmp_path / "study", {"name": "test"}).close()
    with Study.open(tmp_path / "study") as made:  # which has written nothing yet: another process may
        yield made
