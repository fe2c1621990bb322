"""Tells which unknown tokens of a report are claimed as ids: those in places where only an id stands.

Such places are labels and columns of ids, and brackets and cells around a token that begins as the shop's ids do. Where all ids of a shop
begin alike (`SKU-`, Amazon's `B0`), so does any id in English prose. What a sentence denies is open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

from drr.eval.checks.base import is_own_number
from drr.eval.checks.identifiers import TOKEN, FoundId, product_forms
from drr.eval.checks.mentions import Mentions, TextLine
from drr.eval.checks.results import Span
from drr.eval.checks.values import plain_label, segment, word_list
from drr.wording.vocabulary import vocabulary

_MARKS, _PAIRS, _WIDE, _FAR = " \t*_`([:#|", ("()", "[]", "``", "||"), 40, 300
"""Marks before a token, and around one that stands alone; most letters to its label, and to a word that denies it."""
_PAIR = 2  # cells of a row that says one thing of an id
_LABELS = word_list(
    "id|sku|asin|ref|gtin|ean|upc|product id|item id|product no|item no|art no|article no|product number|item number|article number|product code|item code|art nr"
    "|artikelnummer|artikel nr|artikel id|produktnummer|produkt nr|produkt id|référence|réf|code article|codice|código|kod produktu|artikelcode"
)
_DENIALS = {*vocabulary("told_values")["negated"], "none", "nor", "neither", "cannot"}


def claimed_ids(mentions: Mentions) -> Iterator[FoundId]:
    """Yield the ids of products that a report names, known or not."""
    subject, report, forms = mentions.subject, mentions.subject.report, product_forms(mentions.subject.shop)
    language = subject.language or (subject.shop.manifest.language if subject.shop else None) or "en"
    alone = {one.start: one for one in _alone(mentions)}
    named = {one.start: FoundId(one.product_id, one.start, one.end) for one in mentions.references}
    starts = [line.start for line in mentions.lines]
    for start, one in sorted((alone | named).items()):
        before, behind = report[max(0, start - _WIDE) : start], report[one.end : one.end + _WIDE]
        if subject.product(one.id) is not None or report[start : one.end] != one.id:
            yield one
            continue
        if start in alone:
            is_one = forms.are_like(one.id) and is_own_number(subject, one.id) is not True
        elif before.rstrip(" *_")[-1:] + behind.lstrip(" *_")[:1] in _PAIRS:
            is_one = forms.begin_as(one.id)
        else:
            is_one = language.startswith("en") and forms.begin_as(one.id, alike=True)
        line = mentions.lines[max(0, bisect_right(starts, start) - 1)] if starts else None
        if is_one and not (
            line and (_denies(report, (line.start, line.end), one) or _is_beside_words(line, report, one))
        ):
            yield one


def _alone(mentions: Mentions) -> Iterator[FoundId]:
    """Yield the tokens behind a label of ids, and those that fill a cell below or beside one. A column with a known id is one of ids."""
    report, columns = mentions.subject.report, defaultdict[Span, list[FoundId]](list)
    for line in mentions.lines:
        cells = [segment(report, *cell).text.strip("`[]()#") for cell in line.cells]
        for match in TOKEN.finditer(report, line.start, line.end):
            one, column = FoundId(match[0], *match.span()), sum(low <= match.start() for low, _ in line.cells)
            label = report[max(line.start, one.start - _WIDE) : one.start].rstrip(_MARKS)
            for mark in "|([,;·–—/":
                label = label.rpartition(mark)[2]
            labels = {label.lstrip("-+•*# 0123456789")}
            if column and cells[column - 1] == one.id:
                columns[line.table, column].append(one)
                labels |= {cells[0], *line.header[column - 1 : column]}
            if any(plain_label(each).replace("-", " ") in _LABELS for each in labels):
                yield one
    yield from (
        one for some in columns.values() if mentions.subject.products([k.id for k in some]) for one in some
    )


def _is_beside_words(line: TextLine, report: str, one: FoundId) -> bool:
    """Tell whether a row of two cells has an id, then words alone. They may say in any language that there is none."""
    if len(line.cells) != _PAIR or one.start >= line.cells[0][1]:
        return False
    return not any(map(str.isdecimal, report[slice(*line.cells[1])]))


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
