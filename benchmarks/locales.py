# mypy: ignore-errors
"""Makes the data of `wording/locales`, `data_ingest/catalogue/written_dates.json` and `wording/currencies.json`: `python -m benchmarks.locales` with babel installed, which nothing else needs.

Months, marks of numbers, currencies and their signs come from Unicode CLDR by babel; labels, states and everyday signs stand here.
A new language is one entry of `WORDS` and one run.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

import orjson
from drr.data_ingest.catalogue.written_dates import FILE as DATES
from drr.wording.currencies import FILE, key_of
from drr.wording.figures import UNITS
from drr.wording.locale import FOLDER

SIGNS = {
    "INR": "Rs", "CHF": "Fr|SFr", "EUR": "Euro|Euros", "TRY": "TL", "JPY": "円|￥", "CNY": "元|RMB", "KRW": "원", "AED": "Dhs|Dh",
    "CAD": "C$", "GBP": "GB£", "USD": "$US",
}  # fmt: skip
"""Signs that shops write and CLDR lacks."""
ORDINARY = (
    "gold|won|rand|real|reals|dong|mark|marks|marka|marke|maraka|sol|soles|dram|drams|som|soms|gourde|gourdes|peso|quetzal|quetzals|"
    "quetzales|dobra|dobras|escudo|escudos"
)
"""Names that are also ordinary words or measures, and are not read."""
MONTHS = [
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fi",
    "fr",
    "hr",
    "hu",
    "id",
    "it",
    "lt",
    "lv",
    "nb",
    "nl",
    "pl",
    "pt",
    "ro",
    "ru",
    "sk",
    "sl",
    "sv",
    "tr",
    "uk",
    "vi",
]
EVERYDAY = ["d MMMM y 'r'."]
"""Dates that people write and CLDR lacks: `25 czerwca 2023 r.`"""
FORMS = [
    *MONTHS,
    "ar",
    "de_AT",
    "de_CH",
    "en_IN",
    "es_MX",
    "fr_CH",
    "he",
    "hi",
    "ja",
    "ko",
    "no",
    "pt_PT",
    "th",
    "zh",
]
"""Languages whose form of an amount is known, and countries that write it otherwise."""

WORDS = {
    "de": {
        "labels": {
            "Price": "Preis|Preis heute|Unser Preis|Preis im Shop|Stückpreis|Einzelpreis|Aktueller Preis|Heutiger Preis", "Rating": "Bewertung|Kundenbewertung|Durchschnitt|Sterne|Durchschnittliche Bewertung|Durchschnittsbewertung|Sternebewertung",
            "Ratings": "Bewertungen|Anzahl Bewertungen|Anzahl der Bewertungen|Rezensionen|Anzahl Rezensionen|Kundenbewertungen|Kundenrezensionen|Stimmen|Anzahl Stimmen|Anzahl der Stimmen", "Total": "Summe|Gesamt|Gesamtsumme|Gesamtpreis|Gesamtbetrag",
            "Date": "Datum", "Order date": "Bestelldatum|Bestellt am|Bestellt|Gekauft am|Kaufdatum", "Status": "Status", "Order status": "Bestellstatus", "Quantity": "Menge|Anzahl|Stückzahl|Stück",
            "Order": "Bestellung|Bestellnummer|Bestell-Nr.|Auftragsnummer", "Item": "Artikel|Produkt|Ware", "Brand": "Marke|Hersteller", "Color": "Farbe",
        },
        "states": {"Delivered": "geliefert|zugestellt", "Shipped": "versandt|verschickt|versendet", "Cancelled": "storniert", "Returned": "zurückgesandt|zurückgegeben|retourniert", "Processing": "in Bearbeitung"},
        "stars": "Sterne|Sternen|Stern", "of_five": "von 5|von fünf", "ratings": "Bewertungen|Rezensionen|Kundenbewertungen|Kundenrezensionen|Reviews|Stimmen", "from": "aus|bei|von|nach|basierend auf|beruhend auf",
        "order": "Bestellung|Bestellnummer", "of": "vom", "on": "am", "at": "für|zu|zum Preis von|kostet|kosten", "lives": "Sie wohnen in|Du wohnst in", "whole": "insgesamt|zusammen|alles in allem", "now": "jetzt|heute|derzeit|aktuell|hier|bei uns|im Shop",
        "most": "unter|bis|bis zu|höchstens|maximal|max.|nicht mehr als|weniger als|nicht über|nichts über", "least": "ab|über|mindestens|mehr als|nicht unter|nicht weniger als", "range": "von … bis|zwischen … und|ab … bis",
        "each": "je|jeweils|jede|jeder|jedes|jeden|pro|Stück|Monat|monatlich|Rabatt|sparen",
    },
    "fr": {
        "labels": {
            "Price": "Prix|Prix actuel|Notre prix|Prix boutique|Prix unitaire|Prix à l'unité|Prix du jour", "Rating": "Note|Évaluation|Note moyenne|Étoiles|Note des clients|Évaluation moyenne", "Ratings": "Avis|Évaluations|Nombre d'avis|Nombre d'évaluations|Avis clients|Votes|Nombre de votes",
            "Total": "Total|Somme", "Date": "Date", "Order date": "Date de commande|Commandé le|Acheté le|Date d'achat", "Status": "Statut|État", "Quantity": "Quantité|Qté|Nombre|Pièces", "Order": "Commande|Numéro de commande|N° de commande",
            "Item": "Article|Produit", "Brand": "Marque", "Color": "Couleur",
        },
        "states": {"Delivered": "livré|livrée", "Shipped": "expédié|expédiée", "Cancelled": "annulé|annulée", "Returned": "retourné|retournée", "Processing": "en cours de traitement"},
        "stars": "étoiles|étoile", "of_five": "sur 5|sur cinq", "ratings": "avis|évaluations|avis clients|votes", "from": "sur|pour|d'après|avec|de|basé sur|sur la base de", "order": "commande", "of": "du", "on": "le", "at": "à|pour|au prix de|coûte", "lives": "Vous habitez à|Vous vivez à|Tu habites à|Tu vis à", "whole": "au total|en tout", "now": "maintenant|aujourd'hui|actuellement|ici|chez nous",
        "most": "moins de|jusqu'à|maximum|au maximum|max.|pas plus de|au plus|en dessous de", "least": "à partir de|au moins|plus de|pas moins de|minimum", "range": "de … à|entre … et",
        "each": "chacun|chacune|chaque|par|pièce|mois|réduction|remise",
    },
    "es": {
        "labels": {
            "Price": "Precio|Precio actual|Nuestro precio|Precio en la tienda|Unitario|Precio unitario|Precio por unidad|Precio de hoy", "Rating": "Valoración|Puntuación|Valoración media|Estrellas|Calificación|Nota|Nota media|Puntuación media", "Ratings": "Valoraciones|Opiniones|Número de valoraciones|Número de opiniones|Reseñas|Número de reseñas|Votos|Número de votos",
            "Total": "Total|Suma", "Date": "Fecha", "Order date": "Fecha del pedido|Fecha de pedido|Pedido el|Comprado el|Fecha de compra", "Status": "Estado", "Quantity": "Cantidad|Unidades|Piezas", "Order": "Pedido|Número de pedido|N.º de pedido",
            "Item": "Artículo|Producto", "Brand": "Marca|Fabricante", "Color": "Color",
        },
        "states": {"Delivered": "entregado|entregada", "Shipped": "enviado|enviada", "Cancelled": "cancelado|cancelada|anulado|anulada", "Returned": "devuelto|devuelta", "Processing": "en proceso"},
        "stars": "estrellas|estrella", "of_five": "de 5|sobre 5|de cinco|sobre cinco", "ratings": "valoraciones|opiniones|reseñas|votos", "from": "de|con|sobre|según|a partir de|basado en", "order": "pedido", "of": "del", "on": "el", "at": "a|por|al precio de|cuesta", "lives": "Vive en|Vives en|Usted vive en", "whole": "en total|en conjunto", "now": "ahora|hoy|actualmente|aquí|en la tienda",
        "most": "menos de|hasta|máximo|como máximo|máx.|no más de|por debajo de", "least": "a partir de|desde|al menos|más de|no menos de|mínimo", "range": "de … a|entre … y|desde … hasta",
        "each": "cada|por|unidad|mes|descuento",
    },
    "it": {
        "labels": {
            "Price": "Prezzo|Prezzo attuale|Il nostro prezzo|Prezzo nel negozio|Unitario|Prezzo unitario|Prezzo al pezzo|Prezzo di oggi", "Rating": "Valutazione|Voto|Valutazione media|Stelle|Voto medio|Punteggio|Punteggio medio", "Ratings": "Recensioni|Valutazioni|Numero di recensioni|Numero di valutazioni|Opinioni|Voti|Numero di voti",
            "Total": "Totale|Somma", "Date": "Data", "Order date": "Data dell'ordine|Ordinato il|Acquistato il|Data d'acquisto", "Status": "Stato", "Quantity": "Quantità|Qtà|Pezzi", "Order": "Ordine|Numero d'ordine|Numero ordine|N. ordine",
            "Item": "Articolo|Prodotto", "Brand": "Marca|Marchio|Produttore", "Color": "Colore",
        },
        "states": {"Delivered": "consegnato|consegnata", "Shipped": "spedito|spedita", "Cancelled": "annullato|annullata", "Returned": "reso|resa|restituito|restituita", "Processing": "in lavorazione"},
        "stars": "stelle|stella", "of_five": "su 5|su cinque", "ratings": "recensioni|valutazioni|opinioni|voti", "from": "su|da|con|di|in base a|sulla base di", "order": "ordine", "of": "del", "on": "il", "at": "a|per|al prezzo di|costa", "lives": "Abiti a|Abita a|Vivi a|Vive a", "whole": "in totale|in tutto", "now": "ora|oggi|attualmente|qui|da noi|nel negozio",
        "most": "meno di|fino a|massimo|al massimo|max.|non più di|sotto i|sotto", "least": "a partire da|almeno|più di|non meno di|minimo", "range": "da … a|tra … e|fra … e",
        "each": "ciascuno|ciascuna|ogni|per|pezzo|mese|sconto",
    },
    "nl": {
        "labels": {
            "Price": "Prijs|Huidige prijs|Onze prijs|Prijs in de winkel|Stukprijs|Prijs per stuk|Prijs vandaag", "Rating": "Beoordeling|Score|Gemiddelde beoordeling|Sterren|Klantbeoordeling|Gemiddelde score|Waardering", "Ratings": "Beoordelingen|Recensies|Aantal beoordelingen|Aantal recensies|Klantbeoordelingen|Stemmen|Aantal stemmen",
            "Total": "Totaal|Som", "Date": "Datum", "Order date": "Besteldatum|Besteld op|Gekocht op|Aankoopdatum", "Status": "Status", "Quantity": "Aantal|Hoeveelheid|Stuks", "Order": "Bestelling|Bestelnummer|Bestelnr.",
            "Item": "Artikel|Product", "Brand": "Merk|Fabrikant", "Color": "Kleur",
        },
        "states": {"Delivered": "geleverd|bezorgd", "Shipped": "verzonden|verstuurd", "Cancelled": "geannuleerd", "Returned": "geretourneerd|teruggestuurd", "Processing": "in behandeling"},
        "stars": "sterren|ster", "of_five": "van 5|van de 5|van vijf|van de vijf", "ratings": "beoordelingen|recensies|klantbeoordelingen|reviews|stemmen", "from": "uit|van|bij|met|op basis van|gebaseerd op", "order": "bestelling", "of": "van", "on": "op", "at": "voor|tegen|voor de prijs van|kost", "lives": "Je woont in|U woont in", "whole": "in totaal|samen", "now": "nu|vandaag|momenteel|hier|bij ons|in de winkel",
        "most": "onder|onder de|tot|maximaal|max.|hoogstens|ten hoogste|niet meer dan|minder dan", "least": "vanaf|minstens|minimaal|boven|meer dan|niet minder dan", "range": "van … tot|tussen … en",
        "each": "elk|elke|ieder|per|stuk|maand|korting",
    },
    "pl": {
        "labels": {
            "Price": "Cena|Cena jednostkowa|Cena za sztukę|Aktualna cena|Obecna cena|Cena dziś|Dzisiejsza cena|Nasza cena|Cena w sklepie|Cena brutto", "Rating": "Ocena|Średnia ocena|Gwiazdki|Średnia|Ocena klientów", "Ratings": "Oceny|Opinie|Liczba ocen|Liczba opinii|Recenzje|Liczba recenzji|Głosy|Liczba głosów",
            "Total": "Razem|Suma|Łącznie", "Date": "Data", "Order date": "Data zamówienia|Zamówiono|Kupiono|Data zakupu", "Status": "Status|Stan", "Quantity": "Ilość|Liczba|Sztuk|Liczba sztuk", "Order": "Zamówienie|Numer zamówienia|Nr zamówienia",
            "Item": "Produkt|Artykuł|Towar", "Brand": "Marka|Producent", "Color": "Kolor",
        },
        "states": {"Delivered": "dostarczone|dostarczono|dostarczony|dostarczona", "Shipped": "wysłane|wysłano|wysłany|wysłana", "Cancelled": "anulowane|anulowano|anulowany|anulowana", "Returned": "zwrócone|zwrócono|zwrócony|zwrócona", "Processing": "w realizacji|w trakcie realizacji"},
        "stars": "gwiazdki|gwiazdek|gwiazdka", "of_five": "na 5|z 5|na pięć|z pięciu", "ratings": "ocen|oceny|opinii|opinie|recenzji|recenzje|głosów|głosy", "from": "z|przy|na podstawie",
        "order": "zamówienie|zamówienia", "of": "z|z dnia", "on": "dnia", "at": "za|po|kosztuje|kosztują|w cenie", "lives": "Mieszkasz w|Mieszka Pan w|Mieszka Pani w", "whole": "razem|łącznie|w sumie", "now": "teraz|dziś|dzisiaj|obecnie|aktualnie|tutaj|u nas|w sklepie",
        "most": "do|maksymalnie|maks.|najwyżej|poniżej|nie więcej niż|mniej niż", "least": "od|co najmniej|minimum|powyżej|więcej niż|nie mniej niż", "range": "od … do|między … a|pomiędzy … a",
        "each": "każdy|każda|każde|sztukę|sztuka|miesięcznie|miesiąc|rabat|rabatu",
    },
    "pt": {
        "labels": {
            "Price": "Preço|Preço atual|Preço unitário|Preço por unidade|Unitário|Valor unitário|Preço de hoje|Nosso preço|Preço na loja", "Rating": "Avaliação|Nota|Avaliação média|Nota média|Estrelas|Classificação|Média|Nota dos clientes|Avaliação dos clientes", "Ratings": "Avaliações|Opiniões|Número de avaliações|Número de opiniões|Votos|Número de votos",
            "Total": "Total|Soma", "Date": "Data", "Order date": "Data do pedido|Data da compra|Pedido em|Comprado em", "Status": "Status|Estado|Situação", "Quantity": "Quantidade|Qtd.|Unidades|Peças", "Order": "Pedido|Número do pedido|Nº do pedido|Encomenda",
            "Item": "Artigo|Produto", "Brand": "Marca|Fabricante", "Color": "Cor",
        },
        "states": {"Delivered": "entregue", "Shipped": "enviado|enviada", "Cancelled": "cancelado|cancelada", "Returned": "devolvido|devolvida", "Processing": "em processamento"},
        "stars": "estrelas|estrela", "of_five": "de 5|em 5|de cinco", "ratings": "avaliações|opiniões|votos", "from": "de|com|em|por|com base em", "order": "pedido|encomenda", "of": "de", "on": "em", "at": "por|a|custa|custam|sai por|pelo preço de", "lives": "Você mora em|Mora em|Vive em", "whole": "no total|ao todo", "now": "agora|hoje|atualmente|aqui|na loja",
        "most": "até|menos de|abaixo de|no máximo|máximo|máx.|não mais de", "least": "a partir de|pelo menos|acima de|mais de|no mínimo|mínimo", "range": "de … a|de … até|entre … e",
        "each": "cada|por|unidade|mês|desconto",
    },
}  # fmt: skip


def currencies() -> dict:
    """Return codes in use, those without two decimals, and what each sign stands for where it is a country's own."""
    from babel import Locale, localedata
    from babel.core import get_global

    own, signs = defaultdict(set), defaultdict(set)
    for country, rows in get_global("territory_currencies").items():
        own[country] |= {code for code, _, end, tender in rows if end is None and tender}
    for code, some in SIGNS.items():
        for sign in some.split("|"):
            signs[key_of(sign)].add(code)
    for name in localedata.locale_identifiers():
        locale = Locale.parse(name)
        for code in own.get(locale.territory, ()):
            signs[key_of(locale.currency_symbols.get(code, ""))].add(code)
    countries = Counter(code for some in own.values() for code in some)
    codes = set(countries)
    for code, sign in Locale("en").currency_symbols.items():
        if code in codes and sign != code:
            signs[key_of(sign)].add(code)
    months = defaultdict(set)
    for language in MONTHS:
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in Locale(language).months[form][width].items():
                    months[name.rstrip(".").casefold()].add(number)
    fractions = get_global("currency_fractions")
    return {
        "source": f"Unicode CLDR by babel; everyday signs by {Path(__file__).name}",
        "codes": sorted(codes),
        "others": sorted({*Locale("en").currencies} - codes - {"XXX", "XTS"}),  # no currency, and tests
        "decimals": {
            code: fractions[code][0] for code in sorted(codes & set(fractions)) if fractions[code][0] != 2
        },
        "signs": {
            sign: sorted(some, key=lambda code: (-countries[code], code))
            for sign, some in sorted(signs.items())
            if sign and sign.upper() not in codes
        },
        "regions": {country: next(iter(some)) for country, some in sorted(own.items()) if len(some) == 1},
        "months": {
            name: min(some) for name, some in sorted(months.items()) if len(some) == 1 and not name.isdigit()
        },
    }


