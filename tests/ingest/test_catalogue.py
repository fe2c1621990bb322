"""Any catalogue becomes a shop: what was read is counted by code that knows only the files, and people are nowhere in what is made."""

from __future__ import annotations

import csv
import gzip
import json
import stat
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest.catalogue.rows import open_table
from drr.data_ingest.catalogue.values import moment_of, number_of
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, Shop, open_shop

from tests.commands import Drr
from tests.ingest import catalogues

PRODUCTS = "id,title,price\n1,Dog bed,39.90 USD\n2,Cat tree,\n"
ORDERS = "order_id,product_id,user_id,date\n7,1,anna@zq-mail.de,2024-03-01\n8,2,bob@zq-mail.de,2024-03-02\n"


def opened(path: Path) -> Shop:
    return open_shop(str(path), Settings())


def wrote(folder: Path, **files: str | bytes) -> list[Path]:
    """Write files named `products_csv`, and return their paths."""
    paths = []
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    return paths


def rows_of(path: Path, encoding: str, separator: str) -> list[list[str]]:
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.reader(file, delimiter=separator))[1:]


def test_a_messy_shop_is_counted_and_each_bad_row_has_its_line_and_reason(tmp_path: Path, drr: Drr) -> None:
    files, mapping = catalogues.messy(tmp_path)
    shop = tmp_path / "shop"
    asked = ("data", "ingest", *files, "--shop", shop, "--map", mapping, "--max-bad", "0.05", "--quiet")
    found = drr.json(*asked)
    assert found["quarantined"] == catalogues.MESSY_QUARANTINE
    articles, orders = rows_of(files[0], "cp1252", ";"), rows_of(files[1], "utf-8-sig", ";")
    kept = {
        row[0]: row
        for row in reversed(articles)
        if len(row) == 1000 and row[0].strip() and row[1] and row[2][:1] != "-"
    }
    assert found["counts"]["products"] == len(kept)
    assert found["counts"]["orders"] == len(orders) - sum(
        count for reason, count in catalogues.MESSY_QUARANTINE.items() if reason in _OF_ORDERS
    )
    lines = [json.loads(line) for line in (tmp_path / "shop.quarantine.jsonl").read_text().splitlines()]
    assert all(set(line) == {"file", "line", "reason"} for line in lines)
    assert {(one["line"], one["reason"]) for one in lines if one["file"] == "artikel.csv"} >= {
        (24, "id_twice"), (42, "negative_price"), (62, "no_id"), (82, "no_title"), (102, "wrong_number_of_cells"),
    }  # fmt: skip
    with opened(shop) as made:
        product = made.store.product("00061")
        assert product is not None and product.price == round(
            float(kept["00061"][2][:-2].replace(",", ".")) * 1.1, 2
        )
        assert "<" not in product.description[0] and "Für" in product.description[0]
        unpriced = [row[0] for row in kept.values() if not row[2]]
        assert unpriced and all(one.price is None for one in made.store.products(unpriced))
        states = Counter(order.order_status for order in made.store.iter_orders())
        assert set(states) == {"Shipped", "Delivered", "Processing", "Unknown"}
    assert drr.out("shop", "check", shop)


_OF_ORDERS = (
    "no_date",
    "date_unreadable",
    "date_out_of_range",
    "no_user",
    "quantity_unusable",
    "order_twice",
    "unknown_product",
)


def test_variants_of_shopify_have_a_parent_and_lines_of_an_order_its_date(tmp_path: Path, drr: Drr) -> None:
    files = catalogues.shopify(tmp_path)
    (told := tmp_path / "map.toml").write_text('[products]\ncurrency = "USD"\n')
    asked = ("data", "ingest", *files, "--shop", tmp_path / "shop", "--preset", "shopify", "--quiet")
    assert '[products] currency = "USD"' in drr.err(*asked, code=1), "the export names no currency"
    found = drr.json(*asked, "--map", told)
    products = rows_of(files[0], "utf-8", ",")
    orders = rows_of(files[1], "utf-8", ",")
    assert found["counts"]["products"] == len({row[10] for row in products if row[11]})
    assert found["counts"]["orders"] == len(orders) and not found["quarantined"]
    with opened(tmp_path / "shop") as shop:
        one = shop.store.product("00001")
        assert one is not None and one.details["Variant of"] == "thing-0" and one.title.endswith("(L)")
        assert one.store == "Maker 0" and one.description
        states = Counter(order.order_status for order in shop.store.iter_orders())
    cancelled = {row[0] for row in orders if row[13]}
    assert states["Cancelled"] == sum(row[0] in cancelled for row in orders)
    assert drr.out("shop", "check", tmp_path / "shop")


