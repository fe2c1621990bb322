"""Forms that another writer would have given the same report: other signs, names, tables, lists and places of addresses."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from drr.env.entities import Product
from drr.env.shop import Shop

_LINK = re.compile(r"\[(?P<name>[^\[\]\n]{3,90})\]\((?P<url>https?://[^\s()]+)\)")
_BEHIND = re.compile(r"\s\((?P<url>https?://[^\s()]+)\)")
NUMBERED = re.compile(r"\[(\d{1,2})\](?!\()")
_PRICE = re.compile(
    r"(?<![\w$/+–-])\$(?P<n>\d{1,4}(?:\.\d\d)?)(?![\w.,]?\d|\s?(?:-|–|to\b)|\s?[kKmM]\b|\s(?:mill|bill))"
)
_ITEM = re.compile(r"(?m)^[-*•]\s+(?P<text>.+)$")
LIST_OF_SOURCES = re.compile(
    r"(?im)^\W*(?:sources?|references|links?|footnotes|citations|bibliography)\b|^\[\^?\w{1,3}\]:?\s|^https?://"
)
_RULE_ROW = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$")
_SUMMED = re.compile(
    r"\b(?:total|sum|together|left|over|all|both|budget|subtotal|remaining|combined|spent|above|below|row|column|order|#|first|last)\b|=",
    re.I,
)
_HEDGED = re.compile(
    r"(?:about|around|roughly|nearly|almost|exactly|precisely|under|over|below|above|than|save|saves|saving|by|another|extra|less|more|at|of|and|plus|minus|≈|~)\s\W{0,2}$",
    re.I,
)
_UNIT = {"foot": "ft", "ounce": "oz", "pound": "lb", "inch": "in", "yard": "yd"}
_PER = re.compile(rf"(?<=\d) (?:per|an?|each) ({'|'.join(_UNIT)})\b")
_DASH = re.compile(r"(?<=[A-Za-z)*\]]) (?:—|–) (?=[A-Za-z*\[])")
_STARS = re.compile(r"(?<![\d.$])([1-5]\.\d) stars\b")
_RATED = re.compile(r"(?<=\d) ratings\b")
_INCHES = re.compile(r"(?<![\d.$/–-])(\d{1,3}(?:\.\d)?)(?: |-)?(?:inches|inch|in\.)(?![\w/])")
_LONG_DAY = re.compile(rf"\b({'|'.join(month_name[1:])}) (\d{{1,2}}), (\d{{4}})\b")
_SECTION = re.compile(r"(?m)^(?=#{1,3} )")
_PLACED = re.compile(
    r"\b(?:above|below|earlier|later|next|previous|last|first|second|third|step|phase|month|week|former|latter|following|again|total|left|budget|so far|remaining|now|then|sources|references)\b",
    re.I,
)


@dataclass(frozen=True)
class Original:
    """A text before it is changed, and what a true aside may be made of."""

    text: str
    shop: Shop
    user_id: str | None
    others: tuple[Product, ...]
    """Products that the text does not speak of."""
    pick: int
    """The same for the same text."""
    beside: str = ""
    """Another answer to the same reader."""

    @property
    def other(self) -> Product:
        return self.others[self.pick % len(self.others)]


def _tables(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where tables with a head stand: the line of the head, and the line behind the last row."""
    for index, line in enumerate(lines):
        if index and _RULE_ROW.match(line) and "|" in lines[index - 1]:
            end = index + 1
            while end < len(lines) and "|" in lines[end] and lines[end].strip():
                end += 1
            yield index - 1, end


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_turned(one: Original) -> str:
    """The last product of a table first; sums and ordinals keep their place."""
    lines = one.text.split("\n")
    for low, high in _tables(lines):
        if not _SUMMED.search("\n".join(lines[low:high])):
            lines[low + 2 : high] = reversed(lines[low + 2 : high])
    return "\n".join(lines)


def rows_to_columns(one: Original) -> str:
    lines = one.text.split("\n")
    for low, high in reversed(list(_tables(lines))):
        grid = [_cells(lines[low]), *(_cells(line) for line in lines[low + 2 : high])]
        if (
            not 2 < len(grid) < 7
            or len({len(row) for row in grid}) > 1
            or _SUMMED.search("\n".join(lines[low:high]))
        ):
            continue
        turned = ["| " + " | ".join(row) + " |" for row in zip(*grid, strict=True)]
        lines[low:high] = [turned[0], "|" + " --- |" * len(grid), *turned[1:]]
    return "\n".join(lines)


def columns_swapped(one: Original) -> str:
    """The last two columns of a table the other way round."""
    lines = one.text.split("\n")
    for low, high in _tables(lines):
        rows = [_cells(lines[index]) for index in range(low, high)]
        if len({len(row) for row in rows}) == 1 and len(rows[0]) > 3:
            for index, row in enumerate(rows, low):
                lines[index] = "| " + " | ".join([*row[:-2], row[-1], row[-2]]) + " |"
    return "\n".join(lines)


