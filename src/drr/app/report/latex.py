"""Writes LaTeX tables for a paper: `value [low, high]` in panels that fit a page.

Needs `booktabs`. No line is over `LONGEST`.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from drr.app.report.tables import Cell, Table
from drr.wording.excerpt import excerpt

LONGEST = 120
_NAME, _TEXT = 38, 34
"""Most characters of LaTeX source for the name of a row, and for a cell of text."""
_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "×": r"$\times$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "·": r"$\cdot$",
    "\u00a0": "~",
}


def latex(table: Table) -> str:
    """Return the table as one LaTeX `table` with as many panels as needed, each a `tabular`."""
    panels = list(_panels(table))
    lines = [r"\begin{table}[tp]", r"\centering", r"\small"]
    for number, panel in enumerate(panels):
        lines += [r"\par\medskip"] if number else []
        lines += _tabular(table, panel)
    lines += [*_folded(rf"\caption{{{_tex(table.title)}}}"), rf"\label{{tab:{table.name}}}"]
    notes = [*([table.banner] if table.banner else []), *table.notes]
    if any(_is_between(cell) for _, cells in table.lines for cell in cells):
        notes.append("In brackets the 95 % interval; every n stands in the CSV file; bold as the notes say.")
    for note in notes:
        lines += [r"\par\smallskip\footnotesize\raggedright", *_folded(_tex(note))]
    return "\n".join([*lines, r"\end{table}", ""])


def _panels(table: Table) -> Iterator[Sequence[int]]:
    """Yield panels: the indexes of as many columns as fit into one line."""
    widths = [
        max(len(_shown(cells[place])) for _, cells in table.lines) if table.lines else 0
        for place in range(len(table.columns))
    ]
    heads = [len(_fitted(column.label, _TEXT)) for column in table.columns]
    room = LONGEST - max((len(_fitted(name, _NAME)) for name, _ in table.lines), default=0) - len(r" \\")
    panel: list[int] = []
    used = 0
    for place, width in enumerate(max(pair) for pair in zip(widths, heads, strict=True)):
        taken = width + len(" & ")
        if panel and used + taken > room:
            yield panel
            panel, used = [], 0
        panel.append(place)
        used += taken
    yield panel


def _tabular(table: Table, panel: Sequence[int]) -> list[str]:
    words = [all(isinstance(cells[place].value, str) for _, cells in table.lines) for place in panel]
    form = "l" + "".join("l" if one else "r" for one in words)
    lines = [rf"\begin{{tabular}}{{{form}}}", r"\toprule"]
    lines.append("".join(f" & {_fitted(table.columns[place].label, _TEXT)}" for place in panel) + r" \\")
    lines.append(r"\midrule")
    for name, cells in table.lines:
        if cells is table.floor:
            lines.append(r"\midrule")
        lines.append(_fitted(name, _NAME) + "".join(f" & {_shown(cells[place])}" for place in panel) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _shown(cell: Cell) -> str:
    if isinstance(cell.value, str) or cell.missing:
        return _fitted(cell.text(), _TEXT)
    if cell.value is None:
        return "--"
    number = cell.figure(cell.value).replace(",", "{,}")
    shown = rf"\mathbf{{{number}}}" if cell.bold else number
    if cell.low is not None and cell.high is not None:
        low, high = (cell.number(end).replace(",", "{,}") for end in (cell.low, cell.high))
        shown += f"~[{low}, {high}]"
    shown = rf"$\approx {shown}$" if cell.slight else f"${shown}$"
    return f"{shown} on each of {cell.n}" if cell.signed and cell.equal else shown


def _is_between(cell: Cell) -> bool:
    return not isinstance(cell.value, str) and cell.low is not None and cell.high is not None


def _folded(text: str) -> list[str]:
    """Return the text as lines of at most `LONGEST` characters, broken at spaces. LaTeX reads a line end as a space."""
    return textwrap.wrap(text, LONGEST, break_long_words=False, break_on_hyphens=False) or [""]


def _fitted(text: str, room: int) -> str:
    """Return the text as LaTeX source, cut to at most `room` characters of source."""
    # The text is cut and not its source, which could end within a LaTeX command.
    shown, length = _tex(text), len(text)
    while len(shown) > room and length > 1:
        length -= 1
        shown = _tex(excerpt(text, length))
    return shown


def _tex(text: str) -> str:
    """Return the text as LaTeX source, without words longer than a line. A letter that plain TeX lacks becomes its code point."""
    flat = " ".join(text.split())
    return " ".join(_broken("".join(map(_sign, word))) for word in flat.split(" "))


def _sign(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isascii():
        return sign if sign.isprintable() else ""
    plain = unicodedata.normalize("NFC", sign)
    if len(plain) == 1 and "\u00a1" <= plain <= "\u017f" and plain.isalpha():
        return plain
    return f"[U+{ord(sign):04X}]"


def _broken(word: str) -> str:
    """Return the word, broken into pieces if longer than half a line. A break never falls into a LaTeX command."""
    if len(word) <= LONGEST // 2:
        return word
    pieces, at = [], 0
    for place, sign in enumerate(word):
        if (
            place - at >= LONGEST // 2
            and sign.isalnum()
            and word[place - 1].isalnum()
            and "\\" not in word[place - 16 : place]
        ):
            pieces.append(word[at:place])
            at = place
    return " ".join([*pieces, word[at:]])
