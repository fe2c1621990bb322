"""What may be asked at all. Everything here is refused before a byte is sent."""

from __future__ import annotations

import ipaddress

import pytest
from drr.env.web.address import Refused, check_ip, parse
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, each
from tests.sizes import examples


@pytest.mark.parametrize(("url", "asked"), cases("web", "test_ordinary_addresses_are_asked"))
def test_ordinary_addresses_are_asked(url: str, asked: str) -> None:
    assert parse(url).url == asked


@each(
    ("url", "said"),
    [
        *cases("web", "test_other_addresses_are_refused_with_the_reason"),
        ("http://birds.example/" + "a" * 5000, "longer than"),
    ],
)
def test_other_addresses_are_refused_with_the_reason(url: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse(url)


@each("ip", cases("web", "test_addresses_that_are_not_public_hosts_are_refused"))
def test_addresses_that_are_not_public_hosts_are_refused(ip: str) -> None:
    with pytest.raises(Refused):
        check_ip(ip)


@pytest.mark.parametrize("ip", cases("web", "test_public_hosts_are_not"))
def test_public_hosts_are_not(ip: str) -> None:
    check_ip(ip)


@given(
    st.integers(0, 2**32 - 1).map(ipaddress.IPv4Address)
    | st.integers(0, 2**128 - 1).map(ipaddress.IPv6Address)
)
@examples(500)
def test_nothing_that_python_calls_local_passes(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    try:
        check_ip(str(ip))
    except Refused:
        return
    assert ip.is_global
    assert not (ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_reserved)


@given(st.text(max_size=60) | st.text(alphabet="htps:/.@[]%0aé1\\?#", max_size=40).map("http://".__add__))
@examples(500)
def test_any_text_is_an_address_or_refused(url: str) -> None:
    try:
        address = parse(url)
    except Refused:
        return
    assert address.url.isascii()
    assert address.port in (80, 443)
    assert parse(address.url) == address
