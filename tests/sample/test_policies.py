"""Policies that a shop could have: whole houses in dated editions, drawn by the shop, about goods that it sells."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from drr.data_ingest.fresh import ShopAxes, fresh_vocabulary
from drr.data_ingest.sample_products import load_vocabulary
from drr.env.errors import Misuse
from drr.env.service.policies import ShopPolicy, categories_of, editions_of, houses, type_of
from drr.env.web.sandbox import read_documents

from tests.commands import Drr

EVERY = [edition for house in houses() for edition in house]
TODAY = date(2023, 9, 15)


def test_a_policy_speaks_of_goods_that_its_shop_sells() -> None:
    """Eleven of a hundred said that office products never come back by hygiene."""
    sold = {one.name: one.category for one in load_vocabulary().types}
    for one in EVERY:
        own, grouped = categories_of(one.type), [one.shorter, one.hygiene, one.fee, one.final]
        for kinds in filter(None, grouped):
            assert set(kinds) <= sold.keys() and any(sold[kind] in own for kind in kinds), (one.type, kinds)
        named = [kind for kinds in grouped for kind in kinds]
        assert len(named) == len(set(named)), "no goods stand under two clauses"
        assert "Office_Products" not in {sold[kind] for kind in one.hygiene}


@pytest.mark.parametrize("one", EVERY, ids=lambda one: f"{one.type} {one.since} {one.clauses['window'][:9]}")
def test_a_policy_is_whole(one: ShopPolicy) -> None:
    """Forty-one of a hundred refused what arrives damaged."""
    for own in one.terms:
        assert own.short < own.days and (own.percent > 0) == bool(one.fee)
    told = {(own.days, own.short, own.percent if one.fee else 0) for own in one.terms}
    assert ("earlier" in one.clauses) == (len(told) > 1), "what still holds is not told as former"
    assert one.clauses["window"] not in one.clauses.get("earlier", "")
    for british in ("ancelled", "colour", "postage", "whilst"):  # a reader saw two spellings in one text
        assert british not in one.page
    terms = one.terms[0]
    assert one.least >= 15 and "{" not in one.page
    assert {"window", "faulty", "sent", "voucher", "exchange", "promise"} <= one.clauses.keys()
    assert f"{one.promise} days" in one.clauses["promise"] and "year" in one.clauses["faulty"]
    for name in ("hygiene", "fee", "final"):
        assert (name in one.clauses) == bool(getattr(one, name)), "words and goods stand or fall together"
    assert f"{terms.days} days" in one.clauses["window"] and str(terms.short) in one.clauses["window"]
    assert one.days_for("Lip Balm", TODAY) == (terms.short if "Lip Balm" in one.shorter else terms.days)


def test_an_order_keeps_the_edition_of_its_day() -> None:
    """A newer edition shortened the window of goods that were ordered before it."""
    for first, second, last in houses():
        day = last.since - timedelta(1)
        assert last.days_for("", day) == second.days_for("", day) == second.terms[0].days
        assert last.days_for("", last.since) == last.terms[0].days < second.terms[0].days
        assert last.terms_of(first.since) == second.terms[0], "the page tells one edition before it"
        assert "earlier" not in first.clauses and first.terms_of(date(2010, 1, 1)) == first.terms[0]


def test_a_shop_has_one_house_whole_and_the_last_edition_of_its_day_at_most() -> None:
    known = list(houses())
    drawn = [editions_of(f"{number:064}", ["Office_Products"], TODAY) for number in range(60)]
    for own in drawn:
        house = next(one for one in known if one[0] == own[0])
        assert own == house[: len(own)] and own[-1].since <= TODAY and own[0].type == "office"
    assert {len(own) for own in drawn} == {1, 2, 3} and len({own[-1].page for own in drawn}) > 20
    (first,) = editions_of("0" * 64, ["Office_Products"], date(2010, 1, 1))
    assert first in EVERY, "a shop of former days has its first edition"


def test_the_type_of_a_shop_is_the_narrowest_that_sells_its_goods() -> None:
    assert type_of(["Office_Products"]) == "office"
    assert type_of(["Pet_Supplies", "Patio_Lawn_and_Garden"]) == "country"
    assert type_of(["Pet_Supplies", "Office_Products"]) == type_of(["Electronics"]) == "general"


def test_a_type_of_shop_sells_its_own_goods_and_its_policy_is_among_its_pages(
    drr: Drr, tmp_path: Path
) -> None:
    words = fresh_vocabulary(7, ShopAxes(real_kinds=True, sells="country"))
    assert [one.category for one in words.categories] == ["Patio_Lawn_and_Garden", "Pet_Supplies"]
    assert "sells" not in ShopAxes().model_dump()
    axes = 'products = 60\nusers = 20\nreviews = 400\nkinds = 8\npages = 3\nquestions = 0\nreal_kinds = true\nsells = "office"\n'
    (tmp_path / "axes.toml").write_text(axes)
    made = drr.json("shop", "make", "--seed", 5, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "made")
    pages = [one for one in read_documents(tmp_path / "made" / "web") if one.title.startswith("Returns")]
    own = editions_of(made["shop"], ["Office_Products"], TODAY)
    assert [one.text for one in pages] == [one.page for one in own]
    assert [one.date for one in pages] == sorted(one.since.isoformat() for one in own)
    assert json.loads((tmp_path / "made" / "made.json").read_text())["axes"]["sells"] == "office"


def test_a_type_of_shop_that_nobody_knows_is_misuse(drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "axes.toml").write_text('sells = "weapons"\n')
    said = drr.err("shop", "make", "--seed", 5, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "made")
    assert "there is no type of shop 'weapons'" in said
    with pytest.raises(Misuse):
        from drr.data_ingest.fresh import read_axes

        read_axes(tmp_path / "axes.toml", "small")
