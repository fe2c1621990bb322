"""Files of any country become a shop: each price, date and number as CLDR writes it is read or asked for, and none is wrong."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest.catalogue.encodings import encodings_of
from drr.data_ingest.catalogue.values import moment_of, number_of
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.wording.currencies import amount_of, codes_of, readings_in

from tests.cases import cases
from tests.commands import Drr

PACKS = cases("countries", "packs")


def wrote(path: Path, *rows: tuple[Any, ...], encoding: str = "utf-8", separator: str = ";") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


def prices_of(shop: Path) -> dict[str, float | None]:
    with open_shop(str(shop), Settings()) as opened:
        return {one.product_id: one.price for one in opened.store.iter_products()}


@pytest.mark.parametrize("name", PACKS)
def test_the_files_of_a_country_are_read(tmp_path: Path, drr: Drr, name: str) -> None:
    pack = PACKS[name]
    articles = wrote(
        tmp_path / "p.csv",
        ("id", "title", "price"),
        *((f"P{k}", f"Lamp {k}", text) for k, (text, _) in enumerate(pack["prices"])),
    )

    def written(dates: list[list[str]]) -> Path:
        rows = ((k, f"P{k}", f"u{k}", text) for k, (text, _) in enumerate(dates))
        return wrote(tmp_path / "o.csv", ("order_id", "product_id", "user_id", "date"), *rows)

    orders = written(pack["dates"])
    told = tmp_path / "map.toml"
    told.write_text(f'[products]\ncurrency = "{pack["currency"]}"\nrate = 1\n')
    shop = tmp_path / "shop"
    asked = ("data", "ingest", articles, orders, "--map", told, "--shop", shop, "--max-bad", "0.5", "--quiet")
    whole = [one for one in pack["dates"] if one[1][:4] in one[0]]
    if len(whole) < len(pack["dates"]):  # a year of two digits
        assert '[orders] dates = "' in drr.err(*asked, code=1) and not shop.exists()
        written(whole)
    assert drr.json(*asked)["quarantined"] == {}
    assert prices_of(shop) == {f"P{k}": value for k, (_, value) in enumerate(pack["prices"])}
    with open_shop(str(shop), Settings()) as opened:
        dates = {one.product_id: one.order_date[:10] for one in opened.store.iter_orders()}
    assert dates == {f"P{k}": day for k, (_, day) in enumerate(whole)}


@pytest.mark.parametrize("name", PACKS)
def test_counts_and_stars_of_a_country_are_read(name: str) -> None:
    for text, value in PACKS[name]["numbers"]:
        assert number_of(text, ".," if isinstance(value, float) else "") == value, text


@pytest.mark.parametrize(
    ("text", "value", "codes"),
    [
        ("₹12.00", 12, "INR"), ("₹ 1,23,456.50", 123456.5, "INR"), ("£ 3", 3, "GBP"), ("¥500", 500, "CNY JPY"), ("45,90 zł", 45.9, "PLN"),
        ("Kč 1 299,00", 1299, "CZK"), ("R$1.299,90", 1299.9, "BRL"), ("₺5", 5, "TRY"), ("₩1,200,000", 1200000, "KRW"), ("฿9.50", 9.5, "THB"),
        ("CHF 12.–", 12, "CHF"), ("CHF 1’299.05", 1299.05, "CHF"), ("RM12.90", 12.9, "MYR"), ("12.50 د.إ.‏", 12.5, "AED"), ("12,- €", 12, "EUR"),
        ("1٬299٫50 AED", 1299.5, "AED"), ("$12.50 USD", 12.5, "USD"), ("A$3", 3, "AUD"), ("19 Euro", 19, "EUR"), ("12:- SEK", 12, "SEK"),
        ("0,999 €", 0.999, "EUR"), ("1,234,567", 1234567, ""), ("9 kr", 9, "DKK NOK ISK SEK"),
        ("2,419/-", 2419, ""), ("2.419,-", 2419, ""), ("1.299.--", None, ""), ("30 lei", 30, "MDL RON"), ("KSh 150/=", 150, "KES"), ("1 200 kronor", 1200, "SEK"),
        ("2,419.50 rupees", 2419.5, "INR LKR MUR NPR PKR SCR"), ("120 Złotych", 120, "PLN"), ("9 crowns", None, ""), ("1.50,-", None, ""), ("5/- 7", None, ""),
        ("3 pounds", None, ""), ("3 Pfund", None, ""), ("2 real", None, ""), ("2 marks", None, ""), ("3 won", None, ""), ("3 rand", None, ""), ("3 dong", None, ""),
        ("from 9.50", None, ""), ("12 € / kg", None, ""), ("12€50", None, ""), ("1.2.3", None, ""), ("12 50", None, ""), ("12k", None, ""),
        ("1,23,45", None, ""), ("$5 EUR", None, ""), ("", None, ""), ("--", None, ""), ("1.000.00", None, ""),
    ],
)  # fmt: skip
def test_an_amount_has_one_reading_or_none(text: str, value: float | None, codes: str) -> None:
    """Marks with one reading need no setting."""
    for decimal in ".,":
        found = amount_of(text, decimal)
        assert (found.value, " ".join(readings_in(None, found.currencies))) == (
            value,
            codes if value else "",
        ), decimal


def test_what_has_two_readings_is_asked_for_with_both(tmp_path: Path, drr: Drr) -> None:
    def refused(*prices: str) -> str:
        rows = ((f"P{k}", "Lamp", price) for k, price in enumerate(prices))
        file = wrote(tmp_path / "p.csv", ("id", "title", "price"), *rows)
        return drr.err("data", "ingest", file, "--shop", tmp_path / "shop", code=1)

    assert "DKK, NOK, ISK and SEK" in refused("49 kr", "1 299 kr")
    said = refused("1.299", "2.499")
    assert "1299 and 1.299" in said and "decimal" in said
    assert "2 values of currency" in refused("$5", "5 €")
    assert not (tmp_path / "shop").exists()
    file = wrote(
        tmp_path / "p.csv", ("id", "title", "price"), ("P1", "Lamp", "1,299 円"), ("P2", "Lamp", "￥ 900")
    )
    (told := tmp_path / "m.toml").write_text("[products]\nrate = 1\n")
    assert drr.json("data", "ingest", file, "--map", told, "--shop", tmp_path / "shop", "--quiet")
    assert prices_of(tmp_path / "shop") == {"P1": 1299, "P2": 900}


@pytest.mark.parametrize(
    ("prices", "told", "code"),
    [
        (("12,50", "7,00"), "", None), (("$12.50", "$7"), "", None), (("¥500",), "", None), (("$12.50",), 'language = "de"', None),
        (("$12.50",), 'language = "en-IN"', None), (("", ""), "", "USD"), (("12.50",), "price = []", "USD"),
        (("$12.50", "7"), 'language = "en-CA"', "CAD"), (("$12.50",), 'language = "en"', "USD"), (("$9",), 'language = "es_MX"', "MXN"),
        (("30 dollars",), "", None), (("30 dollars",), 'language = "en-CA"', "CAD"), (("30 pesos",), "", None), (("30 pesos",), 'language = "es-MX"', "MXN"), (("30 kroner",), 'language = "da"', "DKK"), (("30 kronor",), "", "SEK"),
        (("£3",), "", "GBP"), (("¥500",), 'language = "ja-JP"', "JPY"), (("49 kr",), 'language = "sv"', "SEK"), (("12,50 €",), "", "EUR"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_no_currency_is_taken_for_granted(
    tmp_path: Path, drr: Drr, prices: tuple[str, ...], told: str, code: str | None, dry: tuple[str, ...]
) -> None:
    """A currency that neither signs nor language tell is asked for, by the line that says it."""
    rows = ((f"P{k}", "Lamp", price) for k, price in enumerate(prices))
    file, mapping, shop = (
        wrote(tmp_path / "p.csv", ("id", "title", "price"), *rows),
        tmp_path / "m.toml",
        tmp_path / "shop",
    )
    mapping.write_text(f"[products]\n{told}\n")
    asked = ("data", "ingest", file, "--map", mapping, "--shop", shop, "--quiet", *dry)
    if code is None:
        said = drr.err(*asked, code=1)
        line = said.partition("[products] ")[2].split(",")[0].strip()
        assert line.startswith('currency = "') and not shop.exists(), said
        mapping.write_text(f"[products]\n{told}\n{line}\n")
    drr.json(*asked)
    if not dry:
        with open_shop(str(shop), Settings()) as opened:
            assert opened.manifest.money.code == (code or line.split('"')[1])


SEVERAL = (("P1", "Lamp", "10,00 €"), ("P2", "Cup", "$20.00"), ("P3", "Bowl", "£30"), ("P4", "Fork", "40"))


def test_several_currencies_become_one_by_dated_rates(tmp_path: Path, drr: Drr) -> None:
    file, told, shop = (
        wrote(tmp_path / "p.csv", ("id", "title", "price"), *SEVERAL),
        tmp_path / "m.toml",
        tmp_path / "shop",
    )
    asked = ("data", "ingest", file, "--map", told, "--shop", shop)

    def refused(text: str, code: int = 1) -> str:
        told.write_text(text)
        said = drr.err(*asked, code=code)
        assert drr.err(*asked, "--dry-run", code=code) == said and not shop.exists()
        return said

    for part in ("3 values of currency: ", "EUR", "GBP", "USD", "[rates] base =", "date ="):
        assert part in refused("")
    rates = '[rates]\nbase = "EUR"\ndate = 2026-01-31\nUSD = 0.9\n'
    assert "[rates] must say it: GBP = 1.08" in refused(rates)
    assert "no code of a currency" in refused(rates + "EURO = 1\n", 2)
    assert "date" in refused('[rates]\nbase = "EUR"\nUSD = 0.9\n', 2)
    for never in ("0", "true", "1e-300", '"0.9"'):
        assert "USD" in refused(rates.replace("0.9", never), 2)
    assert "leave the second out" in refused(f"{rates}GBP = 1.2\n[products]\nrate = 1\n")
    told.write_text(rates + "GBP = 1.2\n")
    found = drr.json(*asked, "--quiet")
    assert prices_of(shop) == {"P1": 10, "P2": 18, "P3": 36, "P4": 40} and found["quarantined"] == {}
    kept = {"base": "EUR", "date": "2026-01-31", "USD": 0.9, "GBP": 1.2}
    assert (found["recipe"]["currency"], found["recipe"]["rates"]) == ("EUR", kept)
    assert "2026-01-31" in drr.out("shop", "info", shop) and "18.00 EUR" in drr.out(
        "shop", "search", shop, "cup"
    )


def test_a_column_of_currencies_is_read_by_the_rates(tmp_path: Path, drr: Drr) -> None:
    head, rows = (
        ("id", "title", "price", "currency"),
        (("P1", "Lamp", 10, "PLN"), ("P2", "Cup", 20, "€"), ("P3", "Bowl", 30, "")),
    )
    (told := tmp_path / "m.toml").write_text('[rates]\nbase = "PLN"\ndate = "2026-01-31"\nEUR = 4.3\n')
    shop = tmp_path / "shop"
    drr.json(
        "data", "ingest", wrote(tmp_path / "p.csv", head, *rows), "--map", told, "--shop", shop, "--quiet"
    )
    assert prices_of(shop) == {"P1": 10, "P2": 86, "P3": 30}
    told.write_text('[products]\ncurrency = "EUR"\n' + told.read_text())
    drr.json("data", "ingest", tmp_path / "p.csv", "--map", told, "--shop", shop, "--quiet", "--replace")
    assert prices_of(shop) == {"P1": 10, "P2": 86, "P3": 129}


def test_a_shared_sign_is_the_shops_own(tmp_path: Path, drr: Drr) -> None:
    file = wrote(
        tmp_path / "p.csv",
        ("id", "title", "price"),
        ("P1", "Lamp", "$12.50"),
        ("P2", "Lamp", "7"),
        ("P3", "Cup", "US$ 3"),
    )
    (told := tmp_path / "m.toml").write_text('[products]\nrate = 1\ncurrency = "MXN"\n')
    found = drr.json("data", "ingest", file, "--map", told, "--shop", tmp_path / "shop", "--quiet")
    assert prices_of(tmp_path / "shop") == {"P1": 12.5, "P2": 7}
    assert found["quarantined"] == {"other_currency": 1} and found["recipe"]["currency"] == "MXN"


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        (("on request", "call Zwetschke", "12.50"), ('2 of 3 cells of price', '"xx xxxxxxx"', "price = []")),
        (("Q 4;50", "Q 3;20", "Q 9;10"), ('3 of 3 cells of price', '"x 9;99"')),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_column_that_is_not_read_stops_the_ingest(
    tmp_path: Path, drr: Drr, prices: tuple[str, ...], said: tuple[str, ...], dry: tuple[str, ...]
) -> None:
    rows = ((f"P{k}", "Lamp", price) for k, price in enumerate(prices))
    file = wrote(tmp_path / "p.csv", ("id", "title", "price"), *rows, separator="\t")
    asked = ("data", "ingest", file, "--shop", tmp_path / "shop", "--max-bad", "0.5", *dry)
    code, _, err = drr(*asked)
    assert code == 1 and all(one in err for one in said) and "Zwetschke" not in err, err
    assert not (tmp_path / "shop").exists()
    (told := tmp_path / "m.toml").write_text("[products]\nprice = []\n")
    assert drr(*asked, "--map", told)[0] == 0


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_dates_and_pieces_that_are_not_read_name_their_option(
    tmp_path: Path, drr: Drr, dry: tuple[str, ...]
) -> None:
    articles = wrote(tmp_path / "p.csv", ("id", "title"), ("P1", "Lamp"))
    head = ("order_id", "product_id", "user_id", "date", "quantity")

    def said(date: str, quantity: str) -> str:
        orders = wrote(tmp_path / "o.csv", head, *((k, "P1", f"u{k}", date, quantity) for k in range(4)))
        return drr.err("data", "ingest", articles, orders, "--shop", tmp_path / "shop", *dry, code=1)

    text = said("15.03.24", "1")
    assert "4 of 4 cells of date" in text and '"99.99.99"' in text and '[orders] dates = "' in text
    assert "4 of 4 cells of quantity" in (text := said("2024-03-15", "zwei")) and "quantity = []" in text
    assert "zwei" not in text and not (tmp_path / "shop").exists()


def test_stars_and_their_number_are_held_to_the_same(tmp_path: Path, drr: Drr) -> None:
    head = ("id", "title", "price", "rating", "ratings")
    file = wrote(tmp_path / "p.csv", head, *((f"P{k}", "Lamp", "3,50", "92", "1.299") for k in range(5)))
    (told := tmp_path / "m.toml").write_text('[products]\nrating = []\ncurrency = "EUR"\n')
    asked = ("data", "ingest", file, "--shop", tmp_path / "shop")
    assert "5 of 5 cells of rating" in drr.err(*asked, code=1)
    drr.json(*asked, "--map", told, "--quiet")
    with open_shop(str(tmp_path / "shop"), Settings()) as opened:
        assert {one.rating_number for one in opened.store.iter_products()} == {1299}


@pytest.mark.parametrize(
    ("true", "stated", "price", "title"),
    [("utf-8", "cp1252", "45,90 €", "Lampe für Gäste"), ("cp1250", "cp1252", "45,90 zł", "Lampa")],
)
def test_a_wrong_encoding_is_named(
    tmp_path: Path, drr: Drr, true: str, stated: str, price: str, title: str
) -> None:
    rows = ((f"P{k}", f"{title} {k}", price) for k in range(5))
    file = wrote(tmp_path / "p.csv", ("id", "title", "price"), *rows, encoding=true)
    (told := tmp_path / "m.toml").write_text(f'[products]\nencoding = "{stated}"\nrate = 1\n')
    asked = ("data", "ingest", file, "--map", told, "--shop", tmp_path / "shop")
    assert f'encoding = "{true}"' in drr.err(*asked, code=1)
    told.write_text(f'[products]\nencoding = "{true}"\nrate = 1\n')
    assert drr(*asked)[0] == 0 and set(prices_of(tmp_path / "shop").values()) == {45.9}


def test_a_date_without_a_century_is_not_guessed() -> None:
    assert moment_of("15.03.24", None, True) is None
    day = datetime(2024, 3, 15, tzinfo=UTC).timestamp() * 1000
    for text in (
        "15 mars 2024",
        "15. März 2024",
        "15-Mar-2024",
        "March 15, 2024",
        "2024年3月15日",
        "15 de março de 2024",
    ):
        assert moment_of(text, None, True) == day, text


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("5 listopada 2024", "pl", "2024-11-05"), ("5. listopada 2024.", "hr", "2024-10-05"), ("5 lis 2024", "pl", "2024-11-05"),
        ("5. lis 2024.", "hr", "2024-10-05"), ("5 listopada 2024", None, None), ("5 listopada 2024", "de", None), ("5 srp 2024", "cs", "2024-08-05"),
        ("25 czerwca 2023 r.", None, "2023-06-25"), ("25 czerwca 2023 r.", "pl", "2023-06-25"), ("2024. január 5.", "hu", "2024-01-05"),
        ("2024. jan. 5.", None, "2024-01-05"), ("2024 m. sausio 5 d.", "lt", "2024-01-05"), ("2024. gada 5. janvāris", "lv", "2024-01-05"),
        ("5 января 2024\u202fг.", "ru", "2024-01-05"), ("5 січ. 2024 р.", "uk", "2024-01-05"), ("5. 1. 2024", "cs", "2024-01-05"),
        ("05. 01. 2024.", "hr", "2024-01-05"), ("25 czerwca 2023 p.n.e.", "pl", None), ("31 czerwca 2023 r.", "pl", None),
        ("5 maja 24 r.", "pl", None), ("5 majówki 2024 r.", "pl", None), ("2024. 13. 05.", "hu", None),
    ],
)  # fmt: skip
def test_a_date_is_read_as_its_language_writes_it(text: str, language: str | None, day: str | None) -> None:
    """A month of two languages is that of the shop's; without one it is not guessed."""
    moment = moment_of(text, None, True, language)
    assert (moment and datetime.fromtimestamp(moment / 1000, UTC).date().isoformat()) == day


