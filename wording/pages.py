"""The test whether words speak of a page alone. Nothing in `The product page here` says what the page is of."""

from __future__ import annotations

from collections.abc import Iterable

from drr.wording.vocabulary import Wordbook, vocabulary


class PageWords:
    def __init__(self, words: Wordbook) -> None:
        own = frozenset(word for group in words.groups for word in words[group])
        function_words = frozenset(vocabulary("shopping")["function_words"])
        self._words = own | frozenset(f"{word}s" for word in own) | function_words

    def is_of_a_page(self, words: Iterable[str]) -> bool:
        """Tell whether words in small letters speak of a page: no other word is among them but numbers."""
        return all(word in self._words or word.isdecimal() for word in words)


PAGES = PageWords(vocabulary("pages"))