def test_a_google_feed_and_orders_of_its_own(tmp_path: Path, drr: Drr) -> None:
    feed, orders = catalogues.google(tmp_path)
    packed = tmp_path / "feed.xml.gz"
    packed.write_bytes(gzip.compress(feed.read_bytes()))
    found = drr.json(
        "data",
        "ingest",
        packed,
        orders,
        "--shop",
        tmp_path / "shop",
        "--preset",
        "google-merchant",
        "--quiet",
    )
    assert found["counts"] == {"products": feed.read_text().count("<item>"), "users": 40, "orders": 600}
    assert found["notes"] == {"orders_taken_as_one_piece": 600}
    with opened(tmp_path / "shop") as shop:
        one = shop.store.product("00004")
    assert one is not None and one.details == {"color": "red", "Variant of": "group1"}
    assert one.average_rating is None and one.rating_number is None and "<b>" not in one.description[0]


def test_products_of_schema_org(tmp_path: Path, drr: Drr) -> None:
    row = {
        "@type": "Product", "sku": "A/1 b", "name": "Lamp", "brand": {"@type": "Brand", "name": "Lux"},
        "offers": [{"price": "12.50", "priceCurrency": "USD"}], "aggregateRating": {"ratingValue": 4.5, "reviewCount": "12"},
        "category": "Home > Lamps", "isVariantOf": {"productGroupID": "G"},
    }  # fmt: skip
    files = wrote(
        tmp_path,
        p_jsonl=json.dumps(row) + "\n[1]\n{broken\n" + json.dumps({"sku": "B", "name": "Bulb"}) + "\n",
    )
    shop = tmp_path / "shop"
    asked = (
        "data",
        "ingest",
        *files,
        "--shop",
        shop,
        "--preset",
        "schema-org",
        "--max-bad",
        "0.5",
        "--quiet",
    )
    assert drr.json(*asked)["quarantined"] == {"broken_json": 1, "not_an_object": 1}
    with opened(shop) as made:
        lamp, bulb = made.store.products(["A/1 b", "B"])
    assert (lamp.price, lamp.store, lamp.average_rating, lamp.rating_number) == (12.5, "Lux", 4.5, 12)
    assert lamp.categories == ["Home", "Lamps"] and lamp.details == {"Variant of": "G"}
    assert (bulb.price, bulb.store, bulb.average_rating, bulb.rating_number) == (None, None, None, None)
    seen = drr.out(
        "tools",
        "call",
        "get_product_details",
        "--shop",
        shop,
        "--args",
        json.dumps({"product_id": lamp.product_url}),
    )
    assert lamp.product_url.endswith("/A%2F1%20b") and "Lamp" in seen


def test_a_word_beside_a_price_is_no_currency(tmp_path: Path, drr: Drr) -> None:
    files = wrote(
        tmp_path,
        p_csv="id,title,price\n1,a,from 9.50\n2,b,2.00 each\n"
        + "".join(f"{k},c,US$ 4\n" for k in range(3, 12)),
    )
    assert drr("data", "ingest", *files, "--shop", tmp_path / "shop", "--quiet")[0] == 0
    with opened(tmp_path / "shop") as shop:
        assert [one.price for one in shop.store.products(["1", "2", "3"])] == [None, None, 4]