def test_the_language_of_the_shop_tells_the_months_of_its_orders(tmp_path: Path, drr: Drr) -> None:
    articles = wrote(tmp_path / "p.csv", ("id", "title"), ("P1", "Lampa"))
    head = ("order_id", "product_id", "user_id", "date")
    orders = wrote(
        tmp_path / "o.csv", head, (1, "P1", "u", "5 listopada 2024"), (2, "P1", "u", "5 maja 2024 r.")
    )
    (told := tmp_path / "m.toml").write_text('[products]\nlanguage = "pl-PL"\n')
    asked = ("data", "ingest", articles, orders, "--map", told, "--shop", tmp_path / "shop", "--quiet")
    assert drr.json(*asked)["as_of"] == "2024-11-06"


@pytest.mark.parametrize(
    ("name", "said"), [("polish", 'say language = "pl"'), ("Deutsch", 'say language = "de"'), ("klingon", 'such as "de"')]
)  # fmt: skip
def test_a_language_by_name_is_misuse_that_says_its_code(
    name: str, said: str, tmp_path: Path, drr: Drr
) -> None:
    """It was taken, and the shop was one of no language."""
    articles = wrote(tmp_path / "p.csv", ("id", "title"), ("P1", "Lampa"))
    (told := tmp_path / "m.toml").write_text(f'[products]\nlanguage = "{name}"\n')
    asked = ("data", "ingest", articles, "--map", told, "--shop", tmp_path / "shop")
    error = drr.err(*asked, code=2)
    assert f"'{name}'" in error and said in error and not (tmp_path / "shop").exists()


