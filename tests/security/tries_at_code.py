"""Tries at names that would be paths, at readers of files, at the calculator, and at expressions that would never end."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from drr.app.annotate.annotation_plan import Annotator
from drr.env.errors import DrrError
from drr.env.files import checked_id, file_name
from drr.env.query import read_queries
from drr.eval.evidence.imported import read_reports
from drr.eval.labels import read_labels
from drr.study.blobs import Blobs
from drr.tools.arithmetic import ArithmeticProblem, evaluate
from pydantic import ValidationError

from tests.security.expressions import attacks, collected
from tests.security.test_expressions import length_of, processor_limit
from tests.security.test_expressions import read as read_expression
from tests.security.tries import Area, mixed

PIECES = (
    "..", "/", "\\", ".", "a", "victim", "~", "~root", "%2e%2e", "%2f", "\0", "\n", "C:", "//", "/etc/passwd", "/dev/zero", "CON", "nul", " ",
    "．．", "∕", "⁄", "\u202e", "-", "--out", "*", "?", "|", "$HOME", "`id`", "'", '"', "\ud800", "é", ".drr-viewer", "x" * 300,
)  # fmt: skip
GATES = ("id", "file name", "annotator", "digest")
_UNDER = Path("/study/pages")


def names(chance: Random) -> Iterator[tuple[str, str]]:
    while True:
        yield chance.choice(GATES), mixed(chance, PIECES, 4)


def leads_away(given: tuple[str, str]) -> str | None:
    gate, name = given
    try:
        match gate:
            case "id":
                part = file_name(checked_id(name))
            case "file name":
                part = file_name(name)
            case "annotator":
                part = f"marks-{Annotator(name=name, token='t', turns=[]).name}.jsonl"
            case _:
                part = str(Blobs(_UNDER).path(name).relative_to(_UNDER))
    except (ValueError, DrrError, ValidationError):
        return None
    made = f"{_UNDER}/{part}"
    harmless = re.fullmatch(r"[\w.+~-]{1,120}|[0-9a-f]{2}/[0-9a-f]{64}", part) and part not in (".", "..")
    return None if harmless else f"is kept as {made}"


READERS: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "queries": (read_queries, {"id": "q", "query": "Which?", "user_id": "U", "constraints": {"total_max": 5}, "tools": ["calculator"]}),
    "imports": (
        read_reports,
        {"id": "a", "system": "theirs", "query": "Which?", "user_id": "U", "trial": 1, "report_markdown": "# A",
         "evidence": [{"url": "http://a.example", "type": "web", "text": "x"}], "tool_calls": [{"name": "calculator", "arguments": {}, "result": "1", "error": None}]},
    ),
    "support labels": (read_labels, {"id": "a", "claim": "c", "evidence": "e", "label": "full", "judge": "j", "seconds": 1.5}),
    "pairwise labels": (read_labels, {"id": "a", "query": "q", "answer_a": "x", "answer_b": "y", "label": "A", "judge": "j", "shown_first": "a"}),
    "rating labels": (read_labels, {"id": "a", "query": "q", "answer": "x", "dimension": "clarity", "label": 7, "judge": "j"}),
}  # fmt: skip
VALUES = (
    None, True, 0, -1, 1 << 63, 1 << 200, 1e308, float("nan"), float("inf"), "", " ", "\0", "\ud800", "../../x", "a/b", "x" * 100_000, [], [[]], {}, {"a": {}},
    [None], ["\ud800"], [1, "a"], {"": ""}, "\x1b[2J", "2024-13-45", "A" * 201, [{"url": 3}], [{"name": None}], {"total_max": "much"}, -0.0, 1.5,
)  # fmt: skip
RAW = (
    "", "{", "}", "[]", "null", "3", '"a"', "[" * 5_000, '{"a":' * 5_000, '{"a": 1, "a": 2}', "\ufeff{}", "{}{}", "\x00", '{"id": "\\ud800"}', '{"id": 1e400}',
    "NaN", "Infinity", "// {}", "{'a': 1}", '{"a": "\x1b[2J"}', "\u2028", '{"query": "' + "a" * 1_000_000, "[" + "1," * 100_000 + "1]", '{"\\u0000": 1}', "\r", "\x85",
)  # fmt: skip


def lines(chance: Random) -> Iterator[tuple[str, str]]:
    every: list[tuple[str, str]] = [(reader, raw) for reader in READERS for raw in RAW]
    for reader, (_, row) in READERS.items():
        for name in (*row, "surprise"):
            every += [(reader, json.dumps({**row, name: value})) for value in VALUES]
            every.append((reader, json.dumps({key: value for key, value in row.items() if key != name})))
    chance.shuffle(every)
    yield from every


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="drr-tries-")


def breaks_a_reader(given: tuple[str, str]) -> str | None:
    """It may be refused with one sentence, or taken in whole; nothing else."""
    reader, line = given
    path = Path(_folder().name) / "lines.jsonl"
    path.write_bytes(line.encode("utf-8", "surrogatepass") + b"\n")
    try:
        READERS[reader][0](path)
    except DrrError as error:
        return "says too much" if len(str(error).splitlines()) > 3 or len(str(error)) > 2_000 else None
    except Exception as error:
        return repr(error)[:200]
    return None


PROBLEMS = (
    "2**", "9**9**9", "**", "^", "1e999", "1/0", "(", ")", "((((", "-", "--", "sqrt(", "log(", "factorial(9999)", "__import__('os')", "().__class__", "lambda:0",
    "exec", "open('/etc/passwd')", "1if 1else 2", "0x10", "1_000", "٣", "²", "½", "1e", "e", "pi", "inf", "nan", "tan(pi/2)", "10**1000", "10**-1000", "1000000007",
    ".", ",", "$5", "5%", "=", "!", "[1]", "{1}", "\0", "\n", " ", "a" * 50, "9" * 100, "1/3", "0.1", "min(1,2)", "abs(-1)", "ln(0)", "sqrt(-1)", "@", "&", "|", ";",
)  # fmt: skip


def problems(chance: Random) -> Iterator[str]:
    while True:
        yield mixed(chance, PROBLEMS, 6)[:600]


def breaks_the_calculator(expression: str) -> str | None:
    try:
        with processor_limit(2):
            value = evaluate(expression)
    except ArithmeticProblem:
        return None
    except Exception as error:
        return repr(error)[:200]
    return None if re.fullmatch(r"[-\d.,eE+ ≈]{1,2000}", value) else f"it says {value[:80]}"


def expressions(chance: Random) -> Iterator[tuple[str, str, str, str]]:
    """(expression, what stands before, what is repeated, what breaks it)."""
    every = [
        (key, *attack) for key, found in sorted(collected().items()) for attack in attacks(found.pattern)
    ]
    chance.shuffle(every)
    yield from every


def takes_long(given: tuple[str, str, str, str]) -> str | None:
    key, before, piece, behind = given
    found = collected()[key]
    longest = length_of(found, 4_000)
    text = (before + piece * (longest // len(piece) + 1))[:longest] + behind
    for _ in range(3):
        try:
            with processor_limit(0.1):
                read_expression(found, text)
        except Exception:
            continue
        return None
    return f"{found.where}: more than 0.1 s for {longest:,} characters"


AREAS = (
    Area("names as paths", "a file elsewhere is written or read", names, leads_away, 1_000),
    Area("hostile lines", "a line breaks its reader", lines, breaks_a_reader, 1_200),
    Area("calculator", "something else than arithmetic, or no end", problems, breaks_the_calculator, 1_000),
    Area("expressions", "a text freezes a run", expressions, takes_long, 4_000),
)
