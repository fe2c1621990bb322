"""What the search by fields takes for granted of the names that it indexes."""

from __future__ import annotations

from drr.env.search.fields import SHELF, fields_of
from drr.wording.money import every_amount
from hypothesis import given
from hypothesis import strategies as st

_PIECES = st.sampled_from(
    ["Bed", "pillows", "And", "and", "Women's", "3.5mm", "AC/DC", "Bath,", "&", "+", "-", "Pots_and", "x", "|", "Set of 2", "\u00c9t\u00e9", "'s", "B+W"]
)  # fmt: skip
_NAMES = st.lists(_PIECES, max_size=6).map(" ".join)


@given(_NAMES, _NAMES)
def test_whatever_has_a_name_has_its_last_word_as_one(title: str, leaf: str) -> None:
    names = fields_of("", title, None, "", [leaf], {}).name
    own = {name for name in names if not name.startswith(SHELF)}
    assert {name.rsplit("_", 1)[-1] for name in own} <= own


@given(
    st.sampled_from(["forty-one dollars", "26\u00a2", "two bucks", "USD 5", "\u0665 dollars", "ten cents"])
)
def test_an_amount_has_a_digit_or_the_name_of_what_is_counted(text: str) -> None:
    assert every_amount(f"about {text} each") and not every_amount("quiet dog nail grinder")
