"""The words of other languages than English, and the reading of their compounds by the words of a catalogue."""

from __future__ import annotations

import pytest
from drr.env.languages import is_stop_word
from drr.env.search.compounds import CompoundReader
from drr.env.search.fields import fields_of
from drr.env.search.read_query import Lexicon, LexiconMaker
from drr.env.text import tokens


@pytest.mark.parametrize(
    ("language", "texts", "stem"),
    [
        ("da", ("kopper", "Koppen"), "kop"),
        ("de", ("Mühle", "Mühlen", "MÜHLE"), "muhl"),
        ("es", ("decoración", "decoraciones"), "decor"),
        ("fi", ("talo", "talossa"), "talo"),
        ("fr", ("Rénové", "rénovées"), "renov"),
        ("hu", ("házak", "ház"), "haz"),
        ("it", ("lampada", "lampade"), "lampad"),
        ("nl", ("boeken", "boek"), "boek"),
        ("no", ("lampe", "lampene"), "lamp"),
        ("pt", ("caneca", "canecas"), "canec"),
        ("ru", ("лампы", "лампа"), "ламп"),
        ("sv", ("lampor", "lampa"), "lamp"),
    ],
)
def test_forms_of_a_word_have_one_stem_in_its_language(
    language: str, texts: tuple[str, ...], stem: str
) -> None:
    assert [tokens(text, language) for text in texts] == [[stem]] * len(texts)


def test_stop_words_are_told_by_the_language() -> None:
    assert is_stop_word("für", "de") and not is_stop_word("für", "fr")
    assert is_stop_word("avec", "fr") and not is_stop_word("mühle", "de")


def _reader(titles: list[str]) -> CompoundReader:
    maker = LexiconMaker()
    for title in titles:
        maker.add(fields_of(title, title, None, "", [], {}, "de"))
    lexicon = Lexicon(maker.packed())
    return CompoundReader(lambda _, word: lexicon.counts.get(word, 0), lambda: lexicon, "de")


def _names(titles: list[str], query: str) -> list[tuple[tuple[str, ...], ...]]:
    return [slot.names for slot in _reader(titles).read(query).demanded]


def test_a_compound_is_split_where_few_products_have_it_and_the_catalogue_has_its_parts() -> None:
    parts = ["Mühle für Kaffee"]
    assert _names(parts, "Kaffeemühle") == [(("kaffe",),), (("muhl",),)]
    few, many = [*parts, *["Kaffeemühle"] * 9], [*parts, *["Kaffeemühle"] * 10]
    whole = ("kaffeemuhl",)
    assert _names(few, "Kaffeemühle") == [(whole, ("kaffe", "muhl"), ("kaffe", *whole))]
    assert _names(many, "Kaffeemühle") == [(whole,)]
    # One part alone is no reason, and neither is a part of two letters.
    assert _names(["Mühle"], "Kaffeemühle") == [(("kaffeemuhl",),)]
    assert _names(["Ei", "Becher"], "Eibecher") == [(("eibech",),)]


def test_parts_are_joined_to_a_compound_of_the_catalogue() -> None:
    titles = ["Kaffeemühle", "Kaffee", "Arbeitsplatte", "Arbeit"]
    for query in ("Kaffee Mühle", "Mühle Kaffee", "Mühle für den Kaffee"):
        assert _names(titles, query) == [(("kaffe", "muhl"), ("kaffeemuhl",))]
    assert _names(titles, "Platte Arbeit") == [(("arbeit", "platt"), ("arbeitsplatt",))]
    assert _names(titles, "Kaffee Platte") == [(("kaffe",),), (("platt",), ("arbeitsplatt",))]
