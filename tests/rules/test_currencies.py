"""Amounts in the currency of a shop are read as amounts of dollars are in a shop that sells in dollars, and what has two readings is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from asked import DIFFUSER, LA, LB, LC, failing
from drr.env.shop import Shop
from drr.eval.checks import check_report, figures_in
from drr.eval.checks.base import Subject
from drr.wording.money import in_dollars, without_foreign


def in_currency(shop: Shop, currency: str, rate: float = 1.0) -> Shop:
    recipe = {"currency": currency, "rate": rate}
    return replace(shop, manifest=shop.manifest.model_copy(update={"recipe": recipe}))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("It costs 52,76 €.", "It costs $52.76."),
        ("It costs €52.76 each", "It costs $52.76 each"),
        ("€ 19 or 19\u00a0EUR", "$19 or $19"),
        (
            "1.299,00 EUR, EUR 1,299.00, 1\u202f299,00 €, 1'299.00€",
            "$1,299.00, $1,299.00, $1,299.00, $1,299.00",
        ),
        ("9,90 € and 1.299 €", "$9.90 and $1,299"),
        ("1.299.000 €", "$1,299,000"),
        ("1. Mic: 99,00 €\n2. Lead, 5\n€ 21,50", "1. Mic: $99.00\n2. Lead, 5\n$21.50"),
        ("40 €–50 € (52,5€/m)", "$40–$50 ($52.5/m)"),
        ("19 Euro", "$19"),
        ("150,- € or 150,–€, € 1.299,- and 2.499 €", "$150 or $150, $1,299 and $2,499"),
        ("Für 150,-. Je 3,- (5,-)", "Für $150. Je $3 ($5)"),
    ],
)
def test_an_amount_of_the_shops_currency_is_one_of_dollars(written: str, read: str) -> None:
    text, stood = in_dollars(written, "EUR")
    assert text == read and len(stood) == len(read) + 1
    assert all(text[k] == written[a] for k, (a, b) in enumerate(stood[:-1]) if b - a == 1)
    assert {written[a:b] for a, b in stood if b - a > 1} and stood[-1][0] == len(written)


@pytest.mark.parametrize(
    ("currency", "written", "read"),
    [
        ("PLN", "45,90 zł, razem 1.299,00 zł (PLN)", "$45.90, razem $1,299.00 ($)"),
        ("INR", "₹1,23,456.50 or Rs. 500", "$123456.50 or $500"),
        ("SEK", "Pris 49 kr. Totalt 2.499,00 kr", "Pris $49. Totalt $2,499.00"),
        ("JPY", "価格 1,299円 と ￥900", "価格 $1,299 と $900"),
        ("CHF", "CHF 1’299.00, Fr. 12.50", "$1,299.00, $12.50"),
        ("AUD", "A$12.50 or $4", "$12.50 or $4"),
        ("AED", "12.50 د.إ", "$12.50"),
        ("BRL", "R$ 1.299,90", "$1,299.90"),
        ("HNL", "L 40, 2 l and a lamp", "$40, 2 l and a lamp"),
        ("CHF", "CHF 150.–, 1’299.- Fr, 12.50 Franken je Stück", "$150, $1,299, $12.50 je Stück"),
        ("INR", "Rs. 2,419/- each, 1,02,419.50/- (2,419 Rupees)", "$2,419 each, $102419.50 ($2,419)"),
        ("SEK", "120:- kr, 49 kronor", "$120, $49"),
        ("PLN", "| 120 złotych | 3,50 złotego za sztukę", "| $120 | $3.50 za sztukę"),
        ("PLN", "5 złotych pierścionków, 2 zlotys", "5 złotych pierścionków, $2"),
        ("AUD", "40 dollars, 12.50 Dollars a piece", "$40, $12.50 a piece"),
        ("GBP", "3 pounds, 27.30 pounds, a pound", "3 pounds, 27.30 pounds, a pound"),
        ("BRL", "2 real, 3 reals; +10/-5, +10/- 5 mm", "2 real, 3 reals; +10/-5, +10/- 5 mm"),
        ("KRW", "It sold 3 won. 1.50,- ₩", "It sold 3 won. 1.50,- ₩"),
        ("PLN", "12 zł 50, 40 kr, 1 299,00 zł", "12 zł 50, 40 kr, 1 299,00 zł"),
    ],
)
def test_signs_of_any_country_are_read(currency: str, written: str, read: str) -> None:
    assert in_dollars(written, currency)[0] == read


@pytest.mark.parametrize(
    "text",
    [
        "1.299 € and 1,299 €", "9.90 € or 9,90 € or 1.299 €", "9.90 € and 1.299 €", "3 € 52", "Trek 3 299,00 €", "€ 1 299",
        "1.29.99 €", "x19 €", "https://a.example/b?c=19€", "19 £", "19", "2.5k €", "12,3456 €",
    ],
)  # fmt: skip
def test_what_has_two_readings_stays(text: str) -> None:
    assert [
        one
        for one in ("1.299", "3 €", "299", "29", "19", "2.5", "12")
        if f"${one}" in in_dollars(text, "EUR")[0]
    ] == []


EUROS = f"""\
- {LA}: 17,95 €
- {LB}: €11,99
- {LC} costs 24,95 EUR.

