"""What the rules read once, or look at before they read: the same is found as by reading all."""

from __future__ import annotations

from drr.env.entities import Product
from drr.eval.checks import Subject, check_report, urls_in
from drr.eval.checks.layout import pieces
from drr.eval.checks.measures import MeasuresByKind, measures
from drr.eval.checks.records import record_numbers, record_text
from drr.wording.attributes import ATTRIBUTES
from drr.wording.doubts import DOUBTS, KINDS
from drr.wording.vocabulary import FirstWords, vocabulary

from benchmarks.planted import Scene


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


def test_what_runs_on_without_an_end_is_read_in_parts_that_hold_together() -> None:
    """Every letter once, no part longer than a sentence may be, none cut where something is held."""
    text = "a hose for $9 each, " * 2_000
    link = range(2_900, 3_050)
    parts = list(pieces(text, 7, len(text), lambda place: place in link))
    assert "".join(text[low:high] for low, high in parts) == text[7:]
    assert max(high - low for low, high in parts) <= 3_000
    assert not {high for _, high in parts} & {*link[1:]}
    assert all(text[high - 2 : high] == ", " for _, high in parts[:-1])
    assert list(pieces("x" * 7_000, 0, 7_000, lambda place: False))[-1] == (6_000, 7_000)


def test_a_wrong_price_is_found_in_a_line_that_never_ends(scene: Scene) -> None:
    product = next(one for one in scene.products if one.price is not None)
    price = product.price or 0.0
    said = f"[{product.title}]({product.product_url}) costs ${{:.2f}}"
    for amount, status in ((price, "pass"), (price + 7.5, "fail")):
        text = "what else there is to say of it, " * 400 + said.format(amount) + ", and so on" * 400
        subject = Subject(text, query="", user_id=None, shop=scene.shop, returned=urls_in(text))
        assert check_report(subject)["price"].status == status, amount


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
