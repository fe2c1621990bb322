"""A shop in euros with ids of its own: its ids, labels and dates are read as those of the sample shop are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from asked import LA, checked, failing
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.eval.checks import check_report, figures_in
from drr.eval.checks.base import Subject
from drr.eval.checks.identifiers import IdForms
from drr.wording.locale import FOLDER, locale_of

from tests.commands import Drr, drr

PRODUCTS = """\
id;title;price;brand;rating;ratings;language
DE-1003;Halbach Wasserkocher, Edelstahl;45,90 €;Halbach;4,5;71;de
DE-1044;Tarvik Kaffeemühle, elektrisch;19,90 €;Tarvik;3,9;12;de
DE-2210;Nordlicht Brotkasten aus Holz;25,00 €;Nordlicht;4,8;1299;de
KE/G7;Kanne aus Glas;12,00 €;Halbach;4,1;9;de
"""
ORDERS = """\
product_id,user_id,date,quantity,status
DE-1003,anna,2019-07-20,1,Delivered
DE-1044,anna,2021-03-03,2,Cancelled
DE-2210,bert,2021-03-04,1,Delivered
"""
REPORT = """\
# Zwei für die Küche

- **Halbach Wasserkocher** (DE-1003): 45,90 €, 4,5 Sterne aus 71 Bewertungen
- **Tarvik Kaffeemühle** (DE-1044): 19,90 €

**Summe: 65,80 €**

| Artikel | Preis (€) | Bewertung | Bewertungen |
|---|---|---|---|
| Nordlicht Brotkasten (DE-2210) | 25,00 | 4,8 | 1.299 |

Bestellung {FIRST}
Bestelldatum: 20. Juli 2019
Bestellstatus: geliefert.

- Bestellnummer: {SECOND}
- Bestellt am: 03.03.2021
- Bestellstatus: storniert
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("other")
    (folder / "p.csv").write_text(PRODUCTS, encoding="utf-8")
    (folder / "o.csv").write_text(ORDERS, encoding="utf-8")
    (folder / "m.toml").write_text("[products]\nrate = 1\n", encoding="utf-8")
    words = ("--map", folder / "m.toml", "--keep-personal", "--shop", folder / "shop", "--quiet")
    assert drr("data", "ingest", folder / "p.csv", folder / "o.csv", *words) == 0
    with open_shop(str(folder / "shop"), resolve({}, environ={}).settings) as found:
        yield found


def report_of(shop: Shop, right: str = "", wrong: str = "") -> str:
    """Return the report with the shop's order numbers, and one part replaced."""
    second, first = (one.order_id for one in shop.store.orders("anna").items)
    assert not right or REPORT.count(right) == 1
    return REPORT.replace(right, wrong).replace("{FIRST}", first).replace("{SECOND}", second)


def told(shop: Shop, report: str, query: str | None = None) -> dict[str, list[str]]:
    found = check_report(Subject(report, query=query, shop=shop, user_id="anna"))
    return {name: [one.why for one in each.findings] for name, each in found.items() if each.status == "fail"}


def test_a_true_german_report_is_read_and_not_accused(shop: Shop) -> None:
    report = report_of(shop)
    assert told(shop, report) == {}
    subject = Subject(report, shop=shop, user_id="anna")
    found = check_report(subject)
    passed = {name for name, one in found.items() if one.status == "pass"}
    assert passed >= {"in_catalogue", "price", "rating", "total", "order_facts"}
    assert found["price"].value["checked"] == 3 and found["rating"].value["checked"] == 4


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("(DE-1003): 45,90 €", "(DE-1003): 54,90 €", "price"),
        ("| 25,00 |", "| 28,00 |", "price"),
        ("4,5 Sterne", "4,9 Sterne", "rating"),
        ("1.299 |", "1.399 |", "rating"),
        ("Summe: 65,80", "Summe: 75,80", "total"),
        ("20. Juli 2019", "20. Juni 2019", "order_facts"),
        ("03.03.2021", "03.04.2021", "order_facts"),
        ("status: storniert", "status: geliefert", "order_facts"),
        ("status: geliefert.", "status: storniert.", "order_facts"),
    ],
)
def test_an_error_in_a_german_report_is_found(shop: Shop, right: str, wrong: str, rule: str) -> None:
    report = report_of(shop, right, wrong)
    found = check_report(Subject(report, shop=shop, user_id="anna"))
    assert rule in {name for name, one in found.items() if one.status == "fail"}
    assert all(0 <= low < high <= len(report) for low, high in (one.span for one in found[rule].findings))


