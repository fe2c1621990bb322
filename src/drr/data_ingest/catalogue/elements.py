"""Reads the rows of an XML file piece by piece. A document type, and so any entity of its own, is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from drr.env.errors import DrrError

_FEEDS = ("item", "entry")
"""Rows of RSS and Atom, wherever they stand."""
_DEEPEST = 3
_SHOWN, _CUT = 12, 40
"""Most elements that an error names, and most letters of each."""


class RowElements(NamedTuple):
    """The elements that are rows: their names, and how many elements they lie in; `None` for any number."""

    names: tuple[str, ...]
    depth: int | None = None


def find_rows(path: Path, pieces: Iterable[bytes], most: int) -> RowElements:
    """Tell which elements are rows, from so many bytes of the file.

    They are items or entries, else what repeats in the root or in its only child. Raises `DrrError` where nothing does, or several do.
    """
    below = defaultdict[tuple[str, ...], Counter[str]](Counter)
    way, read = list[str](), 0
    for event, element in _events(path, pieces):
        if isinstance(element, int):
            if (read := read + element) > most:
                break
        elif event == "start":
            name = _name(element.tag)
            if name in _FEEDS:
                return RowElements(_FEEDS)
            if len(way) < _DEEPEST:
                below[tuple(way)][name] += 1
            way.append(name)
        else:
            way.pop()
            _forget(element)
    inside: tuple[str, ...] = tuple(below[()])
    if below[inside].total() == 1:
        inside = (*inside, *below[inside])
    several = [name for name, count in below[inside].items() if count > 1]
    if len(several) == 1:
        return RowElements((several[0],), len(inside))
    doubt = (
        f"{_shown(several)} repeat in {inside[-1]!r}; leave in the file those that are rows"
        if several
        else f"the elements {_shown(dict.fromkeys(name for some in below.values() for name in some))} are no rows, "
        "which are called item or entry, or repeat in the root"
    )
    raise DrrError(f"{path}: no rows are found: {doubt}")


def read_rows(
    path: Path, pieces: Iterable[bytes], rows: RowElements, most: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row's line and its values by their paths: `price`, `price.gross`, `price@currency`. `most` bytes hold a row."""
    fed = 0
    for event, element in _events(path, pieces, rows.names):
        if isinstance(element, int):
            fed += element
            if fed > most:
                raise DrrError(f"{path}: {most:,} bytes hold no whole item; mend it")
        elif event == "end" and rows.depth in (None, sum(1 for _ in element.iterancestors())):
            found = defaultdict[str, list[str]](list)
            for name, text in _values(element):
                found[name].append(text)
            yield element.sourceline, {name: one if one[1:] else one[0] for name, one in found.items()}
            _forget(element)
            fed = 0


def _events(
    path: Path, pieces: Iterable[bytes], names: Iterable[str] | None = None
) -> Iterator[tuple[str, Any]]:
    """Yield the starts and ends of elements, and before each piece of the file the size of the last one."""
    from lxml import etree

    parser = etree.XMLPullParser(
        ("start", "end"), tag=names and [f"{{*}}{name}" for name in names], resolve_entities=False, no_network=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    checked = False
    try:
        for piece in chain(pieces, [b""]):
            if piece:
                parser.feed(piece)
            else:
                parser.close()
            for event, element in parser.read_events():
                if not checked and element.getroottree().docinfo.internalDTD is not None:
                    raise DrrError(f"{path}: declares a document type (DOCTYPE); take it out")
                checked = True
                yield event, element
            yield "read", len(piece)
    except etree.XMLSyntaxError as error:
        raise DrrError(f"{path}: is not well-formed XML (line {error.lineno}); mend it") from None


def _forget(element: Any) -> None:
    """Free the memory of an element and of those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


def _name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _values(element: Any, before: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield what stands in an element's attributes and children. The children of a text are markup, and part of it."""
    for tag, text in element.attrib.items():
        yield f"{before}@{_name(tag)}", text
    own = (element.text, *(child.tail for child in element))
    if depth == _DEEPEST or (depth and any(text and text.strip() for text in own)):
        return
    for child in element:
        name = f"{before}.{_name(child.tag)}" if before else _name(child.tag)
        yield name, _text(child)
        yield from _values(child, name, depth + 1)


def _text(element: Any) -> str:
    """Return the whole text of an element. Figures that markup parts stay parted: `12<sup>50</sup>` is no 1250."""
    text = ""
    for part in element.itertext():
        if not (word := part.strip()):
            continue
        if text and word[0].isalnum():
            text = text.rstrip()
            text += "\n\n" if text[-1].isdecimal() and word[0].isdecimal() else " "
            part = part.lstrip()
        text += part
    return text.strip()


def _shown(names: Iterable[str]) -> str:
    some = list(names)
    return ", ".join(repr(name[:_CUT]) for name in some[:_SHOWN]) + (", ..." if some[_SHOWN:] else "")
