"""The ways of a report to mention a fact's subject without its name, and to disown what it repeats."""

from __future__ import annotations

import re

from drr.wording.vocabulary import Wordbook, either, vocabulary

_CUE = "cue_"
_AHEAD = 3
"""Words that may stand between a denial and what it denies."""


class FactWords:
    def __init__(self, words: Wordbook) -> None:
        def whole(*groups: str) -> re.Pattern[str]:
            return re.compile(rf"(?<![\w-])(?:{words.either(*groups)})(?![\w-])", re.I)

        def known(group: str) -> re.Pattern[str]:
            """Match a group's words with a word before them that says which one. `your shelf`, and no `gap of 3 in`."""
            ahead = rf"(?:{words.either('known')})\s{{1,4}}(?:[\w-]{{1,20}}\s{{1,4}})?"
            return re.compile(rf"(?<![\w-]){ahead}(?:{words.either(group)})(?![\w-])", re.I)

        self.places, self.doors = known("places"), known("doors")
        self.sellers, self.makers = known("sellers"), known("makers")
        self.disowned, self.aside, self.others = whole("disowned"), whole("set_aside"), whole("others")
        self.amiss = re.compile(
            rf"(?<![\w-])(?:{words.either('amiss')})(?![\w-])(?!\s{{1,4}}(?:[\w'’-]{{1,20}}\s{{1,4}}){{0,2}}(?:{words.either('statements')})(?!\w))",
            re.I,
        )
        self.untrusted = re.compile(
            rf"(?<![\w-])(?:{words.either('refusing')})\s{{1,4}}(?:[\w'’-]{{1,20}}\s{{1,4}}){{0,2}}(?:{words.either('trusting')})(?![\w-])",
            re.I,
        )
        self.worked_out = re.compile(
            rf"(?<![\w-])(?:{words.either('multiplied')})\s(?:that|this|it|the\s[\w-]{{1,20}})\s(?:is|are|makes?|gives?|comes?\sto)\s{{1,4}}$",
            re.I,
        )
        self.denied = re.compile(
            rf"(?<![\w-])(?:{words.either('denied')})\s{{1,4}}(?:[\w'’$-]{{1,24}}\s{{1,4}}){{0,{_AHEAD}}}$",
            re.I,
        )
        self._bounds = re.compile(rf"\b(?:{words.either('bounds')})(?:\sthan)?\s{{1,4}}$", re.I)
        """Denied they name a bound, which is told."""
        self.turned = re.compile(rf"\W{{0,4}}(?:{words.either('turned')})(?![\w-])", re.I)
        self.cues = {
            name: re.compile(rf"(?<![\w-])(?:{either(rows.words)})(?![\w-])", re.I)
            for name, rows in words.groups.items()
            if name.startswith(_CUE)
        }

    def is_denied(self, text: str, start: int) -> bool:
        """Tell whether the words that begin there are denied."""
        found = self.denied.search(text[max(0, start - 80) : start])
        return found is not None and not self._bounds.search(found[0])

    def is_worked_out(self, text: str, start: int) -> bool:
        """Tell whether a multiple of an earlier figure begins there."""
        return self.worked_out.search(text[max(0, start - 80) : start]) is not None

    def disowns(self, text: str) -> bool:
        """Tell whether the words disown what they repeat; not where they say what is wrong with a thing."""
        return self.disowned.search(self.amiss.sub(" ", text)) is not None or self.sets_aside(text)

    def is_general(self, text: str) -> bool:
        """Tell whether it speaks of others too."""
        return self.others.search(text) is not None

    def sets_aside(self, text: str) -> bool:
        """Tell whether the writer does not go by what he mentions."""
        return self.aside.search(text) is not None or self.untrusted.search(text) is not None

    def turns(self, text: str) -> bool:
        """Tell whether a sentence takes back the one before it."""
        return self.turned.match(text) is not None

    def about(self, text: str) -> frozenset[str]:
        """Find the subjects of a text, by the names of the groups of words."""
        return frozenset(name for name, cue in self.cues.items() if cue.search(text))


FACT_WORDS = FactWords(vocabulary("facts"))
