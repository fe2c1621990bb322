"""Shops of three countries, each made by an ingest of its own files: a Polish, a German and an Indian one."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from tests.commands import drr


class Country(NamedTuple):
    language: str
    currency: str
    price: str
    """A price as the country writes it, with a place for the whole units."""
    kinds: tuple[tuple[str, str], ...]
    """The path of each kind of product, and the title of one with a place for its maker."""
    regions: tuple[str, ...]
    question: str
    """A question as its shopper asks it, with a limit of 200."""


COUNTRIES = {
    "PL": Country(
        "pl",
        "PLN",
        "{},90 zł",
        (
            ("Kuchnia > Patelnie żeliwne", "{} patelnia żeliwna 28 cm"),
            ("Kuchnia > Noże kuchenne", "{} nóż szefa kuchni ze stali"),
            ("Ogród > Konewki ogrodowe", "{} konewka ocynkowana z sitkiem"),
        ),
        ("Mazowieckie", "Śląskie"),
        "Mam już jedną starą patelnię i chcę teraz coś lepszego dla siebie: która z waszych będzie najlepsza do 200 zł i jak o nią dbać?",
    ),
    "DE": Country(
        "de",
        "EUR",
        "{},90 €",
        (
            ("Reinigung > Fensterabzieher", "{} Fensterabzieher aus Edelstahl mit Wischer"),
            ("Küche > Kaffeemühlen", "{} Kaffeemühle mit Kegelmahlwerk"),
            ("Garten > Gießkannen", "{} Gießkanne verzinkt mit Brause"),
        ),
        ("Bayern", "Sachsen"),
        "Ich habe noch eine alte Mühle und möchte nun eine bessere: welche nehmt ihr für höchstens 200 € und worauf muss ich dabei achten?",
    ),
    "IN": Country(
        "en-IN",
        "INR",
        "₹{}.00",
        (
            ("Kitchen > Pressure Cookers", "{} pressure cooker with a bee logo"),
            ("Kitchen > Idli Makers", "{} idli maker of steel"),
            ("Garden > Watering Cans", "{} watering can with a rose"),
        ),
        ("Kerala", "Punjab"),
        "The cooker that I have leaks steam at the lid. Which of yours would you take for at most ₹200, and how do I look after it?",
    ),
}  # fmt: skip
MAKERS = ("Aval", "Brenn", "Corda", "Delo", "Ekko", "Fyra")


def write_rows(path: Path, *rows: tuple[object, ...]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    return path


def foreign_shop(folder: Path, name: str, *, regions: bool = True, mapped: str = "") -> Path:
    """Make the shop of a country: eighteen products, six shoppers, and ten orders of each. `mapped` stands above the tables of the mapping."""
    country = COUNTRIES[name]
    made = [(path, title.format(maker), maker) for path, title in country.kinds for maker in MAKERS]
    products = (
        (f"P{k}", title, path, maker, country.price.format(30 + 7 * k))
        for k, (path, title, maker) in enumerate(made)
    )
    orders = (
        (f"P{n * 7 % len(made)}", f"c{n % 6}", f"2024-{1 + n % 12:02d}-{1 + n // 3:02d}") for n in range(60)
    )
    shoppers = ((f"c{k}", "Ada", country.regions[k % 2], name) for k in range(6))
    files = [
        write_rows(folder / "p.csv", ("id", "title", "category", "brand", "price"), *products),
        write_rows(folder / "o.csv", ("product_id", "user_id", "date"), *orders),
    ]
    if regions:
        files.append(write_rows(folder / "u.csv", ("user_id", "first_name", "state", "country"), *shoppers))
    told = folder / "map.toml"
    told.write_text(
        f'{mapped}[products]\ncurrency = "{country.currency}"\nlanguage = "{country.language}"\nrate = 1\n'
    )
    assert drr("data", "ingest", *files, "--map", told, "--shop", folder / "shop", "--quiet") == 0
    return folder / "shop"
