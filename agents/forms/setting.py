"""One sentence of a form as the report has it: placeholders filled, sources behind what they state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from drr.agents.forms import names
from drr.agents.forms.file_names import is_mark
from drr.agents.forms.numbering import Numbering
from drr.agents.forms.passages import KnownProduct
from drr.agents.forms.placeholders import SINGLE, filled
from drr.agents.forms.said import ReadSentence
from drr.wording.comparisons import COMPARISONS
from drr.wording.stated import STATED, without

UNCONFIRMED = "(no figure on record)"
JUDGEMENT = "(a judgement, without a source)"
_MOSTLY = 3
"""So many figures less, and a sentence says nothing."""


def set_sentence(
    read: ReadSentence, numbering: Numbering, shown: Mapping[str, KnownProduct], *, cited: bool = True
) -> str:
    """The sentence as the report has it; empty where nothing of it can be said.

    A judgement names only what the report shows elsewhere (`shown`): a name without an address could be taken for another's.
    """
    if read.lost:
        return ""
    body = _judged(read, shown) if read.faults else _set(read, numbering, cited=cited)
    return read.setting.passages.files.restored(body)


def _set(read: ReadSentence, numbering: Numbering, *, cited: bool) -> str:
    runs = _runs(read)
    alone = len(read.named) <= 1
    out: list[str] = []
    for place, part in enumerate(read.parts):
        out.append(part if isinstance(part, str) else filled(part, read.slots, read.setting))
        if not alone and place in runs:
            out.append(" " + "".join(numbering.mark(one.url, names.title(one)) for one in runs[place]))
    body = _closed(_apart(out))
    if not body or not cited:
        return body
    marks = [numbering.mark(one.url, names.title(one)) for one in read.named.values()] if alone else []
    marks += [numbering.of_order(slot) for slot in _bought(read)]
    others = [one for one in read.passages if one.product_id not in read.named]
    marks += [numbering.of_passage(one) for one in others]
    joined = "".join(dict.fromkeys(mark for mark in marks if mark))
    return f"{body[:-1].rstrip()} {joined}{body[-1]}" if joined else body


def _bought(read: ReadSentence) -> list[str]:
    orders = read.setting.passages.orders
    return [
        orders[one.product_id].url
        for slot in read.slots
        if slot.kind == "bought"
        for one, _ in slot.products
        if one.product_id in orders
    ]


def _runs(read: ReadSentence) -> dict[int, list[KnownProduct]]:
    """Find behind which part which products are cited: behind the last figure of a run on one of them."""
    found: dict[int, list[KnownProduct]] = {}
    last: tuple[int, KnownProduct] | None = None
    for place, part in enumerate(read.parts):
        if isinstance(part, str) or not part.products:
            continue
        if part.kind not in SINGLE:
            found.setdefault(place, []).extend(one for one, _ in part.products)
            continue
        product = part.products[0][0]
        if last is not None and last[1] != product:
            found.setdefault(last[0], []).append(last[1])
        last = place, product
    if last is not None:
        found.setdefault(last[0], []).append(last[1])
    return found


def _judged(read: ReadSentence, shown: Mapping[str, KnownProduct]) -> str:
    """Return what is left of it without the figures that are nobody's, as a judgement. Nothing where it was mostly figures."""
    out, lost = [], 0
    for part in read.parts:
        if isinstance(part, str):
            found = STATED.figures(part)
            lost += len(found)
            out.append(without(part, found, UNCONFIRMED))
        elif part.kind == "product":
            out.append(names.short_title(part.products[0][0]))
        else:
            lost += 1
            out.append(UNCONFIRMED)
    body = _closed(_apart(out)) if lost < _MOSTLY else ""
    named = {slot.products[0][0].product_id for slot in read.slots if slot.kind == "product"}
    if named - shown.keys() or COMPARISONS.compares(body):
        return ""
    return f"{body[:-1].rstrip()} {JUDGEMENT}{body[-1]}" if body else ""


def _apart(parts: Sequence[str]) -> str:
    """Put together with a space where two words would run into one."""
    text = ""
    for part in parts:
        glued = text[-1:].isalnum() and (part[:1].isalnum() or part[:1] == "$")
        text += f" {part}" if glued else part
    return text


def _closed(text: str) -> str:
    """Put it on one line, with one mark at the end."""
    text = re.sub(r"(?<!\s)\s++([.,;:!?)])", r"\1", " ".join(text.split())).rstrip(" ,;:-–—")
    if not any(one.isalnum() or is_mark(one) for one in text):
        return ""
    if not is_mark(text[0]):
        text = re.sub(r"[^\W\d_]", lambda match: match[0].upper(), text, count=1)
    return text if text[-1] in ".!?" else f"{text}."
