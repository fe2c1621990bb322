"""Removes keys from every text that is shown, logged or recorded, so that keys never leave the process."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk)-(?=[A-Za-z0-9_\-]*\d)[A-Za-z0-9_\-]{16,}|(?i:\bbearer\s+)[^\s\"',;]{6,}|(?i:\b(?:x-api-key|api[_-]?key)\b[\"']?\s*[:=]\s*[\"']?)[^\s\"',;]{6,}"
)
HIDDEN = "[hidden]"
_PREFIXES = ("sk-", "pk-", "rk-")


def can_be_key(text: str) -> bool:
    """Tell whether a text may be a key, by its length and variety, or by a provider's prefix.

    A word like `test` or `pillow` is no key: hiding it would spoil every record with the word, and it is never sent as a key.
    """
    if any(c.isspace() for c in text) or not any(c.isalpha() for c in text):
        return False
    if text.startswith(_PREFIXES):
        return len(text) >= 7
    mixed = any(c.isdigit() for c in text)
    return len(text) >= (12 if mixed else 20) and len(set(text)) >= 6


class Redactor:
    """A redactor that replaces the given keys, and any text shaped like a key, by `[hidden]`. Given texts
    that cannot be keys are not hidden."""

    def __init__(self, keys: Iterable[str | None] = (), addresses: Iterable[str | None] = ()) -> None:
        real = {key for key in keys if key and can_be_key(key)}
        real |= {form for address in addresses if address for form in _credentials(address)}
        # The keys as plain text, and as JSON writes them.
        forms = {
            form
            for key in real
            for form in (key, json.dumps(key)[1:-1], json.dumps(key, ensure_ascii=False)[1:-1])
        }
        self._keys = sorted(forms, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Redactor({len(self._keys)} keys)"

    def count(self, text: str) -> int:
        """Return how often the given keys occur in a text."""
        return sum(text.count(key) for key in self._keys)

    def values(self, value: Any) -> Any:
        """Return plain data without the keys in its texts; names of fields, numbers and truth values stay."""
        if isinstance(value, str):
            return self.known(value)
        if isinstance(value, Mapping):
            return {name: self.values(one) for name, one in value.items()}
        return [self.values(one) for one in value] if isinstance(value, list | tuple) else value

    def message(self, message: AIMessage) -> AIMessage:
        """Return a model's answer without the keys, because a server may write back the key that it was sent."""
        if not self._keys or not self.count(message.model_dump_json()):
            return message
        return type(message).model_validate(self.values(message.model_dump()))

    def known(self, text: str) -> str:
        """Replace the given keys in a text, and nothing else. In data, what looks like a key may be a product's name."""
        for key in self._keys:
            text = text.replace(key, HIDDEN)
        return text

    def __call__(self, text: str, limit: int | None = None) -> str:
        text = _LOOKS_LIKE_A_KEY.sub(HIDDEN, self.known(text))
        if limit is not None and len(text) > limit:
            text = text[: limit - 1] + "…"
        return text


def _credentials(address: str) -> Iterator[str]:
    """Yield `user:password@` of an address in its written and encoded forms, and the password if it can be a key."""
    user = address.partition("://")[2].partition("/")[0].rpartition("@")[0]
    for form in {user, unquote(user), quote(unquote(user), safe=":")} - {""}:
        yield f"{form}@"
        password = form.partition(":")[2]
        if can_be_key(password):
            yield password
