"""Tells by which encoding a file's bytes are read, from the bytes and the language of the shop."""

from __future__ import annotations

from codecs import lookup
from contextlib import suppress
from functools import cache
from locale import locale_alias
from unicodedata import category

_WESTERN = "en"
_OF_BYTES = ("cp1252", "cp1250", "cp1257")
"""Encodings to choose from where no language is known."""
_PAGES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp850", "cp852", "cp866", "mac_roman", "mac_latin2"
)  # fmt: skip
"""Encodings of files on disks, Windows first."""
_LETTERS = ("Lu", "Ll", "Lo")
_HIGH = bytes(range(0xA0, 0x100))


@cache
def encodings_of(language: str | None) -> tuple[str, ...]:
    """Return the encodings of one byte that hold the letters of a language, the likely ones first.

    Python's table of locales names a standard's encoding for each language; the others are those that hold its letters.
    """
    names = [name for alias, name in sorted(locale_alias.items()) if _is_of(alias, language)]
    standards = dict.fromkeys(name.partition(".")[2].casefold() for name in names)
    for standard in (one for one in standards if one.startswith(("iso8859", "cp", "koi8"))):
        letters = "".join(one for one in _HIGH.decode(standard, "ignore") if category(one) in _LETTERS)
        if pages := [one for one in _PAGES if letters and is_written_by(letters, one)]:
            return tuple(dict.fromkeys((*pages, standard)))
    return ()


def _is_of(alias: str, language: str | None) -> bool:
    return language is not None and (alias == language or alias.startswith(f"{language}_"))


def is_written_by(text: str, encoding: str) -> bool:
    with suppress(ValueError):
        text.encode(encoding)
        return True
    return False


def likely_encoding(data: bytes, language: str | None) -> str | None:
    """Return the language's encoding by which the fewest signs stand inside words. UTF-8 comes first; `None` if none reads the bytes."""
    found = dict[str, int]()
    for one in ("utf-8", *(encodings_of(language) or _OF_BYTES)):
        with suppress(ValueError):
            found[one] = _signs_inside(data.decode(one))
            if one == "utf-8":
                return one
    return min(found, key=found.__getitem__, default=None)


def misread_encoding(texts: list[str], used: str, language: str | None) -> str | None:
    """Return the encoding of texts that a Western one garbled, such as `bia³y` for `biały`; else `None`."""
    own = encodings_of(language)
    western = {lookup(one).name for one in encodings_of(_WESTERN)}
    with suppress(ValueError, LookupError):
        if lookup(used).name not in western or lookup(used).name in map(_name, own):
            return None
        better = likely_encoding("\n".join(texts).encode(used), language)
        if better in (None, "utf-8") or lookup(str(better)).name == lookup(used).name:
            return None
        strange = [one for one in texts if _signs_inside(one) or (own and not is_written_by(one, own[0]))]
        return better if len(strange) >= _FEW else None
    return None


_FEW = 3
"""Fewest strange texts that tell a wrong encoding."""


def _name(encoding: str) -> str:
    return lookup(encoding).name


def _signs_inside(text: str) -> int:
    """Count the signs between two letters; the apostrophe and dashes are the same ones in all that is compared."""
    return sum(
        not one.isascii() and not one.isalpha() and before.isalpha() and behind.isalpha()
        for before, one, behind in zip(text, text[1:], text[2:], strict=False)
    )
