"""What a text says of a person, held against the truth: planted memories get the figures that they deserve."""

from __future__ import annotations

import pytest
from drr.papers.pdr.memory.truth import Statements

from tests.persons.remembering import FIRST, OTHERS, SECOND, STATEMENTS, built

FOUND = Statements([FIRST, SECOND])
CONTEXT = built(FIRST)
TRUTH = {truth.id: truth for truth in CONTEXT.truths}


def test_three_of_ten_and_one_false_is_what_it_is() -> None:
    said = [STATEMENTS[0][1], STATEMENTS[3][1], STATEMENTS[5][1], OTHERS[2][1]]
    text = "\n".join(f"The person {one}." for one in said)
    remembered = FOUND.remembered(text, FIRST.attributes)
    assert remembered.recall == pytest.approx(0.3)
    assert remembered.precision == pytest.approx(0.75)
    assert remembered.false == (OTHERS[2][1],)
    assert remembered.contradictions == ()


def test_a_second_place_contradicts() -> None:
    remembered = FOUND.remembered("As far as I know she lives in Texas.", FIRST.attributes)
    assert remembered.contradictions == ("lives in Texas",)
    assert remembered.precision == 0.0


def test_items_handed_on_as_they_are_count_for_what_they_express() -> None:
    items = [item for item in CONTEXT.items if TRUTH[item.id].expresses[:1] == ("pets-0",)]
    text = "\n".join(item.shown() for item in items)
    remembered = FOUND.remembered(text, FIRST.attributes, CONTEXT.items, TRUTH)
    assert remembered.shown == {"pets-0"}
    assert (remembered.recall, remembered.precision) == (pytest.approx(0.1), 1.0)


def test_silence_and_noise_are_no_claims_and_what_is_denied_is_not_said() -> None:
    noise = "\n".join(item.shown() for item in CONTEXT.items if TRUTH[item.id].noise)
    for text in ("", noise, "She no longer lives in Texas.", "It was a fine morning."):
        remembered = FOUND.remembered(text, FIRST.attributes, CONTEXT.items, TRUTH)
        assert (remembered.recall, remembered.precision) == (0.0, None)