@pytest.mark.parametrize(
    ("field", "others", "of_form"),
    [
        ("currency", ("USD", "EUR", ""), []),
        ("language", ("en", "de", ""), []),
        ("currency", ("USD", "EUR", ""), ["schema-org"]),
    ],
)
def test_a_stated_currency_or_language_leaves_out_the_rows_of_another(
    tmp_path: Path, drr: Drr, field: str, others: Sequence[str], of_form: list[str]
) -> None:
    stated = {"currency": "USD", field: others[0]}
    lines = "".join(f'{name} = "{one}"\n' for name, one in stated.items())
    (told := tmp_path / "map.toml").write_text(f"[products]\n{lines}")
    if of_form:
        offers = [{"price": "7.54", "priceCurrency": one} for one in others]
        rows = [{"sku": f"{at}", "name": "Tea", "offers": offer} for at, offer in enumerate(offers, 1)]
        files = wrote(tmp_path, p_jsonl="".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = "".join(f"{at},Tea,7.54,{one}\n" for at, one in enumerate(others, 1))
        files = wrote(tmp_path, p_csv=f"id,title,price,{field}\n{lines}")
    form = ("--preset", *of_form) if of_form else ()
    found = drr.out("data", "ingest", *files, *form, "--map", told, "--shop", tmp_path / "shop")
    assert f"other_{field}" in found
    with opened(tmp_path / "shop") as shop:
        assert [one.product_id for one in shop.store.products(["1", "2", "3"])] == ["1", "3"]


@pytest.mark.parametrize(("language", "found"), [("de-CH", ["1", "2"]), ("pl", ["1"]), (None, ["1"])])
def test_the_language_of_the_mapping_chooses_the_stems_of_the_search(
    tmp_path: Path, drr: Drr, language: str | None, found: list[str]
) -> None:
    (told := tmp_path / "map.toml").write_text(f'[products]\nlanguage = "{language}"\n' if language else "")
    files = wrote(tmp_path, p_csv="id,title\n1,Suppentöpfe aus Stahl\n2,Topf für Suppe\n")
    drr.json("data", "ingest", *files, "--shop", tmp_path / "shop", "--map", told, "--quiet")
    with opened(tmp_path / "shop") as shop:
        assert shop.catalog.search(SearchRequest("Suppentöpfe")).product_ids == found


def test_a_mapped_path_may_be_deeper_than_those_that_are_found(tmp_path: Path, drr: Drr) -> None:
    row = {"id": "1", "title": "Lamp", "offers": {"spec": {"price": {"value": "7.50 USD"}}}}
    (told := tmp_path / "map.toml").write_text('[products]\nprice = "offers.spec.price.value"\n')
    files = wrote(tmp_path, p_jsonl=json.dumps(row) + "\n")
    drr.json("data", "ingest", *files, "--shop", tmp_path / "shop", "--map", told, "--quiet")
    with opened(tmp_path / "shop") as shop:
        assert [one.price for one in shop.store.products(["1"])] == [7.5]


def test_rows_are_skipped_by_a_field_of_products_alone(tmp_path: Path, drr: Drr) -> None:
    files = wrote(tmp_path, p_csv=PRODUCTS)
    for table in ('[orders]\nskip = "product"\n', '[products]\nskip = "prize"\n'):
        (told := tmp_path / "map.toml").write_text(table)
        code, _, err = drr("data", "ingest", *files, "--shop", tmp_path / "shop", "--map", told, "--quiet")
        assert code == 2 and "skip" in err


def test_parquet_has_numbers_and_times(tmp_path: Path, drr: Drr) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.table({"id": [1, 2], "title": ["a", "b"], "price": [1.5, None]}), tmp_path / "p.parquet"
    )
    (tmp_path / "m.toml").write_text('[products]\ncurrency = "USD"\n')
    times = pa.array([1_700_000_000_000, None, 5], pa.timestamp("ms", "Europe/Berlin"))
    orders = pa.table(
        {"product_id": [1.0, 2.0, 1.0], "user_id": [5, 6, 7], "date": times, "quantity": [2, 1, 1]}
    )
    pq.write_table(orders, tmp_path / "o.parquet")
    (tmp_path / "o.parquet.gz").write_bytes(gzip.compress((tmp_path / "o.parquet").read_bytes()))
    for name in ("o.parquet", "o.parquet.gz"):
        asked = (
            "data",
            "ingest",
            tmp_path / "p.parquet",
            tmp_path / name,
            "--map",
            tmp_path / "m.toml",
            "--shop",
            tmp_path / "shop",
            "--max-bad",
            "0.5",
        )
        found = drr.json(*asked, "--replace", "--quiet")
        assert (found["counts"]["orders"], found["quarantined"]) == (2, {"no_date": 1})
    with opened(tmp_path / "shop") as shop:
        assert {order.order_date for order in shop.store.iter_orders()} == {
            "2023-11-14T22:13:20.000",
            "1970-01-01T00:00:00.005",
        }


def everywhere(folder: Path, printed: str) -> bytes:
    """Return all bytes below a folder, those of packed files also unpacked, and what commands printed."""
    parts = [printed.encode()]
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        parts.append(path.read_bytes())
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                parts += [packed.read(name) for name in packed.namelist()]
    return b"\0".join(parts)


@pytest.mark.slow
def test_nobody_is_in_a_shop_a_study_a_log_or_a_bundle(tmp_path: Path, drr: Drr) -> None:
    raw, made = tmp_path / "raw", tmp_path / "made"
    raw.mkdir()
    made.mkdir()
    files, mapping = catalogues.messy(raw)
    files[1].write_text(
        files[1].read_text(encoding="utf-8-sig").replace("zugestellt", "versendet"), encoding="utf-8"
    )
    shop, study, queries = made / "shop", made / "study", made / "q.jsonl"
    printed = []
    for words in (
        ("data", "ingest", *files, "--shop", shop, "--map", mapping, "--dry-run"),
        ("data", "ingest", *files, "--shop", shop, "--map", mapping, "--max-bad", "0.001"),
        ("data", "ingest", *files, "--shop", shop, "--map", mapping, "--max-bad", "0.05"),
        ("shop", "users", shop),
        ("queries", "generate", "--shop", shop, "--out", queries, "--users", "2"),
        ("run", study, "--shop", shop, "--queries", queries, "--variants", "react"),
        ("judge", study, "--judge", "offline"),
        ("report", study, "--out", made / "report"),
        ("bundle", "make", study, "--out", made / "bundle.zip"),
    ):
        code, out, err = drr(*words)
        assert code == (1 if "0.001" in words or "--dry-run" in words else 0), (words, err)
        printed += [out, err]
    found = everywhere(made, "\n".join(printed))
    assert b"Shipped" in found and len(found) > 1_000_000
    assert [secret for secret in catalogues.SECRETS if secret.encode() in found] == []


