"""Arbitrary JSON and expressions: only typed errors come out, answers stay bounded, and nothing is taken for an operator."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.sandbox import Sandbox
from drr.tools.arithmetic import FUNCTIONS, ArithmeticProblem, evaluate
from drr.tools.base import ToolError, context_for
from drr.tools.registry import TOOLS, call_sync
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.results import ENDURANCE, row
from tests.cases import cases, each
from tests.commands import python
from tests.sizes import examples
from tests.tools.small_shop import ANNA, ANNAS_ORDER, BEN, BENS_ORDER, FEEDER

_HOSTILE = [
    {"$gt": ""}, {"$where": "sleep(1000)"}, {"query_string": {"query": "*"}}, "'; drop table product; --",
    "' or '1'='1", "* OR category:*", "title:* AND price:[0 TO 1]", "(((((", '"unbalanced', "a~9999^9999",
    "/.*(.*)*/", "\x00", "\ud800", "\u202e\u200b", "x" * 10_000, 1e308, -0.0, 10**40, True, None, [], {},
    FEEDER, ANNA, BEN, ANNAS_ORDER, BENS_ORDER, "bird", "1+1", "9**9**9",
]  # fmt: skip
_json = st.recursive(
    st.one_of(
        st.sampled_from(_HOSTILE), st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=40)
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, Any]:
    """Half of the arguments are what the schema asks for, so that calls get past the first check."""
    name = draw(st.sampled_from(list(TOOLS)))
    properties = TOOLS[name].schema["properties"]
    arguments: dict[str, Any] = {}
    for parameter, part in properties.items():
        if draw(st.booleans()) and parameter not in TOOLS[name].schema["required"]:
            continue
        arguments[parameter] = (
            draw(st.one_of(_fitting(part), _json)) if draw(st.integers(0, 3)) else draw(_json)
        )
    if draw(st.integers(0, 9)) == 0:
        arguments |= draw(st.dictionaries(st.text(max_size=12), _json, max_size=2))
    if draw(st.integers(0, 19)) == 0:
        return name, draw(_json)
    return name, arguments


def _fitting(part: dict[str, Any]) -> st.SearchStrategy[Any]:
    part = next(v for v in part.get("anyOf", [part]) if v["type"] != "null")
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if part["type"] == "integer":
        return st.integers(part["minimum"], part["maximum"])
    if part["type"] == "boolean":
        return st.booleans()
    if part["type"] == "number":
        return st.floats(part["minimum"], part["maximum"])
    words = st.sampled_from(
        ["bird", "dog nail", FEEDER, ANNA, ANNAS_ORDER, "Pet Supplies", "(1+2)*3", "OK", "73019"]
    )
    return words | st.text(min_size=1, max_size=part["maxLength"])


def _check(shop: Shop, web: Sandbox, name: str, arguments: Any) -> None:
    session = Session(shop, ANNA)
    try:
        answer = call_sync(name, arguments, context_for(session, web))
    except ToolError as error:
        assert len(error.text) < 3000
        assert "\n" not in error.text
        return
    assert len(answer.text) < 25_000
    json.dumps(answer.data, allow_nan=False).encode()
    # Whatever was asked, nothing of another user came back, and the shop is as it was.
    assert BEN not in json.dumps([answer.data, [s.model_dump() for s in answer.sources]])
    assert name == "update_user_profile" or not session.changes()


def _whole(shop: Shop) -> Any:
    return [list(shop.store.iter_users()), list(shop.store.iter_products()), list(shop.store.iter_orders())]


@pytest.fixture(scope="module")
def before(shop: Shop) -> Any:
    return _whole(shop)


def _fuzz(shop: Shop, web: Sandbox, count: int, *, same: bool) -> None:
    @given(_calls())
    @settings(
        max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), database=None,
        derandomize=same,
    )  # fmt: skip
    def run(asked: tuple[str, Any]) -> None:
        _check(shop, web, *asked)

    run()


@pytest.mark.long
def test_two_thousand_arbitrary_calls(shop: Shop, web: Sandbox, before: Any) -> None:
    _fuzz(shop, web, 2_000, same=True)
    assert before == _whole(shop)


@pytest.mark.endurance
def test_a_hundred_thousand_arbitrary_calls(shop: Shop, web: Sandbox, before: Any) -> None:
    _fuzz(shop, web, 100_000, same=False)
    assert before == _whole(shop)
    name = f"tool calls with arbitrary JSON, {shop.manifest.backend} shop"
    row(*ENDURANCE, (name, "100,000", "0 with neither an answer nor a ToolError; shop unchanged"))


@each("hostile", [h for h in _HOSTILE if isinstance(h, str)])
@each(("name", "parameter", "rest"), cases("tools", "query_languages_are_words_like_any_other"))
def test_query_languages_are_words_like_any_other(
    name: str, parameter: str, rest: dict[str, Any], hostile: str, shop: Shop, web: Sandbox
) -> None:
    _check(shop, web, name, {**rest, parameter: hostile})


def test_wildcards_and_fields_widen_nothing(shop: Shop, web: Sandbox) -> None:
    ctx = context_for(Session(shop, ANNA), web)

    def total(**arguments: Any) -> int:
        found: int = call_sync("product_catalog_search", arguments, ctx).data["total"]
        return found

    assert total(query="grind*") == 0
    assert total(query="title:grinder") == total(query="title grinder") == 1
    assert total(query="bird OR dog", match="all") == 0
    assert total(query="-grinder") == 1


@each(("expression", "value"), cases("tools", "test_values"))
def test_values(expression: str, value: str) -> None:
    assert evaluate(expression) == value


@each(
    ("expression", "said"),
    [
        ("9**9**9", "exponent"), ("9**-9**9", "exponent"), ("(10**999)**999", "digits"),
        ("2**1000**1000", "digits"), ("((((2**999)**999)**999)**999)", "digits"), ("9" * 501, "characters"),
        ("(" * 100_000, "characters"), ("(" * 200 + "1" + ")" * 200, "deep"), ("-" * 400 + "1", "deep"),
        ("2" + "**2" * 150, "deep"), ("(0.1**999)**999", "below"), ("0.1**700 * 0.1**700", "below"),
        ("1e99999", "too large"), ("1e-99999999999999", "too large"), ("__import__('os')", "not understood"),
        ("__import__(1)", "not known"), ("lambda: 1", "not understood"), ("open", "not known"),
        ("exp(1)", "not known"), ("1 < 2", "not understood"), ("[1]", "group with"), ("$5 + 1", "without $"),
        ("1,000 + 1", "thousands"), ("15% * 3", "0.15"), ("x = 3", "not an equation"),
        ("2 = 2", "not an equation"), ("5!", "factorials"), ("", "empty"), ("   ", "empty"),
        ("1 2", "operator is missing"), ("1 + * 2", "number is missing"), ("(1 + 2", "missing"),
        ("(1 + 2}", "missing"), ("1)", "out of place"), ("sqrt 4", "parentheses"),
        ("sqrt()", "out of place"), ("1/0", "zero"), ("1/(0.1+0.2-0.3)", "zero"), ("0**-1", "zero"),
        ("sqrt(-1)", "not real"), ("(-8)**(1/3)", "no real power"), ("log(0)", "above 0"),
        ("ln(-1)", "above 0"), ("tan(pi/2)", "not defined"), ("sin(10**400)", "too large"),
        ("1.5**9999.5", "digits"), ("٣ + ٤", "not understood"),
    ],
)  # fmt: skip
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
        "9**9**9", "((9**999)**999)**999", "*".join(["(9**300)"] * 55), "+".join(["(1/3**500)"] * 45),
        "1/" * 249 + "7", "sqrt(" * 39 + "2**999" + ")" * 39, "(" * 100_000, "9" * 100_000,
    ]  # fmt: skip
    code = (
        "import sys, json\nfrom drr.tools.arithmetic import *\n"
        "for a in json.load(sys.stdin):\n    try: evaluate(a)\n    except ArithmeticProblem: pass\nprint('done')"
    )
    done = python(code, input=json.dumps(attacks))
    assert done.stdout.strip() == "done", done.stderr
