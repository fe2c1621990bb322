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


RULES = [
    # The longest pattern that fits decides; allowed where two are as long.
    ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", False),
    ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/", True),
    ("Disallow: /\nAllow: /shop", "/shop/1", True),
    ("Allow: /shop\nDisallow: /", "/other", False),
    ("Disallow: /page\nAllow: /page", "/page", True),
    ("Allow: /page\nDisallow: /page", "/page", True),
    ("Disallow: /a*b\nAllow: /a", "/axb", False),
    # Stars and the sign of the end.
    ("Disallow: /*.gif$", "/a/b.gif", False),
    ("Disallow: /*.gif$", "/a/b.gif?x=1", True),
    ("Disallow: /*.gif", "/a/b.gif?x=1", False),
    ("Disallow: /a$", "/a", False),
    ("Disallow: /a$", "/ab", True),
    ("Disallow: /a$b", "/a$b", False),
    ("Disallow: /a$b", "/a", True),
    ("Disallow: *secret*", "/my/secret/page", False),
    ("Disallow: /*?*session=", "/p?x=1&session=2", False),
    ("Disallow: /**a**b", "/xaxb", False),
    ("Disallow: /ab*ab$", "/ab", True),
    ("Disallow: /ab*ab$", "/abab", False),
    ("Disallow: /$", "/", False),
    ("Disallow: /$", "/page", True),
    # An empty rule is none, and what is no rule is passed over.
    ("Disallow:", "/page", True),
    ("Crawl-delay: 5\nSitemap: /x\nDisallow: /p\nnonsense", "/page", False),
    ("Disallow: /p # and nothing else", "/page", False),
    ("  DISALLOW  :  /p  ", "/page", False),
    ("Disallow: /Page", "/page", True),
    # Percent signs: RFC 9309, 2.2.2.
    ("Disallow: /a/%62", "/a/b", False),
    ("Disallow: /a/b", "/a/%62", False),
    ("Disallow: /ü", "/%C3%BC", False),
    ("Disallow: /%c3%bc", "/%C3%BC/x", False),
    ("Disallow: /a%2Fb", "/a/b", True),
    ("Disallow: /a%2fb", "/a%2Fb", False),
    ("Disallow: /a%2A", "/a*b", False),
    ("Disallow: /a%2A", "/ab", True),
    ("Disallow: /a%24", "/a$", False),
    # The file itself may always be read.
    ("Disallow: /", "/robots.txt", True),
    ("Disallow: /", "/robots.txt?x", False),
]


@each(("rules", "target", "allowed"), RULES)
@each("head", ["User-agent: *\n", "\ufeffuser-agent:*\r\n", "User-Agent: DeepResearchRetail/9\r"])
def test_a_rule(head: str, rules: str, target: str, allowed: bool) -> None:
    assert robots(head + rules).allows(target) is allowed


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
