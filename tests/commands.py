"""Commands as a user types them, within this process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from drr.app.cli import main


def drr(*words: object) -> int:
    """Run a command and return its exit code."""
    return main([str(word) for word in words])


def python(code: str, *words: object, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a program of a few lines in a process of its own, with what it printed kept."""
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **how)


class Drr:
    """The fixture `drr`: a call returns a command's exit code, what it printed, and what it said on standard error."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = drr(*words)
        out, err = self._capsys.readouterr()
        return code, out, err

    def out(self, *words: object, code: int = 0) -> str:
        """Return what a command printed that ends with this code."""
        found, out, err = self(*words)
        assert found == code, (words, found, err)
        return out

    def err(self, *words: object, code: int = 2) -> str:
        """Return what a command said on standard error that ends with this code: misuse, if none is named."""
        found, _, err = self(*words)
        assert found == code, (words, found, err)
        return err

    def json(self, *words: object, code: int = 0) -> Any:
        """Return the document of a command that ends with this code."""
        return json.loads(self.out(*words, "--json", code=code))