def test_an_encoding_that_is_none_is_called_unknown(tmp_path: Path, drr: Drr) -> None:
    articles = wrote(tmp_path / "p.csv", ("id", "title"), ("P1", "Lampa"))
    for name in ("latin9x", "zip", "utf-8\\u0000"):
        (told := tmp_path / "m.toml").write_text(f'encoding = "{name}"\n')
        said = drr.err("data", "ingest", articles, "--map", told, "--shop", tmp_path / "shop", code=2)
        assert "is no encoding that is known" in said and 'encoding = "utf-8"' in said


def test_a_code_is_a_currency_in_use() -> None:
    assert codes_of("eur") == ("EUR",) and codes_of("XYZ") == () and codes_of("zł") == ("PLN",)


POLISH = (
    "Sekator kowadełkowy, żółty",
    "Grabie do liści",
    "Książka o różach",
    "Długie źdźbła",
    "Wąż ogrodowy",
)


@pytest.mark.parametrize("true", ["cp1250", "iso8859-2", "cp852"])
def test_an_encoding_is_named_for_the_language_of_the_shop(tmp_path: Path, drr: Drr, true: str) -> None:
    """Bytes of one byte a letter are read by many encodings: the language, else the letters inside words, tell which."""
    rows = [(f"P{k}", title, "9,90") for k, title in enumerate(POLISH)]
    file = wrote(tmp_path / "p.csv", ("id", "title", "price"), *rows, encoding=true)
    asked = (
        "data",
        "ingest",
        file,
        "--map",
        told := tmp_path / "m.toml",
        "--shop",
        tmp_path / "shop",
        "--dry-run",
    )
    more = '[products]\nlanguage = "pl"\ncurrency = "PLN"\nrate = 1\n'
    told.write_text(more)
    assert (
        f"not in the encoding 'utf-8'; say the encoding in the first line of the mapping: encoding = \"{true}\""
        in drr.err(*asked, code=1)
    )
    told.write_text(f'encoding = "cp1252"\n{more}')
    if true != "cp852":  # of which cp1252 lacks a letter
        assert f"look garbled; the encoding seems to be {true}" in drr.err(*asked, code=1)
    told.write_text(f'encoding = "{true}"\n{more}')
    assert POLISH[0] in drr.out(*asked)
    if true == "cp1250":
        told.write_text(f'encoding = "cp1252"\n{more}'.replace('language = "pl"\n', ""))
        assert f'encoding = "{true}"' in drr.err(*asked, code=1)


