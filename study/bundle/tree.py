"""The tree of hashes over the lines of a bundle, as RFC 6962 makes it. Its root names the bundle."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from hashlib import sha256


def leaf(content: bytes) -> bytes:
    return sha256(b"\0" + content).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def tree(lines: Iterable[bytes]) -> str:
    """Hash lines to one root. Two lines hash to a node, two nodes of one height to the next."""
    peaks: list[tuple[int, bytes]] = []
    for line in lines:
        height, found = 0, leaf(line)
        while peaks and peaks[-1][0] == height:
            height, found = height + 1, _node(peaks.pop()[1], found)
        peaks.append((height, found))
    if not peaks:
        return sha256(b"").hexdigest()
    return reduce(lambda right, left: _node(left, right), [one for _, one in reversed(peaks)]).hex()