Total: 54,89 €, within your budget of 60 €.
"""


def test_a_report_in_euros_is_read_as_one_in_dollars(rules_shop: Shop) -> None:
    shop, query = in_currency(rules_shop, "EUR"), "Three gifts, under 60 € in all, please."
    subject = Subject(EUROS, query=query, shop=shop)
    found = check_report(subject)
    assert {name for name, one in found.items() if one.status == "pass"} >= {"price", "total", "budget"}
    assert {name: one.findings for name, one in found.items() if one.status == "fail"} == {}
    assert figures_in(subject, found) == {"read": 4, "of": 5}
    assert (
        figures_in(Subject(EUROS, shop=rules_shop), check_report(Subject(EUROS, shop=rules_shop)))["read"]
        == 0
    )


@pytest.mark.parametrize(
    ("language", "query", "found"),
    [
        ("de", "Drei Geschenke, insgesamt höchstens 50 €.", "fail"),
        ("de", "Drei Geschenke, insgesamt höchstens 60 €.", "pass"),
        ("de", "Drei Geschenke, jeweils höchstens 50 €.", "unverifiable"),
        ("de", "Drei Geschenke, insgesamt mindestens 50 €.", "unverifiable"),
        ("pl", "Trzy prezenty, razem najwyżej 50 €.", "fail"),
        ("fr", "Trois cadeaux, au total moins de 50 €.", "fail"),
    ],
)
def test_a_budget_in_the_shops_language_is_the_limit_of_the_whole(
    rules_shop: Shop, language: str, query: str, found: str
) -> None:
    own = in_currency(rules_shop, "EUR")
    report = EUROS.partition(", within")[0]
    subject = Subject(report, query=query, shop=own, language=language)
    assert check_report(subject)["budget"].status == found


def test_stars_have_a_decimal_comma_where_amounts_have_one(rules_shop: Shop) -> None:
    written = "4,7/5, | 3,4 |, 4,1 stars, [1,2] 3,5 mm"
    assert in_dollars(f"9,90 €, {written}", "EUR")[0] == "$9.90, 4.7/5, | 3.4 |, 4.1 stars, [1,2] 3,5 mm"
    assert in_dollars(f"9.90 €, {written}", "EUR")[0] == f"$9.90, {written}"
    cells = f"| Product | Price | Rating |\n| --- | --- | --- |\n| {LA} | 17,95 € | %s |\n"
    shop, stars = in_currency(rules_shop, "EUR"), rules_shop.store.product(DIFFUSER).average_rating
    assert failing(cells % f"{stars:.1f}".replace(".", ","), shop=shop) == {}
    assert "rating" in failing(cells % "1,1", shop=shop)


def test_stars_with_a_comma_in_a_shop_in_dollars_are_no_stars_and_their_number(rules_shop: Shop) -> None:
    cells = f"| Product | Rating |\n| --- | --- |\n| {LA} | %s |\n"
    assert [failing(cells % one, shop=rules_shop) for one in ("4,3", "4-5", "4–5")] == [{}, {}, {}]
    assert "rating" in failing(cells % "4.3, 72", shop=rules_shop)
    assert failing(f"{LA}: 4,1 stars, and 4,3/5 (71 ratings).", shop=rules_shop) == {}


def test_a_head_that_names_another_currency_leaves_its_column_open(rules_shop: Shop) -> None:
    """A price beside it in dollars would be another number; the shop's own currency in the head changes nothing."""
    for head in ("Price (€)", "Price €", "Price (£)", "Price (EUR)"):
        cells = f"| Product | {head} |\n| --- | --- |\n| {LA} | 16.15 |\n"
        assert failing(cells, shop=rules_shop) == {}, head
    for head in ("Price (€)", "Price (EUR)", "Price"):
        cells = f"| Product | {head} |\n| --- | --- |\n| {LA} | 16.15 |\n"
        assert set(failing(cells, shop=in_currency(rules_shop, "EUR"))) == {"price"}, head


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [("17,95 €", "27,95 €", "price"), ("54,89 €", "59,89 €", "total")],
)
def test_a_wrong_amount_in_euros_is_found_where_it_stands(
    rules_shop: Shop, right: str, wrong: str, rule: str
) -> None:
    report, shop = EUROS.replace(right, wrong), in_currency(rules_shop, "EUR")
    found = check_report(Subject(report, query="Three gifts, under 60 € in all.", shop=shop))
    assert found[rule].findings and all(
        wrong.split()[-2] in report[slice(*one.span)] for one in found[rule].findings
    )