@pytest.mark.parametrize("label", ["Gesamtsumme", "Gesamtpreis", "Gesamtbetrag", "Grand total"])
def test_other_labels_of_a_total_are_read(shop: Shop, label: str) -> None:
    assert told(shop, report_of(shop, "Summe: 65,80", f"{label}: 65,80")) == {}
    assert set(told(shop, report_of(shop, "Summe: 65,80", f"{label}: 75,80"))) == {"total"}
    kits = "- Topf: 10,00 €\n- Pfanne: 20,00 €\n\n**Summe: 30,00 €**\n\n- Haken: 5,00 €\n- Nagel: 1,00 €\n\n**Summe: 6,00 €**\n\n"
    assert told(shop, f"{kits}**{label}: 36,00 €**") == {}
    assert told(shop, f"{kits}{label} mit Versand: 40,90 €") == {}


@pytest.mark.parametrize("pot", ["10,00 € × 2", "2 Stück à 10,00 €", "10,00 €, Menge 2", "zweimal 10,00 €"])
def test_pieces_in_any_words_may_make_a_total(shop: Shop, pot: str) -> None:
    for more, holds in (("20,00", True), ("35,00", False)):
        said = told(shop, f"- Topf: {pot}\n- Pfanne: {more} €\n\nSumme: 40,00 €\n")
        assert (said == {}) is holds, said
        rows = f"| Ware | Stk. | Preis |\n|---|---|---|\n| Topf | 2 | 10,00 € |\n| Pfanne | 1 | {more} € |"
        assert (told(shop, f"{rows}\n| Summe | | 40,00 € |\n") == {}) is holds


@pytest.mark.parametrize(
    ("around", "total"),
    [
        ("Zwei von jedem:\n\n{}", "131,60"), ("Versand kostet 5,00 €.\n\n{}", "70,80"), ("{}\n\nDavon Versand: 4,99 €", "70,79"),
        ("Mit Gutschein, 10 %:\n\n{}", "59,22"), ("Vom Budget 100,00 € bleiben 34,20 €.\n\n{}", "100,00"),
    ],
)  # fmt: skip
def test_a_total_that_other_words_of_the_report_explain_is_open(shop: Shop, around: str, total: str) -> None:
    bill = "- Mühle: 19,90 €\n- Kocher: 45,90 €\n\nSumme: {} €"
    assert told(shop, around.format(bill.format(total))) == {}
    # 32,90 is half of the sum, so that only the total itself would explain it
    for wrong in ("77,77", "32,90"):
        assert set(told(shop, around.format(bill.format(wrong)))) == {"total"}


def test_a_line_with_words_before_its_product_may_be_a_choice_that_is_left_out(shop: Shop) -> None:
    links = [f"[Ware](http://ecommerce.example/{one})" for one in ("DE-1044", "DE-1003")]
    for total, holds in (("19,90", True), ("65,80", True), ("30,00", False)):
        lines = f"- {links[0]}: 19,90 €\n- oder {links[1]}: 45,90 €\n\nSumme: {total} €\n"
        assert ("total" not in told(shop, lines)) is holds


