"""Personal data that has a form of its own. An e-mail address, a telephone number, a street, a card or account number."""

from __future__ import annotations

import re

_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+\.\w+")
_PERSONAL = {
    "an e-mail address": _MAIL,
    "a phone number": re.compile(r"(?<!\d)(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)"),
    "a street address": re.compile(
        r"\b\d{1,5} (?:[A-Z][a-z]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Way)\b"
    ),
    "a card or account number": re.compile(r"(?<!\d)(?:\d{4}[ -]){3}\d{4}(?!\d)"),
}


def personal_data(text: str) -> list[str]:
    """List the kinds of private data in the text."""
    return [
        name
        for name, pattern in _PERSONAL.items()
        if (pattern is not _MAIL or "@" in text) and pattern.search(text)
    ]
