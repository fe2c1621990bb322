"""Selects the shop records for a judge of mistakes: the shopper's own and those of products in the report."""

from __future__ import annotations

import ast
import operator
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from drr.citations.addresses import canonical_url
from drr.citations.hidden import blank_spans, remarks
from drr.citations.parse import Citations
from drr.env.entities import Order
from drr.env.records.lines import on_one_line
from drr.env.records.product import product_evidence
from drr.env.records.shopper import history_evidence, profile_evidence, statistics_page
from drr.env.shop import SearchRequest
from drr.eval.asking.conversation import Section
from drr.eval.checks.base import PRODUCT_ID, Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import SAME, full_name, similarity
from drr.eval.evidence.claims import ReportSentence, sentences_of
from drr.eval.evidence.passages import shown_spans, whole_within
from drr.wording.figures import numbers, same_number

MOST_PRODUCTS = 60
_ORDERS = 1000
_CUT = "\n[...]\n"
_OTHERS = "Other products of the answer:"
_MISSING = "The shop has no product of this id"


def records_of(subject: Subject, mentions: Mentions) -> list[Section]:
    """List the records in the order in which the report mentions them. Of a long listing only the parts that concern the report are kept."""
    return [*_own(subject), *_products(subject, mentions)]


def _own(subject: Subject) -> Iterator[Section]:
    user = subject.user
    if user is None or subject.shop is None or subject.user_id is None:
        yield Section("records", "Nothing is known of the shopper.", "The shopper:")
        return
    store = subject.shop.store
    orders, total = store.orders(subject.user_id, limit=_ORDERS)
    products = {one.product_id: one for one in subject.products({one.product_id for one in orders})}
    yield Section("records", profile_evidence(user), "The shopper:")
    yield Section("records", history_evidence(orders, products, total), "The shopper's orders, oldest first:")
    statistics = store.statistics(subject.user_id)
    if statistics is not None:
        heading = f"What the orders add up to, by day {subject.shop.manifest.as_of}:"
        yield Section("records", statistics_page(statistics, "").rstrip(), heading)


def _products(subject: Subject, mentions: Mentions) -> Iterator[Section]:
    spoken_of = spoken_of_in(subject, mentions)
    known = {one.product_id: one for one in subject.products(spoken_of)}
    for name in spoken_of[:MOST_PRODUCTS]:
        product = known.get(name)
        text = f"{_MISSING}: {name}" if product is None else product_evidence(product).text
        spans = shown_spans(subject.report, text)
        yield Section("records", _CUT.join(text[a:b] for a, b in spans), about=name)
    if unshown := count_unshown(subject, mentions):
        yield Section("records", f"{unshown} more, which are not shown.", _OTHERS)