def dates() -> dict:
    """Return the forms of dates that have one reading, the names that mean several months, and languages by their names."""
    from babel import Locale

    forms, months, languages = dict.fromkeys(EVERYDAY), defaultdict(dict), {}
    for language in MONTHS:
        locale = Locale(language)
        forms |= {
            one: None
            for width in ("long", "medium", "short")
            if "/" not in (one := locale.date_formats[width].pattern.replace("MMMM", "MMM"))
            and re.search(r"\by\b.*\s|\s.*\by\b", one)
        }
        for form in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[form][width].items():
                    months[name.rstrip(".").casefold()][language] = number
    for code, name in Locale("en").languages.items():
        if len(code) == len("en"):
            languages[name.casefold()] = code
            with suppress(Exception):
                languages.setdefault(Locale(code).languages[code].casefold(), code)
    return {
        "source": f"Unicode CLDR by babel; everyday forms by {Path(__file__).name}",
        "forms": sorted(forms),
        "shared": {name: some for name, some in sorted(months.items()) if len({*some.values()}) > 1},
        "languages": dict(sorted(languages.items())),
    }


def own_currencies(locale) -> set[str]:
    """Return the currencies of a language's countries."""
    from babel.core import get_global

    countries = [locale.territory] if locale.territory else [
        country for country, some in get_global("territory_languages").items()
        if some.get(locale.language, {}).get("official_status")
    ]  # fmt: skip
    return {
        code
        for country in countries
        for code, _, end, tender in get_global("territory_currencies").get(country, ())
        if end is None and tender
    }


