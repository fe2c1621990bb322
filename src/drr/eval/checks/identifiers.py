"""Finds product ids in a text, by the forms that the shop's own ids have: `DE-1003`, `B-50053`.

A form is the letters, digits and marks of an id: `DE-1003` has that of two capitals, a hyphen and four digits. A token of such a form may
be an id; `id_places` tells whether an unknown one is. One of digits alone could be any number, so only one that the shop has counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice, takewhile
from typing import NamedTuple
from weakref import WeakKeyDictionary

from drr.env.shop import Shop, Store

AMAZON = re.compile(r"(?<![A-Za-z0-9/_-])B[0O][A-Z0-9]{7,10}(?![A-Za-z0-9_-])")
"""The form of Amazon's product numbers."""
_SAMPLE = 400  # most ids of a shop from which its forms are learned
_FORMS, _USUAL = 24, 3  # most forms that count; fewest ids of a form where a shop has more of them
TOKEN = re.compile(r"(?<![\w/.@=&?-])[A-Za-z0-9][A-Za-z0-9_.-]{1,38}[A-Za-z0-9](?![\w@-])")
_DIGITS = 5  # fewest digits of an id of digits alone
_MOST = 2_000  # most words of a text that are looked up
_LEAD = 3  # fewest signs before its digits by which an id is known in prose


class FoundId(NamedTuple):
    id: str
    start: int
    end: int


class IdForms:
    """The forms of some ids."""

    def __init__(self, ids: Iterable[str]) -> None:
        some = list(ids)
        lengths = [len(one) for one in some] or [0]
        self._leads, self._kinds = Counter(map(_lead, some)), {frozenset(map(_kind, one)) for one in some}
        self._lengths = range(min(lengths), max(lengths) + 1)
        self.are_amazons = bool(some) and all(map(AMAZON.fullmatch, some))
        counted = Counter(_form(one) for one in some if not one.isdecimal())
        usual = (one for one, ids in counted.items() if len(counted) <= _FORMS or ids >= _USUAL)
        forms = sorted(usual, key=len, reverse=True)
        if self.are_amazons or not some:
            self.form: re.Pattern[str] | None = AMAZON
        elif forms and len(forms) <= _FORMS:
            self.form = re.compile(
                rf"(?<![A-Za-z0-9/_-])(?:{'|'.join(forms)})(?![A-Za-z0-9_-]|[./][A-Za-z0-9])"
            )
        else:
            self.form = None

    def find(self, text: str, known: Callable[[Sequence[str]], Collection[str]]) -> Iterator[FoundId]:
        """Yield the tokens of these forms, and the tokens that `known` calls ids. A token without a digit may be a word, as `USB-C`."""
        found = [FoundId(one[0], *one.span()) for one in self.form.finditer(text)] if self.form else []
        words = [one.id for one in found if not any(map(str.isdecimal, one.id))]
        no_ids = set(words) - set(known(words))
        yield from (one for one in found if one.id not in no_ids)
        if self.are_amazons or self.form is AMAZON:
            return
        taken = {one.start for one in found}
        tokens = [one for one in TOKEN.finditer(text) if one.start() not in taken and _may_be_id(one[0])][
            :_MOST
        ]
        ids = set(known(list(dict.fromkeys(one[0] for one in tokens))))
        yield from (FoundId(one[0], *one.span()) for one in tokens if one[0] in ids)

    def begin_as(self, token: str, *, alike: bool = False) -> bool:
        """Tell whether some ids, or with `alike` all, have the signs that a token has before its digits."""
        if self.form is AMAZON:
            return AMAZON.fullmatch(token) is not None
        lead = _lead(token)
        return len(lead) >= _LEAD and self._leads[lead] >= (self._leads.total() if alike else 2)

    def are_like(self, token: str) -> bool:
        """Tell whether ids are as long as a token and have its kinds of letters, digits and marks."""
        return frozenset(map(_kind, token)) in self._kinds and len(token) in self._lengths


def _lead(one: str) -> str:
    return "".join(takewhile(lambda sign: not sign.isdecimal(), one))


def _may_be_id(token: str) -> bool:
    return any(map(str.isdecimal, token)) and (not token.isdecimal() or len(token) >= _DIGITS)


def _form(one: str) -> str:
    """Return the form of an id as a regular expression."""
    runs = ((kind, len(list(run))) for kind, run in groupby(one, key=_kind))
    return "".join(f"{kind}{{{many}}}" for kind, many in runs)


def _kind(letter: str) -> str:
    if letter.isdecimal() and letter.isascii():
        return r"\d"
    if letter.isalpha() and letter.isascii():
        return "[A-Z]" if letter.isupper() else "[a-z]"
    return re.escape(letter)


_learned: WeakKeyDictionary[Store, IdForms] = WeakKeyDictionary()


def product_forms(shop: Shop | None) -> IdForms:
    """Return the forms of a shop's product ids, or Amazon's forms where no shop is known."""
    if shop is None:
        return IdForms(())
    if shop.store not in _learned:
        _learned[shop.store] = IdForms(one.product_id for one in islice(shop.store.iter_products(), _SAMPLE))
    return _learned[shop.store]
