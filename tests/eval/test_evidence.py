from __future__ import annotations

from itertools import pairwise

from drr.env.records.product import product_evidence
from drr.env.shop import Shop
from drr.eval.evidence.passages import PASSAGE, WHOLE, locate, passages, select, whole_within
from drr.eval.stats.faithfulness import STATUSES
from drr.eval.tasks.held import SupportItem
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import examples
from tests.tools.small_shop import FEEDER


@examples(60)
@given(st.text(alphabet="ab .\n#-é", max_size=9000))
def test_passages_are_short_in_order_and_lose_nothing_but_white_space(text: str) -> None:
    spans = passages(text)
    assert all(0 < span.end - span.start <= PASSAGE for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    kept = "".join(text[s.start : s.end] for s in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_short_text_is_shown_whole_and_a_long_one_by_its_head_and_what_concerns_the_claim() -> None:
    assert select("anything", "x" * (WHOLE - 1)) == [(0, WHOLE - 1)]
    text = (
        "Head. "
        + "Nothing of use here at all. " * 400
        + "The anodised widget weighs 91 grams. "
        + "More of the same. " * 400
    )
    spans = select("The widget is anodised", text)
    shown = "".join(text[s.start : s.end] for s in spans)
    assert shown.startswith("Head.")
    assert "anodised widget" in shown
    assert len(spans) <= 6
    assert sum(s.end - s.start for s in spans) <= 6 * PASSAGE


def test_a_text_that_fits_the_room_is_shown_whole_and_a_longer_one_fills_it_with_what_concerns_the_claim_first() -> (
    None
):
    text = "Head. " + "Plain words here.\n" * 1000 + "The anodised widget.\n" + "More of it.\n" * 1000
    assert select("The widget is anodised", text, whole_within(len(text))) == [(0, len(text))]
    room = 9 * PASSAGE
    spans = select("The widget is anodised", text, whole_within(room))
    shown = "".join(text[s.start : s.end] for s in spans)
    assert shown.startswith("Head.")
    assert "anodised widget" in shown
    assert room - 3 * PASSAGE < len(shown) <= room
    assert all(a.end < b.start for a, b in pairwise(spans))


def test_a_quote_is_found_across_white_space_and_case_and_never_invented() -> None:
    text = "One.\nThe  Feeder\nholds six pounds."
    span = locate("the feeder holds", text)
    assert span is not None
    assert text[span.start : span.end] == "The  Feeder\nholds"
    assert locate("the feeder lacks", text) is None
    assert locate("  ", text) is None


def test_a_product_is_evidence_in_full(shop: Shop) -> None:
    product = shop.store.product(FEEDER)
    assert product is not None
    text = product_evidence(product).text
    assert "Price: $19.99" in text
    assert "2,067" in text
    assert "Item Weight: 4 pounds" in text
    assert "Best Sellers Rank, Birds: 12" in text


def test_an_item_without_any_source_is_not_judged() -> None:
    item = SupportItem("c1-web", "c1", "a claim", "web", "page", ())
    assert item.unreadable() == "not_frozen"
    assert item.unreadable() in STATUSES