def test_only_the_shops_own_currency_is_read_and_no_converted_one(rules_shop: Shop) -> None:
    wrong = f"{LA}: 27,95 € ({DIFFUSER})"
    assert "price" in failing(wrong, shop=in_currency(rules_shop, "EUR"))
    for currency, rate in (("EUR", 1.08), ("GBP", 1.0), ("USD", 1.0), ("not named, read as USD", 1.0)):
        assert failing(wrong, shop=in_currency(rules_shop, currency, rate)) == {}


def test_a_group_of_three_has_one_reading_in_an_english_shop(rules_shop: Shop) -> None:
    """`₹2,419` was read only where another amount of the report had paise."""
    for language, found in (("en-IN", {"price"}), (None, set())):
        recipe = {"currency": "INR", "rate": 1.0, **({"language": language} if language else {})}
        shop = replace(rules_shop, manifest=rules_shop.manifest.model_copy(update={"recipe": recipe}))
        assert set(failing(f"{LA}: ₹2,419", shop=shop)) == found, language


@pytest.mark.parametrize(
    ("currency", "written"),
    [
        ("EUR", ("$12.50", "12.50 USD", "US$12.50", "\\$12.50", "12.50 dollars", "USD 12.50", "£12.50", "$12.50 CAD")),
        ("USD", ("€12.50", "12.50 €", "$12.50 CAD", "C$12.50")),
        ("CAD", ("US$12.50", "12.50 USD", "$12.50 USD", "US $12.50", "A$12.50")),
        ("BRL", ("$12.50", "US$ 12.50")),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "form",
    [
        f"- {LA}\n  - Price: {{}}\n",
        f"| Product | Price |\n|---|---|\n| {LA} | {{}} |\n",
        f"{LA} sells for oil. It costs {{}} today.\n",
        f"- {LA}: {{}}\n- {LB}: {{}}\n- {LC}: {{}}\n\nTotal: {{}}\n",
    ],
)
def test_an_amount_of_another_currency_is_no_statement_of_the_shops_price(
    rules_shop: Shop, currency: str, written: tuple[str, ...], form: str
) -> None:
    """`$12.50` in a shop of euros was compared with the price in euros, and quoted as euros."""
    shop, query = in_currency(rules_shop, currency), "Three gifts, under 60 $ in all."
    for one in written:
        found = check_report(Subject(form.replace("{}", one), query=query, shop=shop))
        assert [found[name].decided for name in ("price", "total", "budget")] == [frozenset()] * 3, one
        assert "checked" not in (found["price"].value or {}) or found["price"].value["checked"] == 0, one
        if set("€£¥$") & set(one) and "$" not in without_foreign(one, currency):
            assert found["price"].remarks == ("unrecorded",), one


def test_a_limit_in_another_currency_limits_nothing(rules_shop: Shop) -> None:
    for query, status in (("under 50 € in all.", "fail"), ("under $50 in all.", "unverifiable")):
        subject = Subject(
            EUROS.partition(", within")[0], query=f"Three gifts, {query}", shop=in_currency(rules_shop, "EUR")
        )
        assert check_report(subject)["budget"].status == status, query


def test_the_sign_that_a_shops_currency_shares_is_its_own(rules_shop: Shop) -> None:
    """Where a dollar of its own is the shop's, `$` is its sign."""
    for currency in ("CAD", "AUD", "MXN", "USD"):
        assert "price" in failing(f"{LA}: $27.95", shop=in_currency(rules_shop, currency)), currency
        head = f"| Product | Price ($) |\n| --- | --- |\n| {LA} | 27.95 |\n"
        assert "price" in failing(head, shop=in_currency(rules_shop, currency)), currency
        assert failing(head, shop=in_currency(rules_shop, "EUR")) == {}
    for sign in ("USD", "US$", "in USD"):
        head = f"| Product | Price ({sign}) |\n| --- | --- |\n| {LA} | 27.95 |\n"
        assert failing(head, shop=in_currency(rules_shop, "CAD")) == {}, sign


@pytest.mark.parametrize(
    ("currency", "text"),
    [
        ("USD", "$12.50, US$13, 40 dollars, 12 bucks, \\$4"),
        ("EUR", "http://a.example/?a=$4, a dollar store, 58 cents, Pack of 12"),
        ("BRL", "R$ 12,50"),
        ("CAD", "$5, C$12.50, CA$4, $6 CAD, 12 dollars"),
    ],
)
def test_what_is_of_no_other_currency_keeps_its_sign(currency: str, text: str) -> None:
    assert without_foreign(text, currency) == text


ANOTHER = [
    "{0}\n  - Price [USD]: 19.50",
    "{0}\n  - USD price: 19.50",
    "{0}\n  - USD: 19.50",
    "{0}\n  - Price: USD19.50",
    "{0}\n  - Price: 19.50USD",
    "| Product | Price · USD |\n|---|---|\n| {0} | 19.50 |",
    "| Product | Price | Currency |\n|---|---|---|\n| {0} | 19.50 | USD |",
    "All prices in US dollars.\n\n{0}\n  - Price: 19.50",
    "## Prices in dollars\n\n| Product | Price |\n|---|---|\n| {0} | 19.50 |",
    "Prices in USD:\n\n{0}\n  - Price: 19.50",
]


@pytest.mark.parametrize("form", ANOTHER)
def test_a_report_that_names_another_currency_leaves_bare_amounts_open(rules_shop: Shop, form: str) -> None:
    """USD in a shop of euros, and euros in one of dollars. An amount with the shop's own sign is judged still."""
    named = form.replace("US dollars", "euros").replace("dollars", "euros").replace("USD", "EUR")
    for shop, text in ((in_currency(rules_shop, "EUR"), form), (rules_shop, named)):
        found = check_report(Subject(text.format(LA if "|" in form else f"- {LA}"), shop=shop))["price"]
        assert (found.findings, found.decided) == ((), frozenset()), text
    for own in ("19,50 €", "EUR 19.50"):
        marked = f"{form.format(LA if '|' in form else f'- {LA}')}\n\n- {LB}\n  - Price: {own}"
        assert set(failing(marked, shop=in_currency(rules_shop, "EUR"))) == {"price"}, own


@pytest.mark.parametrize("form", ["{0}\n  - Price: {1}", "| Product | Price |\n|---|---|\n| {0} | {1} |"])
def test_a_bare_amount_is_the_shops_where_no_other_currency_is_named(rules_shop: Shop, form: str) -> None:
    text = form.format(LA if "|" in form else f"- {LA}", "19.50")
    both = f"| Product | Price (USD) | Price (EUR) |\n|---|---|---|\n| {LA} | 19.50 | 18.10 |"
    assert set(failing(both, shop=rules_shop)) == {"price"}
    for about in ("", "All prices in euros.\n\n", "The case weighs 3 pounds.\n\n"):
        assert set(failing(f"{about}{text}", shop=in_currency(rules_shop, "EUR"))) == {"price"}, about


@pytest.mark.parametrize("blank", [" ", "\u2009", "\u202f"])
def test_a_blank_groups_digits_where_the_shops_language_does(blank: str) -> None:
    one = f"Cena: 1{blank}299,00 zł, | 1{blank}299 zł |"
    assert in_dollars(one, "PLN", by_blanks=True)[0] == "Cena: $1,299.00, | $1,299 |"
    assert in_dollars("Vega 2 349 zł", "PLN", by_blanks=True)[0] == "Vega 2 349 zł"
