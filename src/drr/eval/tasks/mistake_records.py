"""Selects the shop records for a judge of mistakes: the shopper's own and those of products in the report."""

from __future__ import annotations

import ast
import operator
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from drr.citations.addresses import canonical_url
from drr.citations.hidden import blank_spans, remarks
from drr.citations.parse import Citations
from drr.env.entities import Order, Product
from drr.env.records.lines import on_one_line
from drr.env.records.product import product_evidence, product_row
from drr.env.records.shopper import history_evidence, profile_evidence, statistics_page
from drr.env.shop import SearchRequest, money_of
from drr.eval.asking.conversation import Section
from drr.eval.checks.base import Subject
from drr.eval.checks.identifiers import AMAZON
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import SAME, full_name, similarity
from drr.eval.evidence.claims import ReportSentence, sentences_of
from drr.eval.evidence.passages import shown_spans, whole_within
from drr.eval.evidence.quotations import locate
from drr.eval.tasks.product_names import NamedProduct, called_products, names_in
from drr.wording.figures import same_number
from drr.wording.quantities import numbers

MOST_PRODUCTS = 60
_MOST_NAMES = 60
"""Most names without a link that are looked up."""
_ORDERS = 1000
_CUT = "\n[...]\n"
_OTHERS = "Other products of the answer:"
_MISSING = "The shop has no product of this id"


def records_of(subject: Subject, spoken_of: Sequence[str]) -> list[Section]:
    """List the shopper's records, then those of the products. Of a long listing only the parts that concern the report are kept."""
    found = [*own_records(subject)]
    known = {one.product_id: one for one in subject.products(spoken_of)}
    for name in spoken_of[:MOST_PRODUCTS]:
        product = known.get(name)
        text = (
            f"{_MISSING}: {name}"
            if product is None
            else product_evidence(product, money_of(subject.shop)).text
        )
        spans = shown_spans(subject.report, text)
        found.append(Section("records", _CUT.join(text[a:b] for a, b in spans), about=name))
    if unshown := count_unshown(spoken_of):
        found.append(Section("records", f"{unshown} more, which are not shown.", _OTHERS))
    return found


def own_records(subject: Subject, of: Collection[str] | None = None) -> Iterator[Section]:
    """Yield the shopper's records, with all orders or with those of some products."""
    user = subject.user
    if user is None or subject.shop is None or subject.user_id is None:
        yield Section("records", "Nothing is known of the shopper.", "The shopper:")
        return
    store, money = subject.shop.store, subject.shop.manifest.money
    orders, total = store.orders(subject.user_id, limit=_ORDERS)
    products = {one.product_id: one for one in subject.products({one.product_id for one in orders})}
    yield Section("records", profile_evidence(user), "The shopper:")
    heading = (
        "The shopper's orders, oldest first:" if of is None else "The shopper's orders of these products:"
    )
    yield Section("records", history_evidence(orders, products, total, of, money), heading)
    statistics = store.statistics(subject.user_id)
    if statistics is not None:
        heading = f"What the orders add up to, by day {subject.shop.manifest.as_of}:"
        yield Section("records", statistics_page(statistics, "", money).rstrip(), heading)


