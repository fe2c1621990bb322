"""Sums that a reader wants to be worked out: numbers, the four operations and brackets, nothing else."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping

_LONGEST = 300
_DEEPEST = 60
_LARGEST = 1e12
_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def reckoned(text: str) -> str | None:
    """`2*19.99 = 39.98`; `None` where it is no such sum. What it was said to come to is left out."""
    asked = text.partition("=")[0].replace("$", "").replace("\u00d7", "*").replace("\u2212", "-").strip()
    asked = _THOUSANDS.sub("", asked)
    if not asked or len(asked) > _LONGEST:
        return None
    try:
        value = _value(ast.parse(asked, mode="eval").body, 0)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    return f"{asked} = {value:.10g}"


def _value(node: ast.expr, depth: int) -> float:
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if isinstance(node, ast.Constant):
        return _number(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, depth + 1)
    if isinstance(node, ast.BinOp) and (operation := _OPERATIONS.get(type(node.op))) is not None:
        return operation(_value(node.left, depth + 1), _value(node.right, depth + 1))
    raise ValueError("no sum")


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    raise ValueError("no number")
