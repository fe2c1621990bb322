"""A model's text in a field, as plain prose on one line: no markup, no address, digits of one kind."""

from __future__ import annotations

import html
import re
import unicodedata

from drr.agents.forms.file_names import NO_FILES, FileNames
from drr.citations.bare import without_addresses
from drr.env.records.lines import one_line

LONGEST = 1_200
"""Characters of one sentence; what goes on is cut."""
_MARKS = re.compile(r"\[[\s\d,;^†–-]{0,40}\]|【[^【】]{0,200}】")
_MARKUP = re.compile(r"\{[^{}\[\]<>|`]{0,200}\}|[\[\]<>*_`#|~\\^【】†]")
_LEAD = re.compile(r"^(?:(?:[-+•·>=]|\d{1,3}[.)])\s+)+")
_ESCAPES = 3


def plain(text: str, limit: int = LONGEST, files: FileNames = NO_FILES) -> str:
    """Placeholders in braces are left as they are; a name of `files` is left as its mark."""
    text = text[: 4 * limit]
    for _ in range(_ESCAPES):
        text = html.unescape(text)
    text = one_line(_western(unicodedata.normalize("NFKC", text)), 4 * limit)
    text = without_addresses(files.marked(text))
    text = _MARKUP.sub(lambda match: match[0] if match[0][0] == "{" else " ", _MARKS.sub(" ", text))
    return _LEAD.sub("", one_line(_tidy(text), limit)).strip()


def unmarked(text: str) -> str:
    """Clean what stands between placeholders: no brace, no mark."""
    return _MARKUP.sub(" ", text.replace("{", " ").replace("}", " "))


def _western(text: str) -> str:
    """Every digit of any script as one of ours."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(char, char)) if char.isdigit() else char for char in text)


def _tidy(text: str) -> str:
    """Drop what taking something out left behind."""
    text = re.sub(r"\(\s*\)|\"\s*\"", " ", text)
    return re.sub(r"(?<!\s)\s++([.,;:!?)])", r"\1", text)