def test_the_same_key_makes_the_same_shop(tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch) -> None:
    files = wrote(tmp_path, p_csv=PRODUCTS, o_csv=ORDERS)
    hashes = []
    for home, shop in (("one", "a"), ("one", "b"), ("two", "c")):
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / home))
        hashes.append(
            drr.json("data", "ingest", *files, "--shop", tmp_path / shop, "--quiet")["content_hash"]
        )
    assert hashes[0] == hashes[1] != hashes[2]
    key = tmp_path / "one" / "drr" / "people.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_bytes() not in everywhere(tmp_path / "a", "")
    (tmp_path / "two" / "drr" / "people.key").write_bytes(b"short")
    assert "restore it" in drr.err("data", "ingest", *files, "--shop", tmp_path / "d", code=1)


def test_personal_data_are_kept_where_the_owner_says_so(tmp_path: Path, drr: Drr) -> None:
    users = "user_id,first_name,email\nanna@zq-mail.de,Anna,anna@zq-mail.de\n"
    files = wrote(tmp_path, p_csv=PRODUCTS, o_csv=ORDERS, u_csv=users)
    code, _, err = drr("data", "ingest", *files, "--shop", tmp_path / "shop", "--keep-personal")
    assert code == 0 and "real people" in err
    with opened(tmp_path / "shop") as shop:
        anna, bob = shop.store.user("anna@zq-mail.de"), shop.store.user("bob@zq-mail.de")
    assert anna is not None and (anna.first_name, anna.last_name) == ("Anna", "")
    assert bob is not None and bob.email == "" and bob.address.country == ""


def test_a_dry_run_writes_nothing_and_shows_a_product(tmp_path: Path, drr: Drr) -> None:
    files = wrote(tmp_path, p_csv=PRODUCTS, o_csv=ORDERS)
    out = drr.out("data", "ingest", *files, "--shop", tmp_path / "shop", "--dry-run")
    assert "2 products, 2 users, 2 orders" in out and "price_unknown 1" in out and "$39.90" in out
    assert "zq-mail" not in out and sorted(path.name for path in tmp_path.iterdir() if path.suffix) == [
        "o.csv",
        "p.csv",
    ]


def test_a_dry_run_stops_where_the_ingest_stops(tmp_path: Path, drr: Drr) -> None:
    files = wrote(
        tmp_path, p_csv="id,title,price\n1,Dog bed,9 USD\n1,Cat tree,9 USD\n,Bowl,1 USD\n", o_csv=ORDERS
    )
    asked = ("data", "ingest", *files, "--shop", tmp_path / "shop", "--quiet")
    dry, real = drr(*asked, "--dry-run"), drr(*asked)
    assert "quarantined: id_twice 1, no_id 1" in dry[1]
    told = "p.csv: 2 of 3 rows cannot be read (66.7%, more than 1.0%): id_twice 1, no_id 1, the first on line 3; mend the file or allow more with --max-bad"
    assert (dry[0], real[0]) == (1, 1)
    assert (
        dry[2] == f"drr: {told}\n"
        and real[2] == f"drr: {told}; lines are in {tmp_path / 'shop.quarantine.jsonl'}\n"
    )


def test_a_mapping_without_files_is_of_the_files_that_have_its_columns(tmp_path: Path, drr: Drr) -> None:
    files = wrote(tmp_path, p_csv="Nr,Name\n1,Dog bed\n", o_csv="Nr,Kunde,Tag\n1,k1,2024-03-01\n")
    mapped = '[products]\nid = "Nr"\ntitle = "Name"\n[orders]\nproduct = "Nr"\nuser = "Kunde"\ndate = "Tag"\n'
    (tmp_path / "m.toml").write_text(mapped, encoding="utf-8")
    asked = ("data", "ingest", *files, "--map", tmp_path / "m.toml", "--shop")
    assert "1 product, 1 user, 1 order" in drr.out(*asked, tmp_path / "shop")
    (tmp_path / "p.csv").write_bytes("Nr;Name\n1;T\xfcr\n".encode("cp1252"))
    (tmp_path / "o.csv").write_text("Nr,Kunde,Tag\n1,k1,2024-03-01\n", encoding="utf-8-sig")
    (tmp_path / "m.toml").write_text(
        mapped.replace("[orders]", 'encoding = "cp1252"\nseparator = ";"\n[orders]'), encoding="utf-8"
    )
    assert "1 product, 1 user, 1 order" in drr.out(*asked, tmp_path / "second")
    (tmp_path / "m.toml").write_text(mapped.replace('"Name"', '"Nahme"'), encoding="utf-8")
    (tmp_path / "p.csv").write_text("Nr,Name\n1,Dog bed\n")
    assert "did you mean 'Name'?" in drr.err(*asked, tmp_path / "other", code=2)
    (tmp_path / "m.toml").unlink()
    assert "cannot be read (No such file" in drr.err(*asked, tmp_path / "other", code=2)