def test_letters_of_other_languages_are_no_wrong_encoding(tmp_path: Path, drr: Drr) -> None:
    titles = ("Fête à l’ancienne", "Boîte 20 m³", "Crème brûlée", "Ærø, 5 µm", "Lego®-Steine ¼", "½ l")
    file = wrote(
        tmp_path / "p.csv",
        ("id", "title"),
        *((f"P{k}", one) for k, one in enumerate(titles)),
        encoding="cp1252",
    )
    for language in ("", 'language = "fr"\n', 'language = "de"\n', 'language = "sv"\n'):
        (told := tmp_path / "m.toml").write_text(f'encoding = "cp1252"\n[products]\n{language}')
        drr.out("data", "ingest", file, "--map", told, "--shop", tmp_path / "shop", "--dry-run")


def test_languages_have_the_encodings_that_hold_their_letters() -> None:
    first = {
        code: (*encodings_of(code), None)[0]
        for code in ("pl", "cs", "hu", "de", "pt", "ru", "el", "tr", "lt", "ja")
    }
    assert first == {
        "pl": "cp1250", "cs": "cp1250", "hu": "cp1250", "de": "cp1252", "pt": "cp1252", "ru": "cp1251", "el": "cp1253",
        "tr": "cp1254", "lt": "cp1257", "ja": None,
    }  # fmt: skip


