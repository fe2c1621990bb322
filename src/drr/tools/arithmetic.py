"""Evaluates arithmetic on exact fractions: no `eval`, no surprise in the cents, no expression that takes long.

`+ - * /` and whole powers are exact, so 0.1 + 0.2 is 0.3 and 1/3*3 is 1, until a fraction gets too long: then
50 digits of it are kept, as for roots, logarithms and fractional powers. Trigonometry, and logarithms near 1, are computed in double
precision. A result that was rounded on the way is shown to 15 significant digits.
"""

from __future__ import annotations

import contextlib
import math
import operator
import re
from collections.abc import Callable
from decimal import Context, Decimal, Inexact, Overflow, Underflow
from fractions import Fraction
from typing import NamedTuple

MAX_LENGTH = 500
MAX_DEPTH = 40
MAX_BITS = 4096
MAX_DIGITS = MAX_BITS * 3 // 10
MAX_EXPONENT = 1000
KEPT = 50
SIGNIFICANT = 15
# A decimal expansion longer than this is shortened although it ends.
MAX_EXACT_DIGITS = 30
_WIDE = Context(2 * MAX_EXACT_DIGITS)


class ArithmeticProblem(Exception):
    """The expression cannot be evaluated; the message says why and what to write instead."""


class Value(NamedTuple):
    number: Fraction
    exact: bool


_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<mark>\*\*|[-+*/^(){}]))",
    re.ASCII,
)
_SPELLINGS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": "pi"})
_HINTS = {
    "$": "write amounts without $",
    ",": "write numbers without thousands separators",
    "%": "write 15% as 0.15",
    "=": "give one expression, not an equation",
    "!": "factorials are not supported",
    "[": "group with ( )",
}


def evaluate(expression: str) -> str:
    """Return the value of an expression as a decimal, exact if possible."""
    if len(expression) > MAX_LENGTH:
        raise ArithmeticProblem(
            f"the expression has {len(expression):,} characters, at most {MAX_LENGTH} are read"
        )
    return decimal_text(_Parser(_split_tokens(expression.translate(_SPELLINGS))).whole())


def decimal_text(value: Value) -> str:
    """Write out a finite decimal that is short enough to read. Others are rounded to 15 significant digits, in scientific form outside 1e-7 .. 1e15."""
    if value.exact:
        with contextlib.suppress(Inexact):
            exact = _decimal(value.number, Context(2 * MAX_EXACT_DIGITS, traps=[Inexact])).normalize(_WIDE)
            if exact.adjusted() < MAX_EXACT_DIGITS and int(exact.as_tuple().exponent) >= -MAX_EXACT_DIGITS:
                return f"{exact:f}"
    rounded = _decimal(value.number, Context(SIGNIFICANT)).normalize(_WIDE)
    return f"{rounded:f}" if -7 <= rounded.adjusted() < SIGNIFICANT else f"{rounded:e}"