@pytest.mark.parametrize("day", ["20-Jul-2019", "20-July-2019"])
def test_a_day_with_hyphens_around_the_month_is_read(shop: Shop, day: str) -> None:
    assert told(shop, report_of(shop, "20. Juli 2019", day)) == {}
    assert set(told(shop, report_of(shop, "20. Juli 2019", day.replace("20-", "21-", 1)))) == {"order_facts"}


@pytest.mark.parametrize(
    "place",
    ["Der Brotkasten ({}) ist gut.", "[Brotkasten](http://ecommerce.example/p/{})", "| Nr. | Art | Maß |\n|---|---|---|\n| {} | Kasten | klein |\n", "`{}`"],
)  # fmt: skip
def test_an_id_of_the_shop_counts_wherever_it_stands_and_one_like_it_is_invented(
    shop: Shop, place: str
) -> None:
    found = check_report(Subject(place.format("DE-2210"), shop=shop))["in_catalogue"]
    assert (found.status, found.value["checked"]) == ("pass", 1)
    told_ = check_report(Subject(place.format("DE-2211"), shop=shop))["in_catalogue"]
    assert [one.fault.split(";")[0] for one in told_.findings] == ["Id: DE-2211"]
    assert told(shop, place.format("DE-2211"), "Was ist DE-2211?") == {}
    assert told(shop, "Nimm DE-2211.") == {}  # one of the shop's ids begins with other letters
    assert check_report(Subject(place.format("EN-22111"), shop=shop))["in_catalogue"].status != "pass"


def test_an_id_with_a_slash_is_found_in_an_address_that_escapes_it_or_not(shop: Shop) -> None:
    for step in ("KE/G7", "KE%2FG7", "p/KE/G7"):
        said = f"[Kanne](http://ecommerce.example/{step}), 12,00 €"
        found = check_report(Subject(said, shop=shop))
        assert (found["in_catalogue"].status, found["price"].status) == ("pass", "pass"), step
    told_ = check_report(Subject("[Kanne](http://ecommerce.example/KE/G8)", shop=shop))["in_catalogue"]
    assert told_.status == "fail"


def test_the_language_of_reports_may_be_set_where_the_shop_names_none(
    rules_shop: Shop, tmp_path: Path, drr: Drr
) -> None:
    text = f"{LA}\n\n- Bewertung: 4,8 aus 71 Bewertungen\n"
    assert checked(text, shop=rules_shop)["rating"].status == "unverifiable"
    assert failing(text, shop=rules_shop, language="de") == {"rating": ["Rating: 4.8; record: 4.3"]}
    (tmp_path / "r.md").write_text(text, encoding="utf-8")
    code, out, _ = drr("judges", "check", tmp_path / "r.md", "--language", "de")
    assert code == 0 and "rules could read" in out
    assert drr("judges", "check", tmp_path / "r.md", "--language", "German")[0] == 2
    settings = resolve({"language": "de"}, environ={}).settings
    assert settings.language == "de" and resolve({}, environ={}).settings.language is None


def test_every_figure_counts_read_or_not(shop: Shop) -> None:
    for text, of in (("Es kostet 45,90.", 1), ("Am 20.07.2019 für 1.299,00 € gekauft, 4,5 Sterne.", 3)):
        subject = Subject(text, shop=shop)
        assert figures_in(subject, check_report(subject))["of"] == of, text


COLUMNS = {
    "de": "Sterne|Stimmen", "es": "Estrellas|Votos", "fr": "Étoiles|Votes", "it": "Stelle|Voti", "nl": "Sterren|Stemmen",
    "pl": "Gwiazdki|Liczba ocen", "pt": "Estrelas|Votos",
}  # fmt: skip
SAID = {
    "de": "4,5 Sterne aus 71 Stimmen, für 45,90 €", "es": "4,5 estrellas de 71 votos, a 45,90 €", "fr": "4,5 étoiles pour 71 votes, à 45,90 €",
    "it": "4,5 stelle su 71 voti, a 45,90 €", "nl": "4,5 sterren uit 71 stemmen, voor 45,90 €",
    "pl": "4,5 gwiazdki z 71 ocen, za 45,90 €", "pt": "4,5 estrelas com 71 votos, por 45,90 €",
}  # fmt: skip


