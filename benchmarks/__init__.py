"""Measurements: ratios within one run. Nothing here is imported by the product."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path


def usage(words: Sequence[str]) -> str | None:
    """Return the head of the module that is started with `--help`, if it reads no arguments by a parser and so would run."""
    name, *rest = words[words.index("-m") + 1 :] if "-m" in words[:-1] else [""]
    top, _, module = name.partition(".")
    path = Path(__file__).parent / f"{module or '__main__'}.py"
    if top != __name__ or not {"-h", "--help"} & set(rest) or not path.is_file():
        return None
    code = path.read_text(encoding="utf-8")
    return None if "import argparse\n" in code else ast.get_docstring(ast.parse(code))


if (_head := usage(sys.orig_argv)) is not None:
    print(_head)
    raise SystemExit
