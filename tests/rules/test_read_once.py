"""What the rules read once, or look at before they read: the same is found as by reading all."""

from __future__ import annotations

from drr.env.entities import Product
from drr.eval.checks.measures import MeasuresByKind, measures
from drr.eval.checks.records import record_numbers, record_text
from drr.wording.attributes import ATTRIBUTES
from drr.wording.doubts import DOUBTS, KINDS
from drr.wording.vocabulary import FirstWords, vocabulary


def test_no_word_of_a_group_is_passed_over_for_its_first_word() -> None:
    """Each word of each group, in its own letters and in capitals, between signs and at the end of a text."""
    for name in ("attributes", "doubts"):
        words = vocabulary(name)
        met = FirstWords({group: words[group] for group in words.groups})
        for group in words.groups:
            for word in words[group]:
                for text in (word, f"a hose ({word}), new", f"**{word.upper()}**"):
                    assert group in met.met(text), (group, text)
    assert FirstWords({"metals": ["stainless steel"]}).met("a stain, lesser steel") == frozenset()


def test_doubts_and_attributes_are_found_behind_a_first_word_in_any_form() -> None:
    for kind in KINDS:
        word = vocabulary("doubts")[kind][0]
        assert kind in DOUBTS.doubts(f"So {word.upper()} the hose"), word
    assert "charged" in DOUBTS.doubts("with 8 % off")
    assert "owned" in DOUBTS.doubts("beside what you’ve had")
    said = {(one.group, one.word) for one in ATTRIBUTES.said("It is Stainless Steel, in forest green.")}
    assert said == {("colour", "forest green"), ("material", "stainless steel")}


def test_a_figure_is_held_to_measures_of_its_kind_as_to_all() -> None:
    """Ounces too, which a liquid's record may write as those of weight."""
    texts = [
        "8 oz, 12 fl oz",
        "1 lb and 16 ounces",
        "22 x 28 in",
        "3 to 5 mil",
        "2 feet",
        "SPF 50",
        "40 tablets",
    ]
    every = [one for text in texts for one in measures(text)]
    kept = MeasuresByKind(every)
    asked = [*every, *measures("12 oz, 8 fl oz, 24 inches, about 41 tablets, SPF 30, 3 pounds, 60 minutes")]
    found = [kept.has(said) for said in asked]
    assert found == [any(said.same(one) for one in every) for said in asked]
    assert True in found and False in found


def test_what_is_read_of_a_record_is_that_records() -> None:
    """Two records of one id, as in two shops: what is kept of one is not said of the other."""
    one = _product("Six bowls", "Holds 12 cups")
    other = _product("Nine bowls", "Holds 14 cups")
    assert record_text(one) != record_text(other)
    assert record_numbers(one) == {6.0, 12.0}
    assert record_numbers(other) == {9.0, 14.0}
    assert record_numbers(_product("Six bowls", "Holds 12 cups")) == {6.0, 12.0}


def _product(title: str, feature: str) -> Product:
    return Product(
        product_id="B0BOWLS001",
        product_url="http://shop.example/B0BOWLS001",
        title=title,
        features=[feature],
        description=[],
        price=9.99,
        store=None,
        categories=[],
        details={},
        category="Home_and_Kitchen",
    )