@pytest.mark.parametrize("language", SAID)
def test_stars_and_votes_have_their_everyday_names_in_each_language(shop: Shop, language: str) -> None:
    recipe = {**shop.manifest.recipe, "language": language}
    spoken = replace(shop, manifest=shop.manifest.model_copy(update={"recipe": recipe}))
    price = SAID[language].rpartition(", ")[2]
    for text in (
        f"| X|{COLUMNS[language]}|\n|---|---|---|\n| DE-1003 | 4,5 | 71 |\n",
        f"- DE-1003: {SAID[language]}\n",
        f"(DE-1003) {price}.\n",
    ):
        assert told(spoken, text) == {}
        for right, wrong in (("4,5", "4,8"), ("71", "17"), ("45,90", "49,50")):
            assert right not in text or told(spoken, text.replace(right, wrong)), (text, wrong)
    assert told(spoken, f"(DE-1003) {price.replace('45,90', '10,00')} x y.\n") == {}


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "nl", "pl", "pt"])
def test_a_language_has_a_small_file_whose_labels_rules_know(language: str) -> None:
    locale = locale_of(language)
    assert locale is not None and (FOLDER / f"{language}.json").stat().st_size < 6_000
    dates = {
        "de": "3. März 2021",
        "es": "3 de marzo de 2021",
        "fr": "3 mars 2021",
        "it": "3 marzo 2021",
        "nl": "3 maart 2021",
        "pl": "3 marca 2021",
        "pt": "3 de março de 2021",
    }
    text, stood = locale.english(f"Am {dates[language]}, so")
    assert "2021-03-03" in text and len(stood) == len(text) + 1
    assert locale_of("en") is None and locale_of(None) is None


def test_a_word_in_the_form_of_an_id_is_no_invented_product() -> None:
    """A shop with `ARM-C` among its ids says nothing against a plug of the kind `USB-C`."""
    forms, ids = IdForms(["ARM-C", "PAD-8"]), {"ARM-C", "PAD-8"}
    found = forms.find("PAD-8 and PAD-9 for USB-C, beside ARM-C", lambda asked: ids & set(asked))
    assert [one.id for one in found] == ["PAD-8", "PAD-9", "ARM-C"]


def test_a_day_without_its_year_and_a_home_are_read_and_a_set_is_no_september() -> None:
    words = locale_of("it")
    assert words is not None
    for written, read in (
        ("25 agosto: tre paia", "August 25: tre paia"),
        ("1 set di corde", "1 set di corde"),
        ("Abiti a Trieste.", "You live in Trieste."),
        (": Prezzo - 6,99 €", ": Price - 6,99 €"),
    ):
        assert words.english(written)[0] == read


BESIDE = {
    "de": ("Preis", "heute", "im Shop", "Bewertung", "Bewertungen", "Anzahl Bewertungen", "Bestellung", "storniert", "geliefert"),
    "es": ("Precio", "hoy", "en la tienda", "Nota", "opiniones", "Número de opiniones", "Pedido", "cancelado", "entregado"),
    "fr": ("Prix", "aujourd'hui", "ici", "Note", "avis", "Nombre d'avis", "Commande", "annulée", "livrée"),
    "it": ("Prezzo", "oggi", "nel negozio", "Voto", "recensioni", "Numero di recensioni", "Ordine", "annullato", "consegnato"),
    "nl": ("Prijs", "vandaag", "bij ons", "Beoordeling", "recensies", "Aantal recensies", "Bestelling", "geannuleerd", "geleverd"),
    "pl": ("Cena", "dziś", "w sklepie", "Ocena", "opinii", "Liczba opinii", "Zamówienie", "anulowane", "dostarczone"),
    "pt": ("Preço", "hoje", "na loja", "Nota", "avaliações", "Número de avaliações", "Pedido", "cancelado", "entregue"),
}  # fmt: skip
"""Price, today, in the shop, stars, ratings, their number, order, Cancelled, Delivered."""