def choose_records(
    records: Sequence[Section], lines: str, named: Collection[str], room: int
) -> list[Section]:
    """Choose the records of the named products, and others while there is room. The shopper's are cut to what concerns the lines."""
    found, left = list[Section](), room
    for one in sorted(records, key=lambda one: bool(one.about) and one.about not in named):
        text = one.text
        if not one.about:
            text = _CUT.join(text[a:b] for a, b in shown_spans(lines, text, whole_within(room * 2 // 3)))
        elif one.about not in named and len(text) > left:
            continue
        found.append(one._replace(text=text))
        left -= len(text)
    if hidden := len(records) - len(found):
        found.append(Section("records", f"{hidden} more, which are not shown.", _OTHERS))
    return found


def count_unshown(spoken_of: Sequence[str]) -> int:
    """Count the products that the report mentions beyond those that are shown."""
    return max(0, len(spoken_of) - MOST_PRODUCTS)


def order_numbers(subject: Subject) -> dict[str, Order]:
    """Map each order number of the shopper without leading zeros to its order. A judge who reads the number as an integer drops the zeros."""
    if subject.user is None or subject.shop is None or subject.user_id is None:
        return {}
    orders = subject.shop.store.orders(subject.user_id, limit=_ORDERS).items
    return {one.order_id.lstrip("0"): one for one in orders}


class ProductPlace(NamedTuple):
    """A place of the report that speaks of a product."""

    start: int
    product_id: str


def product_places(subject: Subject, mentions: Mentions) -> list[ProductPlace]:
    """List the places that link, list or name a product, or give the number of an order of it."""
    places = [ProductPlace(one.start, one.product_id) for one in mentions.references]
    named = (*called_products(mentions), *_named_without_link(mentions))
    places += [ProductPlace(one.start, one.product_id) for one in named]
    orders = order_numbers(subject)
    for found in _NUMBER.finditer(subject.report):
        if order := orders.get(found[0].lstrip("0")):
            places.append(ProductPlace(found.start(), order.product_id))
    own = subject.in_dollars[0].named
    places += [ProductPlace(one.place[0], one.order.product_id) for one in own]
    return sorted(places)


def spoken_of_in(subject: Subject, places: Sequence[ProductPlace]) -> list[str]:
    """List the products of these places, then those that only the list of sources has."""
    listed = (subject.product_id_of(canonical_url(one.url)) for one in subject.citations.sources)
    return list(dict.fromkeys(name for name in (*(one.product_id for one in places), *listed) if name))


def _named_without_link(mentions: Mentions) -> Iterator[NamedProduct]:
    """Yield the names of products beside no link that only one product of the shop can mean."""
    subject = mentions.subject
    names = list(dict.fromkeys(_NAME.findall(mentions.plain)))[:_MOST_NAMES]
    found = [one for name in names for one in _search(subject, name, _ALIKE)]
    products = {one.product_id: one for one in found}
    known = subject.products(dict.fromkeys(one.product_id for one in mentions.references))
    yield from names_in(mentions.plain, products | {one.product_id: one for one in known}, ())


_NAME = re.compile(r"(?<![\w'\u2019-])[A-Z][\w'\u2019-]+(?:(?: & | )[A-Z\d][\w'\u2019-]*)+")
_NUMBER = re.compile(r"(?<!\d)\d{9,20}(?!\d)")
_ADDRESS = re.compile(r"[a-z]{3,5}://[^\s<>()\[\]|]+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_TABLE = re.compile(r"[ \t]*+\|")
_MARKER = re.compile(r"^\s*(?:[-*+]\s*)?\[?\^?\d{1,3}[\].)]?:?")
_LOOKED_UP = re.compile(r"\d|\]\(")


def statements_of(report: str, citations: Citations) -> list[ReportSentence]:
    """List the statements of the report, in order: sentences, titles, list items, rows. A single word above or before others states nothing."""
    found = sentences_of(report, citations)
    every = sorted([*found, *_beside(report, found)], key=lambda one: one.start)
    return [one for one in every if _states(one, report[one.start : one.end])]


def _states(one: ReportSentence, written: str) -> bool:
    leads = one.kind in ("heading", "title") or one.text.endswith((":", "\uff1a"))
    return not leads or len(_WORD.findall(one.text)) > 1 or _LOOKED_UP.search(written) is not None


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
    bare = AMAZON.sub("", _ADDRESS.sub("", line))
    named = _MARKER.sub("", bare)
    is_source = bare != line and not _LOOKED_UP.search(named)
    is_plain_row = _TABLE.match(line) and not _LOOKED_UP.search(line)
    return len(_WORD.findall(bare)) > 1 and not is_plain_row and (bool(_TABLE.match(line)) or not is_source)


def span_of_words(words: str, statement: ReportSentence, report: str) -> tuple[int, int]:
    """Find words of a statement, as written or as the judge was shown them; else return all of it."""
    written = report[statement.start : statement.end]
    found: tuple[int, int] | None = locate(words, written)
    if found is None and (shown := locate(words, statement.text)) is not None:
        found = _span_behind(statement.text, shown, written)
    start, end = found or (0, len(written))
    return statement.start + start, statement.start + end


_PIECE = re.compile(r"\$?\w+")
_MOST_PIECES = 500
"""Most pieces of a statement that are put side by side, because the work grows with their square."""


def _span_behind(text: str, shown: tuple[int, int], written: str) -> tuple[int, int] | None:
    """Return the part of a written statement that a part of its shown text stands for. A row is shown with the names of its columns."""
    ours, theirs = list(_PIECE.finditer(text)), list(_PIECE.finditer(written))
    if max(len(ours), len(theirs)) > _MOST_PIECES:
        return None
    same = SequenceMatcher(None, [one[0] for one in ours], [one[0] for one in theirs], autojunk=False)
    pairs = ((i + k, j + k) for i, j, size in same.get_matching_blocks() for k in range(size))
    hits = [theirs[j] for i, j in pairs if shown[0] <= ours[i].start() < shown[1]]
    return (hits[0].start(), hits[-1].end()) if hits else None


# A model writes the sums: nested a thousandfold or huge, one must not hold up a judging.
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
    """Tell whether a statement has figures, and none of them is this result, up to its rounding. A ratio of 1.6 is 60 % more, as 160 is."""
    figures = numbers(statement)
    shares = 100 * value, 100 * (value - 1), 100 * (1 - value), value - 100, 100 - value
    for one in figures:
        for result in (value, -value, *(shares if one.kind == "share" else ())):
            base = result * one.base / one.value if one.value else result
            if same_number(one, one._replace(value=result, base=base, decimals=9)):
                return False
    return bool(figures)


_ALIKE, _LOOKED_AT, _ROWS = 5, 20, 8
"""Most products that are looked at for a name of the report, looked at for a name from a judge, and listed for it."""


def look_up_product(subject: Subject, name: str) -> str:
    """Look a product up by name; return its record, the rows of several, or that the shop has none."""
    alike = [one for one in _search(subject, name, _LOOKED_AT) if similarity(name, full_name(one)) >= SAME]
    found = [one for one in alike if similarity(one.title, name) >= SAME] or alike
    if len(found) == 1:
        return on_one_line(product_evidence(found[0], money_of(subject.shop)).text)
    if not found:
        return f"no product of this name: {on_one_line(name)}"
    many = f"{len(found)} or more" if len(found) == _LOOKED_AT else f"{len(found)}"
    rows = "; ".join(on_one_line(product_row(one, money_of(subject.shop))) for one in found[:_ROWS])
    return f"one of {many} products of this name: {rows}"


def _search(subject: Subject, name: str, most: int) -> list[Product]:
    if subject.shop is None:
        return []
    request = SearchRequest(query=name[:200], limit=most, search="plain")
    return subject.products(subject.shop.catalog.search(request).product_ids)


def compute_sum(text: str) -> WorkedOut | None:
    """Compute a sum. A result given in the text is ignored; `None` where the text is no sum."""
    asked = text.partition("=")[0].replace("$", "").replace("\u00d7", "*").replace("\u2212", "-").strip()
    asked = _THOUSANDS.sub("", asked)
    if not asked or len(asked) > _LONGEST:
        return None
    try:
        # Parsed and never evaluated, as the text is a model's.
        value = _value(ast.parse(asked, mode="eval").body, 0)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    return WorkedOut(f"{asked} = {value:.10g}", value)


def _value(node: ast.expr, depth: int) -> float:
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        if isinstance(node.value, bool) or abs(node.value) >= _LARGEST:
            raise ValueError("no number")
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, depth + 1)
    if isinstance(node, ast.BinOp) and (operation := _OPERATIONS.get(type(node.op))) is not None:
        return operation(_value(node.left, depth + 1), _value(node.right, depth + 1))
    raise ValueError("no sum")