def items_numbered(one: Original) -> str:
    count = 0

    def numbered(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{count}. {match['text']}"

    return _ITEM.sub(numbered, one.text)


def items_to_prose(one: Original) -> str:
    """The entries of a flat list as the sentences of one paragraph."""
    out: list[str] = []
    run: list[str] = []
    for line in [*one.text.split("\n"), ""]:
        match = _ITEM.fullmatch(line)
        if match:
            entry = match["text"].strip()
            run.append(
                entry if entry[-1:] in ".!?:)" and not entry.endswith(":") else f"{entry.rstrip(':;,')}."
            )
            continue
        if run:
            out += [*([""] if out and out[-1].strip() else []), " ".join(run)]
            run = []
        out.append(line)
    return "\n".join(out[:-1])


def no_bold(one: Original) -> str:
    return one.text.replace("**", "")


def dashes_to_commas(one: Original) -> str:
    return _DASH.sub(", ", one.text)


def bucks(one: Original) -> str:
    return _PRICE.sub(lambda match: f"{match['n']} bucks", one.text)


def slashes(one: Original) -> str:
    return _PER.sub(lambda match: f"/{_UNIT[match[1]]}", one.text)


def a_price_rounded(one: Original) -> str:
    """The first price of the prose that ends close below a dollar, as `about $25`."""
    for match in _PRICE.finditer(one.text):
        line = one.text[one.text.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0]
        value = float(match["n"])
        before, after = one.text[: match.start()], one.text[match.end() :]
        if (
            "|" in line
            or value < 10
            or value % 1 < 0.9
            or _HEDGED.search(before)
            or re.match(r"\s?(?:/|per|an?\b|each|less|more|left|[x×*=+])", after)
        ):
            continue
        if before.count(match[0]) or after.count(match[0]) or not re.search(r"[\w(),:—–] ?\(?$", before):
            continue
        return f"{before}about ${round(value)}{after}"
    return one.text


def short_names(one: Original) -> str:
    """`[Copperline Tools Slim LED Shop Light](URL)` as `[Copperline Tools light](URL)`."""

    def short(match: re.Match[str]) -> str:
        found = one.shop.store.product(match["url"].rsplit("/", 1)[-1])
        name = match["name"].strip("* ")
        if found is None or not found.store or not name.startswith(found.store):
            return match[0]
        rest = re.findall(r"[A-Za-z]{3,}$", name)
        return f"[{found.store} {rest[0].lower()}]({match['url']})" if rest else match[0]

    return _LINK.sub(short, one.text)


def links_to_notes(one: Original) -> str:
    """Addresses in the text as footnotes."""
    if "[^" in one.text or NUMBERED.search(one.text) or LIST_OF_SOURCES.search(one.text):
        return one.text
    notes: dict[str, int] = {}

    def note(match: re.Match[str]) -> str:
        number = notes.setdefault(match["url"], len(notes) + 1)
        return f"{match.groupdict().get('name') or ''}[^{number}]"

    text = _BEHIND.sub(note, _LINK.sub(note, one.text))
    return (
        text + "\n\n" + "\n".join(f"[^{number}]: {url}" for url, number in notes.items())
        if notes
        else one.text
    )


def links_to_numbers(one: Original) -> str:
    """Addresses in the text as `[1]`, and a list of sources."""
    text = links_to_notes(one)
    if text == one.text:
        return text
    body, _, notes = text.rpartition("\n\n")
    listed = re.sub(r"(?m)^\[\^(\d+)\]: ", r"[\1] ", notes)
    return re.sub(r"\[\^(\d+)\]", r" [\1]", body) + "\n\nSources:\n" + listed


def numbers_to_notes(one: Original) -> str:
    if "[^" in one.text:
        return one.text
    return re.sub(r"(?m)^\[\^(\d{1,2})\](?!:)", r"[^\1]:", NUMBERED.sub(r"[^\1]", one.text))


def links_in_angles(one: Original) -> str:
    return _BEHIND.sub(lambda match: f" <{match['url']}>", one.text)


def stars_out_of_five(one: Original) -> str:
    return _STARS.sub(r"\1/5", one.text)


def ratings_as_reviews(one: Original) -> str:
    return _RATED.sub(" reviews", one.text)


def inches_in_centimetres(one: Original) -> str:
    return _INCHES.sub(lambda match: f"{match[0]} ({float(match[1]) * 2.54:.1f} cm)", one.text, count=2)


def days_first(one: Original) -> str:
    return _LONG_DAY.sub(r"\2 \1 \3", one.text)


def days_by_number(one: Original) -> str:
    months = {name: number for number, name in enumerate(month_name)}
    return _LONG_DAY.sub(lambda match: f"{match[3]}-{months[match[1]]:02}-{int(match[2]):02}", one.text)


def sections_swapped(one: Original) -> str:
    """The last two sections that speak of no order of theirs, the other way round."""
    parts = _SECTION.split(one.text)
    if len(parts) < 4 or any(_PLACED.search(part) for part in parts[-3:]):
        return one.text
    *head, before, last = parts
    return "".join([*head, last.rstrip("\n") + "\n\n", before.rstrip("\n")])


def paragraphs_joined(one: Original) -> str:
    """Prose that stood in two paragraphs in one."""
    return re.sub(r"(?<=[.!?])\n\n(?=[A-Z][a-z])", " ", one.text)


def every_other_link_dropped(one: Original) -> str:
    """What was linked is called by its name alone, every second time."""
    count = 0

    def dropped(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return match[0] if count % 2 else (match.groupdict().get("name") or "")

    return _BEHIND.sub(dropped, _LINK.sub(dropped, one.text))


FORMS: dict[str, Callable[[Original], str]] = {
    change.__name__: change
    for change in (rows_turned, rows_to_columns, columns_swapped, items_numbered, items_to_prose, no_bold, dashes_to_commas, bucks, slashes, a_price_rounded, short_names, links_to_notes, links_to_numbers, numbers_to_notes, links_in_angles, stars_out_of_five, ratings_as_reviews, inches_in_centimetres, days_first, days_by_number, sections_swapped, paragraphs_joined, every_other_link_dropped)
}  # fmt: skip
"""Each gives the text back where it has nothing to change."""
