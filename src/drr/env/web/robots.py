"""Interprets a site's robots.txt as RFC 9309 says.

Groups that name our agent count together, the longest pattern that fits decides, and if two are equally long the page is allowed. A pattern's stars
are matched from left to right, once each, so that no pattern takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

LARGEST = 500 * 1024
"""Most bytes that are read of a file; RFC 9309 demands at least this, and the rest is ignored."""
_LINE = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_UNRESERVED = re.compile(r"%([0-9A-Fa-f]{2})")
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class _Rule(NamedTuple):
    length: int
    allows: bool
    parts: tuple[str, ...]
    """The parts of the pattern between its stars."""
    whole: bool
    """True if the pattern ends with `$`: nothing may follow the match."""


class Robots:
    """The rules of one site for one agent. Without rules, everything is allowed."""

    def __init__(self, content: bytes, agent: str) -> None:
        token = _TOKEN.match(agent)
        name = token[0].casefold() if token else ""
        own: list[_Rule] = []
        others: list[_Rule] = []
        named = False
        for agents, rules in _groups(_whole_lines(content).decode("utf-8", "replace")):
            if name in agents:
                named = True
                own += rules
            elif "*" in agents:
                others += rules
        # The longest first, and of two as long the one that allows.
        self._rules = sorted(own if named else others, key=lambda rule: (-rule.length, not rule.allows))

    def allows(self, target: str) -> bool:
        """Tell whether a path with its query may be requested. The file itself may always be read."""
        path = _octets(target).replace("*", "%2A").replace("$", "%24")
        if path == "/robots.txt":
            return True
        return next((rule.allows for rule in self._rules if _fits(rule, path)), True)


def _whole_lines(content: bytes) -> bytes:
    """Drop the last half line of a file that is too long. `Disallow: /a` cut off in the middle would forbid more than its author did."""
    if len(content) < LARGEST:
        return content
    end = max(content.rfind(b"\n", 0, LARGEST), content.rfind(b"\r", 0, LARGEST))
    return content[: end + 1]


def _groups(text: str) -> Iterator[tuple[set[str], list[_Rule]]]:
    agents: set[str] = set()
    rules: list[_Rule] = []
    ruled = False
    for line in _LINE.split(text.removeprefix("\ufeff")):
        name, colon, value = line.partition("#")[0].partition(":")
        if not colon:
            continue
        name, value = name.strip().casefold(), value.strip()
        if name == "user-agent":
            if ruled:
                yield agents, rules
                agents, rules, ruled = set(), [], False
            agents.add(_agent(value))
        elif name in ("allow", "disallow"):
            ruled = True
            if value and agents:
                rules.append(_rule(name == "allow", value))
    yield agents, rules


def _agent(value: str) -> str:
    """Return the agent's name without the version after it."""
    if value.split(None, 1)[:1] == ["*"]:
        return "*"
    token = _TOKEN.match(value)
    return token[0].casefold() if token else ""


def _rule(allows: bool, pattern: str) -> _Rule:
    whole = pattern.endswith("$")
    octets = _octets(pattern.removesuffix("$") if whole else pattern).replace("$", "%24")
    return _Rule(len(octets) + whole, allows, tuple(octets.split("*")), whole)


def _octets(text: str) -> str:
    """Normalise a path for comparison: characters that need no percent encoding have none, and all others have one."""
    quoted = quote(text, safe="/%:@!$&'()*+,;=~-._?[]{}|^`\\\"<>#")
    return _UNRESERVED.sub(_unquote_octet, quoted)


def _unquote_octet(found: re.Match[str]) -> str:
    octet = unquote_to_bytes(found[0])
    return octet.decode("ascii") if octet[0] in _PLAIN else found[0].upper()


def _fits(rule: _Rule, path: str) -> bool:
    first, *further = rule.parts
    if not path.startswith(first):
        return False
    if not further:
        return not rule.whole or path == first
    at = len(first)
    *between, last = further
    for part in between:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    if rule.whole:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0
