"""Keys never leave the process: whatever is shown, logged or recorded passes through here first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk)-(?=[A-Za-z0-9_\-]*\d)[A-Za-z0-9_\-]{16,}|(?i:\bbearer\s+)[^\s\"',;]{6,}|(?i:\b(?:x-api-key|api[_-]?key)\b[\"']?\s*[:=]\s*[\"']?)[^\s\"',;]{6,}"
)
HIDDEN = "[hidden]"


class Redactor:
    """Replaces the keys it was given, and anything shaped like a key, by `[hidden]`."""

    def __init__(self, keys: Iterable[str | None] = ()) -> None:
        self._keys = sorted({key for key in keys if key and len(key) >= 4}, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Redactor({len(self._keys)} keys)"

    def known(self, text: str) -> str:
        """Only the keys it was given: for data, where something shaped like a key may be a product's name."""
        for key in self._keys:
            text = text.replace(key, HIDDEN)
        return text

    def __call__(self, text: str, limit: int | None = None) -> str:
        text = _LOOKS_LIKE_A_KEY.sub(HIDDEN, self.known(text))
        if limit is not None and len(text) > limit:
            text = text[: limit - 1] + "…"
        return text


def without_credentials(url: str) -> str:
    """An address as it may be shown: user names, passwords and query strings removed."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port:
        host = f"{host}:{parts.port}"
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