def choose_records(records: Sequence[Section], lines: str, room: int) -> list[Section]:
    """Choose the records of products that these lines name, and others while there is room. The shopper's are cut to what concerns the lines."""
    found, left = list[Section](), room
    for one in sorted(records, key=lambda one: bool(one.about) and one.about not in lines):
        text = one.text
        if not one.about:
            text = _CUT.join(text[a:b] for a, b in shown_spans(lines, text, whole_within(room * 2 // 3)))
        elif one.about not in lines and len(text) > left:
            continue
        found.append(one._replace(text=text))
        left -= len(text)
    if hidden := len(records) - len(found):
        found.append(Section("records", f"{hidden} more, which are not shown.", _OTHERS))
    return found


def count_unshown(subject: Subject, mentions: Mentions) -> int:
    """Count the products that the report mentions beyond those that are shown."""
    return max(0, len(spoken_of_in(subject, mentions)) - MOST_PRODUCTS)


def order_numbers(subject: Subject) -> dict[str, Order]:
    """Map each order number of the shopper without leading zeros to its order. A judge who reads the number as an integer drops the zeros."""
    if subject.user is None or subject.shop is None or subject.user_id is None:
        return {}
    orders = subject.shop.store.orders(subject.user_id, limit=_ORDERS).items
    return {one.order_id.lstrip("0"): one for one in orders}


def spoken_of_in(subject: Subject, mentions: Mentions) -> list[str]:
    """List the ids of products that the report links, lists or names, and of orders whose number it gives."""
    listed = (subject.product_id_of(canonical_url(one.url)) for one in subject.citations.sources)
    orders = order_numbers(subject)
    ordered = (orders.get(number.lstrip("0")) for number in _NUMBER.findall(subject.report))
    pointed = [(one.start, one.product_id) for one in (*mentions.references, *mentions.called)]
    ids = [*(name for _, name in sorted(pointed)), *listed, *(one and one.product_id for one in ordered)]
    return list(dict.fromkeys(name for name in ids if name))


_NUMBER = re.compile(r"(?<!\d)\d{9,20}(?!\d)")
_ADDRESS = re.compile(r"[a-z]{3,5}://[^\s<>()\[\]|]+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_TABLE = re.compile(r"[ \t]*+\|")
_MARKER = re.compile(r"^\s*(?:[-*+]\s*)?\[?\^?\d{1,3}[\].)]?:?")
_LOOKED_UP = re.compile(r"\d|\]\(")


def statements_of(report: str, citations: Citations) -> list[ReportSentence]:
    """List the statements of the report, in order. Headings and lead words without a figure or a link state nothing."""
    found = sentences_of(report, citations)
    every = sorted([*found, *_beside(report, found)], key=lambda one: one.start)
    return [one for one in every if _states(one, report[one.start : one.end])]


def _states(one: ReportSentence, written: str) -> bool:
    leads = one.kind in ("heading", "title") or one.text.endswith((":", "\uff1a"))
    return not leads or _LOOKED_UP.search(written) is not None


def _beside(report: str, found: Sequence[ReportSentence]) -> Iterator[ReportSentence]:
    """Yield the lines of the report that no statement overlaps."""
    shown = blank_spans(report, remarks(report))
    ends = sorted(one.end for one in found)
    starts = sorted(one.start for one in found)
    start = 0
    for line in shown.splitlines(keepends=True):
        end = start + len(line.rstrip())
        untouched = bisect_left(starts, end) == bisect_left(ends, start + 1)
        if untouched and _says_something(line):
            urls = tuple(map(canonical_url, _ADDRESS.findall(line)))
            yield ReportSentence(line.strip(), start, end, "text", -1, urls)
        start += len(line)


def _says_something(line: str) -> bool:
    """Tell whether a line has two words besides addresses and ids. A table row also needs a digit or a link, and a list of sources states nothing."""
    bare = PRODUCT_ID.sub("", _ADDRESS.sub("", line))
    named = _MARKER.sub("", bare)
    is_source = bare != line and not _LOOKED_UP.search(named)
    is_plain_row = _TABLE.match(line) and not _LOOKED_UP.search(line)
    return len(_WORD.findall(bare)) > 1 and not is_plain_row and (bool(_TABLE.match(line)) or not is_source)


_LONGEST = 300
_DEEPEST = 60
_LARGEST = 1e12
_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


class WorkedOut(NamedTuple):
    """A sum with its result (`2*19.99 = 39.98`)."""

    text: str
    value: float


def is_unmet(value: float, statement: str) -> bool:
    """Tell whether a statement has figures, and none of them is this result, up to its rounding."""
    figures = numbers(statement)
    return bool(figures) and not any(
        same_number(
            one,
            one._replace(
                value=result, base=result * one.base / one.value if one.value else result, decimals=9
            ),
        )
        for one in figures
        for result in (value, -value)
    )


def look_up_product(subject: Subject, name: str) -> str:
    """Look a product up by name; return its record, or that the shop has none."""
    known = similar = None
    if subject.shop is not None:
        page = subject.shop.catalog.search(SearchRequest(query=name[:200], limit=5, search="plain"))
        similar = ((similarity(name, full_name(one)), one) for one in subject.products(page.product_ids))
        known = next((one for share, one in similar if share >= SAME), None)
    return (
        f"no product of this name: {on_one_line(name)}"
        if known is None
        else on_one_line(product_evidence(known).text)
    )


def compute_sum(text: str) -> WorkedOut | None:
    """Compute a sum. A result given in the text is ignored; `None` where the text is no sum."""
    asked = text.partition("=")[0].replace("$", "").replace("\u00d7", "*").replace("\u2212", "-").strip()
    asked = _THOUSANDS.sub("", asked)
    if not asked or len(asked) > _LONGEST:
        return None
    try:
        value = _value(ast.parse(asked, mode="eval").body, 0)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    return WorkedOut(f"{asked} = {value:.10g}", value)


def _value(node: ast.expr, depth: int) -> float:
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if isinstance(node, ast.Constant):
        return _number(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, depth + 1)
    if isinstance(node, ast.BinOp) and (operation := _OPERATIONS.get(type(node.op))) is not None:
        return operation(_value(node.left, depth + 1), _value(node.right, depth + 1))
    raise ValueError("no sum")


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    raise ValueError("no number")