def _split_tokens(expression: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at, end = 0, len(expression.rstrip())
    while at < end:
        matched = _TOKEN.match(expression, at)
        if matched is None:
            odd = expression[at:].lstrip()[0]
            hint = _HINTS.get(odd, "use numbers, + - * / **, ( ) and the functions " + ", ".join(FUNCTIONS))
            raise ArithmeticProblem(f"{odd!r} is not understood: {hint}")
        kind = matched.lastgroup or ""
        found.append((kind, matched[kind]))
        at = matched.end()
    if not found:
        raise ArithmeticProblem("the expression is empty; give one such as 12.99 * 3")
    return found


class _Parser:
    """A recursive-descent parser; every descent goes through `_descend`, which limits the recursion."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Value:
        value = self._sum_of_products()
        if self._at < len(self._tokens):
            raise ArithmeticProblem(f"{self._peek()!r} is out of place; an operator is missing before it")
        return value

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        text = self._peek()
        self._at += 1
        return text

    def _descend(self, rule: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ArithmeticProblem(f"the expression is nested more than {MAX_DEPTH} deep; split it up")
        value = rule()
        self._depth -= 1
        return value

    def _sum_of_products(self) -> Value:
        return self._chain(self._product, "+-")

    def _product(self) -> Value:
        return self._chain(self._signed_value, "*/")

    def _chain(self, part: Callable[[], Value], marks: str) -> Value:
        value = part()
        while (mark := self._peek()) and mark in marks:
            self._take()
            value = _combine_values(mark, value, part())
        return value

    def _signed_value(self) -> Value:
        if self._peek() in ("+", "-"):
            if self._take() == "+":
                return self._descend(self._signed_value)
            value = self._descend(self._signed_value)
            return Value(-value.number, value.exact)
        return self._power()

    def _power(self) -> Value:
        base = self._atom()
        if self._peek() in ("**", "^"):
            self._take()
            return _raise(base, self._descend(self._signed_value))
        return base

    def _atom(self) -> Value:
        if self._at >= len(self._tokens):
            raise ArithmeticProblem("the expression ends too early")
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return _number(text)
        if kind == "name":
            return self._named_value(text)
        if text in ("(", "{"):
            return self._group(text)
        raise ArithmeticProblem(f"{text!r} is out of place; a number is missing before it")

    def _named_value(self, name: str) -> Value:
        if name in CONSTANTS:
            return CONSTANTS[name]
        function = FUNCTIONS.get(name)
        if function is None:
            raise ArithmeticProblem(
                f"{name[:40]!r} is not known; functions: {', '.join(FUNCTIONS)}; constants: {', '.join(CONSTANTS)}"
            )
        if self._peek() not in ("(", "{"):
            raise ArithmeticProblem(f"{name} needs its argument in parentheses, as in {name}(2)")
        return function(self._group(self._take()))

    def _group(self, opened: str) -> Value:
        value = self._descend(self._sum_of_products)
        closing = ")" if opened == "(" else "}"
        if self._take() != closing:
            raise ArithmeticProblem(f"a {closing!r} is missing")
        return value


def _number(text: str) -> Value:
    exponent = re.split("[eE]", text)[1:]
    if exponent and (len(exponent[0]) > 5 or abs(int(exponent[0])) > MAX_EXPONENT):
        raise ArithmeticProblem(f"{text[:40]} is too large or too small: exponents go to {MAX_EXPONENT}")
    return _bounded_value(Fraction(text), True)


def _bounded_value(number: Fraction, exact: bool) -> Value:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        return _shortened_decimal(lambda context: _decimal(number, context))
    return Value(number, exact)


def _decimal(number: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _shortened_decimal(compute: Callable[[Context], Decimal]) -> Value:
    """Compute a value as a decimal of limited length. A mortgage of 360 months is an ordinary number whose exact fraction is longer than a page."""
    context = Context(prec=KEPT, Emax=MAX_DIGITS, Emin=-MAX_DIGITS, traps=[Overflow, Underflow])
    try:
        return Value(Fraction(compute(context)), False)
    except Overflow:
        raise ArithmeticProblem(
            f"a number grows beyond {MAX_DIGITS:,} digits; nothing that long is computed"
        ) from None
    except Underflow:
        raise ArithmeticProblem(
            f"a number falls below 1e-{MAX_DIGITS}; nothing that small is computed"
        ) from None


_OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _combine_values(mark: str, a: Value, b: Value) -> Value:
    if mark == "/" and b.number == 0:
        raise ArithmeticProblem("division by zero")
    return _bounded_value(_OPERATIONS[mark](a.number, b.number), a.exact and b.exact)


def _raise(base: Value, exponent: Value) -> Value:
    number, power = base.number, exponent.number
    if number == 0 and power < 0:
        raise ArithmeticProblem("division by zero: 0 cannot be raised to a negative power")
    if power.denominator == 1:
        if abs(power) > MAX_EXPONENT and number not in (0, 1, -1):
            raise ArithmeticProblem(f"the exponent is beyond {MAX_EXPONENT}; nothing that large is computed")
        size = max(number.numerator.bit_length(), number.denominator.bit_length())
        if number not in (0, 1, -1) and size * abs(int(power)) > MAX_BITS + size:
            return _shortened_decimal(lambda context: context.power(_decimal(number, context), int(power)))
        # 0, 1 and -1 stay themselves however large the exponent is: its parity says everything.
        whole = int(power) if number not in (0, 1, -1) else (0 if power == 0 else 2 - int(power) % 2)
        return _bounded_value(number**whole, base.exact and exponent.exact)
    if number < 0:
        raise ArithmeticProblem("a negative number has no real power with a fraction in the exponent")
    return _shortened_decimal(
        lambda context: context.power(_decimal(number, context), _decimal(power, context))
    )


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ArithmeticProblem("a number is too large for that function") from None


def _approximate(compute: Callable[[], float]) -> Value:
    try:
        return Value(Fraction(compute()), False)
    except (OverflowError, ValueError):  # of what is infinite or no number too
        raise ArithmeticProblem("the result is too large or not a real number") from None


def _tan(x: float) -> float:
    if abs(math.cos(x)) < 1e-15:
        raise ArithmeticProblem("tan is not defined there")
    return math.tan(x)


def _sqrt(value: Value) -> Value:
    number = value.number
    if number < 0:
        raise ArithmeticProblem("sqrt of a negative number is not real")
    top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if top * top == number.numerator and bottom * bottom == number.denominator:
        return Value(Fraction(top, bottom), value.exact)
    return _shortened_decimal(lambda context: context.sqrt(_decimal(number, context)))


def _logarithm(name: str, function: Callable[[Context, Decimal], Decimal]) -> Callable[[Value], Value]:
    def of(value: Value) -> Value:
        number = value.number
        if number <= 0:
            raise ArithmeticProblem(f"{name} is defined for numbers above 0 only")
        if 0.5 < number < 2:
            scale = 1.0 if name == "ln" else math.log(10)
            return _approximate(lambda: math.log1p(_float(number - 1)) / scale)
        return _shortened_decimal(lambda context: function(context, _decimal(number, context)))

    return of


def _exact_at_pi(function: Callable[[float], float]) -> Callable[[Value], Value]:
    """Wrap a trigonometric function so that sin(pi) is 0, not the 1e-16 that a rounded pi gives."""

    def of(value: Value) -> Value:
        made = _approximate(lambda: function(_float(value.number)))
        return made if abs(made.number) >= 1e-15 else Value(Fraction(0), False)

    return of


FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "sin": _exact_at_pi(math.sin),
    "cos": _exact_at_pi(math.cos),
    "tan": _exact_at_pi(_tan),
    "log": _logarithm("log", Context.log10),
    "ln": _logarithm("ln", Context.ln),
    "sqrt": _sqrt,
    "abs": lambda value: Value(abs(value.number), value.exact),
}
# To more digits than a double has, or a power of them would be wrong in the digits shown.
CONSTANTS = {
    "pi": Value(Fraction("3.1415926535897932384626433832795028841971693993751"), False),
    "e": Value(Fraction("2.7182818284590452353602874713526624977572470936999"), False),
}
