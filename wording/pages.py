"""Whether words speak of a page alone: of `The product page here`, nothing says what the page is of."""

from __future__ import annotations

from collections.abc import Iterable

from drr.wording.vocabulary import Wordbook, vocabulary


class PageWords:
    def __init__(self, words: Wordbook) -> None:
        own = frozenset(word for group in words.groups for word in words[group])
        function_words = frozenset(vocabulary("shopping")["function_words"])
        self._words = own | frozenset(f"{word}s" for word in own) | function_words

    def is_of_a_page(self, said: Iterable[str]) -> bool:
        """Of words in small letters: no other word is among them but numbers."""
        return all(word in self._words or word.isdecimal() for word in said)


PAGES = PageWords(vocabulary("pages"))