def test_what_stands_above_the_tables_is_of_all_files(tmp_path: Path, drr: Drr) -> None:
    files = wrote(
        tmp_path,
        p_csv="Artikel Nr;Größe\n1;Tür\n".encode("cp1252"),
        o_csv="Artikel Nr|Käufer|date|status\n1|k1|2024-03-01|zurück\n".encode("cp1252"),
        u_csv="Käufer;city\nk1;Köln\n".encode("cp1252"),
    )
    lines = (
        'encoding = "cp1252"', 'separator = ";"', "[products]", 'id = "Artikel Nr"', 'title = "Größe"', 'brand = ["Größe", "Artikel Nr"]',
        "[orders]", 'separator = "|"', 'product = "Artikel Nr"', 'user = "Käufer"', "[orders.statuses]", '"zurück" = "Returned"',
        "[users]", 'id = "Käufer"',
    )  # fmt: skip
    (told := tmp_path / "map.toml").write_text("\n".join(lines), encoding="utf-8")
    asked = ("data", "ingest", *files, "--map", told, "--shop", tmp_path / "shop")
    dry = drr.out(*asked, "--dry-run", "--wide")
    assert 'id = "Artikel Nr", title = "Größe"' in dry and 'brand = ["Größe", "Artikel Nr"]' in dry
    drr.out(*asked)
    asked = (*asked, "--dry-run")
    with opened(tmp_path / "shop") as shop:
        (product,), (order,) = shop.store.iter_products(), shop.store.iter_orders()
        assert (product.title, order.order_status) == ("Tür", "Returned")
    files[0].write_text(
        "Artikel Nr;Größe\n1;Tür\n", encoding="utf-8-sig"
    )  # its mark is surer than what is said
    assert "1 product, 1 user, 1 order" in drr.out(*asked)
    told.write_text("\n".join(lines).replace('"zurück"', "zurück"), encoding="utf-8")
    assert 'quote names with blanks or umlauts: "in Arbeit" = ' in drr.err(*asked, code=2)
    told.write_text("\n".join(lines[2:]), encoding="utf-8")
    files[0].write_bytes("Artikel Nr;Größe\n1;Tür\n".encode("cp1252"))
    assert 'in the first line of the mapping: encoding = "cp1252"' in drr.err(*asked, code=1)
    told.write_text('separator = ";;"', encoding="utf-8")
    assert "separator" in drr.err(*asked, code=2)


LONG = b"id,title\n1," + b"x" * (17 << 20)
DOUBTS: list[tuple[dict[str, Any], str]] = [
    ({"p_csv": "id;title;price\n1;T\xfcr;1,50\n".encode("latin-1")}, 'encoding = "cp1252"'),
    ({"p_csv": "id,title,price\n1,zq,1.234\n"}, 'decimal = ","'),
    ({"p_csv": 'id,title,price\n1,zq,"1,50"\n2,b,1.50\n3,c,1.500\n'}, 'decimal = ","'),
    ({"p_csv": "id,title;price\n1,zq;2\n"}, 'separator = ";"'),
    ({"p_csv": "id,title,price,currency\n1,zq,1.00,USD\n2,b,1.00,EUR\n"}, 'currency = "USD"'),
    ({"p_csv": "id,title,price\n1,zq,1.00\n2,b,\n"}, '[products] currency = "USD"'),
    ({"p_csv": "id,title,language\n1,zq,de\n2,b,fr\n"}, 'language = "de"'),
    ({"p_csv": PRODUCTS, "o_csv": "product_id,user_id,date\n1,zq,03/04/2024\n"}, 'dates = "%d/%m/%Y" or "%m/%d/%Y"'),
    ({"p_csv": PRODUCTS, "o_csv": "product_id,user_id,date\n1,z,13/04/2024\n2,z,04/15/2024\n1,y,04/16/2024\n"}, "1 date can only have the day first, 2"),
    ({"p_csv": PRODUCTS, "o_csv": "product_id,user_id,date,status\n1,zq,2024-01-01,weg\n"}, "[orders.statuses]"),
    ({"p_csv": PRODUCTS, "o_csv": "product_id,user_id,date\n99,zq,2024-01-01\n"}, "no row became an order"),
    ({"p_csv": "zq,zq@mail.de,+49 30 123\nb,c,d\n"}, "tell no table"),
    ({"p_csv": "id,title,title\n1,zq,a\n"}, "has 2 columns"),
    ({"p_csv": ""}, "is empty"),
    ({"p_csv": "i\0d,title\n"}, "zero byte"),
    ({"p_csv": LONG}, "line 2 has over"),
    ({"p_csv": 'id,title\n1,"zq\n' + "2,b\n" * 300_000}, "a quote left open"),
    ({"p_xml": "<!DOCTYPE r [<!ENTITY a 'zq'>]><rss><item><id>&a;</id></item></rss>"}, "DOCTYPE"),
    ({"p_xml": "<rss><item><id>zq</rss>"}, "well-formed"),
    ({"p_parquet": b"PAR1 zq"}, "no Parquet file"),
    *(({f"p_{kind}": b"\x1f\x8b\x08\x00zq"}, "cannot be read") for kind in ("csv", "jsonl", "xml", "parquet")),
    ({"p_csv": gzip.compress(PRODUCTS.encode())[:30]}, "cannot be read"),
    ({"p_csv": PRODUCTS, "q_xlsx": "zq"}, "as CSV"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "told"), DOUBTS, ids=[told for _, told in DOUBTS])
