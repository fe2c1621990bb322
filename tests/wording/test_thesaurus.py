"""Words that say nearly the same: the files are in order, and a text is read by what its words may mean."""

from __future__ import annotations

import pytest
from drr.env.text import tokens
from drr.wording.thesaurus import GROUPS, forms, groups, kinds, lines, opposites, thesaurus

FILES = (*GROUPS, "kinds", "opposites", "forms")


def senses(text: str) -> tuple[set[int], set[int], set[str], set[str]]:
    found = [one.sense for one in thesaurus(tokens).read(tokens(text))]
    same = {group for one in found for group in one.same}
    sides = {side for one in found for side in one.sides}
    return same, sides, {k for one in found for k in one.kinds}, {h for one in found for h in one.heads}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_sorted_and_says_nothing_twice(name: str) -> None:
    own = lines(name)
    assert own == sorted(set(own)) and all(line == line.strip() == line.lower() for line in own)


def test_words_within_a_line_are_sorted_and_stand_once() -> None:
    held = [words for group in groups() for words in (group.words, group.kin)]
    held += [words for _, words in (*kinds(), *forms())]
    held += [words for pair in opposites() for words in pair]
    assert [words for words in held if list(words) != sorted(set(words))] == []


def test_no_line_says_that_opposites_are_the_same() -> None:
    excluding = [(set(pair.one), set(pair.other)) for pair in opposites()]
    assert [pair for pair in excluding if pair[0] & pair[1]] == []
    same = [set(group.words) | set(group.kin) for group in groups()]
    torn = [words for words in same for one, other in excluding if words & one and words & other]
    assert torn == []


def test_every_line_joins_at_least_two_words_and_the_whole_is_large() -> None:
    assert [group for group in groups() if len(group.words) + len(group.kin) < 2] == []
    assert [kind for kind, words in kinds() if not words or kind in words] == []
    assert [pair for pair in opposites() if not all(pair)] == []
    assert 4000 <= len(thesaurus(tokens)) <= 12000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It came first in the test.", "The Alder won."),
        ("Postage is free of charge.", "Postage is complimentary."),
        ("They bought it.", "The purchase was theirs."),
        ("The price rose.", "An increase followed."),
        ("It is the quietest.", "A silent machine."),
        ("They put together the shelf.", "The shelf was assembled."),
    ],
)
def test_what_says_nearly_the_same_shares_a_group_whatever_its_form(one: str, other: str) -> None:
    assert senses(one)[0] & senses(other)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [("It is loud.", "It is quiet."), ("It rose.", "It fell."), ("He was born.", "He bought a lamp.")],
)
def test_what_says_something_else_shares_none(one: str, other: str) -> None:
    assert not senses(one)[0] & senses(other)[0]


def test_opposites_take_two_sides_of_one_pair() -> None:
    for one, other in (("noisier", "quieter"), ("banned", "allowed"), ("sold out", "in stock")):
        assert any(side ^ 1 in senses(other)[1] for side in senses(one)[1]), (one, other)


def test_a_kind_is_named_by_its_word_and_not_by_what_is_one_of_it() -> None:
    _, _, of, named = senses("an air fryer")
    assert "appliance" in of and "appliance" not in named
    assert "appliance" in senses("small appliances")[3]


def test_the_longest_phrase_is_read_first_and_its_words_too() -> None:
    read = thesaurus(tokens).read(tokens("It is dishwasher safe."))
    assert [(one.start, one.end) for one in read if one.end - one.start > 1] == [(2, 4)]
    assert {one.start for one in read if one.end - one.start == 1} >= {3}
