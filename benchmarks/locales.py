# mypy: ignore-errors
"""The data of `wording/locales`, one small file for a language: `python -m benchmarks.locales` with babel installed, which nothing else needs.

Months, marks of numbers and the day's place come from Unicode CLDR by babel; labels and states stand here, as shops of the language write them.
A new language is one entry of `WORDS` and one run.
"""

from __future__ import annotations

from pathlib import Path

import orjson
from drr.wording.locale import FOLDER

WORDS = {
    "de": {
        "labels": {
            "Price": "Preis|Preis heute|Stückpreis|Einzelpreis|Aktueller Preis", "Rating": "Bewertung|Kundenbewertung|Durchschnitt|Sterne|Durchschnittliche Bewertung",
            "Ratings": "Bewertungen|Anzahl Bewertungen|Anzahl der Bewertungen|Rezensionen", "Total": "Summe|Gesamt",
            "Date": "Datum|Bestelldatum|Bestellt am|Bestellt|Gekauft am", "Status": "Status|Bestellstatus", "Quantity": "Menge|Anzahl|Stückzahl|Stück",
            "Order": "Bestellung|Bestellnummer|Bestell-Nr.", "Item": "Artikel|Produkt|Ware", "Brand": "Marke|Hersteller", "Color": "Farbe",
        },
        "states": {"Delivered": "geliefert|zugestellt", "Shipped": "versandt|verschickt|versendet", "Cancelled": "storniert", "Returned": "zurückgesandt|zurückgegeben|retourniert", "Processing": "in Bearbeitung"},
        "stars": "Sterne|Sternen|Stern", "of_five": "von 5|von fünf", "ratings": "Bewertungen|Rezensionen|Kundenbewertungen", "from": "aus|bei|von|nach|basierend auf|beruhend auf",
        "order": "Bestellung|Bestellnummer", "on": "am|vom", "whole": "insgesamt|zusammen|alles in allem",
    },
    "fr": {
        "labels": {
            "Price": "Prix|Prix actuel|Prix unitaire", "Rating": "Note|Évaluation|Note moyenne", "Ratings": "Avis|Évaluations|Nombre d'avis",
            "Total": "Total|Somme", "Date": "Date|Date de commande|Commandé le", "Status": "Statut|État", "Quantity": "Quantité|Qté", "Order": "Commande|Numéro de commande",
            "Item": "Article|Produit", "Brand": "Marque", "Color": "Couleur",
        },
        "states": {"Delivered": "livré|livrée", "Shipped": "expédié|expédiée", "Cancelled": "annulé|annulée", "Returned": "retourné|retournée", "Processing": "en cours de traitement"},
        "stars": "étoiles|étoile", "of_five": "sur 5|sur cinq", "ratings": "avis|évaluations", "from": "sur|pour|d'après|avec", "order": "commande", "on": "du|le", "whole": "au total|en tout",
    },
    "es": {
        "labels": {
            "Price": "Precio|Precio actual|Precio unitario", "Rating": "Valoración|Puntuación|Valoración media", "Ratings": "Valoraciones|Opiniones|Número de valoraciones",
            "Total": "Total|Suma", "Date": "Fecha|Fecha del pedido|Pedido el", "Status": "Estado", "Quantity": "Cantidad", "Order": "Pedido|Número de pedido",
            "Item": "Artículo|Producto", "Brand": "Marca", "Color": "Color",
        },
        "states": {"Delivered": "entregado", "Shipped": "enviado", "Cancelled": "cancelado|anulado", "Returned": "devuelto", "Processing": "en proceso"},
        "stars": "estrellas|estrella", "of_five": "de 5|sobre 5", "ratings": "valoraciones|opiniones|reseñas", "from": "de|con|sobre", "order": "pedido", "on": "del|el", "whole": "en total|en conjunto",
    },
    "it": {
        "labels": {
            "Price": "Prezzo|Prezzo attuale|Prezzo unitario", "Rating": "Valutazione|Voto|Valutazione media", "Ratings": "Recensioni|Valutazioni|Numero di recensioni",
            "Total": "Totale|Somma", "Date": "Data|Data dell'ordine|Ordinato il", "Status": "Stato", "Quantity": "Quantità", "Order": "Ordine|Numero d'ordine",
            "Item": "Articolo|Prodotto", "Brand": "Marca|Marchio", "Color": "Colore",
        },
        "states": {"Delivered": "consegnato", "Shipped": "spedito", "Cancelled": "annullato", "Returned": "reso|restituito", "Processing": "in lavorazione"},
        "stars": "stelle|stella", "of_five": "su 5|su cinque", "ratings": "recensioni|valutazioni", "from": "su|da|con", "order": "ordine", "on": "del|il", "whole": "in totale|in tutto",
    },
    "nl": {
        "labels": {
            "Price": "Prijs|Huidige prijs|Stukprijs", "Rating": "Beoordeling|Score|Gemiddelde beoordeling", "Ratings": "Beoordelingen|Recensies|Aantal beoordelingen",
            "Total": "Totaal|Som", "Date": "Datum|Besteldatum|Besteld op", "Status": "Status", "Quantity": "Aantal|Hoeveelheid", "Order": "Bestelling|Bestelnummer",
            "Item": "Artikel|Product", "Brand": "Merk", "Color": "Kleur",
        },
        "states": {"Delivered": "geleverd|bezorgd", "Shipped": "verzonden", "Cancelled": "geannuleerd", "Returned": "geretourneerd|teruggestuurd", "Processing": "in behandeling"},
        "stars": "sterren|ster", "of_five": "van 5|van de 5", "ratings": "beoordelingen|recensies", "from": "uit|van|bij", "order": "bestelling", "on": "op|van", "whole": "in totaal|samen",
    },
}  # fmt: skip


def main() -> None:
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