def names(codes: list[str]) -> dict:
    """Return what currencies are called in English and in the languages of their countries: `rupees`, `złotych`.

    A name of CLDR is a noun with its country. The noun stands first or last in all names of a language, where more of them share a word.
    """
    from babel import Locale

    found = defaultdict(set)
    for name in FORMS:
        locale = Locale.parse(name)
        plurals = locale._data["currency_names_plural"]
        written = {
            code: [re.split(r"[\s-]", one.casefold()) for one in (locale.currencies.get(code), *plurals.get(code, {}).values()) if one]
            for code in codes
        }  # fmt: skip
        place = max((0, -1), key=lambda place: _shared(written.values(), place))
        for code in codes if name == "en" else own_currencies(locale) & {*codes}:
            for words in written[code]:
                found[key_of(words[place])].add(code)
    return {
        noun: sorted(some)
        for noun, some in sorted(found.items())
        if not _is_measure(noun) and not re.fullmatch(ORDINARY, noun) and len(noun) > 2
    }


def _is_measure(noun: str) -> bool:
    unit = UNITS.named(noun)
    return unit is not None and unit.kind != "money"


def _shared(written, place: int) -> int:
    counts = Counter(noun for names in written for noun in {words[place] for words in names})
    return sum(count for count in counts.values() if count > 1)


