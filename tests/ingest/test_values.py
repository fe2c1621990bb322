"""Prices, categories, products, users, order ids."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from drr.data_ingest.orders import DOMAINS, order_ids, places, profiles, sort_rows, statuses, user_table
from drr.data_ingest.packing import Ids
from drr.data_ingest.products import BadLine, Repairs, make_product, parse_line, parse_price
from drr.data_ingest.recipe import ALL, EIGHT, TEN, parse_categories
from drr.env.content import UserRow
from drr.env.entities import ORDER_STATUSES, iso_from_ms, ms_from_iso
from drr.env.errors import Misuse
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, each, table
from tests.ingest.raw import meta, odd_user, user_id


@each(("raw", "value", "form"), cases("ingest", "prices"))
def test_prices(raw: Any, value: float | None, form: str) -> None:
    assert parse_price(raw) == (value, form)


@given(st.integers(0, 10**9))
def test_a_price_reads_the_same_in_every_spelling(cents: int) -> None:
    amount = cents / 100
    for text in (
        f"{amount:.2f}", f"${amount:.2f}", f"${amount:,.2f}", f"from {amount:.2f}", f"from ${amount:,.2f}",
    ):  # fmt: skip
        assert parse_price(text).value == amount


@given(st.one_of(st.none(), st.booleans(), st.text(), st.floats(), st.integers(), st.lists(st.integers())))
def test_any_price_is_unknown_or_a_finite_amount(raw: Any) -> None:
    value = parse_price(raw).value
    assert value is None or 0 <= value < float("inf")


def product_of(**fields: Any) -> tuple[Any, Counter[str]]:
    notes: Counter[str] = Counter()
    raw = parse_line(json.dumps(meta(**fields)).encode(), Repairs())
    return make_product(raw, "Pet_Supplies", notes), notes


def test_details_and_categories_are_read_in_every_form() -> None:
    """Nested ranks and dots in names, also from a text; copies that went through a data frame."""
    details = {"Number of USB 3.0 Ports": "2", "No. of wires": "", "Best Sellers Rank": {"Dogs & Cats": 3}}
    assert product_of(details=details)[0].details == details
    assert product_of(details=json.dumps(details))[0].details == details
    product, _ = product_of(rating_number=120.0, price="None", average_rating=4, details="")
    assert (product.rating_number, product.price, product.average_rating) == (120, None, 4.0)
    for nothing in ("", "None", "null", "nan", " "):
        assert product_of(details=nothing)[0].details == {}
    product, notes = product_of(categories=[])
    assert product.categories == ["Pet_Supplies"]
    assert notes["categories_from_file"] == 1


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("<p><b>Nail grinder</b><br>Quiet.&nbsp;</p>", "Nail grinder Quiet."),
        ("one<br />two<BR>three", "one two three"),
        ("Has:<ul><li>Motor</li><li>Case</li></ul>", "Has: Motor Case"),
        ('see <a href="https://x.example/?a>b" class=y>here</a>', "see here"),
        ("H<sub>2</sub>O, 5&quot; &#38; &#x2122; Levi&#39;s", "H2O, 5\" & \u2122 Levi's"),
        ("&lt;b&gt;Bold&lt;/b&gt; &amp;amp; more", "Bold & more"),
        ("for dogs &lt; 5 lb", "for dogs < 5 lb"),
        # What only looks like it stays, blanks and all.
        ("dogs < 5 lb and > 2 lb, <3", "dogs < 5 lb and > 2 lb, <3"),
        ("AT&T  a=1&copy=2 &bogus; R&D;", "AT&T  a=1&copy=2 &bogus; R&D;"),
        ("if a <b and c> d, <none>, <b", "if a <b and c> d, <none>, <b"),
        ("\u00a0plain  text\n", "\u00a0plain  text\n"),
    ],
)
def test_html_in_product_texts_becomes_plain_text(raw: str, read: str) -> None:
    product, notes = product_of(
        title=raw, features=[raw], description=["x", raw], store=raw,
        details={"Note": raw, "In": {"a": [raw]}},
    )  # fmt: skip
    assert (product.title, product.features, product.description) == (read, [read], ["x", read])
    assert (product.store, product.details) == (read, {"Note": read, "In": {"a": [read]}})
    assert notes["products_with_html"] == (raw != read)


def test_names_of_details_are_plain_too_and_none_is_lost() -> None:
    product, _ = product_of(details={"Size &amp; Fit": "1", "<b>Color</b>": "2", "A&amp;B": "3", "A&B": "4"})
    assert product.details == {"Size & Fit": "1", "Color": "2", "A&amp;B": "3", "A&B": "4"}


@table("ingest", "wrong_types_are_not_guessed_at")
def test_wrong_types_are_not_guessed_at(fields: dict[str, Any]) -> None:
    with pytest.raises(BadLine, match="wrong_type"):
        product_of(**fields)


def test_categories_by_any_spelling() -> None:
    assert len(ALL) == 34
    named = parse_categories("pet supplies, patio-lawn-and-garden")
    assert named == ("Pet_Supplies", "Patio_Lawn_and_Garden")
    assert set(parse_categories("eight") or ()) == set(EIGHT)
    assert set(parse_categories("ten") or ()) == set(TEN)
    assert parse_categories("all") is None
    for wrong, told in (("Pet_Suplies", "did you mean Pet_Supplies"), ("zzz", "the 34 names are")):
        with pytest.raises(Misuse, match=told):
            parse_categories(wrong)


def rows_of(names: list[str]) -> dict[str, UserRow]:
    ids = Ids()
    codes = ids.users(names)
    hashes = ids.user_hashes(codes)
    pools = profiles()
    rows = pools.rows(ids.user_texts(codes), hashes, pools.attempts(hashes))
    return {row.user_id: row for row in rows}


@pytest.mark.long
def test_a_user_is_the_same_in_any_order_and_company() -> None:
    rng = random.Random(4)
    names = [user_id(n) for n in range(500)] + ["u1", "Ünïcode", "A" * 29]
    whole = rows_of(names)
    assert rows_of(rng.sample(names, len(names))) == whole
    assert rows_of([*names[100:110], "A" * 29]) == {name: whole[name] for name in [*names[100:110], "A" * 29]}
    assert rows_of([odd_user(rng), "u1"])["u1"] == whole["u1"]


def test_profiles_fit_and_orders_have_their_ids() -> None:
    homes = {(p.city, p.state): (p.zip3, p.area_code) for p in places()}
    rows = rows_of([user_id(n) for n in range(2500)])
    assert len({row.email for row in rows.values()}) == 2500
    assert len({row.state for row in rows.values()}) == 51
    for row in rows.values():
        zip3, area = homes[row.city, row.state]
        assert re.fullmatch(zip3 + r"\d\d", row.zip)
        assert re.fullmatch(rf"001-{area}-555-01\d\d", row.phone_number)
        local, domain = row.email.split("@")
        first, last, _ = local.split(".")
        assert domain in DOMAINS
        assert domain.endswith((".example", "example.com", "example.org", "example.net"))
        assert (first, last) == tuple(
            re.sub("[^a-z]", "", name.lower()) for name in (row.first_name, row.last_name)
        )
        assert re.fullmatch(r"\d+ .+", row.address1)
    hashes = np.array([7, 7, 9, 7], np.uint64)
    pools = profiles()
    tries = pools.attempts(hashes)
    assert tries[0] == 0
    assert tries[2] == 0
    assert len({row.email for row in pools.rows(list("abcd"), hashes, tries)}) == 4
    rows = interactions(3000)
    first = dict(zip(rows, drawn(rows, 10**16), strict=True))
    assert len(set(first.values())) == len(rows)
    assert max(first.values()) < 10**16
    part = random.Random(1).sample(rows, 500)
    assert drawn(part, 10**16) == [first[row] for row in part]


def drawn(triples: list[tuple[str, str, int]], space: int) -> list[int]:
    ids = Ids()
    users, items = ids.users([t[0] for t in triples]), ids.items([t[1] for t in triples])
    time = np.array([t[2] for t in triples], np.int64)
    numbers = order_ids(
        ids.user_hashes(users), ids.item_hashes(items), time, lambda row: triples[row][:2], space=space
    )
    return [int(number) for number in numbers]


def interactions(count: int) -> list[tuple[str, str, int]]:
    rng = random.Random(8)
    return [
        (user_id(rng.randrange(50)), f"B{rng.randrange(10**9):09d}", rng.randrange(10**12))
        for _ in range(count)
    ]


@pytest.mark.parametrize("space", [4000, 10**5])
def test_equal_order_ids_are_settled_by_content_not_by_order(space: int) -> None:
    rows = interactions(3000)
    rows += rows[:200]  # the same product twice in the same millisecond
    settled = sorted(zip(rows, drawn(rows, space), strict=True))
    assert len({number for _, number in settled}) == len(rows)
    shuffled = random.Random(2).sample(rows, len(rows))
    assert sorted(zip(shuffled, drawn(shuffled, space), strict=True)) == settled


def test_users_and_rows_are_sorted_as_text() -> None:
    rng, ids = random.Random(5), Ids()
    for names in (
        [user_id(rng.randrange(40)) for _ in range(300)],
        [odd_user(rng) for _ in range(50)] + [user_id(3)],
    ):
        table = user_table(ids.users(names), ids)
        assert ids.user_texts(table.codes) == sorted(set(names))
        assert ids.user_texts(table.codes[table.position]) == names


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=30))
def test_orders_come_by_user_then_newest_then_id(rows: list[tuple[int, int, int]]) -> None:
    user, time, number = (np.array(c, np.int64) for c in zip(*rows, strict=True))
    got = [rows[at] for at in sort_rows(user, time, number)]
    assert got == sorted(rows, key=lambda row: (row[0], -row[1], row[2]))
    far = sort_rows(user, time + (1 << 61), number)  # too wide for one sort key
    assert [rows[at] for at in far] == got


def test_varied_statuses_are_plausible_and_repeatable() -> None:
    rng = np.random.default_rng(1)
    numbers, time = rng.integers(0, 10**16, 20_000), rng.integers(0, 400, 20_000) * 86_400_000
    got = statuses("varied", 7, numbers, time)
    assert (got == statuses("varied", 7, numbers, time)).all()
    assert (got != statuses("varied", 8, numbers, time)).any()
    names = np.array(ORDER_STATUSES)[got]
    old = time < 300 * 86_400_000
    assert set(names[old]) == {"Delivered", "Returned", "Cancelled"}
    assert set(names[~old]) == set(ORDER_STATUSES)
    assert 0.9 < (names[old] == "Delivered").mean() < 0.97
    assert (np.array(ORDER_STATUSES)[statuses("delivered", 7, numbers, time)] == "Delivered").all()


@given(st.integers(0, 253_402_300_799_999))
def test_a_date_is_exact_to_the_millisecond_in_any_century(moment: int) -> None:
    date = iso_from_ms(moment)
    assert date == iso_from_ms(moment // 1000 * 1000)[:-3] + f"{moment % 1000:03d}"
    assert ms_from_iso(date) == moment
