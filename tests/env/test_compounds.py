"""The words of other languages than English, and the reading of their compounds by the words of a catalogue."""

from __future__ import annotations

import pytest
from drr.env.languages import is_stop_word
from drr.env.search.compounds import CompoundReader
from drr.env.search.fields import fields_of
from drr.env.search.read_query import Lexicon, LexiconMaker, ReadQuery
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


def _read(titles: list[str], query: str, language: str = "de") -> ReadQuery:
    maker = LexiconMaker()
    for title in titles:
        maker.add(fields_of(title, title, None, "", [], {}, language))
    lexicon = Lexicon(maker.packed())
    return CompoundReader(lambda _, word: lexicon.counts.get(word, 0), lambda: lexicon, language).read(query)


def _names(titles: list[str], query: str, language: str = "de") -> list[tuple[tuple[str, ...], ...]]:
    return [slot.ways for slot in _read(titles, query, language).demanded]


def test_a_compound_is_split_where_few_products_have_it_and_the_catalogue_has_its_parts() -> None:
    parts = ["Mühle für Kaffee"]
    assert _names(parts, "Kaffeemühle") == [(("kaffe",),), (("muhl",),)]
    few, many = [*parts, *["Kaffeemühle"] * 9], [*parts, *["Kaffeemühle"] * 10]
    whole = ("kaffeemuhl",)
    assert _names(few, "Kaffeemühle") == [(whole, ("kaffe", "muhl"), ("kaffe", *whole))]
    assert _names(many, "Kaffeemühle") == [(whole,)]
    # A part of two letters is none.
    assert _names(["Ei", "Becher"], "Eibecher") == [(("eibech",),)]


def test_parts_are_joined_to_a_compound_of_the_catalogue() -> None:
    titles = ["Kaffeemühle", "Kaffee", "Arbeitsplatte", "Arbeit"]
    for query in ("Kaffee Mühle", "Mühle Kaffee", "Mühle für den Kaffee"):
        assert _names(titles, query) == [(("kaffe", "muhl"), ("kaffeemuhl",))]
    assert _names(titles, "Platte Arbeit") == [(("arbeit", "platt"), ("arbeitsplatt",))]
    assert _names(titles, "Kaffee Platte") == [(("kaffe",),), (("platt",), ("arbeitsplatt",))]
    # The catalogue need not have the compound's beginning by itself.
    assert _names(["Schuhbürste"], "Schuh Bürste") == [(("schuh", "burst"), ("schuhburst",))]


def test_a_word_stands_for_what_ends_in_it_in_languages_of_compounds() -> None:
    locks = ["Faltschloss", "Bügelschloss", "Kettenschlösser"]
    assert _names(locks, "Schloss") == [
        (("schloss",), ("bugelschloss",), ("faltschloss",), ("kettenschloss",))
    ]
    assert _names(["Anoraktable"], "table", "fr") == [(("tabl",),)]


def test_of_an_unknown_compound_the_end_is_demanded_and_the_beginning_ranks() -> None:
    titles = ["Hose für Wanderungen", "Jeanshose", "Wanderschuhe"]
    thing, beginning = _read(titles, "Wanderhose").slots
    assert thing.ways == (("hos",), ("jeanshos",)) and not thing.weak
    assert beginning.weak and ("wander",) in beginning.ways and ("wanderschuh",) in beginning.ways
    # The end of a compound is no thing if no product has it, and one letter too few is a misspelling.
    assert _names(["Jeanshose"], "Wanderhose") == [(("wanderhos",),)]
    assert _read(["Kaffeemühle", "Mühle"], "Kafeemühle").notes == ('for "kafeemühle": kaffeemuhl',)


def test_a_rare_compound_stands_behind_itself_for_other_things_of_its_kind() -> None:
    (pan,) = _read(["Bratpfanne", "Pfanne", "Grillpfanne"], "Bratpfanne").slots
    assert pan.ways == (("bratpfann",),) and pan.wider == ("pfann", "bratpfann", "grillpfann")
    (pan,) = _read([*["Bratpfanne"] * 10, "Pfanne"], "Bratpfanne").slots
    assert pan.wider == ()


def test_an_unknown_adjective_stands_for_the_word_that_it_is_formed_from() -> None:
    assert _names(["Pfanne Gusseisen"], "gusseiserne") == [(("gusseis",),)]
    assert _names(["Eis"], "eiserne") == [(("eisern",),)]


def test_a_name_stands_anywhere_in_the_first_phrase_of_a_title() -> None:
    def names(title: str, shelf: str = "") -> tuple[str, ...]:
        return fields_of(title, title, None, "", [shelf], {}, "de").name

    assert {"pfann", "rund"} <= set(names("Pfanne rund 28 cm"))
    assert "cm" not in names("Pfanne rund 28 cm")
    assert "keramik" not in names("Mühle mit Keramik")
    # Every shelf that a step names is one.
    assert {"pfann", "topf"} <= set(names("Deckel", "Pfannen und Töpfe"))
