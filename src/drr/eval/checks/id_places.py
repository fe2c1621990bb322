"""Tells which tokens of a report are ids: those of the shop, and unknown ones where only an id stands.

Such places are labels and cells of ids, and brackets and cells that hold a token that begins as the shop's ids do. Where all ids of a shop
begin alike (`SKU-`, Amazon's `B0`), so does any id in English prose. What a line denies is open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol

from drr.eval.checks.base import Subject, is_own_number
from drr.eval.checks.identifiers import FoundId, product_forms
from drr.eval.checks.results import Span
from drr.eval.checks.values import Segment, plain_label, segment, segments, split_label, word_list
from drr.wording.vocabulary import vocabulary

_PAIRS, _WIDE, _FAR = ("()", "[]", "``", "||"), 40, 300
"""Marks around a token that stands alone; most letters to them, and to a word that denies it."""
_IDS = word_list("id|ids|sku|asin|artikelnummer|produktnummer|référence|codice|código|kod")
_NUMBERS = word_list("no|nr|number|code|n|numéro|numero|número|numer")
_THINGS = word_list("product|item|article|artikel|produkt|shop|produit|producto|prodotto|articolo|artigo")
"""Words of labels: of an id, of a number, and of the thing that has one."""
_DENIALS = {*vocabulary("told_values")["negated"], "none", "nor", "neither", "cannot"}


class PlacedLine(Protocol):
    """A line of a report, as `TextLine` is."""

    start: int
    end: int
    text: str
    table: int
    cells: list[Span]
    header: list[str]


def claimed_ids(subject: Subject, lines: Sequence[PlacedLine]) -> Iterator[FoundId]:
    """Yield the ids of a report's body, known or not."""
    report, forms, starts = subject.report, product_forms(subject.shop), [one.start for one in lines]
    language = subject.language or (subject.shop.manifest.language if subject.shop else None) or "en"
    alone = {one.start: one for one in _alone(subject, lines)}
    for start, one in sorted((alone | {each.start: each for each in subject.ids_in(report)}).items()):
        around = (
            report[max(0, start - _WIDE) : start].rstrip(" *_")[-1:]
            + report[one.end : one.end + _WIDE].lstrip(" *_")[:1]
        )
        if start in alone:
            is_one = forms.are_like(one.id) and is_own_number(subject, one.id) is not True
        elif around in _PAIRS:
            is_one = forms.begins_as_some(one.id)
        else:
            is_one = forms.begins_as_all(one.id) and language.startswith("en")
        line = lines[max(0, bisect_right(starts, start) - 1)] if lines else None
        if subject.product(one.id) is not None or (
            is_one and not (line and _denies(report, (line.start, line.end), one))
        ):
            yield one


def _alone(subject: Subject, lines: Sequence[PlacedLine]) -> Iterator[FoundId]:
    """Yield the tokens that are all that a label of ids, or a cell below or beside one, holds. A column with a known id is one of ids."""
    report = subject.report
    for table, some in groupby(lines, key=lambda one: one.table):
        columns = defaultdict[int, list[FoundId]](list)
        for line in some:
            labels = [*line.header, *[""] * len(line.cells)]
            first = report[slice(*line.cells[0])] if line.cells else ""
            for column, cell in enumerate(line.cells):
                for one in _tokens(segment(report, *cell)):
                    columns[column].append(one)
                    if _is_of_ids(labels[column]) or _is_of_ids(first):
                        yield one
            if table < 0:
                yield from _labelled(report, line)
        yield from (
            one for some in columns.values() if subject.products([one.id for one in some]) for one in some
        )


def _labelled(report: str, line: PlacedLine) -> Iterator[FoundId]:
    above = Segment(line.start, "")
    for one in segments(report, line.start, line.end):
        label, _, last = one.text.rpartition(" ")
        if not label and report[above.end : one.start] == ". ":  # `Item no. 4711`
            label = above.text
        part, above = split_label(one) or (label, Segment(one.end - len(last), last)), one
        if _is_of_ids(part[0]):
            yield from _tokens(part[1])


def _tokens(one: Segment) -> Iterator[FoundId]:
    token = one.text.strip(" \t*_`()[]#")
    start = one.start + one.text.find(token)
    if " " not in token and any(map(str.isdecimal, token)):
        yield FoundId(token, start, start + len(token))


def _is_of_ids(label: str) -> bool:
    """Tell whether a label names ids of products. A bare number may be another's."""
    words = {one for one in plain_label(label).replace("-", " ").split() if not one.isdecimal()}
    is_of_some = words & _IDS or (words & _NUMBERS and words & _THINGS)
    return bool(is_of_some) and words <= _IDS | _NUMBERS | _THINGS


def _denies(report: str, line: Span, one: FoundId) -> bool:
    """Tell whether a word of the id's sentence denies it, or one of a next sentence on `it`. `No.` is short for a number."""
    low, high = max(line[0], one.start - _FAR), min(line[1], one.end + _FAR)
    low = max(low, *(report.rfind(end, low, one.start) + 1 for end in (". ", "! ", "? ")))
    behind, _, following = report[one.end : high].partition(". ")
    following = following.partition(". ")[0] if following.startswith(("It ", "That ", "This ")) else ""
    words = f"{report[low : one.start]} {behind} {following}".casefold().replace("\u2019", "'").split()
    return any(
        each.strip("*_,;!?()") in _DENIALS or each.strip("*_,;.!?()").endswith("n't") for each in words
    )
