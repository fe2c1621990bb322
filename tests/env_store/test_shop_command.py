"""`drr shop`: what people and scripts see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import cases
from tests.commands import Drr


def test_info_has_the_fixed_form_and_shows_the_papers_ratios(folder: Path, drr: Drr) -> None:
    info = drr.json("shop", "info", folder)
    assert info["schema"] == 1
    assert info["counts"] == {"products": 30, "users": 2, "orders": 3}
    assert info["ratios"] == {"orders_per_product": 0.1, "orders_per_user": 1.5}
    assert info["recipe"] == {"pick": "meta-prefix", "categories": ["Pet_Supplies"]}
    assert (info["quarantined"], info["duplicates"]) == ({"not JSON": 1}, 1)
    out = drr.out("shop", "info", folder)
    assert "orders per product" in out and "(paper: 53.8)" in out and "(paper: 2.39)" in out
    assert "meta-prefix" in out and "not JSON" in out


def test_search_filters_sorts_counts_and_says_how_it_read_the_query(folder: Path, drr: Drr) -> None:
    sifted = ["--max-price", "9", "--sort", "price_desc", "--limit", "2"]
    found = drr.json("shop", "search", folder, "feeders", *sifted)
    assert found["total"] == 6
    assert [item["price"] for item in found["items"]] == [8.5, 7.5]
    garden = drr.json(
        "shop", "search", folder, "feeders", "--category", "patio lawn & garden", "--match", "all"
    )
    assert garden["total"] == 15 and garden["items"][0]["score"] > 0
    assert len(drr.json("shop", "search", folder, "bird", "--limit", "50")["items"]) == 30
    found = drr.json("shop", "search", folder, "cheapest feedr under $9")
    assert found["read"] == ["price up to $9.00", 'for "feedr": feeder', '"cheapest": sort price_asc']
    prices = [item["price"] for item in found["items"]]
    assert prices == sorted(prices) and prices[-1] <= 9
    assert "fewer words" in drr.out("shop", "search", folder, "feedr", "--search", "plain")


def test_a_new_index_leaves_the_records(folder: Path, drr: Drr) -> None:
    before = drr.json("shop", "search", folder, "feeders")
    content = drr.json("shop", "info", folder)["content_hash"]
    assert drr.json("shop", "index", folder, "--quiet")["content_hash"] == content
    assert drr.json("shop", "search", folder, "feeders") == before
    drr.out("shop", "check", folder)


@pytest.mark.parametrize(("words", "hint"), cases("env_store", "test_an_empty_answer_says_why"))
def test_an_empty_answer_says_why(folder: Path, drr: Drr, words: list[str], hint: str) -> None:
    assert hint in drr.out("shop", "search", folder, *words)


def test_an_empty_answer_says_what_was_left_out(folder: Path, drr: Drr) -> None:
    out = drr.out("shop", "search", folder, "feedr 7", "--max-price", "3")
    assert "Nothing found" in out and 'query read so: for "feedr": feeder' in out
    assert "2 more share a word and were set aside; --match any lists them" in out
    out = drr.out("shop", "search", folder, "feeder 3", "--max-price", "9")
    assert "1 more match and have no known price; --unknown-price lets them in" in out


@pytest.mark.parametrize("words", cases("env_store", "test_senseless_options_are_misuse"))
def test_senseless_options_are_misuse(folder: Path, drr: Drr, words: list[str]) -> None:
    code, out, err = drr("shop", "search", folder, "x", *words)
    assert code == 2
    assert out == "" and err.startswith("drr: --")


def test_show_prints_the_papers_documents_and_the_history_of_a_user(folder: Path, drr: Drr) -> None:
    product = drr.json("shop", "show", folder, "product", "b000000001")
    assert list(product)[:2] == ["_id", "product_id"] and product["details"] == {"No. of perches": "4"}
    order = drr.json("shop", "show", folder, "order", "0000000000000005")
    assert order["order_date"] == "2022-04-15T05:20:00.735"
    for key in ("A1", "A1@example.org"):
        assert drr.json("shop", "show", folder, "user", key)["address"]["zip"] == "60601"
    out = drr.out("shop", "show", folder, "user", "A1")
    assert "2 orders" in out and "2022-04-15  0000000000000005  B000000000  Delivered" in out
    out = drr.out("shop", "show", folder, "product", "B000000001")
    assert "red" in out and "\x1b" not in out and "\x07" not in out
    code, out, err = drr("shop", "show", folder, "product", "B00000000X", "--json")
    assert code == 2
    assert out == "" and "B000000007, B000000008, B000000009" in err


def test_show_of_a_user_tells_as_many_orders_as_are_asked_for(folder: Path, drr: Drr) -> None:
    show = ("shop", "show", folder)
    assert drr.out(*show, "user", "A1", "--orders", "1").count("  Delivered  ") == 1
    every, first = (drr.json(*show, "user", "A1", "--orders", many) for many in ("all", "1"))
    assert every["orders_total"] == 2 == len(every["orders"])
    dates = [one["order_date"] for one in every["orders"]]
    assert dates == sorted(dates, reverse=True)
    assert [one["order_id"] for one in first["orders"]] == [every["orders"][0]["order_id"]]
    assert "orders" not in drr.json(*show, "user", "A1")
    for words in (("user", "A1", "--orders", "0"), ("user", "A1", "--orders", "some"), ("product", "B000000001", "--orders", "2")):  # fmt: skip
        code, out, err = drr(*show, *words)
        assert (code, out) == (2, "") and err.startswith("drr: --orders"), words


def test_check_of_a_sound_shop(folder: Path, drr: Drr) -> None:
    assert "fit together" in drr.out("shop", "check", folder)
    assert drr.json("shop", "check", folder) == {"shop": str(folder), "ok": True, "problems": []}


def test_check_of_a_damaged_shop_fails_with_sentences(folder: Path, drr: Drr) -> None:
    manifest = folder / "manifest.json"
    manifest.write_text(
        manifest.read_text().replace('"orders": 3', '"orders": 4', 1).replace("2022-04-16", "2022-04-17")
    )
    code, out, err = drr("shop", "check", folder)
    assert (code, out) == (1, "") and "problems" in err.splitlines()[0]
    assert "There are 3 orders and the manifest says 4." in err
    assert drr.json("shop", "check", folder, code=1)["ok"] is False


def test_copy_makes_the_same_shop(folder: Path, tmp_path: Path, drr: Drr) -> None:
    copy = str(tmp_path / "copy")
    copied = drr.json("shop", "copy", folder, copy, "--quiet")
    assert copied["content_hash"] == drr.json("shop", "info", folder)["content_hash"]
    assert drr.json("shop", "info", copy)["recipe"] == drr.json("shop", "info", folder)["recipe"]
    assert "--replace" in drr.err("shop", "copy", folder, copy, code=2)
    drr.out("shop", "copy", folder, copy, "--replace", "--quiet")
    drr.err("shop", "copy", folder, f"{folder}/")


@pytest.mark.parametrize("action", ["info", "check"])
def test_no_shop_is_one_clear_line(tmp_path: Path, drr: Drr, action: str) -> None:
    code, out, err = drr("shop", action, tmp_path / "nowhere")
    assert code == 2
    assert out == "" and len(err.splitlines()) == 1 and "no such shop" in err