@pytest.mark.parametrize("language", BESIDE)
@pytest.mark.parametrize("amount", ["45,90 €", "45,90 zł", "R$ 45,90"])
def test_words_beside_a_figure_are_read_in_each_language(shop: Shop, language: str, amount: str) -> None:
    """A label without its colon, `today` and `in the shop` leave a figure the shop's own, as `now` does in English."""
    price, today, here, stars, votes, label, *_ = BESIDE[language]
    currency = {"€": "EUR", "zł": "PLN"}.get(amount[-2:].strip("0 "), "BRL")
    recipe = {**shop.manifest.recipe, "language": language, "currency": currency}
    spoken = replace(shop, manifest=shop.manifest.model_copy(update={"recipe": recipe}))
    link = "[Halbach Wasserkocher](http://ecommerce.example/DE-1003)"
    for text in (
        f"- {link}: {price.casefold()} {amount}\n",
        f"- {link} ({today} {amount})\n",
        f"- {link}: {amount} {here}, 33,33 x y\n",
        f"{link} ({amount}; {stars.casefold()} 4,5, 71 {votes}).\n",
        f"- {link}\n  - ✅ {stars.casefold()} 4,5, 71 {votes}\n  - ❌ x y {stars.casefold()} 3,9\n",
    ):
        assert told(spoken, text) == {}, text
        for right, wrong in (("45,90", "49,50"), (" 4,5", " 4,8"), (" 71 ", " 17 ")):
            assert right not in text or told(spoken, text.replace(right, wrong)), (text, wrong)
    card = f"### [Nordlicht Brotkasten](http://ecommerce.example/DE-2210)\n- **{label}:** 1.299\n"
    assert told(spoken, card) == {} and told(spoken, card.replace("1.299", "1.229"))
    for open_ in (
        f"- {link}: x {stars.casefold()} 3,3\n",
        f"- {link}: {stars.casefold()} 3,3 x y\n",
        f"- {link}: {today} 33,33 x\n",
    ):
        assert told(spoken, open_) == {}, open_


@pytest.mark.parametrize("language", [*BESIDE, "en"])
def test_a_state_behind_the_number_of_an_order_is_its_own(shop: Shop, language: str) -> None:
    order, right, wrong = BESIDE.get(language, ("Order", "Cancelled", "Delivered"))[-3:]
    recipe = {**shop.manifest.recipe, "language": language}
    spoken = replace(shop, manifest=shop.manifest.model_copy(update={"recipe": recipe}))
    number = shop.store.orders("anna").items[0].order_id
    for form in ("- {} {}: {}\n", "- **{} {}**: {}\n"):
        assert told(spoken, form.format(order, number, right)) == {}
        assert "order_facts" in told(spoken, form.format(order, number, wrong)), form
    assert told(spoken, f"- {order} {number}: {wrong}, x y\n") == {}
    assert told(spoken, f"- {order} {number} x y: {wrong}\n") == {}
    assert told(spoken, f"- {order} {number} ({wrong}? x): {right}\n") == {}  # a question states nothing


def test_ids_of_many_forms_are_known_by_the_usual_ones() -> None:
    """Of a shop with more forms than count, those of three ids and more tell an invented one; a part of an id is none."""
    strange = [f"Q{'x' * k}.{k}" for k in range(1, 30)]
    forms = IdForms(["SEK-20", "DON-21", "GRA-14", "SEK-18.2", *strange])
    found = forms.find("SEK-18.2, SEK-21 and Qxx.7", lambda asked: {"SEK-18.2"} & set(asked))
    assert [one.id for one in found] == ["SEK-21", "SEK-18.2"]
    assert not [*IdForms(strange).find("Qxx.7", lambda _: ())]
