"""What a report tells its reader of the reader: by words that name it, never by words that the question has."""

from __future__ import annotations

import pytest
from drr.papers.pdr.person import Attribute, Person
from drr.papers.pdr.person_truth import FoundAttributes, Statements

from tests.persons.remembering import FIRST, SECOND

QUESTION = "Which bird house suits a small garden?"
PETS, PLACE, CHEAP = "pets-0", "place-7", "price_level-8"


def told(report: str, question: str = QUESTION, person: Person = FIRST) -> FoundAttributes:
    return Statements([FIRST, SECOND, person]).in_report(report, question, person.attributes)


@pytest.mark.parametrize(
    ("report", "ids"),
    [
        ("Out of reach of your **terrier**, the [tall one](https://shop.example/dp/B1) lasts.", {PETS}),
        ("As you share the household with a terrier, hang it high.", {PETS}),
        ("You live in Vermont, so choose thick walls.", {PLACE}),
        ("You buy cheap goods, as a rule.", {CHEAP}),
        ("Terriers dig. A house on a post is safe.", set()),
        ("If you have a terrier, hang it high.", set()),
        ("You could get a terrier. Would your terrier mind it?", set()),
        ("You have no need to think of a terrier, as you don't have one.", set()),
        ("Your cheapest choice is the cedar house.", set()),
    ],
)
def test_what_is_told_is_said_to_the_reader_as_a_fact(report: str, ids: set[str]) -> None:
    found = told(report)
    assert (found.found, found.wrong) == (ids, [])


def test_what_the_question_names_is_undecided() -> None:
    found = told("Your terrier is safe. You live in Vermont.", "Which bird house is safe from a terrier?")
    assert PETS not in (found.decided or ())
    assert found.found == {PLACE}
    assert found.recall(frozenset({PETS})) is None


def test_another_persons_statement_is_wrong_and_of_one_that_a_person_has_once_a_contradiction() -> None:
    found = told("You live in Texas. You sail dinghies. You share the household with a terrier.")
    assert found.wrong == ["lives in Texas", "sails dinghies"]
    assert found.contradictions == ["lives in Texas"]
    assert found.precision == 1 / 3


def test_one_common_word_is_no_interest() -> None:
    tidy = Person(
        person_id="p-3",
        attributes=(
            Attribute(
                id="themes-order-at-home",
                block="themes",
                statement="has an interest in order at home",
                basis="records",
            ),
        ),
    )
    assert told("Your order leaves on Monday.", person=tidy).found == set()
    assert told("You have an interest in order at home.", person=tidy).found == {"themes-order-at-home"}
