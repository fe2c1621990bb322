"""The tokenizer, which decides what is found; a change of it needs a new version."""

from __future__ import annotations

import string
from unicodedata import combining, normalize

import pytest
from drr.env.text import (
    category_key,
    folded_text,
    indexed_text,
    is_text,
    person_key,
    sample_key,
    stem,
    tokens,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases


@pytest.mark.parametrize(("text", "words"), [*cases("env_store", "test_words"), ("🐦 — ! \u200b \ud800", [])])
def test_words(text: str, words: list[str]) -> None:
    assert tokens(text) == words


def test_a_word_longer_than_an_index_takes_is_cut() -> None:
    assert tokens("x" * 10_000) == ["x" * 64]


@given(st.text())
def test_tokens_are_stable_and_safe_for_a_whitespace_index(text: str) -> None:
    words = tokens(text)
    assert tokens(text.upper()) == tokens(text.upper().lower())
    for word in words:
        assert word and not any(c.isspace() for c in word) and len(word) <= 64
        assert word.encode()


@given(st.text(string.ascii_lowercase, min_size=1, max_size=12))
def test_a_plural_finds_its_singular(word: str) -> None:
    """Of words that form it by a plain `s` or, after a hiss, by `es`."""
    if len(word) < 3 or word.endswith(("s", "e", "o", "y", "u", "i")):
        return
    plural = word + ("es" if word.endswith(("ch", "sh", "x", "zz")) else "s")
    assert stem(plural) == stem(word)


def test_category_names_of_files_and_of_paths_are_the_same() -> None:
    assert (
        category_key("Patio_Lawn_and_Garden") == category_key("Patio, Lawn & Garden") == "patio_lawn_garden"
    )
    assert category_key("Pet_Supplies") == category_key("PET  supplies") == category_key("Pet Supply")
    assert category_key("&") == ""


def test_the_title_counts_twice() -> None:
    assert indexed_text("Red Shoes", ["a  b"], ["c\nd"]) == "red shoe red shoe a b c d"
    assert indexed_text("", [], []) == ""


def test_people_are_compared_without_case_and_outer_spaces() -> None:
    assert person_key(" ÅSA ", "Ek") == person_key("åsa", "EK")
    assert person_key("a b", "c") != person_key("a", "b c")
    assert is_text("A1") and is_text("Å") and not is_text("\ud800"), "half a pair is no key"


def test_the_shuffle_of_a_seed_never_changes() -> None:
    assert sample_key(7, "A1").hex() == "b89690ea6f118be1d0b750c6"
    assert sample_key(7, "A1") != sample_key(8, "A1")


@given(st.text())
def test_folding_what_is_foreign_alone_folds_the_whole(text: str) -> None:
    whole = "".join(c for c in normalize("NFKD", text.casefold()) if not combining(c)).casefold()
    assert folded_text(text) == whole