def test_a_doubt_is_a_sentence_without_a_cell(
    files: dict[str, Any], told: str, tmp_path: Path, drr: Drr
) -> None:
    code, out, err = drr("data", "ingest", *wrote(tmp_path, **files), "--shop", tmp_path / "shop", "--quiet")
    assert code in (1, 2) and told in err and not out and err.count("\n") == 1
    assert "zq" not in err and not (tmp_path / "shop").exists()


HEADER = "id,title,price,stock,brand\n1,Trowel,12.50,4,B\n"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("2,Fork,18,90,3,B\n", "wrong_number_of_cells 1, the first on line 3"),
        ('2,"Fork,18.90,3,B\n3,Spade,18.90,3,B\n', "wrong_number_of_cells 1, the first on line 3"),
        ("2,Fork; long,18,90,3,B\n3,Spade; short,1,5,3,B\n", "wrong_number_of_cells 2, the first on line 3"),
    ],
)
def test_the_header_decides_the_separator_and_a_row_that_disagrees_is_a_bad_row(
    rows: str, told: str, tmp_path: Path, drr: Drr
) -> None:
    """One unquoted decimal comma made the separator unknown, and the advice that followed led on to a worse error."""
    mapping = '[products]\ncurrency = "EUR"\n[orders]\nproduct = "product_id"\n'
    files = wrote(tmp_path, p_csv=HEADER + rows)
    (tmp_path / "map.toml").write_text(mapping, encoding="utf-8")
    words = ("data", "ingest", *files, "--shop", tmp_path / "shop", "--map", tmp_path / "map.toml")
    assert told in drr.err(*words, code=1)
    assert drr.json(*words, "--max-bad", 0.9)["counts"]["products"] >= 1


def test_a_message_names_a_date_of_the_file(tmp_path: Path, drr: Drr) -> None:
    orders = "product_id,user_id,date\n1,u,05/06/2025\n1,w,07/08/2025\n"
    files = wrote(tmp_path, p_csv=PRODUCTS, o_csv=orders)
    assert "05/06/2025 has two readings" in drr.err(
        "data", "ingest", *files, "--shop", tmp_path / "s", code=1
    )


def test_an_ingest_tells_what_it_leaves_out(tmp_path: Path, drr: Drr) -> None:
    """A column that no field takes, and orders of products that no file lists, went without a word."""
    orders = "product_id,user_id,date\n1,u,2025-06-05\n99,u,2025-06-06\n"
    files = wrote(tmp_path, p_csv=HEADER.replace("12.50", "12.50 €"), o_csv=orders)
    said = drr.out("data", "ingest", *files, "--shop", tmp_path / "s", "--dry-run")
    assert "1 product, 1 user, 1 order\n" in said
    assert "p.csv: no field takes stock;" in said
    assert "left out: 1 of 2 rows of orders, whose product no file lists" in said


def test_an_order_of_a_product_that_was_refused_is_said_so_and_unread_prices_have_a_line(
    tmp_path: Path, drr: Drr
) -> None:
    """The first product stood in the file, which was said to lack it."""
    products = "id,title,price\n" + "".join(f"{k},Bed,9.50 USD\n" for k in range(1, 9))
    products += "9,Bed,9.50 or 8 USD\nN,Bed,-5.00 USD\n"
    orders = "product_id,user_id,date\n1,u,2025-06-05\nN,u,2025-06-06\n99,u,2025-06-06\n98,u,2025-06-06\n"
    files = wrote(tmp_path, p_csv=products, o_csv=orders)
    asked = ("data", "ingest", *files, "--shop", tmp_path / "s", "--max-bad", "0.2")
    for dry in (("--dry-run",), ()):
        said = drr.out(*asked, *dry)
        assert "left out: 2 of 4 rows of orders, whose product no file lists" in said
        assert "left out: 1 of 4 rows of orders, whose product was refused" in said
        assert "price_unreadable 1 (first on line 10 of p.csv)" in said, said
    kept = [json.loads(line) for line in (tmp_path / "s.quarantine.jsonl").read_text().splitlines()]
    assert [one["reason"] for one in kept] == [
        "negative_price",
        "refused_product",
        "unknown_product",
        "unknown_product",
    ]
    assert drr.json(*asked, "--replace", "--quiet")["notes"]["price_unreadable"] == 1


