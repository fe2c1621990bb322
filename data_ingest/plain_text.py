"""Product texts as people read them: the tags and entities of HTML, which sellers leave in, become plain text.

Only names of HTML are taken for tags and only what ends in a semicolon for an entity, so that "< 5 lb", "<3", "AT&T" and
"?a=1&copy=2" stay what they are. Text written twice over (`&lt;b&gt;`) is read through.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

VERSION = "1"
"""Raised when a text may come out otherwise. It stands in the manifest; the content hash of a shop depends on it."""
_BREAKS = (
    "address|article|aside|blockquote|br|caption|center|dd|div|dl|dt|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section"
    "|table|tbody|td|tfoot|th|thead|tr|ul"
)
_INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt"
    "|u|var|wbr"
)
_ATTRIBUTE = r"""\s+[A-Za-z][\w:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+)"""
_TAG = re.compile(rf"</?(?:(?P<breaks>{_BREAKS})|{_INLINE})(?:{_ATTRIBUTE})*\s*/?>", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--[^<>]{0,2000}-->")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_BLANKS = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_TWICE = 2


def plain(text: str) -> str:
    if "<" not in text and "&" not in text:
        return text
    read = text
    for _ in range(_TWICE):
        read = _ENTITY.sub(lambda found: unescape(found[0]), read)
    read = _TAG.sub(lambda found: " " if found["breaks"] else "", _HIDDEN.sub("", read))
    return text if read == text else _BLANKS.sub(" ", read).strip()


def plain_values(value: Any) -> Any:
    """All texts in a structure, names included; a name that becomes another's stays as it was."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [plain_values(item) for item in value]
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for name, item in value.items():
            read = plain(name)
            found[name if read != name and (read in value or read in found) else read] = plain_values(item)
        return found
    return value
