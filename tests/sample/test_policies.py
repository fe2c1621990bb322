"""Policies that a shop could have: whole houses in dated editions, drawn by the shop, about goods that it sells."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from drr.data_ingest.fresh import ShopAxes, fresh_vocabulary
from drr.data_ingest.shop_policy import editions_of
from drr.env.errors import Misuse
from drr.env.web.sandbox import read_documents

from tests.commands import Drr

TODAY = date(2023, 9, 15)
TYPES = ("home", "beauty", "drugstore", "baby", "office", "country", "general")


@pytest.mark.parametrize("shop_type", TYPES)
def test_a_policy_is_whole(shop_type: str) -> None:
    """Forty-one of a hundred refused what arrives damaged."""
    for number in range(40):
        for one in editions_of(f"{number:064}", shop_type, TODAY):
            clauses = dict(line[2:].split(": ", 1) for line in one.page.splitlines()[2:])
            assert {"window", "faulty", "sent", "voucher", "exchange", "promise"} <= clauses.keys()
            assert "year" in clauses["faulty"] and "{" not in one.page
            assert clauses["window"] not in clauses.get("earlier", ""), (
                "what still holds is not told as former"
            )
            for british in (
                "ancelled",
                "colour",
                "postage",
                "whilst",
            ):  # a reader saw two spellings in one text
                assert british not in one.page


def test_a_shop_has_one_house_whole_and_the_last_edition_of_its_day_at_most() -> None:
    drawn = [editions_of(f"{number:064}", "office", TODAY) for number in range(60)]
    assert {len(own) for own in drawn} == {1, 2, 3} and len({own[-1].page for own in drawn}) > 20
    for own in drawn:
        assert [one.since for one in own] == sorted(one.since for one in own) and own[-1].since <= TODAY
    first = editions_of("0" * 64, "office", date(2010, 1, 1))
    assert first == editions_of("0" * 64, "office", date(2019, 6, 1))[:1], (
        "a shop of former days has its first edition"
    )


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
    own = editions_of(made["shop"], "office", TODAY)
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
