"""robots.txt as RFC 9309 says it: its own examples, the odd forms that sites have, and no pattern that takes long."""

from __future__ import annotations

from fnmatch import translate
from re import compile as compiled

import pytest
from drr.env.web.fetch import AGENT
from drr.env.web.robots import Robots
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, each


def robots(text: str | bytes) -> Robots:
    return Robots(text.encode() if isinstance(text, str) else text, AGENT)


RULES = (
    # The longest pattern that fits decides; allowed where two are as long.
    ("Allow: /page/\nDisallow: /page/disallowed.gif", "/page/disallowed.gif", "/page/"),
    ("Disallow: /\nAllow: /shop", "", "/shop/1"),
    ("Allow: /shop\nDisallow: /", "/other", ""),
    ("Disallow: /page\nAllow: /page", "", "/page"),
    ("Allow: /page\nDisallow: /page", "", "/page"),
    ("Disallow: /a*b\nAllow: /a", "/axb", ""),
    # Stars and the sign of the end.
    ("Disallow: /*.gif$", "/a/b.gif", "/a/b.gif?x=1"),
    ("Disallow: /*.gif", "/a/b.gif?x=1", ""),
    ("Disallow: /a$", "/a", "/ab"),
    ("Disallow: /a$b", "/a$b", "/a"),
    ("Disallow: *secret*", "/my/secret/page", ""),
    ("Disallow: /*?*session=", "/p?x=1&session=2", ""),
    ("Disallow: /**a**b", "/xaxb", ""),
    ("Disallow: /ab*ab$", "/abab", "/ab"),
    ("Disallow: /$", "/", "/page"),
    # An empty rule is none, and what is no rule is passed over.
    ("Disallow:", "", "/page"),
    ("Crawl-delay: 5\nSitemap: /x\nDisallow: /p\nnonsense", "/page", ""),
    ("Disallow: /p # and nothing else", "/page", ""),
    ("  DISALLOW  :  /p  ", "/page", ""),
    ("Disallow: /Page", "", "/page"),
    # Percent signs: RFC 9309, 2.2.2.
    *(("Disallow: /a/%62", "/a/b", ""), ("Disallow: /a/b", "/a/%62", ""), ("Disallow: /ü", "/%C3%BC", "")),
    *(
        ("Disallow: /%c3%bc", "/%C3%BC/x", ""),
        ("Disallow: /a%2Fb", "", "/a/b"),
        ("Disallow: /a%2fb", "/a%2Fb", ""),
    ),
    *(("Disallow: /a%2A", "/a*b", "/ab"), ("Disallow: /a%24", "/a$", "")),
    # The file itself may always be read, but for a query behind it.
    ("Disallow: /", "/robots.txt?x", "/robots.txt"),
)


@each(("rules", "forbidden", "allowed"), RULES)
@each("head", ["User-agent: *\n", "\ufeffuser-agent:*\r\n", "User-Agent: DeepResearchRetail/9\r"])
def test_a_rule(head: str, rules: str, forbidden: str, allowed: str) -> None:
    read = robots(head + rules)
    assert not forbidden or not read.allows(forbidden)
    assert not allowed or read.allows(allowed)


GROUPS = cases("web", "GROUPS")


@pytest.mark.parametrize(("text", "allowed", "why"), GROUPS)
def test_groups(text: str, allowed: bool, why: str) -> None:
    assert robots(text).allows("/page") is allowed, why


def test_bytes_that_are_no_text_hide_no_rule_and_a_cut_line_does_not_count() -> None:
    assert not robots(b"\xff\xfe\x80\nUser-agent: *\nDisallow: /\xe9\nDisallow: /page\n").allows("/page")
    start = b"User-agent: *\nDisallow: /"
    whole = start + b"a" * (500 * 1024 - len(start)) + b"bcd\n"
    assert robots(whole).allows("/" + "a" * (500 * 1024))


@given(st.text("ab*$/", max_size=12), st.text("ab/", max_size=12).map("/".__add__))
def test_stars_mean_what_they_mean_elsewhere(pattern: str, path: str) -> None:
    """Held against an expression made of the same pattern."""
    body, whole = (pattern[:-1], True) if pattern.endswith("$") else (pattern, False)
    expected = compiled(translate(body.replace("[", "")) if whole else translate(f"{body}*")).match(path)
    denied = not robots(f"User-agent: *\nDisallow: {pattern}").allows(path)
    assert denied is (expected is not None and pattern != "")
