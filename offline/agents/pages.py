"""Sentences of pages and files on a question: quoted, never advised.

The rules read the files' words, quote some of their lines, and see no picture.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from drr.citations.files import file_place
from drr.env.drawer.form import media_of
from drr.env.json_object import JsonObject
from drr.env.text import tokens
from drr.offline.agents.account import ACCOUNT
from drr.offline.agents.memory import Cites, Memory, SeenPage, SeenPart, plain, sentences
from drr.offline.agents.phrases import content_words

_MOST_FILES, _PER_FILE, _LONGEST = 6, 5, 240
_VALUE = re.compile(r"(?:[A-Z][a-z]{2,8} )?[$€#]?\d[\w.,:/-]{0,30}(?:,? [\w.%]{1,8})?")
"""A date, an amount, a number with its unit."""
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“(])")
Calls = list[tuple[str, JsonObject]]


class Quotation(NamedTuple):
    """A line of a file that bears on the question."""

    text: str
    part: SeenPart

    @property
    def quoted(self) -> str:
        """Set in quotation marks only what stands so: cells and lines that were put together are no quotation."""
        text = self.text.rstrip(".")
        return f"“{text}”" if text in " ".join(self.part.text.split()) else text


def look_at_files(memory: Memory) -> tuple[str, Calls]:
    """List the files, then read the beginning of each that has words."""
    if not memory.called("list_files"):
        return "The files that belong to the question come first.", [("list_files", {})]
    tried = {call.arguments.get("name") for call in memory.calls if call.name == "read_file"}
    unread = [name for name in memory.papers if name not in tried]
    return "What the files say is known nowhere else.", [
        ("read_file", {"name": name}) for name in unread[:_MOST_FILES]
    ]


def search_files(question: str, memory: Memory) -> tuple[str, Calls]:
    """Search files that are longer than what was read of them for the places that speak of the question."""
    words = " ".join(dict.fromkeys(content_words(question)))[:200].strip()
    searched = {call.arguments.get("name") for call in memory.calls if call.name == "search_file"}
    left = [name for name in memory.unfinished if name not in searched]
    return "The longer files hold more than their beginning.", [
        ("search_file", {"name": name, "query": words}) for name in left[:_MOST_FILES] if words
    ]


def planned_looks(question: str, files: Sequence[str], *, references: bool) -> Calls:
    """Plan the looks: the list, and those of `files` that the question names, else the first ones."""
    named = [name for name in _named(question, files) if media_of(name) != "picture"][:_MOST_FILES]
    if not named and references:
        named = [f"$1.items[{number}].name" for number in range(4)]
    return [("list_files", {}), *(("read_file", {"name": name}) for name in named)]


def _named(text: str, files: Sequence[str]) -> list[str]:
    """Find the named files in the order of the text. Of `orders 2022.csv` and `2022.csv` the longer where both could fit."""
    names = {name.casefold(): name for name in files}
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    matches = re.findall(rf"(?<![\w./-])(?:{either})(?![\w/-]|\.\w)", text.casefold()) if names else []
    return [names[one] for one in dict.fromkeys(matches)]


def quotations(question: str, memory: Memory, most: int = 12) -> list[Quotation]:
    """Quote the lines that share most words with the question, then those with a figure. A few of each file, in its order."""
    wanted = set(content_words(_unnamed(question, memory)))
    rated: list[tuple[float, int, Quotation]] = []
    for number, (part, line) in enumerate(_lines(memory)):
        words = tokens(line)
        hits = len(wanted.intersection(words))
        figures = any(word[0].isdigit() for word in words)
        is_telling = hits or (figures and not _is_row(part))
        if is_telling and len(words) >= 2 and len(line) <= _LONGEST:
            weight = hits + (1.0 if figures and ": " in line else 0.5 if figures else 0.0)
            # Of those that share no word, the first ones: papers say early what they are about.
            rated.append((-weight / (len(words) ** 0.3 if hits else 2), number, Quotation(line, part)))
    kept: list[tuple[int, Quotation]] = []
    for _, number, one in sorted(rated, key=lambda entry: entry[:2]):
        same_file = sum(1 for _, other in kept if other.part.name == one.part.name)
        if same_file < _PER_FILE and one.text not in [other.text for _, other in kept]:
            kept.append((number, one))
        if len(kept) == most:
            break
    return [one for _, one in sorted(kept, key=lambda entry: entry[0])]


def _unnamed(text: str, memory: Memory) -> str:
    """Drop the names of the files: their words reveal nothing of what is in them."""
    for name in (*memory.papers, *memory.pictures):
        text = text.replace(name, " ")
    return text


def _is_row(part: SeenPart) -> bool:
    """Tell whether it is a row of a table: one among many, of which most add nothing to a question."""
    place = file_place(part.url)
    return place is not None and place.kind in ("row", "cell")


def _lines(memory: Memory) -> Iterator[tuple[SeenPart, str]]:
    for part in memory.parts.values():
        for line in _joined(part.text.split("\n")):
            for piece in _END.split(line) if len(line) > _LONGEST else [line]:
                text = plain(piece.replace(" | ", "; "), 2 * _LONGEST).strip("; ")
                if text:
                    yield part, text


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """A bare value belongs to the words before it, as in a table whose cells were read one by one."""
    previous = ""
    for line in map(str.strip, lines):
        if previous and _VALUE.fullmatch(line):
            previous = f"{previous}: {line}" if previous[-1].isalpha() else f"{previous}; {line}"
            continue
        if previous:
            yield previous
        previous = line
    if previous:
        yield previous


def file_statements(question: str, memory: Memory, cites: Cites) -> str:
    lines = [
        f"- {plain(one.part.name, 80)}: {one.quoted} {cites(one.part.url, one.part.title)}."
        for one in quotations(question, memory)
    ]
    return "## What your files say\n\n" + "\n".join(lines) if lines else ""


def unseen(memory: Memory) -> str:
    """Say with the banner what rules cannot know."""
    if not memory.pictures:
        return ""
    which = (
        "the picture" if len(memory.pictures) == 1 else "the pictures"
    )  # a form takes no figure without its passage
    return f"> Rules see no pictures: what {which} among your files may show is missing here."


_LEFT_OUT = tomllib.loads(Path(__file__).with_name("pages.toml").read_text(encoding="utf-8"))
_TO_MACHINES, _ODD, _ADVERTISING, _CLICKBAIT = (
    re.compile("|".join(_LEFT_OUT[name]), re.IGNORECASE)
    for name in ("to_machines", "odd", "advertising", "clickbait")
)


def page_rows(question: str, memory: Memory, most: int = 6, each: int = 2) -> list[tuple[str, SeenPage]]:
    """List the sentences of pages with most on a question, at most `each` of a page. None that sell or talk to machines."""
    wanted = set(content_words(question))
    if len(ACCOUNT.words(question)) < 2:  # "what size was it": any page has one word
        return []
    rated: list[tuple[float, int, str, SeenPage]] = []
    for place, page in enumerate(memory.pages.values()):
        if _CLICKBAIT.search(page.title):
            continue
        least = min(2, len(wanted)) if wanted.intersection(tokens(page.title)) else 3
        for sentence in sentences(page.text):
            words = tokens(sentence)
            hits = len(wanted.intersection(words))
            if hits >= least and 5 <= len(words) <= 45 and usable(sentence):
                rated.append((-hits / len(words) ** 0.3, place, plain(sentence, 300), page))
    chosen: list[tuple[str, SeenPage]] = []
    for _, _, sentence, page in sorted(rated, key=lambda entry: entry[:3]):
        of_page = [line for line, other in chosen if other.url == page.url]
        if len(of_page) < each and sentence not in of_page and len(chosen) < most:
            chosen.append((sentence, page))
    return chosen


def for_machines(text: str) -> bool:
    """Words that no shopper is meant to read: they are neither repeated nor obeyed."""
    return _TO_MACHINES.search(text) is not None


def usable(sentence: str) -> bool:
    return (
        sentence[0].isupper()
        and sentence[-1] in ".!"
        and "…" not in sentence
        and not for_machines(sentence)
        and not _ODD.search(sentence)
        and not _ADVERTISING.search(sentence)
    )


def summarise(search: str, problem: str, page: str, words: int = 220) -> str:
    """The sentences of a page that serve a search and a problem, in the order of the page."""
    wanted = set(content_words(search)) | set(content_words(problem))
    lines = [
        s
        for s in dict.fromkeys(sentences(page))
        if s[-1] in ".!?" and not for_machines(s) and len(s.split()) >= 4
    ]
    rated = sorted(
        range(len(lines)), key=lambda place: (-len(wanted.intersection(tokens(lines[place]))), place)
    )
    kept: list[int] = []
    for place in rated:
        if not wanted.intersection(tokens(lines[place])):
            break
        if sum(len(lines[k].split()) for k in kept) + len(lines[place].split()) > words:
            continue
        kept.append(place)
        if len(kept) == 9:
            break
    if not kept:
        return "The page holds nothing on this search."
    return " ".join(lines[place] for place in sorted(kept))