def test_people_are_no_products(tmp_path: Path, drr: Drr) -> None:
    """An order with a name and an article's number has what a product needs, but for the column of e-mails."""
    sales = "SKU,Acc no,Name,Email\n1,C1,Anna Zq,anna@zq-mail.de\n"
    files = wrote(tmp_path, p_csv=PRODUCTS, sales_csv=sales)
    code, _, err = drr("data", "ingest", *files, "--shop", tmp_path / "shop", "--quiet")
    assert code == 2 and "products (Email would be a person's)" in err and "Anna" not in err
    assert not (tmp_path / "shop").exists()


def test_a_quantity_may_have_decimals_that_are_nothing(tmp_path: Path, drr: Drr) -> None:
    orders = 'order_id,product_id,user_id,date,qty\n7,1,u1,2024-03-01,"2,00"\n8,2,u2,2024-03-02,3.0\n9,2,u3,2024-03-02,"1,000"\n'
    orders += "".join(f"{k},1,u{k},2024-03-03,1\n" for k in range(10, 13))
    files = wrote(tmp_path, p_csv=PRODUCTS, o_csv=orders)
    found = drr.json("data", "ingest", *files, "--shop", tmp_path / "shop", "--max-bad", "0.9", "--quiet")
    assert found["counts"]["orders"] == 5 and found["quarantined"] == {"quantity_unusable": 1}


def test_options_of_the_other_kind_of_files_are_refused(tmp_path: Path, drr: Drr) -> None:
    files = wrote(tmp_path, p_csv=PRODUCTS)
    assert "--since" in drr.err("data", "ingest", *files, "--shop", tmp_path / "s", "--since", "2020-01-01")
    assert "--keep-personal" in drr.err(
        "data", "ingest", tmp_path, "--shop", tmp_path / "s", "--keep-personal"
    )
    bad = wrote(tmp_path, m_toml="[products]\ntitel = 'x'\n")
    assert "products.titel" in drr.err("data", "ingest", *files, "--shop", tmp_path / "s", "--map", *bad)
    bad = wrote(tmp_path, m_toml="[products]\ntitle = 'titel'\n")
    assert "did you mean 'title'" in drr.err(
        "data", "ingest", *files, "--shop", tmp_path / "s", "--map", *bad
    )


@pytest.mark.parametrize("cell", [10**400, "9" * 400, float("nan"), True, [], {"a": 1}])
def test_what_is_no_price_is_unknown(cell: Any) -> None:
    assert number_of(cell, ".") is None


@pytest.mark.parametrize(
    ("cell", "date"),
    [
        ("2024-03-01", "2024-03-01"), ("2024-03-01 10:11:12 -0500", "2024-03-01"), ("01.03.2024 08:00", "2024-03-01"),
        ("1/3/2024", "2024-03-01"), (1_709_251_200, "2024-03-01"), ("1709251200000", "2024-03-01"), ("20240301", "2024-03-01"),
        ("45352", None), ("31.02.2024", None), ("soon", None), (True, None),
    ],
)  # fmt: skip
def test_dates_as_people_write_them(cell: Any, date: str | None) -> None:
    from drr.env.entities import iso_from_ms

    moment = moment_of(cell, None, True)
    assert (moment is None) == (date is None)
    assert moment is None or iso_from_ms(moment)[:10] == date


def test_an_order_of_unknown_status_accuses_nobody(tmp_path: Path, drr: Drr) -> None:
    files = wrote(tmp_path, p_csv=PRODUCTS, o_csv=ORDERS)
    assert drr("data", "ingest", *files, "--shop", tmp_path / "shop", "--quiet")[0] == 0
    with opened(tmp_path / "shop") as shop:
        order = next(shop.store.iter_orders())
    assert order.order_status == "Unknown"
    seen = drr.out(
        "tools",
        "call",
        "get_order_details",
        "--shop",
        tmp_path / "shop",
        "--user",
        order.user_id,
        "--args",
        json.dumps({"order_id": order.order_id}),
    )
    assert "Unknown" in seen
    report = tmp_path / "report.md"
    report.write_text(
        f"# Orders\n\n| Order | Status |\n|---|---|\n| {order.order_id} | Delivered |\n", encoding="utf-8"
    )
    found = drr.json("judges", "check", report, "--shop", tmp_path / "shop", "--user", order.user_id)
    assert found["rules"]["order_facts"]["status"] != "fail"


