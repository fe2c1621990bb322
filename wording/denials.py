"""Denials of a trait by a person about the own household. A thing that is not there or not wanted, another home."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.wording.states import STATE
from drr.wording.vocabulary import Wordbook, vocabulary


class SaidOfSelf(NamedTuple):
    denied: tuple[str, ...]
    """Up to four words from the thing on: "dog any more"."""
    homes: tuple[str, ...]
    """States, by name."""


class DenialReader:
    def __init__(self, words: Wordbook) -> None:
        self._denial = re.compile(
            rf"\b(?:{words.either('denials')})\s(?:(?:{words.either('articles', 'determiners')})\s){{0,2}}"
            rf"(?P<thing>[\w'’&.-]{{1,40}}(?:\s[\w'’&.-]{{1,40}}){{0,3}})",
            re.I,
        )
        self._home = re.compile(
            rf"\b(?:I|we)\s(?:{words.either('homes', 'residents')})\s(?P<state>{STATE})\b", re.I
        )

    def read(self, text: str) -> SaidOfSelf:
        return SaidOfSelf(tuple(self._denied(text)), tuple(m["state"] for m in self._home.finditer(text)))

    def _denied(self, text: str) -> Iterator[str]:
        for match in self._denial.finditer(text):
            yield match["thing"]


denials_of_self = DenialReader(vocabulary("denials")).read
