"""Papers in a folder, and readers of files in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drr.env.drawer.drawer import AttachedFiles, ReadFiles

from tests.drawer.hostile import write_papers


@pytest.fixture(scope="module")
def read_files() -> Iterator[ReadFiles]:
    found = ReadFiles()
    yield found
    found.close()


@pytest.fixture(scope="module")
def drawer(tmp_path_factory: pytest.TempPathFactory, read_files: ReadFiles) -> AttachedFiles:
    folder = tmp_path_factory.mktemp("papers")
    return AttachedFiles(folder, write_papers(folder), read_files)
