"""Crafted answers to talks under a shop's own policy earn what was agreed on before the code of the reward was written."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from typing import Any

import pytest
from drr.env.checkable import Checkable, ShoppingNeed
from drr.env.entities import Address, Order
from drr.env.query import Query
from drr.env.service.case import ChangeOfMind, OrderRequest, ServiceCase, WantedPurchase
from drr.env.service.policies import editions_of
from drr.env.service.served import ServedForm
from drr.env.session import TALK, Change
from drr.eval.rewards.components import reward, solved
from drr.eval.rewards.rewarded import Rewarded

from tests.sources import ROOT

TABLE = tomllib.loads((ROOT / "tests/data/crafted_service.toml").read_text("utf-8"))
HOME = Address(address1="12 Maple Street", city="Dayton", state="OH", zip="45402")
_ITEM = re.compile(r"(\d+) x (\w+)")
_SUM = re.compile(r"\$([\d.]+)")


def _request(order: str, action: Any = "return", **more: Any) -> OrderRequest:
    return OrderRequest(order_id=order, action=action, reason="no longer needed", **more)


CASES: dict[str, tuple[list[str], WantedPurchase, list[OrderRequest]]] = {
    "moving": (
        ["T1"],
        WantedPurchase(quantity=2, voucher="V1", voucher_amount=5),
        [
            _request("O2", pieces=1), _request("O3", "cancel"), _request("O4", refusals=["hygiene"]),
            _request("O5", "readdress", address=HOME),
        ],
    ),
    "kettle": (
        ["K2"],
        WantedPurchase(quantity=1),
        [
            _request("V9", "voucher", refusals=["voucher"]), _request("O6", refusals=["window"]),
            _request("O8", "cancel", refusals=["account"]),
        ],
    ),
    "late": (
        ["S1"],
        WantedPurchase(quantity=2),
        [_request("O2", refusals=["hygiene", "window"]), _request("O3", "cancel", refusals=["sent"]), _request("O4")],
    ),
    "asking": (
        ["S1"],
        WantedPurchase(quantity=2),
        [_request("O2", "exchange"), _request("O3", "promise", refusals=["promise"]), _request("O4", refusals=["fee"], free=True)],
    ),
    "desk": (["N1"], WantedPurchase(quantity=3), [_request("O7"), _request("O9", "cancel", withdrawn=True)]),
}  # fmt: skip
BUYS = {"moving": 1, "kettle": 1, "late": 1, "asking": 1, "desk": 3}
"""The wish of each talk that is the purchase, which the code numbers 1."""


def _point(talk: str, point: int) -> int:
    """Return the number of a wish in the code, where the purchase comes first."""
    buys = BUYS[talk]
    return 1 if point == buys else point + (point < buys)


def _query(talk: str) -> Query:
    products, purchase, requests = CASES[talk]
    orders = [
        Order(order_id=one, product_id="X", user_id="U", order_date="2023-09-01T10:00:00.000", quantity=count)
        for one, count in (("O2", 3), ("O3", 1), ("O4", 1), ("O5", 1), ("O6", 1), ("O7", 1), ("O9", 1))
    ]
    (policy, *_) = editions_of("0", ["Home_and_Kitchen"], date(2010, 1, 1))
    case = ServiceCase(
        version=2,
        policy=policy.model_copy(update={"least": 20.0}),
        purchase=purchase,
        requests=requests,
        orders=orders,
        slots={},
        change=ChangeOfMind(kind="quantity", after=1, sentence="No.", now=[]),
        values={},
    )
    truth = Checkable(needs=[ShoppingNeed(category=["A"], products=products)])
    return Query(query=talk, user_id="U", checkable=truth, service=case)


def _changes(row: dict[str, Any], did: dict[str, str]) -> list[Change]:
    """Return the records that a session keeps of these acts."""
    found: list[tuple[str, Any]] = []
    for text in did.values():
        act, money = text.split()[0], _SUM.search(text)
        paid = float(money[1]) if money else 0.0
        for number, (count, of) in enumerate(_ITEM.findall(text)):
            if act == "bought":
                voucher = "V1" if paid == 19 else None
                own = {"orders": [f"N{of}{number}"], "total": paid * (number == 0), "arrives": "2023-09-20"}
                found.append((f"checkout.{number}", {**own, "voucher": voucher, "lines": {of: int(count)}}))
            else:
                found.append((f"acts.{of}", {"act": act, "pieces": int(count), "money": paid}))
        if act == "readdressed":
            to = HOME if "wrongly" not in text else HOME.model_copy(update={"city": "Akron"})
            found.append(("acts.O5", {"act": act, "address": to.model_dump()}))
    if "broken" in row:
        found.append((f"policy.{row['broken']}", "broken"))
    return [Change("U", TALK + name, None, after) for name, after in found]


def _form(talk: str, said: dict[str, str]) -> ServedForm:
    wishes = []
    for point, whole in said.items():
        for text in whole.split(" & "):
            act, money = text.split()[0], _SUM.search(text)
            items = [{"product": of, "quantity": int(count)} for count, of in _ITEM.findall(text)]
            row: dict[str, Any] = {"point": _point(talk, int(point)), "act": act, "items": items}
            if money:
                row["money"] = float(money[1])
            if act in ("refused", "allowed"):
                row["clause"] = text.split()[-1]
            wishes.append(row)
    return ServedForm.model_validate({"wishes": wishes})


def _report(talk: str, said: dict[str, str]) -> str:
    items = [f"- {_point(talk, int(point))}: {text.replace(' wrongly', '')}" for point, text in said.items()]
    return "\n".join(["All is done.", "", "## Wishes", *items])


@pytest.mark.parametrize("row", TABLE["answer"], ids=lambda row: f"{row['talk']}: {row['is']}")
def test_a_crafted_answer_earns_what_was_agreed_on(row: dict[str, Any]) -> None:
    talk, right = row["talk"], TABLE["talk"][row["talk"]]["right"]
    did = row.get(
        "did",
        {p: text for p, text in right.items() if text.split()[0] not in ("refused", "withdrawn", "allowed")},
    )
    given = row.get("form", right)
    form = None if given == "none" else _form(talk, given)
    report = _report(talk, row.get("report", given)) + " word" * row.get("words", 0)
    answer = Rewarded(_query(talk), report, form, (), _changes(row, did))
    assert reward(answer)["total"] == pytest.approx(row["earns"], abs=1e-6)
    assert solved(answer) == row["solved"]