def forms() -> dict:
    """Return how each language writes an amount: the pattern, the marks, and signs of the currencies of its countries."""
    from babel import Locale

    found = {}
    for name in FORMS:
        locale = Locale.parse(name)
        own = own_currencies(locale)
        signs = {
            code: re.sub("[\u200e\u200f]", "", sign)
            for code, sign in sorted(locale.currency_symbols.items())
            if sign not in (code, "¤") and (name == "en" or code in own)
        }
        marks = locale.number_symbols["latn"]
        pattern = locale.currency_formats["standard"].pattern.partition(";")[0]
        found[name.replace("_", "-")] = {
            "pattern": re.sub("[\u200e\u200f]", "", pattern).replace("\xa0", " "),
            "decimal": marks["decimal"],
            "group": marks["group"],
            "signs": signs,
        }
    return found


def main() -> None:
    found = currencies()
    signed = {noun: some for noun, some in names(found["codes"]).items() if noun not in found["signs"]}
    FILE.write_bytes(
        orjson.dumps({**found, "names": signed, "forms": forms()}, option=orjson.OPT_INDENT_2) + b"\n"
    )
    DATES.write_bytes(orjson.dumps(dates(), option=orjson.OPT_INDENT_2) + b"\n")
    from babel import Locale
    from babel.numbers import get_decimal_symbol, get_group_symbol

    for code, words in WORDS.items():
        locale = Locale(code)
        months = {
            name.rstrip(".").casefold(): number
            for form in ("format", "stand-alone")
            for width in ("wide", "abbreviated")
            for number, name in locale.months[form][width].items()
        }
        row = {
            "language": code,
            "source": f"Unicode CLDR by babel (months, decimal, group); labels and states by {Path(__file__).name}",
            "decimal": get_decimal_symbol(locale),
            "group": get_group_symbol(locale),
            "months": months,
            **{
                name: {word: english for english, some in value.items() for word in some.split("|")}
                if isinstance(value, dict)
                else value.split("|")
                for name, value in words.items()
            },
        }
        (FOLDER / f"{code}.json").write_bytes(orjson.dumps(row, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main()
