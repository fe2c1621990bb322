"""One canonical form of an address: its own canonical form, the same for every spelling, the same for agents and judges."""

from __future__ import annotations

from random import Random

import pytest
from drr.citations.addresses import addresses_in, canonical_url, host_of, path_steps, without_escapes
from drr.citations.parse import parse
from drr.citations.repair import unknown_urls
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import cases
from tests.citations.spelling import Address, spelt
from tests.sizes import examples

PIECES = st.lists(
    st.sampled_from(
        ["http", "HTTPS", "ftp", "user", "://", "a.org", "A", "@", ":", ":80", ":443", "/", "//", "?", "&", "=", "utm_x=1", "UTM_",
         "#", "#:~:text=", ":~:text=", " ", "\t", "\u3000", "\\", "\\_", "&amp;", "&#38;", "&#x26;", "amp;", "lt;", "&lt;", "www.",
         "[::1]", "\n", "x", "İ", "ΑΣ"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@pytest.mark.long
@given(PIECES | PIECES.map("http://a.org".__add__) | st.text(max_size=40))
@example(r"http://\ /x")
@example("http://x:80:80")
@example("https://a.org/? &utm_x=1")
@example("https://a.org/ :~:text=x")
@examples(500)
def test_the_canonical_form_is_its_own(raw: str) -> None:
    once = canonical_url(raw)
    assert canonical_url(once) == once
    assert without_escapes(without_escapes(raw)) == without_escapes(raw)
    assert host_of(once) == host_of(raw)
    assert path_steps(once) == path_steps(raw)


WORDS = st.text("abcdefgh0123456789", min_size=1, max_size=6)
NETWORK = st.builds(
    Address,
    st.sampled_from(["http", "https"]),
    WORDS.map("{}.example".format),
    st.lists(WORDS | st.sampled_from(["x_(y)", "a_b", "Ab"]), max_size=3).map(
        lambda steps: "".join(f"/{step}" for step in steps)
    ),
    st.lists(st.builds("{}={}".format, WORDS, WORDS), max_size=2).map(tuple),
)


@pytest.mark.long
@given(NETWORK, NETWORK, st.randoms(use_true_random=False))
def test_two_spellings_are_equal_exactly_where_the_addresses_are(
    one: Address, other: Address, random: Random
) -> None:
    assert (canonical_url(spelt(one, random)) == canonical_url(spelt(other, random))) == (one == other)
    assert canonical_url(spelt(one, random)) == canonical_url(spelt(one, random))


@pytest.mark.parametrize(
    "cited",
    ["https://a.example/x#part", "https://a.example/x?utm_source=chatgpt.com", "https://A.example:443/x/"],
)
def test_what_repair_takes_out_is_what_the_judge_finds_made_up(cited: str) -> None:
    known = {canonical_url("https://a.example/x")}
    (source,) = parse(f"See {cited} for more.").sources
    assert (unknown_urls(parse(f"See {cited} for more."), known.__contains__) == []) == (source.url in known)


HOSTS = cases("citations", "HOSTS")


@pytest.mark.parametrize(("url", "host"), HOSTS)
def test_one_host_per_address(url: str, host: str) -> None:
    assert host_of(url) == host


def test_the_addresses_of_a_text_end_with_their_sentence() -> None:
    text = "See (https://a.org/x_(y)), http://B.org/?utm_source=x&a=1. Or http://, user://U1/profile!"
    assert list(addresses_in(text)) == ["https://a.org/x_(y)", "http://b.org/?a=1", "user://U1/profile"]
