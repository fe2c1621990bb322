"""The calculator is exact in the cents, bounded in everything, and never `eval`."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction

import pytest
from drr.tools.arithmetic import FUNCTIONS, ArithmeticProblem, evaluate
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, each
from tests.sizes import examples


@each(("expression", "value"), cases("tools", "test_values"))
def test_values(expression: str, value: str) -> None:
    assert evaluate(expression) == value


@each(
    ("expression", "said"),
    [
        ("9**9**9", "exponent"),
        ("9**-9**9", "exponent"),
        ("(10**999)**999", "digits"),
        ("2**1000**1000", "digits"),
        ("((((2**999)**999)**999)**999)", "digits"),
        ("9" * 501, "characters"),
        ("(" * 100_000, "characters"),
        ("(" * 200 + "1" + ")" * 200, "deep"),
        ("-" * 400 + "1", "deep"),
        ("2" + "**2" * 150, "deep"),
        ("(0.1**999)**999", "below"),
        ("0.1**700 * 0.1**700", "below"),
        ("1e99999", "too large"),
        ("1e-99999999999999", "too large"),
        ("__import__('os')", "not understood"),
        ("__import__(1)", "not known"),
        ("lambda: 1", "not understood"),
        ("open", "not known"),
        ("exp(1)", "not known"),
        ("1 < 2", "not understood"),
        ("[1]", "group with"),
        ("$5 + 1", "without $"),
        ("1,000 + 1", "thousands"),
        ("15% * 3", "0.15"),
        ("x = 3", "not an equation"),
        ("2 = 2", "not an equation"),
        ("5!", "factorials"),
        ("", "empty"),
        ("   ", "empty"),
        ("1 2", "operator is missing"),
        ("1 + * 2", "number is missing"),
        ("(1 + 2", "missing"),
        ("(1 + 2}", "missing"),
        ("1)", "out of place"),
        ("sqrt 4", "parentheses"),
        ("sqrt()", "out of place"),
        ("1/0", "zero"),
        ("1/(0.1+0.2-0.3)", "zero"),
        ("0**-1", "zero"),
        ("sqrt(-1)", "not real"),
        ("(-8)**(1/3)", "no real power"),
        ("log(0)", "above 0"),
        ("ln(-1)", "above 0"),
        ("tan(pi/2)", "not defined"),
        ("sin(10**400)", "too large"),
        ("1.5**9999.5", "digits"),
        ("٣ + ٤", "not understood"),
    ],
)
def test_problems_say_why(expression: str, said: str) -> None:
    with pytest.raises(ArithmeticProblem, match=said.replace("(", r"\(").replace("$", r"\$")):
        evaluate(expression)


_amounts = st.decimals(min_value=-(10**6), max_value=10**6, places=2, allow_nan=False, allow_infinity=False)


@given(st.lists(_amounts, min_size=1, max_size=12))
@examples(200)
def test_sums_of_money_are_exact(amounts: list[object]) -> None:
    expression = " + ".join(f"({amount})" for amount in amounts)
    assert Fraction(evaluate(expression)) == sum(Fraction(str(amount)) for amount in amounts)


_expressions = st.recursive(
    st.integers(0, 999).map(str) | st.decimals(0, 99, places=2).map(str),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
        lambda t: f"({t[0]}{t[1]}{t[2]})"
    ),
    max_leaves=8,
)


@given(_expressions)
@examples(300)
def test_agrees_with_python_to_double_precision(expression: str) -> None:
    import re

    exact = re.sub(r"\d+(?:\.\d+)?", lambda m: f"Fraction('{m[0]}')", expression)
    try:
        expected = eval(exact, {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(ArithmeticProblem, match="zero"):
            evaluate(expression)
        return
    assert math.isclose(float(Fraction(evaluate(expression))), float(expected), rel_tol=1e-14, abs_tol=1e-300)


@given(st.text(alphabet="0123456789.+-*/^(){} eE" + "".join(FUNCTIONS) + "pi_'\\", max_size=60))
@examples(500)
def test_anything_else_is_a_problem_and_never_another_exception(expression: str) -> None:
    try:
        value = evaluate(expression)
    except ArithmeticProblem as problem:
        assert str(problem)
    else:
        assert len(value) <= 100
        Fraction(value)


def test_hostile_input_cannot_hold_up_a_process() -> None:
    """All of them within one process that is stopped after a few seconds; each would otherwise take minutes."""
    attacks = [
        "9**9**9",
        "((9**999)**999)**999",
        "*".join(["(9**300)"] * 55),
        "+".join(["(1/3**500)"] * 45),
        "1/" * 249 + "7",
        "sqrt(" * 39 + "2**999" + ")" * 39,
        "(" * 100_000,
        "9" * 100_000,
    ]
    code = (
        "import sys, json\nfrom drr.tools.arithmetic import *\n"
        "for a in json.load(sys.stdin):\n    try: evaluate(a)\n    except ArithmeticProblem: pass\nprint('done')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(attacks), capture_output=True, text=True, timeout=30
    )
    assert done.stdout.strip() == "done", done.stderr