def test_words_of_a_status_are_named_with_the_line_that_explains_them(tmp_path: Path, drr: Drr) -> None:
    wrote(tmp_path / "p.csv", ("id", "title"), ("1", "Lampa"))
    asked = ("data", "ingest", tmp_path / "p.csv", tmp_path / "o.csv", "--shop", tmp_path / "shop")

    def told(*words: str) -> str:
        rows = ((k, "1", f"u{k}", "2024-03-01", word) for k, word in enumerate(words))
        wrote(tmp_path / "o.csv", ("order_id", "product_id", "user_id", "date", "status"), *rows)
        return drr.err(*asked, code=1)

    found = told("dostarczone", "Delivered", "wysłane", "dostarczone", "w \x1b[31mdrodze")
    assert 'Returned: "dostarczone", "wysłane", "w \\u001b[31mdrodze"; say what each means' in found
    assert '[orders.statuses] "dostarczone" = "..."' in found
    assert '"w4", "w5' not in told(*(f"w{k}" for k in range(12))) and "w4" in told(
        *(f"w{k}" for k in range(12))
    )
    found = told(*(f"Anna Zq {k}" for k in range(13)))  # a column of other things: no cell is repeated
    assert "Zq" not in found.casefold() and '"WORD" = "..."' in found


def test_a_file_that_tells_no_table_has_its_columns_listed(tmp_path: Path, drr: Drr) -> None:
    names = ("Symbol", "Nazwa towaru", "Cena brutto", *(f"Cecha {k}" for k in range(30)))
    asked = (
        "data",
        "ingest",
        wrote(tmp_path / "p.csv", names, ("",) * len(names)),
        "--shop",
        tmp_path / "shop",
    )
    found = drr.err(*asked, code=2)
    assert (
        "; columns: Symbol, Nazwa towaru, Cena brutto, Cecha 0" in found and "Cecha 16, and 13 more" in found
    )
    wrote(tmp_path / "p.csv", ("Anna Zq", "+48 12 555"), ("Jan", "+48 1"))
    assert "Zq" not in (found := drr.err(*asked, code=2)) and "seems to name no columns" in found


def test_a_shop_without_orders_has_the_day_of_its_ingest(tmp_path: Path, drr: Drr) -> None:
    file = wrote(tmp_path / "p.csv", ("id", "title"), ("1", "Lampa"))
    made = drr.json("data", "ingest", file, "--shop", shop := tmp_path / "shop")
    with open_shop(str(shop), Settings()) as opened:
        assert made["as_of"] == opened.manifest.as_of == (opened.manifest.created or "")[:10] > "2000"
    drr.out("shop", "check", shop)