@pytest.mark.parametrize(
    ("cells", "mapping", "code", "told"),
    [
        ({"features": "[" * 200_000}, "", 0, ""),
        ({}, 'encoding = "utf-8\\u0000"', 2, "is no encoding"), ({}, 'encoding = "zip"', 2, "is no encoding"),
        ({}, "rate = inf", 2, "rate: "), ({"price": "9 ¤"}, "rate = 1e308", 2, "rate: "),
        ({"currency": "Anna Zwetschkenbaum"}, "", 1, "no code"),
        ({"currency": "ZWETSCHKE"}, 'file = "p.csv"', 1, "no code"),
    ],
)  # fmt: skip
def test_an_odd_cell_or_mapping_is_no_traceback_and_no_message_repeats_a_cell(
    cells: dict[str, str], mapping: str, code: int, told: str, tmp_path: Path, drr: Drr
) -> None:
    row = {"id": "1", "title": "Dog bed", "price": "9.50 USD", **cells}
    catalogues.write_csv(tmp_path / "p.csv", [row.keys(), row.values()])
    (tmp_path / "map.toml").write_text(f"[products]\n{mapping}\n")
    words = (
        "data",
        "ingest",
        tmp_path / "p.csv",
        "--shop",
        tmp_path / "shop",
        "--map",
        tmp_path / "map.toml",
    )
    ended, _, err = drr(*words)
    assert ended == code and told in err and "zwetschke" not in err.casefold(), err


def test_the_quarantine_is_closed_to_others(tmp_path: Path, drr: Drr) -> None:
    catalogues.write_csv(
        tmp_path / "p.csv",
        [["id", "title", "price"], *([str(n), "x", "1.50 USD"] for n in range(200)), ["", "y", "2.00"]],
    )
    assert drr("data", "ingest", tmp_path / "p.csv", "--shop", tmp_path / "shop")[0] == 0
    (kept,) = tmp_path.glob("*quarantine*")
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_heavy_rows_are_not_held_together(tmp_path: Path) -> None:
    """Twenty thousand cells of 1 MB were one batch, of 27 MB packed 1.7 GB."""
    for name, row in (("t.csv", '1,"%s"'), ("t.jsonl", '{"id": 1, "title": ["%s"]}')):
        head = "id,title\n" if name == "t.csv" else ""
        (tmp_path / name).write_text(head + "".join(row % ("x" * 1_000_000) + "\n" for _ in range(80)))
        table = open_table(tmp_path / name)
        rows = [len(batch.lines) for batch in table.batches(table.columns)]
        assert sum(rows) == 80 and max(rows) < 70


UNPACKING = """
import gzip, resource, sys
from pathlib import Path
from drr.data_ingest.catalogue.rows import open_table

path = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    table = open_table(path)
    print(sum(len(batch.lines) for batch in table.batches(table.columns)), "rows")
except Exception as error:
    print(type(error).__name__, error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


SECONDS_EACH = [
    ("one text in all rows", "over 200 times its size"), ("long cells", "has over 1,048,576 bytes"), ("lists", "has over 1,048,576 bytes"),
    ("feeds.csv.gz", "over 200 times its size"), ("feeds.jsonl.gz", "over 200 times"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("packed well", "over 200 times its size"), ("objects", "a column of objects"),
        ("zeros.parquet.gz", "over 200 times its size"), *(pytest.param(*row, marks=pytest.mark.slow) for row in SECONDS_EACH),
    ],
)  # fmt: skip
def test_a_file_that_unpacks_to_too_much_takes_no_memory(kind: str, told: str, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, text = tmp_path / kind, "x" * 500_000
    if kind.endswith(".gz"):
        with gzip.open(path, "wb") as packed:
            packed.write(
                b"PAR1" if "parquet" in kind else b"id,title\n1,a\n" if "csv" in kind else b'{"id": 1}\n'
            )
            for _ in range(64):
                packed.write((b"\0" if "zeros" in kind else b"\n") * (1 << 20))
    else:
        path = tmp_path / "t.parquet"
        cells: dict[str, list[object]] = {
            "one text in all rows": [text] * 3000, "long cells": [text * 4] * 500, "lists": [[text] * 3] * 1000,
            "packed well": [f"{n}{text}" for n in range(200)], "objects": [{"a": text}] * 1000,
        }  # fmt: skip
        table = pa.table({"id": list(range(len(cells[kind]))), "title": cells[kind]})
        pq.write_table(table, path, compression="zstd", use_dictionary=kind != "packed well")
    done = subprocess.run(
        [sys.executable, "-c", UNPACKING, path], capture_output=True, text=True, check=True, timeout=300
    )
    said, megabytes = done.stdout.rsplit("\n", 2)[:2]
    assert told in said and int(megabytes) < 500, done.stdout
