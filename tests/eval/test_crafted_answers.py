"""Crafted answers earn what was agreed on before the code of the reward was written."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import pytest
from drr.env.checkable import Checkable, ExpectedFact, ShoppingNeed
from drr.env.entities import Product
from drr.env.points import JointRule, PointTruth, RightPick
from drr.env.query import Query
from drr.env.source import Source
from drr.eval.rewards.answer_forms import AnswerForm, Form, PointsForm
from drr.eval.rewards.components import reward, solved
from drr.eval.rewards.rewarded import Rewarded

from tests.sources import ROOT

HOST = "http://ecommerce.example/"
TABLE = tomllib.loads((ROOT / "tests/data/crafted_answers.toml").read_text("utf-8"))
PRICES: dict[str, float | None] = {
    "T1": 80, "T2": 70, "L1": 30, "L2": 28, "L3": 45, "P1": 8, "S1": 20, "R9": 24.5, "D1": 40, "D2": 50, "D3": 30, "D9": 20,
    "K1": 30, "K2": 35, "K3": 45, "K4": None, "K9": 12, "M1": 10, "B9": 19.99, "G1": 5, "G2": 6, "G3": 7, "G9": 8,
}  # fmt: skip
ORDERS = {"O17": "R9", "O4": "D9"}
REFUSALS = {"nothing_fits", "not_sold", "cannot_be_told"}


def _address(one: str) -> str:
    return f"{HOST}orders/{one}" if one in ORDERS else HOST + one


def _point(*products: str, **more: Any) -> PointTruth:
    return PointTruth(picks=[RightPick(product=one) for one in products], **more)


TRUTHS = {
    "camp": Checkable(
        points=[
            _point("T1"), _point("L1"), PointTruth(picks=[RightPick(product="P1", pieces=4)]),
            PointTruth(figure=24.5, sources=[_address("O17")]), PointTruth(status="nothing_fits"), PointTruth(status="cannot_be_told"),
        ],
        rules=[JointRule(points=[1, 2, 3], total_max=150), JointRule(points=[1, 2, 3], same="Brand")],
    ),
    "lamps": Checkable(
        points=[_point("D3", "D1", "D2", in_order=True), PointTruth(figure="2017-06-02", sources=[_address("O4")])]
    ),
    "kitchen": Checkable(
        needs=[
            ShoppingNeed(category=["A"], products=["K1", "K2", "K3", "K4"]),
            ShoppingNeed(category=["B"], products=["M1"], quantity=3),
            ShoppingNeed(category=["C"], refusal="not_sold"),
        ],
        facts=[ExpectedFact(kind="price", subjects=["B9"], value=19.99, sources=[_address("B9")])],
        budget=70,
    ),
    "receipts": Checkable(
        facts=[
            ExpectedFact(kind="price", subjects=["B9"], value=19.99, sources=[_address("B9")]),
            ExpectedFact(kind="price", subjects=["M1"], value=10, sources=[_address("M1")]),
        ]
    ),
    "gifts": Checkable(needs=[ShoppingNeed(category=[one], products=[one]) for one in ("G1", "G2", "G3")]),
}  # fmt: skip


@cache
def _record(one: str) -> dict[str, Any]:
    if one in ORDERS:
        return {"_id": one, "order_id": one, "product_id": ORDERS[one]}
    made = Product(
        product_id=one, product_url=HOST + one, title=one, features=[], description=[], price=PRICES[one],
        store="Bor" if one in ("L2", "S1") else "Alp", categories=[], details={}, category="X",
    )  # fmt: skip
    return {"_id": one, **made.model_dump()}


def _sources(unseen: list[str]) -> list[Source]:
    return [
        Source(url=_address(one), type="user" if one in ORDERS else "product", seen="", record=_record(one))
        for one in (*PRICES, *ORDERS)
        if one not in unseen
    ]


def _pieces(text: str) -> list[tuple[int, str]]:
    """Read `4 x P1, T1` as pieces with their product."""
    split = [one.strip().rpartition(" x ") for one in text.split(",")]
    return [(int(count or 1), product) for count, _, product in split]


def _joint(points: dict[str, Any]) -> Form:
    rows: list[dict[str, Any]] = []
    for point, value in points.items():
        if isinstance(value, str) and value.split(" & ")[0] in REFUSALS:
            rows += [{"point": int(point), "status": one} for one in value.split(" & ")]
        elif (isinstance(value, str) and not value[0].isdigit()) or " x " in str(value):
            picks = [{"product": product, "pieces": count} for count, product in _pieces(value)]
            rows.append({"point": int(point), "picks": picks})
        else:
            rows.append({"point": int(point), "figure": value})
    return PointsForm.model_validate({"points": rows})


def _apart(points: dict[str, Any]) -> Form:
    stated = {int(point): value for point, value in points.items()}
    picks = [p for v in stated.values() if isinstance(v, str) and v not in REFUSALS for _, p in _pieces(v)]
    figures = [{"point": point, "value": v} for point, v in stated.items() if not isinstance(v, str)]
    refusals = [{"point": point, "reason": v} for point, v in stated.items() if v in REFUSALS]
    return AnswerForm.model_validate({"picks": picks, "figures": figures, "refusals": refusals})


def _report(points: dict[str, Any], cites: list[str] | None) -> str:
    """Write a report whose lists say these points, with the wanted citations alone."""
    picks, figures, refusals = [], [], []
    for point, value in points.items():
        if isinstance(value, str) and value.split(" & ")[0] in REFUSALS:
            refusals.append(f"- {point}: {value}")
        elif (isinstance(value, str) and not value[0].isdigit()) or " x " in str(value):
            for count, product in _pieces(value):
                picks.append(
                    f"- {point}: {f'{count} x ' if count > 1 else ''}[{product}]({_address(product)})"
                )
        else:
            figures.append(f"- {point}: {value}")
    cited = [f"[it]({_address(one)})" for one in cites or ()]
    lists = ["## Picks", *picks, "", "## Figures", *figures, "", "## Refusals", *refusals, ""]
    return "\n".join([*lists, " ".join(cited)])


@pytest.mark.parametrize("row", TABLE["answer"], ids=lambda row: f"{row['question']}: {row['is']}")
def test_a_crafted_answer_earns_what_was_agreed_on(row: dict[str, Any]) -> None:
    truth = TRUTHS[row["question"]]
    query = Query(query=row["question"], user_id="U", checkable=truth)
    made = _joint if truth.points else _apart
    form = made(row["form"]) if "form" in row else None
    said = row.get("report", row.get("form", {}))
    report = _report(said, row.get("cites", ["O17", "O4", "B9"])) + " word" * row.get("words", 0)
    answer = Rewarded(query, report, form, _sources(row.get("unseen", [])))
    assert reward(answer)["total"] == pytest.approx(row["earns"], abs=1e-6)
    assert solved(answer) == row["solved"]
