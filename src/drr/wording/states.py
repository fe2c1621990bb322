"""The states of the United States by postal code, other mail destinations, and the regions that people name instead."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, any_word_pattern, vocabulary

PLACES = vocabulary("states")


def _by_code(group: str) -> dict[str, str]:
    return {row[:2]: row[3:] for row in PLACES[group]}


STATES = _by_code("states")
"""Name of each state by its code, the District of Columbia included."""

CODES = {
    spelling.casefold(): code
    for code, name in (STATES | _by_code("beside")).items()
    for spelling in (code, name)
}
"""Code by case-folded code or name, for every destination of US mail."""
STATE = any_word_pattern(STATES.values())
"""The names of states as alternatives of a regular expression."""


class PlaceReader:
    def __init__(self, words: Wordbook, places: Wordbook) -> None:
        names = any_word_pattern([*STATES.values(), *places["regions"]])
        leads, sides = words.either("leads", "sides"), words.either("sides", "between")
        self._place = re.compile(
            rf"(?:(?P<lead>\b(?:{leads})\s{{1,8}}(?:(?:{sides})\s{{1,8}}){{0,4}})|(?P<city>[A-Z][\w.'-]{{1,40}}(?:\s[A-Z][\w.'-]{{1,40}})?,\s{{0,8}}))?"
            rf"\b(?P<state>{names})\b(?P<tail>'s?\b|\s{{1,8}}(?:{words.either('tails')})\b)?"
        )
        self._no_place = re.compile(rf"\s{{1,8}}(?:{words.either('no_place')})\b")
        self._code = re.compile(
            rf"\b[A-Z][\w.'-]{{1,40}},\s{{0,8}}(?P<code>{any_word_pattern(STATES)})\b(?!\.\w)"
        )

    def region(self, text: str) -> str | None:
        for match in self._place.finditer(text):
            if self._no_place.match(text, match.end("state")):
                continue
            if match["lead"] or match["city"] or match["tail"]:
                return match["state"]
        code = self._code.search(text)
        return STATES[code["code"]] if code else None


region = PlaceReader(vocabulary("places"), PLACES).region
"""The function that returns the first place in a text, by its full name."""
